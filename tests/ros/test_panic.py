"""A node panics while the vehicle drives at full speed: what the motors hear last, and how the process ends."""

import time

import pytest
from conftest import SEPARATE, STOP, Stack, panicking
from std_msgs.msg import Bool
from vehicle import Vehicle, now, watch

# From the message that asks for the panic to the first stop: a wake-up of every node's thread, 5 ms each, and a busy machine.
STOPS_WITHIN = 0.2
# The last words have 0.1 s to leave; then the nodes go, a second each at the most.
ENDS_WITHIN = 3.0


def ends_at_stop(graph, process, node):
    """Lets `node` panic: both motors hear stop in time and nothing else after it, and the process fails."""
    graph.publish(f"/{node}/panic", Bool(data=False))
    start = now()
    graph.publish(f"/{node}/panic", Bool(data=True))
    assert process.wait(ENDS_WITHIN) == 1, process.output
    ended = now() - start
    assert ended < ENDS_WITHIN
    time.sleep(0.3)  # whatever was said has come
    for side in ("port", "starboard"):
        values = [(at - start, message.data) for at, message in graph.heard[f"/motor/{side}"] if at >= start]
        assert values and values[-1][1] == STOP, f"{side} keeps {values[-5:]}:\n{process.output}"
        first = next(at for at, value in values if value == STOP)
        assert {value for at, value in values if at >= first} == {STOP}, f"{side} moves on: {values}"
        assert first < STOPS_WITHIN, f"{side} is stopped after {first:.3f} s"
    assert "the mistake that it was asked for" in process.output and "what was said above is the reason" in process.output


def test_a_panic_of_hindbrain_leaves_the_motors_at_stop():
    with Vehicle(executable=panicking("hindbrain")) as vehicle:
        vehicle.start()
        vehicle.say(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        ends_at_stop(vehicle.graph, vehicle.process, "hindbrain")


@pytest.mark.parametrize("node", SEPARATE)
def test_a_panic_of_any_node_in_one_process_leaves_the_motors_at_stop(node):
    stack = Stack(composed=True, executable=panicking("steersman"))
    try:
        watch(stack.graph)
        stack.ready().drive_forward()
        stack.wait_for_motors(lambda port, starboard: port <= 30 and starboard <= 30, "full speed is not reached")
        ends_at_stop(stack.graph, stack.processes["steersman"], node)
    finally:
        stack.close()
