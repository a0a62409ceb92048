"""hindbrain with a motor controller: a RoboClaw and a Maestro simulated by their manuals."""

import time

import pytest
from devices import Device, Maestro, RoboClaw
from graph import SLACK, STOP, unlatch
from vehicle import Vehicle, now


def on(kind, link, **parameters):
    """The parameters for a controller at the end of `link`, which is searched for once a second when it is gone."""
    own = {f"driver.{name}": value for name, value in parameters.items()}
    return {"driver.kind": kind, "driver.device": str(link), **own}


def duty(servo):
    """A RoboClaw's duty for a motor topic's value: 66 counts are 32767, rounded toward zero."""
    return int((STOP - servo) * 32767 / 66)


def quarters(servo):
    """A Maestro's target for a motor topic's value: a servo's whole microseconds, in quarters."""
    return (544 + servo * 1856 // 180) * 4


KINDS = {"roboclaw": ("roboclaw", RoboClaw.STOP, duty), "pololu": ("maestro", Maestro.STOP, quarters)}


# The controller is polled every 0.1 s, an exchange without an answer takes as long, and hindbrain checks every 0.02 s.
NOTICED = {"roboclaw": 0.26, "pololu": 0.1 + 0.05 + 0.03}
# When it is unplugged the next exchange fails, 0.05 s away at most, and hindbrain reads that when it next wakes up, after 0.1 s at most. All of
# it has to fit into this: hindbrain wakes up more often here, so what a test allows beside its bound is in it and not added.
UNPLUGGED = 0.15


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


class Driven:
    """A vehicle with a controller of one kind."""

    def __init__(self, kind, tmp_path):
        make, self.stop, self.value = KINDS[kind]
        self.device = Device(make, tmp_path / "motor")
        self.vehicle = Vehicle(on(kind, tmp_path / "motor"))

    def __enter__(self):
        self.device.__enter__()
        self.vehicle.__enter__()
        return self

    def __exit__(self, *_):
        try:
            self.vehicle.__exit__()
        finally:
            self.device.__exit__()

    def drive(self):
        """Drives full ahead, also where the controller has to be opened first."""
        self.vehicle.wait(lambda: self.vehicle.source("motor_controller").says == "works", "it is not open")
        self.vehicle.start()
        self.vehicle.set_command(1.0)
        self.vehicle.wait_for_motors(24, 24, "full ahead")
        self.device.wait(lambda: self.device.motors == [self.value(24)] * 2, "the device does not follow")

    def wait_for_fault(self, what, start, noticed=0.0):
        """A lost controller is a fault, whatever is wrong with it since `start`, and nothing is driven.

        That it answers wrongly or not at all is `noticed` only when it is asked.
        """
        vehicle = self.vehicle
        vehicle.stopped_within(noticed, start, what)
        vehicle.wait_for("ESTOP", "DEVICE_LOST", "FAULT_LATCHED")
        source = vehicle.source("motor_controller")
        assert vehicle.detail.fault and vehicle.detail.rule == "DEVICE_LOST", what
        assert source.says == "lost" and source.blocks and self.device.link in source.publishers[0], f"{what}: {source}"

    def recover(self):
        """After its return the fault stays until it is reset, and enable has to rise again."""
        vehicle = self.vehicle
        vehicle.wait_for("ESTOP", "FAULT_LATCHED")
        back = now()
        vehicle.set_command(1.0)
        vehicle.enable(False)
        vehicle.wait(lambda: vehicle.source("hind/enable").says == "false", "enable false is not received")
        vehicle.enable(True)
        vehicle.wait(lambda: vehicle.source("hind/enable").says == "true", "enable true is not received")
        assert vehicle.state == "ESTOP" and vehicle.source("motor_controller").says == "works"
        unlatch(vehicle)
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        assert set(vehicle.values(back)) == {STOP}
        self.drive()


def test_a_controller_follows_the_motor_topics_and_stops_first(kind, tmp_path):
    with Driven(kind, tmp_path) as driven:
        vehicle, device = driven.vehicle, driven.device
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED", "CMD_STALE")
        start = time.monotonic()
        driven.drive()
        assert device.since(0.0, "motors")[0] == driven.stop, "it was driven before it was stopped"
        assert not [one for one in device.reports if "motors" in one and one["at"] < start and one["motors"] != driven.stop]
        if kind == "roboclaw":
            reported = [next(iter(set(one) & {"motors", "timeout"}), None) for one in device.reports]
            assert device.since(0.0, "timeout") == [0.2], "its own time-out is not set, or more than once"
            assert reported.index("motors") < reported.index("timeout")
        watched = {"roboclaw": "it stops by itself after 200ms", "pololu": "it was seen to stop by itself within 200ms"}
        assert watched[kind] in vehicle.process.output
        ways = [(1.0, 0.5, (68, 24)), (-1.0, 0.0, (156, 156)), (0.0, -1.0, (24, 156)), (0.0, 0.0, (90, 90))]
        for linear, angular, servos in ways:
            vehicle.set_command(linear, angular)
            vehicle.wait_for_motors(*servos, f"{linear}, {angular}")
            wanted = [driven.value(servo) for servo in servos]
            device.wait(lambda: device.motors == wanted, f"{servos} must be {wanted} on the wire")
        assert not device.since(0.0, "unknown") and not device.since(0.0, "wrong_crc"), device.reports


def test_channels_are_set_by_parameters(tmp_path):
    parameters = on("roboclaw", tmp_path / "motor", channels=[2, 1], invert_port=True)
    with Device("roboclaw", tmp_path / "motor") as device, Vehicle(parameters) as vehicle:
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        vehicle.start()
        vehicle.set_command(1.0, 0.5)  # port 22 counts, starboard 66
        vehicle.wait_for_motors(68, 24, "a curve")
        device.wait(lambda: device.motors == [duty(24), -duty(68)], "motor 1 is starboard, port is the other way round")
        assert device.since(0.0, "timeout") == [0.2]


@pytest.mark.fault("controller-lost")
def test_a_controller_that_is_unplugged_is_a_fault_until_reset(kind, tmp_path):
    with Driven(kind, tmp_path) as driven:
        driven.drive()
        start = now()
        driven.device.order(plugged=False)
        driven.wait_for_fault("it was unplugged", start, max(0.0, UNPLUGGED - SLACK))
        driven.vehicle.stays_stopped(0.3, "it is unplugged")
        back = time.monotonic()
        driven.device.order(plugged=True)
        driven.vehicle.wait_for("ESTOP", "FAULT_LATCHED")
        assert set(map(tuple, driven.device.since(back, "motors"))) <= {tuple(driven.stop)}, "an old level survived"
        driven.recover()


@pytest.mark.fault("controller-reset")
def test_a_controller_that_is_reset_while_its_line_stays_is_lost_and_not_driven_on(kind, tmp_path):
    with Driven(kind, tmp_path) as driven:
        for dark in (0.005, 0.02, 0.1):
            driven.drive()
            time.sleep(0.1)  # it is asked before the next value
            start, reset = now(), time.monotonic()
            driven.device.order(dark=dark)
            driven.wait_for_fault(f"it was off for {dark} s", start, NOTICED[kind])
            moved = [one for one in driven.device.since(reset, "motors") if one != driven.stop and any(one)]
            assert not moved, f"it was off for {dark} s"
            driven.recover()


@pytest.mark.fault("controller-swapped")
def test_another_controller_in_its_place_is_left_at_stop(tmp_path):
    with Driven("roboclaw", tmp_path) as driven:
        driven.drive()
        start = now()
        driven.device.order(plugged=False)
        driven.wait_for_fault("it was unplugged", start, max(0.0, UNPLUGGED - SLACK))
        back = time.monotonic()
        driven.device.order(plugged=True, version="USB Roboclaw 2x60a v4.1.34")
        other = "is USB Roboclaw 2x60a v4.1.34, not USB Roboclaw 2x15a v4.2.8 as at first"
        driven.vehicle.wait(lambda: other in driven.vehicle.process.output, "it is not named")
        driven.vehicle.wait_for("ESTOP", "DEVICE_LOST", "FAULT_LATCHED")
        driven.vehicle.stays_stopped(0.3, "another one is plugged in")
        assert set(map(tuple, driven.device.since(back, "motors"))) == {tuple(driven.stop)}, "it was driven"
        driven.device.order(plugged=False)
        driven.device.order(plugged=True)
        driven.recover()


@pytest.mark.fault("controller-lost")
def test_a_controller_that_is_silent_babbles_or_reports_errors_is_a_fault(kind, tmp_path):
    with Driven(kind, tmp_path) as driven:
        driven.drive()
        for answers in ("nothing", "garbage", "errors"):
            start = now()
            driven.device.order(answers=answers)
            driven.wait_for_fault(f"it answers {answers}", start, NOTICED[kind])
            driven.device.wait(lambda: driven.device.motors == driven.stop, f"it answers {answers} and is not stopped")
            driven.device.order(answers="well")
            driven.recover()


def test_the_last_command_to_a_controller_is_stop(kind, tmp_path):
    with Driven(kind, tmp_path) as driven:
        driven.drive()
        end = time.monotonic()
        driven.vehicle.process.stop()
        assert driven.vehicle.process.process.returncode == 0
        assert driven.device.since(end, "motors")[-1] == driven.stop, "the last value is not stop"


@pytest.mark.fault("hindbrain-killed")
def test_a_controller_outlives_a_killed_hindbrain_by_its_own_time_out_only(kind, tmp_path):
    """A killed process publishes nothing, as the README states: the last value stands on the topics, the device stops itself."""
    with Driven(kind, tmp_path) as driven:
        driven.drive()
        vehicle, device = driven.vehicle, driven.device
        killed = time.monotonic()
        vehicle.process.kill()
        dead = now()
        device.wait(lambda: device.since(killed, "stopped_by_itself"), "it does not stop by itself", 2.0)
        stopped = next(one["at"] for one in device.reports if one["at"] > killed and "stopped_by_itself" in one)
        assert stopped - killed < 0.2 + SLACK, f"it stops {stopped - killed:.3f} s after"
        assert not vehicle.values(dead) and vehicle.motors == (24, 24)


def test_a_maestro_without_a_time_out_is_warned_of(tmp_path):
    with Device("maestro", tmp_path / "motor", 0.0), Vehicle(on("pololu", tmp_path / "motor")) as vehicle:
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED", "CMD_STALE")
        vehicle.wait(lambda: "it did not stop by itself within 200ms of silence" in vehicle.process.output, "no warning")


def test_a_controller_that_is_not_there_is_a_fault_from_the_start(tmp_path):
    with Vehicle(on("roboclaw", tmp_path / "motor")) as vehicle:
        vehicle.wait_for("ESTOP", "DEVICE_LOST", "FAULT_LATCHED", "NOT_ENABLED", "CMD_STALE")
        with Device("roboclaw", tmp_path / "motor"):
            vehicle.wait_for("ESTOP", "FAULT_LATCHED", "NOT_ENABLED", "CMD_STALE")
            vehicle.process.stop()
