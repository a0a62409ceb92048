"""With hindbrain's default slopes a motion ends as quickly as the vehicle brakes, although another one begins slowly."""

import time

import pytest
from stack import Stack

# From full speed of both wheels, 66 counts at 200 counts/s, and as much again for a wheel that turns back; a tick at either end, one at zero.
FADING = 2 * 0.33 + 3 * 0.02
# The way of a message, and wake-ups that come late on a machine with other work.
SLACK = 0.15


def parts(stack, start):
    """The forward part and the turn part of the motor values since `start`, of full speed, with their times."""
    received = stack.graph.messages
    pairs = zip(received["/motor/port"], received["/motor/starboard"], strict=False)
    values = [(at - start, 90 - port.data, 90 - starboard.data) for (at, port), (_, starboard) in pairs if at >= start]
    return [(at, (starboard + port) / 132, (starboard - port) / 132) for at, port, starboard in values]


@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_a_zone_that_closes_ends_the_forward_motion_of_a_curve(composed):
    stack = Stack(composed, ["-p", "hindbrain:accel:=20.0", "-p", "hindbrain:decel:=200.0"])
    try:
        stack.ready()
        stack.enable(True)
        stack.stick(0.0)
        stack.wait_for_state("OK")
        stack.wait_for_rest()
        stack.stick(1.0, left=1.0)
        start = time.monotonic()
        stack.graph.wait(lambda: any(forward > 0.45 for _, forward, _ in parts(stack, start)), "it does not drive the curve", timeout=10)
        # The forward part is zero, the turn is unchanged.
        for factor in ("front_fb", "front_left_fb", "front_right_fb"):
            setattr(stack.scaling, factor, 0.0)
        start = time.monotonic()
        time.sleep(2.5)
        seen = parts(stack, start)
        late = [one for one in seen if one[0] > FADING + SLACK and abs(one[1]) > 0.02]
        assert not late, late[:3]
        assert seen[-1][2] > 0.3, "the turn does not continue"
    finally:
        stack.close()
