"""The simulated chair, observed on LUCI's topics and services, and driven by the node `chair`."""

import math
import time

import pytest
from chairs import AUTO, BACK, FRONT, LEFT, ONE, PHYSICAL, REMOTE, SHARED, VIRTUAL, Chair, Driver, fields
from graph import EDGE, LATCHED, free_zones
from luci_messages.msg import LuciEncoders, LuciJoystick
from nav_msgs.msg import Odometry
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from std_msgs.msg import Bool, Int32

STREAMS = {
    "joystick_position": "luci_messages/msg/LuciJoystick",
    "joystick_scaling": "luci_messages/msg/LuciJoystickScaling",
    "scaling": "luci_messages/msg/LuciZoneScaling",
    "imu": "luci_messages/msg/LuciImu",
    "encoders": "luci_messages/msg/LuciEncoders",
    "odom": "nav_msgs/msg/Odometry",
    **{f"{name}_points": "sensor_msgs/msg/PointCloud2" for name in ("camera", "collision", "dropoff", "radar", "ultrasonic")},
    **{f"depth_{side}_camera": "sensor_msgs/msg/Image" for side in ("left", "right", "rear")},
}
INFRARED = {
    **{f"ir_{side}_camera": "sensor_msgs/msg/Image" for side in ("left", "right", "rear")},
    **{f"{side}_camera_info": "luci_messages/msg/LuciCameraInfo" for side in ("left", "right", "rear")},
}
KEPT = ["chair_profile", "speed_setting", "override_button_data", "override_button_press_count_data"]
SERVICES = [f"{verb}_{mode}_remote_input" for verb in ("set", "remove") for mode in ("auto", "shared")]
SERVICES += ["disable_radar_filter", "enable_radar_filter"]


def publishers(chair, name):
    return chair.graph.node.get_publishers_info_by_topic(f"/luci/{name}")


def test_topics_types_and_qualities_are_those_of_luci():
    with Chair({"camera_rate": 10}) as chair:
        named = lambda name: [info.node_name for info in publishers(chair, name)] == ["interface"]
        chair.wait(lambda: all(named(name) for name in [*STREAMS, *INFRARED, *KEPT]), "not all topics are there")
        found = {name.removeprefix("/luci/") for name, _ in chair.graph.node.get_topic_names_and_types() if name.startswith("/luci/")}
        assert found == {*STREAMS, *INFRARED, *KEPT, "remote_joystick"}
        for name, kind in {**STREAMS, **INFRARED, **{name: "std_msgs/msg/Int32" for name in KEPT}}.items():
            (info,) = publishers(chair, name)
            assert (info.node_name, info.topic_type) == ("interface", kind)
            kept = DurabilityPolicy.TRANSIENT_LOCAL if name in KEPT else DurabilityPolicy.VOLATILE
            assert (info.qos_profile.reliability, info.qos_profile.durability) == (ReliabilityPolicy.RELIABLE, kept), name
        (info,) = chair.graph.node.get_subscriptions_info_by_topic(REMOTE)
        assert info.qos_profile.reliability == ReliabilityPolicy.RELIABLE
        services = dict(chair.graph.node.get_service_names_and_types())
        assert {name: services.get(f"/luci/{name}") for name in SERVICES} == {name: ["std_srvs/srv/Empty"] for name in SERVICES}
        for name in SERVICES:
            chair.call(f"/luci/{name}")


def test_infrared_cameras_are_silent_by_default():
    with Chair() as chair:
        chair.wait(lambda: all(publishers(chair, name) for name in STREAMS), "not all topics are there")
        assert not any(publishers(chair, name) for name in INFRARED)


def test_every_stream_is_published():
    import luci_messages.msg
    import sensor_msgs.msg

    with Chair({"camera_rate": 15}) as chair:
        modules = {"luci_messages": luci_messages.msg, "sensor_msgs": sensor_msgs.msg}
        for name, kind in {**STREAMS, **INFRARED}.items():
            package, _, short = kind.split("/")
            chair.graph.subscribe(getattr(modules[package], short) if package in modules else Odometry, f"/luci/{name}", ONE)
        chair.wait(lambda: all(chair.graph.last(f"/luci/{name}") for name in [*STREAMS, *INFRARED]), "a stream is silent")
        frames = {name: chair.graph.last(f"/luci/{name}").header.frame_id for name in ("radar_points", "ultrasonic_points", "camera_points")}
        assert frames == {"radar_points": "base_radar", "ultrasonic_points": "base_ultrasonic", "camera_points": "base_camera"}
        for name, frame in (("ir_left_camera", "left_camera"), ("left_camera_info", "left_camera"), ("depth_left_camera", "left_depth_camera")):
            assert chair.graph.last(f"/luci/{name}").header.frame_id == frame
        depth = chair.graph.last("/luci/depth_left_camera")
        assert (depth.encoding, len(depth.data)) == ("16UC1", depth.step * depth.height)
        odometry = chair.graph.last("/luci/odom")
        assert odometry.header.frame_id == odometry.child_frame_id == "base_link"
        assert (chair.graph.last("/luci/imu").source, chair.graph.last("/luci/imu").edge_timestamp) == (2, 0)


def test_late_subscribers_receive_what_changes_rarely():
    with Chair({"profile": 3}) as chair:
        for name in KEPT:
            chair.graph.subscribe(Int32, f"/luci/{name}", LATCHED)
        kept = lambda: {name: chair.graph.last(f"/luci/{name}").data for name in KEPT if chair.graph.last(f"/luci/{name}")}
        chair.wait(lambda: kept() == dict(zip(KEPT, (3, 1, 1, 0))), lambda: str(kept()))
        chair.graph.publish("/interface/profile", Int32(data=5))
        chair.graph.publish("/interface/speed_setting", Int32(data=4))
        for pressed in (True, False):
            chair.graph.publish("/interface/override_button", Bool(data=pressed))
        chair.wait(lambda: kept() == dict(zip(KEPT, (5, 4, 1, 1))), lambda: str(kept()))
        for nonsense in (0, 6, -1, 2**31 - 1):
            chair.graph.publish("/interface/profile", Int32(data=nonsense))
        chair.wait(lambda: chair.value("invalid") == "4", lambda: str(chair.value("invalid")))
        assert kept()["chair_profile"] == 5


def test_the_occupants_stick_drives_at_first():
    with Chair() as chair:
        chair.graph.publish("/interface/stick", LuciJoystick(forward_back=100, joystick_zone=8, input_source=PHYSICAL))
        # 0.54 of 1.2 m/s are 29.7 of 66 counts.
        chair.wait(lambda: chair.motors == (60, 60), "the occupant does not drive")
        assert fields(chair.graph.last("/luci/joystick_position")) == (100, 0, FRONT, PHYSICAL)
        chair.graph.publish("/interface/stick", LuciJoystick(left_right=-100, joystick_zone=8, input_source=PHYSICAL))
        # 1.2212 rad/s on a base of 0.5065 m are 0.309 m/s at each wheel, 17 counts; to the left the right wheel goes ahead.
        chair.wait(lambda: chair.motors == (107, 73), "a stick to the left does not turn to the left")


@pytest.mark.parametrize("mode, source", [("shared", SHARED), ("auto", AUTO)])
def test_a_remote_drives_in_its_mode_with_its_source(mode, source):
    with Chair() as chair:
        chair.set_remote(100, 0, source)
        chair.stands(0.5, "no mode was entered")
        chair.enter(mode, source)
        chair.wait(lambda: chair.motors == (60, 60), "the remote does not drive")
        received = chair.graph.messages["/luci/joystick_position"]
        time.sleep(0.2)
        count = len(received)
        time.sleep(0.4)
        assert (len(received) > count) == (mode == "shared"), "the occupant's stick is silent in the auto mode, and only there"
        chair.call(f"/luci/remove_{mode}_remote_input")
        chair.wait(lambda: chair.motors == (90, 90) and chair.scaled.input_source == PHYSICAL, "the mode is not left")


def test_a_wrong_source_is_ignored_without_a_warning():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        lines = len(chair.process.lines)
        for source in (0, AUTO, 2, VIRTUAL, PHYSICAL, 6, -1, 2**31 - 1):
            chair.set_remote(100, 0, source)
            chair.stands(0.4, f"source {source}")
        assert len(chair.process.lines) == lines and chair.scaled.input_source == SHARED
        chair.wait(lambda: int(chair.value("ignored") or 0) > 40, "not counted")
        chair.set_remote(100, 0, SHARED)
        chair.wait(lambda: chair.motors == (60, 60), "the right one is not received")


def test_a_default_constructed_message_is_ignored_as_well():
    """It comes from the ramp assistant: a client that sends it at rest is braked, as a real chair would."""
    with Chair() as chair:
        chair.enter("shared", SHARED)
        chair.remote.joystick_zone = 0
        chair.set_remote(0, 0, 0)
        chair.wait(lambda: int(chair.value("ignored") or 0) > 5 and chair.value("brakes") == "1", "not ignored")


def test_a_remote_below_10_hertz_is_braked_again_and_again():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        chair.set_remote(100, 0, SHARED)
        chair.wait(lambda: chair.motors == (60, 60), "the remote does not drive")
        chair.set_remote(100, 0, SHARED, rate=4.0)
        chair.wait(lambda: int(chair.value("brakes") or 0) >= 4, lambda: f"brakes {chair.value('brakes')}", 6.0)
        start = time.monotonic()
        time.sleep(1.0)
        values = [m.data for m in chair.graph.since("/motor/port", start)]
        assert min(values) > 60 and max(values) - min(values) >= 5, f"it does not jerk: {sorted(set(values))}"
        chair.set_remote(100, 0, SHARED, rate=20.0)
        chair.wait(lambda: chair.motors == (60, 60), "20 Hz do not release the brakes")


def test_a_mode_stays_when_its_client_dies():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        chair.set_remote(100)
        chair.wait(lambda: chair.motors == (60, 60), "the remote does not drive")
        chair.graph.node.destroy_timer(chair.timer)
        chair.timer = None
        chair.graph.node.destroy_publisher(chair.publisher)
        chair.wait(lambda: chair.motors == (90, 90), "the brakes do not engage")
        chair.stands(1.0, "no client drives")
        chair.graph.publish("/interface/stick", LuciJoystick(forward_back=100, joystick_zone=8, input_source=PHYSICAL))
        chair.stands(0.5, "the occupant's stick does not drive in a mode that was not left")
        assert chair.scaled.input_source == SHARED


def test_fields_out_of_range_are_cut():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        for forward, right, expected in [(2**31 - 1, 0, (60, 60)), (-(2**31), 0, (120, 120)), (0, 2**31 - 1, (73, 107))]:
            chair.set_remote(forward, right)
            chair.wait(lambda: chair.motors == expected, f"{forward}, {right} must be {expected}")
        chair.wait(lambda: int(chair.value("outside") or 0) > 5, "not counted")


def test_lucis_zones_limit_the_stick():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        scaling = free_zones()
        scaling.front_fb = 0.5
        chair.graph.repeat("/interface/scaling", scaling, 20.0)
        chair.set_remote(100)
        chair.wait(lambda: fields(chair.scaled) == (50, 0, FRONT, SHARED) and chair.scaled.forward_back_scaling == 0.5, "not limited")
        # Half of 0.54 m/s are 14.85 of 66 counts.
        chair.wait(lambda: chair.motors == (75, 75), "the wheels do not follow")
        chair.set_remote(-100)
        chair.wait(lambda: fields(chair.scaled) == (-100, 0, BACK, SHARED), "back is free")
        scaling.back_fb = math.nan
        chair.wait(lambda: fields(chair.scaled) == (0, 0, BACK, SHARED), "an invalid factor is 0")
        chair.graph.publish("/interface/override_button", Bool(data=True))
        chair.wait(lambda: fields(chair.scaled) == (-100, 0, BACK, SHARED), "the button does not suspend the scaling")


def test_faults_can_be_ordered():
    with Chair() as chair:
        chair.call("/interface/refuse_services", True)
        chair.call("/luci/set_shared_remote_input")
        time.sleep(0.3)
        assert chair.scaled.input_source == PHYSICAL, "answered, and nothing happened"
        chair.call("/interface/refuse_services", False)
        chair.enter("shared", SHARED)
        chair.call("/interface/end_mode")
        chair.wait(lambda: chair.scaled.input_source == PHYSICAL, "the mode does not end")
        chair.call("/interface/halt_streams", True)
        time.sleep(0.2)
        count = len(chair.graph.messages["/luci/joystick_scaling"])
        time.sleep(0.4)
        assert len(chair.graph.messages["/luci/joystick_scaling"]) == count, "the streams go on"
        chair.call("/interface/halt_streams", False)
        chair.wait(lambda: len(chair.graph.messages["/luci/joystick_scaling"]) > count, "the streams do not come back")


def test_a_flood_delays_nothing_and_the_end_stops_the_wheels():
    with Chair() as chair:
        chair.enter("shared", SHARED)
        chair.set_remote(100)
        scaling, base = free_zones(), Odometry()
        stick = LuciJoystick(forward_back=2**31 - 1, joystick_zone=-1, input_source=2**31 - 1)
        start, number = time.time(), 0
        while time.time() < start + 1.5:
            number += 1
            chair.publisher.publish(chair.remote)
            chair.graph.publish("/interface/scaling", scaling)
            chair.graph.publish("/interface/odom", base)
            chair.graph.publish("/interface/stick", stick)
            time.sleep(max(0.0, start + number * 0.001 - time.time()))
        assert number > 700
        chair.wait(lambda: chair.motors == (60, 60), "a flood does not drive")
        chair.process.stop()
        chair.wait(lambda: chair.motors == (90, 90), "the last value is not stop")


def test_a_measured_base_turns_the_encoders():
    with Chair() as chair:
        chair.graph.subscribe(LuciEncoders, "/luci/encoders", EDGE)
        base = Odometry()
        base.twist.twist.linear.x = 0.5
        timer = chair.graph.repeat("/interface/odom", base, 50.0)
        received = chair.graph.messages["/luci/encoders"]
        chair.wait(lambda: len(received) > 30, "no encoders")
        chair.graph.node.destroy_timer(timer)
        (_, first), (_, last) = received[-20], received[-5]
        seconds = (last.edge_timestamp - first.edge_timestamp) / 1000.0
        # 0.5 m/s are 0.5 · 2.38462 / 1.0373 turns of an encoder in a second, 413.8 degrees; the left one counts down.
        degrees = 0.5 * 2.38462 / 1.0373 * 360.0 * seconds
        assert (last.right_angle - first.right_angle) % 360.0 == pytest.approx(degrees % 360.0, abs=0.1)
        assert (first.left_angle - last.left_angle) % 360.0 == pytest.approx(degrees % 360.0, abs=0.1)


class Pair:
    """The fake chair and the node that drives it; 0.54 m/s is full throw for both."""

    FULL = {"profiles.first.forward.full_throw": 0.54, "profiles.first.turn.full_throw": 1.2212}

    def __init__(self, mode="shared", parameters=()):
        self.chair = Chair(parameters)
        self.driver = Driver({**self.FULL, "mode": mode}, source=SHARED if mode == "shared" else AUTO)

    def __enter__(self):
        self.chair.__enter__()
        try:
            self.driver.__enter__()
        except BaseException:
            self.chair.__exit__()
            raise
        return self.chair, self.driver

    def __exit__(self, *_):
        try:
            self.driver.__exit__()
        finally:
            self.chair.__exit__()


@pytest.mark.parametrize("sent", ["streamed", "on_change"])
@pytest.mark.parametrize("source", ["mode", "stick"])
def test_a_chair_of_any_kind_is_driven_lost_and_given_back(source, sent):
    """LUCI does not state the contents and the times of joystick_position."""
    with Pair(parameters={"position_source": source, "position_sent": sent}) as (chair, driver):
        driver.activate()
        driver.again(0.27)
        chair.wait(lambda: chair.motors == (75, 75), "half of full throw does not come out at the wheels")
        chair.call("/interface/end_mode")
        driver.become("lost")
        driver.activate()
        driver.again(0.27)
        driver.process.stop()
        chair.wait(lambda: chair.scaled.input_source == PHYSICAL and chair.motors == (90, 90), "the chair is not given back")


@pytest.mark.parametrize("mode", ["shared", "auto"])
def test_the_node_drives_the_fake_chair_and_gives_it_back(mode):
    with Pair(mode) as (chair, driver):
        driver.graph.subscribe(Odometry, "/odom", EDGE)
        driver.activate()
        driver.again(0.27)
        chair.wait(lambda: chair.motors == (75, 75), "half of full throw does not come out at the wheels")
        driver.wait(lambda: driver.graph.last("/odom").twist.twist.linear.x == pytest.approx(0.27, abs=0.02), "the odometry differs")
        driver.set_command(0.0, 0.6106)
        driver.drives(0, -50, LEFT)
        driver.wait(lambda: driver.graph.last("/odom").twist.twist.angular.z == pytest.approx(0.6106, abs=0.05), "does not turn left")
        assert chair.value("brakes") in ("0", "1"), "20 Hz are enough once the first stick came"
        driver.process.stop()
        chair.wait(lambda: chair.scaled.input_source == PHYSICAL and chair.motors == (90, 90), "the chair is not given back")


def test_the_node_and_a_chair_with_faults():
    with Pair() as (chair, driver):
        driver.set_command()
        chair.call("/interface/refuse_services", True)
        driver.activate()
        driver.become("activating")
        chair.stands(0.5, "the chair refused")
        chair.call("/interface/refuse_services", False)
        driver.become("active", 8.0)
        driver.set_command(0.54)
        chair.wait(lambda: chair.motors == (60, 60), "it does not drive")
        chair.call("/interface/halt_streams", True)
        driver.become("lost")
        chair.wait(lambda: chair.motors == (90, 90), "a silent chair drives on")
        chair.call("/interface/halt_streams", False)
        driver.become("confirmed")
        chair.stands(0.5, "it is confirmed again, and the command was held throughout")
        driver.again(0.54)
        chair.call("/interface/end_mode")
        driver.become("lost")
        driver.is_neutral()
        driver.wait_for_message("'chair physical' (4)")
        chair.stands(0.5, "the occupant took it back")


def test_a_killed_node_leaves_a_chair_that_brakes():
    with Pair() as (chair, driver):
        driver.activate()
        driver.again(0.54)
        chair.wait(lambda: chair.motors == (60, 60), "it does not drive")
        driver.process.kill()
        chair.wait(lambda: chair.motors == (90, 90), "the brakes do not engage", 1.5)
        assert chair.scaled.input_source == SHARED
        chair.call("/luci/remove_shared_remote_input")
        chair.wait(lambda: chair.scaled.input_source == PHYSICAL, "it cannot be given back by hand")


def test_a_chair_that_dies_is_reported_and_does_not_keep_the_node_from_ending():
    with Pair() as (chair, driver):
        driver.activate()
        driver.again(0.54)
        chair.process.kill()
        driver.become("lost", 1.0)
        driver.is_neutral()
        driver.wait_for_message("the chair does not report the mode")
        start = time.time()
        driver.process.stop()
        assert time.time() - start < 2.5
