"""A far computer that only watches, over a bad link, holds back no stop, with the middleware as it is installed."""

import pytest
from hosts import play
from paths import HARNESS
from stalls import SCENARIOS, STOPS

# A hundred stops of each kind take twenty minutes for a scenario.
LONGEST = 80.0 + 15.0 * STOPS


@pytest.mark.fault("far-watcher")
@pytest.mark.timeout(LONGEST + 20.0)
@pytest.mark.pair
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_far_watcher_over_a_bad_link_holds_back_no_stop(tmp_path, scenario):
    play(HARNESS / "stalls.py", tmp_path, scenario, LONGEST)
