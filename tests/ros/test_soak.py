"""Faults at random for a while; `python soak.py` does it for as long as you like."""

from soak import soak


def test_faults_at_random():
    print(soak(8.0))
