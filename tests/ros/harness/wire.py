"""The vehicle at the other end of `scenarios play`: publishes the given messages, and reports the motor values.

The lines are those of `tests/scenarios/src/wire.rs`. Only what holds at any time is judged here: the slope of the motor
values, and the data on the line of the motor controller.
"""

import contextlib
import pathlib
import signal
import time

import rclpy
import yaml
from arbiters import parameter
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE, LATCHED, STOP, free_zones
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from luci_messages.msg import LuciZoneScaling
from or_joystick.msg import State
from or_pose_estimator.msg import State as PoseState
from or_pose_estimator.msg import Vel
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Range
from std_msgs.msg import Bool, Int16, Int32
from vehicle import now, second_publisher, steepest

FRONT = ["ir_front_port", "ir_front_starboard"]
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
DEAD_MAN = 5
AHEAD = ("front_fb", "front_rl", "front_right_fb", "front_right_rl", "front_left_fb", "front_left_rl")
# The type of each topic, and another one.
TYPES = {
    "cmd_vel": (TwistStamped, Twist),
    "hind/enable": (Bool, Int16),
    "hind/estop": (Bool, Int16),
    "hind/reset": (Bool, Int16),
    "hind/ir": (Range, Bool),
    "motor/port": (Int16, Bool),
    "motor/starboard": (Int16, Bool),
    "cmd_vel_smoothed": (TwistStamped, Twist),
    "cmd_vel_arbitrated": (TwistStamped, Twist),
    "dock": (Twist, TwistStamped),
    "door": (Bool, Int16),
    "luci/scaling": (LuciZoneScaling, Bool),
    "luci/chair_profile": (Int32, Bool),
    "joystick/reference": (PoseState, Bool),
    "joystick/virtual_device": (State, Bool),
}
OF_HINDBRAIN = ("cmd_vel", "hind/enable", "hind/estop", "hind/reset", "hind/ir")
OF_CHAIN = (*OF_HINDBRAIN[1:], "cmd_vel_smoothed", "dock", "door", "luci/scaling", "luci/chair_profile", "joystick/reference", "joystick/virtual_device")
OWNERS = {"motor/port": "hindbrain", "motor/starboard": "hindbrain", "cmd_vel_arbitrated": "velocity_arbiter"}
# A longer delay of this process is another fault.
LATE = 0.1
# After this many episodes the processes have allocated what they need.
WARM = 5
# How fast the motor values may grow [counts/s].
ACCEL = 200.0


def parameters(text):
    """The parameters that `name:value,...` sets; a parameter without a value is deleted."""
    pairs = (one.split(":", 1) for one in text.split(",") if one)
    return [parameter(name, yaml.safe_load(value) if value else ParameterValue()) for name, value in pairs]


class Wire:
    """The messages to a vehicle, and the actions on it: on the wire, in the graph, in a process, in parameters or in the motor
    controller. With `chain` they concern all stages before hindbrain too."""

    def __init__(self, vehicle, device, chain):
        self.vehicle, self.device, self.chain = vehicle, device, chain
        self.node = vehicle.graph.node
        self.publishers, self.seconds, self.stamps = {}, {}, {}
        self.processes = vehicle.processes if chain else {"hindbrain": vehicle.process}
        for topic in OF_CHAIN if chain else OF_HINDBRAIN:
            self.appear(topic)
        nodes = ("joystick", "velocity_arbiter", "zone_scaler", "hindbrain") if chain else ("hindbrain",)
        self.parameters = {name: self.node.create_client(SetParametersAtomically, f"/{name}/set_parameters_atomically") for name in nodes}
        self.life_cycles = {name: self.node.create_client(ChangeState, f"/{name}/change_state") for name in nodes}
        # A participant that is discovered in advance: discovery takes seconds.
        self.other_participant = rclpy.Context()
        rclpy.init(context=self.other_participant)
        self.known = rclpy.create_node("known", context=self.other_participant)
        self.start, self.millis, self.episode, self.count, self.warm = now(), 0, "the start", 0, {}
        # The number of known motor values of each side, the held processes, and the end of the last hold.
        self.known_of, self.held, self.released = {"port": 0, "starboard": 0}, set(), now()
        self.offset = now() - time.monotonic()

    def close(self):
        for second in self.seconds.values():
            second.close()
        self.known.destroy_node()
        rclpy.shutdown(context=self.other_participant)

    def appear(self, topic):
        qos = LATCHED if topic == "luci/chair_profile" else EDGE
        self.publishers[topic] = self.node.create_publisher(TYPES[topic][0], f"/{topic}", qos)

    def do(self, name, *values):
        """Carries out a line; returns the answer, if there is one."""
        if name == "pass":
            return self.passed(int(values[0]))
        if name == "set":
            return "yes" if self.ask(*values) else "no"
        if name == "episode":
            self.begin(" ".join(values))
        elif name in ("publisher", "device", "held", "active"):
            getattr(self, f"{name}_is")(*values)
        elif name == "second":
            self.second(values[0], values[1:])
        else:
            topic, message = self.message([name, *values])
            if topic in self.publishers:
                self.publishers[topic].publish(message)
        return None

    def begin(self, episode):
        """Begins another episode; the resources of the processes are compared with those some episodes after the start."""
        self.episode, self.count = episode, self.count + 1
        if self.count == WARM:
            self.warm = {name: uses(process) for name, process in self.processes.items()}

    def grew(self, most):
        """Fails if a process uses more resources than before; memory may grow by `most` kB."""
        for name, warm in self.warm.items():
            end = uses(self.processes[name])
            assert end[0] <= warm[0] + most, f"the memory of {name} grew from {warm[0]} kB to {end[0]} kB"
            assert end[1:] == warm[1:], f"threads and open files of {name} were {warm[1:]}, are {end[1:]}"

    # ---------------------------------------------------------------------------------------------------- messages
    def message(self, words):
        """The topic and the message of a line."""
        name, *values = words
        flag = Bool(data=values[0] == "1") if values else None
        if name in ("enable", "estop", "reset"):
            return f"hind/{name}", flag
        return getattr(self, f"message_{name}")(*values)

    def stamp(self, message, topic, behind):
        """Stamps it `behind` milliseconds ago, or with the last stamp on the topic."""
        if behind != "same" or topic not in self.stamps:
            self.stamps[topic] = now() - (0 if behind == "same" else int(behind)) / 1000
        stamp, to = self.stamps[topic], message.header.stamp if hasattr(message, "header") else message.ts
        to.sec, to.nanosec = int(stamp), int(stamp % 1 * 1e9)
        return message

    def message_command(self, forward, behind):
        message = TwistStamped()
        message.twist.linear.x = float(forward)
        topic = "cmd_vel_smoothed" if self.chain else "cmd_vel"
        return topic, self.stamp(message, "command", behind)

    def message_reference(self, forward, behind):
        message = PoseState(intrinsic=True, vel=[Vel(vx=float(forward))])
        return "joystick/reference", self.stamp(message, "reference", behind)

    def message_dock(self, forward):
        message = Twist()
        message.linear.x = float(forward)
        return "dock", message

    def message_stick(self, forward, button="0"):
        topic = "joystick/virtual_device"
        if forward == "out":
            return topic, State()
        axes, buttons = [0] * 6, [False] * 11
        axes[1], buttons[DEAD_MAN] = int(-32767 * float(forward)), button == "1"
        return topic, State(axes=axes, buttons=buttons)

    def message_lock(self, closed):
        return "door", Bool(data=closed == "1")

    def message_scaling(self, ahead, others):
        scaling = free_zones()
        for field in scaling.get_fields_and_field_types():
            setattr(scaling, field, float(ahead if field in AHEAD else others))
        return "luci/scaling", scaling

    def message_profile(self, number):
        return "luci/chair_profile", Int32(data=int(number))

    def message_infrared(self, starboard, distance, repeated):
        frame = FRONT[int(starboard)]
        message = Range(min_range=0.05, max_range=5.0, range=float(distance))
        message.header.frame_id = frame
        return "hind/ir", self.stamp(message, frame, repeated)

    def second(self, topic, words):
        """Publishes it with the second publisher, in its own type."""
        second = self.seconds.get(topic)
        if second is None or not words:
            return
        _, message = self.message(words)
        if second.type is not type(message):
            message = second.type()
            if second.type is Twist:
                message.linear.x = 1.0
            else:
                message.data = 1 if second.type is Int16 else True
        second.publisher.publish(message)

    # ---------------------------------------------------------------------------------------------------- actions
    def publisher_is(self, topic, who):
        if who == "nobody":
            self.node.destroy_publisher(self.publishers.pop(topic))
        elif who != "one":
            self.seconds[topic] = Second(topic, who, self.other_participant)
        elif topic in self.seconds:
            self.seconds.pop(topic).close()
        else:
            self.appear(topic)

    def held_is(self, node, on):
        on = on == "1"
        self.vehicle.process_of(node).process.send_signal(signal.SIGSTOP if on else signal.SIGCONT)
        (self.held.add if on else self.held.discard)(node)
        self.released = now()

    def active_is(self, node, on):
        transition = Transition(id=Transition.TRANSITION_ACTIVATE if on == "1" else Transition.TRANSITION_DEACTIVATE)
        for _ in range(5):  # a node that was held meanwhile refuses to become active
            future = self.life_cycles[node].call_async(ChangeState.Request(transition=transition))
            self.vehicle.graph.wait(future.done, f"{node} does not answer", 3.0)
            if future.result().success:
                return
            time.sleep(0.1)
        raise AssertionError(f"{node} makes no transition")

    def ask(self, node, text):
        """Whether the parameters are accepted."""
        request = SetParametersAtomically.Request(parameters=parameters(text))
        future = self.parameters[node].call_async(request)
        self.vehicle.graph.wait(future.done, f"{node} does not answer", 3.0)
        result = future.result().result
        assert result.successful or "while the vehicle is stopped" in result.reason, f"{text}: {result.reason}"
        return result.successful

    def device_is(self, lack):
        if lack == "works":
            return self.device.order(plugged=True), self.device.order(answers="well")
        return self.device.order(plugged=False) if lack == "unplugged" else self.device.order(answers=lack)

    # --------------------------------------------------------------------------------------------------- reports
    def passed(self, millis):
        """Lets time pass; returns how much has passed, and the report of it."""
        due = self.start + (self.millis + millis) / 1000
        time.sleep(max(0.0, due - now()))
        elapsed = max(millis, int((now() - self.start) * 1000) - self.millis)
        self.millis += elapsed
        reported, late = self.motor_values()
        is_late = late or elapsed > LATE * 1000
        ready = any(source.name == "motor_controller" and source.says == "works" for source in self.vehicle.detail.sources)
        causes = ",".join(sorted(self.vehicle.causes)) or "-"
        return " ".join([str(elapsed), str(int(is_late)), str(int(ready)), causes, *reported])

    def motor_values(self):
        """The motor values since the last call, and whether they came too late."""
        reported, late = [], False
        for side, known in self.known_of.items():
            with self.vehicle.graph.condition:
                received = self.vehicle.graph.messages[f"/motor/{side}"]
                new, recent = received[known:], received[max(0, known - 50) :]
                del received[:-100]
                self.known_of[side] = len(received)
            excess = steepest(recent, ACCEL)
            assert excess <= 0.0, f"{side} is {excess:.1f} counts beyond {ACCEL} counts/s"
            late |= any(after - before > LATE and before > self.released for (before, _), (after, _) in zip(recent[-len(new) - 1 :], new))
            for at, message in new:
                assert 24 <= message.data <= 156, f"{side} gets {message.data}"
                reported.append(self.at(at, STOP - message.data))
        lines, self.device.reports[:] = list(self.device.reports), []
        for one in lines:
            assert "unknown" not in one and "wrong_crc" not in one, f"the line carries nonsense: {one}"
            reported += [self.at(one["at"] + self.offset, round(duty * 66 / 32767)) for duty in one.get("motors", ()) if duty]
        return reported, late and not self.held

    def at(self, time_, level):
        return f"{max(0, int((time_ - self.start) * 1000))}:{level}"


class Second:
    """A second publisher of a topic."""

    def __init__(self, topic, kind, context):
        self.type = TYPES[topic][kind == "other_type"]
        usual = LATCHED if topic == "luci/chair_profile" else EDGE
        name = OWNERS.get(topic, "observer") if kind == "same_name" else "second"
        self.stack = contextlib.ExitStack()
        self.publisher = self.stack.enter_context(
            second_publisher(self.type, f"/{topic}", BEST_EFFORT if kind == "best_effort" else usual, context, name)
        )

    def close(self):
        self.stack.close()


def play_lines(wire, process):
    """Carries out all lines of `process`, until it ends."""
    for line in process.stdout:
        answer = wire.do(*line.split())
        if answer is not None:
            process.stdin.write(answer + "\n")
            process.stdin.flush()


def uses(process):
    """The resources of a process: resident memory [kB], threads, open files."""
    folder = pathlib.Path(f"/proc/{process.process.pid}")
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return int(status["VmRSS"].split()[0]), int(status["Threads"]), len(list((folder / "fd").iterdir()))
