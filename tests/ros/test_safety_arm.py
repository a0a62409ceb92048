"""An arm beside the vehicle: hindbrain and mechanism together. No joint gets an effort between an emergency stop and a reset."""

import contextlib
import pathlib
import time

import arm_hosts
import pytest
from arm_hosts import end
from hosts import play
from mechanisms import MovingArm, arm
from processes import panicking
from vehicle import Vehicle


@contextlib.contextmanager
def vehicle_with_arm(parameters=()):
    with Vehicle(parameters, executable=panicking("hindbrain")) as vehicle:
        vehicle.estop(False)
        vehicle.wait(lambda: vehicle.source("hind/estop").says == "released", "the e-stop is not received")
        vehicle.start()
        with arm("-p", "halt_on:=hind/state") as parts:
            moving = MovingArm(*parts)
            moving.wait_until_it_moves()
            yield vehicle, moving


def press(vehicle, moving):
    """Presses the e-stop; returns the time from which no joint may get an effort."""
    vehicle.estop(True)
    vehicle.wait(lambda: vehicle.state == "ESTOP", "it is not in its emergency stop")
    return moving.halts()


@pytest.mark.parametrize("by", ["panic", "SIGTERM", "SIGKILL"])
def test_the_end_of_hindbrain_ends_no_emergency_stop_of_the_arm(by):
    with vehicle_with_arm() as (vehicle, moving):
        since = press(vehicle, moving)
        end(vehicle, by)
        time.sleep(2.0)
        moving.gets_no_effort(since, f"{by}, and the button is still pressed")


@pytest.mark.parametrize("by", ["panic", "SIGTERM"])
def test_a_restart_of_hindbrain_ends_no_emergency_stop_of_the_arm(by):
    """The button is released and not reset; the new hindbrain knows of no emergency stop."""
    with vehicle_with_arm() as (vehicle, moving):
        since = press(vehicle, moving)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        end(vehicle, by)
        vehicle.restart_node()
        vehicle.restart()  # on a busy machine it receives the e-stop too late, and stops for a reason of its own
        time.sleep(2.0)
        moving.gets_no_effort(since, "hindbrain was restarted, and nobody pressed a reset")
        moving.moves_after_its_reset()


def test_the_reset_of_hindbrain_ends_the_emergency_stop_of_the_arm():
    with vehicle_with_arm() as (vehicle, moving):
        since = press(vehicle, moving)
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        moving.manager.reset()
        time.sleep(1.5)
        moving.gets_no_effort(since, "nobody pressed hindbrain's reset")
        vehicle.reset()
        vehicle.wait(lambda: vehicle.state == "SSTOP.ROS", "no reset")
        moving.wait_until_it_moves()


@pytest.mark.timeout(120.0 + 40.0 * arm_hosts.ROUNDS)
def test_whatever_happens_to_hindbrain_no_joint_gets_an_effort_before_a_reset(tmp_path):
    """Every end and every hold of hindbrain and a cut link, in random orders: `ARM_ROUNDS` of them, from `ARM_SEED` on."""
    play(pathlib.Path(arm_hosts.__file__), tmp_path, "rounds", 60.0 + 40.0 * arm_hosts.ROUNDS)
