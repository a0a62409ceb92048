"""Everything that can be done to hindbrain from outside, one upon the other, for the soak."""

import collections
import math
import signal
import time

import rclpy
from conftest import EDGE
from geometry_msgs.msg import TwistStamped
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from sensor_msgs.msg import Range
from std_msgs.msg import Bool
from streams import BEST_EFFORT, SOLE_TYPES
from vehicle import now, second_publisher

SENSORS = ["ir_front_port", "ir_back_starboard"]
CLEAR = 1.0
# Of each parameter that may change at run time, the value of the start and others.
CHANGES = {
    "accel": (400.0, 60.0, 150.0),
    "decel": (800.0, 400.0, 1600.0),
    "cmd_timeout": (0.3, 0.2, 0.5),
    "estop.timeout": (0.25, 0.2, 0.4),
    "enable.lease": (0.0, 0.4, 2.0),
    "ir.near": (0.2, 0.3, 0.5),
    "ir.far": (0.0, 3.0, 5.0),
    "ir.timeout": (0.25, 0.2, 0.4),
}
SOLE = tuple(SOLE_TYPES)


class Hands:
    """All that can be done to hindbrain from outside; each thing is written down with its time."""

    def __init__(self, vehicle, device, dice):
        self.vehicle, self.device, self.dice = vehicle, device, dice
        node = vehicle.graph.node
        self.switches = {name: node.create_publisher(Bool, f"/hind/{name}", 10) for name in ("enable", "estop", "reset")}
        self.ir = node.create_publisher(Range, "/hind/ir", 10)
        self.commands = node.create_publisher(TwistStamped, "/cmd_vel", 10)
        self.parameters = node.create_client(SetParameters, "/hindbrain/set_parameters")
        # (before, after, value); of a conflict: True when the second publisher comes, False when it goes.
        self.said = {name: [] for name in ("enable", "estop", "reset", "blocked", *SOLE)}
        self.values = {name: [(0.0, 0.0, values[0])] for name, values in CHANGES.items()}
        # Valid commands: the stamp, when it was published, and whether it is a zero.
        self.valid = []
        # A participant that is known before anything is expected of it.
        self.stranger = rclpy.Context()
        rclpy.init(context=self.stranger)
        self.known = rclpy.create_node("known", context=self.stranger)
        self.repeats = False
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
        if self.repeats and self.said["enable"]:
            self.switch("enable", self.said["enable"][-1][2])
        self._measure(self.distance)

    def _measure(self, distance):
        before = now()
        for frame in SENSORS:
            message = Range(min_range=0.1, max_range=5.0, range=distance)
            message.header.frame_id = frame
            self.ir.publish(message)
        self.said["blocked"].append((before, now(), distance != CLEAR))

    def close(self):
        self.known.destroy_node()
        rclpy.shutdown(context=self.stranger)

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
        if mode in ("nan", "infinite", "huge", "late"):
            return self.commands.publish(message)
        # Noted before: it may be obeyed before this goes on.
        zero = abs(message.twist.linear.x) <= 0.02 and abs(message.twist.angular.z) <= 0.02
        entry = [stamp, math.inf, zero]
        self.valid.append(entry)
        self.commands.publish(message)
        entry[1] = now()

    def drive(self):
        """All that has to be done before anything moves, and then a while of driving."""
        self.mode, self.pressed, self.distance = "zero", False, CLEAR
        self.repeats = self.dice.random() < 0.5
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

    def shimmer(self):
        """The sensors flicker, at any rate and in any share."""
        rate, share = math.exp(self.dice.uniform(math.log(5.0), math.log(200.0))), self.dice.uniform(0.02, 1.0)
        end = now() + self.dice.uniform(0.1, 0.6)
        while now() < end:
            self._measure(self.dice.choice([0.15, math.nan, -math.inf]) if self.dice.random() < share else CLEAR)
            self.pause(1.0 / rate)

    def second(self):
        """A second publisher of any kind, which says what the first one might."""
        topic = self.dice.choice(SOLE)
        message_type = self.dice.choice(SOLE_TYPES[topic])
        qos, own = self.dice.choice([EDGE, BEST_EFFORT]), "hindbrain" if topic == "motor/port" else "observer"
        self.mode = self.dice.choice(["valid", "zero"])
        before = now()
        with second_publisher(message_type, f"/{topic}", qos, self.stranger, self.dice.choice([own, "second"])) as stranger:
            self.said[topic].append((before, now(), True))
            end = now() + self.dice.uniform(0.0, 1.0)
            while now() < end:
                message = message_type()
                if topic != "motor/port" and message_type is Bool:
                    message.data = topic == "hind/enable" and self.dice.random() < 0.5
                if topic != "motor/port":  # of its values nobody is the judge
                    stranger.publish(message)
                if self.dice.random() < 0.1:
                    for name, value in [("reset", True), ("reset", False), ("enable", False), ("enable", True)]:
                        self.switch(name, value)
                self.pause(0.02)
            before = now()
        self.said[topic].append((before, now(), False))

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
        self.pause(self.dice.choice([0.01, 0.1, 0.3, 0.7, 1.2]))
        process.send_signal(signal.SIGCONT)

    def set_parameters(self):
        """Any of them: refused where it may move, or where the value cannot be; in force otherwise."""
        if self.dice.random() < 0.7:
            self.switch("enable", False)
            self.repeats = False
            self.pause(0.1)
        moves = lambda: self.vehicle.motors != (90, 90)  # noqa: E731
        for name in self.dice.sample(list(CHANGES), 3):
            wrong = self.dice.random() < 0.2
            value = self.dice.choice([math.nan, -1.0, 1e9] if wrong else CHANGES[name])
            wire = ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value)
            before, moved = now(), moves()
            future = self.parameters.call_async(SetParameters.Request(parameters=[Parameter(name=name, value=wire)]))
            self.vehicle.graph.wait(future.done, "set_parameters is not answered", 10.0)
            result = future.result().results[0]
            assert not (result.successful and wrong), f"{name} = {value} is taken"
            assert not (result.successful and value != self.values[name][-1][2] and moved and moves()), f"{name} is set on the move"
            known = ("while the vehicle is stopped", "must be")
            assert result.successful or any(text in result.reason for text in known), f"{name} = {value}: {result.reason}"
            if result.successful:
                self.values[name].append((before, now(), value))

    def in_force(self, name, start, end):
        """The values that the parameter may have had between the two times."""
        changes = self.values[name]
        last = max((index for index, change in enumerate(changes) if change[1] <= start), default=0)
        return [change[2] for change in changes[last:] if change[0] <= end]

    def play(self):
        """Some faults, one upon the other; each kind once before any comes twice."""
        if len(self.bag) < 4:
            modes = [self.say(mode) for mode in ("nan", "infinite", "huge", "tiny", "late", "silent", "mute")]
            kinds = [self.press, self.flicker, self.disable, self.flap, self.block, self.flood, self.unplug]
            kinds += [self.shimmer, self.second, self.second, self.second]
            kinds += [self.babble, self.hold, self.set_parameters, *modes]
            self.bag += self.dice.sample(kinds, len(kinds))
        for _ in range(self.dice.choice([1, 1, 2, 4])):
            fault = self.bag.pop(0)
            self.count[fault.__name__] += 1
            self.played.append((now(), fault.__name__))
            fault()
