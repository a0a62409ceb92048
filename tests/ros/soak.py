"""Faults at random and at a high rate, and an observer who knows nothing but what was published.

`python soak.py --seconds 600 --seed 1`. The faults are on the topics of hindbrain, in the motor controller behind it (an
imitated RoboClaw), in its parameters and in its process, which is held for moments. Throughout:

* motor values are within 24 to 156, and the state is one of the five;
* both motors are at 90 from 0.1 s after an e-stop was pressed until somebody lets the reset button go, from 0.1 s after
  enable was false until it is true, 0.1 s after an e-stop that was silent for `estop.timeout`, 0.1 s after `cmd_timeout`
  and the time to brake if no valid command came, 0.1 s after sensors front and back were blocked for `ir.debounce` until one
  is clear, and while there are two publishers of commands, from 0.1 s after the graph is looked at, which takes 0.2 s;
* nothing grows faster than `accel` allows; the motor controller is told to drive only where the topics may;
* memory, threads and open files at the end are what they were after the warm-up.

The times are those of publishing, by the wall clock that all processes share. The 0.1 s are counted while hindbrain is alive,
which its motor values show: of a gap between two of them no more than 0.03 s count, since a held process hears nothing.
"""

import argparse
import bisect
import collections
import pathlib
import random
import tempfile
import time

from conftest import STOP
from devices import Device
from faults import ACCELS, CMD_TIMEOUT, DEBOUNCE, DECEL, ESTOP_TIMEOUT, SENSORS, Hands
from vehicle import Vehicle, now, steepest

STATES = {"OK", "ESTOP", "SSTOP.BOTH", "SSTOP.ROS", "SSTOP.IR"}
# How often hindbrain looks for publishers; the middleware has told it of this one at once, it is in a known participant.
LOOK = 0.2
HEARS_WITHIN = 0.1
LONGEST_GAP = 0.03
# The motor controller's line has its own time: the thread that serves it, the answer, the tests' reading of it.
DEVICE_WITHIN = 0.15
MAY_GROW = 8_000  # kB of resident memory


class Observer:
    """Looks at what was published, some time after it was, and at nothing else."""

    def __init__(self, vehicle, device, hands):
        self.vehicle, self.device, self.hands = vehicle, device, hands
        self.seen = collections.Counter()
        self.looked = 0.0
        self.offset = now() - time.monotonic()

    def bounds(self, time_):
        """What speaks against any motion at `time_`: since when, how long it may take to be heeded, and what it is."""
        pressed = self._first_since_release(time_)
        if pressed is not None:
            yield pressed, HEARS_WITHIN, "the e-stop was pressed"
        for name, value, within, why in (
            ("enable", False, HEARS_WITHIN, "enable was false"),
            ("blocked", True, DEBOUNCE + HEARS_WITHIN, "the sensors were blocked"),
            ("rival", True, LOOK + HEARS_WITHIN, "a second publisher came"),
        ):
            since = self._since(name, value, time_)
            if since is not None:
                yield since, within, why
        index = bisect.bisect_right(self.hands.valid, time_)
        valid = self.hands.valid[index - 1] if index else 0.0
        estops = [event for event in self.hands.said["estop"] if event[0] <= time_]
        yield estops[-1][1] if estops else 0.0, ESTOP_TIMEOUT + HEARS_WITHIN, "the e-stop last spoke"
        yield valid, CMD_TIMEOUT + 66 / DECEL + HEARS_WITHIN, "the last valid command came"

    def heeded(self, times, at, what, more=0.0):
        """Fails if something moves at `at` and may not."""
        for since, within, why in self.bounds(at):
            alive = self.alive(times, since, at)
            assert alive <= within + more, f"{at:.3f}: {what} {alive:.3f} s after {why} ({at - since:.3f} s by the clock)"

    def _since(self, name, value, time_):
        """When what was last said of `name` was first said without anything else since; None unless it is `value`."""
        said = [event for event in self.hands.said[name] if event[0] <= time_]
        if not said or said[-1][2] != value:
            return None
        others = [event[0] for event in said if event[2] != value]
        return next(event for event in said if event[2] == value and (not others or event[0] > others[-1]))[1]

    def _first_since_release(self, time_):
        """When the e-stop was first pressed after the last release of the reset button."""
        releases = [event[0] for event in self.hands.said["reset"] if event[0] <= time_ and not event[2]]
        start = releases[-1] if releases else 0.0
        # A press before that release which was heard after it is not undone by it: it is a cause still.
        return next((event[1] for event in self.hands.said["estop"] if start <= event[0] <= time_ and event[2]), None)

    def alive(self, times, start, end):
        """How long hindbrain was alive between the two."""
        inside = [start, *times[bisect.bisect_left(times, start) : bisect.bisect_right(times, end)]]
        return sum(min(after - before, LONGEST_GAP) for before, after in zip(inside, inside[1:]))

    def look(self, until):
        """Checks all that was published up to `until` and not looked at yet."""
        graph = self.vehicle.graph
        for side in ("port", "starboard"):
            topic = f"/motor/{side}"
            with graph.condition:
                heard = sorted(graph.heard[topic], key=lambda entry: entry[0])
            times = [at for at, _ in heard]
            first, last = bisect.bisect_right(times, self.looked), bisect.bisect_right(times, until)
            for at, message in heard[first:last]:
                self.seen["motor values"] += 1
                self.seen["moving"] += message.data != STOP
                assert 24 <= message.data <= 156, f"{side} is told {message.data}"
                if message.data != STOP:
                    self.heeded(times, at, f"{side} is told {message.data}")
            window = heard[max(0, first - 50) : last]
            if window:
                # Whatever was in force at any time in the window.
                accels = self.hands.accels
                begin = bisect.bisect_right([at for at, _ in accels], window[0][0] - HEARS_WITHIN) - 1
                slope = max(accel for _, accel in accels[max(0, begin) :])
                excess = steepest(window, slope)
                assert excess <= 0.0, f"{side} is {excess:.1f} counts beyond {slope} counts/s"
        for at, message in list(graph.heard["/hind/state"]):
            if self.looked < at <= until:
                self.seen[message.data] += 1
                assert message.data in STATES, f"state '{message.data}'"
        self.look_at_device(times, until)
        self.looked = until

    def look_at_device(self, times, until):
        for one in list(self.device.told):
            at = one["at"] + self.offset
            assert "unknown" not in one and "wrong_crc" not in one, f"the line carries nonsense: {one}"
            if self.looked < at <= until and "motors" in one:
                self.seen["on the line"] += 1
                if one["motors"] != [0, 0]:
                    self.heeded(times, at, f"the device is told {one['motors']}", DEVICE_WITHIN)

    def forget(self, before):
        """What no check looks at any more."""
        hands = self.hands
        with self.vehicle.graph.condition:
            for heard in self.vehicle.graph.heard.values():
                del heard[: max(0, bisect.bisect_left([at for at, _ in heard], before))]
        for said in hands.said.values():
            del said[: max(0, min(bisect.bisect_left([event[0] for event in said], before), len(said) - 5))]
        del hands.valid[: max(0, bisect.bisect_left(hands.valid, before) - 1)]
        del hands.accels[:-20]
        self.device.told[:] = [one for one in list(self.device.told) if one["at"] + self.offset >= before]


def uses(process):
    """What a process holds: resident memory [kB], threads, open files."""
    folder = pathlib.Path(f"/proc/{process.process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]), int(status["Threads"]), len(list((folder / "fd").iterdir()))


def soak(seconds, seed=None):
    """Plays faults for so long and gives the summary; fails at the first wrong word of hindbrain's."""
    seed = random.randrange(1 << 32) if seed is None else seed
    dice = random.Random(seed)
    print(f"soak: {seconds:g} s, seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder, Device("roboclaw", f"{folder}/motor") as device:
        parameters = {
            "accel": ACCELS[-1],
            "decel": DECEL,
            "cmd_timeout": CMD_TIMEOUT,
            "estop.required": True,
            "estop.timeout": ESTOP_TIMEOUT,
            "ir.sensors": SENSORS,
            "ir.debounce": DEBOUNCE,
            "driver.kind": "roboclaw",
            "driver.device": f"{folder}/motor",
            "driver.reopen": 0.1,
        }
        with Vehicle(parameters) as vehicle:
            hands = Hands(vehicle, device, dice)
            observer = Observer(vehicle, device, hands)
            start, warm = now(), None
            try:
                while now() < start + seconds or warm is None:
                    hands.drive()
                    if warm is None and now() > start + min(seconds / 3, 30.0) and vehicle.state == "OK":
                        warm = uses(vehicle.process)
                    hands.play()
                    assert vehicle.process.process.poll() is None, "hindbrain has ended"
                    if now() > observer.looked + 2.0:
                        observer.look(now() - 0.5)
                        observer.forget(observer.looked - 20.0)
                observer.look(now())
                hands.device.order(plugged=True)
                for _ in range(20):
                    hands.drive()
                    if vehicle.state == "OK":
                        break
                assert vehicle.state == "OK", f"it does not drive at the end: {vehicle.state}, {vehicle.causes}"
                end = uses(vehicle.process)
                assert end[0] <= warm[0] + MAY_GROW, f"memory grew from {warm[0]} kB to {end[0]} kB"
                assert end[1:] == warm[1:], f"threads and open files were {warm[1:]}, are {end[1:]}"
                assert observer.seen["moving"] > observer.seen["motor values"] / 20, "nothing moved: the soak says nothing"
            except AssertionError as error:
                tail = "\n".join(vehicle.process.lines[-15:])
                what = f"seed {seed}, {now() - start:.1f} s in: {error}\nhindbrain said:\n{tail}\nthe latest faults: "
                raise AssertionError(what + ", ".join(f"{name} at {at:.3f}" for at, name in hands.played)) from error
    faults = ", ".join(f"{name} {count}" for name, count in sorted(hands.count.items()))
    seen = ", ".join(f"{name} {count}" for name, count in sorted(observer.seen.items()))
    return f"soak: ok: seed {seed}; {seen}; faults: {faults}; memory {warm[0]} to {end[0]} kB, threads and files {end[1:]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    print(soak(options.seconds, options.seed))
