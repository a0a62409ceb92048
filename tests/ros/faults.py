"""Everything that can be done to hindbrain from outside, for the soak."""

import collections
import math
import signal
import time

from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Range
from std_msgs.msg import Bool
from vehicle import now, rival

SENSORS = ["ir_front_port", "ir_back_starboard"]
CLEAR = 1.0
ACCELS = (60.0, 150.0, 400.0)
CMD_TIMEOUT, ESTOP_TIMEOUT, DECEL, DEBOUNCE = 0.3, 0.25, 800.0, 0.04


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
        # (before, after, value)
        self.said = {name: [] for name in ("enable", "estop", "reset", "blocked", "rival")}
        self.valid = []
        self.mode, self.value, self.pressed, self.distance = "zero", 0.0, False, CLEAR
        self.bag, self.count, self.played = [], collections.Counter(), collections.deque(maxlen=12)
        self.timers = [node.create_timer(0.01, self._command), node.create_timer(0.05, self._heartbeat)]

    def switch(self, name, value):
        before = now()
        self.switches[name].publish(Bool(data=value))
        self.said[name].append((before, now(), value))

    def _heartbeat(self):
        if self.mode != "mute":
            self.switch("estop", self.pressed)
        before = now()
        for frame in SENSORS:
            message = Range(min_range=0.1, max_range=5.0, range=self.distance)
            message.header.frame_id = frame
            self.ir.publish(message)
        self.said["blocked"].append((before, now(), self.distance != CLEAR))

    def _command(self):
        mode = self.mode  # it may change meanwhile
        if mode == "silent":
            return
        message = TwistStamped()
        stamp = now() - (5.0 if mode == "late" else 0.0)
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        odd = {
            "zero": 0.0,
            "nan": math.nan,
            "infinite": -math.inf,
            "huge": 1e308,
            "tiny": math.ldexp(1.0, self.dice.randrange(-1074, -126)),
        }
        message.twist.linear.x = odd.get(mode, self.value)
        message.twist.angular.z = self.value / 3 if mode == "valid" else 0.0
        self._publish(self.commands, message, mode not in ("nan", "infinite", "huge", "late"))

    def _publish(self, publisher, message, valid=True):
        """A command, noted before and after: it may be obeyed before this goes on."""
        if valid:
            self.valid.append(now())
        publisher.publish(message)
        if valid:
            self.valid.append(now())

    def drive(self):
        """All that has to be done before anything moves, and then a while of driving."""
        self.mode, self.pressed, self.distance = "zero", False, CLEAR
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
        before = now()
        self.mode = "valid"
        with rival(TwistStamped, "/cmd_vel", context=self.vehicle.graph.context) as stranger:
            self.said["rival"].append((before, now(), True))
            end = now() + self.dice.uniform(0.0, 1.0)
            while now() < end:
                self._publish(stranger, TwistStamped())
                self.pause(0.02)
            before = now()
        self.said["rival"].append((before, now(), False))

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
        if self.dice.random() < 0.7:  # stopped, or they are refused
            self.switch("enable", False)
            self.pause(0.1)
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
            self.played.append((now(), fault.__name__))
            fault()
