"""Stamps of any time: on measurements, on commands through the whole chain, and on zeros."""

import time

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from graph import LATCHED, STOP
from hindbrain_msgs.msg import StateDetail
from sensor_msgs.msg import Range
from stack import BRAKES
from vehicle import QUICK_BRAKE, Vehicle, now

SENSOR = "ir_front_port"


class Sensor:
    """A sensor that reports a clear way 50 times a second, measured at the time that `stamp` returns."""

    def __init__(self, vehicle):
        self.stamp = time.time
        message = Range(min_range=0.1, max_range=5.0, range=1.0)
        message.header.frame_id = SENSOR
        publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)

        def publish():
            stamp = self.stamp()
            message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
            publisher.publish(message)

        self.timer = vehicle.graph.node.create_timer(0.02, publish)


@pytest.mark.fault("ir-silent")
def test_a_measurement_of_another_time_clears_nothing():
    with Vehicle({"ir.sensors": [SENSOR]}) as vehicle:
        sensor = Sensor(vehicle)
        clear = lambda: vehicle.source(SENSOR).says == "clear"  # noqa: E731
        blocks_as = lambda what: lambda: vehicle.source(SENSOR).says == what and vehicle.source(SENSOR).blocks  # noqa: E731
        vehicle.wait(clear, "it is not received")
        vehicle.half_ahead()
        others = [
            (lambda: 1.0, "of 1970"),
            (lambda: time.time() - 0.6, "0.6 s old"),
            (lambda: time.time() + 0.2, "0.2 s ahead"),
            (lambda: time.time() + 3600, "an hour ahead"),
        ]
        for stamp, what in others:
            start = now()
            sensor.stamp = stamp
            vehicle.stopped_within(0.5, start, what)
            vehicle.wait(lambda: vehicle.source(SENSOR).blocks, f"one {what} counts: {vehicle.source(SENSOR)}")
            sensor.stamp = time.time
            vehicle.wait_for("OK", "NEUTRAL_WAIT")
            vehicle.stays_stopped(0.3, f"it measures again after one {what}, and no zero came")
            vehicle.drives_again(what)
        frozen = time.time()
        sensor.stamp = lambda: frozen
        took = vehicle.stopped_within(0.5, frozen, "the same stamp repeated")
        assert took > 0.5 - 0.05, f"stopped after {took:.3f} s"
        vehicle.wait(blocks_as("silent"), lambda: f"the same stamp repeated counts: {vehicle.source(SENSOR)}")
        sensor.stamp = lambda: 0.0
        vehicle.wait(clear, "one without a stamp is not judged by its arrival")


def command(stack, speed, ahead):
    message = TwistStamped()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns() + int(ahead * 1e9), 1_000_000_000)
    message.twist.linear.x = speed
    stack.graph.publish("/cmd_vel_smoothed", message)


def command_for(stack, speed, seconds, ahead=0.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        command(stack, speed, ahead)
        time.sleep(0.02)


@pytest.mark.fault("source-stamps")
@pytest.mark.parametrize("ahead", [-10.0, -0.6, 3600.0])
def test_commands_of_another_time_move_nothing_in_either_way_of_running(stack, ahead):
    stack.enable(True)
    command_for(stack, 0.0, 0.5)
    stack.wait_for_state("OK")
    start = time.monotonic()
    command_for(stack, 0.5, 0.7, ahead)
    for side in ("port", "starboard"):
        assert {message.data for message in stack.graph.since(f"/motor/{side}", start)} == {STOP}
    command_for(stack, 0.0, 0.2)  # a source that was lost
    command_for(stack, 0.5, 0.3)
    assert stack.motors[0] < STOP, f"a command of now does not drive: {stack.motors} {stack.output()}"
    start = time.monotonic()
    command_for(stack, 0.5, 0.5 + BRAKES, ahead)
    stack.stopped_within(0.5 + BRAKES / 2, start, "commands of another time while it drives")
    command_for(stack, 0.5, 0.3)
    stack.stays_stopped(0.1, "commands of now, and no zero")
    command_for(stack, 0.0, 0.2)
    command_for(stack, 0.5, 0.3)
    assert stack.motors[0] < STOP, f"a command after a zero of now does not drive: {stack.motors} {stack.output()}"


def test_zeros_without_a_source_begin_motion(stack):
    """While no source drives, the stages publish zeros without a source, which are neither old nor invalid."""
    stack.graph.subscribe(StateDetail, "/hind/state_detail", LATCHED)
    stack.enable(True)
    command_for(stack, 0.0, 0.2)
    command_for(stack, 0.5, 0.3)
    stack.enable(False)
    time.sleep(1.5)  # every stamped message is old by now
    causes = lambda: {cause.name for cause in stack.graph.last("/hind/state_detail").causes}  # noqa: E731
    assert not causes() & {"CMD_INVALID", "CMD_STALE"}, causes()
    stack.enable(True)
    stack.wait_for_state("OK")
    stack.graph.wait(lambda: not causes(), lambda: f"{causes()} after zeros without a source", 1.0)
    assert "is refused" not in stack.output()
    command_for(stack, 0.0, 0.2)
    command_for(stack, 0.5, 0.3)
    assert stack.motors[0] < STOP, f"it does not drive: {stack.motors}, {causes()}"


@pytest.mark.fault("zero-late")
@pytest.mark.parametrize("kind", [Twist, TwistStamped])
def test_a_stop_is_never_too_late(kind):
    """Zeros with stamps of another time stop, and do not begin motion."""
    with Vehicle(command=kind) as vehicle:
        vehicle.half_ahead()
        vehicle.fall_silent()
        if kind is TwistStamped:
            for ago in (60.0, -3600.0):
                zero = TwistStamped()
                zero.header.stamp.sec = int(time.time() - ago)
                vehicle.set_command(0.0)
                vehicle.commands.reset()
                vehicle.wait_for("OK")
                vehicle.set_command(0.5)
                vehicle.wait_for_motors(57, 57, "half ahead")
                vehicle.fall_silent()
                start = now()
                vehicle.graph.publish("/cmd_vel", zero)
                vehicle.stopped_within(QUICK_BRAKE / 2, start, f"a zero of {ago} s ago")
                vehicle.wait_for("OK", "CMD_STALE")
                vehicle.commands.reset()
                vehicle.wait_for("OK", "NEUTRAL_WAIT")
                vehicle.stays_stopped(0.3, f"by a zero of {ago} s ago")
                vehicle.drives_again("a fresh zero")
                vehicle.fall_silent()
        else:
            start = now()
            vehicle.graph.publish("/cmd_vel", Twist())
            vehicle.stopped_within(QUICK_BRAKE / 2, start, "a zero")
            vehicle.drives_again("a fresh zero")
