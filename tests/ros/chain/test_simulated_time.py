"""`use_sim_time`: stamps follow `/clock`, time-outs the computer's own clock."""

import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TwistStamped
from graph import STOP
from mechanisms import arm
from parameters import Parameters
from processes import Process
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from simulated_clock import CLOCK_QOS, Bag, SimulatedClock, seconds_of, stamp_of
from stack import BRAKES, Stack
from surrounds import SCANNER, Surround, scan
from trajectories import ABORTED, SUCCEEDED, Client, goal, running
from vehicle import CMD_TIMEOUT, QUICK_BRAKE, Vehicle, known_participant, now, second_publisher

SIMULATED = {"use_sim_time": True}
ARGUMENTS = ("-p", "use_sim_time:=true")
SPEEDS = [0.1, 1.0, 10.0]
# How long the clock has to advance evenly before it counts [s].
STEADY = 0.5
OLD_HEADER_TIMESTAMP = -3
UNRELIABLE = "nothing that is stamped counts, since use_sim_time is true"


class SimulatedVehicle(Vehicle):
    """hindbrain alone with simulated time, and commands that have the stamp of `/clock`."""

    def __enter__(self):
        super().__enter__()
        self.graph.subscribe(DiagnosticArray, "/diagnostics")
        return self

    def begin_clock(self, speed=1.0, **fields):
        return SimulatedClock(self.graph, speed, messages=[self.command], **fields)

    def reports(self, sentence, level=b"\1"):
        """Waits until the log and the diagnostics have this sentence."""

        def is_reported():
            message = self.graph.last("/diagnostics")
            found = [status for status in message.status if sentence in status.message and status.level >= level] if message else []
            return found and sentence in self.process.output

        self.wait(is_reported, lambda: f"it must report '{sentence}': {self.graph.last('/diagnostics')}")

    def loses_its_command(self, start, what):
        """It brakes within the time-out from `start`, and once the time is known again nothing moves before a zero."""
        self.stopped_within(CMD_TIMEOUT + QUICK_BRAKE, start, what)

    def waits_for_a_zero(self, what):
        self.wait_for("OK", "NEUTRAL_WAIT")
        self.stays_stopped(0.5, f"{what}, and no zero came")
        self.drives_again(what)


@pytest.mark.parametrize("speed", SPEEDS)
def test_commands_of_simulated_time_drive_at_any_speed_and_their_silence_counts_by_the_computers_clock(speed):
    with SimulatedVehicle(SIMULATED) as vehicle:
        clock = vehicle.begin_clock(speed)
        vehicle.half_ahead()
        detail = vehicle.detail.header.stamp
        assert abs(seconds_of(detail) - clock.shown) < 1.5 * max(1.0, speed), f"{detail} at {clock.shown}"
        vehicle.fall_silent()
        took = vehicle.stopped_within(CMD_TIMEOUT + QUICK_BRAKE, now(), f"silence at {speed}")
        assert speed > 1.0 or took > CMD_TIMEOUT - 0.15, f"stopped after {took:.3f} s"
        vehicle.drives_again(f"at {speed}")


@pytest.mark.fault("clock-lost")
@pytest.mark.parametrize("how", ["paused", "silent"])
def test_a_clock_that_stands_stops_and_its_return_moves_nothing(how):
    with SimulatedVehicle(SIMULATED) as vehicle:
        clock = vehicle.begin_clock()
        vehicle.half_ahead()
        start = now()
        if how == "paused":
            clock.set_speed(0.0)
        else:
            clock.timer.cancel()
        vehicle.loses_its_command(start, f"the clock is {how}")
        vehicle.reports("'/clock' has not advanced for ")
        vehicle.stays_stopped(1.0, f"the clock is {how}, and commands go on")
        if how == "paused":
            clock.set_speed(1.0)
        else:
            clock.timer.reset()
        vehicle.waits_for_a_zero(f"the clock was {how}")


@pytest.mark.fault("clock-jumps")
@pytest.mark.parametrize("by", [-90.0, -0.5, 5.0, 3600.0])
def test_a_jump_of_the_clock_stops_and_makes_no_old_command_young(by):
    with SimulatedVehicle(SIMULATED) as vehicle:
        clock = vehicle.begin_clock()
        vehicle.half_ahead()
        start = now()
        clock.jump(clock.shown + by)
        vehicle.loses_its_command(start, f"the clock jumped by {by} s")
        assert "'/clock' jumped from " in vehicle.process.output
        vehicle.waits_for_a_zero(f"the clock jumped by {by} s")


@pytest.mark.fault("clock-jumps")
def test_an_old_command_that_a_jump_back_makes_young_moves_nothing():
    with SimulatedVehicle(SIMULATED) as vehicle:
        clock = vehicle.begin_clock()
        vehicle.half_ahead()
        vehicle.fall_silent()
        old = TwistStamped(), TwistStamped()
        for message, speed in zip(old, (0.0, 0.5)):  # motion would begin with the zero
            message.header.stamp, message.twist.linear.x = clock.stamp, speed
        vehicle.wait_for("OK", "CMD_STALE")
        time.sleep(1.0)
        jumped = now()
        clock.jump(seconds_of(old[0].header.stamp) - 0.1)
        while now() < jumped + 1.5:  # while it is refused, and 0.4 to 0.5 s old by the clock, and later
            for message in old:
                vehicle.publisher(TwistStamped, "/cmd_vel").publish(message)
            time.sleep(0.02)
        assert set(vehicle.values(jumped)) == {STOP}, vehicle.values(jumped)
        vehicle.commands.reset()
        vehicle.drives_again("commands of now")


@pytest.mark.fault("clock-lost")
def test_without_a_clock_only_commands_without_stamps_drive_until_it_begins():
    with SimulatedVehicle(SIMULATED) as vehicle:
        vehicle.reports(f"'/clock' was not received: {UNRELIABLE}")
        vehicle.half_ahead()  # without stamps
        assert seconds_of(vehicle.detail.header.stamp) == 0.0
        for stamp in [stamp_of(100.0), stamp_of(time.time()), stamp_of(1e-9)]:
            vehicle.command.header.stamp = stamp
            vehicle.loses_its_command(now(), f"stamped {stamp}")
            vehicle.stays_stopped(0.3, f"stamped {stamp}")
            vehicle.command.header.stamp = stamp_of(0.0)
            vehicle.drives_again("no stamp")
        vehicle.begin_clock()
        vehicle.loses_its_command(now() + STEADY, "stamped by a clock that has just begun")
        vehicle.waits_for_a_zero("the clock began")


@pytest.mark.fault("clock-lost")
def test_a_second_clock_stops_although_it_agrees():
    with SimulatedVehicle(SIMULATED) as vehicle, known_participant() as context:
        clock = vehicle.begin_clock()
        vehicle.half_ahead()
        with second_publisher(Clock, "/clock", CLOCK_QOS, context, name="other") as other:
            clock.publisher, first = other, clock.publisher  # the other one goes on with the same time
            vehicle.stopped_within(1.2 + QUICK_BRAKE, now(), "a second publisher of the clock")
            vehicle.reports("'/clock' has 2 publishers, must have one: ")
            assert "other" in vehicle.process.output
            vehicle.stays_stopped(0.5, "two publishers")
            clock.publisher = first
        vehicle.waits_for_a_zero("the second publisher is gone")


def simulated_stack(composed, speed=1.0, start_clock=True):
    stack = Stack(composed, extra=ARGUMENTS)
    try:
        clock = SimulatedClock(stack.graph, speed) if start_clock else None
        return stack.ready(), clock
    except AssertionError:
        stack.close()
        raise


@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_stick_drives_by_simulated_time(composed, speed):
    stack, clock = simulated_stack(composed, speed)
    try:
        stack.drive_forward()
        assert abs(seconds_of(stack.graph.last("/cmd_vel").header.stamp) - clock.shown) < 0.5 * max(1.0, speed)
        start = time.monotonic()
        stack.stick(1.0, drive=False)
        stack.stopped_within(0.5 + BRAKES, start, "the button was released")
        stack.drives_again()
    finally:
        stack.close()


@pytest.mark.fault("clock-lost", "clock-jumps")
@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_a_stick_that_is_held_through_a_pause_or_a_jump_needs_rest(composed):
    stack, clock = simulated_stack(composed)
    try:
        stack.drive_forward()
        for what, begin, end in [
            ("a pause", lambda: clock.set_speed(0.0), lambda: clock.set_speed(1.0)),
            ("a jump back", lambda: clock.jump(5.0), lambda: None),
            ("a jump ahead", lambda: clock.jump(1000.0), lambda: None),
        ]:
            start = time.monotonic()
            begin()
            stack.stopped_within(0.5 + BRAKES, start, what)
            time.sleep(1.0)
            end()
            stack.stays_stopped(1.5, f"{what}, with the stick held")
            stack.drives_again(f"after {what}")
    finally:
        stack.close()


@pytest.mark.fault("clock-lost")
def test_without_a_clock_a_stick_drives_nothing_until_it_begins():
    stack, _ = simulated_stack(composed=True, start_clock=False)
    try:
        stack.graph.subscribe(DiagnosticArray, "/diagnostics")
        stack.enable(True)
        for forward in (0.0, 1.0):
            stack.stick(forward)
            stack.stays_stopped(0.7, "no clock")
        sentence = f"'/clock' was not received: {UNRELIABLE}"
        assert stack.output().count(sentence) == 1, stack.output()
        time.sleep(1.1)
        statuses = {status.name: status.message for message in stack.graph.since("/diagnostics", 0.0) for status in message.status}
        for node in ("joystick", "velocity_arbiter", "zone_scaler", "hindbrain"):
            assert sentence in statuses[node], f"{node}: {statuses[node]}"
        SimulatedClock(stack.graph)
        time.sleep(STEADY + 0.2)
        stack.drive_forward()
    finally:
        stack.close()


def commands(*parts, period):
    """The bag of a navigation that gave these commands, `(seconds, m/s)`: recorded 1 ms after their stamps, from 1000 s on."""
    recorded, at = [], 1000.0
    for seconds, speed in parts:
        for _ in range(round(seconds / period)):
            message = TwistStamped()
            message.header.stamp, message.twist.linear.x = stamp_of(at), speed
            recorded.append((at + 0.001, "/cmd_vel_smoothed", message))
            at += period
    return recorded


@pytest.mark.parametrize("rate, clock", [(0.5, 40.0), (1.0, 40.0), (3.0, 120.0), (10.0, 400.0)])
def test_a_bag_drives_with_its_clock_and_again_in_a_loop(rate, clock):
    stack, _ = simulated_stack(composed=True, start_clock=False)
    try:
        stack.enable(True)
        parts = (1.5 * rate, 0.0), (1.5 * rate, 0.5), (0.5 * rate, 0.0)
        bag = Bag(stack.graph, commands(*parts, period=0.02 * rate), rate, clock)
        rounds = set()  # in which it drives

        def drives_twice():
            rounds.update([bag.rounds] if stack.motors == (57, 57) else [])
            return len(rounds) == 2

        stack.graph.wait(drives_twice, lambda: f"it drives in {rounds} of {bag.rounds} rounds at {rate}: {stack.motors}\n{stack.output()}", 20.0)
    finally:
        stack.close()


@pytest.mark.fault("clock-lost")
def test_a_bag_that_is_paused_stops_and_goes_on_with_a_zero():
    stack, _ = simulated_stack(composed=True, start_clock=False)
    try:
        stack.enable(True)
        bag = Bag(stack.graph, commands((1.5, 0.0), (3.0, 0.5), (1.5, 0.0), (60.0, 0.5), period=0.02))
        stack.wait_for_motors(lambda *values: values == (57, 57), "the bag does not drive", 10.0)
        start = time.monotonic()
        bag.pause(True)
        stack.stopped_within(0.5 + BRAKES, start, "the bag is paused")
        time.sleep(1.0)
        bag.pause(False)
        stack.stays_stopped(1.0, "it goes on, in motion")
        stack.wait_for_motors(lambda *values: values == (57, 57), "after its zero the bag does not drive", 10.0)
    finally:
        stack.close()


class SimulatedSurround(Surround):
    """`surround` with simulated time, and scans that have the stamp of `/clock` less `age` [s]."""

    def __init__(self):
        super().__init__({**SCANNER, **SIMULATED})
        self.clock = None

    def _repeat(self):
        for topic, message in list(self.repeated.items()):
            message.header.frame_id = "base_link"
            message.header.stamp = stamp_of(self.clock.shown - self.age)
            self.publisher(topic, type(message)).publish(message)


@pytest.mark.parametrize("speed", SPEEDS)
def test_scans_count_by_simulated_time(speed):
    with SimulatedSurround() as surround:
        surround.clock = SimulatedClock(surround.graph, speed)
        surround.see(scan())
        surround.wait_for_all(1.0, f"at {speed}")
        surround.age = 0.6
        surround.wait_for_blind(f"0.6 s old at {speed}")
        surround.age = 0.0
        surround.wait_for_all(1.0, f"again at {speed}")


@pytest.mark.fault("clock-lost", "clock-jumps")
def test_without_a_reliable_clock_a_scan_blocks():
    with SimulatedSurround() as surround:
        surround.clock = clock = SimulatedClock(surround.graph)
        surround.see(scan())
        surround.wait_for_all(1.0, "it sees")
        for what, begin, end in [
            ("a pause", lambda: clock.set_speed(0.0), lambda: clock.set_speed(1.0)),
            ("a jump back", lambda: clock.jump(5.0), lambda: None),
            ("a jump ahead", lambda: clock.jump(1000.0), lambda: None),
        ]:
            begin()
            surround.wait_for_blind(what)
            end()
            surround.wait_for_all(1.0, f"after {what}")


def test_an_arm_moves_by_the_stamps_of_simulated_time():
    with arm(*ARGUMENTS) as (graph, manager, process):
        graph.subscribe(JointState, "joint_states")
        running(manager)
        client = Client(graph)

        def moved(positions, start=0.0):
            """How a goal of one second ended that starts then by the clock [s], without a stamp at once; and how long it took [s]."""
            sent, begin = goal((1.0, positions)), time.monotonic()
            sent.trajectory.header.stamp = stamp_of(start)
            return client.ended(sent), time.monotonic() - begin

        def is_refused(start, sentence):
            (status, code, text), _ = moved([0.5, 0.5], start)
            assert (status, code) == (ABORTED, OLD_HEADER_TIMESTAMP) and sentence in text, (status, code, text)

        is_refused(100.0, "the time is not known")
        assert moved([0.2, 0.1])[0][0] == SUCCEEDED
        clock = SimulatedClock(graph)
        graph.wait(lambda: "'/clock' advances" in process.output, lambda: process.output)
        assert abs(seconds_of(graph.last("joint_states").header.stamp) - clock.shown) < 0.5
        ended, took = moved([0.0, 0.0], clock.shown + 1.0)
        assert ended[0] == SUCCEEDED and took > 1.8, (ended, took)
        is_refused(clock.shown - 5.0, "it is over")
        clock.set_speed(0.0)
        time.sleep(STEADY + 0.2)
        is_refused(clock.shown, "the time is not known")
        position = graph.last("joint_states").position
        assert all(abs(joint) < 0.1 for joint in position[:2]), position


def test_the_parameter_is_served_and_set_at_the_start_only(graph):
    process = Process("hindbrain", "--ros-args", *ARGUMENTS)
    try:
        parameters = Parameters(graph, "hindbrain")
        descriptor = parameters.described()["use_sim_time"]
        assert descriptor.read_only and parameters.get("use_sim_time") is True
        refused = parameters.set(descriptor, False)
        assert not refused.successful and "read-only" in refused.reason, refused
    finally:
        process.stop()


@pytest.mark.parametrize("value", ["1", "'yes'"])
def test_a_value_that_is_no_boolean_is_refused(value):
    process = Process("hindbrain", "--ros-args", "-p", f"use_sim_time:={value}")
    assert process.wait() == 1 and "use_sim_time" in process.output


def test_nodes_of_one_process_have_one_clock():
    process = Process("steersman", "--ros-args", "-p", "joystick:use_sim_time:=true")
    assert process.wait() == 1
    assert "parameter 'use_sim_time' is false, must be true as for 'joystick'" in process.output, process.output
