"""Faults at random for a while; `cargo xtask soak` plays them for as long as you like."""

import random

import pytest
from episodes import play
from soak import soak

pytestmark = pytest.mark.alone


def test_faults_at_random():
    print(soak(8.0))


def test_each_fault_has_its_bound_and_its_way_back():
    """Some of the episodes that the stop machine by itself is played."""
    print(play(random.randrange(1 << 32), 10))
