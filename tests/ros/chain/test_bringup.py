"""Steersman inside of a robot's bringup: a group with a namespace, remaps and one parameter file for all of the robot's nodes.

The arguments are those that launch_ros (Jazzy, `launch_ros/actions/node.py`) gives to each node of such a group: first its own
`ros_args`, then the namespace, then the group's parameters and remaps.
"""

import xml.etree.ElementTree

import pytest
from graph import STOP, Graph
from mechanisms import Manager
from paths import ROOT
from processes import Process, stop_all
from rcl_interfaces.srv import GetParameters
from std_msgs.msg import Int16

CHAIN = ("joystick", "velocity_arbiter", "zone_scaler", "hindbrain")
ROBOT = """
/**: {ros__parameters: {robot_base_frame: base_link, use_sim_time: false}}
twist_mux: {ros__parameters: {topics: {joy: {topic: joy_vel}}}}
controller_server: {ros__parameters: {controller_frequency: 20.0}}
zone_scaler: {ros__parameters: {mode: passthrough, max_linear: 0.6, max_angular: 1.2}}
hindbrain: {ros__parameters: {wheel_speed: 1.5, track: 0.4}}
"""


def launched(composed):
    """The executables that steersman.launch.xml starts in this mode: <node> elements, which alone get what the group has."""
    files = ["steersman"] if composed else CHAIN
    for name in files:
        tree = xml.etree.ElementTree.parse(ROOT / "launch" / f"{name}.launch.xml")
        assert any(node.get("exec") == name and not node.get("name") for node in tree.iter("node")), name
        yield name


@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_it_comes_up_under_the_namespace_with_remaps_and_parameters(tmp_path, composed):
    file = tmp_path / "robot.yaml"
    file.write_text(ROBOT)
    scope = ["-r", "__ns:=/robot", "-p", "use_sim_time:=false", "-r", "motor/port:=wheels/left", "-r", "cmd_vel:=base/cmd_vel"]
    own = ["--ros-args", "--params-file", str(file), "--log-level", "info", "--ros-args", *scope]
    graph = Graph()
    graph.subscribe(Int16, "/robot/wheels/left")
    processes = [Process(name, *own) for name in launched(composed)]
    output = lambda: "\n".join(process.output for process in processes)  # noqa: E731
    try:
        services = Manager(graph)
        graph.wait(lambda: graph.last("/robot/wheels/left") is not None, lambda: f"no motor value: {output()}", 10.0)
        assert graph.last("/robot/wheels/left").data == STOP
        found = lambda: {name for name, namespace in graph.node.get_node_names_and_namespaces() if namespace == "/robot"}  # noqa: E731
        graph.wait(lambda: found() == set(CHAIN), lambda: f"{found()}: {output()}", 10.0)
        answer = services.call(GetParameters, "/robot/hindbrain/get_parameters", names=["wheel_speed"])
        assert answer.values[0].double_value == 1.5
        for topic, one in [("/robot/base/cmd_vel", 1), ("/robot/cmd_vel", 0), ("/cmd_vel", 0)]:
            assert graph.node.count_publishers(topic) == one, topic
        assert output().count("'robot_base_frame' of a block for all nodes is no parameter of this node") == 4, output()
        assert "twist_mux" not in output(), "another program's block is none of ours"
    finally:
        stop_all(processes)
        graph.close()
