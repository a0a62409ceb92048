"""The node of motors that docs/motor_controllers.md shows: it stops them by itself."""

import re
import sys

import pytest
from conftest import HERE, SLACK, STOP
from processes import Process
from std_msgs.msg import Int16

PAGE = HERE.parents[1] / "docs" / "motor_controllers.md"
TIMEOUT = 0.25
# A value is published, and written to the motors, every 20 ms.
AT_ONCE = 0.04
AHEAD, STANDS, BACK = "1.00 1.00", "0.00 0.00", "-1.00 -1.00"
SIDES = ("port", "starboard")


class Sample:
    """The page's node, and motor values for it at the rate of hindbrain's."""

    def __init__(self, graph, path, *arguments):
        (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        path.write_text(text)
        self.process = Process(sys.executable, str(path), "--ros-args", "--log-level", "motors:=debug", *arguments)
        self.graph = graph
        self.values = {side: Int16(data=STOP) for side in SIDES}
        self.timers = {side: graph.repeat(f"/motor/{side}", value, 50.0) for side, value in self.values.items()}

    @property
    def written(self):
        """The last values it wrote to the motors, as parts of full speed."""
        lines = [line for line in self.process.lines if "[motors]: " in line]
        return lines[-1].rpartition("[motors]: ")[2] if lines else None

    def writes(self, what, timeout=5.0):
        return self.graph.wait(
            lambda: self.written == what, lambda: f"it must write {what}, not {self.written}: {self.process.output[-2000:]}", timeout
        )

    def publish(self, value, sides=SIDES):
        for side in sides:
            self.values[side].data = value

    def drives_ahead(self):
        self.publish(24)
        self.writes(AHEAD)

    def stands_within(self, bound, what):
        took = self.writes(STANDS)
        assert took < bound + SLACK, f"{what}: stopped after {took:.3f} s, must be within {bound:.3f} s"


@pytest.fixture(params=[(), ("-p", "use_sim_time:=true")], ids=["wall_clock", "simulated_time_without_a_clock"])
def sample(request, graph, tmp_path):
    sample = Sample(graph, tmp_path / "motors.py", *request.param)
    try:
        sample.writes(STANDS, 10.0)
        yield sample
    finally:
        sample.process.kill()


def test_values_are_parts_of_full_speed(sample):
    for value, parts in [(24, AHEAD), (156, BACK), (57, "0.50 0.50"), (STOP, STANDS)]:
        sample.publish(value)
        sample.writes(parts)


@pytest.mark.parametrize("silent", [SIDES, ("port",), ("starboard",)], ids=["both", *SIDES])
def test_silence_of_either_motor_stops_both(sample, silent):
    sample.drives_ahead()
    for side in silent:
        sample.timers[side].cancel()
    sample.stands_within(TIMEOUT, f"{silent} silent")


@pytest.mark.parametrize("side", SIDES)
def test_a_value_out_of_range_stops_both(sample, side):
    for value in (23, 157, 0, -32768, 32767):
        sample.drives_ahead()
        sample.publish(value, [side])
        sample.stands_within(AT_ONCE, f"{side} is {value}")
