"""Streams of commands that run on through a halt of the motors."""

import time

import pytest
from graph import LATCHED
from mechanisms import URDF, arm
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ONE = QoSProfile(depth=1)


def stream_to(controller):
    """A command for pan, its topic, and a function that changes its position."""
    if controller == "pan_position":
        command = Float64()
        return command, "pan_position/command", lambda value: setattr(command, "data", value)
    point = JointTrajectoryPoint(positions=[0.0, 0.0])
    point.time_from_start.nanosec = 500_000_000
    command = JointTrajectory(joint_names=["pan", "tilt"], points=[point])
    return command, "arm_trajectory/joint_trajectory", lambda value: point.positions.__setitem__(0, value)


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
        command, topic, ask = stream_to(controller)
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


@pytest.mark.parametrize("controller", ["pan_position", "arm_trajectory"])
def test_a_stream_begins_where_a_joint_is_that_rests_beyond_its_range(tmp_path, controller):
    soft, file = 'soft_lower_limit="-2.857" soft_upper_limit="%s"', tmp_path / "beyond.urdf"
    assert soft % "2.857" in URDF.read_text()
    file.write_text(URDF.read_text().replace(soft % "2.857", soft % "-0.15"))
    with arm(urdf=file) as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.subscribe(JointState, "joint_states", ONE)
        on = lambda: graph.last("motors_halted") is not None and not graph.last("motors_halted").data  # noqa: E731
        graph.wait(on, "the motors are not reset")
        manager.halt()
        assert manager.load(controller) and manager.switch([controller])
        position = lambda: graph.last("joint_states").position[0]  # noqa: E731
        command, topic, ask = stream_to(controller)
        ask(-1.0)
        graph.repeat(topic, command, 20.0)
        time.sleep(0.3)
        manager.reset()
        graph.wait(on, "no reset")
        time.sleep(0.5)
        assert abs(position()) < 1e-3, f"the reset alone moves it: {position()}"
        ask(position())
        time.sleep(0.3)
        ask(-0.3)
        graph.wait(lambda: abs(position() + 0.3) < 0.03, lambda: f"at {position()}\n{process.output}", 5.0)
