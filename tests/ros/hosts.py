"""Two hosts on this machine: network namespaces with a pair of virtual Ethernet devices between them.

`unshare --net python hosts.py vehicle FOLDER SCENARIO` is the host with hindbrain; it starts the other one, the operator's, as a
process in a namespace of its own: `python hosts.py operator`. The addresses are seen by these two namespaces only.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).parent
VEHICLE, OPERATOR = "10.213.7.1", "10.213.7.2"
NEAR, FAR = "steersman_near", "steersman_far"

PROFILE = """<?xml version="1.0" encoding="UTF-8" ?>
<profiles xmlns="http://www.eprosima.com/XMLSchemas/fastRTPS_Profiles">
    <transport_descriptors>
        <transport_descriptor>
            <transport_id>link</transport_id>
            <type>UDPv4</type>
            <interfaceWhiteList><address>127.0.0.1</address><address>{address}</address></interfaceWhiteList>
        </transport_descriptor>
    </transport_descriptors>
    <participant profile_name="two_hosts" is_default_profile="true">
        <rtps>
            <userTransports><transport_id>link</transport_id></userTransports>
            <useBuiltinTransports>false</useBuiltinTransports>{more}
        </rtps>
    </participant>
</profiles>
"""


def namespace():
    """The words that run a program in a network namespace of its own; None where that is not possible."""
    if not shutil.which("ip") or not shutil.which("unshare"):
        return None
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    words = ["unshare", *as_user, "--net"]
    probe = [*words, "ip", "link", "add", "steersman_probe", "type", "veth", "peer", "name", "steersman_eborp"]
    return words if subprocess.run(probe, capture_output=True, check=False).returncode == 0 else None


def play(script, folder, scenario, timeout):
    """Runs the vehicle's host of `script` with `scenario`; skips the test where there is no network namespace."""
    words = namespace()
    if words is None:
        assert os.environ.get("CI") != "true", "no network namespace is to be had, and in CI this has to be tested"
        pytest.skip("no network namespace is available here: it needs root or user namespaces, and iproute2")
    words = [*words, sys.executable, str(script), "vehicle", str(folder), scenario]
    done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0 and done.stdout.endswith(f"{scenario}: ok\n"), f"{done.stdout}\n{done.stderr}"


def profile(folder, address, more=""):
    """Makes Fast DDS of this process, and of those it starts, use the loopback device and this address; `more` are elements of XML."""
    path = pathlib.Path(folder) / f"{address}.xml"
    path.write_text(PROFILE.format(address=address, more=more))
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


class Operator:
    """The operator's host, seen from the vehicle's: orders to it, each carried out when the call returns."""

    def __init__(self, folder, script=__file__):
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


def operate(folder):
    """The operator's host: repeats the ordered state, 50 commands a second, and its switches 20 times a second; a stick is that of a
    joystick node."""
    print("here", flush=True)
    sys.stdin.readline()
    address(FAR, OPERATOR)
    wait_until_up(FAR)
    profile(folder, OPERATOR)
    from conftest import EDGE, Graph, Process
    from geometry_msgs.msg import TwistStamped
    from or_joystick.msg import State
    from std_msgs.msg import Bool

    graph = Graph()
    command, publishers, topic = TwistStamped(), {}, "/cmd_vel"

    def publisher(kind, topic):
        if topic not in publishers:
            publishers[topic] = graph.node.create_publisher(kind, topic, EDGE)
        return publishers[topic]

    def send():
        command.header.stamp = graph.node.get_clock().now().to_msg()
        publisher(TwistStamped, topic).publish(command)

    timers, hand, joystick = {}, State(), None
    print("done", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        topic = order.get("topic", topic)
        if "linear" in order:
            command.twist.linear.x = order["linear"]
            if "linear" not in timers:
                timers["linear"] = graph.node.create_timer(0.02, send)
        if "stick" in order:
            forward, button = order["stick"]
            hand.axes, hand.buttons = [0, int(-32767 * forward)], [False] * 5 + [button]
            if joystick is None:
                joystick = Process("joystick", "--ros-args", "--params-file", str(HERE / "stack.yaml"))
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
            ip("link", "set", FAR, "up" if order["link"] else "down")
        print("done", flush=True)
    if joystick:
        joystick.stop()
    graph.close()


def cut(vehicle, operator, seconds, within):
    """Cuts the link for `seconds`; the motors have to be at stop `within` the time, and to stay there."""
    start = time.time()
    operator.order(link=False)
    # Messages that arrived while the order was carried out count from their receipt.
    took = vehicle.stopped_within(within + (time.time() - start), start, "the link was cut")
    vehicle.stays_stopped(seconds - took, "the link is cut")
    operator.order(link=True)


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
    operator.order(linear=0.0, estop=False)
    vehicle.wait(lambda: vehicle.source("hind/estop").says == "released", "the e-stop is not received", 20.0)
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
    operator.order(link=False)
    lost = time.time()
    operator.order(enable=False)
    time.sleep(2.0)
    assert set(vehicle.values(lost)) == {24}, "a switch without a lease stops with its link"
    operator.order(link=True)
    vehicle.wait_for_motors(90, 90, "the link is back, and false with it", 20.0)
    vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
    operator.order(enable=True)
    vehicle.drives_again("enable")


def pushed(vehicle, operator, leased=False):
    """The vehicle stands while the link is cut, and a Twist behind it commands motion: when the link is back it drives, unless the lease stops it."""
    operator.order(enable=False, topic="/cmd_vel_smoothed", linear=0.0)
    vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable is not received", 20.0)
    vehicle.wait(lambda: vehicle.source("cmd_vel").says == "zero", "no command comes", 20.0)
    operator.order(enable=True)
    vehicle.wait_for("OK", timeout=20.0)
    operator.order(link=False)
    if leased:
        vehicle.wait_for("SSTOP.ROS", "LEASE_LAPSED", "NOT_ARMED")
    time.sleep(1.5)
    vehicle.stays_stopped(0.5, "the link is cut")
    operator.order(linear=1.0)
    operator.order(link=True)
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
    """The vehicle stands while the link is cut, and the stick behind it is pushed: nothing moves before it was released."""
    from conftest import act_until

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
    operator.order(link=False)
    time.sleep(1.5)
    operator.order(stick=[1.0, True])
    time.sleep(1.0)
    operator.order(link=True)
    why = "waits for a zero, with which its motion begins"
    vehicle.wait(lambda: why in str(active()), lambda: f"the stick is not received: {active()}", 20.0)
    vehicle.stays_stopped(1.5, "the link is back, and full speed with it")
    operator.order(stick=[1.0, False])
    time.sleep(0.2)  # the stick is published 20 times a second
    operator.order(stick=[1.0, True])
    vehicle.wait(drives, "it does not drive after a zero")


# The scenarios of hindbrain alone, of the chain in one process, and of the stick on the other host.
LEASE = {"enable.lease": 0.3}
SCENARIOS = {"switch": (switch, {}), "commands": (commands, {}), "estop": (estop, {}), "lease": (lease, LEASE)}
CHAINS = {"pushed": (pushed, {}), "pushed_under_a_lease": (pushed_under_a_lease, LEASE)}
BEHIND = {"stick": (stick, {"track": 4.0 / 3.0})}


def main(role, folder, scenario=None):
    if role == "operator":
        return operate(folder)
    profile(folder, VEHICLE)
    run, parameters = (SCENARIOS | CHAINS | BEHIND)[scenario]
    with Operator(folder) as operator:
        from conftest import LATCHED, Process, free_zones, stop_all
        from diagnostic_msgs.msg import DiagnosticStatus
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
                self.stages = [Process(name, "--ros-args", "--params-file", str(HERE / "stack.yaml")) for name in stages]

            def __exit__(self, *_):
                stop_all(self.stages)
                super().__exit__()

        kind = InOne if scenario in CHAINS else WithoutStick if scenario in BEHIND else Vehicle
        with kind(parameters) as vehicle:
            run(vehicle, operator)
    print(f"{scenario}: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
