"""The node of motors that docs/motor_controllers.md shows, for tests of both ends of the motor topics."""

import json
import pathlib
import re
import sys
import time

from graph import act_until
from paths import ROOT
from processes import Process

PAGE = ROOT / "docs" / "motor_controllers.md"
TIMEOUT = 0.25
AHEAD, STANDS, BACK = "1.00 1.00", "0.00 0.00", "-1.00 -1.00"
SIDES = ("port", "starboard")


class MotorNode:
    """The page's node in a process of its own, and what it writes to its motors: a line every 20 ms."""

    def __init__(self, folder, *arguments):
        (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        path = pathlib.Path(folder) / "motors.py"
        path.write_text(text)
        self.begin = lambda: Process(sys.executable, str(path), "--ros-args", "--log-level", "motors:=debug", *arguments)
        self.process = self.begin()

    @property
    def all_written(self):
        """All values that it wrote to the motors, as parts of full speed."""
        return [line.rpartition("[motors]: ")[2] for line in self.process.lines if "[motors]: " in line]

    @property
    def written(self):
        """The last values that it wrote to the motors."""
        written = self.all_written
        return written[-1] if written else None


def behind_a_cut_link(vehicle, operator):
    """The motors are on the other host, and the link to them is cut at full speed: they stay at stop until a zero comes."""
    def far(since=0):
        """The last values that the motor node wrote, how many it wrote, all from `since` on, and how many it received."""
        return json.loads(operator.ask({"motors": since}))

    vehicle.wait(lambda: far()[0] == STANDS, "the motor node does not start", 20.0)
    vehicle.wait(lambda: far()[3] > 50, "no motor value arrives", 20.0)
    vehicle.start()

    def drive():
        """Once more from a zero, if the motor node had not been discovered when the first one came."""
        vehicle.set_command(0.0)
        time.sleep(0.3)
        vehicle.set_command(1.0)

    act_until(vehicle.graph, drive, lambda: far()[0] == AHEAD, lambda: f"the far motors do not follow: {far()}", 20.0, 3.0)
    operator.lose_link()
    vehicle.wait(lambda: far()[0] == STANDS, lambda: f"the far motors turn: {far()}")
    time.sleep(3.0)
    known = f"{vehicle.state}, {vehicle.causes}, {vehicle.motors}\n{vehicle.process.output}"
    assert vehicle.state == "OK" and vehicle.motors == (24, 24), f"hindbrain knows of the link: {known}"
    _, written, _, received = far()
    operator.link("good")
    vehicle.wait(lambda: far()[3] > received + 50, "no motor value arrives after the cut", 20.0)
    time.sleep(1.0)
    assert far(written)[2] == [STANDS], f"the link is back, and the motors start by themselves: {far(written)}"
    vehicle.set_command(0.0)
    vehicle.wait_for_motors(90, 90, "a zero")
    time.sleep(0.2)
    vehicle.set_command(1.0)
    vehicle.wait(lambda: far()[0] == AHEAD, lambda: f"the far motors do not follow after a zero: {far()}", 20.0)
