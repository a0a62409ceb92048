"""Faults at random for a while; `cargo xtask soak` plays them for as long as you like."""

import random

import pytest
from episodes import FAILED, SETUPS, play
from soak import soak

pytestmark = pytest.mark.alone


def test_faults_at_random():
    print(soak(8.0))


@pytest.mark.parametrize("setup", SETUPS)
def test_each_fault_has_its_bound_and_its_way_back(setup):
    """Some of the episodes that the machines by themselves are played: hindbrain's, and those of the chain in one process and in four."""
    print(play(random.randrange(1 << 32), setup, seconds=15.0))


def test_episodes_that_failed_once_have_their_bounds_and_their_ways_back():
    for seed, setup, number in FAILED:
        print(play(seed, setup, first=number, count=1))
