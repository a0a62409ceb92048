"""The small world: everything it publishes, and the whole loop from the stick to its odometry."""

import math
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from graph import EDGE
from luci_messages.msg import LuciZoneScaling
from nav_msgs.msg import Odometry
from processes import Process
from sensor_msgs.msg import LaserScan, Range
from stack import Stack
from std_msgs.msg import Bool, Int16
from tf2_msgs.msg import TFMessage


@pytest.fixture
def world(graph):
    process = Process("simulator")
    for message_type, topic in [
        (Odometry, "/odom"),
        (TFMessage, "/tf"),
        (LaserScan, "/scan"),
        (LuciZoneScaling, "/luci/scaling"),
        (Range, "/hind/ir"),
        (Bool, "/hind/estop"),
    ]:
        graph.subscribe(message_type, topic)
    graph.wait(lambda: all(graph.last(topic) for topic in graph.messages), "a topic of the simulator is silent")
    yield graph
    process.stop()


def test_every_sensor_publishes_at_its_rate(world):
    start = time.monotonic()
    time.sleep(2.0)
    # Rates of the parameters' defaults; four sensors share hind/ir. Half of it passes on a busy machine.
    for topic, rate in [("/odom", 50), ("/tf", 50), ("/scan", 10), ("/luci/scaling", 20), ("/hind/ir", 80), ("/hind/estop", 20)]:
        count = len(world.since(topic, start))
        assert rate <= count <= 2.2 * rate, f"{count} messages on {topic} in 2 s, {2 * rate} are due"


def test_the_frames_are_those_of_rep_105(world):
    assert (world.last("/odom").header.frame_id, world.last("/odom").child_frame_id) == ("odom", "base_link")
    transform = world.last("/tf").transforms[0]
    assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")
    assert world.last("/scan").header.frame_id == "base_link"

    def frames():
        return {message.header.frame_id for message in world.since("/hind/ir", 0.0)}

    expected = {"ir_front_port", "ir_front_starboard", "ir_back_port", "ir_back_starboard"}
    world.wait(lambda: frames() == expected, lambda: f"hind/ir has the frames {sorted(frames())}")


def test_the_scan_is_whole(world):
    scan = world.last("/scan")
    expected = round((scan.angle_max - scan.angle_min) / scan.angle_increment) + 1
    assert len(scan.ranges) == expected
    assert any(math.isfinite(r) and scan.range_min <= r <= scan.range_max for r in scan.ranges)


@pytest.mark.fault("motor-link-cut")
def test_motor_values_move_the_vehicle_after_a_stop_and_silence_stops_it(world):
    values = [Int16(data=70) for _ in range(2)]
    start = world.last("/odom").pose.pose.position
    repeat = lambda: [world.repeat(f"/motor/{side}", value, 50.0) for side, value in zip(("port", "starboard"), values)]  # noqa: E731
    timers = repeat()

    def moved():
        now = world.last("/odom").pose.pose.position
        return math.hypot(now.x - start.x, now.y - start.y)

    def waits_for_a_stop(what):
        world.wait(lambda: says() == "the wheels are stopped until both motor values are 90", lambda: f"{what}: {says()}")
        time.sleep(0.5)
        assert abs(world.last("/odom").twist.twist.linear.x) < 1e-3, f"{what}: it drives off by itself"
        for value in values:
            value.data = 90
        world.wait(lambda: says() == "the wheels follow the motor topics", lambda: f"{what}: {says()}")
        for value in values:
            value.data = 70

    def says():
        found = [status.message for message in world.since("/diagnostics", 0.0) for status in message.status if status.name == "simulator"]
        return found[-1] if found else None

    world.subscribe(DiagnosticArray, "/diagnostics")
    waits_for_a_stop("the first values")
    world.wait(lambda: moved() > 0.2, lambda: f"moved {moved():.3f} m only")
    assert world.last("/odom").twist.twist.linear.x > 0.1, "below 90 is forward"
    for timer in timers:
        world.node.destroy_timer(timer)
    world.wait(lambda: abs(world.last("/odom").twist.twist.linear.x) < 1e-3, "silence does not stop the wheels")
    timers = repeat()
    waits_for_a_stop("the values are back")
    world.wait(lambda: world.last("/odom").twist.twist.linear.x > 0.1, "it does not move after a stop")


def test_the_estop_button_is_received(world):
    assert world.last("/hind/estop").data is False
    world.publish("/simulator/estop_button", Bool(data=True), EDGE)
    world.wait(lambda: world.last("/hind/estop").data, "the button is not received")


def test_a_robot_s_own_estop_takes_the_place_of_the_simulated_one(graph):
    process = Process("simulator", "--ros-args", "-p", "publish_estop:=false")
    graph.subscribe(Odometry, "/odom")
    graph.wait(lambda: graph.last("/odom"), "the simulator is silent")
    assert graph.node.count_publishers("/hind/estop") == 0
    process.stop()


@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_the_stick_moves_the_vehicle(composed):
    """The whole loop: stick, four stages, motors, world, and the world's zones back into the chain."""
    # A busy machine may hold up the simulator's heartbeat; how quickly silence stops is tested elsewhere.
    stack = Stack(composed, ["-p", "hindbrain:estop.timeout:=2.0"])
    stack.graph.stop_repeating(stack.scaling_timer)  # the simulator publishes it
    stack.processes["simulator"] = Process("simulator")
    try:
        stack.ready()
        graph = stack.graph
        graph.subscribe(Odometry, "/odom")
        graph.subscribe(DiagnosticArray, "/diagnostics")
        # The first message of the simulator's e-stop is an emergency stop.
        stack.wait_for_state("ESTOP")
        stack.unlatch()
        stack.drive_forward()
        graph.wait(lambda: graph.last("/odom") and graph.last("/odom").twist.twist.linear.x > 0.2, "the vehicle stands")
        graph.publish("/simulator/estop_button", Bool(data=True))
        stack.wait_for_stop("the button in the world is pressed", 0.5)
        stack.wait_for_state("ESTOP")
        graph.wait(lambda: abs(graph.last("/odom").twist.twist.linear.x) < 0.01, "the vehicle rolls on")
        names = {status.name for message in graph.since("/diagnostics", 0.0) for status in message.status}
        graph.wait(
            lambda: {"joystick", "velocity_arbiter", "zone_scaler", "hindbrain", "simulator"}
            <= {status.name for message in graph.since("/diagnostics", 0.0) for status in message.status},
            f"/diagnostics has only {sorted(names)}",
        )
    finally:
        stack.close()
