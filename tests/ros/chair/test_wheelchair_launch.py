"""The launch file of a simulated LUCI chair: its nodes are started with its parameters and driven by a virtual pad."""

import math
import time

import pytest
import yaml
from chairs import ONE
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, Graph
from launch_files import Launch
from luci_messages.msg import LuciJoystick
from nav_msgs.msg import Odometry
from or_joystick.msg import State
from paths import ROOT
from processes import Process
from std_msgs.msg import String

EXTRA = {"joystick": ["-p", "virtual_device:=Test Pad"]}


@pytest.fixture
def chair():
    graph = Graph()
    launch = Launch("wheelchair", sim="true", frames="false")
    processes = {name: Process(name, *arguments, *EXTRA.get(name, [])) for name, *arguments in launch.commands()}
    try:
        yield graph, processes
    finally:
        for process in reversed(processes.values()):
            process.stop()
        graph.close()


def test_the_fake_chair_has_one_calibration_and_the_occupant_comes_first():
    nodes = {name: node["ros__parameters"] for name, node in yaml.safe_load((ROOT / "config" / "luci.yaml").read_text()).items()}
    assert nodes["chair"]["profiles"] == nodes["zone_scaler"]["profiles"]
    example = yaml.safe_load((ROOT / "config" / "luci_profiles.yaml").read_text())
    assert example["chair"] == example["zone_scaler"]
    priority = {name: nodes["velocity_arbiter"][f"sources.{name}.priority"] for name in ("occupant", "joystick", "navigation")}
    assert priority["occupant"] > priority["joystick"] > priority["navigation"]


def test_a_hand_drives_a_chair_that_is_not_there(chair):
    graph, processes = chair
    output = lambda: "\n".join(f"--- {p.name}\n{p.output}" for p in processes.values())
    graph.subscribe(String, "/chair/state", LATCHED)
    graph.subscribe(Odometry, "/odom", ONE)
    graph.subscribe(Odometry, "/interface/odom", ONE)
    graph.subscribe(LuciJoystick, "/luci/remote_joystick", ONE)
    graph.wait(lambda: graph.last("/chair/state") and graph.last("/chair/state").data == "active", output, 15.0)
    for topic in ("/odom", "/tf", "/luci/scaling", "/luci/joystick_scaling", "/luci/remote_joystick", "/motor/port", "/cmd_vel"):
        assert graph.node.count_publishers(topic) == 1, f"{topic} has {graph.node.count_publishers(topic)} publishers"
    hand = State(axes=[0] * 6, buttons=[False] * 11)
    graph.repeat("/joystick/virtual_device", hand, 20.0)
    speed = lambda topic: graph.last(topic).twist.twist if graph.last(topic) else None
    place = lambda topic: graph.last(topic).pose.pose.position
    stick = lambda: graph.last("/luci/remote_joystick")
    graph.wait(lambda: graph.node.count_publishers("/joystick/device/Test_Pad"), output, 5.0)
    graph.wait(lambda: stick() and stick().forward_back == 0, output)
    hand.buttons[5] = True
    start, world = place("/odom"), place("/interface/odom")
    hand.axes[1] = -32767
    # Full stick is full throw of the first profile, 0.54 m/s; the world starts 2.5 m before a wall.
    graph.wait(lambda: speed("/odom").linear.x > 0.5, lambda: f"{speed('/odom')} {stick()}\n{output()}", 8.0)
    graph.wait(lambda: speed("/interface/odom").linear.x > 0.5, output)
    graph.wait(lambda: place("/odom").x - start.x > 0.5, output)
    # The wheels' odometry equals the world's motion, except for the time between two messages.
    went = math.hypot(place("/interface/odom").x - world.x, place("/interface/odom").y - world.y)
    assert place("/odom").x - start.x == pytest.approx(went, abs=0.1)
    # The wall of the world is what LUCI's sensors see.
    graph.wait(lambda: abs(speed("/interface/odom").linear.x) < 0.02, lambda: f"{speed('/odom')} {stick()}\n{output()}", 15.0)
    hand.axes[1], hand.axes[0] = 0, -32767
    graph.wait(lambda: speed("/odom").angular.z > 0.1, lambda: f"no way out to the left: {speed('/odom')} {stick()}\n{output()}", 5.0)
    hand.buttons[5] = False
    graph.wait(lambda: abs(speed("/interface/odom").angular.z) < 0.01 and stick().left_right == 0, output)
    processes["chair"].stop()
    graph.wait(lambda: "inactive" == graph.last("/chair/state").data, output)


def test_the_occupants_stick_drives_and_then_navigation(chair):
    """In the shared mode the occupant's stick has priority over navigation, which drives after its release."""
    graph, processes = chair
    output = lambda: "\n".join(f"--- {p.name}\n{p.output}" for p in processes.values())
    graph.subscribe(String, "/chair/state", LATCHED)
    graph.subscribe(LuciJoystick, "/luci/remote_joystick", ONE)
    graph.wait(lambda: graph.last("/chair/state") and graph.last("/chair/state").data == "active", output, 15.0)
    last = lambda: (graph.last("/luci/remote_joystick").forward_back, graph.last("/luci/remote_joystick").left_right)
    command = TwistStamped()
    node = graph.node
    publisher = node.create_publisher(TwistStamped, "/cmd_vel_smoothed", 10)

    def publish():
        command.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(command)

    node.create_timer(0.05, publish)
    # A source that sent before the arbiter's subscription has to send a zero first.
    graph.wait(lambda: "navigation drives" in processes["velocity_arbiter"].output, output)
    command.twist.linear.x = 0.108
    graph.wait(lambda: last() == (20, 0), lambda: f"navigation does not drive: {last()}\n{output()}")
    # The same holds for the occupant's stick, which is published only when it is moved.
    graph.publish("/interface/stick", LuciJoystick(left_right=-50, joystick_zone=8, input_source=4))
    graph.wait(lambda: "occupant waits for a zero" in processes["velocity_arbiter"].output or last() == (0, -50), output)
    graph.publish("/interface/stick", LuciJoystick(joystick_zone=8, input_source=4))
    time.sleep(0.5)  # the chair publishes its stick at this period
    graph.wait(lambda: last() == (20, 0), lambda: f"navigation does not go on: {last()}\n{output()}")
    graph.publish("/interface/stick", LuciJoystick(left_right=-50, joystick_zone=8, input_source=4))
    graph.wait(lambda: last() == (0, -50), lambda: f"the occupant does not drive: {last()}\n{output()}")
    graph.publish("/interface/stick", LuciJoystick(joystick_zone=8, input_source=4))
    graph.wait(lambda: last() == (20, 0), lambda: f"navigation does not go on: {last()}\n{output()}")


def test_two_chairs_in_two_namespaces_are_strangers():
    """Both simulated: each is activated and driven by its own nodes, with one publisher on each topic of LUCI's."""
    graph, processes = Graph(), []
    output = lambda: "\n".join(f"--- {p.name}\n{p.output}" for p in processes)
    try:
        for name in ("left", "right"):
            graph.subscribe(String, f"/{name}/chair/state", LATCHED)
            processes += [Process(executable, *arguments) for executable, *arguments in Launch("wheelchair", sim="true", frames="false", namespace=name).commands()]
        state = lambda name: graph.last(f"/{name}/chair/state") and graph.last(f"/{name}/chair/state").data
        for name in ("left", "right"):
            graph.wait(lambda: state(name) == "active", lambda: f"{name} is {state(name)}\n{output()}", 20.0)
            for topic in ("scaling", "joystick_position", "remote_joystick", "encoders"):
                assert graph.node.count_publishers(f"/{name}/luci/{topic}") == 1 and graph.node.count_publishers(f"/luci/{topic}") == 0, topic
    finally:
        for process in reversed(processes):
            process.stop()
        graph.close()


@pytest.mark.parametrize("arguments, prefix", [({}, "/luci"), ({"luci": "luci"}, "/left/luci")])
def test_the_names_of_a_real_chair_are_those_of_luci_or_of_its_namespace(arguments, prefix):
    graph = Graph()
    launch = Launch("wheelchair", params_file=str(ROOT / "config" / "luci.yaml"), namespace="left", **arguments)
    processes = [Process(executable, *given) for executable, *given in launch.commands() if executable in ("chair", "zone_scaler")]
    try:
        for topic, least in (("scaling", 1), ("joystick_position", 2), ("encoders", 1), ("left_camera_info", 1)):
            graph.wait(lambda: graph.node.count_subscribers(f"{prefix}/{topic}") >= least, f"nothing subscribes to {prefix}/{topic}")
        assert graph.node.count_publishers(f"{prefix}/remote_joystick") == 1
    finally:
        for process in processes:
            process.stop()
        graph.close()
