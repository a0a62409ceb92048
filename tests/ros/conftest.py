"""Starts Steersman's executables and watches them over real DDS with rclpy, a client that shares no code with them."""

import contextlib
import fcntl
import os
import pathlib
import threading
import time

import pytest
import rclpy
from _pytest.runner import runtestprotocol
from diagnostic_msgs.msg import DiagnosticArray
from executor import QuickExecutor
from geometry_msgs.msg import TwistStamped
from luci_messages.msg import LuciZoneScaling
from or_joystick.msg import State
from processes import Process, stop_all
from rclpy._rclpy_pybind11 import InvalidHandle
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import Bool, Int16, String

HERE = pathlib.Path(__file__).parent
SEPARATE = ["hindbrain", "zone_scaler", "velocity_arbiter", "joystick"]
STOP = 90
# Added to a bound of docs/safety.md: transport, and a busy machine of two cores, more so with other tests beside this one.
SLACK = 0.15 if int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)) <= 2 else 0.3
# The share of all processors' time in use above which no other test begins.
MOST_BUSY = 0.6
# A thread of the test that woke up later than this [s] was no witness: less than any bound with its SLACK.
LATE = 0.1
# A failed test without a witness runs so often, for so many seconds in all.
RUNS, RUNS_WITHIN = 3, 40.0
# The time from full speed to zero with the ramps of stack.yaml [s].
BRAKES = 66 / 200

EDGE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.fixture(autouse=True)
def enough_time(request, tmp_path_factory):
    """Delays a test beside others while the machine is busy, 2 s at most, whatever the number of workers and its speed."""
    if "PYTEST_XDIST_WORKER" in os.environ and not request.node.get_closest_marker("starts_nothing"):
        with open(tmp_path_factory.getbasetemp().parent / "begins", "w") as begins:
            fcntl.flock(begins, fcntl.LOCK_EX)  # one after the other, or all would begin at once
            end = time.monotonic() + 2.0  # what keeps the machine busy may be no test, and may not end
            while busy() > MOST_BUSY and time.monotonic() < end:
                pass


def busy():
    """The share of all processors' time that was used during the next tenth of a second, except at a low priority."""

    def times():
        with open("/proc/stat") as file:
            return [int(word) for word in file.readline().split()[1:9]]

    before = times()
    time.sleep(0.1)
    spent = [after - first for first, after in zip(before, times())]
    return 1.0 - (spent[1] + spent[3] + spent[4]) / max(1, sum(spent))


class Witness(threading.Thread):
    """Measures how late a thread of this process wakes up at most: so late may be all that a test does and receives."""

    PERIOD = 0.02

    def __init__(self):
        super().__init__(daemon=True)
        self.late = 0.0

    def run(self):
        while True:
            due = time.monotonic() + self.PERIOD
            time.sleep(self.PERIOD)
            self.late = max(self.late, time.monotonic() - due)


witness = Witness()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """Runs a test. If it fails and the witness was late, the machine had no time for the test, which is not judged but runs again."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    end = time.monotonic() + RUNS_WITHIN
    for run in range(1, RUNS + 1):
        witness.late = 0.0
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        failed = [report for report in reports if report.failed]
        if failed:
            time.sleep(2 * Witness.PERIOD)  # it has seen the last of the test
        if not failed or witness.late < LATE:
            break
        sentence = f"in run {run} a thread of this test was {witness.late:.2f} s late: the machine is too busy"
        for report in failed:
            report.sections.append(("witness", sentence))
        item.warn(pytest.PytestWarning(f"{sentence}: {failed[0].longreprtext.splitlines()[-1]}"))
        if time.monotonic() > end:
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture(autouse=True)
def nothing_is_left():
    """Kills the processes that a failed test did not stop, since they would disturb later tests. One that has ended by itself fails it."""
    before = len(Process.begun)
    yield
    failures = []
    for process in Process.begun[before:]:
        try:
            process.check()
            if process.process.poll() is None:
                process.kill()
        except AssertionError as failure:
            failures.append(failure)
    if failures:
        raise failures[0]


def act_until(graph, act, condition, failure, timeout=5.0, every=1.0):
    """Acts, and again `every` so many seconds until `condition()` holds: on a busy machine a node may read an act too late, and refuses it."""
    acted = []

    def reached():
        if condition():
            return True
        if not acted or time.monotonic() - acted[-1] > every:
            acted.append(time.monotonic())
            act()
        return False

    graph.wait(reached, failure, timeout)


def unlatch(vehicle):
    """Presses reset until the emergency stop or the fault is no longer latched."""
    unlatched = lambda: vehicle.state != "ESTOP"  # noqa: E731
    act_until(vehicle.graph, vehicle.reset, unlatched, lambda: f"reset does not unlatch; state {vehicle.state}")


class Graph:
    """A ROS node that keeps the messages it receives and can wait for them."""

    def __init__(self):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        # Without services of its own, which every node under test would have to discover.
        self.node = rclpy.create_node("observer", context=self.context, enable_rosout=False, start_parameter_services=False)
        self.executor = QuickExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.repeated = {}
        self.messages = {}
        self.publishers = {}
        self.condition = threading.Condition()
        self.thread = threading.Thread(target=self._spin, daemon=True)
        self.closing = False
        self.thread.start()

    def _spin(self):
        while not self.closing:
            with contextlib.suppress(InvalidHandle):  # a timer's publisher that another thread destroys meanwhile
                self.executor.spin_once(timeout_sec=0.05)

    def close(self):
        self.closing = True
        self.thread.join()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)

    def between(self, act):
        """Calls `act` between two callbacks: rclpy's clients of actions do not expect an answer while they send. Returns its result."""
        task = self.executor.create_task(act)
        self.wait(task.done, "the callbacks do not end")
        return task.result()

    def subscribe(self, message_type, topic, qos=EDGE):
        self.messages[topic] = []

        def remember(message):
            with self.condition:
                self.messages[topic].append((time.monotonic(), message))
                self.condition.notify_all()

        self.node.create_subscription(message_type, topic, remember, qos)

    def record(self, message_type, topic, qos=EDGE):
        """Like `subscribe`, but with the time at which a message was published [s], by the wall clock of this machine."""
        self.messages[topic] = []

        def remember(message, info):
            with self.condition:
                self.messages[topic].append((info["source_timestamp"] / 1e9, message))
                self.condition.notify_all()

        self.node.create_subscription(message_type, topic, remember, qos)

    def publish(self, topic, message, qos=EDGE):
        """Publishes once, by the publisher that already repeats on the topic if there is one: a second publisher would be a conflict."""
        publisher = self.publishers.get(topic) or self._repeater(topic, message)
        if publisher is None:
            publisher = self.publishers[topic] = self.node.create_publisher(type(message), topic, qos)
        self.wait(lambda: publisher.get_subscription_count() > 0, f"no subscriber to {topic}")
        publisher.publish(message)

    def _repeater(self, topic, message):
        found = [p for p in self.repeated.values() if p.topic_name == topic and p.msg_type is type(message)]
        return found[0] if found else None

    def repeat(self, topic, message, rate):
        known = self.publishers.get(topic)
        if known is not None and known.msg_type is type(message):
            publisher = self.publishers.pop(topic)
        else:
            publisher = self.node.create_publisher(type(message), topic, EDGE)
        timer = self.node.create_timer(1.0 / rate, lambda: publisher.publish(message))
        self.repeated[timer] = publisher
        return timer

    def stop_repeating(self, timer):
        """Ends `repeat` and destroys its publisher."""
        self.node.destroy_timer(timer)
        self.node.destroy_publisher(self.repeated.pop(timer))

    def last(self, topic):
        return self.messages[topic][-1][1] if self.messages[topic] else None

    def since(self, topic, start):
        with self.condition:
            return [message for at, message in self.messages[topic] if at >= start]

    def wait(self, condition, failure, timeout=5.0):
        """Waits until `condition()` holds and returns how long it took; fails with the sentence `failure`."""
        start = time.monotonic()
        with self.condition:
            while not condition():
                left = start + timeout - time.monotonic()
                assert left > 0, f"{failure() if callable(failure) else failure} (waited {timeout} s)"
                self.condition.wait(min(left, 0.05))
        return time.monotonic() - start


class Stack:
    """The drive chain, in one process or in four, and the hand that drives it."""

    def __init__(self, composed, extra=(), executable="steersman"):
        self.graph = Graph()
        self.arguments = ["--ros-args", "--params-file", str(HERE / "stack.yaml"), *extra]
        self.executables = {"steersman": executable} if composed else {name: name for name in SEPARATE}
        self.processes = {}
        self.start(*self.executables)
        graph = self.graph
        for side in ("port", "starboard"):
            graph.subscribe(Int16, f"/motor/{side}")
        graph.subscribe(String, "/hind/state", LATCHED)
        graph.subscribe(TwistStamped, "/cmd_vel")
        self.hand = State()
        self.hand_timer = None
        self.scaling = free_zones()
        self.scaling_timer = graph.repeat("/luci/scaling", self.scaling, 20.0)

    def start(self, *names):
        """Starts these nodes, also again after their end; the test's publishers continue."""
        for name in names:
            self.processes[name] = Process(self.executables[name], *self.arguments)

    def close(self):
        try:
            stop_all(self.processes.values())
        finally:
            self.graph.close()

    def ready(self):
        self.graph.wait(lambda: self.graph.last("/motor/port") is not None, lambda: "no motor value came: " + self.output())
        self.stick(drive=False)  # the virtual device exists as long as its state is published
        self.graph.wait(
            lambda: self.graph.node.count_publishers("/joystick/device/Test_Pad") > 0,
            lambda: "the virtual device did not appear: " + self.output(),
        )
        if "hindbrain" in self.processes:
            # Separate nodes discover each other one by one; only then can a zero reach hindbrain, which needs one first.
            self.graph.subscribe(DiagnosticArray, "/diagnostics")
            self.graph.wait(
                lambda: self.received("hindbrain", "/cmd_vel") and self.received("zone_scaler", "/cmd_vel_arbitrated"),
                lambda: "the nodes did not find each other: " + self.output(),
                10.0,
            )
        return self

    def received(self, node, topic):
        """The number of messages on `topic` that `node` reports."""
        statuses = [status for message in self.graph.since("/diagnostics", 0.0) for status in message.status]
        values = [value.value for status in statuses if status.name == node for value in status.values if value.key == f"{topic} received"]
        return int(values[-1]) if values else 0

    def output(self):
        return "\n".join(f"--- {p.name}\n{p.output}" for p in self.processes.values())

    def stick(self, forward=0.0, left=0.0, drive=True):
        """The stick's position, -1 to 1, with the dead-man button pressed if `drive`."""
        axes = [0] * 6
        axes[0], axes[1] = int(-32767 * left), int(-32767 * forward)
        buttons = [False] * 11
        buttons[5] = drive
        self._hold(State(axes=axes, buttons=buttons))

    def unplug(self):
        self._hold(State())

    def _hold(self, state):
        """Holds the stick there: a device that is silent for 0.5 s counts as unplugged."""
        self.hand.axes, self.hand.buttons = state.axes, state.buttons
        self.graph.publish("/joystick/virtual_device", state)
        if self.hand_timer is None:
            self.hand_timer = self.graph.repeat("/joystick/virtual_device", self.hand, 20.0)

    def enable(self, on=True):
        if on:  # a rise needs a false before it
            self.graph.publish("/hind/enable", Bool(data=False))
        self.graph.publish("/hind/enable", Bool(data=on))

    def reset(self):
        for down in (True, False):
            self.graph.publish("/hind/reset", Bool(data=down))

    def unlatch(self):
        unlatch(self)

    @property
    def motors(self):
        port, starboard = self.graph.last("/motor/port"), self.graph.last("/motor/starboard")
        return (port.data, starboard.data) if port and starboard else None

    @property
    def state(self):
        message = self.graph.last("/hind/state")
        return message.data if message else None

    def wait_for_motors(self, condition, what, timeout=3.0):
        return self.graph.wait(
            lambda: self.motors and condition(*self.motors), lambda: f"{what}; motors are {self.motors}, {self.state}", timeout
        )

    def wait_for_stop(self, what, timeout=1.5):
        return self.wait_for_motors(lambda port, starboard: port == starboard == STOP, f"motors did not stop: {what}", timeout)

    def stopped_within(self, bound, start, what):
        """Both motors get stop within `bound` seconds after `start`, by the monotonic clock."""
        took = 0.0
        for side in ("port", "starboard"):
            stops = lambda: [at for at, message in self.graph.messages[f"/motor/{side}"] if at >= start and message.data == STOP]  # noqa: B023
            self.graph.wait(stops, lambda: f"{what}: {side} does not stop: {self.motors}, {self.state}", bound + 2.0)
            took = max(took, stops()[0] - start)
        assert took < bound + SLACK, f"{what}: stopped after {took:.3f} s, must be within {bound:.3f} s"
        return took

    def wait_for_state(self, state, timeout=3.0):
        return self.graph.wait(lambda: self.state == state, lambda: f"state is {self.state}, must become {state}", timeout)

    def wait_for_rest(self):
        """Waits until the command has been zero for two ticks of hindbrain, which needs that before anything moves."""
        start = time.monotonic()

        def rests():
            commands = self.graph.since("/cmd_vel", start)
            return commands and abs(commands[-1].twist.linear.x) < 0.004 and commands[-1].header.frame_id != "withheld"

        self.graph.wait(rests, "the command does not come to rest")
        time.sleep(0.05)

    def drive_forward(self):
        """From rest to full speed ahead: enable, a neutral stick first, then forward."""
        self.drives_again("enable, and a neutral stick", lambda: self.enable(True))

    def drives_again(self, what="a neutral stick", act=lambda: None):
        """Does `act`, releases stick and button and pushes them: the vehicle has to drive.

        Twice if needed: separate nodes discover each other one by one, and hindbrain must have received the neutral stick.
        """
        for last in (False, True):
            act()
            self.stick(0.0, drive=False)
            self.stick(0.0)
            try:
                self.wait_for_state("OK")
                self.wait_for_rest()
                self.stick(1.0)
                self.wait_for_motors(lambda port, starboard: port < 60 and starboard < 60, f"{what}: it does not drive forward")
                return
            except AssertionError:
                if last:
                    raise

    def stays_stopped(self, seconds, what):
        start = time.monotonic()
        time.sleep(seconds)
        for side in ("port", "starboard"):
            values = {message.data for message in self.graph.since(f"/motor/{side}", start)}
            assert values == {STOP}, f"{what}: {side} got {sorted(values)}"


def free_zones():
    return LuciZoneScaling(**{field: 1.0 for field in LuciZoneScaling.get_fields_and_field_types()})


def pytest_configure(config):
    config.addinivalue_line("markers", "few: only a few other tests may run at the same time")
    config.addinivalue_line("markers", "pair: measures, or needs a processor for itself: only one other test may run at the same time")
    config.addinivalue_line("markers", "fault(row, ...): shows these rows of docs/safety.md, named by their anchors; checked by tests/safety.rs")
    config.addinivalue_line("markers", "starts_nothing: starts no process, and needs no time of the machine")
    worker = os.environ.get("PYTEST_XDIST_WORKER")  # gw0, gw1, ...
    if worker:
        domain = os.environ["WORKER_DOMAINS"].split()[int(worker.removeprefix("gw"))]
        os.environ["ROS_DOMAIN_ID"] = os.environ["STEERSMAN_DOMAIN"] = domain


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Lets each worker begin with one of the longest of the few tests, which are the last: a worker gets tests in sequence. Gives each
    test's reports the rows of docs/safety.md that it shows."""
    for item in items:
        item.user_properties.append(("faults", sorted({row for mark in item.iter_markers("fault") for row in mark.args})))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    if config.option.markexpr == "few":
        last_first = items[::-1]
        items[:] = [item for worker in range(workers) for item in last_first[worker::workers]]


def pytest_runtest_logreport(report):
    """Records how each test ended and the rows of docs/safety.md that it shows, for `tests/safety.rs`; a line that follows corrects an
    earlier one of the same test."""
    is_worker = "PYTEST_XDIST_WORKER" in os.environ  # its reports are also those of the process that began it
    if "OUTCOMES" in os.environ and not is_worker and (report.when == "call" or not report.passed):
        with open(os.environ["OUTCOMES"], "a") as outcomes:
            faults = dict(report.user_properties).get("faults", [])
            outcomes.write(f"{report.outcome}\t{report.nodeid}\t{' '.join(faults)}\n")


def pytest_sessionstart(session):
    """The tests enable and drive any vehicle in the graph, so they do not start without a domain of their own."""
    witness.start()
    environment = os.environ
    if not environment.get("AMENT_PREFIX_PATH"):
        pytest.exit("no ROS 2 here; run the tests by `cargo xtask test`, some by `cargo xtask test --only`", returncode=4)
    if not environment.get("STEERSMAN_DOMAIN") or environment.get("ROS_DOMAIN_ID") != environment["STEERSMAN_DOMAIN"]:
        pytest.exit("no ROS domain of their own (ROS_DOMAIN_ID and STEERSMAN_DOMAIN); run the tests by `cargo xtask test`, some by `cargo xtask test --only`", returncode=4)


@pytest.fixture(params=["composed", "separate"])
def stack(request):
    stack = Stack(composed=request.param == "composed")
    try:
        yield stack.ready()
    finally:
        stack.close()


@pytest.fixture
def separate():
    stack = Stack(composed=False)
    try:
        yield stack.ready()
    finally:
        stack.close()


@pytest.fixture
def graph():
    graph = Graph()
    yield graph
    graph.close()
