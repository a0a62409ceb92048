"""Zeros that are no release: a stick that is lost while it holds the vehicle still, and one that is held in another frame."""

import signal
import time

import pytest
from geometry_msgs.msg import TwistStamped
from graph import STOP
from or_joystick.srv import SetIntrinsicMode
from parameters import Parameters
from stack import BRAKES, Stack, navigation_drives_again


@pytest.fixture(params=["composed unplugged", "composed silent", "unplugged", "silent", "killed", "held", "ended"])
def lost(request):
    """The kind of loss, and the chain in one process or in four."""
    stack = Stack(composed=request.param.startswith("composed"))
    try:
        yield request.param.removeprefix("composed "), stack.ready()
    finally:
        stack.close()


def lose(stack, how):
    """Loses the stick in this way; returns the action that restores it."""
    if how == "unplugged":
        stack.unplug()
    elif how == "silent":
        stack.graph.stop_repeating(stack.hand_timer)
    elif how == "killed":
        stack.processes["joystick"].kill()
    elif how == "ended":
        stack.processes["joystick"].stop()
    else:
        process = stack.processes["joystick"].process
        process.send_signal(signal.SIGSTOP)
        return lambda: process.send_signal(signal.SIGCONT)
    return lambda: None


@pytest.mark.fault("stick-unplugged-handover", "stick-lost-at-rest")
def test_a_stick_that_is_lost_at_rest_hands_nothing_over_before_navigation_commands_zero(lost):
    how, stack = lost
    command = TwistStamped()
    stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.enable(True)
    stack.stick(0.0)
    stack.wait_for_state("OK")
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    stack.stays_stopped(1.0, "the stick holds it still, above navigation")
    undo = lose(stack, how)
    try:
        stack.stays_stopped(3.0, f"the stick is {how} at rest, and the stick was not released")
        navigation_drives_again(stack, command)
    finally:
        undo()


@pytest.mark.fault("dead-man-handover")
def test_a_hand_that_lets_go_at_rest_hands_over(stack):
    command = TwistStamped()
    stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.enable(True)
    stack.stick(0.0)
    stack.wait_for_state("OK")
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    stack.stays_stopped(1.0, "the stick holds it still, above navigation")
    stack.stick(0.0, drive=False)
    stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "a release hands over")
    start = time.monotonic()
    stack.unplug()
    time.sleep(1.0)
    values = {message.data for message in stack.graph.since("/motor/port", start)}
    assert STOP not in values, "the lost stick did not move the vehicle before"


@pytest.mark.fault("stick-frame-changed")
def test_a_stick_that_is_held_in_another_frame_moves_nothing_before_it_was_at_rest(stack):
    service = Parameters(stack.graph, "joystick")
    stack.drive_forward()
    start = time.monotonic()
    service.call(SetIntrinsicMode, "set_intrinsic_mode", intrinsic=False)
    stack.stopped_within(BRAKES, start, "a velocity of the world's frame is none")
    service.call(SetIntrinsicMode, "set_intrinsic_mode", intrinsic=True)
    stack.stays_stopped(1.5, "the frame is the vehicle's again, and the stick was not released")
    stack.drives_again()
