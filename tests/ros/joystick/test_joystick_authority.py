"""Other sources beside the node `joystick`: an absent stick does not drive, one that is lost stops the vehicle first."""

import contextlib
import time

import pytest
from arbiters import NAVIGATION, Arbiter, named
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from graph import LATCHED
from or_joystick.msg import State
from or_pose_estimator.msg import AVel, Vel
from or_pose_estimator.msg import State as PoseState
from processes import Process
from vehicle import second_publisher

DESIRED, HAND = "/joystick/desired", "/joystick/virtual_device"
PRIORITY = named("sources.joystick", topic="joystick/desired", type="pose_state", priority=100, timeout=0.5)
PAD = ["virtual_device:=Test Pad"]
STICK = [*PAD, "linear.x.axis:=1", "linear.x.scale:=-1.0"]


class Robot:
    """A joystick above navigation, which commands 0.3 m/s throughout."""

    def __init__(self, arbiter, *parameters):
        self.arbiter, self.graph = arbiter, arbiter.graph
        arguments = [part for parameter in parameters for part in ("-p", parameter)]
        self.graph.subscribe(PoseState, DESIRED, LATCHED)
        self.graph.subscribe(DiagnosticArray, "/diagnostics")
        self.joystick = Process("joystick", "--ros-args", *arguments)
        self.graph.wait(lambda: self.graph.node.count_publishers(DESIRED), lambda: self.joystick.output, 10.0)
        navigation = TwistStamped()
        navigation.twist.linear.x = 0.0
        self.navigation = navigation
        self.hand, self.timer = State(), None
        self.graph.repeat("/nav", navigation, 20.0)
        time.sleep(0.3)  # motion needs a zero first
        navigation.twist.linear.x = 0.3

    def hold(self, axes=(), pressed=()):
        self.hand.axes = [*axes, *[0] * (6 - len(axes))]
        self.hand.buttons = [button in pressed for button in range(11)]
        if self.timer is None:
            self.timer = self.graph.repeat(HAND, self.hand, 50.0)

    def unplug(self):
        self.graph.stop_repeating(self.timer)
        self.timer = None
        self.graph.publish(HAND, State())
        return time.monotonic()

    def status(self):
        """The joystick's newest message in the diagnostics."""
        reported = [s.message for array in self.graph.since("/diagnostics", 0.0) for s in array.status if s.name == "joystick"]
        return reported[-1] if reported else ""

    def wait_for(self, speed, why, timeout=6.0):
        ready = lambda: self.arbiter.last is not None and abs(self.arbiter.last - speed) < 1e-3
        self.arbiter.wait(ready, lambda: f"{why}; joystick: {self.status()}\n{self.joystick.output}", timeout)

    def states(self, start):
        return [message.vel[0].vx if message.vel else None for message in self.graph.since(DESIRED, start)]


@contextlib.contextmanager
def robot(*parameters):
    with Arbiter({**PRIORITY, **NAVIGATION}) as arbiter:
        robot = Robot(arbiter, *parameters)
        try:
            yield robot
        finally:
            robot.joystick.stop()
        assert robot.joystick.wait() == 0, robot.joystick.output


@pytest.mark.parametrize("parameters", [(), ("linear.x.axis:=1",), ("linear.x.axis:=1", "enable.on:=5")])
def test_without_a_gamepad_navigation_drives(parameters):
    with robot(*parameters) as vehicle:
        vehicle.wait_for(0.3, "navigation does not drive")
        time.sleep(1.0)
        assert not vehicle.states(0.0), "an absent stick is published"


def test_with_a_gamepad_of_which_nothing_is_mapped_navigation_drives():
    with robot(*PAD) as vehicle:
        vehicle.hold()
        vehicle.wait_for(0.3, "navigation does not drive")
        assert not vehicle.states(0.0), "a stick without axes is published"


@pytest.mark.fault("stick-unplugged-handover")
def test_a_pad_pulled_out_in_full_drive_stops_the_vehicle_until_navigation_commands_zero():
    with robot(*STICK) as vehicle:
        vehicle.hold()
        vehicle.arbiter.wait(lambda: vehicle.states(0.0), "a stick that is there claims nothing")
        vehicle.wait_for(0.0, "it does not stop navigation")
        vehicle.hold([0, -32768])
        vehicle.arbiter.wait(lambda: vehicle.arbiter.last > 0.9, "the stick does not drive")
        start = vehicle.unplug()
        vehicle.wait_for(0.0, "a lost stick does not stop")
        vehicle.arbiter.rests_within(0.0, start, "the stick was pulled out")
        stopped = time.monotonic()
        time.sleep(2.5)
        assert set(vehicle.arbiter.speeds_since(stopped)) == {0.0}, "navigation drives off by itself"
        states = vehicle.states(start)
        assert None in states and set(vehicle.states(start + 0.3)) == {0.0}, "the loss must come before zeros"
        assert not vehicle.states(time.monotonic() - 0.5), "a stick that is gone is still published"
        vehicle.navigation.twist.linear.x = 0.0
        time.sleep(0.3)
        vehicle.navigation.twist.linear.x = 0.3
        vehicle.wait_for(0.3, "navigation does not go on")


@pytest.mark.fault("joystick-conflict")
def test_a_virtual_device_that_two_move_is_unplugged():
    with robot(*STICK) as vehicle:
        vehicle.hold()
        vehicle.arbiter.wait(lambda: vehicle.states(0.0), "a stick that is there claims nothing")
        vehicle.hold([0, -32768])
        vehicle.arbiter.wait(lambda: vehicle.arbiter.last > 0.9, "the stick does not drive")
        start = time.monotonic()
        with second_publisher(State, HAND, context=vehicle.graph.context):
            vehicle.arbiter.rests_within(0.2, start, "two publishers of the virtual device")
        stopped = time.monotonic()
        time.sleep(2.0)
        assert set(vehicle.arbiter.speeds_since(stopped)) == {0.0}, "the stick was held all the while"
        vehicle.hold()
        time.sleep(0.3)
        vehicle.hold([0, -32768])
        vehicle.arbiter.wait(lambda: vehicle.arbiter.last > 0.9, lambda: f"it does not drive again: {vehicle.status()}")


@pytest.mark.fault("joystick-conflict")
def test_a_reference_of_two_publishers_is_none():
    with robot() as vehicle:
        reference = PoseState(intrinsic=True, vel=[Vel()], avel=[AVel()])
        vehicle.graph.repeat("/joystick/reference", reference, 50.0)
        vehicle.arbiter.wait(lambda: vehicle.states(0.0), "the reference does not pass through")
        reference.vel[0].vx = 0.4
        vehicle.wait_for(0.4, "the reference does not pass through")
        start = time.monotonic()
        with second_publisher(PoseState, "/joystick/reference", context=vehicle.graph.context):
            vehicle.arbiter.rests_within(0.2, start, "two publishers of the reference")
        stopped = time.monotonic()
        time.sleep(2.0)
        assert set(vehicle.arbiter.speeds_since(stopped)) == {0.0}, "it commanded motion throughout"
        reference.vel[0].vx = 0.0
        time.sleep(0.3)
        reference.vel[0].vx = 0.4
        vehicle.wait_for(0.4, "it does not go on")


def test_a_takeover_by_toggle_outlasts_its_pad():
    with robot(*STICK, "enable.toggle:=3") as vehicle:
        vehicle.hold()
        vehicle.wait_for(0.3, "navigation does not drive before the takeover")
        time.sleep(0.2)
        vehicle.hold([], [3])
        vehicle.wait_for(0.0, "it is not taken over")
        vehicle.unplug()
        time.sleep(2.5)
        assert vehicle.arbiter.last == 0.0 and "enable.toggle" in vehicle.status(), vehicle.status()


def test_the_status_names_the_button_to_hold():
    with robot(*STICK, "enable.on:=5") as vehicle:
        vehicle.hold()
        vehicle.arbiter.wait(lambda: "hold button 5 (enable.on)" in vehicle.status(), lambda: vehicle.status())
        vehicle.hold([0, -32768], [])
        vehicle.hold([0, -32768], [5])
        vehicle.arbiter.wait(lambda: vehicle.arbiter.last > 0.9, "the stick does not drive")


def test_a_mapped_axis_and_a_button_that_the_pad_lacks_are_warned_of():
    with robot(*STICK, "enable.on:=13") as vehicle:
        vehicle.hold()
        vehicle.arbiter.wait(lambda: "enable.on 13" in vehicle.status(), lambda: vehicle.status())
        assert "lacks mapped inputs" in vehicle.joystick.output
