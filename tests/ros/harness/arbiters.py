"""velocity_arbiter, alone or in steersman, the publishers of its sources and locks, and rclpy's own parameter client."""

import time

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE, LATCHED, SLACK, Graph
from or_pose_estimator.msg import AVel, State, Vel
from processes import Process
from rcl_interfaces.msg import ParameterEvent, ParameterValue
from rclpy._rclpy_pybind11 import RCLError
from rclpy.parameter import Parameter
from rclpy.parameter_client import AsyncParameterClient
from std_msgs.msg import Bool

NODE = "velocity_arbiter"
OUTPUT = "/cmd_vel_arbitrated"
# The stick is silent here.
STICK = {"topic": "joystick/desired", "type": "pose_state", "priority": 1}


def named(prefix, **members):
    return {f"{prefix}.{member}": value for member, value in members.items()}


NAVIGATION = named("sources.navigation", topic="/nav", type="twist_stamped", priority=10, timeout=0.5)
DOCK = named("sources.dock", topic="/dock", type="twist", priority=20)


class Arbiter:
    """The node with `parameters`, and its messages."""

    def __init__(self, parameters, executable=NODE, arguments=(), node=NODE):
        self.graph = Graph()
        parameters = {**named("sources.joystick", **STICK), **parameters}
        texts = [text for name, value in parameters.items() for text in ("-p", f"{node}:{name}:={value}")]
        self.graph.subscribe(TwistStamped, OUTPUT)
        self.topic = f"/{node}/active"
        self.graph.subscribe(DiagnosticStatus, self.topic, LATCHED)
        self.graph.subscribe(ParameterEvent, "/parameter_events")
        self.process = Process(executable, "--ros-args", *texts, *arguments)
        self.client = AsyncParameterClient(self.graph.node, node)

    def __enter__(self):
        try:
            self.wait(self.client.services_are_ready, "its parameters are not served", 10.0)
            self.wait(lambda: self.last is not None, "it publishes nothing", 10.0)
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.process.stop()
        finally:
            self.graph.close()

    def wait(self, condition, what, timeout=5.0):
        def failure():
            return f"{what() if callable(what) else what}; it publishes {self.last}, {self.active}\n{self.process.output}"

        self.graph.wait(condition, failure, timeout)

    @property
    def last(self):
        """The last forward velocity that was commanded."""
        message = self.graph.last(OUTPUT)
        return message and message.twist.linear.x

    @property
    def active(self):
        """The active source, and the report of each source."""
        message = self.graph.last(self.topic)
        return message and (message.message, {value.key: value.value for value in message.values if " " not in value.key})

    @property
    def locks(self):
        """The report of each lock."""
        message = self.graph.last(self.topic)
        values = message.values if message else []
        return {value.key.removeprefix("lock "): value.value for value in values if value.key.startswith("lock ")}

    def speeds_since(self, since):
        return [message.twist.linear.x for message in self.graph.since(OUTPUT, since)]

    def rests_within(self, bound, start, what):
        """Checks that the first of the final zeros came within `bound` seconds after `start`, by the monotonic clock."""
        self.wait(lambda: self.last == 0.0 and self.speeds_since(start), f"{what}: no zero comes", bound + 2.0)
        time.sleep(0.1)
        assert self.last == 0.0, f"{what}: it moves again"
        reported = [(at, message.twist.linear.x) for at, message in self.graph.messages[OUTPUT]]
        moved = max((index for index, (_, speed) in enumerate(reported) if speed != 0.0), default=-1)
        took = reported[moved + 1][0] - start
        assert took < bound + SLACK, f"{what}: rests after {took:.3f} s, must be within {bound} s"

    def moves_again(self, start):
        """Waits for the first motion command that follows a zero, and returns how long after `start` it came."""

        def firsts():
            reported = [(at, message.twist.linear.x) for at, message in self.graph.messages[OUTPUT] if at >= start]
            return [at for (at, speed), (_, before) in zip(reported[1:], reported) if speed != 0.0 and before == 0.0]

        self.wait(firsts, "it does not move again")
        return firsts()[0] - start

    def drives(self, name, speed):
        self.wait(lambda: self.active and self.active[0] == name, f"{name} does not drive")
        self.wait(lambda: self.last == speed, f"{speed} is not commanded")

    def publish(self, topic, speed, kind=TwistStamped, rate=50.0, graph=None, zeros=10, qos=EDGE):
        """Publishes `speed` on `topic` until the returned object is called; a second type of a topic needs a `graph` of its own."""
        return Sender(self, topic, speed, kind, rate, graph or self.graph, zeros, qos)

    def message(self, kind, speed):
        if kind is Bool:
            return Bool(data=speed)
        stamp = self.graph.node.get_clock().now().to_msg()
        if kind is Twist:
            message = Twist()
            message.linear.x = speed
        elif kind is TwistStamped:
            message = TwistStamped()
            message.header.stamp, message.twist.linear.x = stamp, speed
        else:
            message = State(ts=stamp, intrinsic=True, vel=[Vel(vx=speed)], avel=[AVel()])
        return message

    def answer(self, future):
        self.wait(future.done, "its parameter service does not answer")
        return future.result()


    def change(self, values):
        """Sets one by one, as `ros2 param set` and `load` do; returns the reasons of the refusals."""
        results = self.answer(self.client.set_parameters(parameters(values))).results
        return [result.reason for result in results if not result.successful]

    def change_at_once(self, values):
        result = self.answer(self.client.set_parameters_atomically(parameters(values))).result
        assert result.successful == (not result.reason)
        return result.reason

    def delete(self, *names):
        results = self.answer(self.client.delete_parameters(list(names))).results
        return [result.reason for result in results if not result.successful]

    def names(self, *prefixes):
        return set(self.answer(self.client.list_parameters(list(prefixes))).result.names)

    def get(self, *names):
        values = self.answer(self.client.get_parameters(list(names))).values
        return [Parameter.from_parameter_msg(parameter(name, value)).value for name, value in zip(names, values)]

    def all(self):
        names = sorted(self.names())
        return dict(zip(names, self.get(*names)))


class Sender:
    """Publishes `speed`, after some zeros each time the topic gets a subscriber."""

    def __init__(self, arbiter, topic, speed, kind, rate, graph, zeros, qos):
        self.arbiter, self.speed, self.kind, self.node, self.zeros = arbiter, speed, kind, graph.node, zeros
        self.sent = 0
        self.publisher = None
        deadline = time.monotonic() + 2.0
        while self.publisher is None:  # a publisher of another type that was just destroyed may still exist
            try:
                self.publisher = self.node.create_publisher(kind, topic, qos)
            except RCLError:
                assert time.monotonic() < deadline, f"{topic} cannot be published as {kind}"
                time.sleep(0.01)
        self.timer = self.node.create_timer(1.0 / rate, self._publish)

    def _publish(self):
        self.sent = self.sent + 1 if self.publisher.get_subscription_count() else 0
        first = self.kind is not Bool and self.sent <= self.zeros
        self.publisher.publish(self.arbiter.message(self.kind, 0.0 if first else self.speed))

    def zero(self):
        """Publishes some zeros first again."""
        self.sent = 0

    def __call__(self):
        self.node.destroy_timer(self.timer)
        self.node.destroy_publisher(self.publisher)


def parameter(name, value):
    message = Parameter(name).to_parameter_msg()
    message.value = value if isinstance(value, ParameterValue) else Parameter(name, value=value).to_parameter_msg().value
    return message


def parameters(values):
    return [parameter(name, value) for name, value in values.items()]


def wait_for_messages_in_flight():
    """Waits until messages in flight have arrived."""
    time.sleep(0.3)
