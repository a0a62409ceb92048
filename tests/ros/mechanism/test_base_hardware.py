"""The mechanism drives the simulator's vehicle by its two motors."""

import contextlib
import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, Graph
from mechanisms import arm
from nav_msgs.msg import Odometry
from paths import ROOT
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Int16

ONE = QoSProfile(depth=1)
CONFIG = ROOT / "config/base_simulator.yaml"
STOP = 90


def velocity(forward, turn):
    message = TwistStamped()
    message.twist.linear.x, message.twist.angular.z = forward, turn
    return message


@contextlib.contextmanager
def base(*arguments):
    simulator = Process("simulator", "--ros-args", "--params-file", str(CONFIG), "-p", "walls:=[-50.0, -50.0, 50.0, -50.0]")
    try:
        # A loaded machine delays the simulator.
        with arm("-p", "topics.timeout:=0.5", *arguments, file=CONFIG, urdf=ROOT / "config/urdf/base.urdf") as (graph, manager, process):
            for topic in ("motor/port", "motor/starboard"):
                graph.subscribe(Int16, topic, QoSProfile(depth=100))
            graph.subscribe(Odometry, "odom", ONE)
            graph.subscribe(Odometry, "diff_drive/odom", ONE)
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.subscribe(JointState, "motor_states", ONE)
            yield graph, manager, process
    finally:
        simulator.stop()


def forward(graph, topic="odom"):
    message = graph.last(topic)
    return message.twist.twist.linear.x if message else 0.0


def is_halted(graph):
    state = graph.last("motors_halted")
    return state is None or state.data


def test_motion_begins_with_a_zero_of_the_only_publisher():
    with base() as (graph, manager, process):
        graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=100))
        graph.wait(lambda: not is_halted(graph), lambda: process.output)
        assert "moves port_wheel (port_motor, " in process.output
        sentence = "joints without <safety_controller>: 'port_wheel', 'starboard_wheel': efforts beyond <limit> and those that lead further"
        assert sentence in process.output
        assert manager.load("diff_drive") and manager.switch(["diff_drive"]), process.output
        message = velocity(0.3, 0.0)
        graph.repeat("diff_drive/cmd_vel", message, 20.0)
        sentence = "controller 'diff_drive' waits for a zero on 'diff_drive/cmd_vel' before it moves"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        found = lambda: [s for m in graph.since("/diagnostics", 0.0) for s in m.status if s.name == "mechanism: Controller (diff_drive)"]  # noqa: E731
        graph.wait(lambda: any("waits for a zero" in one.message for one in found()), lambda: f"{found()}", 5.0)
        assert abs(forward(graph)) < 0.01 and process.output.count(sentence) == 1
        start_with_a_zero(graph, message)
        other = Graph()
        try:
            other.repeat("diff_drive/cmd_vel", velocity(0.3, 0.0), 20.0)
            reported = "controller 'diff_drive' is commanded by several nodes on 'diff_drive/cmd_vel', /observer and /observer: it stands until there is one"
            graph.wait(lambda: reported in process.output, lambda: process.output)
            graph.wait(lambda: abs(forward(graph)) < 0.01, lambda: f"{forward(graph)}: {process.output}", 3.0)
            graph.wait(lambda: any("several nodes command it" in one.message for one in found()), lambda: f"{found()}", 5.0)
        finally:
            other.close()
        start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 2.0, "never")
        assert abs(forward(graph)) < 0.01, "the one that is left has to send a zero"
        start_with_a_zero(graph, message)


def start_with_a_zero(graph, message):
    """Publishes a zero for half a second in place of `message`, and waits until that moves the vehicle."""
    wanted, message.twist = message.twist, velocity(0.0, 0.0).twist
    start = time.monotonic()
    graph.wait(lambda: time.monotonic() > start + 0.5, "never")
    message.twist = wanted
    graph.wait(lambda: forward(graph) > 0.2, lambda: f"{forward(graph)}", 5.0)


def drive(graph, manager, process, command):
    graph.wait(lambda: not is_halted(graph), lambda: process.output)
    assert manager.load("diff_drive") and manager.switch(["diff_drive"]), process.output
    message = velocity(0.0, 0.0)  # motion begins with a zero
    timer, start = graph.repeat("diff_drive/cmd_vel", message, 20.0), time.monotonic()
    graph.wait(lambda: time.monotonic() > start + 0.7, "never")
    message.twist = command.twist
    return timer


def test_the_vehicle_follows_a_velocity_and_its_odometry_agrees():
    with base() as (graph, manager, process):
        timer = drive(graph, manager, process, velocity(0.4, 0.2))
        graph.wait(lambda: abs(forward(graph) - 0.4) < 0.05, lambda: f"{forward(graph)}, {process.output}", 10.0)
        graph.wait(lambda: abs(graph.last("odom").twist.twist.angular.z - 0.2) < 0.08, "it does not turn")
        # Forward is the lower number; the curve goes to port.
        assert graph.last("motor/starboard").data < graph.last("motor/port").data < STOP
        assert list(graph.last("motor_states").name) == ["port_motor", "starboard_motor"]
        assert abs(forward(graph, "diff_drive/odom") - 0.4) < 0.1
        graph.stop_repeating(timer)
        graph.wait(lambda: abs(forward(graph)) < 0.01, lambda: f"it drives on: {forward(graph)}", 5.0)
        process.stop()
        assert [graph.last(f"motor/{side}").data for side in ("port", "starboard")] == [STOP, STOP]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_at_the_end_the_motors_are_sent_their_stop_and_then_nothing_else(end):
    with base("-p", "topics.rate:=1000.0") as (graph, manager, process):
        drive(graph, manager, process, velocity(0.4, 0.0))
        graph.wait(lambda: forward(graph) > 0.2, lambda: process.output, 10.0)
        start, before = time.monotonic(), len(process.lines)
        process.process.send_signal(end)
        assert process.wait() == 0, process.output
        graph.wait(lambda: time.monotonic() > start + 0.5, "never")
        for topic in ("motor/port", "motor/starboard"):
            values = [message.data for message in graph.since(topic, start)]
            assert STOP in values and set(values[values.index(STOP) :]) == {STOP}, values
        faults = [line for line in process.lines[before:] if any(word in line for word in ("WARN", "ERROR", "halted"))]
        assert not faults, faults


def test_a_second_publisher_of_the_motors_halts():
    with base() as (graph, manager, process):
        drive(graph, manager, process, velocity(0.4, 0.0))
        graph.wait(lambda: forward(graph) > 0.2, lambda: process.output, 10.0)
        second = graph.node.create_publisher(Int16, "motor/port", 10)
        graph.wait(lambda: "the motors are halted: 'motor/port' has 2 publishers, must have 1" in process.output, lambda: process.output)
        graph.wait(lambda: is_halted(graph) and graph.last("motor/port").data == STOP, "no stop", 2.0)
        graph.node.destroy_publisher(second)
        graph.wait(lambda: abs(forward(graph)) < 0.01, "it drives on", 5.0)


def test_the_simulator_stops_the_wheels_of_a_mechanism_that_is_killed():
    with base() as (graph, manager, process):
        drive(graph, manager, process, velocity(0.4, 0.0))
        graph.wait(lambda: forward(graph) > 0.2, lambda: process.output, 10.0)
        process.process.send_signal(signal.SIGKILL)
        process.is_over = True
        start = time.monotonic()
        graph.wait(lambda: forward(graph) < 0.01, "it drives on", 5.0)
        assert time.monotonic() - start < 3.0


def test_a_robot_with_other_actuators_is_refused():
    process = Process("mechanism", "--ros-args", "-p", f"robot_description:={ROOT / 'config/urdf/arm.urdf'}", "-p", "hardware:=base")
    assert process.wait() == 1
    sentence = "hardware is 'base': the robot's actuators are [pan_motor, tilt_motor], must be [port_motor, starboard_motor]"
    assert sentence in process.output, process.output
