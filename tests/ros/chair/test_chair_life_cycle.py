"""Entering and leaving a chair's remote mode: by services that may not answer, and at every kind of end.

Every stick that the node publishes is checked, see `Driver.check`.
"""

import signal
import time

import pytest
from chairs import AUTO, AUTO_SERVICES, FRONT, NEUTRAL, PHYSICAL, REMOTE, REMOVE, SET, SHARED, Driver, Luci, active
from processes import panicking
from std_msgs.msg import Bool
from std_srvs.srv import Empty


def test_nothing_is_published_before_activation():
    with Luci() as luci, Driver() as driver:
        driver.set_command(1.0)
        driver.counts("commands", 20)
        assert driver.state == "inactive" and not driver.graph.messages[REMOTE] and not luci.calls
        driver.wait_for_message("not activated")


@pytest.mark.parametrize("mode, source, services", [("shared", SHARED, (SET, REMOVE)), ("auto", AUTO, AUTO_SERVICES)])
def test_the_node_activates_drives_and_gives_the_chair_back(mode, source, services):
    with Luci(services) as luci, Driver({"mode": mode}, source=source) as driver:
        driver.activate()
        driver.become("confirmed")
        assert len(luci.called(services[0])) == 1 and luci.stick.input_source == source
        driver.is_neutral()
        driver.set_command(1.0)
        driver.wait_for_message("waits for a zero command")
        driver.is_neutral()
        driver.again(1.0)
        driver.drives(50, 0, FRONT)
        driver.activate(False)
        left = time.time()
        driver.become("inactive")
        assert luci.stick.input_source == PHYSICAL and len(luci.called(services[1])) == 1
        time.sleep(0.3)
        # Neutral until the mode is left, then nothing: the last message was neutral.
        assert {stick for _, stick in driver.sticks(left)} <= {(*NEUTRAL, source)} and driver.last == (*NEUTRAL, source)
        assert not driver.sticks(time.time() - 0.2)
        driver.activate()
        driver.again(1.0)
        driver.drives(50, 0, FRONT)
        driver.wait_for_message("the chair follows the commands")


def test_a_parameter_activates_at_the_start():
    with Luci() as luci, Driver({"activate": True}) as driver:
        driver.become("confirmed", 8.0)
        assert luci.called(SET)


def test_a_service_that_is_not_there_is_reported():
    with Luci(services=()) as _, Driver({"service_timeout": 0.2, "service_attempts": 3}) as driver:
        driver.wait_for_message("'/luci/set_shared_remote_input' is not there")
        driver.activate()
        driver.become("activating")
        driver.become("inactive")
        # Nor did the one that leaves it, and a chair may have entered the mode all the same.
        driver.wait_for_message("the chair may still be in the mode")
        assert driver.value("/luci/set_shared_remote_input") == "not there"
        assert {stick for _, stick in driver.sticks()} == {(*NEUTRAL, SHARED)}


def test_a_service_that_hangs_does_not_hold_up_the_sticks():
    with Luci() as luci, Driver({"service_timeout": 0.5, "service_attempts": 2}) as driver:
        luci.hangs = True
        driver.set_command(1.0)
        driver.activate()
        driver.become("activating")
        driver.is_neutral(0.6)
        driver.become("inactive", 12.0)
        driver.wait_for_message("the chair may still be in the mode")


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


def test_a_service_that_does_nothing_is_reported():
    with Luci() as luci, Driver({"confirm_timeout": 0.5, "service_attempts": 2}) as driver:
        luci.enters_modes = False
        driver.set_command(1.0)
        driver.activate()
        driver.become("inactive", 8.0)
        driver.wait_for_message("the chair did not enter the mode")
        assert len(luci.called(SET)) == 2 and luci.called(REMOVE)
        assert {stick for _, stick in driver.sticks()} == {(*NEUTRAL, SHARED)}


def test_a_mode_that_was_not_left_is_reported():
    with Luci() as luci, Driver() as driver:
        luci.show(SHARED)
        driver.wait_for_message("the chair is in the mode 'shared' that this node is not driving in")


@pytest.mark.fault("chair-node-ends")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, "panic"])
def test_any_end_of_the_node_removes_the_mode(how):
    executable = panicking("chair") if how == "panic" else "chair"
    with Luci() as luci, Driver(executable=executable) as driver:
        driver.activate()
        driver.again(1.0)
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
        driver.restart_node()
        driver.set_command(0.0)
        driver.set_command(1.0)
        time.sleep(0.3)
        assert not driver.sticks(time.time() - 0.3), "it was started again and not activated"
        driver.activate()
        driver.become("confirmed")
        driver.is_neutral()
        driver.again(1.0)
        driver.drives(50, 0, FRONT, 6.0)


def test_a_panic_of_an_inactive_node_leaves_the_mode_as_it_is():
    with Luci() as luci, Driver(executable=panicking("chair")) as driver:
        luci.show(SHARED)  # of another client
        driver.graph.publish("/chair/panic", Bool(data=True))
        assert driver.process.wait(4.0) == 1
        assert not luci.calls and not driver.graph.messages[REMOTE]


def test_a_chair_that_does_not_answer_does_not_keep_the_node_from_ending():
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        luci.hangs = True
        start = time.time()
        driver.process.process.send_signal(signal.SIGTERM)
        driver.process.wait(4.0)
        assert 1.0 < time.time() - start < 2.5 and driver.last == (*NEUTRAL, SHARED)
        assert "the final messages were sent and not answered" in driver.process.output


@pytest.mark.fault("chair-node-killed")
@pytest.mark.parametrize("leaves", [True, False], ids=["the mode is left", "the mode stays"])
def test_killed_it_leaves_the_mode_behind(leaves):
    """A killed node cannot leave the mode; the next one reports it."""
    with active() as (luci, driver):
        driver.set_command(1.0)
        driver.drives(50, 0, FRONT)
        driver.process.kill()
        assert luci.stick.input_source == SHARED and not luci.called(REMOVE)
        with Driver() as other:
            other.wait_for_message("the chair is in the mode 'shared' that this node is not driving in")
            if leaves:
                other.call(Empty, "/luci/remove_shared_remote_input", Empty.Request())
                other.wait_for_message("not activated")
            other.activate()
            other.wait_for_message("waits for a zero command")
            driver.set_command()
            other.become("active")
            driver.set_command(1.0)
            other.drives(50, 0, FRONT)
