"""A node that keeps what it receives, and what tests wait for: of each test over DDS, and of the scripts beside this file."""

import contextlib
import os
import threading
import time

import rclpy
from executor import QuickExecutor
from luci_messages.msg import LuciZoneScaling
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

STOP = 90
# Added to a bound of docs/safety.md: transport, and a busy machine of two cores, more so with other tests beside this one.
SLACK = 0.15 if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)) <= 2 else 0.3
# A process that does nothing for so long [s] was held back by a busy machine: what it repeats may have counted as silent.
STANDS_STILL = 0.2
EDGE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def act_until(graph, act, condition, failure, timeout=5.0, every=1.0):
    """Acts, and again `every` so many seconds until `condition()` holds: on a busy machine a node may read an act too late, and refuses it."""
    acted = []

    def reached():
        if condition():
            return True
        if not acted or time.monotonic() - acted[-1] > every:
            acted.append(time.monotonic())
            act()
        return False

    graph.wait(reached, failure, timeout)


def unlatch(vehicle):
    """Presses reset until the emergency stop or the fault is no longer latched."""
    unlatched = lambda: vehicle.state != "ESTOP"  # noqa: E731
    act_until(vehicle.graph, vehicle.reset, unlatched, lambda: f"reset does not unlatch; state {vehicle.state}")


class Graph:
    """A ROS node that keeps the messages it receives and can wait for them."""

    def __init__(self):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        # Without services of its own, which every node under test would have to discover.
        self.node = rclpy.create_node("observer", context=self.context, enable_rosout=False, start_parameter_services=False)
        self.executor = QuickExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.repeated = {}
        self.messages = {}
        self.publishers = {}
        self.condition = threading.Condition()
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.closing = False
        self.stood_still = -1.0  # until when the callbacks waited for the processor the last time, by the monotonic clock [s]
        self.thread.start()

    def _spin(self):
        while not self.closing:
            start = time.monotonic()
            with contextlib.suppress(InvalidHandle):  # a timer's publisher that another thread destroys meanwhile
                self.executor.spin_once(timeout_sec=0.05)
            if time.monotonic() - start > STANDS_STILL:
                self.stood_still = time.monotonic()

    def close(self):
        self.closing = True
        self.thread.join()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def between(self, act):
        """Calls `act` between two callbacks: rclpy's clients of actions do not expect an answer while they send. Returns its result."""
        task = self.executor.create_task(act)
        self.wait(task.done, "the callbacks do not end")
        return task.result()

    def subscribe(self, message_type, topic, qos=EDGE, also=None):
        """Keeps the messages with the time of their receipt, and calls `also` with both."""
        self.messages[topic] = []

        def remember(message):
            with self.condition:
                self.messages[topic].append((time.monotonic(), message))
                if also:
                    also(*self.messages[topic][-1])
                self.condition.notify_all()

        self.node.create_subscription(message_type, topic, remember, qos)

    def record(self, message_type, topic, qos=EDGE, also=None):
        """Like `subscribe`, but with the time at which a message was published [s], by the wall clock of this machine."""
        self.messages[topic] = []

        def remember(message, info):
            with self.condition:
                self.messages[topic].append((info["source_timestamp"] / 1e9, message))
                if also:
                    also(*self.messages[topic][-1])
                self.condition.notify_all()

        self.node.create_subscription(message_type, topic, remember, qos)

    def publish(self, topic, message, qos=EDGE):
        """Publishes once, by the publisher that already repeats on the topic if there is one: a second publisher would be a conflict."""
        publisher = self.publishers.get(topic) or self._repeater(topic, message)
        if publisher is None:
            publisher = self.publishers[topic] = self.node.create_publisher(type(message), topic, qos)
        self.wait(lambda: publisher.get_subscription_count() > 0, f"no subscriber to {topic}")
        publisher.publish(message)

    def _repeater(self, topic, message):
        found = [p for p in self.repeated.values() if p.topic_name == topic and p.msg_type is type(message)]
        return found[0] if found else None

    def repeat(self, topic, message, rate):
        known = self.publishers.get(topic)
        if known is not None and known.msg_type is type(message):
            publisher = self.publishers.pop(topic)
        else:
            publisher = self.node.create_publisher(type(message), topic, EDGE)
        timer = self.node.create_timer(1.0 / rate, lambda: publisher.publish(message))
        timer.message = message
        self.repeated[timer] = publisher
        return timer

    def stop_repeating(self, timer):
        """Ends `repeat` and destroys its publisher."""
        self.node.destroy_timer(timer)
        self.node.destroy_publisher(self.repeated.pop(timer))

    def last(self, topic):
        return self.messages[topic][-1][1] if self.messages[topic] else None

    def since(self, topic, start):
        with self.condition:
            return [message for at, message in self.messages[topic] if at >= start]

    def forget(self):
        """Forgets all messages but the last ones: among those of many minutes a search takes the time in which others arrive."""
        with self.condition:
            for messages in self.messages.values():
                del messages[:-1]

    def wait(self, condition, failure, timeout=5.0):
        """Waits until `condition()` holds and returns how long it took; fails with the sentence `failure`."""
        start = time.monotonic()
        with self.condition:
            while not condition():
                left = start + timeout - time.monotonic()
                assert self.thread.is_alive(), "the observer's thread has ended: see its exception"
                assert left > 0, f"{failure() if callable(failure) else failure} (waited {timeout} s)"
                self.condition.wait(min(left, 0.05))
        return time.monotonic() - start


def free_zones():
    return LuciZoneScaling(**{field: 1.0 for field in LuciZoneScaling.get_fields_and_field_types()})
