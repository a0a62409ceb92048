"""Episodes of the crate `scenarios` over DDS: one fault after the other around a driving vehicle, each with its bound and its way back.

`scenarios SEED COUNT` prints them, one a line, with what must come of each; the same ones are played to the stop machine by itself.
Here the fault is on the wire, in the graph, in the process or in the motor controller, and the motors are what hindbrain publishes.
"""

import argparse
import collections
import math
import random
import shutil
import signal
import subprocess
import tempfile
import time

import rclpy
from conftest import EDGE, STOP
from devices import Device
from geometry_msgs.msg import Twist, TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Range
from std_msgs.msg import Bool, Int16
from vehicle import Vehicle, now, second_publisher

FRONT = ["ir_front_port", "ir_front_starboard"]
# The numbers that the bounds stand for are the defaults.
PARAMETERS = {"accel": 200.0, "decel": 200.0, "estop.required": True, "ir.sensors": FRONT}
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
# Beyond a bound: the wire, the graph's news, the line to the motor controller, and a busy machine.
SLACK = 0.3
STEP = 0.01
# Without a word of ours for so long the fault was on our side too.
STALL = 0.15
TYPES = {"cmd_vel": (TwistStamped, Twist), "hind/enable": (Bool, Int16), "hind/estop": (Bool, Int16), "motor/port": (Int16, Bool)}


def scenarios(seed, count):
    """So many episodes of this seed, as dictionaries; the fault's name is under `fault`."""
    path = shutil.which("scenarios")
    assert path, "executable 'scenarios' is not on the PATH: `cargo build -p scenarios`"
    with subprocess.Popen([path, str(seed), str(count)], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            name, *fields = line.split()
            yield {"fault": name, "line": line.strip(), **dict(field.split("=", 1) for field in fields)}
        process.stdout.close()


class World:
    """What is said to the vehicle, in steps of 10 ms, and what a person does."""

    def __init__(self, vehicle, device):
        self.vehicle, self.device = vehicle, device
        node = vehicle.graph.node
        make = node.create_publisher
        self.switches = {name: make(Bool, f"/hind/{name}", EDGE) for name in ("enable", "estop", "reset")}
        self.commands, self.ir = make(TwistStamped, "/cmd_vel", EDGE), make(Range, "/hind/ir", EDGE)
        self.parameters = node.create_client(SetParameters, "/hindbrain/set_parameters")
        # A participant that is known before anything is expected of it: discovery takes seconds.
        self.stranger = rclpy.Context()
        rclpy.init(context=self.stranger)
        self.known = rclpy.create_node("known", context=self.stranger)
        self.second, self.episode, self.stamps = None, {}, {}
        self.throttle, self.begun, self.said, self.gap = 1.0, now(), now(), 0.0
        self.sent = {}

    def close(self):
        self.known.destroy_node()
        rclpy.shutdown(context=self.stranger)

    # ---------------------------------------------------------------------------------------------------- what is said
    def stamp(self, message, behind=0.0, repeated=None):
        """Stamps it so many seconds ago, or with the stamp that `repeated` had."""
        stamp = now() - behind
        if repeated is not None and self.stamps.get(repeated):
            stamp = self.stamps[repeated]
        elif repeated is not None:
            self.stamps[repeated] = stamp
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        return message

    def due(self, key, rate):
        """Whether the stream `key` is to say something now, `rate` times a second."""
        count = math.floor((now() - self.begun) * rate)
        is_due = count != self.sent.get(key)
        self.sent[key] = count
        return is_due, count

    def is_bad(self, number, share):
        return number == 0 or math.floor(number * share) > math.floor((number - 1) * share)

    def talk(self):
        """All that is said in this step, each stream at its own rate."""
        self.gap, self.said = max(self.gap, now() - self.said), now()
        one = self.episode
        fault = one.get("fault")
        rate, share = float(one.get("rate", 0.0)), float(one.get("share", 0.0))
        if fault == "estop_pressed":
            is_due, number = self.due("estop", rate)
            if is_due:
                self.switch("estop", self.is_bad(number, share))
        elif fault != "estop_silent" and self.due("estop", 25.0)[0]:
            self.switch("estop", False)
        for index, frame in enumerate(FRONT):
            mine = one.get("starboard") == ("true" if index else "false")
            is_due, number = self.due(frame, rate if fault == "infrared" and mine else 20.0)
            if is_due and not (fault == "infrared_silent" and mine):
                bad = fault == "infrared" and mine and self.is_bad(number, share)
                reading = (math.nan if one["invalid"] == "true" else 0.1) if bad else 1.0
                message = Range(min_range=0.05, max_range=5.0, range=reading)
                message.header.frame_id = frame
                self.ir.publish(self.stamp(message, repeated=frame if fault == "infrared_repeated" and mine else None))
        if fault == "second_switch_off" and self.due("enable", rate)[0]:
            self.switch("enable", True)
        if fault != "command_silent" and self.due("command", 50.0)[0]:
            self.command(fault)

    def command(self, fault):
        message = TwistStamped()
        message.twist.linear.x = self.throttle
        if fault == "command_nonsense":
            message.twist.linear.x = 1e6 if self.episode["huge"] == "true" else math.nan
        behind = int(self.episode["behind"]) / 1000 if fault == "command_stamps" else 0.0
        self.commands.publish(self.stamp(message, behind, "command" if fault == "command_repeated" else None))

    def switch(self, name, value):
        self.switches[name].publish(Bool(data=value))

    # ------------------------------------------------------------------------------------------------------- the fault
    def begin(self, episode):
        self.episode, self.begun, self.sent, self.stamps, self.gap = episode, now(), {}, {}, 0.0
        fault = episode["fault"]
        if fault == "enable_false":
            self.switch("enable", False)
        elif fault in ("second_publisher", "second_switch_off"):
            topic, kind = episode.get("topic", "hind/enable"), episode["second"]
            message_type = TYPES[topic][kind == "other_type"]
            qos = BEST_EFFORT if kind == "best_effort" else EDGE
            own = "hindbrain" if topic == "motor/port" else "observer"
            name = own if kind == "same_name" else "second"
            self.second = second_publisher(message_type, f"/{topic}", qos, self.stranger, name)
            publisher = self.second.__enter__()
            if fault == "second_switch_off" and message_type is Bool:
                publisher.publish(Bool(data=False))
        elif fault == "held":
            process = self.vehicle.process.process
            process.send_signal(signal.SIGSTOP)
            self.run(int(episode["millis"]) / 1000)
            process.send_signal(signal.SIGCONT)
        elif fault == "parameter_set":
            value = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=float(episode["value"]))
            request = SetParameters.Request(parameters=[Parameter(name=episode["name"], value=value)])
            future = self.parameters.call_async(request)
            self.run(0.2)
            assert future.done() and "while the vehicle is stopped" in future.result().results[0].reason, future.result()
        elif fault == "device_lost":
            self.device.order(plugged=False)

    def end(self):
        fault, self.episode = self.episode["fault"], {}
        if self.second is not None:
            self.second.__exit__(None, None, None)
            self.second = None
        elif fault == "device_lost":
            self.device.order(plugged=True)
            self.until(lambda: self.vehicle.source("motor_controller").says == "works", "the device does not come back")
        return now()

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.talk()
            time.sleep(STEP)

    def until(self, condition, what, seconds=5.0):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{what}; {self.vehicle.motors}, {self.vehicle.state}, {self.vehicle.causes}"
            self.run(STEP)

    # --------------------------------------------------------------------------------------------- what must come of it
    def play(self, episode):
        """Lets it happen to a vehicle that drives, and gets it to drive again."""
        bound = None if episode["bound"] == "none" else float(episode["bound"])
        start = now()
        self.begin(episode)
        self.run(max(0.0, start + float(episode["lasts"]) + (0.0 if bound is None else SLACK) - now()))
        if bound is None:
            self.end()
            self.run(0.3)
            if self.gap < STALL:
                assert STOP not in self.values(start), "it stops for nothing"
                return
            return self.recover("reset")
        self.stays(start + bound + SLACK, "during the fault")
        ended = self.end()
        self.run(0.7)
        self.stays(ended, "after the fault, without anybody's act")
        order = ["itself", "zero", "enable", "reset"]
        for lesser in ("zero", "enable"):
            if order.index(lesser) < order.index(episode["clears"]):
                self.act(lesser)
                self.run(0.2)
                self.stays(ended, f"after {lesser}, although {episode['clears']} is asked for")
        self.recover(episode["clears"])

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
        for last in (False, True):
            for act in ("reset", "enable", "zero")[("reset", "enable", "zero").index(clears) if clears in ("reset", "enable") else 2 :]:
                self.act(act)
            try:
                return self.until(lambda: self.vehicle.motors == (24, 24), "it does not drive after the recovery", 3.0)
            except AssertionError:
                if last or self.gap < STALL and clears != "reset":
                    raise
                clears, self.gap = "reset", 0.0

    def act(self, what):
        if what == "zero":
            self.throttle = 0.0
            self.run(0.5)  # at rest
            self.throttle = 1.0
        else:
            for value in (False, True) if what == "enable" else (True, False):
                self.switch(what, value)
                self.run(0.05)

    def start(self):
        self.until(lambda: self.vehicle.source("motor_controller").says == "works", "the device is not open", 10.0)
        self.run(0.7)
        self.recover("reset")


def play(seed, count=1_000_000, seconds=math.inf):
    """Plays so many episodes of this seed, or for so long; fails at the first that has not its bound or its way back."""
    print(f"episodes: seed {seed}", flush=True)
    end, played = time.monotonic() + seconds, collections.Counter()
    with tempfile.TemporaryDirectory() as folder, Device("roboclaw", f"{folder}/motor") as device:
        parameters = {**PARAMETERS, "driver.kind": "roboclaw", "driver.device": f"{folder}/motor"}
        with Vehicle(parameters) as vehicle:
            world = World(vehicle, device)
            try:
                world.start()
                for number, episode in enumerate(scenarios(seed, count)):
                    if time.monotonic() > end:
                        break
                    if episode["fault"] == "link_cut":
                        continue  # one needs two hosts: hosts.py
                    played[episode["fault"]] += 1
                    try:
                        world.play(episode)
                    except AssertionError as error:
                        tail = "\n".join(vehicle.process.lines[-15:])
                        what = f"seed {seed}, episode {number}: {episode['line']}: {error}"
                        raise AssertionError(f"{what}\nthe last lines of hindbrain:\n{tail}") from error
            finally:
                world.close()
    return f"episodes: ok: seed {seed}; " + ", ".join(f"{name} {count}" for name, count in sorted(played.items()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(play(options.seed, options.count, options.seconds))
