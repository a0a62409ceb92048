"""Events that stop nothing: these tests show the limits that docs/safety.md states."""

import time

import pytest
from geometry_msgs.msg import TwistStamped
from graph import STOP, free_zones
from pads import AHEAD, DEAD_MAN, DESIRED, running, skip_without_umockdev, vx
from processes import Process
from std_msgs.msg import Bool
from vehicle import CMD_TIMEOUT, QUICK_BRAKE, Vehicle, now, second_publisher


@pytest.mark.fault("hindbrain-killed")
def test_a_killed_hindbrain_publishes_nothing_more():
    """The last motor value stays: the motor controller must stop by itself."""
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        vehicle.process.kill()
        killed = now()
        time.sleep(1.0)
        assert not vehicle.values(killed + 0.05), "a killed process publishes"
        assert vehicle.motors == (57, 57), "stop was published"
        vehicle.restart_node()
        vehicle.stays_stopped(0.5, "a hindbrain that was started again")
        vehicle.half_ahead()  # the new node has no record of the killed one


@pytest.mark.fault("commander-restarted")
def test_a_commander_that_is_killed_in_motion_and_started_again_stops():
    """Its successor is a second publisher until the middleware removes the dead one, and begins with motion."""
    with Vehicle() as vehicle:
        graph, command = vehicle.graph, TwistStamped()
        for topic, message in (("/cmd_vel_arbitrated", command), ("/luci/scaling", free_zones())):
            graph.repeat(topic, message, 20.0)
        first = Process("zone_scaler")
        vehicle.wait(lambda: vehicle.source("cmd_vel").says == "zero", "its heartbeat is not received", 10.0)
        vehicle.enable()
        vehicle.wait_for("OK")
        command.twist.linear.x = 0.5
        vehicle.wait_for_motors(57, 57, "it does not drive")
        killed = now()
        first.kill()
        second = Process("zone_scaler")
        try:
            vehicle.wait(lambda: graph.node.count_publishers("/cmd_vel") == 2, "the second one does not come", 5.0)
            came = now()
            # Whichever comes first: the conflict, or the last command's age and the slope.
            vehicle.stopped_within(min(came + 0.2 - killed, CMD_TIMEOUT + QUICK_BRAKE), killed, "killed and started again")
            vehicle.wait(lambda: "CMD_CONFLICT" in vehicle.causes, "no conflict")
            vehicle.stays_stopped(1.0, "it commands motion throughout")
            vehicle.wait_for("OK", "NEUTRAL_WAIT", timeout=40.0)
            vehicle.stays_stopped(0.5, "the dead one is forgotten, and no zero came")
            command.twist.linear.x = 0.0
            vehicle.wait_for("OK")
            command.twist.linear.x = 0.5
            vehicle.wait_for_motors(57, 57, "it does not drive after a zero")
        finally:
            second.stop()


@pytest.mark.fault("enable-lease", "enabler-dies")
@pytest.mark.parametrize("lease", [0.0, 0.3])
def test_the_enabling_node_may_die_unless_there_is_a_lease(lease):
    with Vehicle({"enable.lease": lease}) as vehicle:
        vehicle.set_command(0.0)
        with second_publisher(Bool, "/hind/enable") as switch:
            vehicle.wait(lambda: switch.publish(Bool()) or vehicle.source("hind/enable").says == "false", "it is not received")
            on = lambda: switch.publish(Bool(data=True))  # noqa: E731
            vehicle.wait(lambda: on() or (vehicle.state == "OK" and not vehicle.causes), "it does not enable")
            vehicle.set_command(0.5)
            vehicle.wait(lambda: on() or vehicle.motors == (57, 57), "it does not drive")
        died = now()
        if lease:
            vehicle.stopped_within(lease, died, "the switch died")
            vehicle.wait_for("SSTOP.ROS", "LEASE_LAPSED", "NOT_ARMED")
            vehicle.hold_enable(False)
            vehicle.wait_for("SSTOP.ROS", "NOT_ENABLED")
            vehicle.switch.data = True
            vehicle.drives_again("another switch is off and then on")
        else:
            time.sleep(1.5)
            assert set(vehicle.values(died)) == {57}


@pytest.mark.fault("pad-out-of-range")
def test_a_pad_that_falls_silent_drives_on(graph):
    """A receiver whose pad is out of reach cannot be distinguished from a stick that is held still."""
    skip_without_umockdev()
    with running(graph) as node:
        node.start().plug()
        node.drives()
        held = time.time()
        time.sleep(2.0)
        later = [vx(desired) for desired in graph.since(DESIRED, held + 1.0)]
        assert later and min(later) > 0.5, later
        node.act(buttons={DEAD_MAN: 0}, axes={AHEAD: 0})
        node.wait(DESIRED, lambda desired: vx(desired) == 0.0, "letting go does not stop")


@pytest.mark.fault("command-wrong")
def test_a_command_that_is_wrong_and_fresh_is_followed():
    """hindbrain is no planner: full speed ahead for ever is a command like any other."""
    with Vehicle() as vehicle:
        vehicle.start()
        vehicle.set_command(1.0)
        vehicle.wait_for_motors(24, 24, "full ahead")
        start = now()
        time.sleep(2.0)
        assert set(vehicle.values(start)) == {24} and STOP not in vehicle.values(start)
