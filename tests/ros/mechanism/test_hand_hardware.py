"""The simulated hand as the hardware of the mechanism: controllers move its fingers by the torques of its motors."""

import contextlib
import time

import pytest
from graph import LATCHED, Graph
from mechanisms import Manager
from moving import rest
from paths import ROOT
from pr2_mechanism_msgs.msg import MechanismStatistics
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ONE = QoSProfile(depth=1)
FINGERS = ROOT / "config/fingers.yaml"


@contextlib.contextmanager
def hand(*arguments):
    graph = Graph()
    graph.subscribe(JointState, "joint_states", ONE)
    graph.subscribe(MechanismStatistics, "mechanism_statistics", ONE)
    graph.subscribe(Bool, "motors_halted", LATCHED)
    process = Process("mechanism", "--ros-args", "--params-file", str(FINGERS), *arguments)
    try:
        graph.wait(
            lambda: graph.last("motors_halted") and not graph.last("motors_halted").data, lambda: f"the motors are not reset: {process.output}", 10.0
        )
        yield graph, Manager(graph), process
    finally:
        process.stop()
        graph.close()


def joint(graph, name):
    """Position, velocity and effort."""
    state = graph.last("joint_states")
    index = list(state.name).index(name)
    return state.position[index], state.velocity[index], state.effort[index]


def is_at(graph, name, position):
    graph.wait(
        lambda: graph.last("joint_states") and abs(joint(graph, name)[0] - position) < 0.02 and abs(joint(graph, name)[1]) < 0.02,
        lambda: f"'{name}' is at {joint(graph, name)}, must be at {position}",
        10.0,
    )


def test_a_finger_bends_to_the_position_of_its_controller_and_its_joints_follow():
    with hand() as (graph, manager, process):
        assert manager.load("index_position") and manager.switch(["index_position"])
        graph.publish("index_position/command", Float64(data=0.6), ONE)
        is_at(graph, "index1", 0.6)
        # The motor is at 0.68512 rad; the others bend from 0.384 rad on.
        is_at(graph, "index2", 0.71875 * 0.30112)
        is_at(graph, "index3", 0.69792 * 0.30112)
        is_at(graph, "middle1", 0.0)
        assert len(graph.last("joint_states").name) == 22
        graph.wait(lambda: graph.last("mechanism_statistics") is not None, "no statistics", 3.0)
        names = [actuator.name for actuator in graph.last("mechanism_statistics").actuator_statistics]
        assert sorted(names) == sorted(
            "index0 index1 middle1 pinky0 pinky1 ring1 thumb0 thumb1 thumb2 thumb3 wristx wristy wristz".split()
        )


def test_a_halt_takes_the_torque_and_a_reset_brings_it_back():
    with hand() as (graph, manager, process):
        assert manager.load("thumb_effort") and manager.switch(["thumb_effort"])
        stream = graph.repeat("thumb_effort/command", Float64(data=0.004), 50.0)
        graph.wait(lambda: graph.last("joint_states") and joint(graph, "thumb0")[1] > 0.05, lambda: f"it does not move: {process.output}")
        manager.halt()
        graph.wait(lambda: graph.last("motors_halted").data and abs(joint(graph, "thumb0")[1]) < 1e-6, "no halt")
        start, before = time.monotonic(), joint(graph, "thumb0")[0]
        graph.wait(lambda: time.monotonic() > start + 0.5, "never")
        position, _, effort = joint(graph, "thumb0")
        assert effort == 0.0 and abs(position - before) < 1e-3
        manager.reset()
        rest(stream)
        graph.wait(lambda: joint(graph, "thumb0")[1] > 0.05, lambda: f"it does not move: {process.output}")


def test_fingers_follow_a_trajectory_and_a_joint_that_follows_has_no_controller():
    follower = ["-p", "second.type:=steersman/JointPositionController", "-p", "second.joint:=index2"]
    with hand(*follower) as (graph, manager, process):
        assert not manager.load("second")
        sentence = "parameter 'joint' is 'index2', must be a joint that an actuator moves: it follows 'index1'"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        assert manager.load("fingers") and manager.switch(["fingers"])
        point = JointTrajectoryPoint(positions=[0.8, 0.6, 0.4, 0.2])
        point.time_from_start.sec = 1
        names = ["index1", "middle1", "ring1", "pinky1"]
        graph.publish("fingers/joint_trajectory", JointTrajectory(joint_names=names, points=[point]), ONE)
        for name, position in zip(names, point.positions, strict=True):
            is_at(graph, name, position)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["-p", "hand.device:=mlp"],
            "parameter 'hand.device' is \"mlp\", must be one of mpl, mpl_gazebo, two_finger, or the path of a YAML file",
        ),
        (["-p", "hand.device:=/nowhere.yaml"], "parameter 'hand.device' is '/nowhere.yaml', cannot be read"),
        (
            ["-p", f"robot_description:={ROOT / 'config/urdf/arm.urdf'}"],
            "hardware is 'hand': the robot has the actuator 'pan_motor', must be a motor of the hand: wristy, wristx",
        ),
    ],
)
def test_a_hand_that_is_none_ends_the_start(arguments, sentence):
    process = Process("mechanism", "--ros-args", "--params-file", str(FINGERS), *arguments)
    try:
        assert process.wait(10.0) != 0
        assert sentence in process.output, process.output
    finally:
        process.stop()
