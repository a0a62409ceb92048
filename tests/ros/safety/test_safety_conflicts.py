"""A second publisher where one is expected stops the vehicle, at any type, reliability and name."""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import time

import pytest
from conflicts import BEST_EFFORT, CAUSES, COUNTED_WITHIN, FIRSTS_NAME, wait_for_conflict
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE, LATCHED, SLACK, STOP
from hindbrain_msgs.msg import StateDetail
from luci_messages.msg import LuciZoneScaling
from processes import Process
from stack import BRAKES, Stack
from std_msgs.msg import Bool, Int16
from vehicle import Vehicle, known_participant, now, second_publisher

# The second publisher: its type, reliability, and the name of its node.
SECONDS = {
    "/cmd_vel": [
        (TwistStamped, EDGE, FIRSTS_NAME),
        (TwistStamped, BEST_EFFORT, "second"),
        (Twist, EDGE, "second"),
        (Twist, BEST_EFFORT, FIRSTS_NAME),
    ],
    "/hind/enable": [(Bool, EDGE, FIRSTS_NAME), (Bool, BEST_EFFORT, "second"), (Int16, EDGE, "second")],
    "/hind/estop": [(Bool, EDGE, FIRSTS_NAME), (Bool, BEST_EFFORT, "second"), (Int16, EDGE, "second")],
    "/motor/port": [(Int16, EDGE, "hindbrain"), (Int16, BEST_EFFORT, "second"), (Bool, EDGE, "second")],
    "/motor/starboard": [(Int16, EDGE, "hindbrain")],
}


def wait_for_end(vehicle, topic):
    """The second publisher is gone: only the actions that clear the cause are missing."""
    left = {"/cmd_vel": ("OK", "NEUTRAL_WAIT"), "/hind/estop": ("ESTOP", "ESTOP_LATCHED")}
    vehicle.wait_for(*left.get(topic, ("SSTOP.ROS", "NOT_ARMED")))


@pytest.mark.fault("estop-conflict", "enable-conflict", "command-conflict", "motors-conflict")
@pytest.mark.parametrize("topic", SECONDS)
def test_a_second_publisher_of_any_kind_stops(topic):
    with Vehicle() as vehicle:
        vehicle.fit_estop()
        vehicle.half_ahead()
        for message_type, qos, name in SECONDS[topic]:
            with second_publisher(message_type, topic, qos, name=name) as second:
                wait_for_conflict(vehicle, topic)
                vehicle.wait_for_motors(STOP, STOP, f"a second publisher of {topic}")
                start = now()
                for _ in range(10):
                    second.publish(message_type())
                # Neither its messages nor another rise of enable help while it is there.
                vehicle.enable()
                vehicle.set_command(0.0)
                vehicle.wait(lambda: len(vehicle.graph.since("/hind/state_detail", start)) >= 2, "no details")  # noqa: B023
                vehicle.set_command(0.5)
                vehicle.stays_stopped(0.3, f"{message_type.__name__} of {name} on {topic}")
                wait_for_conflict(vehicle, topic)
            wait_for_end(vehicle, topic)
            vehicle.stays_stopped(0.3, f"{topic}: by the end of the conflict alone")
            if topic == "/hind/estop":
                vehicle.reset()
                vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
            vehicle.half_ahead()


@pytest.mark.fault("estop-conflict", "enable-conflict", "command-conflict", "motors-conflict")
@pytest.mark.parametrize("topic", SECONDS)
def test_a_second_publisher_is_counted_within_its_time(topic):
    """The second publisher may have any type, reliability and name."""
    with known_participant() as context, Vehicle() as vehicle:
        vehicle.fit_estop()
        for message_type, qos, name in SECONDS[topic]:
            vehicle.half_ahead()
            start = now()
            with second_publisher(message_type, topic, qos, context, name):
                vehicle.stopped_within(COUNTED_WITHIN, start, f"a second publisher of {topic}, {message_type.__name__} of {name}")
                wait_for_conflict(vehicle, topic)
            wait_for_end(vehicle, topic)
            if topic == "/hind/estop":
                vehicle.reset()
                vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")


@pytest.mark.fault("command-conflict")
def test_the_first_message_of_a_second_publisher_moves_nothing_after_a_rest():
    """The first publisher of commands is silent; the second one sends zeros and motion as soon as it is discovered."""
    with known_participant() as context, Vehicle() as vehicle:
        vehicle.half_ahead()
        vehicle.fall_silent()
        for _ in range(5):
            vehicle.wait_for("OK", "CMD_STALE")
            time.sleep(1.2)
            start = now()
            with second_publisher(TwistStamped, "/cmd_vel", context=context) as second:
                while now() < start + 0.3:
                    for speed in (0.0, 0.5):
                        command = TwistStamped()
                        command.twist.linear.x = speed
                        second.publish(command)
                    time.sleep(0.002)
                wait_for_conflict(vehicle, "/cmd_vel")
            assert set(vehicle.values(start)) == {STOP}, "a second publisher moves it"
        vehicle.drives_again("the second publisher has gone")


@pytest.mark.fault("enable-conflict")
@pytest.mark.parametrize("on", [False, True])
def test_a_message_of_a_second_switch_stops_at_once(on):
    """Any second publisher is counted in time: with the next count the median would be later."""
    took = []
    with known_participant() as context, Vehicle() as vehicle:
        for _ in range(7):
            vehicle.half_ahead()
            with second_publisher(Bool, "/hind/enable", context=context) as second:
                vehicle.wait(lambda: second.get_subscription_count() > 0, "hindbrain does not subscribe")
                start = now()
                # The first messages are lost until discovery.
                while STOP not in vehicle.values(start) and now() < start + 0.3:
                    second.publish(Bool(data=on))
                    time.sleep(0.002)
                took.append(vehicle.stopped_within(0.0, start, f"a second switch publishes {on}"))
            vehicle.wait(lambda: "ENABLE_CONFLICT" not in vehicle.causes, "the conflict does not end")
    assert statistics.median(took) < COUNTED_WITHIN / 4, f"stopped after {took}"


@pytest.mark.fault("enable-conflict")
@pytest.mark.parametrize("lease", [0.0, 0.5])
@pytest.mark.parametrize("qos", [EDGE, BEST_EFFORT], ids=["reliable", "best effort"])
def test_no_repeated_true_drowns_the_false_of_a_second_switch(qos, lease):
    """One switch repeats true at 10 Hz; the other one publishes false, once or repeatedly: that stops, also after it is gone."""
    with Vehicle({"enable.lease": lease}) as vehicle:
        vehicle.set_command()
        vehicle.enable(False)
        timer = vehicle.hold_enable(True)
        vehicle.wait_for("OK")
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        with second_publisher(Bool, "/hind/enable", qos) as second:
            vehicle.wait(lambda: second.publish(Bool(data=False)) or vehicle.state == "SSTOP.ROS", "a false is not obeyed")
            vehicle.wait_for_motors(STOP, STOP, "the second switch publishes false")
            for _ in range(5):
                second.publish(Bool(data=False))
                vehicle.stays_stopped(0.15, "while both switches are there")
            assert "ENABLE_CONFLICT" in vehicle.causes
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.set_command(0.0)
        vehicle.stays_stopped(0.5, "the first switch repeats true")
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "the first switch repeats true")
        assert vehicle.state == "SSTOP.ROS"
        vehicle.set_command(0.0)
        vehicle.switch.data = False
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        vehicle.switch.data = True
        vehicle.wait_for("OK")
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "it fell and rose")
        timer.cancel()
        if lease:
            vehicle.wait_for("SSTOP.ROS", "LEASE_LAPSED", "NOT_ARMED")


@pytest.mark.fault("enable-conflict")
def test_a_false_before_a_conflict_makes_no_rise_after_it():
    """The first switch is off, the second one comes and goes, and the first publishes true: that is no rise of a single switch."""
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        vehicle.enable(False)
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        vehicle.set_command(0.0)
        with second_publisher(Bool, "/hind/enable"):
            wait_for_conflict(vehicle, "/hind/enable")
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        vehicle.graph.publish("/hind/enable", Bool(data=True))
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.half_ahead()


@pytest.mark.fault("enable-incompatible")
def test_a_best_effort_switch_alone_enables_nothing():
    with Vehicle() as vehicle:
        vehicle.set_command()
        with second_publisher(Bool, "/hind/enable", BEST_EFFORT) as switch:
            wait_for_conflict(vehicle, "/hind/enable")
            for on in (False, True) * 10:
                switch.publish(Bool(data=on))
            vehicle.set_command(0.5)
            vehicle.stays_stopped(0.5, "a best-effort switch enables")
            sentence = "'/hind/enable' is published by /second, must be one publisher of std_msgs/Bool, reliable"
            vehicle.wait(lambda: sentence in vehicle.process.output, "it is not logged")
        vehicle.half_ahead()


@pytest.mark.fault("command-conflict")
@pytest.mark.parametrize("fits_first", [True, False], ids=["the right type first", "the wrong type first"])
@pytest.mark.parametrize("right, wrong", [(Twist, TwistStamped), (TwistStamped, Twist)])
def test_the_type_of_cmd_vel_is_no_race(right, wrong, fits_first):
    """A publisher of the other type stops, in whichever order the two come, and does not drive when it is alone."""
    with Vehicle(command=right) as vehicle:
        full = wrong()
        getattr(full, "twist", full).linear.x = 1.0
        with contextlib.ExitStack() as stack:
            if fits_first:
                vehicle.half_ahead()
                second = stack.enter_context(second_publisher(wrong, "/cmd_vel"))
                vehicle.wait(lambda: vehicle.state == "SSTOP.ROS", "the second type does not stop")
            else:
                second = stack.enter_context(second_publisher(wrong, "/cmd_vel"))
                wait_for_conflict(vehicle, "/cmd_vel")
                vehicle.enable()
                vehicle.wait_for("SSTOP.ROS", "CMD_CONFLICT", "CMD_STALE")
                for value in (0.0, 1.0):
                    getattr(full, "twist", full).linear.x = value
                    for _ in range(10):
                        second.publish(full)
                vehicle.stays_stopped(0.3, "the wrong type drives")
                vehicle.set_command()
                vehicle.enable()
                vehicle.set_command(0.5)
            vehicle.wait_for_motors(STOP, STOP, "both types")
            vehicle.wait_for("SSTOP.ROS", "CMD_CONFLICT")
            sentence = "must be one publisher, of the type that cmd_vel_type says, reliable"
            vehicle.wait(lambda: sentence in vehicle.process.output, "the remedy is not logged")
            for _ in range(10):
                second.publish(full)
            vehicle.stays_stopped(0.3, "both types")
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        vehicle.stays_stopped(0.3, "without a zero")
        vehicle.set_command(0.0)
        vehicle.wait_for("OK")
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "the wrong type has gone")


@pytest.mark.fault("command-conflict")
def test_a_single_best_effort_publisher_of_commands_drives_nothing():
    with Vehicle() as vehicle:
        with second_publisher(TwistStamped, "/cmd_vel", BEST_EFFORT) as only:
            wait_for_conflict(vehicle, "/cmd_vel")
            vehicle.enable()
            command, start = TwistStamped(), now()
            for speed in (0.0, 0.5):
                command.twist.linear.x = speed
                for _ in range(10):
                    only.publish(command)
                    time.sleep(0.02)
            assert set(vehicle.values(start)) == {STOP}, "a best-effort command drives"
        vehicle.wait_for("OK", "CMD_STALE")
        vehicle.set_command(0.0)
        vehicle.drives_again("it is gone")


@pytest.mark.fault("reset-jammed")
def test_a_jammed_reset_button_does_not_reset_by_anothers_false():
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        button = lambda down: vehicle.graph.publish("/hind/reset", Bool(data=down))
        vehicle.start()
        button(True)
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "ESTOP_PRESSED")
        with second_publisher(Bool, "/hind/reset") as second:
            vehicle.wait(lambda: "RESET_CONFLICT" in vehicle.causes, "no RESET_CONFLICT")
            vehicle.estop(False)
            vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "RESET_CONFLICT")
            vehicle.enable()
            vehicle.set_command(0.5)
            for _ in range(5):
                second.publish(Bool(data=False))
                vehicle.stays_stopped(0.1, "another publisher releases the button")
                button(True)
                vehicle.stays_stopped(0.1, "the button is jammed")
            assert vehicle.state == "ESTOP" and "ESTOP_LATCHED" in vehicle.causes
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.reset()  # released
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.reset()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.stays_stopped(0.3, "by the button alone")
        vehicle.half_ahead()


HOPS = [("/luci/scaling", LuciZoneScaling), ("/cmd_vel_arbitrated", TwistStamped), ("/cmd_vel_arbitrated", Twist)]


@pytest.mark.fault("zone-conflict")
@pytest.mark.parametrize("topic, message_type", HOPS, ids=["scaling", "command", "command of another type"])
def test_a_second_publisher_of_any_hop_is_counted_within_its_time(topic, message_type):
    """Each hop publishes zero as soon as it counts the second publisher, and repeats it."""
    stack = Stack(composed=False)
    try:
        for _ in range(4):
            stack.ready().drive_forward()
            start = time.monotonic()
            with second_publisher(message_type, topic, context=stack.graph.context):
                zeros = lambda: [at for at, m in stack.graph.messages["/cmd_vel"] if at >= start and m.twist.linear.x == 0.0]  # noqa: B023
                stack.graph.wait(zeros, f"{topic}: no stage stops")
                took = zeros()[0] - start
                assert took < COUNTED_WITHIN + SLACK, f"the first zero came {took:.3f} s after the second publisher of {topic}"
                stack.stopped_within(COUNTED_WITHIN + BRAKES, start, f"a second publisher of {topic}")
            stack.stays_stopped(0.3, "one publisher again, and the stick was held all the while")
            stack.stick(0.0)
            stack.wait_for_rest()
    finally:
        stack.close()


@pytest.mark.fault("motors-conflict")
def test_a_second_publisher_of_the_motors_is_an_error_with_its_remedy():
    with Vehicle() as vehicle:
        vehicle.graph.record(DiagnosticArray, "/diagnostics")

        def status():
            statuses = [s for m in vehicle.graph.since("/diagnostics", 0.0) for s in m.status if s.name == "hindbrain"]
            return (statuses[-1].level, statuses[-1].message) if statuses else None

        vehicle.half_ahead()
        vehicle.wait(status, "no diagnostics")
        assert status()[0] == DiagnosticStatus.OK, status()
        with second_publisher(Int16, "/motor/starboard"):
            wait_for_conflict(vehicle, "/motor/starboard")
            vehicle.wait_for_motors(STOP, STOP, "another node publishes the motors")
            what_to_do = "must be this node alone: end the other one, or start it in a namespace of its own"
            vehicle.wait(lambda: what_to_do in vehicle.process.output, "the remedy is not logged")
            line = next(line for line in vehicle.process.lines if what_to_do in line)
            assert "/second" in line and "/hindbrain" in line, line
            vehicle.wait(lambda: "another node publishes the motors" in status()[1], lambda: f"diagnostics are {status()}", 10.0)
            assert status()[0] != DiagnosticStatus.OK
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.half_ahead()


@pytest.mark.fault("several")
def test_several_causes_at_a_time_need_what_each_of_them_needs():
    """A pressed e-stop, enable off, and a second publisher of commands; they end one by one."""
    with known_participant() as context, Vehicle() as vehicle:
        vehicle.fit_estop()
        vehicle.half_ahead()
        with second_publisher(TwistStamped, "/cmd_vel", context=context):
            start = now()
            vehicle.enable(False)
            vehicle.estop(True)
            vehicle.stopped_within(0.0, start, "three causes at a time")
            vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED", "NOT_ENABLED", "CMD_CONFLICT")
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED", "NOT_ENABLED")
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED", "NOT_ENABLED")
        vehicle.enable()
        vehicle.stays_stopped(0.2, "enable, and no reset")
        vehicle.reset()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.stays_stopped(0.2, "reset, and no enable after it")
        vehicle.enable()
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        vehicle.stays_stopped(0.2, "reset and enable, and no zero")
        vehicle.drives_again("reset, enable and a zero")


@pytest.mark.fault("motors-conflict")
def test_two_hindbrains_stop_both():
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        process = Process("hindbrain", "--ros-args", "-r", "hind/state_detail:=other/state_detail", "-r", "hind/state:=other/state")
        try:
            vehicle.wait(lambda: vehicle.graph.node.count_publishers("/motor/port") == 2, "the other one does not come")
            start = now()
            vehicle.stopped_within(COUNTED_WITHIN, start, "another hindbrain")
            vehicle.graph.record(StateDetail, "/other/state_detail", LATCHED)
            wait_for_conflict(vehicle, "/motor/port")

            def other():
                detail = vehicle.graph.last("/other/state_detail")
                return {cause.name for cause in detail.causes} if detail else set()

            vehicle.wait(lambda: "MOTOR_CONFLICT" in other(), lambda: f"the second one has {other()}")
            vehicle.stays_stopped(0.5, "two hindbrains")
        finally:
            process.stop()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.stays_stopped(0.3, "by the end of the other one alone")
        vehicle.half_ahead()


@pytest.mark.fault("command-conflict")
@pytest.mark.parametrize(
    "topic, message_type, cause",
    [
        ("/cmd_vel", TwistStamped, "CMD_CONFLICT"),
        ("/cmd_vel", Twist, "CMD_CONFLICT"),
        ("/motor/port", Int16, "MOTOR_CONFLICT"),
        ("/hind/enable", Bool, "ENABLE_CONFLICT"),
        ("/hind/estop", Bool, "ESTOP_CONFLICT"),
    ],
    ids=["cmd_vel", "cmd_vel of another type", "motors", "enable", "e-stop"],
)
def test_a_second_publisher_stops_the_one_process_too(topic, message_type, cause):
    """In `steersman` no node subscribes to cmd_vel; another publisher of it shows that two stacks run."""
    stack = Stack(composed=True)
    try:
        stack.graph.record(StateDetail, "/hind/state_detail", LATCHED)
        stack.ready()
        if topic == "/hind/estop":
            stack.fit_estop()
        stack.drive_forward()
        state, causes = CAUSES[topic][0], lambda: {c.name for c in stack.graph.last("/hind/state_detail").causes}
        with second_publisher(message_type, topic) as second:
            stack.wait_for_state(state, 5.0)
            stack.wait_for_stop(f"a second publisher of {topic}")
            stack.graph.wait(lambda: cause in causes(), lambda: f"causes are {causes()}, must have {cause}")
            for _ in range(10):
                second.publish(Int16(data=STOP) if message_type is Int16 else message_type())
            stack.stays_stopped(0.5, f"a second publisher of {topic}")
        stack.graph.wait(lambda: cause not in causes(), lambda: f"causes are {causes()} after the end of the conflict")
        stack.stays_stopped(0.5, "the stick is still held ahead, and the conflict has ended")
        if topic == "/hind/estop":
            stack.reset()
            stack.wait_for_state("SSTOP.ROS")
        stack.drives_again() if topic == "/cmd_vel" else stack.drive_forward()
    finally:
        stack.close()


# A publisher on the topic, whose endpoint r2r cannot read.
UNREADABLE = """
import sys, rclpy
from std_msgs.msg import Bool
rclpy.init()
node = rclpy.create_node("unreadable")
publisher = node.create_publisher(Bool, sys.argv[1], 10)
print("there", flush=True)
sys.stdin.read()
rclpy.shutdown()
"""


@pytest.mark.fast_dds
@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_a_publisher_that_cannot_be_counted_is_a_conflict_and_ends_nothing(composed, tmp_path):
    """Its lifespan has more nanoseconds than a second has, as a profile may set and DDS passes on."""
    profiles = pathlib.Path(os.environ["FASTRTPS_DEFAULT_PROFILES_FILE"]).read_text()
    lifespan = "<lifespan><duration><sec>5</sec><nanosec>4294967295</nanosec></duration></lifespan>"
    writer = f'<data_writer profile_name="/hind/enable"><qos>{lifespan}</qos></data_writer>'
    at = profiles.rindex("</profiles>")
    profile = tmp_path / "unreadable.xml"
    profile.write_text(profiles[:at] + writer + profiles[at:])
    stack = Stack(composed)
    try:
        stack.graph.record(StateDetail, "/hind/state_detail", LATCHED)
        stack.ready().drive_forward()
        causes = lambda: {c.name for c in stack.graph.last("/hind/state_detail").causes}
        env = {**os.environ, "FASTRTPS_DEFAULT_PROFILES_FILE": str(profile), "RMW_FASTRTPS_USE_QOS_FROM_XML": "1"}
        other = subprocess.Popen([sys.executable, "-c", UNREADABLE, "/hind/enable"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            other.stdout.readline()
            stack.wait_for_stop("a publisher that cannot be counted", timeout=5.0)
            stack.graph.wait(lambda: "ENABLE_CONFLICT" in causes(), lambda: f"causes are {causes()}")
            stack.stays_stopped(0.5, "a publisher that cannot be counted")
        finally:
            other.communicate(timeout=5)
        stack.graph.wait(lambda: "ENABLE_CONFLICT" not in causes(), lambda: f"causes are {causes()}", timeout=10.0)
        stack.drive_forward()
    finally:
        stack.close()
