"""The zone scaler over the wire: what is lost, what conflicts, and whose act brings motion back."""

import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist, TwistStamped
from luci_messages.msg import LuciZoneScaling
from processes import Process
from vehicle import conflicting_publisher
from zones import LUCI, PHYSICAL, Scaler


def test_without_a_scaling_nothing_moves():
    with Scaler(scaling=False) as scaler:
        scaler.command(1.0, 0.5)
        scaler.stick(100, 50)
        scaler.stays_at_rest(1.0, "moved without a scaling")
        scaler.wait_for_stick(0, 0, 2, PHYSICAL)
        scaler.wait_for_health(DiagnosticStatus.ERROR, "no scaling yet")


@pytest.mark.fault("scaling-lost")
def test_a_scaling_that_stops_coming_stops():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.stick(100, 0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = time.monotonic()
        scaler.fall_silent("scaling")
        scaler.rests_within(0.5, start, "silent scaling")
        took = time.monotonic() - start
        assert took > 0.45, f"took {took:.3f} s"
        scaler.wait_for_stick(0, 0, 0, PHYSICAL)
        scaler.wait_for_health(DiagnosticStatus.ERROR, "scaling is stale")
        scaler.scaling(1.0)
        scaler.stays_at_rest(0.5, "it came back, and the command was held throughout")
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "it came back")


def test_a_command_that_was_lost_in_motion_moves_nothing_before_a_zero():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = time.monotonic()
        scaler.fall_silent("command")
        scaler.rests_within(0.5, start, "silent command")
        scaler.hold(1.0)
        scaler.stays_at_rest(0.5, "a link that comes back")
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "after a zero")


@pytest.mark.fault("stage-dies")
def test_a_node_that_was_restarted_moves_nothing_before_a_zero():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        start = scaler.restart()
        scaler.wait(lambda: "withheld" in [message.header.frame_id for message in scaler.graph.since("/cmd_vel", start)], "it publishes nothing", 10.0)
        scaler.stays_at_rest(2.0, "the stick was not released")
        assert {message.twist.linear.x for message in scaler.graph.since("/cmd_vel", start)} == {0.0}
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "after a zero")


@pytest.mark.fault("stage-held")
def test_a_node_that_was_held_moves_nothing_that_waited():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        scaler.process.process.send_signal(signal.SIGSTOP)
        time.sleep(1.0)
        scaler.fall_silent("command")
        scaler.fall_silent("scaling")
        start = time.monotonic()
        scaler.process.process.send_signal(signal.SIGCONT)
        scaler.wait_for_left(0.0, 0.0, "held")
        time.sleep(0.3)
        left = [message.twist.linear.x for message in scaler.graph.since("/cmd_vel", start)]
        assert set(left) == {0.0}, f"commands that had waited moved: {left}"
        scaler.scaling(1.0)
        scaler.hold(1.0)
        scaler.stays_at_rest(0.5, "the command of motion continues")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "after a zero")


def test_an_absent_scaling_is_reported_without_a_command():
    with Scaler(scaling=False) as scaler:
        scaler.wait_for_health(DiagnosticStatus.ERROR, "no scaling yet")
        scaler.scaling(1.0)
        scaler.wait_for_health(DiagnosticStatus.OK, "no command in time")
        scaler.fall_silent("scaling")
        scaler.wait_for_health(DiagnosticStatus.ERROR, "scaling is stale")


def test_a_publisher_of_scaling_that_is_killed_stops():
    with Scaler(scaling=False) as scaler:
        scaler.graph.node.destroy_publisher(scaler.publishers.pop("scaling"))  # a silent one is one too many as well
        scaler.hold(1.0)
        simulator = Process("simulator")
        try:
            scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
            scaler.command(1.0)
            scaler.wait(lambda: scaler.left and scaler.left[0] > 0.0, "the simulator's zones let nothing through", 10.0)
            start = time.monotonic()
            simulator.kill()
            scaler.rests_within(0.5, start, "killed")
        finally:
            simulator.stop()


@pytest.mark.fault("scaling-lost")
def test_a_second_publisher_of_the_scaling_stops_and_is_logged_by_name():
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_health(DiagnosticStatus.OK, "scaled")
        start = time.monotonic()
        with conflicting_publisher(LuciZoneScaling, "/luci/scaling", LUCI, scaler.graph.context):
            scaler.rests_within(0.2, start, "two publishers of the scaling")
            scaler.wait(lambda: "'/luci/scaling': 2 publishers" in scaler.process.output, "it is not logged", 6.0)
            assert "conflicting" in scaler.process.output
            scaler.wait_for_health(DiagnosticStatus.ERROR, "more than one publisher of the scaling")
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.stays_at_rest(0.3, "one publisher again, and no zero")
        scaler.command(1.0)
        scaler.wait_for_health(DiagnosticStatus.OK, "scaled")


@pytest.mark.fault("zone-conflict")
@pytest.mark.parametrize("kind", [TwistStamped, Twist], ids=["TwistStamped", "Twist"])
def test_a_second_publisher_of_commands_of_any_type_stops(kind):
    with Scaler() as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "free")
        with conflicting_publisher(kind, "/cmd_vel_arbitrated"):
            scaler.wait_for_left(0.0, 0.0, "two publishers", 6.0)
            scaler.wait_for_health(DiagnosticStatus.ERROR, "more than one publisher of commands")
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "alone again")


@pytest.mark.fault("zone-conflict")
def test_the_first_message_of_a_second_publisher_of_commands_moves_nothing_after_a_rest():
    """The first publisher is silent, and the second one sends zeros and motion as soon as it is discovered."""
    with Scaler({"mode": "passthrough"}, scaling=False) as scaler:
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "alone")
        scaler.fall_silent("command")
        for _ in range(5):
            scaler.wait_for_left(0.0, 0.0, "silent")
            time.sleep(1.2)
            start, motion = time.monotonic(), TwistStamped()
            motion.twist.linear.x = 1.0
            with conflicting_publisher(TwistStamped, "/cmd_vel_arbitrated", context=scaler.graph.context) as second:
                while time.monotonic() < start + 0.3:
                    second.publish(TwistStamped())
                    second.publish(motion)
                    time.sleep(0.002)
                scaler.wait_for_health(DiagnosticStatus.ERROR, "more than one publisher of commands")
            moved = [m for m in scaler.graph.since("/cmd_vel", start) if m.twist != Twist()]
            assert not moved, moved[0]
        scaler.wait_for_health(DiagnosticStatus.WARN, "waits for a zero command")
        scaler.command(1.0)
        scaler.wait_for_left(1.0, 0.0, "alone again")
