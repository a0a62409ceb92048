"""A base with a driver of its own: hindbrain's output is a velocity."""

import json
import time

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from hindbrain_msgs.msg import StateDetail
from processes import Process
from vehicle import CMD_TIMEOUT, QUICK_BRAKE, Vehicle, known_participant, now, second_publisher

BASE = "/hind/cmd_vel"
OUTPUT = {"output": "twist_stamped"}


def velocities(vehicle, since=0.0):
    return [(m.twist.linear.x, m.twist.angular.z) for m in vehicle.graph.since(BASE, since)]


def test_a_base_gets_exactly_the_velocity_that_is_commanded():
    # A Create 3, which is 0.235 m wide, at 0.306 m/s at most.
    with Vehicle({**OUTPUT, "wheel_speed": 0.306, "track": 0.235, "accel": 6600.0, "decel": 6600.0}) as vehicle:
        vehicle.start()
        for linear, angular in [(0.2, 0.0), (0.05, 0.1), (-0.013, 0.3), (0.0, -1.1), (0.25, 0.06)]:
            vehicle.set_command(linear, angular)
            is_there = lambda: velocities(vehicle)[-1] == pytest.approx((linear, angular), abs=3e-6)  # noqa: B023, E731
            vehicle.wait(is_there, lambda: f"{velocities(vehicle)[-1]} must become {linear, angular}")  # noqa: B023
        # Beyond full speed the curve stays: 0.6 + 0.235 is divided by 0.306.
        vehicle.set_command(0.6, 2.0)
        most = pytest.approx((0.6 * 0.306 / 0.835, 2.0 * 0.306 / 0.835), abs=3e-6)
        vehicle.wait(lambda: velocities(vehicle)[-1] == most, lambda: f"{velocities(vehicle)[-1]} must become {most}")


def test_a_base_gets_no_motor_values_and_a_velocity_50_times_a_second_with_the_present_time():
    with Vehicle(OUTPUT) as vehicle:
        assert vehicle.graph.node.count_publishers("/motor/port") == 0
        vehicle.half_ahead()
        vehicle.fall_silent()  # the command is held until its time-out
        start = now()
        vehicle.stopped_within(CMD_TIMEOUT + QUICK_BRAKE, start, "silence")
        time.sleep(0.5)
        received = [(at, m) for at, m in vehicle.graph.messages[BASE] if at >= start]
        stamps = [m.header.stamp.sec + m.header.stamp.nanosec / 1e9 for _, m in received]
        # diff_drive_controller (Jazzy) passes over what is older than its `cmd_vel_timeout`, also a zero.
        assert all(abs(at - stamp) < 0.25 for (at, _), stamp in zip(received, stamps, strict=True)), stamps
        assert all(m.header.frame_id == "base_link" for _, m in received)
        gaps = sorted(after - before for (before, _), (after, _) in zip(received, received[1:]))
        assert gaps[len(gaps) // 2] < 0.025, gaps


def test_a_base_without_stamps_gets_a_twist():
    with Vehicle() as vehicle:
        vehicle.process.stop()
        vehicle.graph.record(Twist, BASE)
        parameters = {"output": "twist", "track": 2.0, **Vehicle.QUICK}
        arguments = [text for name, value in parameters.items() for text in ("-p", f"{name}:={json.dumps(value)}")]
        vehicle.process = Process("hindbrain", "--ros-args", *arguments)
        vehicle.graph.forget()
        ahead = lambda: [m for m in vehicle.graph.since(BASE, 0.0) if m.linear.x == pytest.approx(0.5, abs=1e-6)]  # noqa: E731
        vehicle.wait(lambda: vehicle.detail, "it does not start")
        vehicle.start()
        vehicle.set_command(0.5)
        vehicle.wait(ahead, "it does not drive")


@pytest.mark.parametrize("end", ["terminate", "disable", "estop", "second"])
def test_every_stop_is_a_zero_at_once(end):
    with Vehicle(OUTPUT) as vehicle, known_participant() as context:
        vehicle.fit_estop()
        vehicle.half_ahead()
        start = now()
        if end == "terminate":
            vehicle.process.stop()
            vehicle.stopped_within(0.0, start, end)
            assert velocities(vehicle)[-1] == (0.0, 0.0), "its last message"
            return
        if end == "second":
            with second_publisher(TwistStamped, BASE, context=context) as publisher:
                publisher.publish(TwistStamped())
                vehicle.wait(lambda: "MOTOR_CONFLICT" in vehicle.causes, "it does not notice a second publisher", 10.0)
                vehicle.wait(lambda: f"'{BASE}' is published by" in vehicle.process.output, "its error does not name the topic")
                vehicle.wait(lambda: velocities(vehicle) and not any(velocities(vehicle)[-1]), "it drives on", 2.0)
                vehicle.stays_stopped(0.3, end)
            return
        {"disable": lambda: vehicle.enable(False), "estop": lambda: vehicle.estop(True)}[end]()
        vehicle.stopped_within(0.0, start, end)
        vehicle.stays_stopped(0.3, end)


@pytest.mark.parametrize("parameters", [{"profile": "seed"}, {"driver.kind": "pololu", "driver.device": "/dev/null"}])
def test_a_velocity_for_motors_is_refused(parameters):
    arguments = [text for name, value in {**parameters, **OUTPUT}.items() for text in ("-p", f"{name}:={json.dumps(value)}")]
    process = Process("hindbrain", "--ros-args", *arguments)
    assert process.wait() == 1
    assert "parameter 'output' is \"twist_stamped\", must be motors" in process.output, process.output
