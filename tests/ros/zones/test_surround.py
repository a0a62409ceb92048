"""Zone scaling from scans and clouds over the wire: obstacles block, and so do invalid measurements."""

import contextlib
import math
import signal
import struct
import time

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from graph import SLACK
from luci_messages.msg import LuciJoystickScaling
from nav_msgs.msg import Odometry
from processes import Process
from sensor_msgs.msg import LaserScan, PointCloud2, PointField
from surrounds import CAMERA, FREE, SCANNER, SENSOR, Surround, scan, stamped
from vehicle import second_publisher
from zones import statuses


def wall(x):
    """A wall across the way, at x ahead or astern [m]."""

    def distance(degrees):
        along = math.cos(math.radians(degrees)) * math.copysign(1.0, x)
        return abs(x) / along if along > 0.1 else FREE

    return scan(distance)


def cloud(points, names="xyz", order="<", step=16, kind="f"):
    size = struct.calcsize(kind)
    fields = [PointField(name=name, offset=size * index, datatype=7 if kind == "f" else 8, count=1) for index, name in enumerate(names)]
    data = b"".join(struct.pack(f"{order}3{kind}", *point).ljust(step, b"\0") for point in points)
    return PointCloud2(
        height=1, width=len(points), fields=fields, is_bigendian=order == ">", point_step=step, row_step=step * len(points), data=data
    )


AHEAD = [(1.5, y / 10, 0.5) for y in range(-5, 6)]


def test_a_wall_ahead_blocks_the_front_and_frees_the_back():
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "nothing around")
        # 0.9 m ahead of the front edge: (0.9 - 0.3) / (1.5 - 0.3) = 0.5.
        surround.see(wall(1.5))
        surround.wait_for("wall ahead", front_fb=0.5, back_fb=1.0, back_left_fb=1.0, back_right_fb=1.0)
        surround.see(wall(0.9))
        surround.wait_for("wall at the stop distance", front_fb=0.0, front_left_fb=0.0, back_fb=1.0, back_rl=1.0, left_rl=1.0)
        # 0.5 m of it is the vehicle: (1.0 - 0.3) / 1.2.
        surround.see(wall(-1.5))
        surround.wait_for("wall astern", front_fb=1.0, back_fb=0.583)
        values = surround.wait_for_status(DiagnosticStatus.OK, "every sensor is fresh")
        assert values["unusable"] == "0" and float(values["nearest"].split()[0]) == pytest.approx(1.5, abs=0.01)


def test_a_post_beside_the_corner_blocks_its_side_only():
    with Surround(CAMERA) as surround:
        # Left of the front left corner: ahead passes it, a turn to the left does not.
        surround.see(cloud([(0.62, 0.45, 0.5)]), "/points")
        surround.wait_for("left", front_fb=1.0, front_right_fb=1.0, right_rl=1.0, back_fb=1.0)
        surround.wait(lambda: surround.factors["front_left_fb"] < 0.2, "front left")


def test_a_cloud_limits_the_same_in_every_layout():
    with Surround(CAMERA) as surround:
        for what, message in (
            ("little endian", cloud(AHEAD)),
            ("big endian", cloud(AHEAD, order=">")),
            ("doubles", cloud(AHEAD, kind="d", step=32)),
            ("no padding", cloud(AHEAD, step=12)),
            ("other fields first", cloud([(z, x, y) for x, y, z in AHEAD], names="zxy")),
        ):
            surround.see(cloud([(9.0, 9.0, 0.5)]), "/points")
            surround.wait_for_all(1.0, f"before {what}")
            surround.see(message, "/points")
            surround.wait_for(what, front_fb=0.5, back_fb=1.0)


def spoilt(**changes):
    message = cloud(AHEAD)
    for name, value in changes.items():
        setattr(message, name, value)
    return message


BAD_CLOUDS = {
    "no z": (cloud(AHEAD, names="xya"), "field 'z' is missing"),
    "no fields": (spoilt(fields=[]), "field 'x' is missing"),
    "whole numbers": (spoilt(fields=[PointField(name=n, offset=0, datatype=5, count=1) for n in "xyz"]), "datatype 5"),
    "field outside": (spoilt(fields=[PointField(name=n, offset=14, datatype=7, count=1) for n in "xyz"]), "offset 14"),
    "wrong point_step": (spoilt(point_step=17), "row_step is 176"),
    "point_step 0": (spoilt(point_step=0), "must end within point_step"),
    "wrong row_step": (spoilt(row_step=175), "row_step is 175"),
    "data cut short": (spoilt(data=cloud(AHEAD).data[:-1]), "data has 175 bytes"),
    "more promised than sent": (spoilt(width=2**32 - 1, height=2**32 - 1), "row_step is 176"),
    "no points": (cloud([]), "0 of 0 are measurements"),
    "points that are no numbers": (cloud([(math.nan, 0.0, 0.0), (math.inf, 0.0, 0.0)]), "0 of 2 are measurements"),
}


@pytest.mark.parametrize("name", BAD_CLOUDS)
def test_a_cloud_that_is_no_measurement_blocks(name):
    message, why = BAD_CLOUDS[name]
    with Surround(CAMERA) as surround:
        surround.see(cloud([(9.0, 9.0, 0.5)]), "/points")
        surround.wait_for_all(1.0, "before")
        surround.see(message, "/points")
        surround.wait_for_blind(name)
        values = surround.wait_for_status(DiagnosticStatus.ERROR, why)
        assert int(values["unusable"]) > 0
        surround.see(cloud([(9.0, 9.0, 0.5)]), "/points")
        surround.wait_for_all(1.0, "a good one again")


BAD_SCANS = {
    "all NaN": (scan(lambda _: math.nan), "0 of 360"),
    "no beams": (LaserScan(angle_increment=0.1), "0 of 0"),
    "no increment": (LaserScan(ranges=[5.0] * 360), "angle_increment is 0"),
    "angle NaN": (LaserScan(ranges=[5.0] * 360, angle_min=math.nan, angle_increment=0.1), "angle_min is NaN"),
    "range_min NaN": (LaserScan(ranges=[5.0] * 360, angle_increment=0.0175, range_min=math.nan), "range_min is NaN"),
    "mostly NaN": (scan(lambda degrees: FREE if int(degrees) % 3 == 0 else math.nan), "of 360 are measurements"),
}


@pytest.mark.fault("surround-silent")
@pytest.mark.parametrize("name", BAD_SCANS)
def test_a_scan_that_is_no_measurement_blocks(name):
    message, why = BAD_SCANS[name]
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "before")
        surround.see(message)
        surround.wait_for_blind(name)
        values = surround.wait_for_status(DiagnosticStatus.ERROR, why)
        assert int(values["unusable"]) > 0


def test_a_part_of_nan_blocks_that_part():
    with Surround() as surround:
        surround.see(scan(lambda degrees: math.nan if abs(degrees) < 15.0 else FREE))
        surround.wait_for("blind ahead", near=0.0, front_fb=0.0, back_fb=1.0)


@pytest.mark.fault("surround-silent")
def test_a_silent_sensor_blocks_and_is_reported():
    with Surround({**SCANNER, **CAMERA, "sensors.camera.covers_from": -45.0, "sensors.camera.covers_to": 45.0}) as surround:
        surround.stays_blind(0.5, "nothing was received")
        surround.wait_for_status(DiagnosticStatus.ERROR, "silent sensor counts as blocked: camera, scanner")
        surround.see(scan())
        surround.wait_for("only the camera is silent", near=0.0, front_fb=math.nan, back_fb=1.0)
        surround.see(cloud([(9.0, 9.0, 0.5)]), "/points")
        surround.wait_for_all(1.0, "both")
        start = time.monotonic()
        surround.repeated.clear()
        surround.blind_within(0.5, start, "silence")


@pytest.mark.fault("surround-conflict")
def test_a_second_publisher_of_a_sensor_blocks_and_is_reported():
    """By turns a wall would be there and not."""
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "free")
        start = time.monotonic()
        with second_publisher(LaserScan, "/scan", SENSOR, surround.graph.context):
            surround.blind_within(0.2, start, "two publishers")
            surround.stays_blind(0.5, "two publishers")
            surround.wait_for_status(DiagnosticStatus.ERROR, "counts as blocked: 2 publishers, must be 1")
        surround.wait_for_all(1.0, "one again", 6.0)


@pytest.mark.fault("surround-silent")
def test_the_same_stamp_again_keeps_nothing_alive():
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "free")
        surround.repeated.clear()
        start = time.monotonic()
        frozen = stamped(scan())
        timer = surround.graph.node.create_timer(0.05, lambda: surround.publisher("/scan", LaserScan).publish(frozen))
        surround.blind_within(0.5, start, "a relay repeats the last message of a dead sensor")
        surround.stays_blind(0.5, "the repetition continues")
        surround.graph.node.destroy_timer(timer)


@pytest.mark.fault("surround-silent")
@pytest.mark.parametrize("age, why", [(0.55, "s old, must be less than 'timeout', 0.5 s"), (-3600.0, "s ahead of the clock")])
def test_a_scan_of_another_time_blocks_although_its_stamps_advance(age, why):
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "of now")
        start = time.monotonic()
        surround.age = age
        surround.blind_within(0.5, start, "of another time")
        surround.stays_blind(0.7, "it goes on")
        values = surround.wait_for_status(DiagnosticStatus.ERROR, why)
        assert int(values["unusable"]) > 0
        surround.age = 0.0
        surround.wait_for_all(1.0, "of now again")


def test_the_meaning_of_a_range_of_zero_is_a_parameter():
    """Some drivers publish it where no echo came back; a vehicle must not stand still for ever then."""
    dead = scan()
    dead.ranges = [0.0] * len(dead.ranges)
    with Surround() as surround:
        surround.see(dead)
        surround.wait_for_all(0.0, "by REP-117 it is too near to measure")
    with Surround({**SCANNER, "sensors.scanner.zero_range": "nothing"}) as surround:
        surround.see(dead)
        surround.wait_for_all(1.0, "nothing in reach")


def test_bearings_that_are_not_measured_are_reported():
    """A scanner of 180 degrees and the default parameters, which expect 360 degrees."""
    with Surround() as surround:
        half = scan()
        half.ranges, half.angle_min = half.ranges[len(half.ranges) // 4 : 3 * len(half.ranges) // 4], half.angle_min / 2.0
        surround.see(half)
        values = surround.wait_for_status(DiagnosticStatus.WARN, "to -90 degrees, which counts as blocked: covers_from")
        assert values["sensors"] == "scanner is fresh"


@pytest.mark.fault("surround-silent")
def test_a_cloud_of_a_single_point_frees_nothing():
    camera = {name: value for name, value in CAMERA.items() if "least_points" not in name}
    with Surround(camera) as surround:
        surround.see(cloud([(9.0, 9.0, 0.5)] * 50), "/points")
        surround.wait_for_all(1.0, "enough points")
        start = time.monotonic()
        surround.see(cloud([(9.0, 9.0, 0.5)]), "/points")
        surround.blind_within(0.5, start, "a single one")
        surround.wait_for_status(DiagnosticStatus.ERROR, "1 points are measurements, must be 'least_points', 50, at least")


def test_a_message_in_another_frame_blocks():
    with Surround({**SCANNER, "sensors.scanner.frame": "laser"}) as surround:
        free = scan()
        free.header.frame_id = "laser"
        surround.see(free)
        surround.wait_for_all(1.0, "its own frame")
        wrong = scan()
        wrong.header.frame_id = "map"
        surround.see(wrong)
        surround.wait_for_blind("another frame")
        surround.wait_for_status(DiagnosticStatus.ERROR, "header.frame_id is 'map', must be 'laser'")


def test_a_huge_cloud_is_received():
    points = [(3.0 + index % 7, index % 100 / 50 - 1.0, 0.5) for index in range(100_000)]
    huge = cloud([*points, *AHEAD])
    with Surround(CAMERA) as surround:
        publisher = surround.publisher("/points", PointCloud2)
        surround.wait(lambda: publisher.get_subscription_count() > 0, "there is no subscriber")
        for _ in range(300):  # best effort, in a thousand fragments, which a busy machine seldom receives completely
            publisher.publish(stamped(huge))
            time.sleep(0.1)
            if surround.factors["back_fb"] == 1.0:
                assert abs(surround.factors["front_fb"] - 0.5) < 0.02, surround.factors
                return
        assert False, f"100,000 points: {surround.factors}"


@pytest.mark.fault("flood")
def test_a_flood_of_scans_is_no_queue():
    with Surround() as surround:
        publisher = surround.publisher("/scan", LaserScan)
        surround.wait(lambda: publisher.get_subscription_count() > 0, "there is no subscriber")
        free, blocked = scan(), wall(0.9)
        end = time.monotonic() + 2.0
        while time.monotonic() < end:
            publisher.publish(stamped(free))
            time.sleep(0.001)
        for _ in range(3):  # best effort: one may be lost
            publisher.publish(stamped(blocked))
            time.sleep(0.002)
        took = surround.wait_for("the newest", timeout=0.2, front_fb=0.0)
        assert took < 0.1, f"took {took:.3f} s"
        assert surround.process.process.poll() is None


@pytest.mark.fault("odometry-lost")
def test_the_time_to_a_collision_limits_a_quick_vehicle():
    with Surround({**SCANNER, "velocity": "used"}) as surround:
        surround.see(wall(2.6))
        # Without odometry full throw of 1 m/s is assumed, and 2 m take 2 s: nothing to limit; at 1.6 m/s (1.25 - 0.5) / 1.5 = 0.5.
        surround.wait_for_status(DiagnosticStatus.WARN, "no velocity in time")
        quick = Odometry(child_frame_id="base_link")
        quick.twist.twist.linear.x = 1.6
        surround.see(quick, "/odom")
        surround.wait_for("towards the wall", front_fb=0.5, back_fb=1.0)
        quick.twist.twist.linear.x = -1.6
        surround.wait_for("away from it", front_fb=1.0)
        quick.twist.twist.angular.z = math.nan
        surround.wait_for_status(DiagnosticStatus.WARN, "no velocity in time")
        surround.wait(lambda: int(statuses(surround.graph, "surround")[-1][2]["invalid velocities"]) > 0, "not counted")


# How odometry is lost, within which time of its last measurement, and how it is there again.
LOST_ODOMETRY = {"silent": 0.5, "old": 0.5, "the same again": 0.5, "two publishers": 0.2}


@pytest.mark.fault("odometry-lost")
@pytest.mark.parametrize("lost", LOST_ODOMETRY)
def test_without_the_odometry_full_speed_is_assumed(lost):
    """1.4 m before a wall: (1.4 - 0.3) / 1.2 by the distance, and (1.4 s - 0.5) / 1.5 by the time at full speed, 1 m/s."""
    with Surround({**SCANNER, "velocity": "used"}) as surround:
        surround.see(wall(2.0))
        slow = Odometry(child_frame_id="base_link")
        slow.twist.twist.linear.x = 0.2
        topic, kept = "/odom", surround.graph.node
        age, frozen, speaks = 0.0, None, True

        def publish():
            if speaks:
                surround.publisher(topic, Odometry).publish(frozen or stamped(slow, "odom", age))

        kept.create_timer(0.05, publish)
        surround.wait_for("a slow vehicle", front_fb=0.917, back_fb=1.0)
        start = time.monotonic()
        with contextlib.ExitStack() as stack:
            if lost == "silent":
                speaks = False
            elif lost == "old":
                age = 0.55
            elif lost == "the same again":
                frozen = stamped(slow, "odom")
            else:
                stack.enter_context(second_publisher(Odometry, topic, SENSOR, surround.graph.context))
            surround.wait(lambda: surround.factors["front_fb"] < 0.9, f"{lost}: it counts on")
            fell = next(at for at, message in surround.graph.messages["/luci/scaling"] if at >= start and message.front_fb < 0.9) - start
            assert fell < LOST_ODOMETRY[lost] + SLACK, f"{lost}: the factor falls after {fell:.3f} s"
            surround.wait_for(lost, front_fb=0.6, back_fb=1.0)
            surround.wait_for_status(DiagnosticStatus.WARN, "velocity")
        age, frozen, speaks = 0.0, None, True
        surround.wait_for("measurements again", front_fb=0.917, back_fb=1.0)
        assert all(message.front_fb > 0.5 for message in surround.graph.since("/luci/scaling", start)), "it was never stopped by this alone"


def test_it_ends_before_anything_is_received():
    with Surround() as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "free")
        surround.process.process.send_signal(signal.SIGTERM)
        assert surround.process.wait() == 0
        surround.wait_for_blind("the last message", 1.0)


def test_killed_it_stops_the_command_behind_it():
    """scan to surround to zone_scaler to cmd_vel, all of it over the wire."""
    with Surround() as surround:
        graph = surround.graph
        scaler = Process("zone_scaler")
        try:
            graph.subscribe(TwistStamped, "/cmd_vel")
            command = TwistStamped()
            graph.repeat("/cmd_vel_arbitrated", command, 20.0)
            graph.subscribe(LuciJoystickScaling, "/zone_scaler/joystick_scaling")
            speed = lambda: graph.last("/cmd_vel") and graph.last("/cmd_vel").twist.linear.x  # noqa: E731
            surround.see(wall(1.5))
            surround.wait_for("the wall", front_fb=0.5)
            surround.wait(lambda: graph.last("/zone_scaler/joystick_scaling"), "the scaler does not start", 10.0)
            time.sleep(0.5)
            command.twist.linear.x = 1.0
            surround.wait(lambda: abs((speed() or 0.0) - 0.5) < 0.02, "half of full throw is left ahead", 10.0)
            surround.see(wall(0.9))
            surround.wait(lambda: speed() == 0.0, "a wall")
            command.twist.linear.x = -1.0
            surround.wait(lambda: speed() == -1.0, "the way back is free")
            start = time.monotonic()
            surround.process.kill()
            surround.wait(lambda: speed() == 0.0, "killed")
            took = next(at for at, message in graph.messages["/cmd_vel"] if at > start and message.twist.linear.x == 0.0) - start
            assert took < 0.5 + SLACK, f"took {took:.3f} s"
        finally:
            scaler.stop()
