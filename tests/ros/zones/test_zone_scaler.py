"""The zone scaler over the wire: LUCI's zones, both ways of scaling, and faults of its inputs."""

import math
import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import LATCHED
from luci_messages.msg import LuciJoystick, LuciJoystickScaling, LuciZoneScaling
from rclpy.qos import QoSProfile, ReliabilityPolicy
from stack import Stack
from std_msgs.msg import Int32
from vehicle import conflicting_publisher
from visualization_msgs.msg import MarkerArray
from zones import APPLIED, APPLIED_TO_STICK, LUCI, MARKERS, PHYSICAL, SHARED, Scaler, zones

BEST_EFFORT = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
INT_MAX, INT_MIN = 2**31 - 1, -(2**31)

# Stick, zone, factors of that zone, and what is left of the stick by `limit` and by `multiply`.
EXAMPLES = {
    "A": ((100, 9), 0, {"front_fb": 0.5, "front_rl": 1.0}, (50, 9), (50, 9)),
    "B": ((40, 3), 0, {"front_fb": 0.5, "front_rl": 1.0}, (40, 3), (20, 3)),
    "C": ((100, 100), 2, {"front_right_fb": 0.3, "front_right_rl": 0.8}, (30, 80), (30, 80)),
    # What is left points to the front right, but the zone is the input's.
    "D": ((100, 9), 0, {"front_fb": 0.1, "front_rl": 1.0}, (10, 9), (10, 9)),
    # Back and left of the stick is the chair's rear right corner.
    "E": ((-60, -60), 6, {"back_right_fb": 0.0, "back_right_rl": 0.5}, (0, -50), (0, -30)),
    "F": ((0, -100), 3, {"left_fb": 1.0, "left_rl": 0.25}, (0, -25), (0, -25)),
    "G": ((0, 0), 8, {}, (0, 0), (0, 0)),
}


@pytest.mark.parametrize("mode", ["limit", "multiply"])
@pytest.mark.parametrize("stamped", [True, False], ids=["TwistStamped", "Twist"])
def test_the_worked_examples(mode, stamped):
    with Scaler({"scaling": mode}, stamped) as scaler:
        for name, (stick, zone, factors, limit, multiply) in EXAMPLES.items():
            left = limit if mode == "limit" else multiply
            scaler.scaling(0.95, **factors)
            scaler.stick(*stick)
            # Forward is forward; LUCI's right is a turn to the right, which is negative in ROS.
            scaler.command(stick[0] / 100.0, -stick[1] / 100.0)
            scaler.wait_for_stick(*left, zone, PHYSICAL, what=f"example {name}")
            scaler.wait(lambda: scaler.applied == (*left, zone, SHARED), f"example {name}, the command")
            scaler.wait_for_left(left[0] / 100.0, -left[1] / 100.0, f"example {name}")
            published = scaler.graph.last(APPLIED_TO_STICK)
            forward_back, left_right = list(factors.values()) or (0.0, 0.0)
            assert math.isclose(published.forward_back_scaling, forward_back, rel_tol=1e-6), name
            assert math.isclose(published.left_right_scaling, left_right, rel_tol=1e-6), name


def test_the_swap_of_the_rear_corners_can_be_disabled():
    for swap, corners in ((True, (6, 5)), (False, (5, 6))):
        with Scaler({"boundaries.rear_swap": swap}) as scaler:
            scaler.scaling(back_right_rl=0.25, back_left_rl=0.5)
            for left_right, corner in zip((-60, 60), corners):
                scaler.stick(-100, left_right)
                limit = 25 if corner == 6 else 50
                left = limit if left_right > 0 else -limit
                scaler.wait_for_stick(-100, left, corner, PHYSICAL, what=f"swap {swap}")


def test_predict_commands_nothing():
    with Scaler({"mode": "predict"}) as scaler:
        scaler.scaling(front_fb=0.5)
        scaler.command(1.0)
        scaler.stick(100, 0)
        scaler.wait(lambda: scaler.applied == (50, 0, 0, SHARED), "the command after LUCI's scaling")
        scaler.wait_for_stick(50, 0, 0, PHYSICAL)
        scaler.wait_for_health(DiagnosticStatus.OK, "predicted, nothing is commanded")
        # Every edge at which the other modes publish zero: invalid, silent, stopping.
        scaler.command(math.nan)
        scaler.wait_for_count("invalid commands")
        scaler.fall_silent("command")
        time.sleep(0.8)
        scaler.process.process.send_signal(signal.SIGTERM)
        assert scaler.process.wait() == 0
        time.sleep(0.2)
        assert scaler.graph.messages["/cmd_vel"] == []


def test_the_change_to_predict_publishes_zero_once():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        scaler.set_mode("predict")
        scaler.wait_for_left(0.0, 0.0, "predict")
        start = time.monotonic()
        time.sleep(0.5)
        scaler.command(1.0)
        scaler.wait(lambda: scaler.applied == (100, 0, 0, SHARED), "the predicted scaling")
        assert scaler.graph.since("/cmd_vel", start) == []


@pytest.mark.fault("zone-mode-set")
def test_another_mode_on_the_move_waits_for_a_zero():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = scaler.set_mode("passthrough")
        scaler.rests_within(0.0, start, "another rule")
        scaler.stays_at_rest(0.5, "no motion was commanded under this rule")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "after a zero")


def sideways(stamped, x, y):
    """A command forward and to the left."""
    message = TwistStamped() if stamped else Twist()
    twist = message.twist if stamped else message
    twist.linear.x, twist.linear.y = x, y
    return message


@pytest.mark.parametrize("stamped", [True, False], ids=["TwistStamped", "Twist"])
def test_passthrough_keeps_every_part_of_a_command_and_its_direction(stamped):
    with Scaler({"mode": "passthrough"}, stamped, scaling=False) as scaler:

        def parts():
            message = scaler.graph.last("/cmd_vel")
            linear = (message.twist if stamped else message).linear
            return linear.x, linear.y

        scaler.command(0.0)
        scaler.repeated["command"] = sideways(stamped, 0.2, 0.3)
        scaler.wait(lambda: parts() == (0.2, 0.3), "the part sideways is lost")
        # Full throw is 1 m/s; 3, 4 has the length 5.
        scaler.repeated["command"] = sideways(stamped, 3.0, 4.0)
        scaler.wait(lambda: parts() == pytest.approx((0.6, 0.8)), "another direction")


@pytest.mark.fault("zone-sideways")
def test_a_command_sideways_that_no_zone_judges_is_a_withheld_zero_with_its_reason():
    with Scaler() as scaler:
        scaler.scaling()
        scaler.command(0.5)
        scaler.wait_for_left(0.5, 0.0, "forward")
        start = time.monotonic()
        scaler.repeated["command"] = sideways(True, 0.2, 0.3)
        sentence = (
            "a command with a part that no zone judges, standing still: linear.y is 3e-1, must be from -0.02 to 0.02 m/s; mode "
            "passthrough carries it unjudged"
        )
        scaler.wait_for_health(DiagnosticStatus.ERROR, sentence)
        scaler.wait(lambda: sentence in scaler.process.output, "it is not logged")
        zeros = [message for message in scaler.graph.since("/cmd_vel", start) if message.twist.linear.x == 0.0]
        assert zeros and all(message.header.frame_id == "withheld" for message in zeros)
        assert {message.twist.linear.y for message in scaler.graph.since("/cmd_vel", start)} == {0.0}
        scaler.hold(0.5)
        time.sleep(0.3)
        assert scaler.left[0] == 0.0, "it drives on without a zero"
        scaler.command(0.5)
        scaler.wait_for_left(0.5, 0.0, "forward after a zero")


def test_passthrough_scales_nothing_and_needs_no_scaling():
    with Scaler({"mode": "passthrough"}, scaling=False) as scaler:
        scaler.command(0.5, -0.25)
        scaler.wait_for_left(0.5, -0.25, "without a scaling")
        scaler.scaling(0.0)
        scaler.command(3.0)
        scaler.wait_for_left(1.0, 0.0, "cut to full throw")
        scaler.fall_silent("command")
        scaler.wait_for_left(0.0, 0.0, "silence stops all the same")


def test_blocked_zones_are_reported():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.scaling(1.0, front_fb=0.0, front_rl=0.0)
        scaler.wait(lambda: scaler.values().get("blocked zones") == "front", lambda: scaler.values())
        sentence = "front blocks the command: it stands still"
        scaler.wait_for_health(DiagnosticStatus.WARN, sentence)
        scaler.wait(lambda: sentence in scaler.process.output, "the log does not name the zone")
        scaler.command(0.0)
        scaler.wait_for_health(DiagnosticStatus.OK, "")
        scaler.command(1.0)
        scaler.scaling(0.0)
        scaler.wait_for_health(DiagnosticStatus.WARN, "every zone is blocked")


PROFILES = {
    f"profiles.{name}.{key}": value
    for name, number, forward in (("slow", 1, 0.54), ("fast", 5, 2.77))
    for key, value in (("number", number), ("forward.full_throw", forward), ("turn.full_throw", 1.2212))
}


@pytest.mark.fault("profile-unknown")
def test_a_profile_of_two_publishers_is_unknown_until_it_is_published_again():
    with Scaler(PROFILES) as scaler:
        profile = scaler.graph.node.create_publisher(Int32, "/luci/chair_profile", LATCHED)
        scaler.command(0.0)
        scaler.wait(lambda: profile.get_subscription_count(), "there is no subscriber")
        profile.publish(Int32(data=1))
        scaler.wait(lambda: scaler.values().get("chair profile") == "1", "the profile is not received")
        scaler.command(0.3)
        scaler.wait_for_left(0.3, 0.0, "published by one")
        start = time.monotonic()
        with conflicting_publisher(Int32, "/luci/chair_profile", LATCHED, scaler.graph.context) as other:
            other.publish(Int32(data=5))
            scaler.rests_within(0.2, start, "published by two")
            scaler.wait_for_health(DiagnosticStatus.ERROR, "profile is not known")
            scaler.command(0.0)
            scaler.command(0.3)
            scaler.wait_for_left(0.0, 0.0, "published by two, and a zero")
        scaler.stays_at_rest(1.0, "published by one again; the last value is unknown")
        profile.publish(Int32(data=1))
        scaler.stays_at_rest(0.5, "published again, without a zero")
        scaler.command(0.0)
        scaler.command(0.3)
        scaler.wait_for_left(0.3, 0.0, "published again, and a zero")
        start = time.monotonic()
        profile.publish(Int32(data=3))
        scaler.rests_within(0.0, start, "a profile without a calibration")
        scaler.wait_for_health(DiagnosticStatus.ERROR, "profile")
        scaler.command(0.3)
        scaler.stays_at_rest(0.3, "a profile without a calibration, and a zero")
        profile.publish(Int32(data=1))
        scaler.stays_at_rest(0.3, "one with a calibration, without a zero")
        scaler.command(0.3)
        scaler.wait_for_left(0.3, 0.0, "one with a calibration, and a zero")


@pytest.mark.fault("profile-unknown")
def test_zones_are_judged_on_the_stick_of_the_chairs_profile():
    with Scaler(PROFILES) as scaler:
        scaler.command(0.1, 0.3)
        scaler.stays_at_rest(0.5, "no profile was published yet")
        scaler.wait_for_health(DiagnosticStatus.ERROR, "profile is not known")
        profile = scaler.graph.node.create_publisher(Int32, "/luci/chair_profile", LATCHED)
        # 18 percent of 0.54 m/s and 24 of 1.2212 rad/s are front left, 3 percent of 2.77 and 24 are left.
        for number, published in ((1, (18, -24, 1, SHARED)), (5, (3, -24, 3, SHARED))):
            profile.publish(Int32(data=number))
            time.sleep(0.2)
            scaler.command(0.1, 0.3)
            scaler.wait(lambda: scaler.applied == published, f"in profile {number} it must be {published}")
        scaler.wait_for_left(0.1, 0.3, "free")


@pytest.mark.fault("scaling-lost")
@pytest.mark.parametrize("bad", [math.nan, 2.0, -1.0, math.inf, -math.inf, 1.0001])
def test_an_invalid_factor_counts_as_zero(bad):
    with Scaler() as scaler:
        scaler.scaling(front_fb=bad, back_rl=bad)
        scaler.stick(100, 10)
        scaler.command(1.0, -0.1)
        # Front has 0 for forward and 1 for the turn.
        scaler.wait_for_stick(0, 10, 0, PHYSICAL)
        scaler.wait_for_left(0.0, -0.1, f"factor {bad}")
        scaler.wait_for_count("invalid factors", 2)
        scaler.wait_for_health(DiagnosticStatus.WARN, "not factors")
        scaler.scaling(1.0)
        scaler.wait_for_left(1.0, -0.1, "factors again")


@pytest.mark.fault("zone-opens")
def test_a_zone_that_opens_lets_go_on_what_is_asked_for():
    with Scaler({"rise_time": 1.0}) as scaler:
        scaler.scaling(1.0)
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = time.monotonic()
        scaler.scaling(front_fb=0.0)
        scaler.rests_within(0.02, start, "blocked")
        # Free for a quarter of the time it hardly rises.
        start = time.monotonic()
        while time.monotonic() < start + 2.0:
            scaler.scaling(1.0)
            time.sleep(0.05)
            scaler.scaling(front_fb=0.0)
            time.sleep(0.15)
        assert max(message.twist.linear.x for message in scaler.graph.since("/cmd_vel", start)) < 0.3
        scaler.scaling(1.0)
        took = scaler.wait_for_left(1.0, 0.0, "free")
        assert took > 0.7, f"took {took:.3f} s"


@pytest.mark.fault("scaling-lost")
def test_motion_that_an_invalid_factor_stopped_waits_for_a_zero():
    with Scaler() as scaler:
        scaler.scaling(1.0)
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = time.monotonic()
        scaler.scaling(front_fb=math.nan)
        scaler.rests_within(0.02, start, "the scaling is unknown")
        scaler.scaling(1.0)
        start = time.monotonic()
        time.sleep(0.5)
        published = scaler.graph.since("/cmd_vel", start)
        assert published and not any(message.twist.linear.x for message in published), "free again, without a zero"
        scaler.command(1.0)  # after a zero
        scaler.wait_for_left(1.0, 0.0, "let go")


@pytest.mark.parametrize("mode", ["apply", "passthrough"])
def test_fields_out_of_range_are_cut_and_counted(mode):
    with Scaler({"mode": mode}) as scaler:
        for stick, left, zone in (
            ((101, 0), (100, 0), 0),
            ((-101, 0), (-100, 0), 7),
            ((INT_MAX, INT_MIN), (100, -100), 1),
            ((INT_MIN, INT_MAX), (-100, 100), 5),
        ):
            before = int(scaler.values().get("cut fields", 0))
            scaler.stick(*stick, zone)
            scaler.wait_for_stick(*left, zone, PHYSICAL, what=f"{stick}")
            scaler.wait_for_count("cut fields", before + 1)


def test_an_invalid_zone_or_source_is_ignored():
    with Scaler() as scaler:
        odd = ((3, 4, 4), (-5, 1, 1), (99, 6, SHARED), (INT_MAX, -1, SHARED), (0, INT_MIN, SHARED))
        for throw, (zone, source, reported) in enumerate(odd, start=50):
            scaler.stick(throw, 1, zone, source)
            scaler.wait_for_stick(throw, 1, 0, reported, what=f"zone {zone}, source {source}")
        scaler.wait_for_count("other zones", 4)
        scaler.wait_for_count("unknown sources", 3)
        assert int(scaler.values()["cut fields"]) == 0


def test_a_stick_that_falls_silent_is_let_go():
    with Scaler() as scaler:
        scaler.stick(100, 0)
        scaler.wait_for_stick(100, 0, 0, PHYSICAL)
        scaler.fall_silent("stick")
        scaler.wait_for_stick(0, 0, 8, PHYSICAL, what="silence")
        scaler.wait_for_count("lost joysticks", exactly=1)


def test_a_way_out_past_a_blocked_front():
    for keep_direction in (False, True):
        with Scaler({"keep_direction": keep_direction}) as scaler:
            ahead = {f"{zone}_{part}": 0.0 for zone in ("front", "front_left", "front_right") for part in ("fb", "rl")}
            scaler.scaling(**ahead)
            for linear, angular in ((0.0, 1.0), (0.0, -1.0), (-1.0, 0.0), (-1.0, 0.5), (-1.0, -0.5)):
                scaler.command(linear, angular)
                scaler.wait_for_left(linear, angular, "a way out")
            scaler.command(1.0, 0.1)
            scaler.wait_for_left(0.0, 0.0, "toward a blocked zone")
            # Only forward is blocked: the turn away stays.
            scaler.scaling(front_fb=0.0)
            scaler.wait_for_left(0.0, 0.1, "the turn of a stick ahead")


def test_the_chair_is_compared_with_what_was_predicted():
    with Scaler({"mode": "predict"}) as scaler:
        scaler.scaling(front_fb=0.5)
        scaler.stick(100, 0)
        chair = LuciJoystickScaling(forward_back=50, joystick_zone=0, input_source=PHYSICAL)
        chair.forward_back_scaling, chair.left_right_scaling = 0.5, 1.0
        scaler.repeated["feedback"] = chair
        scaler.wait_for_count("feedbacks", 20)
        assert int(scaler.values()["deviations"]) == 0, scaler.values()
        chair.forward_back = 80
        scaler.wait_for_count("deviations", 5)
        scaler.wait_for_health(DiagnosticStatus.WARN, "30 percent of full throw from what was predicted")
        chair.forward_back, chair.joystick_zone = 50, 99
        scaler.wait_for_count("invalid feedbacks")
        publishers = scaler.graph.node.get_publishers_info_by_topic("/luci/joystick_scaling")
        assert [p.node_name for p in publishers] == ["observer"], "that topic is the chair's"


@pytest.mark.fault("flood")
def test_a_flood_of_scaling_and_of_sticks_hides_nothing():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.stick(100, 0)
        scaler.wait_for_left(1.0, 0.0, "free")
        flood = {"scaling": zones(), "stick": LuciJoystick(forward_back=100, joystick_zone=0, input_source=PHYSICAL)}
        end = time.monotonic() + 2.0
        sent = 0
        while time.monotonic() < end:
            for name, message in flood.items():
                scaler.publishers[name].publish(message)
            sent += 1
            time.sleep(max(0.0, end - 2.0 + sent * 0.001 - time.monotonic()))
        assert sent > 1000
        # The newest counts at once, and no old one after it.
        scaler.repeated["scaling"] = zones(front_fb=0.0)
        scaler.publishers["scaling"].publish(zones(front_fb=0.0))
        took = scaler.wait_for_left(0.0, 0.0, "the last scaling of the flood")
        assert took < 0.1, f"took {took:.3f} s"
        scaler.wait_for_stick(0, 0, 0, PHYSICAL)
        scaler.stays_at_rest(0.5, "an old scaling came after the newest")
        # How many of them a busy machine delivers is DDS's affair; each would have counted.
        scaler.wait_for_count("scalings", 200)
        scaler.wait_for_count("joysticks", 200)
        scaler.wait_for_count("dropped", exactly=0)


def test_no_message_is_ever_as_it_was_constructed():
    """All zeros would be the zone front and the source ramp assist; at rest it is zone 8 and the configured source."""
    with Scaler({"input_source": 1}) as scaler:
        scaler.wait(lambda: scaler.applied, "nothing is published at rest")
        scaler.stick(0, 0)
        scaler.wait_for_stick(0, 0, 8, PHYSICAL)
        scaler.command(1.0)
        scaler.scaling(0.0)
        scaler.wait(lambda: scaler.applied == (0, 0, 0, 1), "blocked")
        scaler.fall_silent("command")
        scaler.wait(lambda: scaler.applied == (0, 0, 8, 1), "silent")
        scaler.process.process.send_signal(signal.SIGTERM)
        assert scaler.process.wait() == 0
        time.sleep(0.2)
        for topic in (APPLIED, APPLIED_TO_STICK):
            messages = scaler.graph.since(topic, 0.0)
            assert messages and LuciJoystickScaling() not in messages
        assert scaler.applied == (0, 0, 8, 1) and scaler.applied_to_stick == (0, 0, 8, PHYSICAL)


def test_the_topics_are_reliable_as_the_chairs_are():
    with Scaler() as scaler:
        node = scaler.graph.node
        for topic in (APPLIED, APPLIED_TO_STICK, MARKERS):
            (info,) = node.get_publishers_info_by_topic(topic)
            assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE, topic
        # A best-effort publisher of the scaling is received as well.
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        scaler.fall_silent("scaling")
        scaler.wait_for_left(0.0, 0.0, "silent")
        scaler.command(0.0)
        loose = node.create_publisher(LuciZoneScaling, "/luci/scaling", BEST_EFFORT)
        node.create_timer(0.02, lambda: loose.publish(zones()))
        # Two publishers are a conflict at any reliability; the reliable one ends.
        node.destroy_publisher(scaler.publishers.pop("scaling"))
        scaler.wait_for_health(DiagnosticStatus.OK, "scaled")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "best effort")


def test_in_one_process_the_stick_is_judged_and_commands_nothing():
    stack = Stack(composed=True)
    try:
        graph = stack.graph
        graph.subscribe(MarkerArray, MARKERS)
        graph.subscribe(LuciJoystickScaling, APPLIED)
        graph.subscribe(LuciJoystickScaling, APPLIED_TO_STICK)
        stack.ready().enable()
        stack.scaling.front_fb = 0.5
        stack.stick(0.0)
        stack.wait_for_state("OK")
        start = time.monotonic()
        forward = TwistStamped()
        forward.twist.linear.x = 1.0
        with conflicting_publisher(TwistStamped, "/cmd_vel_arbitrated") as other_publisher:
            held = LuciJoystick(forward_back=100, left_right=0, joystick_zone=0, input_source=PHYSICAL)
            for _ in range(30):
                graph.publish("/luci/joystick_position", held, LUCI)
                other_publisher.publish(forward)
                time.sleep(0.05)
        graph.wait(lambda: graph.last(MARKERS), "nothing is drawn")
        published = graph.last(APPLIED_TO_STICK)
        assert (published.forward_back, published.joystick_zone, published.input_source) == (50, 0, PHYSICAL)
        assert {message.forward_back for message in graph.since(APPLIED, start)} == {0}
        assert {message.data for message in graph.since("/motor/port", start)} == {90}, "something drove past the stages"
        stack.stick(1.0)
        graph.wait(lambda: graph.last(APPLIED).forward_back == 50, lambda: f"the stick drives: {graph.last(APPLIED)}")
    finally:
        stack.close()
