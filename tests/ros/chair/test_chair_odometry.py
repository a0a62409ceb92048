"""LUCI's encoders, inertial unit and cameras as standard messages, compared with the closed form."""

import math
import time

import pytest
from chairs import FRONT, ONE, Driver, active
from graph import EDGE
from luci_messages.msg import LuciCameraInfo, LuciEncoders, LuciImu
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, Imu
from std_msgs.msg import Int32
from tf2_msgs.msg import TFMessage

# The measures of LUCI's own library: the right angle grows forward, the left one falls.
CIRCUMFERENCE, BASE, GEAR = 1.0373, 0.5065, 2.38462
DEGREES = 360.0 * GEAR / CIRCUMFERENCE  # of an encoder for a metre of its wheel
WRAP = 2**32


class Wheels:
    """The encoders of two wheels that turn as the test sets."""

    def __init__(self, driver, clock=1000):
        self.graph, self.clock, self.ways, self.sent = driver.graph, clock, [0.0, 0.0], []
        self.driver = driver
        self.graph.subscribe(Odometry, "/odom", EDGE)
        self.graph.subscribe(TFMessage, "/tf", EDGE)
        # Messages are lost until discovery, and the first three do not count: the wheels stand until they are received.
        end = time.monotonic() + 5.0
        while not self.last and time.monotonic() < end:
            self.turn(0.0, 0.0, 1)
            time.sleep(0.03)
        self.turn(0.0, 0.0)
        assert self.pose() == (0.0, 0.0, 0.0)

    def angles(self):
        left, right = self.ways
        return [round(way * DEGREES % 360.0, 2) % 360.0 for way in (-left, right)]

    def send(self, left, right, clock):
        message = LuciEncoders(left_angle=left, right_angle=right, edge_timestamp=clock % WRAP)
        message.header.stamp = self.graph.node.get_clock().now().to_msg()
        message.header.frame_id = "base_link"
        self.sent.append(message)
        self.graph.publish("/luci/encoders", message)
        time.sleep(0.003)

    def turn(self, left, right, millis=10):
        """The wheels go on by so many metres in so many milliseconds."""
        self.ways = [self.ways[0] + left, self.ways[1] + right]
        self.clock += millis
        self.send(*self.angles(), self.clock)

    def arc(self, left, right, steps):
        for _ in range(steps):
            self.turn(left / steps, right / steps)
        return self.pose()

    def pose(self):
        """The pose that belongs to the last encoders."""
        stamp = self.sent[-1].header.stamp
        self.driver.wait(lambda: self.last and self.last.header.stamp == stamp, "the last encoders give no odometry")
        pose = self.last.pose.pose
        return pose.position.x, pose.position.y, 2.0 * math.atan2(pose.orientation.z, pose.orientation.w)

    @property
    def last(self):
        return self.graph.last("/odom")


@pytest.mark.parametrize("clock", [1000, 65_300, WRAP - 300], ids=["plain", "wrap of 16 bit", "wrap of 32 bit"])
def test_straight_arcs_and_turns_are_the_closed_form(clock):
    with Driver() as driver:
        wheels = Wheels(driver, clock)
        # A turn of the wheel is its circumference; the encoders wrap 2.4 times on the way, the clock once.
        x, y, heading = wheels.arc(CIRCUMFERENCE, CIRCUMFERENCE, 60)
        assert (x, y, heading) == pytest.approx((CIRCUMFERENCE, 0.0, 0.0), abs=1e-3)
        twist = wheels.last.twist.twist
        # Each step is a sixtieth of it in 10 ms, but for a hundredth of a degree.
        assert twist.linear.x == pytest.approx(CIRCUMFERENCE / 0.6, abs=0.01) and twist.linear.y == 0.0
        # A quarter of a circle of 1 m to the left: from (1.0373, 0) it ends 1 m ahead and 1 m to the left, facing left.
        quarter = math.pi / 2.0
        x, y, heading = wheels.arc((1.0 - BASE / 2) * quarter, (1.0 + BASE / 2) * quarter, 80)
        assert (x, y, heading) == pytest.approx((CIRCUMFERENCE + 1.0, 1.0, quarter), abs=2e-3)
        assert wheels.last.twist.twist.angular.z > 1.0
        # Turning in place by 270 degrees to the right: from 90 degrees to -180.
        way = 0.75 * math.pi * BASE
        x, y, heading = wheels.arc(way, -way, 80)
        assert (x, y) == pytest.approx((CIRCUMFERENCE + 1.0, 1.0), abs=2e-3)
        assert abs(heading) == pytest.approx(math.pi, abs=4e-3)
        # Backward, opposite to the present heading.
        x, y, heading = wheels.arc(-0.5, -0.5, 40)
        assert (x, y) == pytest.approx((CIRCUMFERENCE + 1.5, 1.0), abs=4e-3)
        covariance = wheels.last.pose.covariance
        assert 0.0 < covariance[0] < 0.1 and 0.0 < covariance[35] < 0.1 and covariance[14] == covariance[21] == 1e6
        assert wheels.last.twist.covariance[0] > 0.0


def test_frames_and_transform_are_those_of_rep_105():
    with Driver() as driver:
        wheels = Wheels(driver)
        wheels.arc(0.1, 0.2, 20)
        odometry = wheels.last
        assert (odometry.header.frame_id, odometry.child_frame_id) == ("odom", "base_link")
        driver.wait(lambda: driver.graph.last("/tf").transforms[0].header.stamp == odometry.header.stamp, "no transform")
        transform = driver.graph.last("/tf").transforms[0]
        assert (transform.header.frame_id, transform.child_frame_id) == ("odom", "base_link")
        position = odometry.pose.pose.position
        assert (transform.transform.translation.x, transform.transform.translation.y) == (position.x, position.y)
        assert transform.transform.rotation == odometry.pose.pose.orientation


def test_frames_are_parameters_and_the_transform_can_be_left_to_others():
    with Driver({"frames.odom": "wheels", "frames.base": "chair", "odometry.tf": False}) as driver:
        wheels = Wheels(driver)
        wheels.arc(0.1, 0.1, 10)
        assert (wheels.last.header.frame_id, wheels.last.child_frame_id) == ("wheels", "chair")
        assert not driver.graph.messages["/tf"] and driver.graph.node.count_publishers("/tf") == 0


def test_an_invalid_angle_moves_nothing():
    with Driver() as driver:
        wheels = Wheels(driver)
        before = wheels.arc(0.1, 0.1, 10)
        bad = [math.nan, math.inf, -math.inf, -0.01, 360.1, 3e38]
        for value in bad:
            wheels.send(value, 0.0, wheels.clock + 1)
            wheels.send(0.0, value, wheels.clock + 1)
        after = wheels.arc(0.0, 0.0, 1)
        assert after == pytest.approx(before, abs=1e-6)
        driver.wait(lambda: driver.value("odometry: invalid") == str(2 * len(bad)), lambda: str(driver.value("odometry: invalid")))


def test_gaps_jumps_and_a_new_clock_move_nothing_and_are_counted():
    with Driver() as driver:
        wheels = Wheels(driver)
        before = wheels.arc(0.1, 0.1, 10)
        sure = wheels.last.pose.covariance[0]
        wheels.turn(0.05, 0.05, 500)  # a gap
        wheels.turn(0.2, 0.2)  # 20 m/s
        wheels.clock = 0  # a board that restarts
        wheels.turn(0.05, 0.05)
        wheels.send(*wheels.angles(), wheels.clock)  # the same message again
        after = wheels.arc(0.01, 0.01, 1)
        assert after == pytest.approx((before[0] + 0.01, before[1], before[2]), abs=1e-3)
        assert wheels.last.pose.covariance[0] > sure + 0.01
        for key in ("gaps", "jumps", "late"):
            driver.wait(lambda: driver.value(f"odometry: {key}") == "1", lambda: f"{key}: {driver.value(f'odometry: {key}')}")


def publish_and_wait(driver, topic, message, answer):
    """Publishes `message` until there is a message on `answer`, and returns that: subscribers may not be discovered yet."""
    message.header.stamp = driver.graph.node.get_clock().now().to_msg()
    for _ in range(100):
        driver.graph.publish(topic, message)
        time.sleep(0.03)
        if driver.graph.messages[answer]:
            assert driver.graph.last(answer).header.stamp == message.header.stamp
            return driver.graph.last(answer)
    raise AssertionError(f"nothing on {answer}:\n{driver.process.output}")


def imu(driver, **values):
    driver.graph.subscribe(Imu, "/chair/imu", EDGE)
    return publish_and_wait(driver, "/luci/imu", LuciImu(**values), "/chair/imu")


def test_the_inertial_unit_is_turned_to_x_forward():
    with Driver({"imu.acceleration_unit": 9.80665}) as driver:
        # LUCI's axes: x right, y forward. Facing along the world's x, its x points to -y: turned by -90 degrees about z.
        half = math.sqrt(0.5)
        garbage = {"gyro_y": math.nan, "gyro_z": 3e38, "cal_system": -(2**31), "euler_x": math.inf}
        facing = {"quaternion_z": -half, "quaternion_w": half}
        # Speeding up forward by 0.5 g, to the right by 0.25 g.
        reported = imu(driver, accelerometer_x=0.25, accelerometer_y=0.5, accelerometer_z=1.0, **facing, **garbage)
        assert reported.header.frame_id == "base_link"
        q = reported.orientation
        assert (q.x, q.y, q.z, q.w) == pytest.approx((0.0, 0.0, 0.0, 1.0), abs=1e-6)
        a = reported.linear_acceleration
        assert (a.x, a.y, a.z) == pytest.approx((4.903325, -2.4516625, 9.80665), abs=1e-5)
        # REP-145: -1 as the first element means that there is no value; zeros mean that its covariance is unknown.
        assert reported.angular_velocity_covariance[0] == -1.0 and reported.angular_velocity.z == 0.0
        assert reported.orientation_covariance[0] == 0.0 and reported.linear_acceleration_covariance[0] == 0.0


def test_garbage_of_an_inertial_unit_is_no_measurement():
    with Driver() as driver:
        reported = imu(driver, accelerometer_x=math.nan)  # and a quaternion of zeros
        assert reported.orientation_covariance[0] == reported.linear_acceleration_covariance[0] == -1.0
        assert reported.linear_acceleration.z == 0.0 and reported.orientation.w == 1.0
        driver.counts("incomplete imus")


@pytest.mark.parametrize("side", ["left", "right", "rear"])
def test_cameras_have_their_info_and_frames(side):
    with Driver() as driver:
        driver.graph.subscribe(CameraInfo, f"/chair/{side}_camera_info", EDGE)
        message = LuciCameraInfo(intrinsics=[600.0, 500.0, 320.0, 240.0], type=2)
        message.header.frame_id = f"{side}_camera"
        topic = f"/luci/{side}_camera_info"
        reported = publish_and_wait(driver, topic, message, f"/chair/{side}_camera_info")
        assert reported.header == message.header
        assert list(reported.k) == [600.0, 0.0, 320.0, 0.0, 500.0, 240.0, 0.0, 0.0, 1.0]
        assert list(reported.r) == [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
        assert list(reported.p) == [600.0, 0.0, 320.0, 0.0, 0.0, 500.0, 240.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        assert reported.distortion_model == "" and not reported.d and (reported.width, reported.height) == (0, 0)
        for bad in ([0.0, 1.0, 1.0, 1.0], [1.0, math.nan, 1.0, 1.0], [1.0, 1.0, math.inf, 1.0]):
            driver.graph.publish(topic, LuciCameraInfo(intrinsics=bad))
        driver.counts("invalid cameras", 3)
        assert {message.header.frame_id for _, message in driver.graph.messages[f"/chair/{side}_camera_info"]} == {reported.header.frame_id}


@pytest.mark.pair
def test_floods_of_measurements_do_not_hold_up_the_stick():
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        node = driver.graph.node
        floods = [
            (node.create_publisher(LuciEncoders, "/luci/encoders", ONE), LuciEncoders(left_angle=3e38)),
            (node.create_publisher(LuciImu, "/luci/imu", ONE), LuciImu()),
            (node.create_publisher(LuciCameraInfo, "/luci/rear_camera_info", ONE), LuciCameraInfo()),
            (luci.profiles, Int32(data=1)),
        ]
        driver.wait(lambda: all(publisher.get_subscription_count() for publisher, _ in floods), "not all are received")
        start, number = time.time(), 0
        while time.time() < start + 2.0:
            number += 1
            for publisher, message in floods:
                publisher.publish(message)
            time.sleep(max(0.0, start + number * 0.001 - time.time()))
        sticks = driver.sticks(start)
        assert number > 1000 and {stick for _, stick in sticks} == {(50, 0, FRONT, 5)}
        gaps = [b - a for (a, _), (b, _) in zip(sticks, sticks[1:])]
        assert max(gaps) < 0.1, f"a gap of {max(gaps):.3f} s, at which a chair brakes"
        driver.counts("odometry: invalid", 500)
