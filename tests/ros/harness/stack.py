"""The drive chain in one process or in four, with a hand that drives it."""

import time

import base
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, SLACK, STOP, Graph, free_zones, unlatch
from or_joystick.msg import State
from paths import HARNESS
from processes import Process, stop_all
from std_msgs.msg import Bool, String

SEPARATE = ["hindbrain", "zone_scaler", "velocity_arbiter", "joystick"]
# The time from full speed to zero with the ramps of stack.yaml [s].
BRAKES = 66 / 200


class Stack:
    """The drive chain, in one process or in four, and the hand that drives it."""

    def __init__(self, composed, extra=(), executable="steersman"):
        self.graph = Graph()
        self.arguments = ["--ros-args", "--params-file", str(HARNESS / "stack.yaml"), *base.arguments("hindbrain:"), *extra]
        self.executables = {"steersman": executable} if composed else {name: name for name in SEPARATE}
        self.processes = {}
        self.start(*self.executables)
        graph = self.graph
        base.see_motors(graph, graph.subscribe, 4 / 3)
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
        for down in (False, True, False):
            self.graph.publish("/hind/reset", Bool(data=down))

    def unlatch(self):
        unlatch(self)

    def fit_estop(self):
        """Connects an e-stop, which is released, and ends the emergency stop that begins with its first message; returns what is repeated."""
        estop = Bool(data=False)
        timer = self.graph.repeat("/hind/estop", estop, 20.0)
        self.wait_for_state("ESTOP")
        self.unlatch()
        return estop, timer

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


def navigation_drives_again(stack, command):
    """Navigation, which repeats `command`, commands zero and then half speed."""
    command.twist.linear.x, command.twist.angular.z = 0.0, 0.0
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "navigation does not drive after a zero")
