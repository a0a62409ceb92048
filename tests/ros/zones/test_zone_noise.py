"""Anything at all on the inputs of zone_scaler and surround: what goes out makes sense, and the nodes live."""

import math
import os
import random
import struct
import time

import pytest
from luci_messages.msg import LuciJoystick, LuciJoystickScaling, LuciZoneScaling
from nav_msgs.msg import Odometry
from processes import Process
from sensor_msgs.msg import LaserScan, PointCloud2, PointField
from surrounds import CAMERA, SCANNER, Surround
from zones import APPLIED, APPLIED_TO_STICK, FIELDS, Scaler

SECONDS = 3.0
ODD = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e300, -1e300, math.inf, -math.inf, math.nan)
ODD32 = (*ODD[:5], 1e-40, 3e38, -3e38, *ODD[8:])
INTS = (0, 1, -1, 8, 9, 99, 100, -100, 101, -101, 2**31 - 1, -(2**31))


def dice():
    """By default as always; `NOISE_SEED=7` throws others."""
    return random.Random(int(os.environ.get("NOISE_SEED", "1")))


def number(dice, odd=ODD32):
    return dice.choice(odd) if dice.random() < 0.2 else dice.uniform(-1.2, 1.2)


def whole(dice):
    return dice.choice(INTS) if dice.random() < 0.3 else dice.randint(-110, 110)


@pytest.mark.parametrize("mode", ["apply", "predict", "passthrough"])
def test_every_command_is_within_full_throw(mode):
    throw = dice()
    parameters = {"mode": mode, "boundaries.hysteresis": 5.0, "rise_time": 0.2, "keep_direction": True}
    with Scaler(parameters, scaling=False) as scaler:
        for _ in range(int(SECONDS * 500)):
            factor = lambda: throw.random() if throw.random() < 0.9 else number(throw)  # noqa: E731
            stick = [whole(throw) for _ in range(4)]
            scaler.publishers["scaling"].publish(LuciZoneScaling(**{field: factor() for field in FIELDS}))
            scaler.publishers["stick"].publish(LuciJoystick(**dict(zip(LuciJoystick.get_fields_and_field_types(), stick))))
            chair = LuciJoystickScaling(forward_back=whole(throw), joystick_zone=whole(throw), forward_back_scaling=factor())
            scaler.publishers["feedback"].publish(chair)
            command = scaler.twist()
            if throw.random() < 0.8:  # and zeros, without which nothing begins
                for part in (command.twist.linear, command.twist.angular):
                    part.x, part.y, part.z = (number(throw, ODD) for _ in "xyz")
                if throw.random() < 0.5:  # no zone judges the others
                    command.twist.linear.y = command.twist.linear.z = command.twist.angular.x = command.twist.angular.y = 0.0
            if throw.random() < 0.1:
                command.header.stamp.sec, command.header.stamp.nanosec = whole(throw), throw.randrange(2**32)
            scaler.publishers["command"].publish(command)
            time.sleep(0.002)
        assert scaler.process.process.poll() is None, scaler.process.output
        if mode != "predict":
            scaler.wait_for_left(0.0, 0.0, "silence after the noise")
        scaler.wait(lambda: scaler.applied[:3] == scaler.applied_to_stick[:3] == (0, 0, 8), "silence after the noise")
        left = [message.twist for message in scaler.graph.since("/cmd_vel", 0.0)]
        assert bool(left) == (mode != "predict")
        for twist in left:
            assert abs(twist.linear.x) <= 1.0 and abs(twist.angular.z) <= 1.0, twist
            others = {twist.linear.y, twist.linear.z, twist.angular.x, twist.angular.y}
            assert mode == "passthrough" or others == {0.0}, twist
            assert all(math.hypot(part.x, part.y, part.z) < 1.0 + 1e-9 for part in (twist.linear, twist.angular)), twist
        for topic in (APPLIED, APPLIED_TO_STICK):
            reported = scaler.graph.since(topic, 0.0)
            assert len({(m.forward_back, m.left_right) for m in reported}) > 20, f"{topic}: the noise did nothing"
            for m in reported:
                assert abs(m.forward_back) <= 100 and abs(m.left_right) <= 100 and 0 <= m.joystick_zone <= 8, m
                assert 0 <= m.input_source <= 5 and 0.0 <= m.forward_back_scaling <= 1.0 and 0.0 <= m.left_right_scaling <= 1.0, m
        assert "panicked" not in scaler.process.output


def any_scan(throw):
    odd = throw.choice((0.0, 0.0, 0.2, 1.0))
    beams = [throw.choice(ODD32) if throw.random() < odd else throw.uniform(1.5, 5.0) for _ in range(throw.choice((0, 1, 360, 360)))]
    scan = LaserScan(angle_min=-3.1, angle_increment=0.0175, range_min=0.05, ranges=beams)
    if throw.random() < 0.2:
        setattr(scan, throw.choice(("angle_min", "angle_increment", "range_min", "range_max")), throw.choice(ODD32))
    return scan


def any_cloud(throw):
    count, step = throw.randrange(40), throw.choice((12, 16, 20))
    fields = [PointField(name=name, offset=4 * index, datatype=7, count=1) for index, name in enumerate("xyz")]
    cloud = PointCloud2(height=1, width=count, point_step=step, row_step=step * count, fields=fields)
    point = lambda: struct.pack("<5f", *(throw.uniform(-5.0, 5.0) for _ in range(5)))[:step]  # noqa: E731
    cloud.data = throw.randbytes(step * count) if throw.random() < 0.3 else b"".join(point() for _ in range(count))
    cloud.is_bigendian = throw.random() < 0.2
    if throw.random() < 0.2:
        name = throw.choice(("height", "width", "point_step", "row_step"))
        setattr(cloud, name, throw.choice((0, 1, 3, 2**31, 2**32 - 1)))
    if throw.random() < 0.2:
        field = throw.choice(fields)
        field.offset, field.datatype, field.count = (throw.choice((0, 5, 9, 2**32 - 1)), throw.randrange(256), throw.choice((0, 7)))
    return cloud


def test_every_reading_leads_to_valid_factors():
    throw = dice()
    with Surround({**SCANNER, **CAMERA, "sensors.camera.inside": "ignored", "sensors.camera.measured_least": 0.0, "velocity": "used"}) as surround:
        publishers = [surround.publisher(*of) for of in (("/scan", LaserScan), ("/points", PointCloud2), ("/odom", Odometry))]
        surround.wait(lambda: all(p.get_subscription_count() for p in publishers), "there is no subscriber")
        scans, clouds, odometry = publishers
        for _ in range(int(SECONDS * 300)):
            for publisher, message in ((scans, any_scan(throw)), (clouds, any_cloud(throw))):
                if throw.random() < 0.2:
                    message.header.stamp.sec, message.header.stamp.nanosec = whole(throw), throw.randrange(2**32)
                publisher.publish(message)
            moved = Odometry()
            moved.twist.twist.linear.x, moved.twist.twist.angular.z = number(throw, ODD), number(throw, ODD)
            odometry.publish(moved)
            time.sleep(0.002)
        assert surround.process.process.poll() is None, surround.process.output
        surround.wait_for_all(0.0, "silence after the noise")
        published = surround.graph.since("/luci/scaling", 0.0)
        factors = [getattr(message, field) for message in published for field in FIELDS]
        assert all(0.0 <= factor <= 1.0 or math.isnan(factor) for factor in factors) and any(0.0 < factor < 1.0 for factor in factors)
        assert "panicked" not in surround.process.output


def test_the_noise_of_one_node_is_the_input_of_the_next():
    """A node that starts in the middle of it."""
    throw = dice()
    with Scaler(scaling=False) as scaler:
        surround = Process("surround")
        try:
            scaler.command(1.0)
            scans = scaler.graph.node.create_publisher(LaserScan, "/scan", 10)
            for _ in range(200):
                scans.publish(any_scan(throw))
                time.sleep(0.01)
            assert scaler.process.process.poll() is None and surround.process.poll() is None
            assert all(0.0 <= m.twist.linear.x <= 1.0 for m in scaler.graph.since("/cmd_vel", 0.0))
        finally:
            surround.stop()
        assert surround.wait() == 0
