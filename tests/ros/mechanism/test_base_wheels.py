"""A base whose wheels cannot turn, or whose motors stopped by themselves: mechanism does not push on."""

import contextlib
import time

import pytest
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, Graph
from mechanisms import arm
from paths import ROOT
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Int16

CONFIG = ROOT / "config/base_simulator.yaml"
STOP, FULL, TIMEOUT = 90, 66, 0.25
SIDES = ("port", "starboard")


class Wheels:
    """The motors and wheels of a vehicle: their speed follows the values with a lag of 0.1 s, full is 10 rad/s.

    As docs/motor_controllers.md asks, motors that received no value for 0.25 s stand until both values are a stop."""

    def __init__(self):
        self.graph = Graph()
        self.values, self.received = dict.fromkeys(SIDES, STOP), dict.fromkeys(SIDES, -1e9)
        self.speeds, self.places = dict.fromkeys(SIDES, 0.0), dict.fromkeys(SIDES, 0.0)
        self.is_blocked = self.is_cut = self.may_turn = False
        self.frozen = None
        for side in SIDES:
            self.graph.node.create_subscription(Int16, f"motor/{side}", lambda message, side=side: self.receive(side, message.data), 1)
        self.states = self.graph.node.create_publisher(JointState, "motor_states", qos_profile_sensor_data)
        self.graph.node.create_timer(0.02, self.step)

    def receive(self, side, value):
        if not self.is_cut:
            self.judge()
            self.values[side], self.received[side] = value, time.monotonic()

    def judge(self):
        is_fresh = time.monotonic() - min(self.received.values()) <= TIMEOUT
        self.may_turn = is_fresh and (self.may_turn or set(self.values.values()) == {STOP})

    def step(self):
        self.judge()
        message = self.frozen or JointState()
        for side in SIDES:
            wanted = 10.0 * (STOP - self.values[side]) / FULL if self.may_turn else 0.0
            self.speeds[side] = 0.0 if self.is_blocked else self.speeds[side] + 0.2 * (wanted - self.speeds[side])
            self.places[side] += 0.02 * self.speeds[side]
            if self.frozen:
                continue
            message.name.append(f"{side}_motor")
            message.position.append(self.places[side])
            message.velocity.append(self.speeds[side])
        message.header.stamp = self.graph.node.get_clock().now().to_msg()
        self.states.publish(message)
        self.last = message


@contextlib.contextmanager
def driven():
    """The wheels, the graph of who commands, its command of 0.3 m/s and its timer."""
    wheels = Wheels()
    try:
        with arm("-p", "topics.timeout:=0.5", file=CONFIG, urdf=ROOT / "config/urdf/base.urdf") as (graph, manager, process):
            for side in SIDES:
                graph.subscribe(Int16, f"motor/{side}", QoSProfile(depth=100))
            graph.subscribe(Bool, "motors_halted", LATCHED)
            is_ready = lambda: graph.last("motors_halted") and not graph.last("motors_halted").data  # noqa: E731
            graph.wait(is_ready, lambda: process.output, 10.0)
            assert manager.load("diff_drive") and manager.switch(["diff_drive"]), process.output
            message = TwistStamped()
            timer = graph.repeat("diff_drive/cmd_vel", message, 20.0)
            time.sleep(1.0)
            message.twist.linear.x = 0.3
            yield wheels, graph, message, timer, process
    finally:
        wheels.graph.close()


def values(graph):
    return [graph.last(f"motor/{side}").data for side in SIDES]


@pytest.mark.fault("base-command-ends")
@pytest.mark.parametrize("end", ["silence", "zero", "conflict"])
def test_wheels_that_cannot_turn_are_pushed_no_longer_than_motion_is_asked_for(end):
    with driven() as (wheels, graph, message, timer, process):
        wheels.is_blocked = True
        graph.wait(lambda: max(values(graph)) < 40, lambda: f"it does not push: {values(graph)}\n{process.output}", 10.0)
        other = None
        if end == "silence":
            timer.cancel()
        elif end == "zero":
            message.twist.linear.x = 0.0
        else:
            other = Graph()
            other.repeat("diff_drive/cmd_vel", message, 20.0)
        try:
            both = lambda: {*values(graph), *wheels.values.values()} == {STOP}  # noqa: E731
            graph.wait(both, lambda: f"{values(graph)}\n{process.output}", 5.0)
            wheels.is_blocked, start = False, time.monotonic()
            time.sleep(1.0)
            after = {message.data for side in SIDES for message in graph.since(f"motor/{side}", start)}
            assert after == {STOP} and set(wheels.places.values()) == {0.0}, f"{after}, {wheels.places}"
        finally:
            if other:
                other.close()


@pytest.mark.fault("base-command-ends")
@pytest.mark.parametrize(("linear", "most"), [(-0.05, STOP), (0.03, STOP - 20)])
def test_wheels_that_cannot_turn_are_pushed_no_further_than_asked_for(linear, most):
    with driven() as (wheels, graph, message, timer, process):
        wheels.is_blocked = True
        graph.wait(lambda: max(values(graph)) < 40, lambda: f"it does not push: {values(graph)}\n{process.output}", 10.0)
        message.twist.linear.x = linear
        graph.wait(lambda: min(values(graph)) >= most, lambda: f"it pushes on: {values(graph)}\n{process.output}", 1.0)
        start = time.monotonic()
        time.sleep(0.5)
        after = {message.data for side in SIDES for message in graph.since(f"motor/{side}", start)}
        assert min(after) >= most - 10, f"{after}"


@pytest.mark.fault("states-repeat")
@pytest.mark.parametrize("ends", [False, True])
def test_states_that_repeat_themselves_halt_the_base(ends):
    with driven() as (wheels, graph, message, timer, process):
        graph.wait(lambda: min(wheels.speeds.values()) > 2.0, lambda: f"{wheels.speeds}\n{process.output}", 10.0)
        wheels.frozen = wheels.last
        if ends:
            message.twist.linear.x = 0.0
        graph.wait(lambda: graph.last("motors_halted").data, lambda: f"{values(graph)}\n{process.output}", 3.0)
        graph.wait(lambda: values(graph) == [STOP, STOP], lambda: f"{values(graph)}\n{process.output}", 1.0)
        assert "has a speed, and its position has been the same for" in process.output, process.output


@pytest.mark.fault("base-link-cut")
def test_motors_that_stopped_by_themselves_turn_again_after_a_zero():
    with driven() as (wheels, graph, message, _, process):
        moves = lambda: min(wheels.speeds.values()) > 2.0  # noqa: E731
        graph.wait(moves, lambda: f"{wheels.speeds}\n{process.output}", 10.0)
        wheels.is_cut = True
        graph.wait(lambda: not wheels.may_turn, "the motors do not stop", 2.0)
        wheels.is_cut = False
        time.sleep(1.0)
        assert not wheels.may_turn and max(map(abs, wheels.speeds.values())) < 0.1, "they stand although motion is asked for"
        message.twist.linear.x = 0.0
        graph.wait(lambda: wheels.may_turn, lambda: f"a zero does not release them: {values(graph)}", 2.0)
        message.twist.linear.x = 0.3
        graph.wait(moves, lambda: f"it does not drive again: {wheels.speeds}, {values(graph)}", 5.0)
