"""Driving a chair through LUCI's topics and services: the life cycle, the sticks, and whatever a chair or a command may do wrong.

Every stick that the node ever publishes is looked at, see `Driver.check`.
"""

import math
import signal
import time

import pytest
from chairs import AUTO, BACK_RIGHT, FRONT, FRONT_LEFT, LEFT, NEUTRAL, PHYSICAL, REMOTE, RIGHT, SHARED, WDI
from chairs import Driver, Luci, active, fields, panicking_chair
from conftest import EDGE
from geometry_msgs.msg import Twist, TwistStamped
from luci_messages.msg import LuciJoystick
from std_msgs.msg import Bool, Int32
from std_srvs.srv import Empty

SET, REMOVE = "set_shared_remote_input", "remove_shared_remote_input"
AUTO_SERVICES = ("set_auto_remote_input", "remove_auto_remote_input")


def test_nothing_is_said_before_somebody_activates():
    with Luci() as luci, Driver() as driver:
        driver.say(1.0)
        driver.counts("commands", 20)
        assert driver.state == "inactive" and not driver.graph.heard[REMOTE] and not luci.calls
        driver.says("not activated")


@pytest.mark.parametrize("mode, source, services", [("shared", SHARED, (SET, REMOVE)), ("auto", AUTO, AUTO_SERVICES)])
def test_the_life_cycle(mode, source, services):
    with Luci(services) as luci, Driver({"mode": mode}, source=source) as driver:
        driver.activate()
        driver.become("confirmed")
        assert len(luci.called(services[0])) == 1 and luci.stick.input_source == source
        driver.is_neutral()
        driver.say(1.0)
        driver.become("active")
        driver.drives(50, 0, FRONT)
        driver.activate(False)
        left = time.time()
        driver.become("inactive")
        assert luci.stick.input_source == PHYSICAL and len(luci.called(services[1])) == 1
        time.sleep(0.3)
        # Neutral until the mode is left, then nothing: the last word was neutral.
        assert {stick for _, stick in driver.sticks(left)} <= {(*NEUTRAL, source)} and driver.last == (*NEUTRAL, source)
        assert not driver.sticks(time.time() - 0.2)
        driver.activate()
        driver.become("active")
        driver.drives(50, 0, FRONT)
        driver.says("the chair follows the commands")


def test_a_parameter_activates_at_the_start():
    with Luci() as luci, Driver({"activate": True}) as driver:
        driver.become("confirmed", 8.0)
        assert luci.called(SET)


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
            driver.say(linear, angular)
            driver.drives(*stick)
        driver.say(0.0)
        driver.is_neutral()


def test_sticks_go_out_at_20_hertz():
    with active() as (_, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        time.sleep(2.0)
        assert 34 <= len(driver.sticks(start)) <= 46, f"{len(driver.sticks(start))} in 2 s"
        assert {stick for _, stick in driver.sticks(start)} == {(50, 0, FRONT, SHARED)}


def test_each_profile_has_its_calibration_and_an_unknown_one_does_not_move():
    with active() as (luci, driver):
        driver.say(0.5)
        driver.drives(25, 0, FRONT)
        luci.profiles.publish(Int32(data=2))
        driver.drives(50, 0, FRONT)
        for profile in (3, 0, -1, 6, 2**31 - 1, -(2**31)):
            luci.profiles.publish(Int32(data=profile))
            driver.is_neutral(0.2)
            driver.says(f"no calibration for the chair's profile {profile}")
        luci.profiles.publish(Int32(data=1))
        driver.drives(25, 0, FRONT)


def test_a_chair_that_tells_no_profile_does_not_move():
    with Luci(profile=None) as luci, Driver() as driver:
        driver.say(1.0)
        driver.activate()
        driver.become("confirmed")
        driver.is_neutral()
        driver.says("the chair has not told its profile")
        luci.profiles.publish(Int32(data=1))
        driver.drives(50, 0, FRONT)


def test_a_lost_command_is_neutral():
    with active() as (_, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        start = time.time()
        driver.hush()
        driver.is_neutral()
        first = next(at for at, stick in driver.sticks(start) if stick == (*NEUTRAL, SHARED))
        assert first - start < 0.5 + 0.2, f"neutral after {first - start:.3f} s"
        driver.become("confirmed")
        driver.counts("lost commands")


@pytest.mark.parametrize("part", ["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_command_is_neutral(part, value):
    with active() as (_, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        axis, name = part.split(".")
        setattr(getattr(driver.command.twist, axis), name, value)
        driver.is_neutral(0.2)
        driver.says("invalid command")
        driver.counts("invalid commands")
        setattr(getattr(driver.command.twist, axis), name, 0.0)
        driver.say(1.0)
        driver.drives(50, 0, FRONT)


@pytest.mark.parametrize("value", [1e300, -1e300, 201.0, 5e-324])
def test_a_command_beyond_all_reason_is_neutral(value):
    with active() as (_, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        driver.say(value)
        driver.is_neutral(0.2)
        if abs(value) > 1.0:
            driver.says("beyond all reason")
            driver.counts("unreasonable commands")


def test_a_late_command_does_not_win():
    with active() as (_, driver):
        driver.say(1.0)
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


@pytest.mark.parametrize("source, text", [(PHYSICAL, "'chair physical' (4)"), (WDI, "'WDI' (2)"), (AUTO, "'autonomous remote' (1)")])
def test_a_chair_that_leaves_the_mode_gets_neutral(source, text):
    """Whoever took it keeps it: the mode is not taken back."""
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        luci.stick.input_source = source
        if source == AUTO:
            luci.position.publish(luci.stick)
        driver.become("lost")
        driver.is_neutral()
        if source != AUTO:
            driver.says(text)
        assert len(luci.called(SET)) == 1
        driver.activate()
        driver.drives(50, 0, FRONT)
        assert len(luci.called(SET)) == 2


def test_a_silent_chair_gets_neutral():
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        luci.stream(0)
        start = time.time()
        driver.become("lost", 1.0)
        driver.is_neutral()
        first = next(at for at, stick in driver.sticks(start) if stick == (*NEUTRAL, SHARED))
        assert first - start < 0.3 + 0.2, f"neutral after {first - start:.3f} s"
        driver.says("nothing is heard from the chair")
        luci.stream(20.0)
        driver.drives(50, 0, FRONT)


def test_a_chair_below_10_hertz_gets_neutral():
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        luci.stream(5.0)
        driver.become("lost", 3.0)
        driver.is_neutral()
        driver.says("too slowly")


@pytest.mark.parametrize("field", ["forward_back", "left_right", "joystick_zone", "input_source"])
@pytest.mark.parametrize("value", [2**31 - 1, -(2**31), 101])
def test_feedback_that_makes_no_sense_is_none(field, value):
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        setattr(luci.stick, field, value)
        driver.become("lost")
        driver.is_neutral(0.2)
        driver.counts("invalid feedback")
        driver.wait(lambda: f"{field} is {value}, must be" in (driver.value("last invalid feedback") or ""), "no word of it")


def test_a_service_that_is_not_there_is_told():
    with Luci(services=()) as _, Driver({"service_timeout": 0.2, "service_attempts": 3}) as driver:
        driver.says("'/luci/set_shared_remote_input' is not there")
        driver.activate()
        driver.become("activating")
        driver.become("inactive")
        # Nor did the one that leaves it, and a chair may have entered the mode all the same.
        driver.says("the chair may still be in the mode")
        assert driver.value("/luci/set_shared_remote_input") == "not there"
        assert {stick for _, stick in driver.sticks()} == {(*NEUTRAL, SHARED)}


def test_a_service_that_hangs_does_not_hold_up_the_sticks():
    with Luci() as luci, Driver({"service_timeout": 0.5, "service_attempts": 2}) as driver:
        luci.hangs = True
        driver.say(1.0)
        driver.activate()
        driver.become("activating")
        driver.is_neutral(0.6)
        driver.become("inactive", 12.0)
        driver.says("the chair may still be in the mode")


def test_a_mode_that_is_entered_late_is_left_again():
    with Luci() as luci, Driver({"service_timeout": 1.0, "service_attempts": 1}) as driver:
        luci.hangs = True
        driver.activate()
        driver.become("activating")
        driver.become("deactivating", 4.0)
        luci.hangs = False
        driver.wait(lambda: luci.stick.input_source == PHYSICAL and len(luci.called(REMOVE)) >= 1, "the mode is not left")
        driver.become("inactive", 8.0)
        time.sleep(0.5)
        assert luci.stick.input_source == PHYSICAL


def test_a_service_that_does_nothing_is_told():
    with Luci() as luci, Driver({"confirm_timeout": 0.5, "service_attempts": 2}) as driver:
        luci.obeys = False
        driver.say(1.0)
        driver.activate()
        driver.become("inactive", 8.0)
        driver.says("the chair did not enter the mode")
        assert len(luci.called(SET)) == 2 and luci.called(REMOVE)
        assert {stick for _, stick in driver.sticks()} == {(*NEUTRAL, SHARED)}


def test_a_mode_that_nobody_left_is_told():
    with Luci() as luci, Driver() as driver:
        luci.show(SHARED)
        driver.says("the chair is in the mode 'shared' that this node is not driving in")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, "panic"])
def test_whatever_ends_the_node_the_mode_is_removed(how):
    executable = panicking_chair() if how == "panic" else "chair"
    with Luci() as luci, Driver(executable=executable) as driver:
        driver.say(1.0)
        driver.activate()
        driver.drives(50, 0, FRONT, 6.0)
        start = time.time()
        if how == "panic":
            driver.graph.publish("/chair/panic", Bool(data=True))
        else:
            driver.process.process.send_signal(how)
        code = driver.process.wait(4.0)
        assert luci.stick.input_source == PHYSICAL and luci.called(REMOVE, start), driver.process.output
        assert code == (1 if how == "panic" else 0), driver.process.output
        time.sleep(0.2)
        assert driver.last == (*NEUTRAL, SHARED)
        assert time.time() - start < 3.0
        assert ("it panicked" in driver.process.output) == (how == "panic")


def test_a_chair_that_does_not_answer_does_not_keep_the_node_from_ending():
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        luci.hangs = True
        start = time.time()
        driver.process.process.send_signal(signal.SIGTERM)
        driver.process.wait(4.0)
        assert 1.0 < time.time() - start < 2.5 and driver.last == (*NEUTRAL, SHARED)
        assert "the last words were said and not answered" in driver.process.output


def test_killed_it_leaves_the_mode_behind():
    """Nothing can be done about that, and the next one says so."""
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        driver.process.kill()
        assert luci.stick.input_source == SHARED and not luci.called(REMOVE)
        with Driver() as other:
            other.says("the chair is in the mode 'shared' that this node is not driving in")
            other.call(Empty, "/luci/remove_shared_remote_input", Empty.Request())
            other.says("not activated")


@pytest.mark.parametrize("flood", ["command", "position"])
def test_a_flood_delays_nothing(flood):
    """A second of 1 kHz and more, and the next word counts at once."""
    with active() as (luci, driver):
        driver.say(1.0)
        driver.drives(50, 0, FRONT)
        driver.hush()
        start, number = time.time(), 0
        command = TwistStamped()
        while time.time() < start + 1.5:
            number += 1
            command.header.stamp = driver.graph.node.get_clock().now().to_msg()
            command.twist.linear.x = 0.5 if number % 2 else 1.5
            if flood == "command" or number % 20 == 0:
                driver.graph.publish("/cmd_vel", command)
            if flood == "position":
                luci.position.publish(luci.stick)
            time.sleep(max(0.0, start + number * 0.001 - time.time()))
        command.header.stamp = driver.graph.node.get_clock().now().to_msg()
        command.twist.linear.x = 0.0
        driver.graph.publish("/cmd_vel", command)
        took = driver.wait(lambda: driver.last == (*NEUTRAL, SHARED), "a zero after a flood")
        assert took < 0.2 and number > 800, f"{took:.3f} s after {number}"
        # No more than one stick each 10 ms but neutral, which LUCI's node could not take.
        gaps = [b - a for (a, _), (b, _) in zip(driver.sticks(start), driver.sticks(start)[1:])]
        assert len(gaps) < 180, f"{len(gaps)} sticks in 1.5 s"


@pytest.mark.parametrize("command", [TwistStamped, Twist], ids=["TwistStamped", "Twist"])
def test_the_occupants_stick_as_a_velocity(command):
    with active({"stamped": command is TwistStamped}, command=command) as (luci, driver):
        driver.graph.listen(command, "/chair/occupant", EDGE)

        def told():
            message = driver.graph.last("/chair/occupant")
            twist = getattr(message, "twist", message)
            return message and (twist.linear.x, twist.angular.z)

        for stick, velocity in [((50, 0), (1.0, 0.0)), ((0, -50), (0.0, 0.5)), ((-100, 100), (-2.0, -1.0)), ((0, 0), (0.0, 0.0))]:
            luci.stick.forward_back, luci.stick.left_right = stick
            driver.wait(lambda: told() == velocity, lambda: f"{stick} must be {velocity}, is {told()}")
        heard = len(driver.graph.heard["/chair/occupant"])
        time.sleep(0.5)
        assert len(driver.graph.heard["/chair/occupant"]) == heard, "a centred stick wishes nothing"
        luci.stick.forward_back = 50
        driver.wait(lambda: told() == (1.0, 0.0), "it goes on")
        luci.stick.forward_back = 2**31 - 1
        driver.wait(lambda: told() == (0.0, 0.0), "what makes no sense is zero")
        if command is TwistStamped:
            header = driver.graph.last("/chair/occupant").header
            assert header.frame_id == "base_link" and abs(header.stamp.sec - time.time()) < 10.0
