"""`joy` and `~/connected` of the node `joystick`: the properties that programs for the ROS 2 `joy` package rely on, and more."""

import contextlib
import time

import pytest
from graph import EDGE, LATCHED
from joysticks import Joystick
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool

JOY, CONNECTED = "/joy", "/joystick/connected"


@contextlib.contextmanager
def running(graph, *arguments):
    joystick = Joystick(graph, *(part for argument in arguments for part in ("-p", argument)))
    try:
        graph.subscribe(Joy, JOY, EDGE)
        graph.subscribe(Bool, CONNECTED, LATCHED)
        graph.wait(lambda: graph.last(CONNECTED), "it is not reported whether a device drives")
        graph.wait(lambda: graph.node.count_publishers(JOY) > 0, "there is no joy")
        time.sleep(0.2)
        yield joystick
    finally:
        joystick.process.stop()


@pytest.fixture
def joystick(graph):
    """With the defaults."""
    with running(graph) as joystick:
        yield joystick


@pytest.fixture
def quiet(graph):
    """Without repeats."""
    with running(graph, "joy.autorepeat_rate:=0.0") as joystick:
        yield joystick


def wait_for(joystick, condition, failure):
    joystick.graph.wait(lambda: joystick.graph.last(JOY) and condition(joystick.graph.last(JOY)), failure)
    return joystick.graph.last(JOY)


def test_the_state_is_repeated_at_the_rate_of_the_joy_package(joystick):
    graph = joystick.graph
    graph.wait(lambda: len(graph.messages[JOY]) > 3, "nothing is repeated")
    for last in (False, False, True):
        first = len(graph.messages[JOY])
        time.sleep(2.2)
        received = [at for at, _ in graph.messages[JOY][first:]]
        rate = (len(received) - 1) / (received[-1] - received[0])
        # A machine that is busy may be late at one end of the time.
        if abs(rate - 20.0) < 0.02 * 20.0:
            break
        assert not last, f"{rate} Hz over {received[-1] - received[0]} s"
    stamp = graph.last(JOY).header.stamp
    assert abs(stamp.sec + stamp.nanosec * 1e-9 - time.time()) < 1.0
    assert graph.last(JOY).header.frame_id == "joy"


def test_repeats_go_on_beside_events(joystick):
    graph = joystick.graph
    start = time.monotonic()
    value = 0
    while time.monotonic() - start < 2.0:
        value = 20000 - value
        joystick.hold({0: value})
        time.sleep(0.02)
    # About 100 changes and 40 repeats; a repeat that events put off would leave 100.
    changes = repeats = 0
    messages = graph.since(JOY, start)
    for before, after in zip(messages, messages[1:]):
        changes, repeats = changes + (before.axes != after.axes), repeats + (before.axes == after.axes)
    assert changes >= 60, f"{changes} changes"
    assert 30 <= repeats <= 50, f"{repeats} repeats beside {changes} changes"


def test_the_rate_can_be_changed(joystick):
    joystick.set("joy.autorepeat_rate", 0.0)
    start = time.monotonic() + 0.2
    time.sleep(0.7)
    assert joystick.graph.since(JOY, start) == []
    joystick.set("joy.autorepeat_rate", 100.0)
    start = time.monotonic() + 0.2
    time.sleep(1.2)
    assert 85 <= len(joystick.graph.since(JOY, start)) <= 105


def test_an_unplugged_device_is_published_as_neutral_and_gone(joystick):
    graph = joystick.graph
    joystick.hold({0: -32768, 1: 32767}, pressed=[2])
    reported = wait_for(joystick, lambda joy: joy.buttons[2] == 1 and joy.axes[0] == 1.0, "the state is not published")
    assert (reported.axes[1], graph.last(CONNECTED).data) == (-1.0, True)
    joystick.hand.axes, joystick.hand.buttons = [], []  # unplugs
    graph.wait(lambda: not graph.last(CONNECTED).data, "the loss of the device is not reported")
    time.sleep(0.1)
    gone = time.monotonic()
    last = graph.last(JOY)
    assert (list(last.axes), list(last.buttons)) == ([0.0] * 8, [0] * 11), "six axes and a hat"
    time.sleep(0.5)
    assert graph.since(JOY, gone) == [], "a device that is gone is not repeated"
    joystick.hold()
    graph.wait(lambda: graph.last(CONNECTED).data, "the return of the device is not reported")
    graph.wait(lambda: graph.since(JOY, gone), "the device is not published again")


def test_a_late_subscriber_receives_whether_a_device_drives(joystick):
    joystick.graph.subscribe(Bool, "/joystick/connected", LATCHED)
    joystick.graph.wait(lambda: joystick.graph.last(CONNECTED), "a latched topic is silent")
    assert joystick.graph.last(CONNECTED).data is True


def test_a_first_subscriber_receives_the_current_state(graph):
    """The ROS 2 `joy` package would be silent until the next event."""
    joystick = Joystick(graph, "-p", "joy.autorepeat_rate:=0.0")
    try:
        joystick.hold({0: -32768}, pressed=[2])
        time.sleep(0.5)  # nothing is left to be published
        graph.subscribe(Joy, JOY, EDGE)
        joy = wait_for(joystick, lambda joy: True, "a first subscriber receives nothing")
        assert (joy.axes[0], joy.buttons[2]) == (1.0, 1)
        time.sleep(0.5)
        assert len(graph.messages[JOY]) == 1, "there was no event"
    finally:
        joystick.process.stop()


def test_a_dead_zone_is_smooth(quiet):
    for raw, axis in [
        (-32768, 1.0),
        (1638, 0.0),  # 0.05 of 32767 is 1638.35
        (17203, -0.5),  # 0.05 + 0.475 = 0.525
        (-1639, 0.0),
        (32767, -1.0),
    ]:
        quiet.hold({0: raw})
        wait_for(quiet, lambda joy: abs(joy.axes[0] - axis) < 1e-4, lambda: f"{raw} is {quiet.graph.last(JOY)}")
    quiet.set("joy.dead_zone", 0.5)
    quiet.hold({0: 24575})  # 0.75
    wait_for(quiet, lambda joy: abs(joy.axes[0] + 0.5) < 1e-3, "a new dead zone has no effect")


def test_moves_inside_the_dead_zone_are_not_published(quiet):
    quiet.hold({0: 20000})
    wait_for(quiet, lambda joy: joy.axes[0] != 0.0, "the state is not published")
    quiet.hold({0: 100})
    wait_for(quiet, lambda joy: joy.axes[0] == 0.0, "the state is not published")
    time.sleep(0.1)  # two publishers move the device: one may publish its old state again
    start = time.monotonic()
    for raw in (200, -300, 1000, 0):
        quiet.hold({0: raw})
        time.sleep(0.02)
    time.sleep(0.2)
    assert quiet.graph.since(JOY, start) == []


def test_moves_within_the_interval_are_one_message(quiet):
    quiet.set("joy.coalesce_interval", 0.3)
    start = time.monotonic()
    for raw in (5000, 10000, 15000, 20000):
        quiet.hold({0: raw, 1: raw})
        time.sleep(0.03)
    time.sleep(0.6)
    messages = quiet.graph.since(JOY, start)
    assert len(messages) == 1, messages
    assert abs(messages[0].axes[0] + (20000 / 32767 - 0.05) / 0.95) < 1e-4
    # A button does not wait.
    start = time.monotonic()
    quiet.hold({0: 0}, pressed=[7])
    wait_for(quiet, lambda joy: joy.buttons[7] == 1, "a press is not published")
    assert time.monotonic() - start < 0.2
