"""How long the graph keeps a node that died, and that one which was held for less is not lost."""

import signal
import time

import pytest
from graph import Graph
from processes import Process
from vehicle import Vehicle, now

pytestmark = pytest.mark.fast_dds
# The lease of Fast DDS [s], which no profile here changes, and its announcements; after it Fast DDS looks when it wakes up.
LEASE = 20.0
ANNOUNCED = 3.0
LATE = 2.0


def test_a_node_that_was_killed_is_forgotten_after_its_lease():
    graph = Graph()
    try:
        process = Process("velocity_arbiter")
        count = lambda: graph.node.count_publishers("/cmd_vel_arbitrated")
        graph.wait(lambda: count() == 1, "the node is not found", 10.0)
        process.kill()
        took = graph.wait(lambda: count() == 0, lambda: f"{count()} publishers", 30.0)
        assert LEASE - ANNOUNCED - 0.5 < took < LEASE + LATE, f"it is forgotten {took:.1f} s after it was killed"
    finally:
        graph.close()


def test_a_node_that_was_held_for_a_part_of_its_lease_is_not_lost():
    """With a lease of 5 s one that was held for about as long was not found again."""
    held = 5.6
    with Vehicle() as vehicle:
        graph = vehicle.graph
        vehicle.half_ahead()
        topics = ["/motor/port", "/motor/starboard", "/hind/state", "/hind/state_detail"]
        vehicle.process.process.send_signal(signal.SIGSTOP)
        time.sleep(held)
        assert all(graph.node.count_publishers(topic) == 1 for topic in topics), "it is forgotten"
        vehicle.process.process.send_signal(signal.SIGCONT)
        back = now()
        vehicle.wait(lambda: all(graph.since(topic, back) for topic in topics[:2]), "no motor value comes", 5.0)
        vehicle.stays_stopped(0.5, "it was held")
        # What it receives and publishes works again: buttons, commands, motor values.
        vehicle.restart()
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "it does not drive again")
