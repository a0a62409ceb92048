"""Faults at random and at a high rate, and an observer who knows nothing but what was published.

`python soak.py --seconds 600 --seed 1`. The faults are on the topics of hindbrain, in the motor controller behind it (an
imitated RoboClaw), in its parameters and in its process, which is held for moments. Throughout:

* motor values are within 24 to 156, and the state is one of the five;
* both motors are at 90 from 0.1 s after an e-stop was pressed until somebody lets the reset button go, from 0.1 s after
  enable was false until it is true, 0.1 s after an e-stop that was silent for `estop.timeout`, and 0.1 s after `cmd_timeout`
  and the time to brake if no valid command came;
* nothing grows faster than `accel` allows; the motor controller is told to drive only where the topics may;
* memory, threads and open files at the end are what they were after the warm-up.

The times are those of publishing, by the wall clock that all processes share. The 0.1 s are counted while hindbrain is alive,
which its motor values show: of a gap between two of them no more than 0.03 s count, since a held process hears nothing.
"""

import argparse
import bisect
import collections
import math
import pathlib
import random
import signal
import tempfile
import time

from conftest import STOP
from devices import Device
from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Range
from std_msgs.msg import Bool
from vehicle import Vehicle, now, rival, steepest

STATES = {"OK", "ESTOP", "SSTOP.BOTH", "SSTOP.ROS", "SSTOP.IR"}
SENSORS = ["ir_front_port", "ir_back_starboard"]
ACCELS = (60.0, 150.0, 400.0)
CMD_TIMEOUT, ESTOP_TIMEOUT, DECEL = 0.3, 0.25, 800.0
HEARS_WITHIN = 0.1
LONGEST_GAP = 0.03
# The motor controller's line has its own time: the thread that serves it, the answer, the tests' reading of it.
DEVICE_WITHIN = 0.15
MAY_GROW = 8_000  # kB of resident memory


class Hands:
    """All that can be done to hindbrain from outside; each thing is written down with its time."""

    def __init__(self, vehicle, device, dice):
        self.vehicle, self.device, self.dice = vehicle, device, dice
        node = vehicle.graph.node
        self.switches = {name: node.create_publisher(Bool, f"/hind/{name}", 10) for name in ("enable", "estop", "reset")}
        self.ir = node.create_publisher(Range, "/hind/ir", 10)
        self.commands = node.create_publisher(TwistStamped, "/cmd_vel", 10)
        self.parameters = node.create_client(SetParameters, "/hindbrain/set_parameters")
        self.accels = [(0.0, ACCELS[-1])]
        self.said = {name: [] for name in ("enable", "estop", "reset")}  # (before, after, value)
        self.valid = []
        self.mode, self.value, self.pressed, self.distance = "zero", 0.0, False, 1.0
        self.bag, self.count = [], collections.Counter()
        self.timers = [node.create_timer(0.01, self._command), node.create_timer(0.05, self._heartbeat)]

    def switch(self, name, value):
        before = now()
        self.switches[name].publish(Bool(data=value))
        self.said[name].append((before, now(), value))

    def _heartbeat(self):
        if self.mode != "mute":
            self.switch("estop", self.pressed)
        for frame in SENSORS:
            message = Range(min_range=0.1, max_range=5.0, range=self.distance)
            message.header.frame_id = frame
            self.ir.publish(message)

    def _command(self):
        if self.mode == "silent":
            return
        message = TwistStamped()
        stamp = now() - (5.0 if self.mode == "late" else 0.0)
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        odd = {
            "zero": 0.0,
            "nan": math.nan,
            "infinite": -math.inf,
            "huge": 1e308,
            "tiny": math.ldexp(1.0, self.dice.randrange(-1074, -126)),
        }
        value = odd.get(self.mode, self.value)
        message.twist.linear.x = value
        message.twist.angular.z = self.value / 3 if self.mode == "valid" else 0.0
        self.commands.publish(message)
        if self.mode not in ("nan", "infinite", "huge", "late"):
            self.valid.append(now())

    def drive(self):
        """All that has to be done before anything moves, and then a while of driving."""
        self.mode, self.pressed, self.distance = "zero", False, 1.0
        if self.vehicle.state != "OK":
            self.pause(0.1)  # the e-stop says that it is released
            for name, value in [("reset", True), ("reset", False), ("enable", False), ("enable", True)]:
                self.switch(name, value)
                self.pause(0.02)
        end = now() + 0.4
        while now() < end and not (self.vehicle.state == "OK" and self.vehicle.causes <= {"CMD_INVALID"}):
            self.pause(0.005)
        for _ in range(self.dice.randrange(1, 4)):
            self.mode, self.value = "valid", self.dice.choice([1.0, -1.0, self.dice.uniform(-1.0, 1.0)])
            self.pause(self.dice.uniform(0.02, 0.2))

    def pause(self, seconds):
        time.sleep(seconds)

    def say(self, mode):
        def fault():
            self.mode = mode
            self.pause(self.dice.choice([0.05, 0.7]))

        fault.__name__ = mode
        return fault

    def press(self):
        self.pressed = True
        self.switch("estop", True)
        self.pause(self.dice.uniform(0.0, 0.3))

    def flicker(self):
        for _ in range(10):
            self.switch("estop", self.dice.random() < 0.5)

    def disable(self):
        self.switch("enable", False)
        self.pause(self.dice.uniform(0.0, 0.3))

    def flap(self):
        for _ in range(20):
            self.switch(self.dice.choice(["enable", "reset"]), self.dice.random() < 0.5)

    def block(self):
        self.distance = self.dice.choice([0.15, 0.0, math.nan, -math.inf, -1.0])
        self.pause(self.dice.uniform(0.0, 0.3))

    def flood(self):
        self.mode = "valid"
        for _ in range(100):
            self._command()

    def rival(self):
        with rival(TwistStamped, "/cmd_vel", context=self.vehicle.graph.context) as stranger:
            end = now() + self.dice.uniform(0.0, 0.5)
            while now() < end:
                stranger.publish(TwistStamped())
                self.valid.append(now())
                self.pause(0.02)

    def unplug(self):
        self.device.order(plugged=False)
        self.pause(self.dice.uniform(0.0, 0.3))
        self.device.order(plugged=True)
        self.pause(0.3)

    def babble(self):
        self.device.order(answers=self.dice.choice(["nothing", "garbage", "errors"]))
        self.pause(self.dice.uniform(0.0, 0.3))
        self.device.order(answers="well")
        self.pause(0.3)

    def hold(self):
        process = self.vehicle.process.process
        process.send_signal(signal.SIGSTOP)
        self.pause(self.dice.choice([0.01, 0.1, 0.3, 0.7]))
        process.send_signal(signal.SIGCONT)

    def set_parameters(self):
        accel = self.dice.choice(ACCELS)
        values = {"accel": accel, "deadband": self.dice.uniform(0.0, 0.2), "ir.near": self.dice.uniform(0.2, 0.5)}
        if wrong := self.dice.random() < 0.3:
            values["decel"] = self.dice.choice([math.nan, -1.0, 1.0, 1e9])
        before = now()
        for name, value in values.items():
            parameter = Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value))
            future = self.parameters.call_async(SetParameters.Request(parameters=[parameter]))
            self.vehicle.graph.wait(future.done, "set_parameters is not answered", 10.0)
            result = future.result().results[0]
            wrong_one = wrong and name == "decel"
            # Guards are not changed while the vehicle may move.
            fits = result.successful != wrong_one or (not result.successful and "while the vehicle is stopped" in result.reason)
            assert fits, f"{name} = {value}: {future.result()}"
            if name == "accel" and result.successful:
                self.accels += [(before, max(accel, self.accels[-1][1])), (now(), accel)]

    def play(self):
        """Some faults, one upon the other; each kind once before any comes twice."""
        if len(self.bag) < 4:
            modes = [self.say(mode) for mode in ("nan", "infinite", "huge", "tiny", "late", "silent", "mute")]
            kinds = [self.press, self.flicker, self.disable, self.flap, self.block, self.flood, self.rival, self.unplug]
            kinds += [self.babble, self.hold, self.set_parameters, *modes]
            self.bag += self.dice.sample(kinds, len(kinds))
        for _ in range(self.dice.choice([1, 1, 2, 4])):
            fault = self.bag.pop(0)
            self.count[fault.__name__] += 1
            fault()


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
        enables = [event for event in self.hands.said["enable"] if event[0] <= time_]
        if enables and not enables[-1][2]:
            on = [event[0] for event in enables if event[2]]
            first = next(event for event in enables if not event[2] and (not on or event[0] > on[-1]))
            yield first[1], HEARS_WITHIN, "enable was false"
        index = bisect.bisect_right(self.hands.valid, time_)
        valid = self.hands.valid[index - 1] if index else 0.0
        estops = [event for event in self.hands.said["estop"] if event[0] <= time_]
        yield estops[-1][1] if estops else 0.0, ESTOP_TIMEOUT + HEARS_WITHIN, "the e-stop last spoke"
        yield valid, CMD_TIMEOUT + 66 / DECEL + HEARS_WITHIN, "the last valid command came"

    def heeded(self, times, at, what, more=0.0):
        """Fails if something moves at `at` and may not."""
        for since, within, why in self.bounds(at):
            alive = self.alive(times, since, at)
            assert alive <= within + more, f"{what} {alive:.3f} s after {why} ({at - since:.3f} s by the clock)"

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
                raise AssertionError(f"seed {seed}, {now() - start:.1f} s in: {error}") from error
    faults = ", ".join(f"{name} {count}" for name, count in sorted(hands.count.items()))
    seen = ", ".join(f"{name} {count}" for name, count in sorted(observer.seen.items()))
    return f"soak: ok: seed {seed}; {seen}; faults: {faults}; memory {warm[0]} to {end[0]} kB, threads and files {end[1:]}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    print(soak(options.seconds, options.seed))
