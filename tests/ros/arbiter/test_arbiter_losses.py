"""The loss of a source stops, and its reason is reported as long as it lasts: velocity_arbiter, alone and in steersman."""

import signal
import time

import pytest
from arbiters import DOCK, NAVIGATION, OUTPUT, STICK, Arbiter, named, wait_for_messages_in_flight
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from graph import SLACK, STOP, free_zones
from processes import Process
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Int16

LOST = "waits for a zero: it was lost while it asked for motion"
OTHER_LOST = "waits for a zero: another source, or a lock, was lost"
DOOR = named("locks.door", topic="/door", priority=50)


@pytest.fixture(params=["velocity_arbiter", "steersman"])
def executable(request):
    return request.param


def reason(arbiter, source, text):
    arbiter.wait(lambda: arbiter.active and text in arbiter.active[1].get(source, ""), f"the report of {source} must be: {text}")


def diagnosis(arbiter, text, level=b"\x01"):
    def is_reported():
        return any(
            status.name == "velocity_arbiter" and text in status.message and status.level == level
            for message in arbiter.graph.since("/diagnostics", time.monotonic() - 1.5)
            for status in message.status
        )

    arbiter.wait(is_reported, f"/diagnostics must contain: {text}")


@pytest.mark.fault("stage-held")
@pytest.mark.parametrize("seconds", [3.0, 10.0])
def test_an_arbiter_that_was_held_lets_nothing_out_that_waited(executable, seconds):
    """Without stamps: a teleop drives, the arbiter stands still, the teleop dies and its last message is motion."""
    with Arbiter({**NAVIGATION, **DOCK}, executable) as arbiter:
        dock = arbiter.publish("/dock", 0.3, Twist)
        arbiter.drives("dock", 0.3)
        arbiter.process.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        dock.timer.cancel()  # its last command was motion
        wait_for_messages_in_flight()
        held = time.monotonic()
        arbiter.process.process.send_signal(signal.SIGCONT)
        arbiter.wait(lambda: len(arbiter.speeds_since(held)) > 10, "it publishes nothing")
        wait_for_messages_in_flight()
        assert set(arbiter.speeds_since(held)) == {0.0}, arbiter.speeds_since(held)
        reason(arbiter, "dock", "timed out")
        dock.timer.reset()
        reason(arbiter, "dock", LOST)
        assert set(arbiter.speeds_since(held)) == {0.0}
        dock.zero()
        arbiter.drives("dock", 0.3)


@pytest.mark.fault("source-lost")
def test_a_source_that_comes_back_in_motion_waits_for_a_zero(executable):
    with Arbiter({**NAVIGATION, **DOCK}, executable) as arbiter:
        arbiter.publish("/nav", 0.1)
        dock = arbiter.publish("/dock", 0.3, Twist)
        arbiter.drives("dock", 0.3)
        start = time.monotonic()
        dock.timer.cancel()
        reason(arbiter, "dock", "timed out")
        arbiter.rests_within(0.5, start, "a source is silent")
        reason(arbiter, "navigation", OTHER_LOST)
        back = time.monotonic()
        dock.timer.reset()
        reason(arbiter, "dock", LOST)
        wait_for_messages_in_flight()
        assert set(arbiter.speeds_since(back)) == {0.0}
        assert arbiter.active[0] == "nobody" or executable == "steersman"
        dock.zero()
        arbiter.drives("dock", 0.3)


@pytest.mark.fault("source-lost")
def test_a_source_that_dies_behind_a_closed_lock_lets_nothing_below_it_drive(executable):
    with Arbiter({**NAVIGATION, **DOCK, **DOOR}, executable) as arbiter:
        navigation = arbiter.publish("/nav", 0.1)
        dock = arbiter.publish("/dock", 0.3, Twist)
        door = arbiter.publish("/door", False, Bool)
        arbiter.drives("dock", 0.3)
        closed = time.monotonic()
        door.speed = True
        arbiter.rests_within(0.0, closed, "a lock is closed")
        dock.timer.cancel()
        reason(arbiter, "dock", "timed out")
        door.speed = False
        reason(arbiter, "navigation", OTHER_LOST)
        wait_for_messages_in_flight()
        assert set(arbiter.speeds_since(closed + SLACK)) == {0.0}, "the opening of a lock starts a source below a lost one"
        navigation.zero()
        arbiter.drives("navigation", 0.1)


@pytest.mark.fault("twist-ends")
def test_a_source_of_twists_that_is_silent_after_a_zero_hands_over(executable):
    with Arbiter({**NAVIGATION, **DOCK}, executable) as arbiter:
        arbiter.publish("/nav", 0.1)
        dock = arbiter.publish("/dock", 0.0, Twist)
        reason(arbiter, "navigation", "outranked by dock")
        wait_for_messages_in_flight()
        held = time.monotonic()
        time.sleep(1.0)
        assert set(arbiter.speeds_since(held)) == {0.0}, "the dock holds it still"
        dock()
        arbiter.drives("navigation", 0.1)


def test_a_source_that_sent_before_the_start_waits_for_a_zero(graph, executable):
    publisher = graph.node.create_publisher(TwistStamped, "/nav", 10)

    def publish():
        message = TwistStamped()
        message.header.stamp = graph.node.get_clock().now().to_msg()
        message.twist.linear.x = 0.1
        publisher.publish(message)

    graph.node.create_timer(0.02, publish)
    with Arbiter(NAVIGATION, executable) as arbiter:
        reason(arbiter, "navigation", "waits for a zero, with which its motion begins")
        wait_for_messages_in_flight()
        assert set(message.twist.linear.x for _, message in arbiter.graph.messages[OUTPUT]) == {0.0}
        assert arbiter.graph.last(OUTPUT).header.frame_id == "withheld"


@pytest.mark.fault("stage-dies")
def test_an_arbiter_that_was_restarted_moves_nothing_before_a_zero(graph):
    """The middleware may take 3 s to find a publisher whose first announcement was lost."""
    with Arbiter({**NAVIGATION, **DOCK}) as arbiter:
        navigation = arbiter.publish("/nav", 0.1, graph=graph)
        arbiter.drives("navigation", 0.1)
        arbiter.process.kill()
        navigation.zeros = 0
        with Arbiter({**NAVIGATION, **DOCK}) as again:
            reason(again, "navigation", "waits for a zero, with which its motion begins")
            time.sleep(5.5)
            assert {message.twist.linear.x for _, message in again.graph.messages[OUTPUT]} == {0.0}
            navigation.zeros = 10
            navigation.zero()
            again.drives("navigation", 0.1)


@pytest.mark.fault("lock-conflict")
def test_two_publishers_of_a_lock_close_it_and_are_reported_once(graph, executable):
    with Arbiter({**NAVIGATION, **DOOR}, executable) as arbiter:
        arbiter.graph.subscribe(DiagnosticArray, "/diagnostics")
        arbiter.publish("/door", False, Bool)
        navigation = arbiter.publish("/nav", 0.1)
        arbiter.wait(lambda: arbiter.locks.get("door") == "open", "the lock is not open")
        navigation.zero()
        arbiter.drives("navigation", 0.1)
        start = time.monotonic()
        second = arbiter.publish("/door", False, Bool, graph=graph)
        arbiter.rests_within(0.2, start, "two publishers of a lock, which both publish open")
        arbiter.wait(lambda: "counts as closed: 2 publishers" in arbiter.locks["door"], "the second one is not reported")
        arbiter.wait(lambda: "'/door': 2 publishers" in arbiter.process.output, "it is not logged")
        start = time.monotonic()
        diagnosis(arbiter, "lock door counts as closed: 2 publishers, must be 1")
        time.sleep(3.0)
        assert set(arbiter.speeds_since(start)) == {0.0}
        # Each line of the log reports all sources and locks; only changes of the lock count here.
        reported = [line.split("; lock door ")[1] for line in arbiter.process.lines if "; lock door " in line]
        news = [text for text, before in zip(reported, [""] + reported) if text != before]
        assert [text.startswith("counts as closed: 2 publishers") for text in news].count(True) == 1, news
        second()
        arbiter.wait(lambda: arbiter.locks["door"] == "open", "it stays closed")
        reason(arbiter, "navigation", OTHER_LOST)
        navigation.zero()
        arbiter.drives("navigation", 0.1)


def test_a_source_of_another_type_or_best_effort_is_reported_although_nothing_moves(executable):
    with Arbiter({**NAVIGATION, **DOCK}, executable) as arbiter:
        arbiter.graph.subscribe(DiagnosticArray, "/diagnostics")
        arbiter.publish("/nav", 0.1, Twist)
        arbiter.publish("/dock", 0.1, Twist, qos=QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT))
        reported = "ignores 1 of 1 publishers: another type, or best effort"
        reason(arbiter, "navigation", f"never received ({reported})")
        reason(arbiter, "dock", f"never received ({reported})")
        diagnosis(arbiter, f"source navigation: {reported}")
        arbiter.wait(lambda: f"navigation never received ({reported})" in arbiter.process.output, "the log does not report it")


@pytest.mark.fault("source-conflict")
def test_two_publishers_of_a_source_stop_and_are_reported(graph, executable):
    """Two publishers in turn would make the vehicle swing between their commands."""
    with Arbiter(NAVIGATION, executable) as arbiter:
        arbiter.graph.subscribe(DiagnosticArray, "/diagnostics")
        navigation = arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        start = time.monotonic()
        second = arbiter.publish("/nav", -0.3, graph=graph)
        reason(arbiter, "navigation", "in conflict (2 publishers, must be 1)")
        arbiter.rests_within(0.2, start, "two publishers of a source")
        start = time.monotonic()
        diagnosis(arbiter, "source navigation: 2 publishers, must be 1")
        time.sleep(0.5)
        assert set(arbiter.speeds_since(start)) == {0.0}
        second()
        reason(arbiter, "navigation", "waits for a zero: its publishers were in conflict")
        time.sleep(0.3)
        assert set(arbiter.speeds_since(start)) == {0.0}
        navigation.zero()
        arbiter.drives("navigation", 0.1)


def test_another_publisher_of_the_arbiters_command_is_reported(executable):
    with Arbiter(NAVIGATION, executable) as arbiter:
        arbiter.graph.subscribe(DiagnosticArray, "/diagnostics")
        arbiter.publish(OUTPUT, 0.0)
        sentence = f"'{OUTPUT}' is published by /{arbiter.graph.node.get_name()}, too: end it, or give it another topic"
        diagnosis(arbiter, sentence)
        arbiter.wait(lambda: sentence in arbiter.process.output, "the log does not name the second publisher")


def test_the_last_line_of_the_log_is_the_present_state_with_its_reason():
    with Arbiter({**NAVIGATION, **DOCK}) as arbiter:
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        for _ in range(5):
            wait_for_messages_in_flight()
            dock = arbiter.publish("/dock", 0.3, Twist)
            arbiter.drives("dock", 0.3)
            dock.speed = float("nan")  # stops, and navigation waits, within some milliseconds
            reason(arbiter, "dock", "sent no valid command")
            line = "no source drives; dock sent no valid command; joystick never received on /joystick/desired; navigation waits for a zero"
            arbiter.wait(lambda: line in [each for each in arbiter.process.lines if " drives" in each][-1], "the last change is not logged")
            dock()
            arbiter.wait(lambda: "dock timed out on /dock" in arbiter.process.lines[-1], "the silence is not logged")


@pytest.mark.parametrize("has_stick", [False, True])
def test_without_a_gamepad_steersman_drives_by_navigation(graph, has_stick):
    """A joystick without a device does not drive, whether it is a source or not."""
    parameters = {"velocity_arbiter:sources.navigation.topic": "/nav", "velocity_arbiter:sources.navigation.priority": 10}
    if has_stick:
        parameters |= {f"velocity_arbiter:{name}": value for name, value in named("sources.joystick", **{**STICK, "priority": 100}).items()}
    texts = [text for name, value in parameters.items() for text in ("-p", f"{name}:={value}")]
    graph.subscribe(Int16, "/motor/port")
    process = Process("steersman", "--ros-args", *texts)
    try:
        enable = graph.repeat("/hind/enable", Bool(data=False), 20.0)
        command = TwistStamped()
        graph.repeat("/nav", command, 20.0)
        graph.repeat("/luci/scaling", free_zones(), 20.0)
        graph.wait(lambda: graph.last("/motor/port"), lambda: process.output, 10.0)
        time.sleep(2.5)
        enable_message = Bool(data=True)
        graph.stop_repeating(enable)
        graph.repeat("/hind/enable", enable_message, 20.0)
        time.sleep(0.5)
        command.twist.linear.x = 0.5
        graph.wait(lambda: graph.last("/motor/port").data < STOP - 10, lambda: process.output, 10.0)
        assert has_stick or "the stick drives nothing" in process.output
    finally:
        process.stop()
