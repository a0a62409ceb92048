"""Episodes of the crate `scenarios` over DDS: faults around a driving vehicle, each with its bound and its recovery.

`scenarios play SEED COUNT SETUP` plays them, the same ones as to the machines alone: it sends the messages to the vehicle, and
judges the motor values. The vehicle is hindbrain alone, or the chain from the stick to the motors, in one process or in four.
"""

import argparse
import contextlib
import random
import shutil
import subprocess
import tempfile

from chain import Chain
from devices import Device
from vehicle import Vehicle
from wire import FRONT, Wire, play_lines

SETUPS = ("hindbrain", "together", "apart")
# Episodes that failed once: seed, set-up and number.
FAILED = ()
# The bounds hold for these default values.
PARAMETERS = {"accel": 200.0, "decel": 200.0, "estop.required": True, "ir.sensors": FRONT}
# The allowed growth of resident memory [kB].
MAY_GROW = 8_000


def scenarios(*words, **how):
    """The executable `scenarios`, as a process."""
    path = shutil.which("scenarios")
    assert path, "executable 'scenarios' is not on the PATH: `cargo build -p scenarios`"
    return subprocess.Popen([path, *map(str, words)], stdout=subprocess.PIPE, text=True, **how)


@contextlib.contextmanager
def wire(setup):
    """A vehicle with a motor controller, and all actions on it."""
    with tempfile.TemporaryDirectory() as folder, Device("roboclaw", f"{folder}/motor") as device:
        alone = {**PARAMETERS, "driver.kind": "roboclaw", "driver.device": f"{folder}/motor"}
        with Vehicle(alone) if setup == "hindbrain" else Chain(setup == "together", f"{folder}/motor") as vehicle:
            one = Wire(vehicle, device, setup != "hindbrain")
            try:
                yield one
            finally:
                one.close()


def play(seed, setup, count=1_000_000, seconds=1_000_000, first=0):
    """Plays so many episodes of this seed from the `first` on, or for so long; fails at the first one that violates its bound or its recovery,
    and if the vehicle uses more resources at the end."""
    print(f"episodes: seed {seed}, {setup}", flush=True)
    with wire(setup) as stage, scenarios("play", seed, count, setup, first, seconds, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            play_lines(stage, process)
            what = process.stderr.read()
            assert process.wait() == 0, what
            print(what, end="")
            stage.grew(MAY_GROW)
        except AssertionError as error:
            process.kill()
            raise AssertionError("\n".join([f"{stage.episode}: {error}", "the last lines:", *stage.vehicle.lines])) from error
    return f"episodes: ok: seed {seed}, {setup}, {stage.count} of them"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--setup", choices=SETUPS, default="hindbrain")
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    print(play(options.seed, options.setup, options.count, options.seconds, options.first))
