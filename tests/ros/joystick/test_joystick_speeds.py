"""The top speed and the slow speed of each coordinate of the stick, over real DDS."""

import time

import pytest
from joysticks import Joystick
from or_joystick.msg import Params
from or_joystick.srv import SetStateParams
from processes import Process
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

DESIRED = "/joystick/desired"
TURN, AHEAD = 0, 1
ORDINARY, TURBO = 4, 5
FULL = {AHEAD: -32767, TURN: -32767}


@pytest.fixture
def pad(graph):
    """The node with the speeds of a teleop_twist_joy with a turbo button; linear and angular ones have other ratios."""
    parameters = [
        "drag:=10.0",
        "linear.x.axis:=1",
        "linear.x.scale:=-1.0",
        "linear.x.slow_speed:=0.3",
        "linear.x.max_speed:=0.7",
        "angular.z.axis:=0",
        "angular.z.scale:=-1.0",
        "angular.z.slow_speed:=0.8",
        "angular.z.max_speed:=1.2",
        f"enable.slow:={ORDINARY}",
        f"enable.on:={TURBO}",
    ]
    pad = Joystick(graph, *(part for parameter in parameters for part in ("-p", f"joystick:{parameter}")))
    try:
        yield pad
    finally:
        pad.process.stop()


def velocity(message):
    return (message.vel[0].vx, message.avel[0].wz) if message and message.vel and message.avel else (0.0, 0.0)


def settles(pad, ahead, turn):
    """Waits until the stick drives at these speeds."""
    last = lambda: velocity(pad.graph.last(DESIRED))
    near = lambda: abs(last()[0] - ahead) < 1e-6 and abs(last()[1] - turn) < 1e-6
    pad.graph.wait(near, lambda: f"the stick drives at {last()}, not at {ahead} and {turn}")


def drives(pad, pressed, ahead, turn):
    """The full stick drives at these speeds with these buttons, and never faster."""
    pad.hold()
    pad.hold({}, pressed)
    start = time.monotonic()
    pad.hold(FULL, pressed)
    settles(pad, ahead, turn)
    reached = [velocity(message) for message in pad.graph.since(DESIRED, start)]
    assert max(v for v, _ in reached) < ahead + 1e-9 and max(w for _, w in reached) < turn + 1e-9, reached


def set_value(pad, name, value):
    value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
    return pad.call(SetParameters, "set_parameters", parameters=[Parameter(name=name, value=value)]).results[0]


def test_each_button_drives_at_its_own_speeds(pad):
    drives(pad, [ORDINARY], 0.3, 0.8)
    drives(pad, [TURBO], 0.7, 1.2)
    drives(pad, [ORDINARY, TURBO], 0.3, 0.8)
    # From one to the other, with the stick held.
    pad.hold(FULL, [TURBO])
    settles(pad, 0.7, 1.2)
    pad.hold(FULL, [ORDINARY, TURBO])
    settles(pad, 0.3, 0.8)


def test_a_speed_that_is_changed_or_unset_takes_effect(pad):
    drives(pad, [TURBO], 0.7, 1.2)
    pad.set("linear.x.max_speed", 0.5)
    settles(pad, 0.5, 1.2)
    pad.set("linear.x.slow_speed", "")
    assert pad.get("linear.x.max_speed", "linear.x.slow_speed") == [0.5, ""]
    pad.hold(FULL, [ORDINARY, TURBO])
    settles(pad, 0.25, 0.8)  # slow / 2 = 2
    pad.set("linear.x.max_speed", "")
    pad.hold(FULL, [TURBO])
    settles(pad, 0.3, 1.2)  # amax / drag
    # A speed within a zero is no motion: more does not start one.
    pad.set("linear.x.max_speed", 0.01)
    pad.hold({AHEAD: -32767}, [TURBO])
    settles(pad, 0.01, 0.0)
    start = time.monotonic()
    pad.set("linear.x.max_speed", 0.7)
    time.sleep(0.3)
    assert not any(velocity(message)[0] > 0.0101 for message in pad.graph.since(DESIRED, start)), "the stick was not at rest"
    drives(pad, [TURBO], 0.7, 1.2)


def test_impossible_speeds_are_refused(pad):
    for name, value, rule in [
        ("linear.x.max_speed", 0.0, "is 0.0, must be from 0.001 to 1000.0 m/s, or ''"),
        ("angular.z.max_speed", -1.2, "is -1.2, must be from 0.001 to 1000.0 rad/s, or ''"),
        ("linear.x.slow_speed", float("nan"), "is .nan, must be from 0.001 to 1000.0 m/s, or ''"),
        ("linear.x.slow_speed", 0.8, "is 0.8, must be from 0.001 to 0.7 m/s, the top speed, or ''"),
        ("linear.y.slow_speed", 0.8, "is 0.8, must be from 0.001 to 0.3 m/s, the top speed, or ''"),
    ]:
        refused = set_value(pad, name, value)
        assert (refused.successful, refused.reason) == (False, f"parameter '{name}' {rule}")
    stays = "parameter 'linear.x.max_speed' is 0.7, must be '' while 'drag' is 0.0 1/s"
    refused = set_value(pad, "drag", 0.0)
    assert (refused.successful, refused.reason) == (False, stays)
    detail = pad.bad(SetStateParams, "set_state_params", "e_value", params=Params(drag=0.0, amax=1.0, awmax=1.0))
    assert detail == {"what": stays}
    pad.good(SetStateParams, "set_state_params", params=Params(drag=20.0, amax=1.0, awmax=1.0))
    drives(pad, [TURBO], 0.7, 1.2)


def test_an_impossible_speed_is_refused_at_the_start():
    for arguments, sentence in [
        (["linear.x.max_speed:=-0.7"], "parameter 'linear.x.max_speed' is -0.7, must be from 0.001 to 1000.0 m/s, or ''"),
        (["linear.x.max_speed:=0.3", "linear.x.slow_speed:=0.7"], "parameter 'linear.x.slow_speed' is 0.7, must be from 0.001 to"),
    ]:
        process = Process("joystick", "--ros-args", *(part for one in arguments for part in ("-p", f"joystick:{one}")))
        assert process.wait() == 1
        assert sentence in process.output, process.output
