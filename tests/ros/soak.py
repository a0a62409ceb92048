"""Faults at random and at a high rate, and an observer who knows nothing but what was published.

`python soak.py --seconds 600 --seed 1`. The faults are on the topics of hindbrain, in the motor controller behind it (an
imitated RoboClaw), in its parameters and in its process, which is held for moments. Throughout:

* motor values are within 24 to 156, and the state is one of the five;
* both motors are at 90 from 0.1 s after one of these began, counting what hindbrain needs to notice it (a time-out, the time to
  brake, 0.2 s until the publishers are counted), and stay there until what the rules ask for was done after its end:
  an e-stop that was pressed or silent, or had two publishers: a click of reset; enable false, or two switches, or two publishers of
  the motors: a rise of enable; commands that were silent, or had two publishers, or sensors front and back that were not clear for
  `ir.timeout`: a zero command;
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
from faults import CHANGES, SENSORS, SOLE, Hands
from vehicle import Vehicle, now, steepest

STATES = {"OK", "ESTOP", "SSTOP.BOTH", "SSTOP.ROS", "SSTOP.IR"}
# How often hindbrain looks for publishers; the middleware has told it of this one at once, it is in a known participant.
LOOK = 0.2
HEARS_WITHIN = 0.1
# How far back commands are looked at [s].
BACK = 5.0
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
        hands = self.hands
        done = {name: [event for event in hands.said[name] if event[0] <= time_] for name in ("enable", "estop", "reset", "blocked")}
        first, last = (bisect.bisect_right(hands.valid, at, key=lambda entry: entry[0]) for at in (time_ - BACK, time_))
        valid = hands.valid[first:last]
        zeros = [entry[1] for entry in valid if entry[2]]
        clicks = [event[1] for event in done["reset"] if not event[2]]
        rises = [event for last, event in zip(done["enable"], done["enable"][1:]) if event[2] and not last[2]]
        pressed = self._first_since_release(time_)
        if pressed is not None:
            yield pressed, HEARS_WITHIN, "the e-stop was pressed"
        since = self._since("enable", False, time_)
        if since is not None:
            yield since, HEARS_WITHIN, "enable was false"
        for topic, acts in (("hind/estop", clicks), ("hind/enable", rises), ("motor/port", rises), ("cmd_vel", zeros)):
            for since, until in self.conflicts(topic, time_):
                after = [act for act in acts if (act if isinstance(act, float) else act[1]) >= until]
                if not after:
                    yield since, LOOK + HEARS_WITHIN, f"a second publisher of {topic} came"
        bad = [event for event in done["blocked"] if event[2] and event[0] > time_ - 3.0]
        if bad:
            least = min(hands.in_force("ir.timeout", bad[0][0], time_))
            if not any(zero >= bad[-1][0] + least for zero in zeros):
                # Back to the first one since it may have been clear last.
                start = bad[-1]
                for before, block in reversed(list(zip(bad, bad[1:]))):
                    if any(before[0] + least <= zero <= block[1] for zero in zeros):
                        break
                    start = before
                yield start[1], HEARS_WITHIN, "the sensors were blocked"
        estops = done["estop"]
        timeout = max(hands.in_force("estop.timeout", estops[-1][0] if estops else 0.0, time_))
        yield estops[-1][1] if estops else 0.0, timeout + HEARS_WITHIN, "the e-stop last spoke"
        yield from self.losses(valid, zeros, time_)

    def conflicts(self, topic, time_):
        """When a second publisher came, and when it was gone; infinity if it is still there."""
        events = [event for event in self.hands.said[topic] if event[0] <= time_]
        for came, went in zip(events, [*events[1:], None]):
            if came[2]:
                until = went[0] if went else float("inf")
                if until > time_ - BACK:
                    yield came[1], until

    def losses(self, valid, zeros, time_):
        """Commands that did not come in time: until they come again, and then until a zero."""
        hands = self.hands
        ends = [entry[0] for entry in valid]
        for before, after in zip(ends, [*ends[1:], time_]):
            timeout = max(hands.in_force("cmd_timeout", before, time_))
            if after - before >= timeout and not any(zero >= after for zero in zeros):
                brake = 66 / min(hands.in_force("decel", before, time_))
                yield before, timeout + brake + HEARS_WITHIN, "the last valid command came"

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
                slope = max(self.hands.in_force("accel", window[0][0] - HEARS_WITHIN, until))
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
        for name, said in hands.said.items():
            if name in SOLE:  # in pairs: it came, it went
                while len(said) > 2 and said[1][0] < before:
                    del said[:2]
                continue
            del said[: max(0, min(bisect.bisect_left([event[0] for event in said], before), len(said) - 5))]
        hands.valid[:] = [entry for entry in hands.valid if entry[0] >= before - 10.0]
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
            **{name: values[0] for name, values in CHANGES.items()},
            "estop.required": True,
            "ir.sensors": SENSORS,
            "driver.kind": "roboclaw",
            "driver.device": f"{folder}/motor",
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
            finally:
                hands.close()
    faults = ", ".join(f"{name} {count}" for name, count in sorted(hands.count.items()))
    seen = ", ".join(f"{name} {count}" for name, count in sorted(observer.seen.items()))
    return f"soak: ok: seed {seed}; {seen}; faults: {faults}; memory {warm[0]} to {end[0]} kB, threads and files {end[1:]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    print(soak(options.seconds, options.seed))
