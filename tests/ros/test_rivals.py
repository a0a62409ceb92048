"""Who else publishes what only one may: commands for hindbrain, or values for the motors."""

import time

from conftest import EDGE, LATCHED, STOP, Stack
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from hindbrain_msgs.msg import StateDetail
from std_msgs.msg import Int16
from vehicle import Vehicle, now, rival


def test_a_second_publisher_of_commands_stops_until_it_is_gone():
    with Vehicle() as vehicle:
        vehicle.start()
        vehicle.say(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        with rival(TwistStamped, "/cmd_vel"):
            vehicle.wait_for("SSTOP.ROS", "RIVAL_PUBLISHERS")
            vehicle.wait_for_motors(STOP, STOP, "a second publisher")
            vehicle.wait(lambda: sorted(vehicle.source("cmd_vel").publishers) == ["/observer", "/rival"], "it is not named")
            assert vehicle.source("cmd_vel").blocks
            lines = lambda: [line for line in vehicle.process.lines if "2 publishers of '/cmd_vel': " in line]  # noqa: E731
            vehicle.wait(lambda: any("/rival" in line for line in lines()), "the rival is not reported by name")
        vehicle.wait_for("OK", "NEUTRAL_WAIT")
        assert vehicle.source("cmd_vel").publishers == ["/observer"]
        vehicle.say(0.0)
        vehicle.wait_for("OK")
        vehicle.say(0.5)
        vehicle.wait_for_motors(57, 57, "the rival has gone")


def test_a_second_publisher_is_only_a_warning_if_so_wished():
    with Vehicle({"rival_publishers": "warn"}) as vehicle:
        vehicle.start()
        vehicle.say(0.5)
        vehicle.wait_for_motors(57, 57, "half ahead")
        start = now()
        with rival(TwistStamped, "/cmd_vel", context=vehicle.graph.context):
            vehicle.wait_for("OK", "RIVAL_PUBLISHERS")
            vehicle.wait(lambda: "2 publishers of '/cmd_vel': " in vehicle.process.output, "the rival is not reported")
            vehicle.wait(lambda: sorted(vehicle.source("cmd_vel").publishers) == ["/observer", "/rival"], "it is not named")
        vehicle.wait_for("OK")
        assert set(vehicle.values(start)) == {57}, "a warning moved or stopped something"


def test_nobody_drives_past_the_stages_of_the_one_process():
    """In `steersman` the command never leaves the process, so that a stranger's is not heard, and is no rival."""
    stack = Stack(composed=True)
    try:
        stack.graph.record(StateDetail, "/hind/state_detail", LATCHED)
        stack.ready().drive_forward()
        stack.wait_for_motors(lambda port, starboard: port == starboard < 27, "full ahead")
        start = time.monotonic()
        with rival(TwistStamped, "/cmd_vel", EDGE) as stranger:
            reverse = TwistStamped()
            reverse.twist.linear.x = -1.0
            looked = len(stack.graph.heard["/hind/state_detail"])
            # Two details later the rival would have been counted.
            stack.graph.wait(
                lambda: stranger.publish(reverse) or len(stack.graph.heard["/hind/state_detail"]) >= looked + 2, "no details"
            )
            assert not stack.graph.last("/hind/state_detail").causes
        values = {message.data for message in stack.graph.since("/motor/port", start)}
        assert max(values) < 27, f"a stranger's command was heard: {values}"
    finally:
        stack.close()


def test_whoever_else_tells_the_motors_is_an_error_of_its_name():
    """No state of hindbrain's can stop a motor that hears another node, so that it can only say so, loudly."""
    with Vehicle() as vehicle:
        vehicle.graph.record(DiagnosticArray, "/diagnostics")

        def status():
            statuses = [s for m in vehicle.graph.since("/diagnostics", 0.0) for s in m.status if s.name == "hindbrain"]
            return (statuses[-1].level, statuses[-1].message) if statuses else None

        def told():
            level, message = status()
            return level == DiagnosticStatus.ERROR and "the motors are told by 2 nodes" in message

        vehicle.wait(lambda: status() and not told(), "no diagnostics")
        with rival(Int16, "/motor/starboard"):
            vehicle.wait(told, lambda: f"diagnostics say {status()}", 10.0)
            sentence = "the motors are told by more than this node: "
            lines = lambda: [line for line in vehicle.process.lines if sentence in line]  # noqa: E731
            vehicle.wait(lambda: any("/rival" in line and "/hindbrain" in line for line in lines()), "the rival is not named")
        vehicle.wait(lambda: not told(), "the rival has gone", 10.0)
