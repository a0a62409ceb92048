"""zone_scaler alone, and the chair's topics, for tests of zone_scaler only."""

import json
import time

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from graph import SLACK, Graph, free_zones
from luci_messages.msg import LuciJoystick, LuciJoystickScaling, LuciZoneScaling
from processes import Process
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import QoSProfile

# The QoS of LUCI's bridge: reliable, volatile, the newest message only.
LUCI = QoSProfile(depth=1)
APPLIED = "/zone_scaler/joystick_scaling"
APPLIED_TO_STICK = "/zone_scaler/joystick_position_scaling"
MARKERS = "/zone_scaler/markers"
SHARED, PHYSICAL = 5, 4
FIELDS = list(LuciZoneScaling.get_fields_and_field_types())


def zones(others=1.0, **factors):
    """A scaling in which every field is `others` except those named."""
    scaling = free_zones()
    for field in FIELDS:
        setattr(scaling, field, float(factors.get(field, others)))
    assert set(factors) <= set(FIELDS), f"no such field: {set(factors) - set(FIELDS)}"
    return scaling


def arguments(parameters):
    return ["--ros-args", *(text for name, value in dict(parameters).items() for text in ("-p", f"{name}:={json.dumps(value)}"))]


def statuses(graph, node):
    """A node's reports in /diagnostics, in order, with their values by key."""
    found = [s for _, message in list(graph.messages["/diagnostics"]) for s in message.status if s.name == node]
    return [(s.level, s.message, {value.key: value.value for value in s.values}) for s in found]


class Scaler:
    """The node with 1 m/s and 1 rad/s at full throw: its messages, and the publishers on its topics."""

    def __init__(self, parameters=(), stamped=True, scaling=True):
        self.graph = Graph()
        self.twist = TwistStamped if stamped else Twist
        for kind, topic in (
            (self.twist, "/cmd_vel"),
            (LuciJoystickScaling, APPLIED),
            (LuciJoystickScaling, APPLIED_TO_STICK),
            (DiagnosticArray, "/diagnostics"),
        ):
            self.graph.subscribe(kind, topic, QoSProfile(depth=1000))
        node = self.graph.node
        self.publishers = {
            "scaling": node.create_publisher(LuciZoneScaling, "/luci/scaling", LUCI),
            "stick": node.create_publisher(LuciJoystick, "/luci/joystick_position", LUCI),
            "feedback": node.create_publisher(LuciJoystickScaling, "/luci/joystick_scaling", LUCI),
            "command": node.create_publisher(self.twist, "/cmd_vel_arbitrated", 10),
        }
        self.repeated = {"scaling": zones()} if scaling else {}
        self.timer = node.create_timer(0.02, self._repeat)
        self.arguments = arguments({"stamped": stamped, **dict(parameters)})
        self.process = Process("zone_scaler", *self.arguments)

    def __enter__(self):
        def connected():
            return all(publisher.get_subscription_count() > 0 for publisher in self.publishers.values())

        try:
            self.wait(connected, "the node does not subscribe", 10.0)
            self.wait(lambda: self.applied, "nothing is published", 10.0)
            time.sleep(0.1)  # with the scaling 50 times a second
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.process.stop()
        finally:
            self.graph.close()

    def restart(self):
        """Kills the node and starts it again; the publishers continue."""
        self.process.kill()
        self.process = Process("zone_scaler", *self.arguments)
        return time.monotonic()

    def _repeat(self):
        for name, message in list(self.repeated.items()):
            self.publishers[name].publish(message)

    def wait(self, condition, what, timeout=3.0):
        def failure():
            found = f"cmd_vel {self.left}, of it {self.applied}, of the stick {self.applied_to_stick}"
            return f"{what() if callable(what) else what}; {found}\n{self.process.output}"

        return self.graph.wait(condition, failure, timeout)

    def scaling(self, others=1.0, **factors):
        """Sets the chair's zones, published 50 times a second from now on."""
        self.repeated["scaling"] = zones(others, **factors)

    def stick(self, forward_back, left_right, zone=8, source=PHYSICAL):
        """Sets the occupant's stick from now on."""
        message = LuciJoystick(forward_back=forward_back, left_right=left_right, joystick_zone=zone, input_source=source)
        self.repeated["stick"] = message

    def command(self, linear, angular=0.0):
        """Sets the velocity that is commanded 50 times a second from now on, after a zero: after a loss nothing continues by itself."""
        self.publishers["command"].publish(self.twist())
        time.sleep(0.01)
        self.hold(linear, angular)

    def hold(self, linear, angular=0.0):
        """The same without the zero."""
        message = self.twist()
        twist = getattr(message, "twist", message)
        twist.linear.x, twist.angular.z = float(linear), float(angular)
        self.repeated["command"] = message

    def fall_silent(self, name):
        self.repeated.pop(name)

    def set_mode(self, mode):
        client = self.graph.node.create_client(SetParameters, "/zone_scaler/set_parameters")
        assert client.wait_for_service(5.0)
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=mode)
        start = time.monotonic()
        future = client.call_async(SetParameters.Request(parameters=[Parameter(name="mode", value=value)]))
        self.wait(future.done, "no answer")
        return start

    @property
    def left(self):
        """The last command that was published: forward [m/s], turn [rad/s]."""
        message = self.graph.last("/cmd_vel")
        twist = getattr(message, "twist", message)
        return (twist.linear.x, twist.angular.z) if message else None

    def _scaling_on(self, topic):
        m = self.graph.last(topic)
        return m and (m.forward_back, m.left_right, m.joystick_zone, m.input_source)

    @property
    def applied(self):
        """The scaling of the command: forward_back, left_right, zone, input source."""
        return self._scaling_on(APPLIED)

    @property
    def applied_to_stick(self):
        """The predicted scaling of the stick: forward_back, left_right, zone, input source."""
        return self._scaling_on(APPLIED_TO_STICK)

    def wait_for_left(self, linear, angular, what, timeout=3.0):
        near = lambda: self.left and abs(self.left[0] - linear) < 1e-6 and abs(self.left[1] - angular) < 1e-6  # noqa: E731
        return self.wait(near, f"{what}: must become {linear}, {angular}", timeout)

    def rests_within(self, bound, start, what):
        """Checks that its first zero came within `bound` seconds after `start`, by the monotonic clock, and no motion after it."""

        def zeros():
            twists = [(at, getattr(message, "twist", message)) for at, message in self.graph.messages["/cmd_vel"] if at >= start]
            return [at for at, twist in twists if twist == Twist()]

        self.wait(zeros, f"{what}: no zero comes", bound + 2.0)
        took = zeros()[0] - start
        assert took < bound + SLACK, f"{what}: zero after {took:.3f} s, must be within {bound} s"
        moved = [m for m in self.graph.since("/cmd_vel", zeros()[0]) if getattr(m, "twist", m) != Twist()]
        assert not moved, f"{what}: {moved[0]}"

    def wait_for_stick(self, *published, what="the stick", timeout=3.0):
        return self.wait(lambda: self.applied_to_stick == published, f"{what}: must become {published}", timeout)

    def values(self):
        """The newest values in /diagnostics."""
        reported = statuses(self.graph, "zone_scaler")
        return reported[-1][2] if reported else {}

    def wait_for_count(self, key, least=1, exactly=None):
        def count():
            return int(self.values().get(key, 0))

        found = (lambda: count() == exactly) if exactly is not None else (lambda: count() >= least)
        self.wait(found, lambda: f"diagnostics count {key}: {count()}, must be {exactly or least}", 4.0)

    def wait_for_health(self, level, text):
        reported = lambda: [s[:2] for s in statuses(self.graph, "zone_scaler")]  # noqa: E731
        self.wait(
            lambda: any(found == level and text in message for found, message in reported()[-1:]),
            lambda: f"diagnostics must contain '{text}', they are {reported()[-1:]}",
            4.0,
        )

    def stays_at_rest(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        moved = [m for m in self.graph.since("/cmd_vel", start) if getattr(m, "twist", m) != Twist()]
        assert not moved, f"{what}: {moved[0]}"
        assert self.process.process.poll() is None, self.process.output
