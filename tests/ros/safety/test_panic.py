"""A node panics while the vehicle drives at full speed: the last motor values, and the end of the process."""

import contextlib
import os
import signal
import time

import pytest
from graph import SLACK, STOP
from or_pose_estimator.msg import State as PoseState
from processes import panicking
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile
from stack import SEPARATE, Stack
from std_msgs.msg import Bool
from vehicle import Vehicle, now, watch

# From the message that triggers the panic to the first stop.
STOPS_WITHIN = SLACK
# The last messages have 0.1 s to leave; then the nodes end, a second each at most, and hanging threads are ended after 2 s.
ENDS_WITHIN = 3.0
# See crates/nodes/examples/fault.
FAULTS = ["once", "always", "publish", "hang", "thread", "supervisor"]
# The supervising thread sleeps until a hang would be too long, and panics then.
BEGINS_WITHIN = {"supervisor": 0.5}
# The unwinding of a panic panics, and the process is aborted.
ABORTED = -signal.SIGABRT


def ends_at_stop(graph, process, node, code=1, begins_within=0.0):
    """Lets `node` panic: both motors get stop in time and nothing else after it, and the process fails."""
    graph.publish(f"/{node}/panic", Bool(data=False))
    start = now()
    graph.publish(f"/{node}/panic", Bool(data=True))
    assert process.wait(ENDS_WITHIN) == code, process.output
    time.sleep(0.3)  # published messages have arrived
    for side in ("port", "starboard"):
        values = [(at - start, message.data) for at, message in graph.messages[f"/motor/{side}"] if at >= start]
        assert values and values[-1][1] == STOP, f"{side} keeps {values[-5:]}:\n{process.output}"
        first = next(at for at, value in values if value == STOP)
        assert {value for at, value in values if at >= first} == {STOP}, f"{side} moves on: {values}"
        assert first < begins_within + STOPS_WITHIN, f"{side} is stopped after {first:.3f} s"
        if code != ABORTED:
            assert len([at for at, value in values if value == STOP]) >= 4, f"the stop is not repeated: {values}"


def says_why(process, sentence="the reason is printed above"):
    for text in ("the injected panic", sentence):
        assert text in process.output, process.output


def at_full_speed(vehicle):
    vehicle.start()
    vehicle.set_command(1.0)
    vehicle.wait_for_motors(24, 24, "full ahead")
    return vehicle


@pytest.mark.fault("panic")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_panic_of_hindbrain_leaves_the_motors_at_stop(monkeypatch, fault):
    monkeypatch.setenv("FAULT", fault)
    with Vehicle(executable=panicking("hindbrain")) as vehicle:
        at_full_speed(vehicle)
        ends_at_stop(vehicle.graph, vehicle.process, "hindbrain", begins_within=BEGINS_WITHIN.get(fault, 0.0))
        says_why(vehicle.process)
        assert vehicle.state == "ESTOP", "the memory of a node that panicked is not trusted"
        vehicle.restart_node()
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "it was started again, and a zero came")
        vehicle.half_ahead()


@pytest.mark.fault("signal")
@pytest.mark.parametrize("ends", ["panic", "SIGTERM"])
def test_the_last_state_in_an_emergency_stop_is_that_stop(ends):
    with Vehicle(executable=panicking("hindbrain")) as vehicle:
        vehicle.half_ahead()
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED")
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.process.stop() if ends == "SIGTERM" else ends_at_stop(vehicle.graph, vehicle.process, "hindbrain")
        assert vehicle.state == "ESTOP", "it was not reset"


@pytest.mark.fault("panic", "signal", "hindbrain-killed", "estop-first")
@pytest.mark.parametrize("required", [False, True])
@pytest.mark.parametrize("ends", ["panic", "SIGTERM", "SIGKILL"])
def test_no_end_of_hindbrain_is_the_reset_of_an_emergency_stop(ends, required):
    """The button is released before the end: without its reset the next hindbrain stays in an emergency stop."""
    with Vehicle({"estop.required": required}, executable=panicking("hindbrain")) as vehicle:
        vehicle.fit_estop()
        vehicle.restart()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED")
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        if ends == "SIGKILL":
            vehicle.process.kill()
        else:
            vehicle.process.stop() if ends == "SIGTERM" else ends_at_stop(vehicle.graph, vehicle.process, "hindbrain")
        vehicle.restart_node()
        vehicle.enable()
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "enable and a zero, without a reset")
        assert vehicle.state == "ESTOP"
        vehicle.restart()
        vehicle.drives_again("reset, enable and a zero")


@pytest.mark.parametrize("output", ["closed", "/dev/full"])
def test_a_panic_that_cannot_be_printed_leaves_the_motors_at_stop(output):
    with Vehicle(executable=panicking("hindbrain"), output=output) as vehicle:
        at_full_speed(vehicle)
        ends_at_stop(vehicle.graph, vehicle.process, "hindbrain")


@pytest.mark.fault("panic")
def test_a_panic_that_is_printed_on_a_paused_terminal_leaves_the_motors_at_stop():
    """A write to a paused terminal does not fail, it waits for ever."""
    read, write = os.pipe()
    pipe = f"/proc/{os.getpid()}/fd/{write}"
    try:
        with Vehicle(executable=panicking("hindbrain"), output=pipe) as vehicle:
            vehicle.graph.subscribe(Log, "/rosout", QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL))
            logged = lambda text: any(text in line.msg for line in vehicle.graph.since("/rosout", start))  # noqa: E731
            at_full_speed(vehicle)
            full = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
            with contextlib.suppress(BlockingIOError):
                while os.write(full, b"." * 100):
                    pass
            os.close(full)
            start = time.monotonic()
            vehicle.enable(False)
            vehicle.wait(lambda: logged("not enabled"), "the paused terminal keeps the log from /rosout")
            at_full_speed(vehicle)
            ends_at_stop(vehicle.graph, vehicle.process, "hindbrain")
            assert vehicle.state == "ESTOP", "the last state of a panic"
            assert logged("the injected panic")
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.fault("panic")
def test_a_panic_while_a_panic_unwinds_leaves_the_motors_at_stop(monkeypatch):
    monkeypatch.setenv("FAULT", "twice")
    with Vehicle(executable=panicking("hindbrain")) as vehicle:
        at_full_speed(vehicle)
        ends_at_stop(vehicle.graph, vehicle.process, "hindbrain", ABORTED)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_panic_in_one_process_leaves_the_motors_at_stop(monkeypatch, fault):
    monkeypatch.setenv("FAULT", fault)
    # One thread hangs; if it is a node's, nothing waits for it longer than two seconds, and the process says so.
    says = "steersman: " if fault == "hang" else "the reason is printed above"
    panics_in_one_process("joystick", says=says, begins_within=BEGINS_WITHIN.get(fault, 0.0))


@pytest.mark.fault("panic")
@pytest.mark.parametrize("node", SEPARATE)
def test_a_panic_of_any_node_in_one_process_leaves_the_motors_at_stop(node):
    panics_in_one_process(node)


def test_a_panic_while_a_panic_unwinds_in_one_process_leaves_the_motors_at_stop(monkeypatch):
    monkeypatch.setenv("FAULT", "twice")
    panics_in_one_process("zone_scaler", ABORTED)


def panics_in_one_process(node, code=1, says="the reason is printed above", begins_within=0.0):
    stack = Stack(composed=True, executable=panicking("steersman"))
    try:
        watch(stack.graph)
        stack.graph.subscribe(PoseState, "/joystick/desired")
        stack.ready().drive_forward()
        stack.wait_for_motors(lambda port, starboard: port <= 30 and starboard <= 30, "full speed is not reached")
        process = stack.processes["steersman"]
        ends_at_stop(stack.graph, process, node, code, begins_within)
        if code != ABORTED:
            says_why(process, says)
        if says != "steersman: " and code != ABORTED:  # the topics between the nodes end at rest too
            assert stack.graph.last("/cmd_vel").twist.linear.x == 0.0
            assert stack.graph.last("/joystick/desired").vel[0].vx == 0.0
            stack.start("steersman")
            stack.drive_forward()
    finally:
        stack.close()
