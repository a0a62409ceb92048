"""Floods and stale queues: the newest command counts, never a queued one."""

import time

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from or_pose_estimator.msg import State as PoseState
from or_pose_estimator.msg import Vel
from sensor_msgs.msg import Range
from stack import BRAKES, Stack
from std_msgs.msg import Bool
from vehicle import Vehicle, now

pytestmark = pytest.mark.pair


@pytest.mark.fault("flood")
def test_stop_after_a_flood_counts_at_once(stack):
    """2,000 commands as fast as they go, then a zero: the motors must not work through a queue."""
    graph = stack.graph
    stack.enable(True)
    zero = TwistStamped()
    for _ in range(20):
        graph.publish("/cmd_vel_smoothed", zero)
        time.sleep(0.02)
    stack.wait_for_state("OK")
    command = TwistStamped()
    command.twist.linear.x = 1.0
    for _ in range(2000):
        graph.publish("/cmd_vel_smoothed", command)
    stack.wait_for_motors(lambda port, starboard: port < 85, "the flood does not drive")
    start = time.monotonic()
    graph.publish("/cmd_vel_smoothed", zero)
    # A socket's buffer that the flood filled may lose it, and Fast DDS repeats it only seconds later; a source repeats it sooner.
    publisher = graph.publishers["/cmd_vel_smoothed"]
    repeats = graph.node.create_timer(0.05, lambda: publisher.publish(zero))
    # The slope from the present value; without the zero it would take 0.5 s longer.
    stack.stopped_within(BRAKES, start, "a zero followed the flood")
    graph.node.destroy_timer(repeats)
    goes_on = lambda: graph.publish("/cmd_vel_smoothed", command) or stack.motors[0] < 85
    graph.wait(goes_on, lambda: f"it does not drive after the flood: {stack.motors}, {stack.state}")


@pytest.mark.fault("enable-false")
def test_disable_in_the_middle_of_a_flood_stops(stack):
    graph = stack.graph
    stack.drive_forward()
    command = TwistStamped()
    command.twist.linear.x = 1.0
    for number in range(1000):
        graph.publish("/cmd_vel_smoothed", command)
        time.sleep(0.0002)  # Fast DDS repeats messages that a socket's buffer lost only seconds later
        if number == 500:
            graph.publish("/hind/enable", Bool(data=False))
            pressed = time.monotonic()
    stack.stopped_within(0.0, pressed, "disabled in a flood")
    stack.wait_for_state("SSTOP.ROS", 0.5)


CLEAR = Range(min_range=0.1, max_range=5.0, range=1.0)
CLEAR.header.frame_id = "ir_front_port"
BLOCKED = Range(min_range=0.1, max_range=5.0, range=0.15)
BLOCKED.header.frame_id = "ir_front_port"
AHEAD = Twist()
AHEAD.linear.x = 0.5
# What hindbrain is flooded with while it drives, the message after it, which stops, and the time of the slope [s].
FLOODS = {
    "/cmd_vel": (AHEAD, Twist(), 33 / 800),
    "/hind/enable": (Bool(data=True), Bool(data=False), 0.0),
    "/hind/estop": (Bool(data=False), Bool(data=True), 0.0),
    "/hind/ir": (CLEAR, BLOCKED, 0.0),
}


@pytest.mark.fault("flood")
@pytest.mark.parametrize("topic", FLOODS)
def test_the_message_after_a_flood_of_hindbrain_counts_at_once(topic):
    """2,000 messages in a second, of which the last one on each topic differs."""
    many, last, slope = FLOODS[topic]
    # Who floods may keep this process from publishing the others for longer than usual.
    patient = {"estop.timeout": 2.0, "ir.timeout": 2.0}
    with Vehicle({"ir.sensors": ["ir_front_port"], **patient}, Twist) as vehicle:
        publisher = vehicle.graph.node.create_publisher(Range, "/hind/ir", 10)
        sensor = vehicle.graph.node.create_timer(0.02, lambda: publisher.publish(CLEAR))
        vehicle.fit_estop()
        vehicle.half_ahead()
        flooding = {"/hind/ir": publisher}.get(topic) or vehicle.publisher(type(many), topic)
        quiet = {"/cmd_vel": vehicle.commands, "/hind/estop": vehicle.estop_timer, "/hind/ir": sensor}.get(topic)
        begin = time.monotonic()
        for number in range(2000):
            flooding.publish(many)
            time.sleep(max(0.0, begin + number / 2000 - time.monotonic()))
        assert vehicle.motors == (57, 57), f"the flood stops it: {vehicle.causes}"
        if quiet:
            quiet.cancel()
        start = now()
        flooding.publish(last)
        vehicle.stopped_within(slope, start, f"a flood of {topic}")
        vehicle.stays_stopped(0.2, f"nothing of the flood of {topic} comes after it")


@pytest.mark.fault("flood")
@pytest.mark.parametrize("flood", ["lock", "reference"])
def test_the_message_after_a_flood_of_a_stage_counts_at_once(flood):
    """A lock that publishes open and then closed, and a reference that publishes motion and then zero."""
    stack = Stack(True, ["-p", "velocity_arbiter:locks.door.topic:=/door", "-p", "velocity_arbiter:locks.door.priority:=200"])
    try:
        stack.ready()
        graph = stack.graph
        stack.stick(0.0, drive=False)
        reference, door = PoseState(intrinsic=True, vel=[Vel()]), Bool(data=False)
        for topic, message in (("/joystick/reference", reference), ("/door", door)):
            graph.repeat(topic, message, 20.0)
        stack.enable(True)
        stack.wait_for_state("OK")
        time.sleep(0.5)
        reference.vel = [Vel(vx=0.5)]
        stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "the reference does not drive")
        topic, message = ("/door", door) if flood == "lock" else ("/joystick/reference", reference)
        begin = time.monotonic()
        for number in range(2000):
            graph.publish(topic, message)
            time.sleep(max(0.0, begin + number / 2000 - time.monotonic()))
        assert stack.motors == (57, 57), "the flood stops it"
        start = time.monotonic()
        door.data = flood == "lock"
        reference.vel = [Vel(vx=0.5 if flood == "lock" else 0.0)]
        graph.publish(topic, message)
        stack.stopped_within(BRAKES / 2, start, f"a flood of {topic}")
        stack.stays_stopped(0.3, "nothing of the flood comes after it")
    finally:
        stack.close()


@pytest.mark.fault("command-stale")
def test_a_late_command_does_not_win(stack):
    """A command with an older stamp than the last one is late and must not replace it."""
    graph = stack.graph
    stack.enable(True)
    command = TwistStamped()

    def send(speed, ago):
        command.twist.linear.x = speed
        stamp = time.time_ns() - int(ago * 1e9)
        command.header.stamp.sec, command.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
        graph.publish("/cmd_vel_smoothed", command)

    for _ in range(10):
        send(0.0, 0.0)
        time.sleep(0.05)
    stack.wait_for_state("OK")
    for _ in range(40):
        send(0.5, 0.0)
        send(-1.0, 0.2)
        time.sleep(0.02)
    assert stack.motors[0] < 90, f"a late command won: {stack.motors}"
