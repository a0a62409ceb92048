"""The node of motors that docs/motor_controllers.md shows: it stops them by itself."""

import signal
import time

import pytest
from graph import SLACK, STOP, act_until
from motor_node import AHEAD, BACK, SIDES, STANDS, TIMEOUT, MotorNode
from std_msgs.msg import Int16

# A value is published, and written to the motors, every 20 ms.
AT_ONCE = 0.04


class Sample(MotorNode):
    """The page's node, and motor values for it at the rate of hindbrain's."""

    def __init__(self, graph, folder, *arguments):
        super().__init__(folder, *arguments)
        self.graph = graph
        self.values = {side: Int16(data=STOP) for side in SIDES}
        self.timers = {side: graph.repeat(f"/motor/{side}", value, 50.0) for side, value in self.values.items()}

    def writes(self, what, timeout=5.0):
        return self.graph.wait(
            lambda: self.written == what, lambda: f"it must write {what}, not {self.written}: {self.process.output[-2000:]}", timeout
        )

    def publish(self, value, sides=SIDES):
        for side in sides:
            self.values[side].data = value

    def drives_ahead(self):
        """From a stop on both sides, with which motion begins, to full speed."""

        def stop_and_go():
            self.publish(STOP)
            time.sleep(0.2)  # ten values of each side, unless the node is not discovered yet
            self.publish(24)

        act_until(self.graph, stop_and_go, lambda: self.written == AHEAD, lambda: f"it does not drive: {self.process.output[-2000:]}", 15.0)

    def waits_for_a_stop(self, what):
        """Checks that full speed on both sides moves nothing, and neither does a stop on one side at a time."""
        for values in [(24, 24), (STOP, 24), (24, STOP), (24, 24)]:
            for side, value in sorted(zip(SIDES, values), key=lambda one: one[1]):
                self.publish(value, [side])  # the one that moves first: both are never at stop
                time.sleep(0.1)
            time.sleep(0.2)
            assert self.written == STANDS, f"{what}, then {values}: it writes {self.written}"
        self.drives_ahead()

    def stands_within(self, bound, what):
        took = self.writes(STANDS)
        assert took < bound + SLACK, f"{what}: stopped after {took:.3f} s, must be within {bound:.3f} s"


@pytest.fixture(params=[(), ("-p", "use_sim_time:=true")], ids=["wall_clock", "simulated_time_without_a_clock"])
def sample(request, graph, tmp_path):
    sample = Sample(graph, tmp_path, *request.param)
    try:
        sample.writes(STANDS, 10.0)
        yield sample
    finally:
        sample.process.kill()


def test_values_are_parts_of_full_speed(sample):
    sample.drives_ahead()
    for value, parts in [(24, AHEAD), (156, BACK), (57, "0.50 0.50"), (STOP, STANDS)]:
        sample.publish(value)
        sample.writes(parts)


@pytest.mark.fault("motor-link-cut")
@pytest.mark.parametrize("silent", [SIDES, ("port",), ("starboard",)], ids=["both", *SIDES])
def test_silence_of_either_motor_stops_both(sample, silent):
    sample.drives_ahead()
    for side in silent:
        sample.timers[side].cancel()
    sample.stands_within(TIMEOUT, f"{silent} silent")
    time.sleep(1.0)
    for side in silent:
        sample.timers[side].reset()
    sample.waits_for_a_stop(f"{silent} silent, and back at full speed")


def test_motion_begins_with_a_stop_on_both_sides(sample):
    """A node that is started while hindbrain drives."""
    sample.publish(24)
    sample.process.kill()
    sample.process = sample.begin()
    sample.writes(STANDS, 10.0)
    time.sleep(1.0)
    sample.waits_for_a_stop("the start")


def test_a_node_that_was_held_waits_for_a_stop(sample):
    """Its motors stopped by their own time-out meanwhile, and it reads only the newest values after it."""
    sample.drives_ahead()
    sample.process.process.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    sample.process.process.send_signal(signal.SIGCONT)
    sample.writes(STANDS)
    sample.waits_for_a_stop("held")


@pytest.mark.parametrize("side", SIDES)
def test_a_value_out_of_range_stops_both(sample, side):
    for value in (23, 157, 0, -32768, 32767):
        sample.drives_ahead()
        sample.publish(value, [side])
        sample.stands_within(AT_ONCE, f"{side} is {value}")
    sample.waits_for_a_stop(f"{side} was {value}")
