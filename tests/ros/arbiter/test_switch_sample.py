"""The node of docs/your_robot.md that enables a robot and keeps a lock open."""

import re
import signal
import sys

from arbiters import NAVIGATION, Arbiter, named
from graph import LATCHED
from paths import ROOT
from processes import Process
from std_msgs.msg import String

PAGE = ROOT / "docs" / "your_robot.md"
LOCK = named("locks.pause", topic="/pause", priority=50)


def test_it_enables_and_keeps_the_lock_open_until_it_ends(tmp_path):
    (text,) = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    path = tmp_path / "switch.py"
    path.write_text(text)
    with Arbiter({**NAVIGATION, **LOCK}, "steersman", ("-p", "zone_scaler:mode:=passthrough")) as vehicle:
        vehicle.graph.subscribe(String, "/hind/state", LATCHED)
        switch = Process(sys.executable, str(path))
        vehicle.wait(lambda: vehicle.locks["pause"] == "open", "the lock stays closed")
        vehicle.publish("/nav", 0.1)
        vehicle.drives("navigation", 0.1)
        vehicle.wait(lambda: vehicle.graph.last("/hind/state").data == "OK", "it is not enabled", 10.0)
        switch.process.send_signal(signal.SIGINT)
        assert switch.wait() == 0, switch.output
        vehicle.wait(lambda: vehicle.locks["pause"] != "open" and vehicle.last == 0.0, "the lock stays open")
