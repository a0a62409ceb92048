"""The Fast DDS profiles of `config/` on networks of their kind: two hosts by network namespaces, as in `hosts.py`.

`unshare --net python networks.py vehicle FOLDER SCENARIO` is the host with the nodes; it starts the other one, which runs what it is ordered.
Each program starts anew, since Fast DDS reads its profile once.
"""

import contextlib
import json
import os
import subprocess
import sys
import time

from hosts import FAR, NEAR, OPERATOR, VEHICLE, Operator, address, wait_until_up
from paths import ROOT

PROFILE, WIFI, THIS_MACHINE = ("fastdds.xml", "fastdds_wifi.xml", "fastdds_this_machine.xml")
# Dropped before it leaves, a packet would be an error of its send. The second one drops a tenth of the packets before they are put together.
QUIET = "table inet quiet { chain arrives { type filter hook input priority 0; iifname %s ip daddr 224.0.0.0/4 drop; }; }"
LOSSY = "table inet lossy { chain arrives { type filter hook prerouting priority -450; iifname %s numgen random mod 100 < 10 drop; }; }"
COUNT = "table inet counts { counter sent { }; chain leaves { type filter hook output priority 0; oifname != lo meta l4proto udp counter name sent; }; }"
# More than the processes for which Fast DDS looks on each host.
OTHERS = 6
LARGE, SECONDS = 60_000, 8.0

BEGIN = "import sys, time, rclpy\nfrom std_msgs.msg import String\nrclpy.init()\nnode, end = rclpy.create_node(sys.argv[1]), time.monotonic() + float(sys.argv[2])\n"
# The names of the nodes that it finds, until it has found as many as in the third argument.
FINDS = BEGIN + """
found = set()
while time.monotonic() < end and len(found) < int(sys.argv[3]):
    found |= set(node.get_node_names())
    time.sleep(0.05)
print(sorted(found))
"""
IDLES = BEGIN + "time.sleep(float(sys.argv[2]))"
SENDS = BEGIN + f"""
publisher = node.create_publisher(String, "large", 10)
while time.monotonic() < end:
    publisher.publish(String(data="x" * {LARGE}))
    time.sleep(0.5)
"""
RECEIVES = BEGIN + """
received = []
node.create_subscription(String, "large", received.append, 10)
while time.monotonic() < end:
    rclpy.spin_once(node, timeout_sec=0.05)
print([len(received)])
"""


def start(program, *arguments, profile=PROFILE, peers=""):
    environment = {**os.environ, "FASTRTPS_DEFAULT_PROFILES_FILE": str(ROOT / "config" / profile), "ROS_STATIC_PEERS": peers}
    words = [sys.executable, "-c", program] if isinstance(program, str) else program
    return subprocess.Popen([*words, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, text=True)


@contextlib.contextmanager
def running(*processes):
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def nft(rules, device):
    subprocess.run(["nft", rules % device], check=True)


def operate(_folder):
    """The other host: runs a program to its end, with others beside it, and answers with its output."""
    print("here", flush=True)
    sys.stdin.readline()
    address(FAR, OPERATOR)
    wait_until_up(FAR)
    print("done", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if "nft" in order:
            nft(order["nft"], FAR)
            print("done", flush=True)
            continue
        settings = {"profile": order["profile"], "peers": order.get("peers", "")}
        with running(*(start(IDLES, f"far{number}", 60.0, **settings) for number in range(order.get("others", 0)))):
            time.sleep(1.0 if order.get("others") else 0.0)
            print(start(order["program"], *order["arguments"], **settings).communicate()[0].strip() or "nothing", flush=True)


def asked(operator, program, *arguments, **settings):
    return json.loads(operator.ask({"program": program, "arguments": arguments, **settings}).replace("'", '"'))


def without_multicast(operator):
    """Whether all find one another is a matter of ROS_STATIC_PEERS alone, however many there are."""
    nft(QUIET, NEAR)
    operator.order(nft=QUIET)
    names = [f"near{number}" for number in range(OTHERS)]
    for peers in (False, True):
        near = [start(IDLES, name, 60.0, peers=OPERATOR if peers else "") for name in names]
        with running(*near, start(["hindbrain"], peers=OPERATOR if peers else "")):
            wanted = [*names, "hindbrain", "seeks", *(f"far{number}" for number in range(OTHERS))]
            seconds = 20.0 if peers else 5.0
            found = asked(operator, FINDS, "seeks", seconds, len(wanted), profile=PROFILE, peers=VEHICLE if peers else "", others=OTHERS)
            assert found == sorted(wanted if peers else [name for name in wanted if name.startswith(("far", "seeks"))]), (peers, found)


def wireless(operator):
    """Over a link that loses a tenth of the packets a large message arrives if each of its parts is a packet."""
    nft(LOSSY, NEAR)
    operator.order(nft=LOSSY)
    for profile in (PROFILE, WIFI):
        with running(start(SENDS, "sends", 60.0, profile=profile)):
            (count,) = asked(operator, RECEIVES, "receives", SECONDS, profile=profile)
        assert count <= 2 if profile == PROFILE else count >= 5, (profile, count)  # of 10, by chance


def one_machine(_operator):
    """No message leaves the computer; the kernel may report a group that it joins."""
    subprocess.run(["nft", COUNT], check=True)

    def sent():
        listed = subprocess.run(["nft", "--json", "list", "counters"], capture_output=True, text=True, check=True).stdout
        return next(one["counter"]["packets"] for one in json.loads(listed)["nftables"] if "counter" in one)

    for profile in (THIS_MACHINE, PROFILE):
        before = sent()
        with running(start(["hindbrain"], profile=profile), start(IDLES, "near", 60.0, profile=profile)):
            found = start(FINDS, "seeks", 10.0, 3, profile=profile).communicate()[0]
            assert found.strip() == str(["hindbrain", "near", "seeks"]), (profile, found)
        assert (sent() == before) == (profile == THIS_MACHINE), (profile, sent() - before)


SCENARIOS = {scenario.__name__: scenario for scenario in (without_multicast, wireless, one_machine)}


def main(role, folder, scenario=None):
    if role == "operator":
        return operate(folder)
    for name in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "FASTDDS_DEFAULT_PROFILES_FILE"):
        os.environ.pop(name, None)
    with Operator(folder, script=__file__) as operator:
        SCENARIOS[scenario](operator)
    print(f"{scenario}: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
