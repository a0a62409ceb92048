"""Motor values that are interrupted: a motor controller that stopped by itself starts again only from a zero."""

import signal
import time

import hosts
import pytest
from devices import Device, RoboClaw
from graph import STOP
from hosts import LINK_CUTS
from motor_node import AHEAD, SIDES, STANDS, MotorNode
from paths import HARNESS
from vehicle import Vehicle, now


def hold(vehicle, seconds):
    """Holds hindbrain's process, all its threads; returns when it continued."""
    process = vehicle.process.process
    process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    process.send_signal(signal.SIGCONT)
    return now()


def full_ahead(vehicle):
    vehicle.set_command(1.0)
    vehicle.wait_for_motors(24, 24, "full ahead")


def only_a_zero_is_missing(vehicle, went_on, what):
    """Checks that no motor value moved since `went_on`, and that neither a reset nor an enable is needed."""
    vehicle.wait_for("OK", "NEUTRAL_WAIT")
    vehicle.stays_stopped(1.0, f"{what}: it goes on by itself")
    moved = [value for value in vehicle.values(went_on) if value != STOP]
    assert not moved, f"{what}: {moved} after the hold"
    vehicle.set_command(0.0)
    vehicle.wait_for("OK")


@pytest.mark.fault("held-gap")
@pytest.mark.parametrize("estop", [{}, {"estop.timeout": 1.0}], ids=["no_estop", "slow_estop"])
def test_a_hold_that_motor_controllers_notice_stops_until_a_zero(estop, tmp_path):
    """They stop by their own time-out of 0.25 s; hindbrain stops too, without a fault, and begins from zero."""
    with Vehicle(estop) as vehicle:
        motors = MotorNode(tmp_path)
        try:
            vehicle.wait(lambda: motors.written == STANDS, "the motor node does not start", 10.0)
            subscribed = lambda: all(vehicle.graph.node.count_subscribers(f"/motor/{side}") == 2 for side in SIDES)  # noqa: E731
            vehicle.wait(subscribed, "the motor node does not subscribe", 10.0)
            time.sleep(0.5)
            if estop:
                vehicle.fit_estop()
            vehicle.start()
            for seconds in (0.22, 0.3, 0.35, 0.45):
                full_ahead(vehicle)
                vehicle.wait(lambda: motors.written == AHEAD, lambda: f"the motors do not follow: {motors.written}")
                went_on = hold(vehicle, seconds)
                vehicle.wait(lambda: motors.written == STANDS, lambda: f"the motors turn: {motors.written}")
                written = len(motors.all_written)
                only_a_zero_is_missing(vehicle, went_on, f"held for {seconds} s")
                assert set(motors.all_written[written:]) == {STANDS}, f"held for {seconds} s: the motors start by themselves"
        finally:
            motors.process.kill()


@pytest.mark.fault("held-shortly")
def test_a_hold_that_no_motor_controller_notices_changes_nothing():
    with Vehicle() as vehicle:
        vehicle.start()
        full_ahead(vehicle)
        for _ in range(5):
            start = now()
            hold(vehicle, 0.08)
            time.sleep(0.3)
            assert set(vehicle.values(start)) == {24}, f"a hold of 0.08 s: {vehicle.causes}"


@pytest.mark.fault("held-gap")
@pytest.mark.parametrize("seconds", [0.21, 0.24])
def test_a_hold_in_which_a_serial_motor_controller_stops_itself_stops_until_a_zero(seconds, tmp_path):
    """The RoboClaw's own time-out is 0.2 s, and that of hindbrain's values to it 0.25 s."""
    parameters = {"driver.kind": "roboclaw", "driver.device": str(tmp_path / "motor")}
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        vehicle.start()
        for _ in range(3):
            full_ahead(vehicle)
            device.wait(lambda: device.motors == [32767, 32767], "the device does not follow")
            start = time.monotonic()
            went_on = hold(vehicle, seconds)
            device.wait(lambda: device.motors == RoboClaw.STOP, "the device turns")
            only_a_zero_is_missing(vehicle, went_on, f"held for {seconds} s")
            stopped = next(one["at"] for one in device.reports if one["at"] > start and RoboClaw.STOP in one.values())
            again = [motors for motors in device.since(stopped, "motors") if motors != RoboClaw.STOP]
            assert not again, f"held for {seconds} s: it stopped after {stopped - start:.3f} s and was sent {again}"


@pytest.mark.fault("motor-link-cut")
def test_motors_behind_a_link_that_was_cut_wait_for_a_zero(tmp_path):
    """hindbrain does not know that the link to the motors is cut: it publishes full speed throughout."""
    hosts.play(HARNESS / "hosts.py", tmp_path, "motors", 80.0 + 20.0 * LINK_CUTS)
