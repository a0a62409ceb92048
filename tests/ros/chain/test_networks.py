"""The Fast DDS profiles of `config/` on the networks that they are for."""

import shutil
import xml.etree.ElementTree

import hosts
import networks
import pytest
from hosts import LINK_CUTS
from paths import HARNESS, ROOT

pytestmark = [pytest.mark.few, pytest.mark.fast_dds]


@pytest.mark.parametrize("scenario", networks.SCENARIOS)
def test_a_profile_does_on_its_network_what_it_says(tmp_path, scenario):
    if not shutil.which("nft"):
        pytest.skip("nft is not installed (on Debian: apt-get install nftables)")
    hosts.play(HARNESS / "networks.py", tmp_path, scenario, 120.0)


@pytest.mark.parametrize("link", ["still", "lossy"])
def test_every_stop_over_a_bad_link_stops_with_the_profile_for_wireless_links(tmp_path, monkeypatch, link):
    monkeypatch.setenv("HOSTS_PROFILE", networks.WIFI)
    hosts.play(HARNESS / "hosts.py", tmp_path, "bad", 80.0 + 20.0 * LINK_CUTS, link)


@pytest.mark.starts_nothing
def test_the_profile_for_wireless_links_differs_by_the_size_of_its_messages_alone():
    def elements(name):
        root = xml.etree.ElementTree.parse(ROOT / "config" / name).getroot()
        kept = [one for one in root.iter() if not one.tag.endswith("}maxMessageSize")]
        return [(one.tag, (one.text or "").strip(), one.get("is_default_profile")) for one in kept]

    assert elements(networks.WIFI) == elements(networks.PROFILE)
