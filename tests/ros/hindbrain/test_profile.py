"""The profile `seed` end to end, the values it fixes, and every other set of parameters that is refused at the start."""

import json

import pytest
from graph import STOP
from processes import Process
from vehicle import Vehicle, now


def test_the_seed_follows_levels_and_ramps_in_steps_of_50_ms():
    with Vehicle({"profile": "seed"}) as vehicle:
        assert vehicle.detail.profile == "seed"
        # Neither an edge of enable nor a zero command comes first.
        vehicle.set_command(1.0)
        vehicle.wait(lambda: vehicle.source("cmd_vel").says == "move", "the command is not received")
        vehicle.enable(True)
        vehicle.wait(lambda: vehicle.motors[0] <= STOP - 16, "it does not drive")
        received = [(at, message.data) for at, message in vehicle.graph.messages["/motor/port"]]
        reached = {value: next(at for at, published in received if published <= value) for value in range(STOP - 16, STOP)}
        # One count in 50 ms: 15 counts take 0.75 s, no less; a busy machine makes the ramp longer.
        assert 0.70 < reached[STOP - 16] - reached[STOP - 1] < 1.75
        assert all(abs(after - before) <= 1 for (_, before), (_, after) in zip(received, received[1:]))


@pytest.mark.fault("seed")
def test_the_seed_drives_again_when_the_estop_is_released():
    with Vehicle({"profile": "seed"}) as vehicle:
        vehicle.estop(False)
        vehicle.set_command(1.0)
        vehicle.enable(True)
        moves = lambda: vehicle.motors[0] <= STOP - 5
        vehicle.wait(moves, "it does not drive")
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED")
        vehicle.wait_for_motors(STOP, STOP, "the e-stop is pressed")
        released = now()
        vehicle.estop(False)
        vehicle.wait_for("OK")
        vehicle.wait(moves, "it does not drive again")
        values = vehicle.values(released)
        assert min(values) >= STOP - 7 and STOP in values, "it does not start from zero"
        # Silence stops in this profile too.
        vehicle.estop_timer.cancel()
        vehicle.wait_for("ESTOP", "ESTOP_STALE")
        vehicle.wait_for_motors(STOP, STOP, "the e-stop is silent")
        vehicle.estop_timer.reset()
        vehicle.wait_for("OK")
        vehicle.wait(moves, "it does not drive again")
        vehicle.fall_silent()
        vehicle.wait_for("OK", "CMD_STALE")
        vehicle.wait_for_motors(STOP, STOP, "the command is silent")


def test_the_seed_turns_to_the_other_side():
    with Vehicle({"profile": "seed"}) as vehicle:
        vehicle.enable(True)
        # A positive turn slows starboard. 0.15 * 66 = 9.9: servo 80; the inner wheel gets 0.005 * 66 = 0.33: 90.
        vehicle.set_command(0.15, 1.0)
        vehicle.wait_for_motors(80, 90, "a turn that REP-103 calls left goes right")
        vehicle.set_command(0.15, -1.0)
        vehicle.wait_for_motors(90, 80, "and the other way round")
        # No turn in place, and none in reverse.
        vehicle.set_command(0.0, 1.0)
        vehicle.wait_for_motors(90, 90, "no turn in place")
        vehicle.set_command(-0.06, 1.0)
        vehicle.wait_for_motors(94, 94, "straight back")


def refused(parameters):
    """The output of executables that must not start, one process for each set of parameters, all at a time."""
    arguments = [[text for name, value in one.items() for text in ("-p", f"hindbrain:{name}:={json.dumps(value)}")] for one in parameters]
    processes = [Process("hindbrain", "--ros-args", *one) for one in arguments]
    try:
        for process in processes:
            assert process.wait(10.0) == 1, process.output
    finally:
        for process in processes:
            process.stop()
    return [process.output for process in processes]


FIXED = [
    ({"accel": 30.0}, "parameter 'accel' is 30.0, must be left out or 20.0"),
    ({"decel": 200.0}, "parameter 'decel' is 200.0, must be left out or 20.0"),
    ({"enable.lease": 1.0}, "parameter 'enable.lease' is 1.0, must be left out or 0.0"),
]


def test_what_the_seed_fixes_is_refused_by_name_value_and_reason():
    outputs = refused([{"profile": "seed", **one} for one, _ in FIXED])
    for (one, sentence), output in zip(FIXED, outputs):
        lines = output.splitlines()
        assert lines[-1].strip() == f"{sentence} where profile is 'seed'", output
        assert lines[:-1] == ["hindbrain: node 'hindbrain' does not start:"], output


def driver(kind, **parameters):
    own = {f"driver.{name}": value for name, value in parameters.items()}
    return {"driver.kind": kind, "driver.device": "/dev/nothing", **own}


WRONG = [
    ({"driver.kind": "roboclaw"}, "parameter 'driver.device' is \"\", must name a device for driver 'roboclaw'"),
    ({"driver.kind": "servo"}, "parameter 'driver.kind' is \"servo\", must be one of: none, pololu, roboclaw"),
    (driver("pololu", device="ttyACM0"), "parameter 'driver.device' is ttyACM0, must be an absolute path"),
    (driver("pololu", channels=[24, 0]), "parameter 'driver.channels' is [24, 0], must be 0 to 23"),
    (driver("pololu", channels=[1]), "parameter 'driver.channels' is [1], must be two different channels, or none"),
    (driver("roboclaw", channels=[0, 1]), "parameter 'driver.channels' is [0, 1], must be [1, 2] or [2, 1]"),
    (driver("roboclaw", channels=[1, 2, 3]), "parameter 'driver.channels' is [1, 2, 3], must "),
    (driver("roboclaw", timeout=0.5), "parameter 'driver.timeout' does not exist"),
    (driver("roboclaw", baud=12345), "parameter 'driver.baud' is 12345, must be 9600, 19200"),
    (driver("roboclaw", address=0x90), "parameter 'driver.address' is 144, must be from 128 to 135"),
    ({"decel": 100.0, "accel": 150.0}, "parameter 'decel' is 100.0, must be no less than accel, 150.0 counts/s"),
    ({"ir.near": 1.0, "ir.far": 0.5}, "parameter 'ir.far' is 0.5, must be 0 or more than ir.near, 1.0 m"),
    ({"ir.sensors": ["ir_left"]}, "parameter 'ir.sensors' is [\"ir_left\"], must be one of: ir_front_port"),
    ({"profile": "sead"}, "parameter 'profile' is \"sead\", must be one of: strict, seed"),
    ({"cmd_vel_type": "Twist"}, "parameter 'cmd_vel_type' is \"Twist\", must be one of: twist, twist_stamped"),
    ({"enable.lease": 0.01}, "parameter 'enable.lease' is 0.01, must be 0, which is off, or at least 0.05 s"),
    ({"ir.sensors": ["ir_back_port"] * 2}, "must not name a sensor twice"),
    ({"estop.timeout": 9.0}, "parameter 'estop.timeout' is 9.0, must be from 0.05 to 2.0"),
    ({"rival_publishers": "warn"}, "parameter 'rival_publishers' does not exist"),
    ({"zero_first": False}, "parameter 'zero_first' does not exist"),
    ({"stamps": "carry"}, "parameter 'stamps' does not exist"),
    ({"soft_stop": "ramp"}, "parameter 'soft_stop' does not exist"),
    ({"ir.debounce": 1.0}, "parameter 'ir.debounce' does not exist"),
    ({"overrun_limit": 5.0}, "parameter 'overrun_limit' does not exist"),
    ({"cmd_vel_type": "auto"}, "parameter 'cmd_vel_type' is \"auto\", must be one of: twist, twist_stamped"),
    ({"estop.requird": True}, "parameter 'estop.requird' does not exist; did you mean 'estop.required'?"),
]


@pytest.mark.parametrize("part", range(4))
def test_wrong_parameters_end_the_start_with_one_sentence(part):
    wrong = WRONG[part::4]
    for (parameters, sentence), output in zip(wrong, refused([parameters for parameters, _ in wrong])):
        assert sentence in output, f"{parameters}: {output}"
        assert len(output.splitlines()) <= 2 and "panicked" not in output, output
