"""Two hosts on this machine: network namespaces with a pair of virtual Ethernet devices between them.

`unshare --net python hosts.py vehicle FOLDER SCENARIO LINK` is the host with hindbrain; it starts the other one, the operator's, as a
process in a namespace of its own: `python hosts.py operator`. The addresses are seen by these two namespaces only. `LINK` is how the link
is lost or bad.
"""

import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import time

import pytest
from paths import HARNESS, ROOT

VEHICLE, OPERATOR = "10.213.7.1", "10.213.7.2"
NEAR, FAR = "steersman_near", "steersman_far"

# Of Steersman's nodes, and for other nodes beside them: a send over a link that stands still waits for nothing.
PROFILE = ROOT / "config" / os.environ.get("HOSTS_PROFILE", "fastdds.xml")

# How much a link lets through: a still one keeps its packets back until it is good again, as some wireless drivers do; a slow one has a
# queue of half a second.
QUEUE = 0.5
RATES = {
    "good": ["rate", "10gbit", "burst", "1mb", "limit", "10000000"],
    "still": ["rate", "8bit", "burst", "1600", "limit", "10000000"],
    "slow": ["rate", "64kbit", "burst", "1600", "limit", "4000"],
}
# A lossy one drops a fifth of what arrives. Dropped before it leaves, a packet would be an error of its send.
LOSS = "table inet link { chain arrives { type filter hook input priority 0; iifname %s numgen random mod 100 < 20 drop; }; }"
BAD_LINKS = ("cut", "slow", "lossy", "still")


def namespace():
    """The words that run a program in a network namespace of its own; None where that is not possible."""
    if not shutil.which("ip") or not shutil.which("unshare"):
        return None
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *as_user, "--net"]
    probe = [*words, "ip", "link", "add", "steersman_probe", "type", "veth", "peer", "name", "steersman_eborp"]
    return words if subprocess.run(probe, capture_output=True, check=False).returncode == 0 else None


def bad_links():
    """Those of `BAD_LINKS` that this machine can make."""
    can_lose = shutil.which("nft") is not None
    assert can_lose or os.environ.get("CI") != "true", "nft is not installed, and in CI a lossy link has to be tested"
    return [link for link in BAD_LINKS if link != "lossy" or can_lose]


def play(script, folder, scenario, timeout, *link):
    """Runs the vehicle's host of `script` with `scenario`, whose link is lost in this way if one is given; skips the test where that is not possible."""
    if not set(link) <= set(bad_links()):
        pytest.skip("nft makes a link lossy and is not installed (on Debian: apt-get install nftables)")
    words = namespace()
    if words is None:
        assert os.environ.get("CI") != "true", "no network namespace is to be had, and in CI this has to be tested"
        pytest.skip("no network namespace is available here: it needs root or user namespaces, and iproute2")
    words = [*words, sys.executable, str(script), "vehicle", str(folder), scenario, *link]
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0 and done.stdout.endswith(f"{scenario}: ok\n"), f"{done.stdout}\n{done.stderr}"


def use_profile(folder, more=""):
    """Makes Fast DDS of this process, and of those it starts, use Steersman's profile; `more` are elements of XML for its participants."""
    path = pathlib.Path(folder) / "fastdds.xml"
    path.write_text(PROFILE.read_text().replace("</rtps>", f"{more}</rtps>"))
    os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"] = str(path)


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def address(device, address_):
    ip("address", "add", f"{address_}/24", "dev", device)
    ip("link", "set", device, "up")
    ip("link", "set", "lo", "up")


def wait_until_up(device):
    """Waits until the kernel reports both ends as up: Fast DDS never uses a device that had no carrier at its start."""
    end = time.monotonic() + 10.0
    while True:
        shown = subprocess.run(["ip", "-json", "link", "show", device], capture_output=True, text=True, check=True).stdout
        if json.loads(shown)[0]["operstate"] == "UP":
            return
        assert time.monotonic() < end, f"{device} does not come up: {shown}"
        time.sleep(0.02)


def set_link(device, link):
    """Makes this end of the link `good`, or bad in one way; both ends have to be. What a still link kept back is sent when it is good."""
    if device == FAR:
        ip("link", "set", FAR, "down" if link == "cut" else "up")
    if link == "lossy":
        subprocess.run(["nft", LOSS % device], check=True)
    if link in RATES:
        subprocess.run(["tc", "qdisc", "replace", "dev", device, "root", "tbf", *RATES[link]], check=True)
    if link == "still":  # what it may send before it stands still is used up
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(bytes(1472), (OPERATOR if device == NEAR else VEHICLE, 9))
    if link == "good" and shutil.which("nft"):
        subprocess.run(["nft", "flush ruleset"], check=True)


class Operator:
    """The operator's host, seen from the vehicle's: orders to it, each carried out when the call returns."""

    def __init__(self, folder, script=__file__, loss="cut"):
        self.loss = loss  # how the link is lost
        words = ["unshare", "--net", sys.executable, str(script), "operator", str(folder)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()  # it is in its namespace
        ip("link", "add", NEAR, "type", "veth", "peer", "name", FAR, "netns", str(self.process.pid))
        address(NEAR, VEHICLE)
        self.order(begin=True)
        wait_until_up(NEAR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10.0)

    def ask(self, what):
        """Its answer, one line, to an order."""
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def order(self, **what):
        answer = self.ask(what)
        assert answer == "done", f"the operator's host answers {answer!r} to {what}"

    def link(self, link):
        """Makes the link `good`, or one of `BAD_LINKS`."""
        set_link(NEAR, link)
        self.order(link=link)

    def lose_link(self):
        self.link(self.loss)


def operate(folder):
    """The operator's host: repeats the ordered state, 50 commands a second, and its switches 20 times a second; a stick is that of a
    joystick node. It watches the motors."""
    print("here", flush=True)
    sys.stdin.readline()
    address(FAR, OPERATOR)
    wait_until_up(FAR)
    use_profile(folder)
    from geometry_msgs.msg import TwistStamped
    from graph import EDGE, Graph
    from motor_node import MotorNode
    from or_joystick.msg import State
    from processes import Process
    from std_msgs.msg import Bool, Int16

    graph = Graph()
    for side in ("port", "starboard"):
        graph.subscribe(Int16, f"/motor/{side}")
    command, publishers, topic, linear = TwistStamped(), {}, "/cmd_vel", None

    def publisher(kind, topic):
        if topic not in publishers:
            publishers[topic] = graph.node.create_publisher(kind, topic, EDGE)
        return publishers[topic]

    def send():
        if linear is None:
            return
        command.twist.linear.x = linear
        command.header.stamp = graph.node.get_clock().now().to_msg()
        publisher(TwistStamped, topic).publish(command)

    timers, hand, joystick, motors = {}, State(), None, None
    print("done", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        topic = order.get("topic", topic)
        linear = order.get("linear", linear)
        if "linear" in order and "linear" not in timers:
            timers["linear"] = graph.node.create_timer(0.02, send)
        if "stick" in order:
            forward, button = order["stick"]
            hand.axes, hand.buttons = [0, int(-32767 * forward)], [False] * 5 + [button]
            if joystick is None:
                joystick = Process("joystick", "--ros-args", "--params-file", str(HARNESS / "stack.yaml"))
                graph.repeat("/joystick/virtual_device", hand, 20.0)
                graph.wait(lambda: graph.node.count_publishers("/joystick/device/Test_Pad") > 0, "no stick", 20.0)
        for switch in ("enable", "estop"):
            if switch in order:
                if switch in timers:
                    graph.node.destroy_timer(timers[switch])
                message, to = Bool(data=order[switch]), publisher(Bool, f"/hind/{switch}")
                to.publish(message)
                timers[switch] = graph.node.create_timer(0.05, lambda to=to, message=message: to.publish(message))
        if "link" in order:
            set_link(FAR, order["link"])
        if "motors" in order:
            if motors is None:
                motors = MotorNode(folder)
                graph.subscribe(Int16, "/motor/port")
            received = len(graph.messages["/motor/port"])
            print(json.dumps([motors.written, len(motors.all_written), sorted(set(motors.all_written[order["motors"] :])), received]), flush=True)
            continue
        print("done", flush=True)
    if joystick:
        joystick.stop()
    if motors:
        motors.process.kill()
    graph.close()


def attempt(act, most=4):
    """Does what prepares a measurement, `most` times at most until it succeeds: a busy machine may lose a command, or stop by the rules."""
    for left in reversed(range(most)):
        try:
            return act()
        except AssertionError as failure:
            if left == 0:
                raise
            print(f"again, since {failure}", flush=True)


def cut(vehicle, operator, seconds, within):
    """Loses the link for `seconds`; the motors have to be at stop `within` the time, and to stay there."""
    start = time.time()
    operator.lose_link()
    # Messages that arrived while the order was carried out count from their receipt.
    took = vehicle.stopped_within(within + (time.time() - start), start, "the link was lost")
    vehicle.stays_stopped(seconds - took, "the link is lost")
    operator.link("good")


def commands(vehicle, operator):
    """Full speed is received again with the link: nothing moves until the operator releases the stick."""
    operator.order(linear=0.0)
    vehicle.enable(False)
    vehicle.enable()
    vehicle.wait_for("OK", timeout=20.0)
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "full ahead from the other host")
    cut(vehicle, operator, 3.0, 0.5 + 66 / 800)
    vehicle.wait_for("OK", "NEUTRAL_WAIT", timeout=20.0)
    assert vehicle.source("cmd_vel").says == "move"
    vehicle.stays_stopped(1.5, "the link is back, and full speed with it")
    operator.order(linear=0.0)
    vehicle.wait_for("OK")
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "after a zero")


# How many cuts the e-stop has to survive; a soak asks for more.
LINK_CUTS = int(os.environ.get("LINK_CUTS", "2"))


def link_cuts(count):
    """The durations of `count` cuts from the crate `scenarios` [s]."""
    from episodes import scenarios

    seed = random.randrange(1 << 32)
    print(f"link cuts of seed {seed}", flush=True)
    with scenarios("cuts", seed, count) as process:
        return [float(line) for line in process.stdout]


def estop(vehicle, operator):
    """The e-stop is on the other host: its silence latches, and the return of the link alone does not clear that."""
    from graph import unlatch

    operator.order(linear=0.0, estop=False)
    vehicle.wait(lambda: vehicle.source("hind/estop").says == "released", "the e-stop is not received", 20.0)
    unlatch(vehicle)
    vehicle.enable(False)
    vehicle.enable()
    vehicle.wait_for("OK", timeout=20.0)
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "full ahead from the other host")
    for lasts in link_cuts(LINK_CUTS):
        cut(vehicle, operator, lasts, 0.25)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", timeout=20.0)
        vehicle.stays_stopped(1.0, "the link is back")
        operator.order(linear=0.0)
        vehicle.reset()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.enable()
        vehicle.wait_for("OK")
        operator.order(linear=1.0)
        vehicle.wait_for_motors(24, 24, "after reset, enable and a zero")


def lease(vehicle, operator):
    """The operator's enable has a lease: it lapses with the link, and has to be switched off and on."""
    operator.order(linear=0.0, enable=False)
    vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable is not received", 20.0)
    operator.order(enable=True)
    vehicle.wait_for("OK", timeout=20.0)
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "full ahead from the other host")
    cut(vehicle, operator, 2.0, 0.3)
    vehicle.wait_for("SSTOP.ROS", "NOT_ARMED", timeout=20.0)
    vehicle.stays_stopped(0.5, "the link is back, and enable with it")
    operator.order(linear=0.0)
    operator.order(linear=1.0)
    vehicle.stays_stopped(0.5, "the link is back, enable with it, and a zero came")
    operator.order(linear=0.0)
    operator.order(enable=False)
    vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
    operator.order(enable=True)
    vehicle.wait_for("OK")
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "after a rise of enable and a zero")


def switch(vehicle, operator):
    """Without a lease the operator's false is lost with the link: the vehicle drives on until it is received again."""
    operator.order(enable=False)
    vehicle.set_command(0.0)
    vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable is not received", 20.0)
    operator.order(enable=True)
    vehicle.wait_for("OK", timeout=20.0)
    vehicle.set_command(1.0)
    vehicle.wait_for_motors(24, 24, "full ahead")
    operator.lose_link()
    lost = time.time()
    operator.order(enable=False)
    time.sleep(2.0)
    assert set(vehicle.values(lost)) == {24}, "a switch without a lease stops with its link"
    operator.link("good")
    vehicle.wait_for_motors(90, 90, "the link is back, and false with it", 20.0)
    vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
    operator.order(enable=True)
    vehicle.drives_again("enable")


def pushed(vehicle, operator, leased=False):
    """The vehicle stands while the link is lost, and a Twist behind it commands motion: when the link is back it drives, unless the lease stops it."""
    operator.order(enable=False, topic="/cmd_vel_smoothed", linear=0.0)
    vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable is not received", 20.0)
    vehicle.wait(lambda: vehicle.source("cmd_vel").says == "zero", "no command comes", 20.0)
    operator.order(enable=True)
    vehicle.wait_for("OK", timeout=20.0)
    operator.lose_link()
    if leased:
        vehicle.wait_for("SSTOP.ROS", "LEASE_LAPSED", "NOT_ARMED")
    time.sleep(1.5)
    vehicle.stays_stopped(0.5, "the link is lost")
    operator.order(linear=1.0)
    operator.link("good")
    if not leased:
        vehicle.wait_for_motors(24, 24, "the command is followed", 20.0)
        return
    vehicle.wait_for("SSTOP.ROS", "NOT_ARMED", timeout=20.0)
    vehicle.stays_stopped(2.0, "the lease lapsed with the link")
    operator.order(enable=False)
    vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
    operator.order(enable=True)
    vehicle.wait(lambda: vehicle.state == "OK", "it is not enabled")
    vehicle.stays_stopped(0.5, "a rise of enable, and no zero")
    operator.order(linear=0.0)
    vehicle.wait_for("OK")
    operator.order(linear=1.0)
    vehicle.wait_for_motors(24, 24, "after a rise of enable and a zero")


def pushed_under_a_lease(vehicle, operator):
    pushed(vehicle, operator, leased=True)


def stick(vehicle, operator):
    """The vehicle stands while the link is lost, and the stick behind it is pushed: nothing moves before it was released."""
    from graph import act_until

    operator.order(enable=False, stick=[0.0, False])
    vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable is not received", 20.0)
    vehicle.wait(lambda: vehicle.source("cmd_vel").says == "zero", "no command comes", 20.0)
    operator.order(enable=True)
    vehicle.wait_for("OK", timeout=20.0)
    active = lambda: vehicle.graph.last("/velocity_arbiter/active")  # noqa: E731
    drives = lambda: max(vehicle.motors) <= 25  # noqa: E731, a stick comes near to full speed

    def push():
        operator.order(stick=[0.0, False])
        time.sleep(0.2)  # the stick is published 20 times a second
        operator.order(stick=[1.0, True])

    act_until(vehicle.graph, push, drives, lambda: f"the stick does not drive: {active()}", 20.0, every=5.0)
    operator.order(stick=[0.0, False])
    vehicle.wait_for_motors(90, 90, "the stick is released")
    operator.lose_link()
    time.sleep(1.5)
    operator.order(stick=[1.0, True])
    time.sleep(1.0)
    operator.link("good")
    why = "waits for a zero, with which its motion begins"
    vehicle.wait(lambda: why in str(active()), lambda: f"the stick is not received: {active()}", 20.0)
    vehicle.stays_stopped(1.5, "the link is back, and full speed with it")
    operator.order(stick=[1.0, False])
    time.sleep(0.2)  # the stick is published 20 times a second
    operator.order(stick=[1.0, True])
    vehicle.wait(drives, "it does not drive after a zero")


def bad(vehicle, operator):
    from bad_link import every_stop

    every_stop(vehicle, operator, "/cmd_vel", QUEUE, LEASE["enable.lease"])


def bad_behind(vehicle, operator):
    from bad_link import every_stop

    every_stop(vehicle, operator, "/cmd_vel_smoothed", QUEUE, LEASE["enable.lease"])


def motors(vehicle, operator):
    from motor_node import behind_a_cut_link

    behind_a_cut_link(vehicle, operator)


# The scenarios of hindbrain alone, of the chain in one process, and of the stages before hindbrain in processes of their own.
LEASE = {"enable.lease": 0.3}
SCENARIOS = {"switch": (switch, {}), "commands": (commands, {}), "estop": (estop, {}), "lease": (lease, LEASE)}
FAR_MOTORS = {"motors": (motors, {})}
CHAINS = {"pushed": (pushed, {}), "pushed_under_a_lease": (pushed_under_a_lease, LEASE)}
BEHIND = {"stick": (stick, {"track": 4.0 / 3.0})}
# The same for a link that is bad in any way.
BAD = {"bad": (bad, LEASE), "bad_together": (bad_behind, LEASE), "bad_apart": (bad_behind, LEASE)}


def main(role, folder, scenario=None, link="cut"):
    if role == "operator":
        return operate(folder)
    use_profile(folder)
    run, parameters = (SCENARIOS | CHAINS | BEHIND | BAD | FAR_MOTORS)[scenario]
    with Operator(folder, loss=link) as operator:
        from diagnostic_msgs.msg import DiagnosticStatus
        from graph import LATCHED, free_zones
        from processes import Process, stop_all
        from vehicle import Vehicle

        class InOne(Vehicle):
            """hindbrain and the stages before it."""

            def __init__(self, parameters):
                super().__init__({f"hindbrain:{name}": value for name, value in {**self.QUICK, **parameters}.items()}, executable="steersman")
                self.graph.repeat("/luci/scaling", free_zones(), 20.0)

        class WithoutStick(Vehicle):
            """hindbrain and, in processes of their own, the stages before it except the first."""

            def __init__(self, parameters):
                super().__init__(parameters)
                self.graph.repeat("/luci/scaling", free_zones(), 20.0)
                self.graph.subscribe(DiagnosticStatus, "/velocity_arbiter/active", LATCHED)
                stages = ("velocity_arbiter", "zone_scaler")
                self.stages = [Process(name, "--ros-args", "--params-file", str(HARNESS / "stack.yaml")) for name in stages]

            def __exit__(self, *_):
                stop_all(self.stages)
                super().__exit__()

        kind = InOne if scenario in (*CHAINS, "bad_together") else WithoutStick if scenario in (*BEHIND, "bad_apart") else Vehicle
        with kind(parameters) as vehicle:
            run(vehicle, operator)
    print(f"{scenario}: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
