"""Executables with mocked gamepads, and the node `joystick` that they drive."""

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time

import pytest
from graph import LATCHED
from joysticks import Joystick
from or_joystick.msg import State
from or_pose_estimator.msg import State as PoseState
from paths import HARNESS
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool

JOY, CONNECTED, DESIRED = "/joy", "/joystick/connected", "/joystick/desired"
XBOX = "Xbox_360_Controller"  # SDL's name for "Microsoft X-Box 360 pad"
AT_REST = [0, 0, -32768, 0, 0, -32768, 0, 0]  # two triggers; the hat is the last two
LET_GO = [0, 0, 1, 0, 0, 1, 0, 0]  # the same on joy, where left and up are positive
DEAD_MAN, AHEAD = 5, 1
EVERYTHING = QoSProfile(depth=1000)


def skip_without_umockdev(**how):
    """Skips a test where no gamepad can be mocked, or with `allow_module_level=True` the tests of a file; in CI they fail."""
    if not shutil.which("umockdev-wrapper"):
        why = "umockdev mocks the gamepads and is not installed (on Debian: apt-get install umockdev)"
        if os.environ.get("CI") == "true":
            pytest.fail(why, pytrace=False)
        pytest.skip(why, **how)


class Mocked(Process):
    """An executable with mocked pads; see `mock_pad.py`."""

    def __init__(self, name, *arguments):
        path = shutil.which(name)
        assert path, f"executable '{name}' is not on the PATH; run the tests by `cargo xtask test`"
        self.name, self.is_over, self.lines, self.answers = name, False, [], queue.SimpleQueue()
        harness = HARNESS / "mock_pad.py"
        self.process = subprocess.Popen(
            ["umockdev-wrapper", sys.executable, harness, path, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Without udev's own file the node would read /dev/input itself, which is not mocked.
            env=os.environ | {"SDL_JOYSTICK_DISABLE_UDEV": "0"},
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        threading.Thread(target=self._read_answers, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip())

    def _read_answers(self):
        for line in self.process.stdout:
            self.answers.put(line)

    def do(self, what, **fields):
        """Carries out a command of `mock_pad.py` and returns its answer."""
        self.process.stdin.write(json.dumps({"do": what} | fields) + "\n")
        self.process.stdin.flush()
        try:
            answer = json.loads(self.answers.get(timeout=20.0))
        except queue.Empty:
            raise AssertionError(f"no answer to '{what}':\n{self.output}") from None
        assert "error" not in answer, answer["error"]
        return answer

    def act(self, event=7, **batch):
        self.do("act", event=event, batches=[batch])


class Node(Joystick):
    """The node with a stick that drives ahead while button 5 is pressed."""

    def __init__(self, graph, *parameters):
        self.graph, self.clients, self.topics = graph, {}, {}
        parameters = ["linear.x.axis:=1", "linear.x.scale:=-1.0", "enable.on:=5", *parameters]
        arguments = (part for parameter in parameters for part in ("-p", parameter))
        self.process = Mocked("joystick", "--ros-args", *arguments)
        self.do = self.process.do
        self.act = self.process.act
        graph.record(PoseState, DESIRED, EVERYTHING)
        graph.record(Joy, JOY, EVERYTHING)
        graph.record(Bool, CONNECTED, LATCHED)

    def start(self):
        self.do("start")
        self.graph.wait(lambda: self.graph.last(CONNECTED), lambda: f"the node is silent:\n{self.process.output}", 10.0)
        there = lambda: all(self.graph.node.count_publishers(topic) for topic in (JOY, DESIRED))
        self.graph.wait(there, "the node's topics are not found")
        return self

    def plug(self, event=7, name=XBOX, pad="xbox", **fields):
        """Plugs a pad in, and subscribes to its topic."""
        self.do("plug", event=event, pad=pad, **fields)
        self.wait_for_topic(name)
        self.topics[event] = self.subscribe(name)
        return self.topics[event]

    def subscribe(self, name):
        """Subscribes, and waits for the device's state."""
        topic = f"/joystick/device/{name}"
        if topic not in self.graph.messages:
            self.graph.record(State, topic, LATCHED)
        self.graph.wait(lambda: self.graph.last(topic), lambda: f"{topic} is silent:\n{self.process.output}", 10.0)
        return topic

    def wait(self, topic, condition, failure):
        last = lambda: self.graph.last(topic)
        self.graph.wait(lambda: last() and condition(last()), lambda: f"{failure}; last: {last()}\n{self.process.output}")
        return last()

    def drives(self, event=7):
        """Presses the dead-man button and pushes the stick, and waits until that drives."""
        self.act(event, buttons={DEAD_MAN: 1}, axes={AHEAD: -32768})
        return self.wait(DESIRED, lambda desired: vx(desired) > 0.5, "the stick does not drive")

    def lets_go(self, event=7):
        """Releases the stick and waits until the node has received it: SDL misses a change that is undone within one poll."""
        self.act(event, buttons={DEAD_MAN: 0}, axes={AHEAD: 0})
        let_go = lambda state: not state.axes[AHEAD] and not state.buttons[DEAD_MAN]
        self.wait(self.topics[event], let_go, "the stick is not seen at rest")
        if self.graph.last(DESIRED):
            self.wait(DESIRED, lambda desired: vx(desired) == 0.0, "the stick does not stop")

    def stays_still(self, seconds, why):
        start = time.time()
        time.sleep(seconds)
        assert [vx(desired) for desired in self.graph.since(DESIRED, start) if vx(desired)] == [], why


@contextlib.contextmanager
def running(graph, *parameters):
    """The node until it is no longer needed; not started yet."""
    node = Node(graph, *parameters)
    try:
        yield node
    finally:
        node.process.stop()
    assert node.process.wait() == 0, node.process.output


def vx(desired):
    return desired.vel[0].vx if desired.vel else 0.0


def motion(desired):
    """All numbers: twelve, or six after a release."""
    parts = [part[0] for part in (desired.vel, desired.avel, desired.acc, desired.aacc) if part]
    return [getattr(part, field) for part in parts for field in part.get_fields_and_field_types()]
