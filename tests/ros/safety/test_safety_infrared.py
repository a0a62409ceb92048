"""Infra-red sensors that flicker: one reading that is not clear blocks, and only clear readings for `ir.timeout` clear it."""

import math

import pytest
from graph import STOP
from infrared import BLOCKED, CLEAR, SENSOR, Flicker
from vehicle import Vehicle

TIMEOUT, FAR = 0.3, 4.0


def share(blocked, of):
    """The given number of blocked readings, followed by clear ones."""
    return [BLOCKED] * blocked + [CLEAR] * (of - blocked)


# rate [Hz], readings in turn; every period is shorter than the timeout
FLICKERS = {
    "75 % at 100 Hz": (100.0, share(3, 4)),
    "50 % at 100 Hz": (100.0, share(1, 2)),
    "4 % at 100 Hz": (100.0, share(1, 25)),
    "96 % at 100 Hz": (100.0, share(24, 25)),
    "20 % at 50 Hz": (50.0, share(1, 5)),
    "50 % at 10 Hz": (10.0, share(1, 2)),
    "33 % at 20 Hz": (20.0, share(1, 3)),
    "no measurement, 25 % at 40 Hz": (40.0, [math.nan, CLEAR, CLEAR, CLEAR]),
    "farther than ir.far, 25 % at 40 Hz": (40.0, [FAR, CLEAR, CLEAR, CLEAR]),
    "too near to measure, 25 % at 40 Hz": (40.0, [-math.inf, CLEAR, CLEAR, CLEAR]),
}


@pytest.fixture(scope="module")
def vehicle():
    with Vehicle({"ir.sensors": [SENSOR], "ir.timeout": TIMEOUT, "ir.far": 3.0}) as vehicle:
        vehicle.flicker = Flicker(vehicle)
        yield vehicle


@pytest.mark.fault("ir-blocked")
@pytest.mark.parametrize("name", FLICKERS)
def test_a_flicker_of_any_rate_and_share_stops_and_stays_stopped(vehicle, name):
    rate, readings = FLICKERS[name]
    flicker = vehicle.flicker
    flicker.clear()
    vehicle.half_ahead()
    flicker.bad.clear()
    flicker.send(rate, readings)
    vehicle.wait_for_motors(STOP, STOP, f"{name}: it drives on")
    vehicle.stopped_within(0.0, flicker.bad[0], name)
    vehicle.stays_stopped(1.0, name)
    assert vehicle.state == "SSTOP.IR" and {"WAY_BLOCKED", "FRONT_BLOCKED"} <= vehicle.causes
    # The sensor is clear again: neither before the timeout, nor before a zero command.
    flicker.clear()
    vehicle.wait_for("OK", "NEUTRAL_WAIT")
    opened = next(at for at, state in reversed(vehicle.graph.messages["/hind/state"]) if state.data == "SSTOP.IR")
    opened = next(at for at, state in vehicle.graph.messages["/hind/state"] if at > opened and state.data == "OK")
    assert opened - flicker.bad[-1] > TIMEOUT - 0.01, f"{name}: clear {opened - flicker.bad[-1]:.3f} s after the last bad reading"
    vehicle.stays_stopped(0.3, f"{name}: clear, and no zero command came")
    vehicle.drives_again(name)


@pytest.mark.fault("ir-blocked")
def test_one_reading_that_is_blocked_is_enough(vehicle):
    """Even a rare blocked reading stops, and motion continues only after a zero command."""
    flicker = vehicle.flicker
    flicker.clear()
    vehicle.half_ahead()
    flicker.bad.clear()
    flicker.send(100.0, [BLOCKED, *[CLEAR] * 10_000])
    vehicle.wait_for_motors(STOP, STOP, "one blocked reading")
    vehicle.stopped_within(0.0, flicker.bad[0], "one blocked reading")
    assert len(flicker.bad) == 1
    vehicle.stays_stopped(1.0, "one blocked reading, then a second of clear ones")
    vehicle.wait_for("OK", "NEUTRAL_WAIT")
    vehicle.drives_again("a second of clear readings")
