"""The link between the operator's and the vehicle's computer breaks while the vehicle drives."""

import hosts
import pytest
from hosts import CHAINS, HERE, LINK_CUTS, SCENARIOS


@pytest.mark.parametrize("scenario", [name for name in SCENARIOS if name != "switch"])
def test_a_link_that_comes_back_moves_nothing_by_itself(tmp_path, scenario):
    play(tmp_path, scenario)


@pytest.mark.parametrize("scenario", CHAINS)
def test_a_twist_behind_a_cut_link_drives_off_unless_there_is_a_lease(tmp_path, scenario):
    play(tmp_path, scenario)


def test_a_stick_that_is_pushed_behind_a_cut_link_moves_nothing_before_it_was_let_go(tmp_path):
    play(tmp_path, "stick")


def test_a_false_that_is_lost_with_the_link_stops_nothing_until_it_is_back(tmp_path):
    play(tmp_path, "switch")


def play(folder, scenario):
    hosts.play(HERE / "hosts.py", folder, scenario, 80.0 + 20.0 * LINK_CUTS)
