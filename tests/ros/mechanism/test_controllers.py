"""The controllers of vehicles, grippers, states and calibration over the wire."""

import math
import time

import pytest
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, Graph
from mechanisms import arm
from nav_msgs.msg import Odometry
from paths import ROOT
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Empty, Float64, String
from tf2_msgs.msg import TFMessage

ONE = QoSProfile(depth=1)
BASE = {"file": ROOT / "config/base.yaml", "urdf": ROOT / "config/urdf/base.urdf"}


def velocity(forward, turn):
    message = TwistStamped()
    message.twist.linear.x, message.twist.angular.z = forward, turn
    return message


def test_a_vehicle_drives_the_arc_that_is_commanded_and_stops_when_it_falls_silent():
    with arm(**BASE) as (graph, manager, _):
        graph.subscribe(Odometry, "base/odom", QoSProfile(depth=100))
        graph.subscribe(TFMessage, "/tf", QoSProfile(depth=100))
        assert manager.load("base") and manager.switch(["base"])
        graph.wait(lambda: graph.last("base/odom"), "no odometry")
        forward = lambda: graph.last("base/odom").twist.twist.linear.x  # noqa: E731
        # Motion begins with a zero.
        command = velocity(0.5, 0.5)
        timer = graph.repeat("base/cmd_vel", command, 20.0)
        graph.wait(lambda: len(graph.since("base/odom", 0.0)) > 60, "no odometry")
        assert abs(forward()) < 1e-6
        command.twist.linear.x = command.twist.angular.z = 0.0
        time.sleep(0.2)
        command.twist.linear.x = command.twist.angular.z = 0.5
        graph.wait(lambda: abs(forward() - 0.5) < 0.01, "it does not reach its speed")
        graph.stop_repeating(timer)
        graph.wait(lambda: abs(forward()) < 0.01, "it drives on", 3.0)
        # On a circle of radius 1 m around (0, 1): both wheels take up their speeds alike.
        odometry = graph.last("base/odom")
        x, y = odometry.pose.pose.position.x, odometry.pose.pose.position.y
        heading = 2.0 * math.atan2(odometry.pose.pose.orientation.z, odometry.pose.pose.orientation.w)
        assert heading > 0.3 and abs(math.hypot(x, y - 1.0) - 1.0) < 0.01, (x, y, heading)
        assert abs(math.atan2(x, 1.0 - y) - heading) < 0.01
        assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
        transform = graph.last("/tf").transforms[0]
        assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")
        assert abs(transform.transform.translation.y - y) < 0.01


@pytest.mark.fault("arm-two-commanders")
@pytest.mark.parametrize("controller", ["pan_velocity", "pan_position"])
def test_two_publishers_of_a_command_stop_the_joint_and_the_one_that_stays_moves_nothing_before_rest(controller):
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", ONE)
        assert manager.load(controller) and manager.switch([controller])
        motion, is_position = (1.4 if "position" in controller else 0.4), "position" in controller
        command = Float64(data=motion)
        graph.repeat(f"{controller}/command", command, 50.0)
        speed = lambda: abs(graph.last("joint_states").velocity[0])  # noqa: E731
        graph.wait(lambda: graph.last("joint_states") and speed() > 0.2, lambda: process.output)
        other = Graph()
        try:
            other.repeat(f"{controller}/command", Float64(data=-0.4), 50.0)
            sentence = f"controller '{controller}' is commanded by several nodes on '{controller}/command', /observer and /observer: it stands"
            graph.wait(lambda: sentence in process.output, lambda: process.output)
            graph.wait(lambda: speed() < 0.01, lambda: f"{speed()}\n{process.output}", 2.0)
            stands(graph, 1.0, "it follows one of them")
        finally:
            other.close()
        stands(graph, 1.5, "it follows the one that stays")
        assert "move nothing after a halt of the motors or several publishers" in process.output, process.output
        command.data = graph.last("joint_states").position[0] if is_position else 0.0
        stands(graph, 0.3, "it asks for rest")
        command.data = 0.0 if is_position else motion
        graph.wait(lambda: speed() > 0.2, lambda: f"{speed()}\n{process.output}")


def stands(graph, seconds, failure):
    speed, end = (lambda: abs(graph.last("joint_states").velocity[0])), time.monotonic() + seconds
    graph.wait(lambda: time.monotonic() > end or speed() > 0.05, "never")
    assert speed() < 0.05, failure


def test_a_joint_is_calibrated_before_it_takes_positions():
    calibration = [
        *("-p", "simulation.is_calibrated:=false", "-p", "calibrate.type:=steersman/JointCalibrationController"),
        *("-p", "calibrate.joint:=tilt", "-p", "calibrate.velocity:=0.5", "-p", "calibrate.pid.p:=5.0"),
    ]
    with arm(*calibration) as (graph, manager, process):
        graph.subscribe(Empty, "calibrate/calibrated", ONE)
        assert manager.load("tilt_position") and manager.load("calibrate")
        assert not manager.switch(["tilt_position"])
        assert "controller 'tilt_position' does not start: its joint is not calibrated" in process.output, process.output
        assert manager.switch(["calibrate"])
        graph.wait(lambda: graph.last("calibrate/calibrated"), "it is not calibrated", 20.0)
        assert manager.switch(["tilt_position"], ["calibrate"])


def test_a_gripper_says_when_it_has_arrived():
    gripper = ["grip.type:=steersman/GripperController", "grip.joint:=tilt", "grip.pid.p:=20.0", "grip.pid.d:=3.0"]
    arguments = [word for one in gripper for word in ("-p", one)]
    with arm(*arguments) as (graph, manager, _):
        graph.subscribe(String, "grip/state", LATCHED)
        words = lambda: [message.data for message in graph.since("grip/state", 0.0)]  # noqa: E731
        assert manager.load("grip") and manager.switch(["grip"])
        graph.wait(lambda: words() == ["holding"], lambda: f"{words()}")
        graph.publish("grip/command", Float64(data=0.4), ONE)
        graph.wait(lambda: words() == ["holding", "moving", "reached"], lambda: f"{words()}")


def test_states_of_chosen_joints_come_at_their_rate():
    states = ["states.type:=steersman/JointStateController", "states.joints:=[tilt]", "states.publish_rate:=20.0"]
    arguments = [word for one in states for word in ("-p", one)]
    with arm(*arguments) as (graph, manager, _):
        graph.subscribe(JointState, "states/joint_states", QoSProfile(depth=100))
        assert manager.load("states") and manager.switch(["states"])
        graph.wait(lambda: len(graph.since("states/joint_states", 0.0)) >= 41, "no states")
        messages = graph.since("states/joint_states", 0.0)
        assert all(list(message.name) == ["tilt"] and len(message.position) == 1 for message in messages)
        stamps = [message.header.stamp.sec + message.header.stamp.nanosec * 1e-9 for message in messages]
        assert abs((stamps[40] - stamps[0]) - 2.0) < 0.1


def test_parameters_that_do_not_fit_are_refused_by_name():
    odd = [
        ("DiffDriveController", "left_wheel_names:=[pan]", "parameter 'right_wheel_names' is [], must be one joint or more"),
        ("JointCalibrationController", "joint:=pan", "parameter 'velocity' is 0 rad/s or m/s, must be another number"),
        ("GripperController", "joint:=thumb", "parameter 'joint' is 'thumb', must be a joint with a transmission: pan, tilt"),
        ("JointStateController", "joints:=[pan,pan]", "parameter 'joints' names 'pan' twice"),
    ]
    arguments = []
    for number, (kind, parameter, _) in enumerate(odd):
        arguments += ["-p", f"odd{number}.type:=steersman/{kind}", "-p", f"odd{number}.{parameter}"]
    with arm(*arguments) as (_, manager, process):
        for number, (_, _, sentence) in enumerate(odd):
            assert not manager.load(f"odd{number}")
            assert sentence in process.output, process.output
        assert manager.list() == []
