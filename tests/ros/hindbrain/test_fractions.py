"""Between two counts the mean of the motor values is the command."""

import pytest
from graph import STOP
from vehicle import Vehicle, now

SPEED, TRACK = 1.7, 0.46
ROBOT = {"wheel_speed": SPEED, "track": TRACK, "accel": 6600.0, "decel": 6600.0}
SECONDS = 2.0  # at 50 values a second



def levels(linear, angular):
    """The counts of port and starboard, by docs/nodes/hindbrain.md."""
    return [66 * (linear + side * angular * TRACK / 2) / SPEED for side in (-1, 1)]


def values(vehicle, start):
    """The levels of port and starboard that were received since `start`."""
    sides = [[STOP - message.data for message in vehicle.graph.since(f"/motor/{side}", start)] for side in ("port", "starboard")]
    assert all(len(side) > 20 * SECONDS for side in sides), [len(side) for side in sides]
    return sides


@pytest.mark.parametrize("linear, angular", [(0.05, 0.0), (0.5, 0.0), (0.0, 0.3), (0.3, -0.5), (-0.1, 0.02)])
def test_the_mean_of_the_motor_values_is_the_command(linear, angular):
    with Vehicle(ROBOT) as vehicle:
        vehicle.start()
        vehicle.set_command(linear, angular)
        wanted = levels(linear, angular)
        near = lambda: all(abs(STOP - motor - level) < 1 for motor, level in zip(vehicle.motors, wanted))  # noqa: E731
        vehicle.wait(near, f"{linear} {angular}: must become about {wanted}")
        start = now()
        vehicle.wait(lambda: now() > start + SECONDS, "never", SECONDS + 5.0)
        for side, level in zip(values(vehicle, start), wanted):
            assert abs(sum(side) / len(side) - level) < 0.1, (side, level)
            assert 0 not in side and all(abs(value - level) < 1 for value in side), (side, level)


def test_a_command_below_one_count_is_named_and_moves_nothing():
    with Vehicle(ROBOT) as vehicle:
        vehicle.start()
        vehicle.set_command(0.0, 0.1)  # 0.89 counts
        vehicle.wait_for("OK", "CMD_BELOW_COUNT")
        vehicle.stays_stopped(0.5, "below one count")
        vehicle.set_command(0.0, 0.0)
        vehicle.wait_for("OK")
