"""switch_relay over real DDS: switches as sold before the arbiter's locks and hindbrain's switches, and each of its silences."""

import contextlib
import json
import signal
import sys
import time

import pytest
from arbiters import NAVIGATION, Arbiter, named
from diagnostic_msgs.msg import DiagnosticArray
from graph import LATCHED, SLACK
from processes import Process
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool, Int16
from vehicle import Vehicle, now, second_publisher

BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
# A latched publisher that keeps more than its last word.
DEEP = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ON_CHANGE = {"durability": "transient_local", "timeout": 0.0}
LOCK = {"locks.pause.topic": "/pause", "locks.pause.priority": 50}
# Publishes once, and stays.
SWITCH = """
import sys, time, rclpy
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool
rclpy.init()
node = rclpy.create_node("door_switch")
switch = node.create_publisher(Bool, "/door", QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
switch.publish(Bool(data=sys.argv[1] == "true"))
time.sleep(100.0)
"""
# Until when Fast DDS forgets a process that was killed [s]: see test_lease.py.
LEASE = 20.0 + 2.0


@contextlib.contextmanager
def relay(*switches, arguments=()):
    """The node with these switches; a switch without a name is `door`."""
    parameters = {}
    for number, switch in enumerate(switches):
        name = f"switch_{number}" if number else "door"
        parameters |= named(f"switches.{name}", **switch)
    texts = [text for name, value in parameters.items() for text in ("-p", f"{name}:={json.dumps(value)}")]
    process = Process("switch_relay", "--ros-args", *texts, *arguments)
    try:
        yield process
    finally:
        process.stop()


class Output:
    """What is published on `topic`."""

    def __init__(self, graph, topic="/out"):
        self.graph, self.topic = graph, topic
        graph.subscribe(Bool, topic)

    def since(self, start):
        return [message.data for message in self.graph.since(self.topic, start)]

    def becomes(self, state, process, what, timeout=5.0):
        start = time.monotonic()
        reached = lambda: self.since(start)[-1:] == [state]  # noqa: E731
        return self.graph.wait(reached, lambda: f"{what}: must become {state}, is {self.since(start)[-3:]}\n{process.output}", timeout)

    def falls_silent(self, process, what, bound=0.5):
        """Waits until nothing comes for 0.3 s; at most `bound` seconds from now on the last message comes."""
        start = time.monotonic()
        last = lambda: max((at for at, _ in self.graph.messages[self.topic]), default=start)  # noqa: E731
        self.graph.wait(lambda: time.monotonic() - max(last(), start) > 0.3, lambda: f"{what}: it is not silent\n{process.output}", bound + 2.0)
        assert last() - start < bound + SLACK, f"{what}: silent after {last() - start:.3f} s, must be within {bound} s"

    def stays_silent(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        assert self.since(start) == [], what


# ------------------------------------------------------------------------------------------------ the arbiter's locks
@pytest.mark.fault("switch-lost")
def test_a_latched_lock_that_is_published_once_works():
    """As 11 of 12 locks for twist_mux: latched, published on change."""
    with Arbiter({**NAVIGATION, **LOCK}) as arbiter:
        switch = arbiter.graph.node.create_publisher(Bool, "/door", LATCHED)
        switch.publish(Bool(data=False))
        with relay({"from": "/door", "to": "/pause", **ON_CHANGE}) as process:
            state = lambda: arbiter.locks.get("pause")  # noqa: E731
            is_ = lambda state_, what, timeout=5.0: arbiter.wait(lambda: state() == state_, lambda: f"{what}: {state()}\n{process.output}", timeout)  # noqa: E731
            is_("open", "published before it was subscribed to", 10.0)
            arbiter.publish("/nav", 0.1)
            arbiter.drives("navigation", 0.1)
            start = time.monotonic()
            time.sleep(2.0)
            assert state() == "open" and set(arbiter.speeds_since(start)) == {0.1}, "it is not repeated in time"
            start = time.monotonic()
            switch.publish(Bool(data=True))
            arbiter.rests_within(0.05, start, "closed")
            assert state() == "closed"
            switch.publish(Bool(data=False))
            is_("open", "opened")
            # A second publisher is a conflict, and the latched word of the one that is left comes again.
            with second_publisher(Bool, "/door", LATCHED):
                is_("silent, counts as closed", "two publishers")
            is_("open", "one publisher again", 10.0)
            arbiter.graph.node.destroy_publisher(switch)
            is_("silent, counts as closed", "its publisher has ended")
            switch = arbiter.graph.node.create_publisher(Bool, "/door", LATCHED)
            switch.publish(Bool(data=False))
            is_("open", "another publisher")
            assert "switch door has no timeout" in process.output and "an emergency stop must not be wired that way" in process.output


@pytest.mark.fault("switch-lost")
def test_a_latched_switch_whose_process_is_killed_closes_the_lock_after_the_lease():
    with Arbiter({**NAVIGATION, **LOCK}) as arbiter, relay({"from": "/door", "to": "/pause", **ON_CHANGE}) as process:
        state = lambda: arbiter.locks.get("pause")  # noqa: E731
        switch = Process(sys.executable, "-c", SWITCH, "false")
        arbiter.wait(lambda: state() == "open", lambda: f"{state()}\n{process.output}\n{switch.output}", 15.0)
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        switch.kill()
        # One that is started at once is a second publisher until the first is forgotten, and its word counts alone.
        switch = Process(sys.executable, "-c", SWITCH, "true")
        arbiter.wait(lambda: state() == "silent, counts as closed", state, 10.0)
        assert arbiter.last == 0.0
        arbiter.wait(lambda: state() == "closed", lambda: f"{state()}\n{process.output}", LEASE + 5.0)
        switch.kill()
        start = time.monotonic()
        arbiter.wait(lambda: state() == "silent, counts as closed", lambda: f"{state()}\n{process.output}", LEASE + 5.0)
        assert time.monotonic() - start < LEASE, f"after {time.monotonic() - start:.1f} s"


# ------------------------------------------------------------------------------------------------ hindbrain's switches
@pytest.mark.fault("switch-lost")
def test_a_best_effort_estop_of_2_hz_reaches_hindbrain_and_its_silence_stops():
    switch = {"from": "/emergency_stop", "to": "/hind/estop", "reliability": "best_effort", "timeout": 1.2}
    with Vehicle({"estop.required": True}) as vehicle, relay(switch) as process:
        button = Bool(data=False)
        publisher = vehicle.graph.node.create_publisher(Bool, "/emergency_stop", BEST_EFFORT)
        timer = vehicle.graph.node.create_timer(0.5, lambda: publisher.publish(button))
        vehicle.wait(lambda: vehicle.source("hind/estop").says == "released", lambda: f"no e-stop\n{process.output}", 10.0)
        vehicle.restart()
        vehicle.half_ahead()
        time.sleep(2.0)
        assert vehicle.motors == (57, 57), "it is not repeated in time"
        start = now()
        button.data = True
        publisher.publish(button)
        vehicle.stopped_within(0.1, start, "pressed")
        button.data = False
        publisher.publish(button)
        vehicle.wait(lambda: vehicle.source("hind/estop").says == "released", "not released")
        vehicle.restart()
        vehicle.half_ahead()
        publisher.publish(button)
        start = now()
        timer.cancel()
        # 1.2 s here, and hindbrain's own 0.25 s for what it gets.
        took = vehicle.stopped_within(1.2 + 0.25 + 0.05, start, "silent")
        assert took > 1.2, f"a message of 1.2 s is not too old after {took:.2f} s"
        vehicle.wait(lambda: "ESTOP_STALE" in vehicle.causes, "another cause")


@pytest.mark.fault("switch-lost")
def test_a_button_of_a_joy_closes_a_lock():
    with Arbiter({**NAVIGATION, **LOCK}) as arbiter, relay({"from": "/joy", "type": "joy", "button": 2, "to": "/pause"}) as process:
        state = lambda: arbiter.locks.get("pause")  # noqa: E731
        is_ = lambda state_, what: arbiter.wait(lambda: state() == state_, lambda: f"{what}: {state()}\n{process.output}", 10.0)  # noqa: E731
        joy = Joy(axes=[0.0, 0.0], buttons=[1, 1, 0])
        publisher = arbiter.graph.node.create_publisher(Joy, "/joy", 10)
        timer = arbiter.graph.node.create_timer(0.05, lambda: publisher.publish(joy))
        is_("open", "other buttons are pressed")
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        joy.buttons = [0, 0, 1]
        is_("closed", "pressed")
        arbiter.wait(lambda: arbiter.last == 0.0, "it drives on")
        joy.buttons = [0, 0, 0]
        is_("open", "released")
        # A pad of another kind, without this button, is no switch.
        joy.buttons = [0, 0]
        is_("silent, counts as closed", "a joy without the button")
        joy.buttons = [0, 0, 0]
        is_("open", "it has the button again")
        timer.cancel()
        is_("silent, counts as closed", "the pad is silent")


# ------------------------------------------------------------------------------------------------ silences
def test_a_switch_is_repeated_and_a_change_is_published_at_once(graph):
    out, inverted = Output(graph), Output(graph, "/inverted")
    two = {"from": "/in", "to": "/out", "timeout": 0.0}, {"from": "/in", "to": "/inverted", "timeout": 0.0, "invert": True}
    with relay(*two, arguments=["-p", "rate:=10"]) as process:
        publisher = graph.node.create_publisher(Bool, "/in", 10)
        graph.wait(lambda: publisher.get_subscription_count() >= 2, lambda: f"not subscribed to\n{process.output}", 10.0)
        out.stays_silent(0.5, "nothing was received")
        publisher.publish(Bool(data=False))
        out.becomes(False, process, "off")
        start = time.monotonic()
        time.sleep(2.0)
        assert 17 <= len(out.since(start)) <= 22 and set(out.since(start)) == {False} and set(inverted.since(start)) == {True}
        for on in (True, False, True):
            publisher.publish(Bool(data=on))
        time.sleep(0.3)
        states = out.since(start)
        edges = [b for a, b in zip(states, states[1:]) if a != b]
        assert edges == [True, False, True], "an edge is lost"
        graph.node.destroy_publisher(publisher)
        out.falls_silent(process, "no publisher")


def test_of_a_deep_latched_topic_only_the_last_word_counts(graph):
    out = Output(graph)
    publisher = graph.node.create_publisher(Bool, "/in", DEEP)
    for on in (True, False, True, True, False):
        publisher.publish(Bool(data=on))
    with relay({"from": "/in", "to": "/out", **ON_CHANGE}) as process:
        out.becomes(False, process, "the last word", 10.0)
        time.sleep(0.3)
        assert set(out.since(0.0)) == {False}


@pytest.mark.parametrize(
    "message_type, qos, durability, sentence",
    [
        (Bool, BEST_EFFORT, "volatile", "as best effort, must be reliable"),
        (Bool, QoSProfile(depth=1), "transient_local", "as volatile, must be transient local"),
        (Int16, LATCHED, "volatile", "as std_msgs/msg/Int16, must be std_msgs/msg/Bool"),
    ],
)
def test_a_source_that_cannot_be_received_is_named(graph, message_type, qos, durability, sentence):
    graph.node.create_publisher(message_type, "/in", qos)
    graph.subscribe(DiagnosticArray, "/diagnostics")
    out = Output(graph)
    with relay({"from": "/in", "to": "/out", "durability": durability, "timeout": 0.0}) as process:
        graph.wait(lambda: sentence in process.output, lambda: f"no '{sentence}':\n{process.output}", 10.0)
        assert "'/in' is published by node 'observer'" in process.output
        texts = lambda: [one.message for array in graph.since("/diagnostics", 0.0) for one in array.status]  # noqa: E731
        graph.wait(lambda: any("door is silent: its source is in conflict" in text for text in texts()), texts)
        assert out.since(0.0) == []


def test_after_a_pause_of_the_process_nothing_from_before_counts(graph):
    """Of a source that must repeat; the word of one that publishes on change stands."""
    out, latched = Output(graph), Output(graph, "/latched")
    two = {"from": "/in", "to": "/out", "timeout": 10.0}, {"from": "/in", "to": "/latched", "timeout": 0.0}
    with relay(*two) as process:
        publisher = graph.node.create_publisher(Bool, "/in", 10)
        graph.wait(lambda: publisher.get_subscription_count() >= 2, lambda: f"not subscribed to\n{process.output}", 10.0)
        publisher.publish(Bool(data=True))
        out.becomes(True, process, "on")
        process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        publisher.publish(Bool(data=True))
        time.sleep(0.5)
        start = time.monotonic()
        process.process.send_signal(signal.SIGCONT)
        latched.becomes(True, process, "on change only")
        time.sleep(0.5)
        assert out.since(start) == [], "what came before the end of the pause counts"
        publisher.publish(Bool(data=True))
        out.becomes(True, process, "a new message")


def test_an_inactive_node_publishes_no_switch(graph):
    out = Output(graph)
    publisher = graph.node.create_publisher(Bool, "/in", LATCHED)
    publisher.publish(Bool(data=True))
    with relay({"from": "/in", "to": "/out", **ON_CHANGE}, arguments=["-p", "autostart:=false"]) as process:
        graph.wait(lambda: publisher.get_subscription_count() == 1, lambda: f"not subscribed to\n{process.output}", 10.0)
        out.stays_silent(0.5, "it is not active")


def test_its_end_is_silence(graph):
    out = Output(graph)
    publisher = graph.node.create_publisher(Bool, "/in", LATCHED)
    publisher.publish(Bool(data=True))
    with relay({"from": "/in", "to": "/out", **ON_CHANGE}) as process:
        out.becomes(True, process, "on", 10.0)
        process.stop()
        out.stays_silent(0.3, "it has ended")


@pytest.mark.parametrize(
    "switches, arguments, sentence",
    [
        ([{"from": "/a", "to": "/c"}, {"from": "/b", "to": "/c"}], [], "must differ from 'switches.s0.to': both are the topic '/c'"),
        ([{"from": "/a", "to": "/c"}, {"from": "/b", "to": "c"}], [], "both are the topic '/c'"),
        ([{"from": "/a", "to": "/c"}], ["-r", "/c:=/a"], "both are the topic '/a'"),
        ([{"from": "/a", "to": "hind/enable"}], [], "must be a lock or an e-stop"),
        ([{"from": "/a", "to": "/c"}], ["-r", "/c:=/hind/reset"], "must be a lock or an e-stop"),
        ([{"from": "/a", "to": "/a"}], [], "must differ from 'switches.s0.from'"),
        ([{"from": "/a", "to": "/c", "durability": "transient_local"}], [], "how old a latched message is cannot be known"),
    ],
)
def test_switches_that_contradict_each_other_are_refused(switches, arguments, sentence):
    parameters = [text for number, switch in enumerate(switches) for name, value in switch.items() for text in ("-p", f"switches.s{number}.{name}:={value}")]
    process = Process("switch_relay", "--ros-args", *parameters, *arguments)
    assert process.wait(10.0) == 1
    assert sentence in process.output
