"""A pad that another program reads, as `sensor_msgs/Joy` over real DDS: it drives, is lost and comes back as a pad here."""

import time

import pytest
from conflicts import COUNTED_WITHIN
from graph import LATCHED, SLACK
from or_joystick.msg import State
from or_pose_estimator.msg import AVel, State as PoseState, Vel
from processes import Process
from sensor_msgs.msg import Joy

DESIRED = "/joystick/desired"
PARAMETERS = ["drag:=10.0", "linear.x.axis:=1", "linear.x.scale:=-1.0", "linear.x.max_speed:=0.5", "enable.on:=4"]
DEAD_MAN = 4
# For 0.25 s after a connection or a gap a press does not count [s].
SETTLES = 0.35


def parameters(*more):
    return ["--ros-args", *(part for parameter in (*PARAMETERS, *more) for part in ("-p", f"joystick:{parameter}"))]


class Pad:
    """The node, and a publisher of a pad with two sticks, two triggers and a hat, as joy_node has it."""

    def __init__(self, graph):
        self.graph = graph
        self.process = Process("joystick", *parameters("joy_input:=pad"))
        graph.subscribe(PoseState, DESIRED, LATCHED)
        self.joy = Joy(axes=[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0], buttons=[0] * 11)
        self.timer = graph.repeat("/pad", self.joy, 20.0)
        listed = lambda: graph.node.count_publishers("/joystick/device/joy")  # noqa: E731
        graph.wait(listed, lambda: f"the pad does not connect:\n{self.process.output}", 10.0)

    def hold(self, ahead=0.0, on=False):
        """Pushes the left stick, up is positive, and holds the dead-man button until the next call."""
        self.joy.axes[1], self.joy.buttons[DEAD_MAN] = ahead, int(on)
        self.graph.publish("/pad", self.joy)

    @property
    def speed(self):
        message = self.graph.last(DESIRED)
        return message.vel[0].vx if message and message.vel else 0.0

    def drives(self, ahead, speed):
        self.hold()
        time.sleep(SETTLES)
        self.hold(0.0, on=True)
        time.sleep(0.1)
        self.hold(ahead, on=True)
        self.graph.wait(lambda: abs(self.speed - speed) < 1e-3, lambda: f"{self.speed} m/s:\n{self.process.output}")

    def stands(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        moving = [message for message in self.graph.since(DESIRED, start) if message.vel and message.vel[0].vx]
        assert not moving, f"{what}: {moving[0]}\n{self.process.output}"

    def is_lost(self, what, bound, start):
        """A loss is published within `bound` seconds after `start`, by the monotonic clock."""
        lost = lambda: [at for at, message in self.graph.messages[DESIRED] if at >= start and not message.vel]  # noqa: E731
        self.graph.wait(lost, lambda: f"{what} is no loss:\n{self.process.output}", bound + 2.0)
        took = lost()[0] - start
        assert took < bound + SLACK, f"{what}: a loss after {took:.3f} s, must be within {bound} s"


@pytest.fixture
def pad(graph):
    pad = Pad(graph)
    try:
        yield pad
    finally:
        pad.process.stop()


def test_it_drives_with_the_signs_of_a_joy_and_stops_on_release(pad):
    pad.drives(1.0, 0.5)
    pad.drives(-1.0, -0.5)
    pad.hold(-1.0, on=False)
    pad.graph.wait(lambda: pad.speed == 0.0, "the release of the button is no stop")
    pad.stands(0.5, "released")


@pytest.mark.fault("virtual-stick-silent")
def test_after_a_silence_stick_and_button_have_to_be_released(pad):
    pad.drives(1.0, 0.5)
    pad.timer.cancel()
    pad.is_lost("silence", 0.5, time.monotonic())
    pad.stands(0.5, "silent")
    pad.timer.reset()
    pad.stands(0.7, "it came back held")
    pad.hold(0.0, on=True)
    pad.stands(0.3, "the button is still down")
    pad.hold(1.0, on=True)
    pad.stands(0.3, "the button was not pressed again")
    pad.drives(1.0, 0.5)
    assert "'joy_input' is silent for 500 ms: the device is unplugged" in pad.process.output, pad.process.output


def test_a_value_that_no_pad_sends_is_a_loss_at_once(pad):
    pad.drives(1.0, 0.5)
    pad.joy.axes[1] = float("nan")
    start = time.monotonic()
    pad.graph.publish("/pad", pad.joy)
    pad.is_lost("NaN", 0.06, start)
    sentence = "'joy_input' has axes[1] NaN, must be from -1 to 1: the device is unplugged"
    pad.graph.wait(lambda: sentence in pad.process.output, lambda: pad.process.output)
    pad.stands(0.5, "NaN")
    pad.drives(1.0, 0.5)


@pytest.mark.fault("joystick-conflict")
def test_a_second_publisher_is_a_loss(pad):
    pad.drives(1.0, 0.5)
    start = time.monotonic()
    second = pad.graph.node.create_publisher(Joy, "/pad", 1)
    pad.is_lost("a second publisher", COUNTED_WITHIN, start)
    pad.graph.node.destroy_publisher(second)
    pad.stands(0.7, "the second publisher is gone, and the stick was held all the while")
    pad.drives(1.0, 0.5)


@pytest.mark.fault("joystick-conflict")
def test_a_publisher_that_takes_the_place_of_another_is_another_pad(pad):
    pad.drives(1.0, 0.5)
    start = time.monotonic()
    pad.graph.stop_repeating(pad.timer)
    pad.timer = pad.graph.repeat("/pad", pad.joy, 20.0)  # held as before
    pad.is_lost("another publisher", COUNTED_WITHIN, start)
    pad.stands(1.0, "held by another publisher")
    pad.drives(1.0, 0.5)


def reference_of(pad):
    """A reference that asks for zero, then for 0.3 m/s: it is passed on while nobody drives."""
    reference = PoseState(intrinsic=True, vel=[Vel()], avel=[AVel()])
    pad.graph.repeat("/joystick/reference", reference, 20.0)
    time.sleep(0.5)
    reference.vel[0].vx = 0.3
    pad.graph.wait(lambda: pad.speed == 0.3, lambda: f"the reference is not passed on: {pad.speed}\n{pad.process.output}")


@pytest.mark.fault("stick-unplugged-handover")
def test_a_release_that_is_followed_by_silence_is_a_loss(pad):
    reference_of(pad)
    pad.drives(1.0, 0.5)
    pad.timer.cancel()
    pad.hold(0.0, on=False)  # what joy_node publishes of a pad that is pulled out
    start = time.monotonic()
    pad.is_lost("silence after a release", 0.5, start)
    time.sleep(1.5)
    passed = [message for message in pad.graph.since(DESIRED, start + 0.1) if message.vel and message.vel[0].vx]
    assert not passed, passed[0]


@pytest.mark.fault("dead-man-handover")
def test_a_release_that_states_follow_hands_over(pad):
    reference_of(pad)
    pad.drives(1.0, 0.5)
    start = time.monotonic()
    pad.hold(1.0, on=False)
    pad.graph.wait(lambda: pad.speed == 0.3, lambda: f"no handover: {pad.speed}\n{pad.process.output}")
    assert time.monotonic() - start > 0.5


def test_a_name_for_a_pad_without_names_is_refused():
    process = Process("joystick", *parameters("joy_input:=pad", "enable.slow:=righttrigger"))
    assert process.wait() == 1
    sentence = "'enable.slow' is \"righttrigger\", must be a number, since a sensor_msgs/Joy has no names for the inputs of 'joy_input'"
    assert sentence in process.output, process.output


def test_states_of_an_hour_ago_are_refused(pad):
    pad.joy.header.stamp.sec = int(time.time()) - 3600
    sentence = "'joy_input' is ignored: its stamps are old, from the future or repeated; zero means now"
    pad.graph.wait(lambda: sentence in pad.process.output, lambda: pad.process.output)
    pad.hold(0.0, on=True)
    pad.hold(1.0, on=True)
    pad.stands(0.7, "an hour old")


def test_the_joy_of_another_joystick_node_drives(graph):
    there = ["--ros-args", "-r", "__node:=laptop", "-r", "joy:=/pad", "-p", "virtual_device:=Hand"]

    laptop, robot = Process("joystick", *there), Process("joystick", *parameters("joy_input:=/pad"))
    try:
        graph.subscribe(PoseState, DESIRED, LATCHED)
        hand = State(axes=[0] * 6, buttons=[False] * 11)
        graph.repeat("/laptop/virtual_device", hand, 20.0)
        listed = lambda: graph.node.count_publishers("/joystick/device/joy")  # noqa: E731
        graph.wait(listed, lambda: f"{laptop.output}\n{robot.output}", 10.0)
        time.sleep(SETTLES)
        hand.buttons[DEAD_MAN] = True
        time.sleep(0.2)
        hand.axes[1] = -32767  # up
        speed = lambda: (graph.last(DESIRED).vel or [None])[0] if graph.last(DESIRED) else None  # noqa: E731
        graph.wait(lambda: speed() and abs(speed().vx - 0.5) < 1e-3, lambda: f"{speed()}\n{robot.output}")
    finally:
        laptop.stop()
        robot.stop()


def test_its_own_joy_is_refused():
    process = Process("joystick", "--ros-args", "-p", "joy_input:=/joy")
    assert process.wait() == 1
    sentence = "'joy_input' is \"/joy\", must be another topic than 'joy', which this node publishes: remap one of them"
    assert sentence in process.output, process.output
