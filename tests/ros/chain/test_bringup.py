"""The launch files' processes over DDS: within a robot's bringup, and each with each of the common arguments."""

import contextlib
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from graph import STOP, Graph
from launch_files import FOLDER, Launch
from mechanisms import Manager
from nav_msgs.msg import Odometry
from or_joystick.msg import State
from paths import ROOT
from pr2_mechanism_msgs.srv import ListControllers
from processes import Process, stop_all
from rcl_interfaces.srv import GetParameters
from simulated_clock import SimulatedClock
from std_msgs.msg import Int16

CHAIN = {"joystick", "velocity_arbiter", "zone_scaler", "hindbrain"}
URDF = str(ROOT / "config/urdf/arm.urdf")
# Of other packages, which are not installed here, and the spawner, which ends by itself.
ELSEWHERE = ("rviz2", "robot_state_publisher", "steersman-controller")
ROBOT = """
/**: {ros__parameters: {robot_base_frame: base_link, use_sim_time: false}}
twist_mux: {ros__parameters: {topics: {joy: {topic: joy_vel}}}}
velocity_smoother: {ros__parameters: {smoothing_frequency: 20.0, scale_velocities: false, feedback: OPEN_LOOP, max_velocity: [0.5, 0.0, 1.0], min_velocity: [-0.5, 0.0, -1.0],
  max_accel: [2.5, 0.0, 3.2], max_decel: [-2.5, 0.0, -3.2], odom_topic: odom, odom_duration: 0.1, deadband_velocity: [0.0, 0.0, 0.0], velocity_timeout: 1.0}}
controller_server: {ros__parameters: {controller_frequency: 20.0}}
zone_scaler: {ros__parameters: {mode: passthrough, max_linear: 0.6, max_angular: 1.2}}
hindbrain: {ros__parameters: {wheel_speed: 1.5, track: 0.4}}
"""
LAPTOP = "hindbrain: {ros__parameters: {track: 0.5}}\n"
BRINGUP = """<launch>
<arg name="namespace" default="robot"/><arg name="config" default="its own"/>
<group>
  <push_ros_namespace namespace="$(var namespace)"/>
  <set_parameter name="use_sim_time" value="true"/>
  <set_parameter name="robot_name" value="left"/>
  <set_remap from="motor/port" to="wheels/left"/>
  <set_remap from="cmd_vel" to="base/cmd_vel"/>
  <include file="$(find-pkg-share steersman)/launch/steersman.launch.xml">
    <arg name="params_file" value="$(dirname)/robot.yaml $(dirname)/laptop.yaml"/>
    <arg name="composed" value="$(var composed)"/>
  </include>
</group></launch>"""


@contextlib.contextmanager
def running(launch, **more):
    """The processes of `launch` with the arguments in `more` by executable, a graph, and their output."""
    graph = Graph()
    commands = [command for command in launch.commands() if command[0] not in ELSEWHERE or command[0] in more]
    processes = [Process(*command, *more.get(command[0], ())) for command in commands]
    try:
        yield graph, Manager(graph), lambda: "\n".join(f"--- {process.name}\n{process.output}" for process in processes)
    finally:
        try:
            stop_all(processes)
        finally:
            graph.close()


def nodes_in(graph, namespace):
    return {name for name, own in graph.node.get_node_names_and_namespaces() if own == namespace}


def value(services, node, name):
    (found,) = services.call(GetParameters, f"{node}/get_parameters", names=[name]).values
    return found


@pytest.mark.parametrize("composed", ["true", "false"], ids=["composed", "separate"])
def test_it_comes_up_under_the_namespace_with_remaps_and_parameters(tmp_path, composed):
    for name, text in (("robot.yaml", ROBOT), ("laptop.yaml", LAPTOP), ("bringup.launch.xml", BRINGUP)):
        (tmp_path / name).write_text(text)
    launch = Launch(tmp_path / "bringup.launch.xml", composed=composed)
    with running(launch) as (graph, services, output):
        SimulatedClock(graph)
        graph.subscribe(Int16, "/robot/wheels/left")
        graph.wait(lambda: graph.last("/robot/wheels/left") is not None, lambda: f"no motor value: {output()}", 10.0)
        assert graph.last("/robot/wheels/left").data == STOP
        graph.wait(lambda: nodes_in(graph, "/robot") == CHAIN, lambda: f"{nodes_in(graph, '/robot')}: {output()}", 10.0)
        assert value(services, "/robot/hindbrain", "wheel_speed").double_value == 1.5
        assert value(services, "/robot/hindbrain", "track").double_value == 0.5, "the later file's is in force"
        # The group's is in force, and not that of the file.
        assert all(value(services, f"/robot/{node}", "use_sim_time").bool_value for node in CHAIN)
        for topic, one in [("/robot/base/cmd_vel", 1), ("/robot/cmd_vel", 0), ("/cmd_vel", 0)]:
            assert graph.node.count_publishers(topic) == one, topic
        # Once for each of four nodes, however often launch names the file.
        assert output().count("is no parameter of this one: 'robot_base_frame', 'robot_name'") == 4, output()
        assert "twist_mux" not in output(), "another program's block is none of ours"


def nodes_of(launch):
    names = {"luci_chair": ["interface"], "steersman": sorted(CHAIN)}
    return {node for executable, *_ in launch.commands() if executable not in ELSEWHERE for node in names.get(executable, [executable])}


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".launch.xml") for path in FOLDER.glob("*.launch.xml") if "luci." not in path.name))
def test_the_common_arguments_reach_every_node(tmp_path, name):
    for file, active in (("first.yaml", "true"), ("second.yaml", "false")):
        (tmp_path / file).write_text(f"/**: {{ros__parameters: {{autostart: {active}}}}}\n")
    arguments = {"namespace": "left", "use_sim_time": "true", "log_level": "warn", "params_file": f"{tmp_path}/first.yaml {tmp_path}/second.yaml"}
    text = (FOLDER / f"{name}.launch.xml").read_text()
    more = {"rviz": "true", "sim": "true", "surround": "true", "composed": "false", "frames": "true", "urdf": URDF, "robot_description": URDF, "display": "chair"}
    launch = Launch(name, **arguments, **{key: word for key, word in more.items() if f'<arg name="{key}"' in text})
    with running(launch) as (graph, services, output):
        nodes = nodes_of(launch)
        assert nodes
        graph.wait(lambda: nodes_in(graph, "/left") == nodes, lambda: f"{nodes_in(graph, '/left')} in place of {nodes}: {output()}", 15.0)
        for node in nodes:
            assert value(services, f"/left/{node}", "use_sim_time").bool_value, node
            if node != "marker_publisher":  # which has no life cycle
                assert value(services, f"/left/{node}", "autostart").bool_value is False, node
        assert "INFO" not in output() and "DEBUG" not in output()


def test_an_arms_controllers_are_those_of_the_group(tmp_path):
    """The spawner, too, gets the group's namespace, parameters and remaps."""
    include = '<include file="$(find-pkg-share steersman)/launch/arm.launch.xml"><arg name="sim" value="true"/><arg name="controllers" value="pan_position tilt_position"/></include>'
    group = '<push_ros_namespace namespace="left"/><set_parameter name="use_sim_time" value="false"/><set_remap from="joint_states" to="arm/joint_states"/>'
    (tmp_path / "bringup.launch.xml").write_text(f"<launch><group>{group}{include}</group></launch>")
    launch = Launch(tmp_path / "bringup.launch.xml")
    with running(launch, **{"steersman-controller": ()}) as (graph, services, output):
        graph.subscribe(DiagnosticArray, "/diagnostics")
        states = lambda: services.call(ListControllers, "/left/pr2_controller_manager/list_controllers").state  # noqa: E731
        graph.wait(lambda: list(states()) == ["running", "running"], output, 15.0)
        assert graph.node.count_publishers("/left/arm/joint_states") == 1 and graph.node.count_publishers("/left/joint_states") == 0
        # Those of another arm have the same names.
        names = lambda: {status.name for _, message in graph.messages["/diagnostics"] for status in message.status}  # noqa: E731
        graph.wait(lambda: {"left/mechanism: Joint (pan)", "left/mechanism: Controller (pan_position)"} < names(), lambda: f"{names()}")


PAD = {"joystick": ("-p", "virtual_device:=Test Pad")}


def drive(graph, output, topic, condition):
    """Pushes the stick after rest, until `condition`."""
    hand = State(axes=[0] * 6, buttons=[False] * 11)
    graph.repeat("/joystick/virtual_device", hand, 20.0)
    graph.wait(lambda: graph.node.count_publishers("/joystick/device/Test_Pad"), output)
    graph.wait(lambda: graph.last(topic) is not None, output, 10.0)
    # As a hand does it: first the button, whose zero begins the motion.
    hand.buttons[5] = True
    graph.wait(lambda: "active: the stick drives" in output(), output)
    time.sleep(0.3)
    hand.axes[1] = -32767
    graph.wait(condition, lambda: f"{graph.last(topic)}\n{output()}", 15.0)
    hand.buttons[5] = False


@pytest.mark.parametrize("stamped", ["true", "false"])
def test_a_gamepad_publishes_a_velocity_and_nothing_else_is_needed(stamped):
    with running(Launch("teleop", stamped=stamped, cmd_vel="base/velocity"), **PAD) as (graph, _, output):
        graph.subscribe(TwistStamped if stamped == "true" else Twist, "/base/velocity")
        twist = lambda: graph.last("/base/velocity").twist if stamped == "true" else graph.last("/base/velocity")  # noqa: E731
        drive(graph, output, "/base/velocity", lambda: twist().linear.x == pytest.approx(0.5, abs=0.01))
        graph.wait(lambda: twist().linear.x == 0.0, output)
        assert graph.node.count_publishers("/cmd_vel") == graph.node.count_publishers("/cmd_vel_arbitrated") == 0


def test_a_gamepad_drives_the_simulated_base():
    with running(Launch("teleop", sim="true"), **PAD, **{"steersman-controller": ()}) as (graph, _, output):
        graph.subscribe(TwistStamped, "/cmd_vel")
        graph.subscribe(Odometry, "/odom")
        speed = lambda: graph.last("/odom").twist.twist.linear.x if graph.last("/odom") else 0.0  # noqa: E731
        graph.wait(lambda: "diff_drive" in output(), output, 15.0)
        drive(graph, output, "/cmd_vel", lambda: speed() > 0.4)
        graph.wait(lambda: abs(speed()) < 0.01, output)
