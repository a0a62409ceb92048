"""`/rosout`: what is on the console of a node is there too, by the name of its logger, and publishing it delays no stop."""

import re
import shutil
import signal
import subprocess
import sys

import pytest
from graph import Graph
from hangs import hung, threads
from processes import Process, panicking
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Bool
from vehicle import Vehicle, now

LINE = re.compile(r"\[(\w+)\] \[(\d+\.\d+)\] \[(.+?)\]: (.*)")
DEBUG, INFO, WARN, ERROR = 10, 20, 30, 40
LEVELS = {"DEBUG": DEBUG, "INFO": INFO, "WARN": WARN, "ERROR": ERROR}
# As deep as the publishers, so that it receives all that they keep.
LATE = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
DRIVES = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"]


def printed(process):
    """The lines on the console: level, time, name, text."""
    found = [LINE.fullmatch(line) for line in list(process.lines)]
    return [(LEVELS[line[1]], float(line[2]), line[3], line[4]) for line in found if line]


def published(graph, names):
    """The same of what the nodes with these loggers published."""
    messages = [message for _, message in list(graph.messages["/rosout"]) if message.name in names]
    return [(m.level, m.stamp.sec + m.stamp.nanosec / 1e9, m.name, m.msg) for m in messages]


def by_text(line):
    level, _, name, text = line
    return name, text, level


@pytest.mark.parametrize(
    ("executable", "arguments", "names", "least"),
    [
        ("hindbrain", ["--log-level", "rosout1:=debug", "-r", "__ns:=/rosout1/left", "-r", "__node:=brain"], ["rosout1.left.brain"], INFO),
        ("hindbrain", ["--log-level", "error", "--log-level", "rosout2:=warn", "-r", "__ns:=/rosout2"], ["rosout2.hindbrain"], WARN),
        ("luci_chair", [], ["interface"], INFO),
        ("steersman", ["-r", "__ns:=/rosout3"], [f"rosout3.{node}" for node in DRIVES], INFO),
    ],
)
def test_the_log_is_on_rosout_also_for_a_late_subscriber(graph, executable, arguments, names, least):
    graph.subscribe(Log, "/rosout", LATE)
    # It warns, since nothing publishes '/clock'.
    process = Process(executable, "--ros-args", "-p", "use_sim_time:=true", *arguments)
    try:
        both = lambda: (sorted(printed(process), key=by_text), sorted(published(graph, names), key=by_text))  # noqa: E731
        equal = lambda lines, others: [*map(by_text, lines)] == [*map(by_text, others)]  # noqa: E731
        levels = lambda: {level for level, *_ in published(graph, names)}  # noqa: E731
        differ = lambda: "on the console and on /rosout:\n{}\n{}".format(*both())  # noqa: E731
        graph.wait(lambda: levels() >= {least, WARN} and equal(*both()), differ, 10.0)
        lines, found = both()[0], {name for _, _, name, _ in printed(process)}
        assert min(lines)[0] == least
        assert found == set(names) or len(found) > 1 and found < set(names), f"lines of {found}"
        for (_, at, name, text), (_, stamp, _, _) in zip(*both()):
            assert abs(at - stamp) < 0.5, f"{name}: '{text}' at {at} on the console, {stamp} on /rosout"
        late = Graph()
        try:
            late.subscribe(Log, "/rosout", LATE)
            late.wait(lambda: published(late, names), "the last ten seconds do not come")
            assert set(published(late, names)) <= set(published(graph, names))
        finally:
            late.close()
        message = graph.last("/rosout")
        assert message.file.endswith(".rs") and message.function and message.line > 0
    finally:
        process.stop()


def test_a_node_without_rosout_logs_has_the_console_alone(graph):
    graph.subscribe(Log, "/rosout", LATE)
    process = Process("hindbrain", "--ros-args", "--disable-rosout-logs", "-r", "__ns:=/rosout4")
    try:
        known = lambda: ("hindbrain", "/rosout4") in graph.node.get_node_names_and_namespaces()  # noqa: E731
        graph.wait(lambda: printed(process) and known(), "it does not start", 10.0)
        topics = lambda: dict(graph.node.get_publisher_names_and_types_by_node("hindbrain", "/rosout4"))  # noqa: E731
        graph.wait(lambda: "/rosout4/hind/state" in topics(), "its topics are not known")
        assert {name for _, _, name, _ in printed(process)} == {"rosout4.hindbrain"}
        assert "/rosout" not in topics() and not published(graph, ["rosout4.hindbrain"])
    finally:
        process.stop()


def test_a_panic_is_on_rosout():
    with Vehicle(executable=panicking("hindbrain")) as vehicle:
        vehicle.graph.subscribe(Log, "/rosout", LATE)
        vehicle.graph.publish("/hindbrain/panic", Bool(data=True))
        assert vehicle.process.wait() == 1
        sentence = "thread 'main' panicked at "
        panics = lambda: [line for line in published(vehicle.graph, ["hindbrain"]) if line[3].startswith(sentence)]  # noqa: E731
        vehicle.graph.wait(panics, lambda: f"it is not on /rosout: {published(vehicle.graph, ['hindbrain'])}")
        assert panics()[0][0] == ERROR and panics()[0][3] in vehicle.process.lines


READER = """
import rclpy
from rcl_interfaces.msg import Log
rclpy.init()
node = rclpy.create_node("reader")
node.create_subscription(Log, "/rosout", lambda message: print(message.msg, flush=True), 1000)
rclpy.spin(node)
"""


def stops_at_once(vehicle):
    start = now()
    vehicle.estop(True)
    vehicle.stopped_within(0.05, start, "the e-stop, which repeats every 0.05 s")
    vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED")
    vehicle.estop(False)
    vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
    vehicle.restart()
    vehicle.drives_again("the e-stop is released and reset")


def test_a_storm_delays_no_stop_while_a_reader_stalls_or_publishing_hangs(monkeypatch, tmp_path):
    monkeypatch.setenv("FAULT", "storm")
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    written = lambda: sum(file.stat().st_size for file in tmp_path.iterdir())  # noqa: E731
    reader = subprocess.Popen([sys.executable, "-c", READER], stdout=subprocess.PIPE, text=True)
    receives = lambda part: any(part in line for line in reader.stdout)  # noqa: E731
    try:
        with Vehicle(executable=panicking("hindbrain"), output="/dev/null") as vehicle:
            vehicle.half_ahead()
            vehicle.graph.publish("/hindbrain/panic", Bool(data=True))
            assert receives("of the storm") and receives("lines of the log were dropped, '/rosout' did not take them")
            reader.send_signal(signal.SIGSTOP)
            for _ in range(3):
                stops_at_once(vehicle)
            with hung(*threads(vehicle.process, "rosout")):
                for _ in range(3):
                    before = written()
                    stops_at_once(vehicle)
                    assert written() > before, "the console waits for '/rosout'"
            reader.send_signal(signal.SIGCONT)
            assert receives("of the storm")
    finally:
        reader.kill()
        reader.wait()
        shutil.rmtree(tmp_path)
