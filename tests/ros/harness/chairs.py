"""A LUCI chair's two sides, for the tests: the driving node, and the chair as LUCI's own node shows it."""

import contextlib
import json
import time

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from graph import EDGE, LATCHED, SLACK, Graph
from luci_messages.msg import LuciJoystick, LuciJoystickScaling
from processes import Process
from rclpy.duration import Duration
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Int16, Int32, String
from std_srvs.srv import Empty, SetBool

ONE = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
REMOTE, POSITION, SCALING = "/luci/remote_joystick", "/luci/joystick_position", "/luci/joystick_scaling"
AUTO, WDI, VIRTUAL, PHYSICAL, SHARED = 1, 2, 3, 4, 5
NEUTRAL = (0, 0, 8)
SET, REMOVE = "set_shared_remote_input", "remove_shared_remote_input"
AUTO_SERVICES = ("set_auto_remote_input", "remove_auto_remote_input")
# Two of the chair's profiles; 2 m/s and 1 rad/s at full throw in the first.
PROFILES = {
    f"profiles.{name}.{key}": value
    for name, number, forward, turn in [("first", 1, 2.0, 1.0), ("second", 2, 1.0, 0.5)]
    for key, value in [("number", number), ("forward.full_throw", forward), ("turn.full_throw", turn)]
}
# A stick's zone by its parts: the name of the zone is the corner that moves, so back and left is back right.
FRONT, FRONT_LEFT, FRONT_RIGHT, LEFT, RIGHT, BACK_LEFT, BACK_RIGHT, BACK, ORIGIN = range(9)


def fields(message):
    return (message.forward_back, message.left_right, message.joystick_zone, message.input_source)


def arguments(parameters):
    values = [text for name, value in parameters.items() for text in ("-p", f"{name}:={json.dumps(value)}")]
    return ["--ros-args", *values]


class Driver:
    """The node `chair` and its messages; every message on luci/remote_joystick is kept, and must be valid."""

    def __init__(self, parameters=(), executable="chair", source=SHARED, command=TwistStamped):
        self.graph = Graph()
        self.source = source
        self.graph.record(LuciJoystick, REMOTE, QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE))
        self.graph.subscribe(String, "/chair/state", LATCHED)
        self.graph.subscribe(DiagnosticArray, "/diagnostics")
        self.parameters = {**PROFILES, **dict(parameters)}
        self.begin = lambda: Process(executable, *arguments(self.parameters))
        self.process = self.begin()
        self.command, self.commands = command(), None

    def __enter__(self):
        try:
            self.wait(lambda: self.state, "no state is published", 20.0)
            # Answers of LUCI's services are lost until the services have discovered the node's clients, which the middleware
            # does not report.
            time.sleep(0.5)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        try:
            self.process.stop()
            self.check()
        finally:
            self.graph.close()

    def restart_node(self):
        """Starts the node again after its end, while the commands continue."""
        start = time.monotonic()
        self.process = self.begin()
        self.wait(lambda: self.graph.since("/chair/state", start), "no state is published", 20.0)

    def check(self):
        """Checks that each message has its zone and the mode's source, and its parts in range."""
        for _, message in self.graph.messages[REMOTE]:
            forward, right, zone, source = fields(message)
            assert source == self.source, f"a stick of another source: {message}"
            assert -100 <= forward <= 100 and -100 <= right <= 100 and 0 <= zone <= 8, message
            assert (zone == ORIGIN) == (forward == right == 0), f"a stick without its zone: {message}"

    def wait(self, condition, what, timeout=5.0):
        def failure():
            text = what() if callable(what) else what
            return f"{text}; state {self.state}, last {self.last}, {self.message}\n{self.process.output}"

        return self.graph.wait(condition, failure, timeout)

    @property
    def state(self):
        message = self.graph.last("/chair/state")
        return message.data if message else None

    @property
    def last(self):
        message = self.graph.last(REMOTE)
        return fields(message) if message else None

    def sticks(self, start=0.0):
        return [(at, fields(message)) for at, message in self.graph.messages[REMOTE] if at >= start]

    def statuses(self):
        return [s for _, m in self.graph.messages["/diagnostics"] for s in m.status if s.name == "chair"]

    @property
    def message(self):
        return self.statuses()[-1].message if self.statuses() else None

    def value(self, key):
        values = {value.key: value.value for value in self.statuses()[-1].values} if self.statuses() else {}
        return values.get(key)

    def wait_for_message(self, text, timeout=4.0):
        """Waits until the diagnostics' message contains `text`."""
        self.wait(lambda: self.message and text in self.message, f"the diagnostics do not contain '{text}'", timeout)

    def counts(self, key, least=1, timeout=4.0):
        self.wait(lambda: int(self.value(key) or 0) >= least, lambda: f"'{key}' is {self.value(key)}", timeout)

    def activate(self, on=True):
        response = self.call(SetBool, "/chair/activate", SetBool.Request(data=on))
        assert response.success or not on, response.message
        return response.message

    def call(self, kind, name, request):
        client = self.graph.node.create_client(kind, name)
        self.wait(client.service_is_ready, f"'{name}' is not there")
        future = client.call_async(request)
        self.wait(future.done, f"'{name}' does not answer")
        return future.result()

    def become(self, state, timeout=6.0):
        return self.wait(lambda: self.state == state, f"must become {state}", timeout)

    def set_command(self, linear=0.0, angular=0.0, ahead=0.0):
        """Sets the command that is sent 50 times a second from now on, stamped `ahead` of the clock [s]."""
        self.ahead = ahead
        twist = getattr(self.command, "twist", self.command)
        twist.linear.x, twist.angular.z = float(linear), float(angular)
        if self.commands is None:
            # The same publisher as for single commands: a second one would be a conflict.
            node, publishers = self.graph.node, self.graph.publishers
            publisher = publishers.get("/cmd_vel") or node.create_publisher(type(self.command), "/cmd_vel", EDGE)
            publishers["/cmd_vel"] = publisher

            def publish():
                if isinstance(self.command, TwistStamped):
                    stamp = self.graph.node.get_clock().now() + Duration(seconds=self.ahead)
                    self.command.header.stamp = stamp.to_msg()
                publisher.publish(self.command)

            self.commands = node.create_timer(0.02, publish)

    def again(self, linear=0.0, angular=0.0):
        """Sets the command after a zero that the chair follows: after a loss nothing continues by itself."""
        self.set_command()
        self.become("active")
        self.set_command(linear, angular)

    def fall_silent(self):
        """Sends no more commands; the publisher stays."""
        self.graph.node.destroy_timer(self.commands)
        self.commands = None

    def drives(self, forward_back, left_right, zone, timeout=3.0):
        expected = (forward_back, left_right, zone, self.source)
        self.wait(lambda: self.last == expected, f"the stick must become {expected}", timeout)

    def neutral_within(self, bound, start, what):
        """Checks that the last stick with motion was published within `bound` seconds after `start`, by the wall clock."""
        self.is_neutral(0.2)
        moving = [at - start for at, stick in self.sticks(start) if stick[:3] != NEUTRAL]
        assert max(moving, default=0.0) < bound + SLACK, f"{what}: moves until {max(moving):.3f} s after it, must be within {bound} s"

    def is_neutral(self, seconds=0.4):
        """Checks that neutral is published from now on, explicitly and often enough."""
        self.wait(lambda: self.last == (*NEUTRAL, self.source), "must become neutral", 1.0)
        start = time.time()
        time.sleep(seconds)
        sticks = self.sticks(start)
        assert {stick for _, stick in sticks} == {(*NEUTRAL, self.source)}, sticks
        assert len(sticks) >= 0.5 * 20 * seconds, f"{len(sticks)} sticks in {seconds} s"


class Luci:
    """A mock of LUCI's node: shows any source at any rate, answers services or does not.

    Its services have a thread of their own, so a hanging one holds up nothing else.
    """

    def __init__(self, services=(SET, REMOVE), profile=1):
        self.graph, self.service_graph = Graph(), Graph()
        self.calls, self.enters_modes, self.hangs, self.invalid_source, self.timer = [], True, False, None, None
        # Properties that are not known of a real chair: the source that joystick_position carries, if not the mode's, and which
        # topics are published.
        self.own_source, self.shows_position, self.shows_scaling = None, True, True
        self.stick = LuciJoystick(joystick_zone=8, input_source=PHYSICAL)
        make = self.graph.node.create_publisher
        self.position = make(LuciJoystick, POSITION, ONE)
        self.scaling = make(LuciJoystickScaling, SCALING, ONE)
        self.profiles = make(Int32, "/luci/chair_profile", LATCHED)
        if profile is not None:
            self.profiles.publish(Int32(data=profile))
        for name in services:
            self.serve(name)
        self.stream(20.0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.hangs = False
        self.service_graph.close()
        self.graph.close()

    def serve(self, name):
        def called(_, response):
            self.calls.append((time.time(), name))
            while self.hangs:
                time.sleep(0.02)
            if self.enters_modes:
                self.show({SET: SHARED, AUTO_SERVICES[0]: AUTO}.get(name, PHYSICAL))
            return response

        self.service_graph.node.create_service(Empty, f"/luci/{name}", called)

    def show(self, source):
        self.stick.input_source = source

    def stream(self, rate):
        """Shows the stick and the source `rate` times a second, or not at all with 0."""
        if self.timer is not None:
            self.graph.node.destroy_timer(self.timer)
            self.timer = None
        if rate:
            self.timer = self.graph.node.create_timer(1.0 / rate, self.publish)

    def publish(self):
        source = self.stick.input_source
        if source != AUTO and self.shows_position:
            stick = LuciJoystick(forward_back=self.stick.forward_back, left_right=self.stick.left_right)
            stick.joystick_zone = self.stick.joystick_zone
            stick.input_source = source if self.own_source is None else self.own_source
            self.position.publish(stick)
        if self.shows_scaling:
            shown = source if self.invalid_source is None else self.invalid_source
            self.scaling.publish(LuciJoystickScaling(joystick_zone=8, input_source=shown))

    def called(self, name, since=0.0):
        return [at for at, called in self.calls if called == name and at >= since]


@contextlib.contextmanager
def active(parameters=(), profile=1, command=TwistStamped):
    """A chair in the shared mode, and its driver, whose zero command it follows."""
    with Luci(profile=profile) as luci, Driver(parameters, command=command) as driver:
        driver.set_command()
        driver.activate()
        driver.become("active")
        yield luci, driver


class Chair:
    """The executable `luci_chair` and its inputs."""

    def __init__(self, parameters=()):
        self.graph = Graph()
        for kind, name in [(LuciJoystick, "joystick_position"), (LuciJoystickScaling, "joystick_scaling")]:
            self.graph.subscribe(kind, f"/luci/{name}", ONE)
        for side in ("port", "starboard"):
            self.graph.subscribe(Int16, f"/motor/{side}", ONE)
        self.graph.subscribe(DiagnosticArray, "/diagnostics")
        self.process = Process("luci_chair", *arguments(dict(parameters)))
        self.remote, self.timer = LuciJoystick(joystick_zone=8, input_source=SHARED), None

    def __enter__(self):
        try:
            self.wait(lambda: self.scaled and self.motors, "the chair is silent", 20.0)
            return self
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        try:
            self.process.stop()
        finally:
            self.graph.close()

    def wait(self, condition, what, timeout=5.0):
        def failure():
            return f"{what() if callable(what) else what}; {self.scaled}, motors {self.motors}\n{self.process.output}"

        return self.graph.wait(condition, failure, timeout)

    @property
    def scaled(self):
        return self.graph.last("/luci/joystick_scaling")

    @property
    def motors(self):
        port, starboard = self.graph.last("/motor/port"), self.graph.last("/motor/starboard")
        return (port.data, starboard.data) if port and starboard else None

    def call(self, name, request=None):
        kind = Empty if request is None else SetBool
        client = self.graph.node.create_client(kind, name)
        self.wait(client.service_is_ready, f"'{name}' is not there")
        future = client.call_async(kind.Request() if request is None else SetBool.Request(data=request))
        self.wait(future.done, f"'{name}' does not answer")
        return future.result()

    def enter(self, mode, source):
        self.call(f"/luci/set_{mode}_remote_input")
        self.wait(lambda: self.scaled.input_source == source, f"does not enter {mode}")

    def set_remote(self, forward, right=0, source=None, rate=20.0):
        """Sets the remote joystick from now on."""
        self.remote.forward_back, self.remote.left_right = forward, right
        self.remote.input_source = self.remote.input_source if source is None else source
        if self.timer is not None:
            self.graph.node.destroy_timer(self.timer)
        if not hasattr(self, "publisher"):
            self.publisher = self.graph.node.create_publisher(LuciJoystick, REMOTE, ONE)
        self.timer = self.graph.node.create_timer(1.0 / rate, lambda: self.publisher.publish(self.remote)) if rate else None

    def stands(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        values = {message.data for side in ("port", "starboard") for message in self.graph.since(f"/motor/{side}", start)}
        assert values == {90}, f"{what}: motors got {sorted(values)}"

    def value(self, key):
        statuses = [s for _, m in self.graph.messages["/diagnostics"] for s in m.status if s.name == "interface"]
        return {v.key: v.value for v in statuses[-1].values}.get(key) if statuses else None
