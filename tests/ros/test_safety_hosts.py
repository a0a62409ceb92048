"""The link between the operator's and the vehicle's computer breaks while the vehicle drives."""

import os
import shutil
import subprocess
import sys

import pytest
from hosts import CHAINS, HERE, LINK_CUTS, SCENARIOS


def namespace():
    """The words that run a program in a network namespace of its own; None where that is not possible."""
    if not shutil.which("ip") or not shutil.which("unshare"):
        return None
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *as_user, "--net"]
    probe = [*words, "ip", "link", "add", "steersman_probe", "type", "veth", "peer", "name", "steersman_eborp"]
    return words if subprocess.run(probe, capture_output=True, check=False).returncode == 0 else None


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
    words = namespace()
    if words is None:
        assert os.environ.get("CI") != "true", "no network namespace is to be had, and in CI this has to be tested"
        pytest.skip("no network namespace is available here: it needs root or user namespaces, and iproute2")
    words = [*words, sys.executable, str(HERE / "hosts.py"), "vehicle", str(folder), scenario]
    done = subprocess.run(words, capture_output=True, text=True, timeout=80.0 + 20.0 * LINK_CUTS, check=False)
    assert done.returncode == 0 and done.stdout.endswith(f"{scenario}: ok\n"), f"{done.stdout}\n{done.stderr}"
