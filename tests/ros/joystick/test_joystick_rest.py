"""A stick that is selected commands nothing before it was at rest, over real DDS; and the log lines about absent devices."""

import time

import pytest
from graph import LATCHED
from joysticks import Joystick
from or_joystick.msg import State
from processes import Process
from std_msgs.msg import Bool

CONNECTED, DESIRED = "/joystick/connected", "/joystick/desired"
AHEAD, TOGGLE, DEAD_MAN, TRIGGER = 1, 3, 5, 5


@pytest.fixture
def joystick(graph):
    """The node with a stick that drives ahead after a press of button 3, or while 5 is pressed."""
    parameters = ["linear.x.axis:=1", "linear.x.scale:=-1.0", f"enable.toggle:={TOGGLE}", f"enable.on:={DEAD_MAN}"]
    joystick = Joystick(graph, *(part for parameter in parameters for part in ("-p", parameter)))
    try:
        graph.subscribe(Bool, CONNECTED, LATCHED)
        graph.wait(lambda: graph.last(CONNECTED) and graph.last(CONNECTED).data, "no device drives")
        yield joystick
    finally:
        joystick.process.stop()


def vx(message):
    return message.vel[0].vx if message and message.vel else 0.0


def wait_to_drive(joystick):
    joystick.graph.wait(lambda: vx(joystick.graph.last(DESIRED)) > 0.9, "the stick does not drive")


def stays_still(joystick, seconds, why):
    start = time.monotonic()
    time.sleep(seconds)
    desired = joystick.graph.since(DESIRED, start)
    assert len(desired) > 10 * seconds and not any(vx(message) for message in desired), why


def replug(joystick, axes, pressed=()):
    joystick.hand.axes, joystick.hand.buttons = [], []
    joystick.graph.publish("/joystick/virtual_device", State())
    joystick.graph.wait(lambda: not joystick.graph.last(CONNECTED).data, "it is not unplugged")
    joystick.hold(axes, pressed)
    joystick.graph.wait(lambda: joystick.graph.last(CONNECTED).data, "it is not plugged in")


@pytest.mark.fault("pad-comes-back")
def test_a_takeover_ends_when_the_virtual_stick_comes_back(joystick):
    joystick.hold({}, [TOGGLE])
    joystick.hold({AHEAD: -32767})
    wait_to_drive(joystick)
    replug(joystick, {AHEAD: -32767})
    stays_still(joystick, 0.4, "a stick that came back held drives")
    assert "waits for the stick at rest" in joystick.process.output, joystick.process.output
    joystick.hold({AHEAD: -20000})
    stays_still(joystick, 0.2, "a stick that was not at rest drives")
    joystick.hold({AHEAD: -20000}, [TOGGLE])
    stays_still(joystick, 0.2, "a stick that was not at rest drives by a new takeover")
    joystick.hold()
    joystick.graph.wait(lambda: "the stick is at rest" in joystick.process.output, "the return to rest is not logged")
    joystick.hold({AHEAD: -32767})
    wait_to_drive(joystick)


@pytest.mark.fault("pad-comes-back")
def test_a_dead_man_that_comes_back_held_has_to_be_pressed_again(joystick):
    joystick.hold({AHEAD: -32767}, [DEAD_MAN])
    wait_to_drive(joystick)
    replug(joystick, {}, [DEAD_MAN])
    start = time.monotonic()
    joystick.hold({AHEAD: -32767}, [DEAD_MAN])
    time.sleep(0.4)
    assert not any(vx(message) for message in joystick.graph.since(DESIRED, start)), "a dead-man button that was never released drives"
    joystick.hold({AHEAD: -32767})
    joystick.hold({AHEAD: -32767}, [DEAD_MAN])
    wait_to_drive(joystick)


@pytest.mark.fault("pad-comes-back")
def test_a_trigger_is_a_dead_man_that_has_to_be_pressed_again(graph):
    parameters = ["linear.x.axis:=lefty", "linear.x.scale:=-1.0", "enable.on:=righttrigger"]
    joystick = Joystick(graph, *(part for parameter in parameters for part in ("-p", parameter)))
    try:
        graph.subscribe(Bool, CONNECTED, LATCHED)
        start = time.monotonic()
        joystick.hold({TRIGGER: 16000, AHEAD: -32767})
        time.sleep(0.3)
        assert not any(vx(message) for message in graph.since(DESIRED, start)), "the trigger is pulled less than three quarters"
        joystick.hold()
        joystick.hold({TRIGGER: 32767, AHEAD: -32767})
        wait_to_drive(joystick)
        replug(joystick, {TRIGGER: 32767})
        joystick.hold({TRIGGER: 32767, AHEAD: -32767})
        start = time.monotonic()
        time.sleep(0.4)
        assert not any(vx(message) for message in graph.since(DESIRED, start)), "a trigger that was never released drives"
        joystick.hold()
        joystick.hold({TRIGGER: 32767, AHEAD: -32767})
        wait_to_drive(joystick)
    finally:
        joystick.process.stop()


def test_a_node_that_starts_while_the_stick_is_held_waits_for_rest(joystick, graph):
    joystick.hold({AHEAD: -32767}, [DEAD_MAN])
    wait_to_drive(joystick)
    joystick.process.kill()
    start = time.monotonic()
    joystick.process = Process("joystick", *joystick.arguments)
    graph.wait(lambda: "connected as Test_Pad" in joystick.process.output, "the device does not come back", 10.0)
    time.sleep(0.5)
    assert not any(vx(message) for message in graph.since(DESIRED, start + 0.2)), "a dead-man that was never pressed drives"
    joystick.hold()
    joystick.hold({AHEAD: -32767}, [DEAD_MAN])
    wait_to_drive(joystick)


def test_a_missing_device_is_logged_after_a_second(graph):
    process = Process(
        "joystick", "--ros-args", "-p", "control_device:=Foo\\nBar", "-p", "joystick:virtual_device:=Other"
    )
    try:
        graph.repeat("/joystick/virtual_device", State(axes=[0] * 6, buttons=[False] * 11), 20.0)
        logged = lambda: [line for line in process.lines if "no device drives" in line and "connected: Other" in line]
        graph.wait(logged, lambda: f"nothing is logged:\n{process.output}")
        assert logged()[0].endswith("no device drives: waiting for 'Foo\\\\nBar'; connected: Other (control_device:=Other selects)")
        time.sleep(1.5)
        assert len(logged()) == 1, "again only after a minute"
    finally:
        process.stop()
