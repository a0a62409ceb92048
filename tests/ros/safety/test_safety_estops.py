"""An e-stop that is incompatible, is not received, or is pressed among releases: it stops, and the switches bring motion back."""

import contextlib
import time

import pytest
from conflicts import BEST_EFFORT, COUNTED_WITHIN, FIRSTS_NAME, wait_for_conflict
from graph import EDGE, STOP
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool, Int16
from vehicle import Vehicle, hold, known_participant, now, second_publisher


@pytest.mark.fault("estop-conflict")
def test_two_estops_of_one_name_stop_until_a_reset():
    with Vehicle() as vehicle:
        vehicle.fit_estop()
        vehicle.half_ahead()
        with second_publisher(Bool, "/hind/estop", name=FIRSTS_NAME) as second:
            wait_for_conflict(vehicle, "/hind/estop")
            vehicle.wait_for_motors(STOP, STOP, "two e-stops of one name")
            second.publish(Bool(data=False))
            vehicle.reset()
            vehicle.enable()
            vehicle.stays_stopped(0.3, "two e-stops, both released")
            sentence = "'/hind/estop' is published by /observer (2 times), must be one publisher of std_msgs/Bool, reliable: let one node join all"
            vehicle.wait(lambda: sentence in vehicle.process.output, "the remedy is not logged")
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        assert vehicle.detail.rule == "ESTOP_CONFLICT"
        vehicle.restart()
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "after reset and enable")


@pytest.mark.fault("estop-unreceived")
def test_an_estop_that_is_there_must_be_received():
    """An e-stop that only publishes changes is not known to be released, neither at its start nor after a restart of hindbrain."""
    with contextlib.ExitStack() as stack:
        with Vehicle() as vehicle:
            context = stack.enter_context(known_participant())
            vehicle.half_ahead()
            start = now()
            button = stack.enter_context(second_publisher(Bool, "/hind/estop", context=context))
            vehicle.stopped_within(COUNTED_WITHIN, start, "a silent e-stop")
            vehicle.wait_for("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED")
            sentence = "/second publishes '/hind/estop', and it is not received: its publisher must repeat true or false"
            vehicle.wait(lambda: sentence in vehicle.process.output, "the remedy is not logged")
            vehicle.reset()
            vehicle.stays_stopped(0.3, "a silent e-stop")
            assert vehicle.source("hind/estop").publishers == ["/second"]
            repeats = vehicle.graph.node.create_timer(0.05, lambda: button.publish(Bool(data=False)))
            vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
            vehicle.restart()
            vehicle.drives_again("its release is repeated")
            vehicle.graph.node.destroy_timer(repeats)
        with Vehicle() as vehicle:
            silent = ("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED", "NOT_ENABLED", "CMD_STALE")
            vehicle.wait_for(*silent)
            button.publish(Bool(data=False))
            vehicle.wait_until_received("hind/estop", 0.0)
            vehicle.wait_for(*silent)
            vehicle.set_command()
            vehicle.reset()
            vehicle.enable()
            vehicle.set_command(0.5)
            vehicle.stays_stopped(0.3, "an e-stop that spoke once")


@pytest.mark.fault("estop-unreceived", "estop-conflict")
@pytest.mark.parametrize("message_type, qos", [(Bool, BEST_EFFORT), (Int16, EDGE)], ids=["best effort", "another type"])
def test_a_single_incompatible_estop_stops(message_type, qos):
    """Its value does not matter; its end and the switches bring motion back."""
    with known_participant() as context, Vehicle() as vehicle:
        vehicle.half_ahead()
        start = now()
        with second_publisher(message_type, "/hind/estop", qos, context) as only:
            vehicle.stopped_within(COUNTED_WITHIN, start, "an incompatible e-stop")
            wait_for_conflict(vehicle, "/hind/estop")
            for _ in range(10):
                only.publish(message_type())
            vehicle.reset()
            vehicle.enable()
            vehicle.set_command(0.0)
            vehicle.set_command(0.5)
            vehicle.stays_stopped(0.3, "an incompatible e-stop, and the switches")
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.restart()
        vehicle.drives_again("it is gone")


@pytest.mark.fault("estop-first", "estop-pressed", "hindbrain-killed")
def test_a_discovered_estop_lets_nothing_drive_before_its_first_message():
    """The e-stop stays pressed through a restart of hindbrain, and publishes only changes: enable and a zero come before its next message."""
    with Vehicle() as vehicle, known_participant() as context, second_publisher(Bool, "/hind/estop", context=context) as button:
        button.publish(Bool(data=True))
        vehicle.wait(lambda: "ESTOP_LATCHED" in vehicle.causes, "the e-stop is not discovered")
        vehicle.process.kill()
        vehicle.restart_node()
        vehicle.wait(lambda: "ESTOP_LATCHED" in vehicle.causes, "the e-stop is not discovered again")
        vehicle.set_command()
        vehicle.enable(False)
        vehicle.enable()
        vehicle.set_command(0.5)
        vehicle.stays_stopped(0.5, "an e-stop that is discovered and not received")
        assert vehicle.state == "ESTOP"


@pytest.mark.fault("estop-unreceived")
def test_an_estop_that_was_never_received_may_go():
    """After its end, which leaves no e-stop, the switches are enough."""
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        with second_publisher(Bool, "/hind/estop"):
            vehicle.wait_for("ESTOP", "ESTOP_STALE", "ESTOP_LATCHED")
        vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
        vehicle.stays_stopped(0.3, "by its end alone")
        vehicle.restart()
        vehicle.drives_again("the e-stop is gone")


def in_one_go(vehicle, *presses):
    """The e-stop publishes these at once, and nothing from then on."""
    vehicle.estop_timer.cancel()
    time.sleep(0.05)  # the timer's last message is out
    for pressed in presses:
        vehicle.publisher(Bool, "/hind/estop").publish(Bool(data=pressed))


@pytest.mark.fault("estop-pressed")
@pytest.mark.parametrize("profile", ["strict", "seed"])
def test_a_press_between_releases_is_received_once_and_in_order(profile):
    """A late copy of a release is no release: the last message counts, also in the profile that restarts by itself."""
    with Vehicle({"profile": profile, "estop.timeout": 2.0}) as vehicle:
        vehicle.estop(False) if profile == "seed" else vehicle.fit_estop()
        vehicle.start()
        vehicle.set_command(0.5)
        for _ in range(5):
            vehicle.wait(lambda: vehicle.motors[0] < STOP, "it does not drive")
            in_one_go(vehicle, False, False, False, False, True)
            vehicle.wait(lambda: vehicle.state == "ESTOP", "the press is not received")
            vehicle.wait_for_motors(STOP, STOP, "pressed")
            vehicle.stays_stopped(0.3, "a release of before the press releases")
            assert vehicle.source("hind/estop").says == "pressed"
            vehicle.estop_timer.reset()  # released, from now on
            if profile == "strict":
                vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
                vehicle.restart()
            vehicle.wait_for("OK")
            vehicle.set_command(0.5)


@pytest.mark.fault("estop-pressed")
def test_no_press_among_releases_is_lost():
    """Each press latches, although a release follows at once: a reliable subscription receives all of them."""
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        vehicle.fit_estop()
        vehicle.start()
        for _ in range(10):
            in_one_go(vehicle, False, False, True, False)
            vehicle.estop_timer.reset()
            vehicle.wait_for("ESTOP", "ESTOP_LATCHED")
            vehicle.restart()


@pytest.mark.fault("estop-pressed")
def test_no_press_among_hundreds_of_releases_is_lost_in_a_hold():
    """An e-stop publishes quickly while hindbrain is held for less than a fault needs: all messages are read, with a press among them."""
    with Vehicle({"estop.timeout": 2.0}) as vehicle:
        deep = vehicle.graph.node.create_publisher(Bool, "/hind/estop", QoSProfile(depth=1000))
        vehicle.graph.publishers["/hind/estop"] = deep
        vehicle.fit_estop()
        vehicle.start()
        vehicle.set_command(0.0)
        hold(vehicle, 0.4, lambda: in_one_go(vehicle, *[False] * 400, True, *[False] * 400))
        vehicle.wait(lambda: "ESTOP_LATCHED" in vehicle.causes, "the press is not received")
