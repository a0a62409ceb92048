"""Faults at random for a while; `cargo xtask soak` plays them for as long as you like."""

import random

import pytest
from episodes import FAILED, SETUPS, play

pytestmark = pytest.mark.few


@pytest.mark.fault("parameter-set", "zone-mode-set", "several")
@pytest.mark.parametrize("setup", SETUPS)
def test_each_fault_has_its_bound_and_its_way_back(setup):
    """Some of the episodes that the machines by themselves are played, of one to three faults at the same time: hindbrain's, and those of
    the chain in one process and in four."""
    print(play(random.randrange(1 << 32), setup, seconds=25))


def test_episodes_that_failed_once_have_their_bounds_and_their_ways_back():
    for seed, setup, number in FAILED:
        print(play(seed, setup, first=number, count=1))
