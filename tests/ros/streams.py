"""Everything that talks to a vehicle in an episode, each stream at its own rate, and how each fault is brought about on the wire, in the
graph, in a process, in parameters or in the motor controller.
"""

import math
import signal
import time

import rclpy
import yaml
from arbiters import parameter
from conftest import EDGE, free_zones
from geometry_msgs.msg import Twist, TwistStamped
from luci_messages.msg import LuciZoneScaling
from or_joystick.msg import State
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import SetParametersAtomically
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Range
from std_msgs.msg import Bool, Int16
from vehicle import now, second_publisher

FRONT = ["ir_front_port", "ir_front_starboard"]
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
STEP = 0.01
# Who takes over is at rest for so long first [s].
NEUTRAL = 0.1
DEAD_MAN = 5
# The type of each topic, and another one: of hindbrain's, and of all.
SOLE_TYPES = {
    "cmd_vel": (TwistStamped, Twist),
    "hind/enable": (Bool, Int16),
    "hind/estop": (Bool, Int16),
    "motor/port": (Int16, Bool),
}
TYPES = {
    **SOLE_TYPES,
    "cmd_vel_smoothed": (TwistStamped, Twist),
    "cmd_vel_arbitrated": (TwistStamped, Twist),
    "door": (Bool, Int16),
    "luci/scaling": (LuciZoneScaling, Bool),
    "joystick/virtual_device": (State, Bool),
}
OWNERS = {"motor/port": "hindbrain", "cmd_vel_arbitrated": "velocity_arbiter"}
AHEAD = ("front_fb", "front_rl", "front_right_fb", "front_right_rl", "front_left_fb", "front_left_rl")
# Whose publisher is gone in a fault that has `gone`.
DESERTED = {"command_silent": "command", "lock_silent": "door", "scaling_silent": "luci/scaling", "stick_silent": "joystick/virtual_device"}


def parameters(text):
    """What `name:value,...` sets: a parameter without a value is deleted."""
    pairs = (one.split(":", 1) for one in text.split(",") if one)
    return [parameter(name, yaml.safe_load(value) if value else ParameterValue()) for name, value in pairs]


class Streams:
    """What is said to the vehicle, in steps of 10 ms; `chain`: not to hindbrain alone, but to all stages before it too."""

    def __init__(self, vehicle, device, chain):
        self.vehicle, self.device, self.chain = vehicle, device, chain
        self.node = vehicle.graph.node
        self.command_topic = "cmd_vel_smoothed" if chain else "cmd_vel"
        topics = {"hind/enable": Bool, "hind/estop": Bool, "hind/reset": Bool, "hind/ir": Range, self.command_topic: TwistStamped}
        if chain:
            topics |= {"dock": Twist, "door": Bool, "luci/scaling": LuciZoneScaling, "joystick/virtual_device": State}
        self.types, self.publishers = topics, {}
        for topic in topics:
            self.appear(topic)
        nodes = ("velocity_arbiter", "zone_scaler", "hindbrain") if chain else ("hindbrain",)
        self.parameters = {name: self.node.create_client(SetParametersAtomically, f"/{name}/set_parameters_atomically") for name in nodes}
        # A participant that is known before anything is expected of it: discovery takes seconds.
        self.stranger = rclpy.Context()
        rclpy.init(context=self.stranger)
        self.known = rclpy.create_node("known", context=self.stranger)
        self.second, self.episode, self.stamps = None, {}, {}
        self.driver, self.throttle, self.button, self.ended = "navigation", 1.0, False, None
        self.begun, self.said, self.gap, self.sent = now(), now(), 0.0, {}

    def close(self):
        self.known.destroy_node()
        rclpy.shutdown(context=self.stranger)

    def appear(self, topic):
        self.publishers[topic] = self.node.create_publisher(self.types[topic], f"/{topic}", EDGE)

    def say(self, topic, message):
        self.publishers[topic].publish(message)

    def switch(self, name, value):
        self.say(f"hind/{name}", Bool(data=value))

    def stamp(self, message, behind=0.0, repeated=None):
        """Stamps it so many seconds ago, or with the stamp that `repeated` had."""
        stamp = now() - behind
        if repeated is not None:
            stamp = self.stamps.setdefault(repeated, stamp)
        message.header.stamp.sec, message.header.stamp.nanosec = int(stamp), int(stamp % 1 * 1e9)
        return message

    # ---------------------------------------------------------------------------------------------------- what is said
    def due(self, key, rate, share=0.0):
        """Whether the stream `key` is to say something now, `rate` times a second; and whether a bad one, a `share` of them, the first at least."""
        count, before = math.floor((now() - self.begun) * rate), self.sent.get(key)
        self.sent[key] = count
        bad = before is None or math.floor(count * share) > math.floor(before * share)
        return count != before, bad

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.talk()
            time.sleep(STEP)

    def talk(self):
        """All that is said in this step, each stream at its own rate."""
        self.gap, self.said = max(self.gap, now() - self.said), now()
        one = self.episode
        fault, rate, share = one.get("fault"), float(one.get("rate", 0.0)), float(one.get("share", 0.0))
        flickers = lambda key, name, usual: self.due(key, *((rate, share) if fault and fault == name else (usual, 0.0)))  # noqa: E731
        is_due, bad = flickers("estop", "estop_pressed", 25.0)
        if is_due and fault != "estop_silent":
            self.switch("estop", bad and fault == "estop_pressed")
        for index, frame in enumerate(FRONT):
            mine = one.get("starboard") == ("true" if index else "false")
            is_due, bad = flickers(frame, "infrared" if mine else None, 20.0)
            if is_due and not (fault == "infrared_silent" and mine):
                bad = bad and fault == "infrared" and mine
                message = Range(min_range=0.05, max_range=5.0, range=(math.nan if one["invalid"] == "true" else 0.1) if bad else 1.0)
                message.header.frame_id = frame
                self.say("hind/ir", self.stamp(message, repeated=frame if fault == "infrared_repeated" and mine else None))
        if fault == "second_switch_off" and self.due("enable", rate)[0]:
            self.switch("enable", True)
        if self.due("command", 50.0)[0]:
            self.commands(fault)
        if self.chain:
            is_due, bad = flickers("lock", "lock_flickers", 20.0)
            if is_due and fault != "lock_silent":
                closed = fault == "lock_closed" or fault == "rearmed" and one["zone"] == "false"
                self.say("door", Bool(data=closed or bad and fault == "lock_flickers"))
            is_due, bad = flickers("scaling", fault if fault in ("scaling_blocked", "scaling_invalid") else None, 20.0)
            if is_due and fault != "scaling_silent":
                self.say("luci/scaling", self.scaling(fault, bad))

    def scaling(self, fault, bad):
        scaling, is_ahead = free_zones(), self.episode.get("ahead") != "false"
        blocked = fault == "rearmed" and self.episode["zone"] == "true"
        factor = {"scaling_blocked": 0.0, "rearmed": 0.0, "scaling_invalid": float(self.episode.get("nonsense", 1.0))}.get(fault, 1.0)
        for field in scaling.get_fields_and_field_types():
            if (blocked or bad and fault != "rearmed") and (field in AHEAD) == is_ahead:
                setattr(scaling, field, factor)
        return scaling

    def commands(self, fault):
        """What navigation, the dock and the stick ask for."""
        takes_over = 0.0 if now() - self.begun < NEUTRAL else 1.0
        by = self.episode.get("by")
        away = fault == "takeover" and self.episode["gap"] == "true"
        if self.driver == "navigation" and fault != "command_silent" and not away:
            message = TwistStamped()
            message.twist.linear.x = self.throttle
            if fault == "command_nonsense":
                message.twist.linear.x = 1e6 if self.episode["huge"] == "true" else math.nan
            behind = int(self.episode["behind"]) / 1000 if fault == "command_stamps" else 0.0
            self.say(self.command_topic, self.stamp(message, behind, "command" if fault == "command_repeated" else None))
        if by == "dock":
            self.dock(takes_over)
        if not self.chain or fault == "stick_silent":
            return
        if fault == "stick_unplugged" or by is None and self.ended == "unplugged":
            self.say("joystick/virtual_device", State())
        elif by == "stick":
            self.stick(takes_over, True)
        elif self.ended != "silent":
            drives = self.driver == "stick"
            self.stick(self.throttle if drives else 0.0, drives and self.button and fault != "button_let_go")

    def dock(self, forward):
        message = Twist()
        message.linear.x = forward
        self.say("dock", message)

    def stick(self, forward, button):
        axes, buttons = [0] * 6, [False] * 11
        axes[1], buttons[DEAD_MAN] = int(-32767 * forward), button
        self.say("joystick/virtual_device", State(axes=axes, buttons=buttons))

    # ------------------------------------------------------------------------------------------------------- the fault
    def deserted(self):
        topic = DESERTED.get(self.episode["fault"]) if self.episode.get("gone") == "true" else None
        return self.command_topic if topic == "command" else topic

    def begin(self, episode):
        self.episode, self.begun, self.sent, self.stamps, self.gap = episode, now(), {}, {}, 0.0
        fault = episode["fault"]
        if self.deserted():
            self.node.destroy_publisher(self.publishers.pop(self.deserted()))
        elif fault == "enable_false":
            self.switch("enable", False)
        elif fault in ("second_publisher", "second_switch_off"):
            topic, kind = episode.get("topic", "hind/enable"), episode["second"]
            message_type = TYPES[topic][kind == "other_type"]
            qos = BEST_EFFORT if kind == "best_effort" else EDGE
            name = OWNERS.get(topic, "observer") if kind == "same_name" else "second"
            self.second = second_publisher(message_type, f"/{topic}", qos, self.stranger, name)
            publisher = self.second.__enter__()
            if fault == "second_switch_off" and message_type is Bool:
                publisher.publish(Bool(data=False))
        elif fault == "held":
            process = self.vehicle.process_of(episode["process"]).process
            process.send_signal(signal.SIGSTOP)
            self.run(int(episode["millis"]) / 1000)
            process.send_signal(signal.SIGCONT)
        elif fault == "parameter_set":
            self.set("set")
        elif fault == "device_lost":
            self.device.order(plugged=False)

    def set(self, which):
        one = self.episode
        request = SetParametersAtomically.Request(parameters=parameters(one[which]))
        future = self.parameters[one["node"]].call_async(request)
        end = time.monotonic() + 3.0
        while not future.done():
            assert time.monotonic() < end, f"{one['node']} does not answer"
            self.run(STEP)
        result = future.result().result
        if one["effect"] == "refused":
            assert "while the vehicle is stopped" in result.reason, result
        else:
            assert result.successful, result.reason

    def end(self):
        """The fault is over; when."""
        episode, fault = self.episode, self.episode["fault"]
        if fault == "parameter_set" and episode["effect"] != "refused":
            self.set("undo")
        if self.deserted():
            self.appear(self.deserted())
        elif self.second is not None:
            self.second.__exit__(None, None, None)
            self.second = None
        elif fault in ("lock_closed", "lock_flickers"):
            self.say("door", Bool(data=True))  # the last message is a bad one
        elif fault == "takeover" and episode["by"] == "stick":
            self.ended = episode["ends"]
        elif fault == "takeover" and episode["ends"] == "lets_go":
            self.dock(0.0)
        elif fault == "device_lost":
            self.device.order(plugged=True)
            end = time.monotonic() + 5.0
            while self.vehicle.source("motor_controller").says != "works":
                assert time.monotonic() < end, "the device does not come back"
                self.run(STEP)
        self.episode, self.begun, self.sent = {}, now(), {}
        return now()
