"""A robot whose parameter file was translated from twist_mux and joy: the drive chain, its sources, locks and pad, and what its base receives."""

import functools
import time

import yaml
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE, LATCHED, Graph, unlatch
from or_joystick.msg import State
from processes import Process, stop_all
from std_msgs.msg import Bool, String

BASE = "/hind/cmd_vel"
# Of each robot without its own: no zones, and a base that takes a velocity and has ramps of its own.
CHAIN = """
zone_scaler: {ros__parameters: {mode: passthrough, max_linear: 3.0, max_angular: 5.0}}
hindbrain: {ros__parameters: {output: twist_stamped, wheel_speed: 5.0, track: 0.5, accel: 6600.0, decel: 6600.0}}
"""
LEFT_TRIGGER = 2
RELEASED = {LEFT_TRIGGER: -32768, 5: -32768}


class TranslatedRobot:
    """The drive chain with a parameter file, and what publishes around it: sources and locks by the file, a pad, and enable."""

    def __init__(self, folder, text, *arguments):
        file = folder / "robot.yaml"
        file.write_text(text if "zone_scaler:" in text else text + CHAIN)
        blocks = {node: block["ros__parameters"] for node, block in yaml.safe_load(text).items()}
        self.sources = blocks["velocity_arbiter"]["sources"]
        switches = blocks.get("switch_relay", {}).get("switches", {}).values()
        relays = {switch["to"]: switch for switch in switches}
        pad = ("-p", "joystick:virtual_device:=Test Pad")
        common = ("--ros-args", "--params-file", str(file), *arguments)
        self.graph, self.publishers, self.timers, self.hand = Graph(), {}, {}, State()
        self.graph.subscribe(TwistStamped, BASE)
        self.graph.subscribe(String, "/hind/state", LATCHED)
        self.processes = [Process("steersman", *common, *pad)]
        self.processes += [Process("switch_relay", *common)] if relays else []
        self.locks = {}
        for name, lock in blocks["velocity_arbiter"].get("locks", {}).items():
            relay = relays.get(lock["topic"], {"from": lock["topic"]})
            if relay.get("type") != "joy":
                self.locks[name] = (relay["from"], LATCHED if relay.get("durability") else EDGE, relay.get("timeout") == 0.0)
        self.enabled = Bool(data=False)
        self.graph.repeat("/hind/enable", self.enabled, 10.0)

    def ready(self, has_estop=False):
        """Opens all locks, lets each source be at rest once, and enables; with an emergency stop on the pad, connects and resets that first."""
        for name in self.locks:
            self.lock(**{name: False})
        twists = [name for name, source in self.sources.items() if source.get("type") != "pose_state"]
        there = lambda: self.graph.last(BASE) and all(self.publisher(name).get_subscription_count() for name in twists)  # noqa: E731
        self.graph.wait(there, lambda: f"the nodes are not found\n{self.output}", 20.0)
        self.send(**dict.fromkeys(twists, 0.0))
        time.sleep(1.0)
        if has_estop:
            self.pad()
            unlatch(self)
        self.enables()
        self.send(**dict.fromkeys(twists))
        time.sleep(0.6)
        return self

    def enables(self):
        """Enables, by a change from false to true."""
        self.enabled.data = False
        time.sleep(0.3)
        self.enabled.data = True
        self.graph.wait(lambda: self.state == "OK", lambda: f"it is not enabled: {self.state}\n{self.output}")

    def close(self):
        try:
            stop_all(self.processes)
        finally:
            self.graph.close()

    def reset(self):
        for down in (False, True, False):
            self.graph.publish("/hind/reset", Bool(data=down))

    @property
    def state(self):
        message = self.graph.last("/hind/state")
        return message.data if message else None

    @property
    def output(self):
        return "\n".join(process.output for process in self.processes)

    def publisher(self, name):
        kind = TwistStamped if self.sources[name]["type"] == "twist_stamped" else Twist
        if name not in self.publishers:
            self.publishers[name] = self.graph.node.create_publisher(kind, self.sources[name]["topic"], EDGE)
        return self.publishers[name]

    def send(self, rate=20.0, **speeds):
        """From now on each of these sources publishes its speed, (forward, turn) or forward alone; None: it is silent."""
        for name, speed in speeds.items():
            if name in self.timers:
                self.graph.node.destroy_timer(self.timers.pop(name))
            if speed is not None:
                publish = functools.partial(self._publish, name, *(speed if isinstance(speed, tuple) else (speed, 0.0)))
                publish()
                self.timers[name] = self.graph.node.create_timer(1.0 / rate, publish)

    def _publish(self, name, forward, turn):
        publisher = self.publisher(name)
        message = publisher.msg_type()
        twist = message
        if publisher.msg_type is TwistStamped:
            message.header.stamp = self.graph.node.get_clock().now().to_msg()
            twist = message.twist
        twist.linear.x, twist.angular.z = forward, turn
        publisher.publish(message)

    def lock(self, **closed):
        """Publishes the state of locks: once if they publish on change, otherwise from now on."""
        for name, data in closed.items():
            topic, qos, once = self.locks[name]
            if once:
                self.graph.publish(topic, Bool(data=data), qos)
                continue
            known = [timer for timer, publisher in self.graph.repeated.items() if publisher.topic_name.lstrip("/") == topic]
            for timer in known:
                self.graph.stop_repeating(timer)
            self.graph.repeat(topic, Bool(data=data), 10.0)

    def pad(self, *pressed, **axes):
        """Holds these buttons and axes, by their numbers, from now on."""
        held = RELEASED | {int(axis.removeprefix("axis_")): value for axis, value in axes.items()}
        self.hand.axes = [held.get(axis, 0) for axis in range(8)]
        self.hand.buttons = [button in pressed for button in range(11)]
        self.graph.publish("/joystick/virtual_device", self.hand)
        if "pad" not in self.timers:
            self.timers["pad"] = self.graph.repeat("/joystick/virtual_device", self.hand, 20.0)
            connected = lambda: self.graph.node.count_publishers("/joystick/device/Test_Pad") > 0  # noqa: E731
            self.graph.wait(connected, lambda: f"no pad\n{self.output}")
            time.sleep(0.3)

    def unplug(self):
        self.graph.stop_repeating(self.timers.pop("pad"))

    def moves(self, forward, turn=0.0, within=3.0):
        """Waits until the base receives this velocity, and 0.3 s longer, in which it stays."""
        last = lambda: velocity(self.graph.last(BASE))  # noqa: E731
        near = lambda found: abs(found[0] - forward) < 0.002 and abs(found[1] - turn) < 0.002  # noqa: E731
        self.graph.wait(lambda: near(last()), lambda: f"must move at {forward}, {turn}: {last()}, {self.state}\n{self.output}", within)
        self.keeps(forward, turn, 0.3)

    def keeps(self, forward, turn=0.0, seconds=1.0):
        start = time.monotonic()
        time.sleep(seconds)
        found = {velocity(message) for message in self.graph.since(BASE, start)}
        wrong = [(v, w) for v, w in found if abs(v - forward) > 0.002 or abs(w - turn) > 0.002]
        assert found and not wrong, f"must keep {forward}, {turn}: {wrong}\n{self.output}"

    def rests(self, within=1.0):
        """Waits until it rests, and 1 s longer: nothing else drives."""
        self.moves(0.0, within=within)
        self.keeps(0.0)


def velocity(message):
    return (message.twist.linear.x, message.twist.angular.z) if message else (0.0, 0.0)
