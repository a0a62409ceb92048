"""What the settings of the environment make of a node's transports: each leaves its sends free, or is named at the start."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import pytest
from graph import Graph
from paths import ROOT
from processes import Process

pytestmark = pytest.mark.fast_dds
PROFILE = pathlib.Path(os.environ.get("FASTRTPS_DEFAULT_PROFILES_FILE", "/nowhere"))
SETTINGS = (
    "FASTRTPS_DEFAULT_PROFILES_FILE",
    "FASTDDS_DEFAULT_PROFILES_FILE",
    "ROS_AUTOMATIC_DISCOVERY_RANGE",
    "ROS_LOCALHOST_ONLY",
    "ROS_STATIC_PEERS",
    "FASTDDS_BUILTIN_TRANSPORTS",
    "FASTDDS_ENVIRONMENT_FILE",
)
NODE = "velocity_arbiter"
TOPIC = "/cmd_vel_arbitrated"

# A participant of ROS as it is installed, which counts the publishers of a topic until one comes.
PARTICIPANT = """
import sys, time, rclpy
rclpy.init()
node = rclpy.create_node("participant")
end = time.monotonic() + 15.0
while node.count_publishers(sys.argv[1]) == 0 and time.monotonic() < end:
    time.sleep(0.05)
print("found" if node.count_publishers(sys.argv[1]) else "alone", flush=True)
sys.stdin.read()
rclpy.shutdown()
"""


@pytest.fixture
def graph():
    graph = Graph()
    yield graph
    graph.close()


@pytest.fixture
def environment(monkeypatch):
    """Sets these settings, and none of the others, for the processes that are started afterwards."""

    def change(**settings):
        for name in SETTINGS:
            monkeypatch.delenv(name, raising=False)
        for name, value in settings.items():
            monkeypatch.setenv(name, str(value))

    return change


def shared_memory(pid):
    """The files of Fast DDS's shared memory that a process has."""
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    return sorted(set(re.findall(r"/dev/shm/\S*fastrtps\S*", maps)))


def addresses(pid):
    """The addresses to which the UDP sockets of a process are bound."""
    links = pathlib.Path(f"/proc/{pid}/fd").iterdir()
    inodes = {match[1] for link in links if (match := re.match(r"socket:\[(\d+)\]", read_link(link)))}
    rows = [row.split() for row in pathlib.Path(f"/proc/{pid}/net/udp").read_text().splitlines()[1:]]
    found = [row[1].split(":") for row in rows if row[9] in inodes]
    return sorted((".".join(str(byte) for byte in reversed(bytes.fromhex(address))), int(port, 16)) for address, port in found)


def read_link(link):
    try:
        return os.readlink(link)
    except OSError:
        return ""  # closed meanwhile


def node(graph):
    process = Process(NODE)
    graph.wait(lambda: graph.node.count_publishers(TOPIC) == 1, lambda: f"the node is not found: {process.output}", 15.0)
    return process


@pytest.mark.parametrize("setting", ["ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST", "ROS_LOCALHOST_ONLY=1"])
def test_a_node_of_this_machine_alone_has_no_shared_memory_and_is_found_by_its_like(graph, environment, setting):
    name, value = setting.split("=")
    environment(**{name: value})
    other = subprocess.Popen([sys.executable, "-c", PARTICIPANT, TOPIC], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process = node(graph)
    try:
        assert other.stdout.readline() == "found\n", "a node with this setting, as ROS is installed, does not find ours"
        assert shared_memory(other.pid), "the measure itself: ROS adds shared memory to such a node"
        assert not shared_memory(process.process.pid), "it has shared memory"
        bound = addresses(process.process.pid)
        # A socket that receives multicast is bound to its group.
        assert bound and {address for address, _ in bound} <= {"127.0.0.1", "239.255.0.1"}, bound
        assert "WARN" not in process.output, process.output
        name = pathlib.Path(f"/proc/{process.process.pid}/comm").read_text().strip()
        assert name == NODE[:15], f"it started itself again, and is called {name}"
    finally:
        process.stop()
        other.communicate(timeout=10.0)


def test_each_setting_that_lets_sends_wait_is_named_with_its_remedy(graph, environment, tmp_path):
    shared = tmp_path / "shared.xml"
    shared.write_text(
        PROFILE.read_text()
        .replace("</transport_descriptors>", "<transport_descriptor><transport_id>memory</transport_id><type>SHM</type></transport_descriptor></transport_descriptors>")
        .replace("</userTransports>", "<transport_id>memory</transport_id></userTransports>")
    )
    mine = tmp_path / "mine.xml"
    mine.write_text(PROFILE.read_text().replace("this_machine", "mine"))
    variables = tmp_path / "environment.json"
    variables.write_text(json.dumps({"environment_variables": {"FASTRTPS_DEFAULT_PROFILES_FILE": str(shared)}}))
    own = "FASTRTPS_DEFAULT_PROFILES_FILE"
    for settings, sentence, has_memory in (
        ({own: mine}, None, False),
        ({own: ROOT / "config/fastdds_wifi.xml"}, None, False),
        ({own: mine, "FASTDDS_BUILTIN_TRANSPORTS": "SHM"}, None, False),
        ({own: mine, "ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT", "ROS_STATIC_PEERS": "127.0.0.1"}, None, False),
        ({own: mine, "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": "127.0.0.1"}, None, False),
        ({own: shared}, f"the Fast DDS profile '{shared}' is used instead of Steersman's: its transport 'memory' is shared memory", True),
        ({own: mine, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, "ROS_AUTOMATIC_DISCOVERY_RANGE is 'LOCALHOST': ROS adds shared memory", True),
        ({own: mine, "ROS_LOCALHOST_ONLY": "1"}, "ROS_LOCALHOST_ONLY is '1': ROS adds shared memory", True),
        (
            {own: PROFILE, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_STATIC_PEERS": "127.0.0.1"},
            "unset it: ROS_STATIC_PEERS counts without it too",
            True,
        ),
        ({own: mine, "FASTDDS_ENVIRONMENT_FILE": variables}, None, False),
    ):
        environment(**settings)
        process = node(graph)
        try:
            assert bool(shared_memory(process.process.pid)) == has_memory, f"{settings}: {shared_memory(process.process.pid)}"
            if sentence:
                assert sentence in process.output, f"{settings}: {process.output}"
            else:
                assert "WARN" not in process.output, f"{settings}: {process.output}"
        finally:
            process.stop()
        graph.wait(lambda: graph.node.count_publishers(TOPIC) == 0, "the node is not gone", 10.0)


def test_named_transports_are_used_and_named(environment):
    """A graph over UDP does not find it."""
    environment(FASTDDS_BUILTIN_TRANSPORTS="SHM")
    process = Process(NODE)
    try:
        sentence = "FASTDDS_BUILTIN_TRANSPORTS is 'SHM': with it Steersman does not use its own profile"
        end = time.monotonic() + 10.0
        while sentence not in process.output and time.monotonic() < end:
            time.sleep(0.05)
        assert sentence in process.output, process.output
        assert shared_memory(process.process.pid)
    finally:
        process.stop()
