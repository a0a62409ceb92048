"""Driving a chair through LUCI's topics: the sticks, and the faults of chairs and commands.

Every stick that the node publishes is checked, see `Driver.check`.
"""

import math
import time

import pytest
from chairs import (
    AUTO,
    AUTO_SERVICES,
    BACK_RIGHT,
    FRONT,
    FRONT_LEFT,
    LEFT,
    NEUTRAL,
    PHYSICAL,
    REMOTE,
    RIGHT,
    SET,
    SHARED,
    WDI,
    Driver,
    Luci,
    active,
)
from geometry_msgs.msg import Twist, TwistStamped
from graph import EDGE
from luci_messages.msg import LuciJoystick, LuciJoystickScaling
from std_msgs.msg import Int32
from vehicle import conflicting_publisher


@pytest.mark.parametrize("command", [TwistStamped, Twist], ids=["TwistStamped", "Twist"])
def test_sticks_have_luci_signs_and_zones(command):
    with active({"stamped": command is TwistStamped}, command=command) as (_, driver):
        # 2 m/s and 1 rad/s at full throw; a turn to the left is positive, a stick to the left negative.
        for linear, angular, stick in [
            (1.0, 0.0, (50, 0, FRONT)),
            (0.0, 0.5, (0, -50, LEFT)),
            (0.0, -0.25, (0, 25, RIGHT)),
            (1.0, 0.5, (50, -50, FRONT_LEFT)),
            (-1.0, 0.5, (-50, -50, BACK_RIGHT)),
            # Four times full throw: the path stays. 14.04 degrees to the left is beyond the front, which ends at 13.7.
            (8.0, 1.0, (100, -25, FRONT_LEFT)),
        ]:
            driver.set_command(linear, angular)
            driver.drives(*stick)
        driver.set_command(0.0)
        driver.is_neutral()


def test_nothing_moves_before_a_neutral_command():
    """The command is motion throughout, from before the start and through a loss of the chair."""
    with Luci() as luci, Driver() as driver:
        driver.set_command(1.0)
        driver.activate()
        driver.wait_for_message("waits for a zero command")
        driver.is_neutral()
        driver.set_command(0.0)
        driver.become("active")
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        luci.stream(0)
        driver.is_neutral()
        luci.stream(20.0)
        driver.wait_for_message("waits for a zero command")
        driver.is_neutral()
        driver.set_command(0.0)
        driver.become("active")
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)


def test_sticks_go_out_at_20_hertz():
    with active() as (_, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        time.sleep(2.0)
        assert 34 <= len(driver.sticks(start)) <= 46, f"{len(driver.sticks(start))} in 2 s"
        assert {stick for _, stick in driver.sticks(start)} == {(50, 0, FRONT, SHARED)}


@pytest.mark.fault("chair-lost")
def test_each_profile_has_its_calibration_and_an_unknown_one_does_not_move():
    with active() as (luci, driver):
        driver.set_command(0.5)
        driver.drives(25, 0, FRONT)
        luci.profiles.publish(Int32(data=2))
        driver.drives(50, 0, FRONT)
        for profile in (3, 0, -1, 6, 2**31 - 1, -(2**31)):
            start = time.time()
            luci.profiles.publish(Int32(data=profile))
            driver.neutral_within(0.0, start, f"profile {profile}")
            driver.wait_for_message(f"no calibration for the chair's profile {profile}")
        luci.profiles.publish(Int32(data=1))
        driver.is_neutral(0.2)
        driver.again(0.5)
        driver.drives(25, 0, FRONT)


def test_a_chair_without_a_profile_does_not_move():
    with Luci(profile=None) as luci, Driver() as driver:
        driver.set_command(1.0)
        driver.activate()
        driver.become("confirmed")
        driver.is_neutral()
        driver.wait_for_message("the chair's profile was not reported")
        luci.profiles.publish(Int32(data=1))
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


@pytest.mark.fault("chair-command-lost")
def test_a_lost_command_is_neutral():
    with active() as (_, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        driver.fall_silent()
        driver.neutral_within(0.5, start, "no command")
        driver.become("confirmed")
        driver.counts("lost commands")
        driver.set_command(1.0)
        driver.is_neutral()
        driver.wait_for_message("waits for a zero command")
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


PARTS = [(axis, name) for axis in ("linear", "angular") for name in "xyz"]


@pytest.mark.fault("chair-command-lost")
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_an_invalid_command_is_neutral(value):
    """Any part of the command may be invalid, also one that a chair does not use."""
    with active() as (_, driver):
        for axis, name in PARTS:
            driver.again(1.0)
            driver.drives(50, 0, FRONT)
            part = getattr(driver.command.twist, axis)
            start = time.time()
            setattr(part, name, value)
            driver.neutral_within(0.02, start, f"{axis}.{name} is {value}")
            setattr(part, name, 0.0)
        driver.counts("invalid commands", len(PARTS))


@pytest.mark.fault("chair-command-lost")
def test_a_command_beyond_all_reason_is_neutral():
    with active() as (_, driver):
        for value in (1e300, -1e300, 201.0, 5e-324):
            driver.again(1.0)
            driver.drives(50, 0, FRONT)
            start = time.time()
            driver.set_command(value)
            driver.neutral_within(0.02, start, f"{value} m/s")
        driver.again(201.0)
        driver.is_neutral()
        driver.counts("implausible commands", 4)


def test_a_late_command_does_not_win():
    with active() as (_, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        old = TwistStamped()
        old.header.stamp = (driver.graph.node.get_clock().now()).to_msg()
        old.header.stamp.sec -= 1
        old.twist.linear.x = -2.0
        start = time.time()
        for _ in range(50):
            driver.graph.publish("/cmd_vel", old)
            time.sleep(0.01)
        assert {stick for _, stick in driver.sticks(start)} == {(50, 0, FRONT, SHARED)}
        driver.counts("late commands", 40)


@pytest.mark.fault("chair-command-lost")
@pytest.mark.parametrize("ahead, counter", [(3600.0, "future commands"), (-0.55, "old commands"), (-3600.0, "old commands")])
def test_a_stamp_that_is_not_of_now_is_no_command(ahead, counter):
    with active() as (_, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        driver.set_command(1.0, ahead=ahead)
        driver.neutral_within(0.5, start, f"a stamp {ahead} s ahead")
        driver.counts(counter)
        driver.wait_for_message("no valid command")
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


def test_a_stop_with_an_old_stamp_stops():
    with active() as (_, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        driver.set_command(0.0, ahead=-3600.0)
        driver.is_neutral(1.0)
        driver.wait_for_message("no valid command")
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


def a_second_one_is_neutral_until_it_is_gone(kind, topic, reported):
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        with conflicting_publisher(kind, topic, context=luci.graph.context):
            driver.neutral_within(0.2, start, f"a second publisher of {topic}")
            driver.wait_for_message(reported, 6.0)
            driver.is_neutral()
        if topic == "/luci/chair_profile":  # it is unknown which publisher's value is the last
            driver.wait_for_message("not since two publishers reported it")
            driver.is_neutral()
            luci.profiles.publish(Int32(data=1))
        driver.wait_for_message("waits for a zero command")
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


@pytest.mark.fault("chair-command-lost")
@pytest.mark.parametrize("kind", [TwistStamped, Twist], ids=["TwistStamped", "Twist"])
def test_a_second_publisher_of_commands_of_any_type_is_neutral_until_it_is_gone(kind):
    a_second_one_is_neutral_until_it_is_gone(kind, "/cmd_vel", "2 publishers of commands")


@pytest.mark.fault("chair-lost")
def test_a_chair_that_another_node_drives_gets_neutral():
    a_second_one_is_neutral_until_it_is_gone(LuciJoystick, REMOTE, "2 publishers of sticks for the chair")


@pytest.mark.fault("chair-lost")
@pytest.mark.parametrize("kind, topic", [(LuciJoystick, "/luci/joystick_position"), (LuciJoystickScaling, "/luci/joystick_scaling"), (Int32, "/luci/chair_profile")])
def test_two_publishers_of_the_chairs_state_count_as_none(kind, topic):
    """A second one could go on showing a chair that has fallen silent."""
    reported = "2 publishers of luci/joystick_position, luci/joystick_scaling or luci/chair_profile"
    a_second_one_is_neutral_until_it_is_gone(kind, topic, reported)


@pytest.mark.fault("chair-lost")
@pytest.mark.parametrize("source, text", [(PHYSICAL, "'chair physical' (4)"), (WDI, "'WDI' (2)"), (AUTO, "'autonomous remote' (1)")])
def test_a_chair_that_leaves_the_mode_gets_neutral(source, text):
    """A mode that another client took is not taken back."""
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        luci.stick.input_source = source
        if source == AUTO:
            luci.position.publish(luci.stick)
        driver.neutral_within(0.05, start, "the chair shows another source")
        driver.become("lost")
        driver.is_neutral()
        if source != AUTO:
            driver.wait_for_message(text)
        assert len(luci.called(SET)) == 1
        driver.activate()
        driver.again(1.0)
        driver.drives(50, 0, FRONT)
        assert len(luci.called(SET)) == 2


@pytest.mark.fault("chair-lost")
def test_a_silent_chair_gets_neutral():
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        luci.stream(0)
        driver.neutral_within(0.3, start, "a silent chair")
        driver.become("lost", 1.0)
        driver.wait_for_message("the chair does not report the mode")
        luci.stream(20.0)
        driver.again(1.0)
        driver.drives(50, 0, FRONT)


def test_a_chair_that_publishes_five_times_a_second_is_driven():
    """LUCI's loop runs ten times a second, and one message may be missing."""
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        luci.stream(5.0)
        time.sleep(2.0)
        assert driver.state == "active" and driver.value("lost chairs") == "0", driver.process.output


@pytest.mark.parametrize("silent", ["shows_position", "shows_scaling", None])
def test_either_topic_shows_the_mode(silent):
    """And with the stick's own source on joystick_position, which LUCI does not exclude, the other one does."""
    with Luci() as luci, Driver() as driver:
        if silent is None:
            luci.own_source = PHYSICAL
        else:
            setattr(luci, silent, False)
        driver.set_command()
        driver.activate()
        driver.become("active")
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        luci.show(PHYSICAL)
        driver.become("lost")
        driver.is_neutral()
        driver.wait_for_message("'chair physical' (4)")


def test_a_position_with_the_sticks_own_source_confirms_nothing():
    with Luci() as luci, Driver({"service_attempts": 1}) as driver:
        luci.own_source, luci.shows_scaling = PHYSICAL, False
        driver.set_command()
        driver.activate()
        driver.become("inactive")
        driver.wait_for_message("the chair did not enter the mode")


@pytest.mark.parametrize("field", ["forward_back", "left_right", "joystick_zone", "input_source"])
def test_invalid_feedback_is_ignored(field):
    with active() as (luci, driver):
        luci.shows_scaling = False
        good = getattr(luci.stick, field)
        for value in (2**31 - 1, -(2**31), 101):
            driver.again(1.0)
            driver.drives(50, 0, FRONT)
            setattr(luci.stick, field, value)
            driver.become("lost")
            driver.is_neutral(0.2)
            setattr(luci.stick, field, good)
        driver.counts("invalid feedback")
        text = f"{field} is 101, must be"
        driver.wait(lambda: text in (driver.value("last invalid feedback") or ""), lambda: driver.value("last invalid feedback"))


def test_in_the_auto_mode_an_invalid_source_is_ignored():
    with Luci(AUTO_SERVICES) as luci, Driver({"mode": "auto"}, source=AUTO) as driver:
        driver.activate()
        for value in (2**31 - 1, -1, 6):
            driver.again(1.0)
            driver.drives(50, 0, FRONT, 6.0)
            luci.invalid_source = value
            driver.become("lost")
            driver.is_neutral(0.2)
            luci.invalid_source = None
        driver.counts("invalid feedback", 3)


@pytest.mark.fault("flood")
@pytest.mark.pair
@pytest.mark.parametrize("flood", ["command", "position", "scaling"])
def test_a_flood_delays_nothing(flood):
    """A second of 1 kHz and more, and the next message counts at once."""
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        driver.fall_silent()
        start, number = time.time(), 0
        command, scaling = TwistStamped(), LuciJoystickScaling(input_source=2**31 - 1)
        while time.time() < start + 1.5:
            number += 1
            command.header.stamp = driver.graph.node.get_clock().now().to_msg()
            command.twist.linear.x = 0.5 if number % 2 else 1.5
            if flood == "command" or number % 20 == 0:
                driver.graph.publish("/cmd_vel", command)
            if flood == "position":
                luci.position.publish(luci.stick)
            if flood == "scaling":
                luci.scaling.publish(scaling)
            time.sleep(max(0.0, start + number * 0.001 - time.time()))
        command.header.stamp = driver.graph.node.get_clock().now().to_msg()
        command.twist.linear.x = 0.0
        driver.graph.publish("/cmd_vel", command)
        took = driver.wait(lambda: driver.last == (*NEUTRAL, SHARED), "a zero after a flood")
        assert took < 0.2 and number > 800, f"{took:.3f} s after {number}"
        # At most one stick each 10 ms, since LUCI's node cannot process more; neutral is not limited.
        gaps = [b - a for (a, _), (b, _) in zip(driver.sticks(start), driver.sticks(start)[1:])]
        assert len(gaps) < 180, f"{len(gaps)} sticks in 1.5 s"


@pytest.mark.parametrize("command", [TwistStamped, Twist], ids=["TwistStamped", "Twist"])
def test_the_occupants_stick_is_published_as_a_velocity(command):
    with active({"stamped": command is TwistStamped}, command=command) as (luci, driver):
        driver.graph.subscribe(command, "/chair/occupant", EDGE)

        def reported():
            message = driver.graph.last("/chair/occupant")
            twist = getattr(message, "twist", message)
            return message and (twist.linear.x, twist.angular.z)

        for stick, velocity in [((50, 0), (1.0, 0.0)), ((0, -50), (0.0, 0.5)), ((-100, 100), (-2.0, -1.0)), ((0, 0), (0.0, 0.0))]:
            luci.stick.forward_back, luci.stick.left_right = stick
            driver.wait(lambda: reported() == velocity, lambda: f"{stick} must be {velocity}, is {reported()}")
        received = len(driver.graph.messages["/chair/occupant"])
        time.sleep(0.5)
        assert len(driver.graph.messages["/chair/occupant"]) == received, "a centred stick asks for nothing"
        luci.stick.forward_back = 50
        driver.wait(lambda: reported() == (1.0, 0.0), "it goes on")
        luci.stick.forward_back = 2**31 - 1
        driver.wait(lambda: reported() == (0.0, 0.0), "an invalid stick is zero")
        if command is TwistStamped:
            header = driver.graph.last("/chair/occupant").header
            assert header.frame_id == "base_link" and abs(header.stamp.sec - time.time()) < 10.0
