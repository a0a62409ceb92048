"""A stage between the stick and hindbrain is lost at full speed: after its return nothing moves before the stick was released."""

import signal
import time

import pytest
from geometry_msgs.msg import Twist
from luci_messages.msg import LuciZoneScaling
from processes import Process
from stack import BRAKES
from surrounds import SCANNER, SENSOR, scan, stamped
from vehicle import known_participant, second_publisher
from zones import arguments

STAGES = ["joystick", "velocity_arbiter", "zone_scaler"]


@pytest.mark.fault("stage-dies", "stage-held")
@pytest.mark.parametrize("victim", STAGES)
def test_a_stage_that_was_held_moves_nothing_before_a_zero(separate, victim):
    separate.drive_forward()
    process = separate.processes[victim].process
    start = time.monotonic()
    process.send_signal(signal.SIGSTOP)
    try:
        separate.stopped_within(0.5 + BRAKES, start, f"{victim} is held")
    finally:
        process.send_signal(signal.SIGCONT)
    separate.stays_stopped(1.0, f"{victim} goes on, and the stick was not released")
    separate.drives_again()


@pytest.mark.fault("stage-dies")
def test_stages_that_were_killed_drive_again_once_the_graph_has_forgotten_them(separate):
    separate.drive_forward()
    for victim in STAGES:
        start = time.monotonic()
        separate.processes[victim].kill()
    separate.stopped_within(0.5 + BRAKES, start, "all stages were killed")
    separate.start(*STAGES)
    publishers = lambda: [separate.graph.node.count_publishers(topic) for topic in ("/cmd_vel", "/cmd_vel_arbitrated")]
    separate.graph.wait(lambda: publishers() == [2, 2], lambda: f"they are not back: {publishers()}", 10.0)
    separate.graph.wait(lambda: publishers() == [1, 1], lambda: f"the dead ones are not forgotten: {publishers()}", 40.0)
    separate.stays_stopped(1.0, "all are back, and the stick was not released")
    separate.drives_again()


@pytest.mark.fault("scaling-lost", "zone-conflict")
@pytest.mark.parametrize("message_type, topic", [(Twist, "/cmd_vel_arbitrated"), (LuciZoneScaling, "/luci/scaling")])
def test_a_second_publisher_between_stages_is_gone(separate, message_type, topic):
    separate.drive_forward()
    with known_participant() as context:
        time.sleep(3.5)  # what its first announcement did not bring, the next one does after 3 s
        start = time.monotonic()
        with second_publisher(message_type, topic, context=context):
            separate.stopped_within(0.2 + BRAKES, start, f"a second publisher of {topic}")
    separate.stays_stopped(1.0, "it is gone, and the stick was not released")
    separate.drives_again()


@pytest.mark.fault("surround-conflict", "surround-silent")
@pytest.mark.parametrize("lost", ["silent", "two publishers"])
def test_a_sensor_that_measures_again_lets_nothing_go_on_by_itself(stack, lost):
    """From `surround` to the motors: a loss of its view stops, and the stick has to be released before motion continues."""
    graph = stack.graph
    graph.stop_repeating(stack.scaling_timer)
    surround = Process("surround", *arguments(SCANNER))
    try:
        publisher, free = graph.node.create_publisher(type(scan()), "/scan", SENSOR), scan()
        scans = graph.node.create_timer(0.05, lambda: publisher.publish(stamped(free)))
        graph.wait(lambda: publisher.get_subscription_count() and graph.node.count_publishers("/luci/scaling"), "no surround", 10.0)
        stack.drive_forward()
        start = time.monotonic()
        if lost == "silent":
            scans.cancel()
            stack.stopped_within(0.5 + BRAKES, start, "the scanner is silent")
            stack.stays_stopped(0.5, "the scanner is silent")
            scans.reset()
        else:
            with second_publisher(type(free), "/scan", SENSOR, graph.context):
                stack.stopped_within(0.2 + BRAKES, start, "the scanner has two publishers")
                stack.stays_stopped(0.5, "the scanner has two publishers")
        assert stack.state == "OK"
        stack.stays_stopped(1.0, "the scanner measures again, and the stick was held all the while")
        stack.stick(0.0)
        stack.drives_again()
    finally:
        surround.stop()
