"""Floods and stale queues: the newest command counts, never one that lay waiting."""

import time

import pytest
from geometry_msgs.msg import TwistStamped
from std_msgs.msg import Bool

pytestmark = pytest.mark.alone


def test_stop_after_a_flood_counts_at_once(stack):
    """2,000 commands as fast as they go, then a zero: the motors must not work through a queue."""
    graph = stack.graph
    stack.enable(True)
    zero = TwistStamped()
    for _ in range(20):
        graph.publish("/cmd_vel_smoothed", zero)
        time.sleep(0.02)
    stack.wait_for_state("OK")
    command = TwistStamped()
    command.twist.linear.x = 1.0
    for _ in range(2000):
        graph.publish("/cmd_vel_smoothed", command)
    stack.wait_for_motors(lambda port, starboard: port < 85, "the flood does not drive")
    start = time.monotonic()
    graph.publish("/cmd_vel_smoothed", zero)
    stack.wait_for_stop("a zero followed the flood", 1.0)
    # The slope from wherever it was takes 0.33 s at most; without the zero it would take 0.5 s longer.
    assert time.monotonic() - start < 0.5
    goes_on = lambda: graph.publish("/cmd_vel_smoothed", command) or stack.motors[0] < 85
    graph.wait(goes_on, lambda: f"it does not drive after the flood: {stack.motors}, {stack.state}")


def test_disable_in_the_middle_of_a_flood_stops(stack):
    graph = stack.graph
    stack.drive_forward()
    command = TwistStamped()
    command.twist.linear.x = 1.0
    for number in range(1000):
        graph.publish("/cmd_vel_smoothed", command)
        time.sleep(0.0002)  # what a socket's buffer loses, Fast DDS repeats only seconds later
        if number == 500:
            graph.publish("/hind/enable", Bool(data=False))
            pressed = time.monotonic()
    stack.wait_for_stop("disabled in a flood", 0.5)
    stack.wait_for_state("SSTOP.ROS", 0.5)
    assert time.monotonic() - pressed < 1.0


def test_a_late_command_does_not_win(stack):
    """A command with an older stamp than the last one is late and must not replace it."""
    graph = stack.graph
    stack.enable(True)
    command = TwistStamped()

    def send(speed, ago):
        command.twist.linear.x = speed
        stamp = time.time_ns() - int(ago * 1e9)
        command.header.stamp.sec, command.header.stamp.nanosec = divmod(stamp, 1_000_000_000)
        graph.publish("/cmd_vel_smoothed", command)

    for _ in range(10):
        send(0.0, 0.0)
        time.sleep(0.05)
    stack.wait_for_state("OK")
    for _ in range(40):
        send(0.5, 0.0)
        send(-1.0, 0.2)
        time.sleep(0.02)
    assert stack.motors[0] < 90, f"a late command won: {stack.motors}"
