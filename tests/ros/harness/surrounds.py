"""The node `surround`, and what its sensors publish."""

import math
import time

from diagnostic_msgs.msg import DiagnosticArray
from graph import SLACK, Graph
from luci_messages.msg import LuciZoneScaling
from processes import Process
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import LaserScan
from zones import FIELDS, arguments, statuses

# As sensors publish.
SENSOR = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
SCANNER = {"sensors.scanner.topic": "scan"}
CAMERA = {"sensors.camera.topic": "points", "sensors.camera.type": "cloud", "sensors.camera.z": 0.0, "sensors.camera.least_points": 1}
FREE = math.inf


def stamped(message, frame="base_link", age=0.0):
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time.time_ns() - int(age * 1e9), 1_000_000_000)
    message.header.frame_id = frame
    return message


def scan(distance=lambda degrees: FREE, beams=360):
    """A scan of 360 degrees from straight astern on; `distance` of a bearing [degrees], to the left positive [m]."""
    step = 360.0 / beams
    ranges = [float(distance(index * step - 180.0)) for index in range(beams)]
    return LaserScan(
        angle_min=-math.pi, angle_max=math.pi, angle_increment=math.radians(step), range_min=0.05, range_max=30.0, ranges=ranges
    )


class Surround:
    """The node with the default vehicle: 0.6 m to the front, 0.5 m to the back, 0.35 m to each side."""

    def __init__(self, parameters=SCANNER, subscribed_topics=("/scan",)):
        self.graph = Graph()
        self.graph.subscribe(LuciZoneScaling, "/luci/scaling", QoSProfile(depth=1000))
        self.graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=100))
        self.repeated, self.publishers, self.subscribed_topics, self.age = {}, {}, subscribed_topics, 0.0
        self.timer = self.graph.node.create_timer(0.05, self._repeat)
        self.process = Process("surround", *arguments(parameters))

    def __enter__(self):
        self.wait(lambda: self.graph.last("/luci/scaling"), "no scaling comes", 10.0)
        return self

    def __exit__(self, *_):
        try:
            self.process.stop()
        finally:
            self.graph.close()

    def _repeat(self):
        for topic, message in list(self.repeated.items()):
            frame = message.header.frame_id or "base_link"
            self.publisher(topic, type(message)).publish(stamped(message, frame, self.age))

    def publisher(self, topic, kind):
        if topic not in self.publishers:
            self.publishers[topic] = self.graph.node.create_publisher(kind, topic, SENSOR)
        return self.publishers[topic]

    def see(self, message, topic="/scan"):
        """Sets the scan that is published twenty times a second from now on."""
        self.repeated[topic] = message

    @property
    def factors(self):
        message = self.graph.last("/luci/scaling")
        return {field: round(getattr(message, field), 3) for field in FIELDS} if message else {}

    def wait(self, condition, what, timeout=4.0):
        return self.graph.wait(condition, lambda: f"{what}; {self.factors}\n{self.process.output}", timeout)

    def wait_for(self, what="", near=0.02, timeout=4.0, **factors):
        def holds():
            def holds_for(found, value):
                return math.isnan(found) if math.isnan(value) else abs(found - value) <= near

            return self.factors and all(holds_for(self.factors[field], value) for field, value in factors.items())

        return self.wait(holds, f"{what}: must become {factors}", timeout)

    def wait_for_all(self, factor, what, timeout=4.0):
        return self.wait_for(what, timeout=timeout, near=0.0, **{field: factor for field in FIELDS})

    def wait_for_blind(self, what, timeout=4.0):
        """Nobody sees anything: no factor is a number."""
        return self.wait_for_all(math.nan, what, timeout)

    def blind_within(self, bound, start, what):
        """No factor is a number any more, within so many seconds after `start` by the monotonic clock."""

        def blind():
            published = [(at, message) for at, message in self.graph.messages["/luci/scaling"] if at >= start]
            return [at for at, message in published if all(math.isnan(getattr(message, field)) for field in FIELDS)]

        self.wait(blind, f"{what}: it does not become blind", bound + 2.0)
        took = blind()[0] - start
        assert took < bound + SLACK, f"{what}: blocked after {took:.3f} s, must be within {bound} s"

    def wait_for_status(self, level, text):
        def reported():
            return statuses(self.graph, "surround")[-1:]

        self.wait(
            lambda: any(found == level and text in message for found, message, _ in reported()), f"diagnostics must contain '{text}'"
        )
        return reported()[-1][2]

    def stays_blind(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        published = self.graph.since("/luci/scaling", start)
        blind = [all(math.isnan(getattr(message, field)) for field in FIELDS) for message in published]
        assert published and all(blind), f"{what}: {self.factors}"
        assert self.process.process.poll() is None, self.process.output
