"""A command that was lost: nothing moves by itself after its return, and a process that was held uses no old message."""

import time

import pytest
from geometry_msgs.msg import Twist, TwistStamped
from graph import SLACK, STOP
from std_msgs.msg import Bool
from vehicle import CMD_TIMEOUT, QUICK_BRAKE, Vehicle, hold, now, second_publisher

# From full speed, with the default slopes.
FULL_BRAKE = 66 / 200


def waits_for_a_zero(vehicle, what):
    """The command returns as full ahead: nothing moves until a zero comes."""
    vehicle.set_command(1.0)
    vehicle.commands.reset()
    vehicle.wait_for("OK", "NEUTRAL_WAIT")
    vehicle.stays_stopped(1.0, f"{what}: it drives off by itself")
    vehicle.set_command(0.0)
    vehicle.wait_for("OK")
    vehicle.set_command(0.5)
    vehicle.wait_for_motors(57, 57, f"{what}: a zero came")


@pytest.mark.fault("command-silent")
@pytest.mark.parametrize("message_type", [Twist, TwistStamped])
def test_a_lost_command_does_not_come_back_in_motion(message_type):
    with Vehicle(command=message_type) as vehicle:
        vehicle.half_ahead()
        vehicle.fall_silent()
        vehicle.stopped_within(CMD_TIMEOUT + QUICK_BRAKE, now(), "silence")
        vehicle.wait_for("OK", "CMD_STALE")
        vehicle.stays_stopped(5.0 - CMD_TIMEOUT, "no commands come")
        waits_for_a_zero(vehicle, "5 s of silence")
        # The shortest silence that is one.
        vehicle.fall_silent()
        vehicle.wait_for("OK", "CMD_STALE")
        waits_for_a_zero(vehicle, "a silence that has just begun")


@pytest.mark.fault("command-silent")
def test_a_lost_command_brakes_from_full_speed_within_its_time():
    """With the default slopes: 0.5 s of silence, and 0.33 s to zero."""
    with Vehicle({"accel": 200.0, "decel": 200.0}) as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        start = now()
        vehicle.fall_silent()
        took = vehicle.stopped_within(CMD_TIMEOUT + FULL_BRAKE, start, "silence at full speed")
        assert took > CMD_TIMEOUT + FULL_BRAKE - 0.06, f"stopped after {took:.3f} s, which is no braking"
        braked(vehicle, 24, start)


def braked(vehicle, level, start):
    """Checks that the level was held until the timeout of the command, and no longer."""
    first = next(at for at, message in vehicle.graph.messages["/motor/port"] if at >= start and message.data != level) - start
    assert CMD_TIMEOUT - 0.06 < first < CMD_TIMEOUT + SLACK, f"it brakes {first:.3f} s after the last command"


@pytest.mark.fault("command-silent")
def test_a_new_publisher_of_commands_waits_for_a_zero():
    """The driving publisher is gone, and another one begins with full speed."""
    with Vehicle() as vehicle:
        vehicle.enable(False)
        vehicle.enable()

        def send(publisher, speed, seconds):
            end = time.monotonic() + seconds
            message = TwistStamped()
            message.twist.linear.x = speed
            while time.monotonic() < end:
                publisher.publish(message)
                time.sleep(0.02)

        with second_publisher(TwistStamped, "/cmd_vel", name="first") as first:
            vehicle.wait(lambda: send(first, 0.0, 0.1) or (vehicle.state == "OK" and not vehicle.causes), "it does not enable")
            vehicle.wait(lambda: send(first, 0.5, 0.1) or vehicle.motors == (57, 57), "it does not drive")
        vehicle.wait_for("OK", "CMD_STALE")
        with second_publisher(TwistStamped, "/cmd_vel", name="next") as following:
            vehicle.wait(lambda: send(following, 0.5, 0.1) or "NEUTRAL_WAIT" in vehicle.causes, "it is not received")
            start = now()
            send(following, 0.5, 0.5)
            assert set(vehicle.values(start)) == {STOP}, "a new publisher drives off"
            send(following, 0.0, 0.1)
            vehicle.wait(lambda: send(following, 0.5, 0.1) or vehicle.motors == (57, 57), "it does not drive after a zero")


@pytest.mark.fault("command-stale", "command-invalid")
@pytest.mark.parametrize("what", ["too old", "from the future", "repeated", "overtaken", "not finite", "implausible"])
def test_commands_that_are_refused_are_a_loss_as_silence_is(what):
    with Vehicle() as vehicle:
        ahead, repeated, back = 0.0, None, None

        def stamp():
            # Of those that were overtaken each is older than the one before it.
            time_ = repeated or (back and 2 * back - now() - 0.01) or now() + ahead
            vehicle.command.header.stamp.sec, vehicle.command.header.stamp.nanosec = int(time_), int(time_ % 1 * 1e9)

        vehicle.graph.node.create_timer(0.01, stamp)
        vehicle.half_ahead()
        start = now()
        if what == "not finite":
            vehicle.set_command(float("nan"))
        elif what == "implausible":
            vehicle.set_command(-101.0)
        elif what == "repeated":
            repeated = now()
        elif what == "overtaken":
            back = now()
        else:
            ahead = -0.55 if what == "too old" else 0.15
        vehicle.stopped_within(CMD_TIMEOUT + QUICK_BRAKE, start, what)
        braked(vehicle, 57, start)
        # The repetition of a command that has timed out is no fault and is not logged.
        vehicle.wait_for("OK", "CMD_STALE", *([] if what == "repeated" else ["CMD_INVALID"]))
        ahead, repeated, back = 0.0, None, None
        time.sleep(0.05)
        waits_for_a_zero(vehicle, what)


@pytest.mark.fault("seed")
def test_the_seed_goes_on_by_itself_and_reports_it():
    """The original's profile needs no zero before motion, as its README states."""
    with Vehicle({"profile": "seed"}) as vehicle:
        vehicle.set_command(0.5)
        vehicle.enable()
        vehicle.wait(lambda: vehicle.motors[0] < STOP - 3, "it does not drive")
        vehicle.fall_silent()
        vehicle.wait_for("OK", "CMD_STALE")
        vehicle.wait_for_motors(STOP, STOP, "silence")
        vehicle.commands.reset()
        vehicle.wait(lambda: vehicle.motors[0] < STOP - 3, "it does not drive again")
        assert vehicle.detail.profile == "seed"


@pytest.mark.fault("held-shortly")
def test_commands_that_waited_in_a_hold_are_as_old_as_it():
    """The last commands, without stamps, came at its beginning: they count no longer than `cmd_timeout` from then.

    The hold itself stops the motors, so the cause shows until when they counted."""
    with Vehicle(command=Twist) as vehicle:
        vehicle.half_ahead()

        def last_words():
            time.sleep(0.1)
            vehicle.fall_silent()

        held = hold(vehicle, 0.45, last_words)
        # They came up to 0.1 s after it began; counted from when they are read, it would be 0.95 s.
        vehicle.stopped_within(CMD_TIMEOUT + QUICK_BRAKE + 0.1, held, "commands that waited in a hold")
        keeps_its_value(vehicle, held, 0.45)
        vehicle.wait_for("OK", "CMD_STALE")
        details = vehicle.graph.messages["/hind/state_detail"]
        stale = next(at for at, message in details if at >= held and "CMD_STALE" in {cause.name for cause in message.causes}) - held
        assert stale < CMD_TIMEOUT + 0.1 + SLACK, f"commands that waited in a hold count until {stale:.3f} s after it began"
        waits_for_a_zero(vehicle, "a hold")


@pytest.mark.fault("held-long", "suspended")
def test_a_hold_of_more_than_the_limit_is_a_fault_that_stays():
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        held = hold(vehicle, 1.0)
        went_on = now()
        vehicle.wait_for("ESTOP", "FAULT_LATCHED", "OVERRUN")
        assert vehicle.detail.fault and vehicle.detail.rule == "OVERRUN"
        vehicle.stopped_within(0.02, went_on - 0.02, "it went on")
        keeps_its_value(vehicle, held, 1.0)
        vehicle.stays_stopped(0.3, "it goes on after a fault")
        vehicle.enable()
        vehicle.set_command(0.0)
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.3, "enable and a zero start it after a fault")
        vehicle.reset()
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.stays_stopped(0.3, "a reset alone starts it after a fault")
        vehicle.start()
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "after reset and enable")


def keeps_its_value(vehicle, held, seconds):
    """Checks that no motor value was published meanwhile, except those in flight."""
    published = [at - held for at, _ in vehicle.graph.messages["/motor/port"] if held + 0.05 < at < held + seconds]
    assert not published, f"a held process publishes: {published}"


@pytest.mark.fault("held-shortly")
def test_no_switch_of_a_hold_starts_anything():
    """A rise of enable, and a click of reset, that waited unread may be older than the stop that they would clear."""
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        vehicle.reset()  # its publisher must be discovered before
        vehicle.half_ahead()
        vehicle.enable(False)
        vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
        hold(vehicle, 0.3, lambda: vehicle.graph.publish("/hind/enable", Bool(data=True)))
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.stays_stopped(0.3, "a rise that waited")
        vehicle.half_ahead()
        vehicle.estop(True)
        vehicle.wait_for("ESTOP", "ESTOP_PRESSED", "ESTOP_LATCHED")
        vehicle.estop(False)
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        hold(vehicle, 0.3, vehicle.reset)
        start = now()
        vehicle.wait(lambda: len(vehicle.graph.since("/hind/state_detail", start)) >= 2, "no details")
        assert vehicle.state == "ESTOP" and vehicle.causes == {"ESTOP_LATCHED"}, f"a click that waited resets: {vehicle.causes}"
        vehicle.restart()
