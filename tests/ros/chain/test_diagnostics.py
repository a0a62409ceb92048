"""`/diagnostics` of parked robots, as `config/analyzers.yaml` lets diagnostic_aggregator see them: it is in no registry, so its rules are here."""

import re
import time

import pytest
import shown
import yaml
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from graph import Graph, act_until
from paths import ROOT
from processes import Process
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool

pytestmark = pytest.mark.few
OK, WARN, ERROR, STALE = (level[0] for level in (DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR, DiagnosticStatus.STALE))
# What Rust's Debug would write, and no sentence does.
DEBUG = re.compile(r"\b(Some|Ok|Err)\(|\bNone\b|::|\b[A-Z]\w* \{|\bNaN\b")


def analyzer():
    parameters = yaml.safe_load((ROOT / "config" / "analyzers.yaml").read_text())["analyzers"]["ros__parameters"]
    (group,) = (value for value in parameters.values() if isinstance(value, dict))
    assert (parameters["path"], group["type"], group["path"]) == ("Robot", "diagnostic_aggregator/GenericAnalyzer", "Steersman")
    assert set(group) == {"type", "path", "timeout", "regex"} and isinstance(group["timeout"], float)
    return group


class Aggregator:
    """GenericAnalyzer and its base in diagnostic_aggregator 4.0.0: the newest status of each name, and the level of the group."""

    def __init__(self, graph):
        self.graph, self.start = graph, time.monotonic()
        graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=1000))

    def statuses(self):
        messages = self.graph.since("/diagnostics", self.start)
        return {status.name: status for message in messages for status in message.status}

    def level(self):
        levels = [status.level[0] for status in self.statuses().values()]
        if all(level == STALE for level in levels):
            return STALE
        return ERROR if STALE in levels else max(levels)

    def words(self):
        return [f"{name} {status.level[0]}: {status.message}" for name, status in sorted(self.statuses().items())]


def check(aggregator):
    patterns = analyzer()["regex"]
    for name, status in aggregator.statuses().items():
        assert sum(bool(re.fullmatch(pattern, name)) for pattern in patterns) == 1, f"'{name}' is in no group, or in two"
        assert status.level[0] != STALE, f"{name}: {status.message}"
        assert status.hardware_id and status.message == status.message.strip(), name
        for text in [status.message, *(word for value in status.values for word in (value.key, value.value))]:
            assert not DEBUG.search(text), f"{name}: {text}"


# The nodes of a parked robot, and what a person has to do about it: nothing.
PARKED = {
    "drive": {"joystick", "velocity_arbiter", "zone_scaler", "surround", "hindbrain", "simulator", "marker_publisher"},
    "chair": {"joystick", "velocity_arbiter", "zone_scaler", "chair", "interface", "simulator", "marker_publisher"},
    "arm": {"mechanism", "mechanism: Joint (pan)", "mechanism: Joint (tilt)", "mechanism: Controller: No controllers loaded in controller manager", "marker_publisher"},
    "hand": {"haptix", "marker_publisher"},
}


@pytest.mark.parametrize("name", PARKED)
def test_a_parked_robot_is_ok(name):
    with shown.shown_robot(name) as robot:
        aggregator = Aggregator(robot.graph)
        if name in ("drive", "chair"):
            robot.begin_with_stick()
        if name == "drive":
            # Its e-stop was never released before: a person resets it.
            state = lambda: robot.graph.last("/hind/state").data if robot.graph.last("/hind/state") else ""  # noqa: E731

            def reset():
                for down in (False, True, False):
                    robot.graph.publish("/hind/reset", Bool(data=down))

            act_until(robot.graph, reset, lambda: state().startswith("SSTOP"), lambda: f"{state()}\n{robot.output()}", 10.0)
        robot.wait(lambda: set(aggregator.statuses()) == PARKED[name], lambda: f"{sorted(aggregator.statuses())}")
        robot.wait(lambda: aggregator.level() == OK, lambda: f"{aggregator.words()}")
        time.sleep(2.5)
        assert aggregator.level() == OK, aggregator.words()
        check(aggregator)
        hardware = {node: status.hardware_id for node, status in aggregator.statuses().items()}
        if name == "hand":
            assert hardware["haptix"].startswith("Modular Prosthetic Limb")
        if name == "drive":
            assert (hardware["joystick"], hardware["hindbrain"]) == ("Test_Pad", "none")
            # Without its pad a robot that navigation drives needs nobody either: a warning is the most.
            robot.hand.axes, robot.hand.buttons = [], []
            robot.wait(lambda: aggregator.statuses()["joystick"].level[0] == WARN, lambda: f"{aggregator.words()}")
            assert aggregator.level() == WARN, aggregator.words()
            # Its e-stop is pressed by a person, which is no error.
            robot.graph.repeat("/simulator/estop_button", Bool(data=True), 10.0)
            robot.wait(lambda: "ESTOP: the e-stop is pressed" in aggregator.statuses()["hindbrain"].message, lambda: f"{aggregator.words()}")
            assert aggregator.level() == WARN, aggregator.words()
            check(aggregator)


# Each node by which one alone may drive a base: its topic and the type, and its arguments.
STAGES = {
    "velocity_arbiter": ("/cmd_vel_arbitrated", TwistStamped, ()),
    "zone_scaler": ("/cmd_vel", TwistStamped, ()),
    "hindbrain": ("/hind/cmd_vel", Twist, ("-p", "output:=twist")),
}


@pytest.mark.parametrize("node", STAGES)
def test_a_command_that_nobody_obeys_is_a_warning(node):
    topic, message_type, arguments = STAGES[node]
    graph, deaf = Graph(), Graph()
    process = Process(node, "--ros-args", *arguments)
    try:
        aggregator = Aggregator(graph)
        sentence = f"nobody subscribes to '{topic}', so nothing moves"
        status = lambda: aggregator.statuses().get(node)  # noqa: E731
        graph.wait(lambda: status() and status().level[0] >= WARN and sentence in status().message, lambda: f"{aggregator.words()}", 10.0)
        # Another type obeys nothing either.
        deaf.subscribe(TwistStamped if message_type is Twist else Twist, topic)
        start = aggregator.start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 1.5 and status() and sentence in status().message, lambda: f"{aggregator.words()}")
        graph.subscribe(message_type, topic)
        graph.wait(lambda: sentence not in status().message, lambda: f"{aggregator.words()}")
    finally:
        process.stop()
        graph.close()
        deaf.close()
