"""The link between the operator's and the vehicle's computer is cut, stands still, is slow or loses packets while the vehicle drives."""

import hosts
import pytest
from hosts import BAD, BAD_LINKS, CHAINS, LINK_CUTS, SCENARIOS
from paths import HARNESS

# A link that is lost drops everything, or keeps it back until it is good again.
LOST = pytest.mark.parametrize("link", ["cut", "still"])


@pytest.mark.fault("estop-silent", "enable-lease", "command-link-bad")
@LOST
@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "switch"])
def test_a_link_that_comes_back_moves_nothing_by_itself(tmp_path, scenario, link):
    play(tmp_path, scenario, link)


@pytest.mark.fault("source-begins")
@LOST
@pytest.mark.parametrize("scenario", CHAINS)
def test_a_twist_behind_a_cut_link_drives_off_unless_there_is_a_lease(tmp_path, scenario, link):
    play(tmp_path, scenario, link)


@pytest.mark.fault("source-begins")
@LOST
def test_a_stick_that_is_pushed_behind_a_cut_link_moves_nothing_before_it_was_let_go(tmp_path, link):
    play(tmp_path, "stick", link)


@pytest.mark.fault("enable-false-lost")
@LOST
def test_a_false_that_is_lost_with_the_link_stops_nothing_until_it_is_back(tmp_path, link):
    play(tmp_path, "switch", link)


@pytest.mark.fault("command-link-bad")
@pytest.mark.parametrize("link", BAD_LINKS)
@pytest.mark.parametrize("scenario", BAD)
def test_every_stop_over_a_bad_link_stops_and_neither_link_moves_anything(tmp_path, scenario, link):
    play(tmp_path, scenario, link)


def play(folder, scenario, link):
    hosts.play(HARNESS / "hosts.py", folder, scenario, 80.0 + 20.0 * LINK_CUTS, link)
