"""A far computer that only watches, over a link that stands still, holds back no stop, with the middleware as it is installed."""

import os
import subprocess
import sys

import pytest
from hosts import HERE, namespace
from stalls import SCENARIOS, STOPS


@pytest.mark.pair
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_far_watcher_over_a_link_that_stands_still_holds_back_no_stop(scenario):
    words = namespace()
    if words is None:
        assert os.environ.get("CI") != "true", "no network namespace is to be had, and in CI this has to be tested"
        pytest.skip("no network namespace is available here: it needs root or user namespaces, and iproute2")
    words = [*words, sys.executable, str(HERE / "stalls.py"), "vehicle", scenario]
    done = subprocess.run(words, capture_output=True, text=True, timeout=80.0 + 10.0 * STOPS, check=False)
    assert done.returncode == 0 and done.stdout.endswith(f"{scenario}: ok\n"), f"{done.stdout}\n{done.stderr}"
