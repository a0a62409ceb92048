"""The demo drives its own vehicle, its own arm and its own hand only."""

import contextlib
import os
import re
import subprocess

import pytest
import rclpy
from graph import EDGE, STOP, Graph
from hands import hand
from mechanisms import Manager, arm
from sensor_msgs.msg import JointState
from std_msgs.msg import Int16, String
from vehicle import Vehicle

pytestmark = pytest.mark.few

DOMAIN = os.environ.get("ROS_DOMAIN_ID", "0")


def demo(changes=(), timeout=60.0, arguments=()):
    """The headless demo started by hand in the tests' own shell, which has the domain of the tests."""
    environment = {name: value for name, value in os.environ.items() if name != "STEERSMAN_DOMAIN"}
    environment.update(changes)
    command = ["demo", "--headless", "--seconds", "12", *arguments]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)


@contextlib.contextmanager
def started(arguments):
    """A headless demo in the domain of the tests while it runs."""
    command = ["demo", "--headless", *arguments]
    environment = {**os.environ, "STEERSMAN_DOMAIN": DOMAIN}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


@contextlib.contextmanager
def other_node():
    """A node in a participant of its own."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("other", context=context)
    try:
        yield node
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


# The second shell is configured for a robot, with a DDS profile of its own.
@pytest.mark.parametrize("shell", [{}, {"FASTRTPS_DEFAULT_PROFILES_FILE": "/nonexistent.xml", "ROS_LOCALHOST_ONLY": "1"}])
def test_a_vehicle_in_the_shells_domain_is_never_enabled_by_a_demo(shell):
    with Vehicle() as vehicle:
        # A command after a zero would move it if it were enabled.
        vehicle.set_command(0.0)
        vehicle.wait(lambda: vehicle.was_received("cmd_vel", 0.0), "the command is not received")
        vehicle.set_command(1.0)
        ended = demo(shell)
        assert {message.data for _, message in vehicle.graph.messages["/hind/state"]} == {"SSTOP.ROS"}
        assert set(vehicle.values(0.0)) == {STOP}
        assert len(vehicle.values(0.0)) > 12 * 50, "it was not watched"
        assert ended.returncode == 0 and "demo: ok" in ended.stdout, ended.stdout
        domain = re.search(r"in ROS domain (\d+) .*: export ROS_DOMAIN_ID=(\d+) FASTRTPS_DEFAULT_PROFILES_FILE='", ended.stdout)
        assert domain and domain[1] == domain[2] != DOMAIN, ended.stdout


def test_in_a_chosen_domain_the_demo_refuses_to_begin_beside_a_vehicle():
    with Vehicle() as vehicle:
        ended = demo({"STEERSMAN_DOMAIN": DOMAIN}, 10.0)
        assert ended.returncode == 1
        assert re.search(
            r"^demo: the node '/hindbrain' already publishes '/\S+', which the demo would drive with: "
            r"choose another ROS domain by STEERSMAN_DOMAIN$",
            ended.stdout,
            re.MULTILINE,
        ), ended.stdout
        assert "the nodes are starting" not in ended.stdout
        assert {message.data for _, message in vehicle.graph.messages["/hind/state"]} == {"SSTOP.ROS"}


def test_motors_that_only_subscribe_are_driven_by_no_demo():
    with other_node() as node:
        node.create_subscription(Int16, "/motor/port", lambda _: None, EDGE)
        ended = demo({"STEERSMAN_DOMAIN": DOMAIN}, 10.0)
        assert ended.returncode == 1
        assert "the node '/other' already subscribes to '/motor/port'" in ended.stdout, ended.stdout


def test_an_observer_does_not_keep_the_demo_from_beginning():
    with other_node() as node:
        node.create_subscription(String, "/hind/state", lambda _: None, EDGE)
        ended = demo({"STEERSMAN_DOMAIN": DOMAIN})
        assert ended.returncode == 0 and f"in ROS domain {DOMAIN} " in ended.stdout, ended.stdout


def assert_played(ended, outcomes):
    """The demo ended well, and each act at its line of the table with its outcome."""
    assert ended.returncode == 0 and ended.stdout.endswith("demo: ok\n"), ended.stdout
    for act, outcome in outcomes:
        assert re.search(f"^ *\\d+ {act}\n   {outcome}$", ended.stdout, re.MULTILINE), f"{act}: {outcome} is missing:\n{ended.stdout}"


def test_the_arms_demo_plays_its_script_and_leaves_the_shells_controllers_alone():
    with arm() as (graph, manager, _):
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        graph.subscribe(JointState, "joint_states", EDGE)
        ended = demo(arguments=["--arm"])
        assert_played(
            ended,
            [
                ("load 5 controllers", "accepted; .*"),
                ("command pan 0.80 rad and tilt 0.50 rad", "pan position 0.(79|8\\d) rad, command 0.80; tilt position 0.(49|5\\d) rad, .*"),
                ("wrong switch: .*", "start pan_acceleration, stop pan_position and tilt_position was refused: .*"),
                ("send a trajectory of .* s", "pan position -0.(39|40|41) rad, .*; tilt position 0.(49|50|51) rad, .*"),
                ("command 0.60 rad/s to pan_velocity, .*", "pan velocity -?0.(5[1-9]|6\\d) rad/s, .*"),
                ("pull the cable of pan_velocity's commander", "pan velocity -?0.0\\d rad/s; .*, cable PULLED"),
                ("command 0.40 Nm to pan_effort, .*", "pan effort -?0.40 Nm, .*"),
                ("pull the cable of pan_effort's commander", "pan effort 0.00 Nm; .*"),
                ("halt the motors", "accepted; .*; motors HALTED, .*"),
                ("reset the motors", "accepted; .*; motors on, .*"),
                ("stop and unload all controllers", "accepted; .*"),
            ],
        )
        assert "\nmechanism: ended with exit code 0\n" in ended.stdout, ended.stdout
        assert re.search(r"\d+ steps of the loop, .*\nno later than 10 us .*, 1000 us [\d.]+ %\n", ended.stdout), ended.stdout
        assert manager.list() == [("pan_position", "running")]
        graph.wait(lambda: graph.last("joint_states") is not None, "no joint states")
        assert list(graph.last("joint_states").position) == [0.0, 0.0]


def test_in_a_chosen_domain_the_arms_demo_refuses_to_begin_beside_a_mechanism():
    with arm() as (_, manager, _):
        assert manager.load("pan_position")
        ended = demo({"STEERSMAN_DOMAIN": DOMAIN}, 10.0, ["--arm"])
        assert ended.returncode == 1
        assert "demo: the node '/mechanism' already publishes '/joint_states', which the demo would drive with" in ended.stdout, ended.stdout
        assert manager.list() == [("pan_position", "stopped")]


def test_the_hands_demo_plays_its_script_and_leaves_the_shells_hand_alone():
    with hand() as shells:
        ended = demo(arguments=["--hand"])
        none = " +0 contacts +0.0 N"
        assert_played(
            ended,
            [
                ("watch the hand at rest", f"HOLDING +ball there{none}"),
                ("grasp Cylindrical, closed to 0.5", "accepted; GRASPING +ball there +([5-9]|1\\d) contacts +\\d\\d.\\d N"),
                ("go on with the grasp", "GRASPING +ball there +([5-9]|1\\d) contacts +\\d\\d.\\d N"),
                ("command positions of all motors, .*", r"update was refused: ref_pos\[2\] is NaN, must be a finite number \[rad\]; GRASPING .*"),
                ("pull the commander's cable", "HOLDING .*"),
                ("plug the commander's cable in again", "FOLLOWING .*"),
                ("open the grasp Cylindrical", f"accepted; GRASPING +ball there{none}"),
                ("take the ball away", f"accepted; GRASPING +ball away{none}"),
                ("grasp Cylindrical, closed to 0.5", f"accepted; GRASPING +ball away{none}"),
                ("reset the hand", f"accepted; HOLDING +ball away{none}"),
                ("put the ball before the hand", f"accepted; HOLDING +ball there{none}"),
            ],
        )
        assert "\nhaptix: ended with exit code 0\n" in ended.stdout, ended.stdout
        # The strongest force that each of them felt.
        for holder in ["thumb_distal", "index_medial", "middle_medial", "ring_medial", "pinky_distal"]:
            strongest = re.search(rf"{holder} +[\d.]+ +([\d.]+)", ended.stdout)
            assert strongest and float(strongest[1]) >= 0.3, f"{holder}:\n{ended.stdout}"
        assert {message.data.split(":")[0] for _, message in shells.graph.messages["/haptix/state"]} <= {"STARTING", "HOLDING"}
        assert list(shells.read().motor_pos) == [0.0] * 32


def test_in_a_chosen_domain_the_hands_demo_refuses_to_begin_beside_a_hand():
    with hand() as shells:
        ended = demo({"STEERSMAN_DOMAIN": DOMAIN}, 10.0, ["--hand"])
        assert ended.returncode == 1
        assert re.search(r"^demo: the node '/haptix' already publishes '/haptix/\S+', which the demo would drive with", ended.stdout, re.MULTILINE), ended.stdout
        assert list(shells.read().motor_pos) == [0.0] * 32


def test_the_arms_demo_fails_when_a_call_is_refused():
    """A controller that another client unloads cannot be stopped by the demo's next switch."""
    graph = Graph()
    with contextlib.closing(graph), started(["--arm", "--seconds", "40"]) as process:
        for line in process.stdout:
            if "command pan 0.80 rad" in line:
                break
        manager = Manager(graph)
        assert manager.switch([], ["pan_position"]) and manager.unload("pan_position")
        rest = process.stdout.read()
        assert process.wait(10.0) == 1
    failure = "demo: switch: stop pan_position and tilt_position, start arm_trajectory: .* was refused: its log has the reason"
    assert re.search(f"^{failure}$", rest, re.MULTILINE) and "demo: ok" not in rest, rest


def test_a_domain_that_is_none_is_refused():
    ended = demo({"STEERSMAN_DOMAIN": "233"}, 10.0)
    assert ended.returncode == 1
    assert ended.stdout == "demo: STEERSMAN_DOMAIN is '233', must be a whole number from 0 to 232\n"
