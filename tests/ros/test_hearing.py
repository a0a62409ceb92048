"""What hindbrain takes for heard: two e-stops, switches and measurements of any quality, stamps of any time."""

import time

import pytest
from conftest import LATCHED, STOP
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from hindbrain_msgs.msg import StateDetail
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import LaserScan, Range
from std_msgs.msg import Bool
from vehicle import Vehicle, now, rival

BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
SENSOR = "ir_front_port"
ONE_SENSOR = {"ir.sensors": [SENSOR], "ir.debounce": 0.0, "ir.clear_hold": 0.0}


def half_ahead(vehicle):
    vehicle.start()
    vehicle.say(0.5)
    vehicle.wait_for_motors(57, 57, "half ahead")


def test_a_second_node_on_the_estop_counts_as_pressed_until_it_is_gone():
    with Vehicle() as vehicle:
        vehicle.estop(False)
        vehicle.wait(lambda: vehicle.source("hind/estop").age >= 0.0, "the e-stop is not heard")
        half_ahead(vehicle)
        with rival(Bool, "/hind/estop") as second:
            vehicle.wait(lambda: vehicle.state == "ESTOP", "one of two hides the other")
            vehicle.wait_for_motors(STOP, STOP, "two e-stops")
            second.publish(Bool(data=False))
            vehicle.reset()
            vehicle.wait(lambda: {"ESTOP_PRESSED", "LATCHED"} <= vehicle.causes, "it is not said why")
            lines = lambda: [line for line in vehicle.process.lines if "2 nodes publish '/hind/estop'" in line]  # noqa: E731
            vehicle.wait(lambda: any("/rival" in line and "/observer" in line for line in lines()), "they are not named")
            assert vehicle.state == "ESTOP"
        vehicle.wait(lambda: "ESTOP_PRESSED" not in vehicle.causes, "it does not end with the second node")
        assert vehicle.state == "ESTOP", "latched"
        vehicle.restart()
        vehicle.say(0.5)
        vehicle.wait_for_motors(57, 57, "after reset and enable")


def test_a_best_effort_switch_can_switch_off_and_never_on():
    with Vehicle() as vehicle:
        vehicle.graph.listen(DiagnosticArray, "/diagnostics")
        half_ahead(vehicle)
        with rival(Bool, "/hind/enable", BEST_EFFORT) as switch:
            vehicle.wait(lambda: "'/hind/enable' is published by node 'rival' as best effort" in vehicle.process.output, "it is not told")
            off = now()
            vehicle.wait(lambda: [switch.publish(Bool(data=False))] and vehicle.state == "SSTOP.ROS", "it does not switch off")
            vehicle.wait_for_motors(STOP, STOP, "switched off")
            for _ in range(20):
                switch.publish(Bool(data=True))
                time.sleep(0.01)
            assert set(vehicle.values(off + 0.5)) <= {STOP} and vehicle.state == "SSTOP.ROS"
        half_ahead(vehicle)


class Sensor:
    """One that says 50 times a second that the way is clear, measured at the time that `stamp` gives."""

    def __init__(self, vehicle, kind):
        self.stamp = time.time
        message = Range(min_range=0.1, max_range=5.0, range=1.0)
        if kind is LaserScan:
            message = LaserScan(angle_min=-3.14, angle_max=3.14, angle_increment=0.02, range_min=0.1, range_max=9.0, ranges=[5.0] * 315)
        message.header.frame_id = SENSOR
        publisher = vehicle.graph.node.create_publisher(kind, "/hind/ir" if kind is Range else "/hind/scan", 10)

        def say():
            stamp = self.stamp()
            message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
            publisher.publish(message)

        self.timer = vehicle.graph.node.create_timer(0.02, say)


@pytest.mark.parametrize("kind, source", [(Range, "range"), (LaserScan, "scan")])
def test_a_measurement_of_another_time_clears_nothing(kind, source):
    with Vehicle({**ONE_SENSOR, "ir.source": source}) as vehicle:
        sensor = Sensor(vehicle, kind)
        clear = lambda: vehicle.source(SENSOR).says == "clear"  # noqa: E731
        says = lambda what: lambda: vehicle.source(SENSOR).says == what and vehicle.source(SENSOR).blocks  # noqa: E731
        vehicle.wait(clear, "it is not heard")
        half_ahead(vehicle)
        for stamp, what in ((lambda: 1.0, "of 1970"), (lambda: time.time() - 0.6, "0.6 s old"), (lambda: time.time() + 3600, "an hour ahead")):
            sensor.stamp = stamp
            vehicle.wait(lambda: vehicle.source(SENSOR).blocks, f"one {what} counts: {vehicle.source(SENSOR)}")
            vehicle.wait_for_motors(STOP, STOP, what)
            sensor.stamp = time.time
            vehicle.wait(clear, "it is not heard again")
        frozen = time.time()
        sensor.stamp = lambda: frozen
        vehicle.wait(says("silent"), lambda: f"the same again and again counts: {vehicle.source(SENSOR)}")
        sensor.stamp = lambda: 0.0
        vehicle.wait(clear, "one without a stamp is not judged by its arrival")


def command(stack, speed, ahead):
    message = TwistStamped()
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns() + int(ahead * 1e9), 1_000_000_000)
    message.twist.linear.x = speed
    stack.graph.publish("/cmd_vel_nav", message)


def say(stack, speed, seconds, ahead=0.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        command(stack, speed, ahead)
        time.sleep(0.02)


@pytest.mark.parametrize("ahead", [-10.0, -0.6, 3600.0])
def test_commands_of_another_time_move_nothing_in_either_way_of_running(stack, ahead):
    stack.enable(True)
    say(stack, 0.0, 0.5)
    stack.wait_for_state("OK")
    start = time.monotonic()
    say(stack, 0.5, 0.7, ahead)
    for side in ("port", "starboard"):
        assert {message.data for message in stack.graph.since(f"/motor/{side}", start)} == {STOP}
    say(stack, 0.5, 0.3)
    assert stack.motors[0] < STOP, f"a command of now does not drive: {stack.motors} {stack.output()}"


def test_the_zeros_of_nobody_are_zeros_to_begin_with(stack):
    """While nobody drives the stages tell one another so, which is neither old nor invalid, however long it is."""
    stack.graph.listen(StateDetail, "/hind/state_detail", LATCHED)
    stack.enable(True)
    say(stack, 0.5, 0.3)
    stack.enable(False)
    time.sleep(1.5)  # whatever came with a stamp is old by now
    causes = lambda: {cause.name for cause in stack.graph.last("/hind/state_detail").causes}  # noqa: E731
    assert not causes() & {"CMD_INVALID", "CMD_STALE"}, causes()
    stack.enable(True)
    stack.wait_for_state("OK")
    stack.graph.wait(lambda: not causes(), lambda: f"{causes()} after zeros of nobody", 1.0)
    assert "is refused" not in stack.output()
    say(stack, 0.5, 0.3)
    assert stack.motors[0] < STOP, f"it does not drive: {stack.motors}, {causes()}"


@pytest.mark.parametrize("kind", [Twist, TwistStamped])
def test_a_stop_is_never_too_late(kind):
    """Zeros of another time stop, and are no zero to begin with."""
    with Vehicle(command=kind) as vehicle:
        half_ahead(vehicle)
        vehicle.fall_silent()
        if kind is TwistStamped:
            for ago in (60.0, -3600.0):
                zero = TwistStamped()
                zero.header.stamp.sec = int(time.time() - ago)
                vehicle.commands.reset()
                vehicle.wait_for_motors(57, 57, "half ahead")
                vehicle.fall_silent()
                start = now()
                vehicle.graph.publish("/cmd_vel", zero)
                vehicle.wait_for_motors(STOP, STOP, f"a zero of {ago} s ago")
                assert now() - start < 0.35, "it was the time-out of the command before"
        else:
            start = now()
            vehicle.graph.publish("/cmd_vel", Twist())
            vehicle.wait_for_motors(STOP, STOP, "a zero")
            assert now() - start < 0.35
