"""Episodes of the crate `scenarios` over DDS: one fault after the other around a driving vehicle, each with its bound and its way back.

`scenarios SEED COUNT SETUP` prints them, one a line, with what must come of each; the same ones are played to the machines by
themselves. The vehicle is hindbrain alone, or the chain from the stick to the motors, in one process or in four; the motors are what
hindbrain publishes.
"""

import argparse
import collections
import contextlib
import math
import random
import shutil
import subprocess
import tempfile
import time

from chain import Chain
from conftest import STOP
from devices import Device
from streams import FRONT, STEP, Streams
from vehicle import Vehicle, now

SETUPS = ("hindbrain", "together", "apart")
# Episodes that failed once: seed, set-up and number.
FAILED = ()
# The numbers that the bounds stand for are the defaults.
PARAMETERS = {"accel": 200.0, "decel": 200.0, "estop.required": True, "ir.sensors": FRONT}
# Beyond a bound: the wire, the graph's news, the line to the motor controller, and a busy machine.
SLACK = 0.3
# Without a word of ours for so long the fault was on our side too.
STALL = 0.15
# What a person does, the least first; each includes what stands before it.
ACTS = ("itself", "zero", "button", "enable", "reset")
# Full speed ahead is 24; a stick comes there by and by.
AT_SPEED = 27


def scenarios(seed, count, setup):
    """So many episodes of this seed, as dictionaries; the fault's name is under `fault`."""
    path = shutil.which("scenarios")
    assert path, "executable 'scenarios' is not on the PATH: `cargo build -p scenarios`"
    with subprocess.Popen([path, str(seed), str(count), setup], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            name, *fields = line.split()
            yield {"fault": name, "line": line.strip(), **dict(field.split("=", 1) for field in fields)}
        process.stdout.close()


def bound(motion):
    """Within how many seconds the motors are at stop; `None` if they need not be."""
    return None if motion in ("goes", "free") else float(motion)


class World(Streams):
    """The vehicle, what is said to it, what a person does, and what must come of it."""

    def until(self, condition, what, seconds=5.0):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{what}; {self.vehicle.motors}, {self.vehicle.state}, {self.vehicle.causes}"
            self.run(STEP)

    def play(self, episode):
        """Lets it happen to a vehicle that drives, and gets it to drive again."""
        during, after, clears = episode["during"], episode["after"], episode["clears"]
        self.hand_over(episode["driver"])
        start = now()
        self.begin(episode)
        self.run(max(0.0, start + float(episode["lasts"]) + (SLACK if bound(during) is not None else 0.0) - now()))
        if during == "goes" and not self.drove(start, "during the fault"):
            self.end()
            return self.recover("reset")
        if bound(during) is not None:
            self.stays(start + bound(during) + SLACK, "during the fault")
        insists = reversed(ACTS[1:]) if episode["insists"] == "true" else ()
        for act in ["enable"] if episode["fault"] == "rearmed" else insists:
            self.act(act)
            self.run(0.2)
            self.stays(start + bound(during) + SLACK, f"during the fault, by {act}")
        ended = self.end()
        if episode["resumes"] != "none":
            return self.resumes(ended, episode)
        if after == "goes":
            self.run(0.3)
            return None if self.drove(start, "after the fault") else self.recover("reset")
        if bound(after) is not None:
            slack = bound(after) + SLACK if bound(after) else 0.0
            self.run(slack + 0.7)
            self.stays(ended + slack, "after the fault, without anybody's act")
            for lesser in ACTS[1 : ACTS.index(clears)]:
                self.act(lesser)
                self.run(0.2)
                self.stays(ended + slack, f"after {lesser}, although {clears} is asked for")
        self.recover(clears)

    def drove(self, since, when):
        """Whether it is known that it drove on: not if we were silent ourselves."""
        values = self.values(since)
        if self.was_disturbed():
            return False
        assert STOP not in values, f"it stops for nothing {when}; {self.vehicle.state}, {self.vehicle.causes}"
        return True

    def resumes(self, ended, episode):
        """It drives again by itself, and no sooner than it may."""
        if episode["during"] != "free" and bound(episode["after"]) == 0.0:
            self.run(max(0.0, float(episode["resumes"]) - 2 * STEP - (now() - ended)))
            if float(episode["resumes"]) > 0.0:
                until = ended + float(episode["resumes"]) - 3 * STEP
                self.values(until)
                early = [m.data for side in ("port", "starboard") for at, m in self.vehicle.graph.heard[f"/motor/{side}"] if ended <= at < until]
                assert set(early) <= {STOP}, f"the motors get {sorted(set(early))} too soon after the fault"
        elif bound(episode["after"]):
            # A rest between the two that follow one another.
            self.run(1.0)
            assert STOP in self.values(ended), "it does not stop in between"
        try:
            self.until(self.is_at_speed, "it does not drive on by itself", 3.0)
        except AssertionError:
            if not self.was_disturbed():
                raise
            self.recover("reset")
        self.ended = None

    def was_disturbed(self):
        """Whether a busy machine made us a fault too: we said nothing for a while, or the motor controller did, which is ours."""
        return self.gap >= STALL or self.vehicle.source("motor_controller").says != "works" or self.vehicle.causes & {"FAULT_LATCHED", "OVERRUN"} == {"FAULT_LATCHED"}

    def is_at_speed(self):
        return max(self.vehicle.motors) <= AT_SPEED

    def values(self, since):
        """What the motors got from then until now, once all of it has come to a busy observer."""
        graph, until = self.vehicle.graph, now()
        newest = lambda side: graph.heard[f"/motor/{side}"][-1][0]  # noqa: E731
        self.until(lambda: min(newest("port"), newest("starboard")) >= until, "no motor values come")
        return self.vehicle.values(since)

    def stays(self, since, when):
        values = set(self.values(since))
        assert values == {STOP}, f"the motors get {sorted(values)} {when}; {self.vehicle.state}, {self.vehicle.causes}"

    def recover(self, clears):
        """What a person does, and then it has to drive; all of it once more if a busy machine swallowed a click."""
        self.ended = None  # a stick that took over is there again, at rest
        for last in (False, True):
            for act in reversed(ACTS[1 : ACTS.index(clears) + 1]):
                self.act(act)
            try:
                return self.until(self.is_at_speed, "it does not drive after the recovery", 3.0)
            except AssertionError:
                if last or not self.was_disturbed() and clears != "reset":
                    raise
                clears, self.gap = "reset", 0.0

    def act(self, what):
        if what == "button" and self.driver != "stick":
            return
        if what in ("zero", "button"):
            self.throttle = 0.0
            if what == "button":
                self.button = False
                self.run(0.3)
                self.button = True
            self.run(0.9 if self.driver == "stick" else 0.5)  # at rest
            self.throttle = 1.0
        else:
            for value in (False, True) if what == "enable" else (True, False):
                self.switch(what, value)
                self.run(0.05)

    def hand_over(self, driver):
        """Whoever drives comes to rest and says nothing more, and then `driver` drives."""
        if driver == self.driver:
            return
        self.throttle, self.button = 0.0, False
        self.run(0.3)
        self.driver = driver
        self.run(0.7)
        try:
            self.recover("button")
        except AssertionError:  # that is not what is judged here
            self.recover("reset")

    def start(self):
        self.until(lambda: self.vehicle.source("motor_controller").says == "works", "the device is not open", 10.0)
        self.run(4.0 if self.chain else 0.7)  # the stages find one another
        self.recover("reset")


@contextlib.contextmanager
def world(setup):
    """A vehicle that drives, with a motor controller."""
    with tempfile.TemporaryDirectory() as folder, Device("roboclaw", f"{folder}/motor") as device:
        alone = {**PARAMETERS, "driver.kind": "roboclaw", "driver.device": f"{folder}/motor"}
        with Vehicle(alone) if setup == "hindbrain" else Chain(setup == "together", f"{folder}/motor") as vehicle:
            played = World(vehicle, device, setup != "hindbrain")
            try:
                played.start()
                yield played
            finally:
                played.close()


def play(seed, setup, count=1_000_000, seconds=math.inf, first=0):
    """Plays so many episodes of this seed from the `first` on, or for so long; fails at the first that has not its bound or its way back."""
    print(f"episodes: seed {seed}, {setup}", flush=True)
    played = collections.Counter()
    with world(setup) as stage:
        end = time.monotonic() + seconds
        for number, episode in enumerate(scenarios(seed, first + count, setup)):
            if time.monotonic() > end:
                break
            if number < first or episode["fault"] == "link_cut":
                continue  # one needs two hosts: hosts.py
            played[episode["fault"]] += 1
            try:
                stage.play(episode)
            except AssertionError as error:
                what = f"seed {seed}, {setup}, episode {number}: {episode['line']}: {error}"
                raise AssertionError("\n".join([what, "the last lines:", *stage.vehicle.lines])) from error
    return f"episodes: ok: seed {seed}, {setup}; " + ", ".join(f"{name} {count}" for name, count in sorted(played.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--setup", choices=SETUPS, default="hindbrain")
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    print(play(options.seed, options.setup, options.count, options.seconds, options.first))
