"""Battery, motors and light of the device that drives, as far as a virtual one has them: it has none."""

import math
import time

import pytest
from graph import EDGE, LATCHED
from joysticks import Joystick
from sensor_msgs.msg import BatteryState, Imu, JoyFeedback


@pytest.fixture
def joystick(graph):
    joystick = Joystick(graph)
    try:
        graph.subscribe(BatteryState, "/joystick/battery", LATCHED)
        graph.subscribe(Imu, "/joystick/imu", EDGE)
        yield joystick
    finally:
        joystick.process.stop()


def feed_back(joystick, kind, number, intensity):
    joystick.graph.publish("/joy/set_feedback", JoyFeedback(type=kind, id=number, intensity=intensity))


def wait_for_words(joystick, words):
    joystick.graph.wait(lambda: words in joystick.process.output, lambda: f"'{words}' is not logged:\n{joystick.process.output}")


def test_an_unknown_battery_is_published_as_unknown(joystick):
    joystick.hold({0: 100})
    joystick.graph.wait(lambda: joystick.graph.last("/joystick/battery"), "no battery is published")
    battery = joystick.graph.last("/joystick/battery")
    assert math.isnan(battery.percentage) and math.isnan(battery.voltage) and not battery.present
    assert battery.power_supply_status == BatteryState.POWER_SUPPLY_STATUS_UNKNOWN
    assert joystick.graph.last("/joystick/imu") is None, "a device without a gyro publishes an Imu"


@pytest.mark.parametrize(
    "kind, number, intensity, words",
    [
        (JoyFeedback.TYPE_RUMBLE, 2, 0.5, "id is 2, must be from 0 to 1 for a motor (strong, weak)"),
        (JoyFeedback.TYPE_LED, 3, 0.5, "id is 3, must be from 0 to 2 for a light (red, green, blue)"),
        (JoyFeedback.TYPE_RUMBLE, 0, math.nan, "intensity is NaN, must be from 0 to 1"),
        (JoyFeedback.TYPE_RUMBLE, 0, -0.1, "intensity is -0.1, must be from 0 to 1"),
        (JoyFeedback.TYPE_BUZZER, 0, 0.5, "type is 2, must be 0 (light) or 1 (motor); no device of SDL has a buzzer"),
    ],
)
def test_arguments_that_fit_no_device_are_refused_in_one_sentence(joystick, kind, number, intensity, words):
    joystick.hold({0: 100})
    feed_back(joystick, kind, number, intensity)
    wait_for_words(joystick, f"'joy/set_feedback' is refused: {words}")
    assert joystick.process.process.poll() is None


def test_missing_abilities_of_the_device_are_reported(joystick):
    joystick.hold({0: 100})
    joystick.graph.wait(lambda: joystick.graph.last("/joystick/battery"), "no device drives")
    feed_back(joystick, JoyFeedback.TYPE_RUMBLE, 0, 1.0)
    wait_for_words(joystick, "refused rumble")
    feed_back(joystick, JoyFeedback.TYPE_LED, 1, 1.0)
    wait_for_words(joystick, "refused LED colour")
    for number in range(50):
        feed_back(joystick, JoyFeedback.TYPE_RUMBLE, 0, number / 100)
        time.sleep(0.01)
    time.sleep(0.2)
    assert joystick.process.output.count("refused rumble") == 1, "once is enough"


def test_wrong_messages_do_not_flood_the_log(joystick):
    for _ in range(50):
        feed_back(joystick, JoyFeedback.TYPE_RUMBLE, 0, 2.0)
        time.sleep(0.01)
    wait_for_words(joystick, "is refused: intensity is 2")
    lines = joystick.process.output.count("is refused")
    assert lines <= 2, f"{lines} lines in about half a second"
