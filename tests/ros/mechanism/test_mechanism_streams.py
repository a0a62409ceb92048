"""Streams of commands that run on through a halt of the motors."""

import time

import pytest
from graph import LATCHED
from mechanisms import arm
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ONE = QoSProfile(depth=1)


@pytest.mark.fault("arm-estop")
@pytest.mark.parametrize("controller", ["pan_position", "arm_trajectory"])
def test_a_reset_moves_no_joint_to_where_its_commands_went_meanwhile(controller):
    """A leader's arm is moved during the halt, and its positions go on; once it is back where the joint is, it is followed."""
    with arm() as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.subscribe(JointState, "joint_states", ONE)
        halted = lambda: graph.last("motors_halted").data  # noqa: E731
        graph.wait(lambda: graph.last("motors_halted") is not None and not halted(), "the motors are not reset")
        assert manager.load(controller) and manager.switch([controller])
        position = lambda: graph.last("joint_states").position[0]  # noqa: E731
        if controller == "pan_position":
            command, topic = Float64(), "pan_position/command"
            ask = lambda value: setattr(command, "data", value)  # noqa: E731
        else:
            point = JointTrajectoryPoint(positions=[0.0, 0.0])
            point.time_from_start.nanosec = 500_000_000
            command, topic = JointTrajectory(joint_names=["pan", "tilt"], points=[point]), "arm_trajectory/joint_trajectory"
            ask = lambda value: point.positions.__setitem__(0, value)  # noqa: E731
        ask(-0.2)
        stream = graph.repeat(topic, command, 20.0)
        graph.wait(lambda: abs(position() + 0.2) < 0.02, lambda: f"at {position()}\n{process.output}", 10.0)
        manager.halt()
        graph.wait(halted, "no halt", 1.0)
        ask(0.6)
        time.sleep(0.3)
        manager.reset()
        graph.wait(lambda: not halted(), "no reset")
        time.sleep(1.0)
        assert abs(position() + 0.2) < 0.05, f"the reset alone moves it: {position()}"
        stream.cancel()  # its link drops out
        time.sleep(0.7)
        stream.reset()
        time.sleep(0.7)
        assert abs(position() + 0.2) < 0.05, f"a dropout of its link moves it: {position()}"
        ask(position())
        time.sleep(0.3)
        ask(0.1)
        graph.wait(lambda: abs(position() - 0.1) < 0.03, lambda: f"at {position()}\n{process.output}", 10.0)
