"""Publishes `/clock` as a simulator does, and plays messages with it as `ros2 bag play --clock` does."""

import time

from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

# As rclcpp's `ClockQoS`, which simulators and rosbag2 use.
CLOCK_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def stamp_of(seconds):
    return Time(sec=int(seconds), nanosec=int(seconds % 1 * 1e9))


def seconds_of(stamp):
    return stamp.sec + stamp.nanosec / 1e9


class SimulatedClock:
    """`/clock`, `speed` times as fast as real time, by the node of a graph; all of it happens on the thread of that node's callbacks.

    `messages` get what it showed last as their stamp, as in a node with `use_sim_time`.
    """

    def __init__(self, graph, speed=1.0, start=100.0, rate=100.0, messages=()):
        self.graph, self.speed, self.shown, self.messages = graph, speed, start, list(messages)
        self.last = time.monotonic()
        self.publisher = graph.node.create_publisher(Clock, "/clock", CLOCK_QOS)
        self.timer = graph.node.create_timer(1.0 / rate, self._tick)

    def _tick(self):
        now = time.monotonic()
        self.shown += (now - self.last) * self.speed
        self.last = now
        stamp = stamp_of(self.shown)
        self.publisher.publish(Clock(clock=stamp))
        for message in self.messages:
            message.header.stamp = stamp

    @property
    def stamp(self):
        return stamp_of(self.shown)

    def set_speed(self, speed):
        self.graph.between(lambda: setattr(self, "speed", speed))

    def jump(self, to):
        self.graph.between(lambda: setattr(self, "shown", to))

    def end(self):
        """Ends its messages and its publisher."""
        self.graph.node.destroy_timer(self.timer)
        self.graph.node.destroy_publisher(self.publisher)


class Bag:
    """Messages with the times at which they were recorded [s], and the topics of their publishers.

    Played as by `rosbag2_transport/src/rosbag2_transport/player.cpp` of rosbag2 (jazzy): a timer of the computer's clock publishes `/clock`
    at its own rate, with what the player's clock shows; each message is published when that clock reaches its time, whatever `/clock` has
    shown. A loop jumps to the begin (`PlayerImpl::play`), and a pause lets the clock stand, with `/clock` as before. rosbag2 itself is in no
    registry.
    """

    def __init__(self, graph, recorded, rate=1.0, clock=40.0):
        self.graph, self.recorded, self.rate = graph, recorded, rate
        types = {topic: type(message) for _, topic, message in recorded}
        self.publishers = {topic: graph.node.create_publisher(kind, topic, 10) for topic, kind in types.items()}
        self.clock_publisher = graph.node.create_publisher(Clock, "/clock", CLOCK_QOS)
        self.next, self.rounds = 0, 0
        self.reference = (recorded[0][0], time.monotonic())
        self.timers = [graph.node.create_timer(1.0 / clock, self._publish_clock), graph.node.create_timer(0.002, self._play)]

    def _now(self):
        shown, at = self.reference
        return shown + (time.monotonic() - at) * self.rate

    def _publish_clock(self):
        self.clock_publisher.publish(Clock(clock=stamp_of(self._now())))

    def _play(self):
        while self.next < len(self.recorded) and self.recorded[self.next][0] <= self._now():
            _, topic, message = self.recorded[self.next]
            self.publishers[topic].publish(message)
            self.next += 1
        if self.next == len(self.recorded):
            self.next, self.rounds = 0, self.rounds + 1
            self.reference = (self.recorded[0][0], time.monotonic())

    def pause(self, is_paused, rate=1.0):
        def change():
            self.reference = (self._now(), time.monotonic())
            self.rate = 0.0 if is_paused else rate

        self.graph.between(change)
