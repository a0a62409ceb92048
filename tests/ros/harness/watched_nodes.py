"""The nodes that `stalls.py` has in no vehicle, each alone with a far computer that watches it: how it moves, what stops it, and what shows
that. Each yields its process, a function that makes it move, one that stops it, and the time at which it stopped, after one."""

import contextlib
import math
import subprocess
import time


def first(graph, topic, holds):
    """When the first message of `topic` came for which `holds`, after a time."""
    return lambda start: next((at for at, message in graph.messages[topic] if at >= start and holds(message)), None)


def neighbour(moving, stopped):
    """An arm or a hand that obeys a vehicle's emergency stop."""
    from std_msgs.msg import String

    state = String(data="OK")
    moving.graph.repeat("/hind/state", state, 10.0)

    def set_state(text):
        state.data = text
        moving.graph.publish("/hind/state", state)

    def ready():
        set_state("OK")
        moving.moves_after_its_reset(10.0)

    return moving.process, ready, lambda: set_state("ESTOP"), stopped


@contextlib.contextmanager
def haptix():
    from hands import MovingHand, hand

    with hand(halt_on="hind/state") as started:
        moving = MovingHand(started)

        def stands(start):
            """The last motion, once the hand is halted and stood for longer than where it turns back."""
            states = [(at, moving.joint(message)[1]) for at, message in moving.graph.messages["joint_states"] if at >= start]
            moved = max((at for at, speed in states if abs(speed) > 0.01), default=start)
            return moved if moving.is_halted and states and states[-1][0] - moved > 0.2 else None

        yield neighbour(moving, stands)


@contextlib.contextmanager
def mechanism():
    from mechanisms import MovingArm, arm
    from robots import COMMANDS, TOPICS, Robot
    from sensor_msgs.msg import JointState

    robot = Robot()
    try:
        with arm(*TOPICS, "-p", "halt_on:=hind/state") as parts:
            parts[0].subscribe(JointState, COMMANDS)
            yield neighbour(MovingArm(*parts), first(parts[0], COMMANDS, lambda message: not any(message.effort)))
    finally:
        robot.close()


@contextlib.contextmanager
def surround():
    from surrounds import Surround, scan

    with Surround() as node:
        node.graph.node.create_timer(0.01, node._repeat)  # a factor goes out with each scan, and many fill a buffer

        def ready():
            node.see(scan(beams=90))
            node.wait_for_all(1.0, "free")

        is_blind = lambda message: math.isnan(message.front_fb)  # noqa: E731
        yield node.process, ready, node.repeated.clear, first(node.graph, "/luci/scaling", is_blind)


@contextlib.contextmanager
def button(topic, output, name, *arguments):
    """A node that publishes on `output` whether the button of `topic` is pressed."""
    from graph import Graph
    from processes import Process
    from std_msgs.msg import Bool

    graph, message = Graph(), Bool()
    process = Process(name, *arguments)
    try:
        graph.subscribe(Bool, output)
        graph.repeat(topic, message, 20.0)

        def press(on):
            message.data = on
            graph.publish(topic, message)

        def ready():
            press(False)
            graph.wait(lambda: graph.last(output) and not graph.last(output).data, lambda: f"not released:\n{process.output}", 10.0)

        yield process, ready, lambda: press(True), first(graph, output, lambda message: message.data)
    finally:
        process.stop()
        graph.close()


# As many as fill a buffer within seconds.
OUTPUTS = [f"/output_{number}" for number in range(20)]


def switch_relay():
    switches = [f"switches.s{number}.{key}" for number, output in enumerate(OUTPUTS) for key in ("from:=/button", f"to:={output}")]
    return button("/button", OUTPUTS[0], "switch_relay", "--ros-args", *(word for switch in switches for word in ("-p", switch)))


def simulator():
    return button("/simulator/estop_button", "/hind/estop", "simulator")


@contextlib.contextmanager
def luci_chair():
    from chairs import SHARED, Chair

    with Chair() as chair:
        chair.enter("shared", SHARED)

        def ready():
            chair.set_remote(100)
            chair.wait(lambda: chair.motors == (60, 60), "the remote does not drive")

        def release():
            chair.remote.forward_back = 0
            chair.publisher.publish(chair.remote)

        yield chair.process, ready, release, first(chair.graph, "/motor/port", lambda message: message.data > 60)


JOINTS, BOOL = {"/joint_states": "sensor_msgs/JointState"}, "std_msgs/Bool"
EFFORTS = {"/hardware/joint_commands": "sensor_msgs/JointState"}
SCALING = {"/luci/scaling": "luci_messages/LuciZoneScaling"}
WORLD = {"/hind/estop": BOOL, "/hind/ir": "sensor_msgs/Range", "/odom": "nav_msgs/Odometry", "/scan": "sensor_msgs/LaserScan"}
CHAIR = {"/luci/encoders": "luci_messages/LuciEncoders", "/motor/port": "std_msgs/Int16"}
# What the far computer watches, what stops the node, and the bound [s].
NODES = {
    "haptix": (haptix, JOINTS, "the vehicle's e-stop", 0.5),
    "mechanism": (mechanism, JOINTS | EFFORTS, "the vehicle's e-stop", 0.05),
    "surround": (surround, SCALING, "a silent sensor", 0.5),
    "switch_relay": (switch_relay, {output: BOOL for output in OUTPUTS}, "the e-stop", 0.02),
    "simulator": (simulator, SCALING | WORLD, "the e-stop", 0.02),
    "luci_chair": (luci_chair, CHAIR, "a released stick, with which it brakes", 0.02),
}


def is_full(process):
    """Whether a socket of this process has sent as much as its buffer holds, by the kernel's report."""
    lines = subprocess.run(["ss", "-uanpmHO"], capture_output=True, text=True, check=True).stdout.splitlines()
    own = [line.partition("skmem:(")[2].split(",") for line in lines if f"pid={process.process.pid}," in line]
    return any(int(sent.removeprefix("t")) >= int(most.removeprefix("tb")) for _, _, sent, most, *_ in own)


def alone(watcher, name):
    """One of `NODES` is stopped as quickly over a link that stands still as over a good one."""
    from graph import Graph
    from hosts import attempt
    from stalls import compare

    Graph.record = Graph.subscribe
    node, topics, what, bound = NODES[name]
    with node() as (process, ready, act, stopped):

        def stop():
            start, end = time.monotonic(), time.monotonic() + 10.0
            act()
            while stopped(start) is None:
                assert time.monotonic() < end, f"{what} does not stop it:\n{process.output}"
                time.sleep(0.005)
            return stopped(start) - start

        compare(watcher, topics, lambda: attempt(ready), {what: (bound, stop)}, ["still"], lambda: is_full(process))
