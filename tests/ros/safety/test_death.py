"""hindbrain's own thread hangs while it drives at full speed. (The drivers' tests show that a killed one publishes nothing.)"""

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import time

import pytest
import sends
from devices import Device, RoboClaw
from geometry_msgs.msg import TwistStamped
from graph import SLACK, STOP
from hangs import LIMIT, BootClock, hung, threads
from hosts import play
from paths import HARNESS
from processes import panicking
from stack import Stack
from std_msgs.msg import Bool
from vehicle import Vehicle, now, watch

# From a value that was sent just before the hang: the limit, and the supervising thread's period of 10 ms.
STOPS_WITHIN = LIMIT + 0.01 + SLACK


def stopped_meanwhile(graph, start):
    """Checks that both motors got stop in time and repeatedly since then; returns how long it took."""
    took = 0.0
    for side in ("port", "starboard"):
        topic = f"/motor/{side}"
        graph.wait(lambda: any(m.data == STOP for m in graph.since(topic, start)), f"{side} is not stopped", STOPS_WITHIN + 2.0)
        first = next(at for at, message in graph.messages[topic] if at >= start and message.data == STOP)
        assert first - start < STOPS_WITHIN, f"{side} is stopped after {first - start:.3f} s"
        graph.wait(lambda: len(graph.since(topic, first)) >= 20, f"stop is not repeated to {side}", 3.0)
        assert {message.data for message in graph.since(topic, first)} == {STOP}, f"{side} moves on"
        took = max(took, first - start)
    return took


def stays_faulty(vehicle, went_on):
    """The node continues with a fault, since it was not supervised; a reset and a new enable end the fault."""
    vehicle.wait_for("ESTOP", "OVERRUN", "FAULT_LATCHED")
    assert vehicle.detail.fault and vehicle.detail.rule == "OVERRUN"
    vehicle.enable(True)
    vehicle.wait_until_received("hind/enable", went_on)
    # A press in the first 50 ms after a hold may have waited since before it, and does not count.
    time.sleep(0.1)
    vehicle.reset()
    vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
    assert set(vehicle.values(went_on)) == {STOP}
    vehicle.start()
    vehicle.set_command(1.0)
    vehicle.wait_for_motors(24, 24, "after reset and enable")


@pytest.mark.fault("hindbrain-hangs")
def test_a_hung_node_is_stopped_by_the_supervising_thread():
    with Vehicle() as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        with hung(vehicle.process.process.pid):
            held = now()
            took = stopped_meanwhile(vehicle.graph, held)
            assert took > LIMIT - 0.1, f"stopped {took:.3f} s after the hang began, which is no hang yet"
            vehicle.wait(lambda: "the supervising thread stops the motors" in vehicle.process.output, "it is not logged")
        stays_faulty(vehicle, now())


@pytest.mark.fault("hindbrain-hangs")
def test_a_hung_node_leaves_the_motor_controller_at_stop(tmp_path):
    parameters = {"driver.kind": "roboclaw", "driver.device": str(tmp_path / "motor")}
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        device.wait(lambda: device.motors == [32767, 32767], "the device does not follow")
        with hung(vehicle.process.process.pid):
            held = time.monotonic()
            device.wait(lambda: device.motors == RoboClaw.STOP, "the device drives on", 2.0)
            took = next(one["at"] for one in device.reports if one["at"] > held and one.get("motors") == RoboClaw.STOP) - held
            # The controller's thread stops it after 0.25 s without a value; until then it repeats the last one, so the
            # device's own time-out of 0.2 s is not what stops it.
            assert took < 0.25 + SLACK, f"stopped after {took:.3f} s"
            stopped_meanwhile(vehicle.graph, now() - took)
            assert not device.since(held, "stopped_by_itself"), "only its own time-out stopped it"
            assert set(map(tuple, device.since(held + took, "motors"))) == {tuple(RoboClaw.STOP)}
        went_on = time.monotonic()
        vehicle.wait_for("ESTOP", "OVERRUN", "FAULT_LATCHED")
        # A press in the first 50 ms after a hold may have waited since before it, and does not count.
        time.sleep(0.1)
        assert set(map(tuple, device.since(went_on, "motors"))) <= {tuple(RoboClaw.STOP)}
        vehicle.restart()
        vehicle.set_command(1.0)
        device.wait(lambda: device.motors == [32767, 32767], "the device does not follow after reset and enable")


def test_a_thread_that_hangs_in_a_send_keeps_no_stop_from_the_motor_controller(tmp_path, monkeypatch):
    """What drives the ramps hangs while it publishes; the node's own thread reads the e-stop, which waits for no send."""
    monkeypatch.setenv("FAULT", "stalls")
    parameters = {"driver.kind": "roboclaw", "driver.device": str(tmp_path / "motor")}
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters, executable=panicking("hindbrain")) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        vehicle.fit_estop()
        vehicle.start()
        vehicle.set_command(1.0)
        device.wait(lambda: device.motors == [32767, 32767], "the device does not follow")
        press = vehicle.publisher(Bool, "/hind/estop")
        vehicle.graph.publish("/hindbrain/panic", Bool(data=True))
        time.sleep(0.06)  # three ticks
        pressed = time.monotonic()
        vehicle.button.data = True
        press.publish(vehicle.button)
        device.wait(lambda: device.motors == RoboClaw.STOP, "the device drives on", 2.0)
        stopped = next(one["at"] for one in device.reports if one["at"] > pressed and one.get("motors") == RoboClaw.STOP)
        # By the supervising thread there may be a stop on the topics by now.
        last = max(at for at, m in vehicle.graph.messages["/motor/port"] if m.data != STOP) - time.time() + time.monotonic()
        # The controller's own thread stops it 0.25 s after the last value, whatever is pressed.
        assert stopped - last < 0.2, f"stopped {stopped - last:.3f} s after the last value, {stopped - pressed:.3f} s after the press"
        vehicle.process.stop()
        assert vehicle.motors == (STOP, STOP), "the final messages do not wait for the send either"


@pytest.mark.fault("hindbrain-hangs")
@pytest.mark.few
@pytest.mark.fast_dds
@pytest.mark.parametrize("scenario", sends.SCENARIOS)
def test_a_send_that_hangs_keeps_no_stop_from_what_needs_no_send(tmp_path, scenario):
    """With a profile whose sends wait for the network: the threads hang in the kernel, with the locks of the middleware."""
    play(HARNESS / "sends.py", tmp_path, scenario, 100.0)


@pytest.mark.fault("hindbrain-hangs")
def test_a_node_that_was_held_shortly_leaves_the_motor_controller_at_stop(tmp_path):
    """The hold is longer than the timeouts of the controller's thread and of the supervising one: the node still commands full speed."""
    parameters = {"driver.kind": "roboclaw", "driver.device": str(tmp_path / "motor")}
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        for _ in range(5):
            vehicle.restart()
            vehicle.set_command(1.0)
            device.wait(lambda: device.motors == [32767, 32767], "the device does not follow")
            with hung(vehicle.process.process.pid):
                held = time.monotonic()
                time.sleep(0.35)
            device.wait(lambda: RoboClaw.STOP in device.since(held, "motors"), "the device is not stopped")
            vehicle.wait_for("ESTOP", "OVERRUN", "FAULT_LATCHED")
            stopped = next(one["at"] for one in device.reports if one["at"] > held and one.get("motors") == RoboClaw.STOP)
            assert stopped - held < 0.25 + SLACK, f"stopped after {stopped - held:.3f} s"
            time.sleep(0.2)
            assert set(map(tuple, device.since(stopped, "motors"))) == {tuple(RoboClaw.STOP)}, "it drives again"


def test_a_lost_controller_whose_line_hangs_for_a_while_is_still_lost(tmp_path):
    """Opening a broken adapter may take the kernel a second; the end of the call does not repair the adapter."""
    parameters = {"driver.kind": "roboclaw", "driver.device": str(tmp_path / "motor")}
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        device.order(plugged=False)
        vehicle.wait_for("ESTOP", "DEVICE_LOST", "FAULT_LATCHED", "NOT_ENABLED", "CMD_STALE")
        (thread,) = threads(vehicle.process, "actuator")
        with hung(thread):
            vehicle.wait(lambda: "the device hangs; the state of the motors is unknown" in vehicle.process.output, "no hang")
        after = now()
        vehicle.wait(lambda: len(vehicle.graph.since("/hind/state_detail", after)) >= 2, "no details")
        assert vehicle.source("motor_controller").says == "lost" and "DEVICE_LOST" in vehicle.causes
        assert "responds again" not in vehicle.process.output


@pytest.mark.fault("signal")
def test_a_hung_node_ends_on_a_signal_at_stop():
    with Vehicle() as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        with hung(vehicle.process.process.pid):
            held = now()
            vehicle.process.process.send_signal(signal.SIGTERM)
            vehicle.wait(lambda: vehicle.values(held + LIMIT) and vehicle.motors == (STOP, STOP), "the motors are not stopped")
            # It ends by itself 2 s after the signal, by a thread that does not wait for the one that hangs.
            vehicle.wait(lambda: "something hangs" in vehicle.process.output, "it does not end")
        assert vehicle.process.wait() == 1
        assert vehicle.motors == (STOP, STOP)
        vehicle.restart_node()
        vehicle.half_ahead()


@pytest.mark.fault("hindbrain-hangs")
def test_the_stick_does_not_drive_past_a_hung_hindbrain():
    """In one process the stick's thread carries a command as far as the motors; the e-stop is not received then."""
    stack = Stack(composed=True)
    try:
        watch(stack.graph)
        stack.ready().drive_forward()
        (thread,) = threads(stack.processes["steersman"], "hindbrain")
        with hung(thread):
            start = now()
            stopped_meanwhile(stack.graph, start)
            # The stick's thread continues to publish motor values, all of them stop.
            commands = len(stack.graph.messages["/cmd_vel"])
            stack.graph.wait(lambda: len(stack.graph.messages["/cmd_vel"]) > commands + 20, "the stick's thread hangs too")
            stack.stick(-1.0)
            assert {m.data for m in stack.graph.since("/motor/port", start + STOPS_WITHIN)} <= {STOP}
        went_on = now()
        detail = lambda: stack.graph.last("/hind/state_detail")
        stack.graph.wait(
            lambda: detail().fault and {c.name for c in detail().causes} == {"OVERRUN", "FAULT_LATCHED"},
            lambda: f"must be a fault for an overrun: {detail()}",
        )
        stack.stick(1.0)
        stack.graph.wait(lambda: len(stack.graph.since("/motor/port", went_on)) > 30, "the motor values stop coming")
        assert {m.data for m in stack.graph.since("/motor/port", went_on)} == {STOP}, "it drives on after the hang"
        stack.reset()
        stack.wait_for_state("SSTOP.ROS")
        stack.drive_forward()
    finally:
        stack.close()


@pytest.mark.fault("suspended")
def test_a_computer_that_was_suspended_is_a_fault_that_stays():
    """By the monotonic clock, which stands still meanwhile, it would drive on."""
    if platform.machine() != "x86_64":
        pytest.skip("the machine code is x86_64's")
    with Vehicle() as vehicle:
        clock = BootClock(vehicle.process)
        vehicle.half_ahead()
        start = now()
        clock.sleep(vehicle.process, 0)
        time.sleep(0.5)
        assert set(vehicle.values(start)) == {57}, f"no time was slept, and it stops: {vehicle.causes}"
        start = now()
        clock.sleep(vehicle.process, 10)
        vehicle.stopped_within(0.02, start, "ten seconds were slept")
        vehicle.wait_for("ESTOP", "OVERRUN", "FAULT_LATCHED")
        vehicle.enable()
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "enable and a zero, without a reset")
        vehicle.restart()
        vehicle.drives_again("reset, enable and a zero")


def test_messages_that_waited_for_a_held_thread_start_nothing():
    """The other threads go on and call the machine in time; the held thread reports since when it read nothing."""
    stack = Stack(composed=True)
    try:
        stack.ready()
        (thread,) = threads(stack.processes["steersman"], "hindbrain")
        for held, starts in ((0.3, False), (0.0, True)):
            stack.graph.publish("/hind/enable", Bool(data=False))
            time.sleep(0.2)
            with hung(thread) if held else contextlib.nullcontext():
                stack.graph.publish("/hind/enable", Bool(data=True))
                time.sleep(held)
            time.sleep(0.3)
            expected = "OK" if starts else "SSTOP.ROS"
            assert stack.state == expected, f"held for {held} s: {stack.state}, must be {expected}\n{stack.output()}"
    finally:
        stack.close()


@pytest.mark.fault("suspended")
def test_a_long_or_suspended_uptime_is_no_hold(tmp_path):
    """A computer that was suspended for a million seconds before the node starts: no machine treats that as a hold."""
    suspended = ["unshare", "--user", "--map-root-user", "--time", "--boottime", "1000000", "--"]
    if subprocess.run([*suspended, "true"], check=False).returncode != 0:
        assert os.environ.get("CI") != "true", "no time namespace is available, and in CI this has to be tested"
        pytest.skip("no time namespace is available here")
    executable = tmp_path / "hindbrain"
    executable.write_text(f'#!/bin/sh\nexec {" ".join(suspended)} {shutil.which("hindbrain")} "$@"\n')
    executable.chmod(0o755)
    with Vehicle(executable=str(executable)) as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")


@pytest.mark.pair
def test_commands_that_waited_for_a_held_node_are_not_passed_one_by_one():
    """The middleware keeps a hundred commands for it; the last and the e-stop count, which were published after the others."""
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        at = vehicle.graph
        vehicle.fit_estop()
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        vehicle.estop_timer.cancel()
        for pressed in (False, True):
            process = vehicle.process.process
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.05)  # its last messages are out
            held = now()
            for number in range(90):
                command = TwistStamped(header=vehicle.command.header)
                command.twist.linear.x = 0.3 + number / 1000
                at.publish("/cmd_vel", command)
            if pressed:
                at.publish("/hind/estop", Bool(data=True))
            time.sleep(0.05)
            process.send_signal(signal.SIGCONT)
            if pressed:
                vehicle.wait_for_motors(STOP, STOP, "the e-stop is pressed")
            time.sleep(0.1)
            # 50 commands a second, and one more by itself every 20 ms.
            values = vehicle.values(held)
            assert len(values) < 60, f"{len(values)} values in 0.1 s"
            if pressed:
                # A value that was due comes first. Published last, the e-stop may be read one turn after what was published before
                # it: one command, and its slope.
                for side in ("port", "starboard"):
                    reported = [message.data for message in at.since(f"/motor/{side}", held)]
                    stop = reported.index(STOP)
                    assert stop <= 3 and set(reported[stop:]) == {STOP}, reported


def test_a_node_that_was_started_to_ignore_a_hangup_goes_on(tmp_path):
    """The node runs as under `nohup` when the terminal is closed."""
    executable = tmp_path / "hindbrain"
    executable.write_text(f'#!/bin/sh\ntrap "" HUP\nexec {shutil.which("hindbrain")} "$@"\n')
    executable.chmod(0o755)
    with Vehicle(executable=str(executable)) as vehicle:
        vehicle.process.process.send_signal(signal.SIGHUP)
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
