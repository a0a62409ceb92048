"""hindbrain alone, and the publishers on its topics, for tests of hindbrain only."""

import contextlib
import json
import signal
import time

import base
import rclpy
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE, LATCHED, SLACK, STANDS_STILL, STOP, Graph, act_until, unlatch
from hindbrain_msgs.msg import Leds, StateDetail
from processes import Process
from std_msgs.msg import Bool, String

# The default of `cmd_timeout`, and the time from full speed to zero with `Vehicle.QUICK` [s].
CMD_TIMEOUT, QUICK_BRAKE = 0.5, 66 / 800


class Vehicle:
    """hindbrain alone, with quick ramps: its messages, and the publishers on its topics. `command` is the type of its commands.

    Its messages are kept with the time of publishing, so a busy observer does not distort the times.
    """

    QUICK = {"accel": 400.0, "decel": 800.0}

    def __init__(self, parameters=(), command=TwistStamped, executable="hindbrain", output=None):
        self.graph = Graph()
        parameters = dict(parameters)
        kind = parameters.pop("output", base.OUTPUT)
        if parameters.get("profile") == "seed" or "driver.kind" in parameters:
            kind = "motors"
        own = base.arguments("hindbrain:")
        if not executable.endswith("steersman"):  # there each parameter is one of a node
            own = ["-p", f"output:={kind}"]
            quick = {} if parameters.get("profile") == "seed" else self.QUICK
            # At 1 m/s and at 1 rad/s both motors are at full speed.
            parameters = {"cmd_vel_type": "twist" if command is Twist else "twist_stamped", "track": 2.0, **quick, **parameters}
        arguments = [text for name, value in parameters.items() for text in ("-p", f"{name}:={json.dumps(value)}")]
        watch(self.graph, kind)
        self.begin = lambda output=None, name=None: Process(
            executable, "--ros-args", *arguments, *own, *(("-r", f"__node:={name}") if name else ()), output=output
        )
        self.process = self.begin(output)
        self.command = command()
        self.commands = None
        self.estop_timer = None

    def __enter__(self):
        try:
            self.wait(lambda: self.motors and self.detail, "no motor value or no detail came", 10.0)
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            self.process.stop()
        finally:
            self.graph.close()

    def process_of(self, node):
        """The process in which this node runs; there is one."""
        return self.process

    @property
    def lines(self):
        """Its last lines of output."""
        return self.process.lines[-15:]

    def wait(self, condition, what, timeout=5.0):
        def failure():
            causes = self.detail and self.causes
            found = f"motors {self.motors}, state {self.state}, causes {causes}"
            return f"{what() if callable(what) else what}; {found}\n{self.process.output}"

        return self.graph.wait(condition, failure, timeout)

    @property
    def motors(self):
        port, starboard = self.graph.last("/motor/port"), self.graph.last("/motor/starboard")
        return (port.data, starboard.data) if port and starboard else None

    @property
    def state(self):
        message = self.graph.last("/hind/state")
        return message.data if message else None

    @property
    def detail(self):
        return self.graph.last("/hind/state_detail")

    @property
    def causes(self):
        return {cause.name for cause in self.detail.causes}

    def source(self, name):
        """hindbrain's report of one of its sources."""
        return next(source for source in self.detail.sources if source.name == name)

    def set_command(self, linear=0.0, angular=0.0):
        """Sets the command that is sent 50 times a second from now on."""
        twist = getattr(self.command, "twist", self.command)
        twist.linear.x, twist.angular.z = linear, angular
        if self.commands is None:
            publisher = self.publisher(type(self.command), "/cmd_vel")
            self.commands = self.graph.node.create_timer(0.02, lambda: publisher.publish(self.command))

    def publisher(self, message_type, topic):
        """The one publisher of a topic, which single messages use too: a second one would be a conflict."""
        publishers = self.graph.publishers
        if topic not in publishers:
            publishers[topic] = self.graph.node.create_publisher(message_type, topic, EDGE)
        return publishers[topic]

    def drives_again(self, what):
        """Sends a zero command, which must be all that is missing, and half speed ahead: it has to drive."""
        self.set_command(0.0)
        self.commands.reset()
        self.wait_for("OK")
        self.set_command(0.5)
        self.wait_for_motors(57, 57, f"{what}: it does not drive again")

    def restart_node(self):
        """Starts the node again after its end, while the publishers continue, and waits until it receives enable false."""
        start = now()
        self.process = self.begin()
        off = lambda: self.graph.publish("/hind/enable", Bool(data=False))  # noqa: E731
        is_off = lambda: self.graph.since("/hind/state_detail", start) and self.source("hind/enable").says == "false"  # noqa: E731
        self.wait(lambda: off() or is_off(), "the new one does not receive enable", 10.0)

    def fall_silent(self):
        """Sends no more commands; the publisher stays, so the graph does not change."""
        self.commands.cancel()

    def enable(self, on=True):
        if on:  # a rise needs a false before it
            self.graph.publish("/hind/enable", Bool(data=False))
        self.graph.publish("/hind/enable", Bool(data=on))

    def hold_enable(self, on=True, rate=10.0):
        """Repeats the level of enable from now on, as a switch with a lease does, with the publisher of `enable`."""
        self.graph.publish("/hind/enable", Bool(data=on))
        self.switch = Bool(data=on)
        publisher = self.graph.publishers["/hind/enable"]
        return self.graph.node.create_timer(1.0 / rate, lambda: publisher.publish(self.switch))

    def half_ahead(self):
        """From rest, with no cause of a stop, to half speed ahead; 33 of 66 counts."""
        self.start()
        self.set_command(0.5)
        self.wait_for_motors(57, 57, "half ahead")

    def stays_stopped(self, seconds, what):
        """Checks that both motors get only stop for `seconds` from now on."""
        start = now()
        time.sleep(seconds)
        for side in ("port", "starboard"):
            values = {message.data for message in self.graph.since(f"/motor/{side}", start)}
            assert values == {STOP}, f"{what}: {side} got {sorted(values)}, state {self.state}, causes {self.causes}"

    def stopped_after(self, start):
        """Waits until both motors got stop, and returns how long after `start` that was."""
        took = []
        for side in ("port", "starboard"):
            topic = f"/motor/{side}"
            self.wait(lambda topic=topic: any(m.data == STOP for m in self.graph.since(topic, start)), f"{side} does not stop")
            took.append(next(at for at, message in self.graph.messages[topic] if at >= start and message.data == STOP) - start)
        return max(took)

    def stopped_within(self, bound, start, what):
        """Checks that both motors got stop within `bound` seconds after `start`, by the wall clock; returns how long it took."""
        took = self.stopped_after(start)
        assert took < bound + SLACK, f"{what}: stopped after {took:.3f} s, must be within {bound:.3f} s; causes {self.causes}"
        return took

    def estop(self, pressed):
        """Presses or releases the e-stop, which repeats its state 20 times a second from now on."""
        if self.estop_timer is None:
            self.button = Bool(data=pressed)
            publisher = self.publisher(Bool, "/hind/estop")
            self.estop_timer = self.graph.node.create_timer(0.05, lambda: publisher.publish(self.button))
        self.button.data = pressed

    def fit_estop(self):
        """Connects an e-stop, which is released, and ends the emergency stop that begins with its first message."""
        self.estop(False)
        self.wait(lambda: "ESTOP_LATCHED" in self.causes, "the e-stop is not received")
        unlatch(self)

    def reset(self):
        for down in (False, True, False):
            self.graph.publish("/hind/reset", Bool(data=down))

    def wait_for_motors(self, port, starboard, what, timeout=5.0):
        """Waits until the motors have these values. A command that a busy machine lost is given once more, after a zero, as the vehicle demands."""
        given = Given(self)

        def reached():
            if self.motors == (port, starboard):
                return True
            if (port, starboard) != (STOP, STOP):
                given.give_again_if_lost()
            return False

        return self.wait(reached, lambda: f"{what}: motors must become {port}, {starboard}{given}", timeout)

    def wait_for(self, state, *causes, timeout=5.0):
        """Waits until the state is this one for exactly these causes."""
        return self.wait(
            lambda: self.state == state == self.detail.state and self.causes == set(causes),
            f"must become {state} with {sorted(causes)}",
            timeout,
        )

    def start(self, *causes):
        """Enables after a zero command; from then on the vehicle follows the commands of `set_command`, as far as `causes` allow."""
        self.set_command()
        self.enable(False)
        self.wait(lambda: self.state != "OK", "enable false does not stop")  # otherwise an earlier state would count as the new one
        is_ok = lambda: self.state == "OK"  # noqa: E731
        act_until(self.graph, lambda: self.enable(True), is_ok, lambda: f"enable does not start it: {self.causes}")
        self.wait_for("OK", *causes)

    def restart(self):
        """Leaves a latched stop whose cause is gone."""
        if self.estop_timer is not None:
            # A hindbrain that was just started latches with the first message.
            self.wait(lambda: self.detail and self.source("hind/estop").says == "released", "the e-stop is not received")
        unlatch(self)
        self.start()

    def was_received(self, name, since):
        """Whether hindbrain reports that it received `name` after the time `since` [s]."""
        if self.detail is None or self.source(name).age < 0.0:
            return False
        stamp = self.detail.header.stamp
        return stamp.sec + stamp.nanosec / 1e9 - self.source(name).age >= since - 0.001

    def wait_until_received(self, name, since):
        return self.wait(lambda: self.was_received(name, since), f"{name} is not received")

    def values(self, since):
        """All motor values that were published after the time `since` [s], of both sides."""
        return [m.data for side in ("port", "starboard") for m in self.graph.since(f"/motor/{side}", since)]


class Given:
    """A command that is waited for, and that is given once more if this process or hindbrain stood still meanwhile: the vehicle stops then, by
    its rules, until a zero comes. Nothing else gives it again."""

    def __init__(self, vehicle):
        self.vehicle, self.start, self.wall = vehicle, time.monotonic(), now()
        self.zero_until = self.command = None

    def __str__(self):
        return "" if self.zero_until is None else "; it was given again, since a process stood still"

    def is_lost(self):
        vehicle = self.vehicle
        if vehicle.commands is None or vehicle.commands.is_canceled() or vehicle.motors != (STOP, STOP):
            return False
        stamps = [at for at, _ in vehicle.graph.messages["/motor/port"] if at >= self.wall]
        return vehicle.graph.stood_still > self.start or any(b - a > STANDS_STILL for a, b in zip(stamps, stamps[1:]))

    def give_again_if_lost(self):
        if self.zero_until is None:
            if self.is_lost():
                twist = getattr(self.vehicle.command, "twist", self.vehicle.command)
                self.command = twist.linear.x, twist.angular.z
                self.zero_until = time.monotonic() + 0.3
                self.vehicle.set_command()
        elif self.command is not None and time.monotonic() > self.zero_until:
            self.vehicle.set_command(*self.command)
            self.command = None


def watch(graph, output=base.OUTPUT):
    """Keeps all messages of hindbrain, with the time of publishing."""
    base.see_motors(graph, graph.record, 2.0, output)
    graph.record(String, "/hind/state", LATCHED)
    graph.record(StateDetail, "/hind/state_detail", LATCHED)
    graph.record(Leds, "/hind/leds", LATCHED)


def steepest(received, slope):
    """The most counts by which the motor values of one side, with their times, grow beyond `slope` [counts/s] and one count.

    A value may have been computed up to a tick before it was published, and so may the next one.
    """
    worst = -1.0
    for distance in (1, 2, 10, 50):
        for (before, was), (after, value) in zip(received, received[distance:]):
            old, new = STOP - was.data, STOP - value.data
            # Away from zero: from zero, if the sign changed meanwhile.
            growth = abs(new) - abs(old) if old * new > 0 else abs(new)
            worst = max(worst, growth - 1.0 - slope * (max(after - before, 0.0) + 0.04))
    return worst


@contextlib.contextmanager
def known_participant():
    """A participant that is discovered in advance, so the time of discovery is not part of a bound."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("known", context=context)
    try:
        yield context
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


@contextlib.contextmanager
def second_publisher(message_type, topic, qos=EDGE, context=None, name="second"):
    """A publisher of a node `name`: in a participant of its own, like another program's, unless `context` is given.

    In a participant that is already discovered it is found at once, otherwise within about three seconds.
    """
    own = context is None
    if own:
        context = rclpy.Context()
        rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    try:
        yield node.create_publisher(message_type, topic, qos)
    finally:
        node.destroy_node()
        if own:
            rclpy.shutdown(context=context)


def conflicting_publisher(message_type, topic, qos=EDGE, context=None):
    """[`second_publisher`] of a node `conflicting`."""
    return second_publisher(message_type, topic, qos, context, name="conflicting")


def now():
    """The wall clock, by which messages are stamped [s]."""
    return time.time()


def hold(vehicle, seconds, meanwhile=lambda: None):
    """Holds hindbrain's process, all its threads, as on a starved or suspended computer; returns the beginning of the hold."""
    process = vehicle.process.process
    process.send_signal(signal.SIGSTOP)
    start = now()
    meanwhile()
    time.sleep(max(0.0, start + seconds - now()))
    process.send_signal(signal.SIGCONT)
    return start
