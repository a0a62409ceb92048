"""From the stick to the motors: the same behaviour in one process and in four."""

import time

import pytest
from geometry_msgs.msg import TwistStamped
from graph import LATCHED, SLACK, STOP
from or_joystick.msg import State
from or_pose_estimator.msg import PosCov, Vel
from or_pose_estimator.msg import State as PoseState
from parameters import Parameters
from stack import BRAKES, Stack, navigation_drives_again
from std_msgs.msg import Bool
from vehicle import second_publisher


def test_nothing_moves_before_enable(stack):
    stack.wait_for_state("SSTOP.ROS")
    stack.stick(0.0)
    stack.stick(1.0)
    stack.stays_stopped(1.0, "moved without enable")


def test_the_stick_drives_forward_backward_and_turns(stack):
    stack.drive_forward()
    stack.stick(-1.0)
    stack.wait_for_motors(lambda port, starboard: port > 120 and starboard > 120, "the vehicle does not reverse")
    stack.stick(0.0, left=1.0)
    # REP-103: the stick to the left is a positive turn, the port wheel backward (above 90), starboard forward.
    stack.wait_for_motors(lambda port, starboard: port > 100 and starboard < 80, "the vehicle does not turn left")
    stack.stick(0.0)
    stack.wait_for_stop("the stick is centred")


@pytest.mark.pair
def test_motors_ramp(stack):
    stack.drive_forward()
    stack.stick(0.0)
    stack.wait_for_stop("the stick is centred")
    stack.wait_for_rest()
    start = time.monotonic()
    stack.stick(1.0)
    took = stack.wait_for_motors(lambda port, starboard: port <= 30, "full speed is not reached")
    # 60 counts at 100 counts/s take 0.6 s at least.
    assert took > 0.5, f"full speed within {took:.3f} s is no ramp"
    values = [message.data for message in stack.graph.since("/motor/port", start)]
    assert all(after <= before for before, after in zip(values, values[1:])), f"not monotone: {values}"
    # A tick of 20 ms allows 2 counts; a message that comes late may show a few ticks at once.
    assert max(before - after for before, after in zip(values, values[1:])) <= 6, values


@pytest.mark.fault("dead-man-released")
def test_releasing_the_dead_man_button_stops(stack):
    stack.drive_forward()
    start = time.monotonic()
    stack.stick(1.0, drive=False)
    stack.stopped_within(BRAKES, start, "the dead-man button was released")
    stack.stays_stopped(0.7, "moved without the button")
    stack.stick(1.0)
    stack.wait_for_motors(lambda port, starboard: port < 60, "a press enables driving at any position of the stick")
    stack.stick(1.0, drive=False)
    stack.wait_for_stop("the dead-man button was released again")
    stack.stick(0.0, drive=False)
    stack.drives_again()


@pytest.mark.fault("stick-centred")
def test_a_stick_that_is_centred_with_its_button_held_slows_down_by_drag(stack):
    stack.drive_forward()
    start = time.monotonic()
    stack.stick(0.0)
    # From 1 m/s with a time constant of 1 / drag = 0.1 s until it counts as zero, 0.02 m/s.
    stack.stopped_within(0.4 + BRAKES, start, "the stick was centred")
    stack.stick(1.0)
    stack.wait_for_motors(lambda port, starboard: port < 60, "the button is held")
    stack.stick(0.0, drive=False)
    stack.drives_again()


@pytest.mark.fault("stick-unplugged", "pad-comes-back")
def test_unplugging_the_stick_stops(stack):
    stack.drive_forward()
    start = time.monotonic()
    stack.unplug()
    stack.stopped_within(BRAKES, start, "the stick was unplugged")
    stack.graph.wait(
        lambda: stack.graph.node.count_publishers("/joystick/device/Test_Pad") == 0, "the device's topic stays"
    )
    stack.stays_stopped(0.5, "moved without a stick")
    stack.stick(1.0)
    stack.graph.wait(
        lambda: stack.graph.node.count_publishers("/joystick/device/Test_Pad") == 1, "the device did not come back"
    )
    stack.stays_stopped(0.5, "moved by a stick that came back held")
    stack.stick(0.0, drive=False)
    time.sleep(0.3)
    stack.stick(1.0)
    stack.wait_for_motors(lambda port, starboard: port < 60, "the stick does not drive after it came back")


@pytest.mark.fault("enable-false")
def test_disable_stops_at_once(stack):
    stack.drive_forward()
    start = time.monotonic()
    stack.enable(False)
    stack.stopped_within(0.0, start, "enable is false")
    stack.wait_for_state("SSTOP.ROS")
    stack.stays_stopped(0.3, "moved although disabled")
    stack.enable(True)
    stack.wait_for_state("OK")
    stack.stays_stopped(0.5, "moved by enable alone, with a stick that was held all the while")
    stack.drives_again()


@pytest.mark.fault("estop-pressed")
def test_the_estop_latches(stack):
    estop, timer = stack.fit_estop()
    stack.drive_forward()
    start = time.monotonic()
    estop.data = True
    stack.graph.publish("/hind/estop", estop)
    stack.stopped_within(0.0, start, "the e-stop is pressed")
    stack.wait_for_state("ESTOP")
    switches(stack)
    stack.stays_stopped(0.3, "moved although the e-stop is pressed")
    estop.data = False
    stack.stays_stopped(0.3, "moved after the e-stop was released")
    stack.enable()
    stack.stick(0.0)
    stack.stick(1.0)
    stack.stays_stopped(0.3, "moved by enable and a zero, without reset")
    assert stack.state == "ESTOP", "released without reset"
    stack.unlatch()
    stack.wait_for_state("SSTOP.ROS")
    stack.stick(0.0)
    stack.stick(1.0)
    stack.stays_stopped(0.3, "moved by reset and a zero, without a new enable")
    stack.enable()
    stack.wait_for_state("OK")
    stack.stays_stopped(0.5, "moved by reset and enable, without a zero")
    stack.drives_again()
    start = time.monotonic()
    stack.graph.node.destroy_timer(timer)
    stack.stopped_within(0.5, start, "the e-stop's heartbeat has gone")
    stack.wait_for_state("ESTOP")


def switches(stack):
    """Reset, enable and a zero, and the stick ahead again."""
    stack.reset()
    stack.enable()
    stack.stick(0.0)
    stack.stick(1.0)


def estop_and_back(stack, estop):
    """Everything that motion needs after a stop, except a zero."""
    estop.data = True
    stack.wait_for_state("ESTOP")
    estop.data = False
    time.sleep(0.2)
    stack.reset()
    stack.wait_for_state("SSTOP.ROS")
    stack.enable(True)
    stack.wait_for_state("OK")


@pytest.mark.fault("motion-withheld")
def test_a_stick_held_through_an_estop_moves_nothing_when_the_zone_opens(stack):
    estop, _ = stack.fit_estop()
    stack.drive_forward()
    stack.scaling.front_fb = 0.0
    stack.wait_for_stop("a person stands in front")
    estop_and_back(stack, estop)
    stack.stays_stopped(1.0, "moved although the zone is closed")
    assert stack.graph.last("/cmd_vel").header.frame_id == "withheld"
    stack.scaling.front_fb = 1.0
    stack.stays_stopped(1.5, "drove off when the person stepped aside")
    assert stack.state == "OK" and stack.graph.last("/cmd_vel").header.frame_id == "base_link"
    stack.stick(0.0)
    stack.wait_for_rest()
    stack.stick(1.0)
    stack.wait_for_motors(lambda port, starboard: port < 60, "the stick does not drive after its release")


@pytest.mark.fault("motion-withheld", "source-lost", "lock-conflict")
@pytest.mark.parametrize("composed", [True, False], ids=["composed", "separate"])
def test_motion_behind_a_lock_through_an_estop_moves_nothing_when_the_lock_opens(composed):
    lock = ["-p", "velocity_arbiter:locks.door.topic:=/door", "-p", "velocity_arbiter:locks.door.priority:=50"]
    stack = Stack(composed, lock)
    try:
        stack.ready()
        door, command = Bool(data=False), TwistStamped()
        estop, _ = stack.fit_estop()
        stack.graph.repeat("/door", door, 20.0)
        stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
        stack.unplug()
        stack.enable(True)
        stack.wait_for_state("OK")
        stack.graph.wait(lambda: stack.graph.last("/cmd_vel"), "no command comes")
        time.sleep(1.5)
        command.twist.linear.x = 0.5
        stack.wait_for_motors(lambda port, starboard: port < 70, "navigation does not drive")
        start = time.monotonic()
        door.data = True
        stack.graph.publish("/door", door)
        stack.stopped_within(BRAKES / 2, start, "the lock is closed")
        estop_and_back(stack, estop)
        stack.stays_stopped(1.0, "moved behind the lock")
        assert stack.graph.last("/cmd_vel").header.frame_id == "withheld"
        door.data = False
        stack.stays_stopped(1.5, "drove off when the lock was opened")
        navigation_drives_again(stack, command)
        start = time.monotonic()
        with second_publisher(Bool, "/door", context=stack.graph.context):
            stack.stopped_within(0.2 + BRAKES / 2, start, "the lock has two publishers")
            stack.stays_stopped(0.3, "two publishers, one of which publishes open")
        stack.stays_stopped(1.0, "one publisher again, which publishes open")
        navigation_drives_again(stack, command)
    finally:
        stack.close()


@pytest.mark.fault("motion-withheld")
def test_a_source_that_waits_for_a_zero_through_an_estop_moves_nothing_but_by_its_own(stack):
    command = TwistStamped()
    estop, _ = stack.fit_estop()
    timer = stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.enable(True)
    stack.wait_for_state("OK")
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "navigation does not drive")
    timer.cancel()
    stack.wait_for_stop("navigation is silent")
    time.sleep(0.3)  # beyond its time-out
    timer.reset()
    estop_and_back(stack, estop)
    stack.stays_stopped(0.7, "it commands motion without a zero first")
    assert stack.graph.last("/cmd_vel").header.frame_id == "withheld"
    navigation_drives_again(stack, command)


@pytest.mark.fault("scaling-lost")
def test_silent_scaling_stops(stack):
    stack.drive_forward()
    start = time.monotonic()
    stack.scaling_timer.cancel()
    stack.stopped_within(0.5 + BRAKES, start, "luci/scaling is silent")
    stack.scaling_timer.reset()
    stack.stays_stopped(0.5, "factors come again, and the stick was held all the while")
    stack.drives_again()


def test_a_blocked_zone_stops_forward_but_not_backward(stack):
    stack.drive_forward()
    stack.scaling.front_fb = 0.0
    stack.wait_for_stop("the front is blocked")
    stack.stick(-1.0)
    stack.wait_for_motors(lambda port, starboard: port > 120, "no way out backward")


@pytest.mark.fault("source-lost", "dead-man-handover")
def test_navigation_drives_until_the_stick_does(stack):
    stack.enable(True)
    command = TwistStamped()
    timer = stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.wait_for_state("OK")
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    # Half speed is level 33: 90 - 33 = 57.
    stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "navigation does not drive")
    stack.stick(-1.0)
    stack.wait_for_motors(lambda port, starboard: port > 120, "the stick does not take over")
    start = time.monotonic()
    stack.stick(-1.0, drive=False)
    stack.stopped_within(BRAKES, start, "the button is released")
    stack.wait_for_motors(lambda port, starboard: port == starboard == 57, "navigation does not get its turn back")
    ahead = next(at for at, message in stack.graph.messages["/motor/port"] if at > start and message.data < STOP) - start
    assert 0.5 <= ahead < 0.5 + BRAKES + SLACK, f"navigation drives on {ahead:.3f} s after the button was released"
    start = time.monotonic()
    timer.cancel()
    stack.stopped_within(0.5 + BRAKES / 2, start, "navigation is silent")
    time.sleep(0.3)  # beyond its time-out
    timer.reset()
    stack.stays_stopped(0.5, "navigation comes back in motion")
    navigation_drives_again(stack, command)


@pytest.mark.fault("source-lost")
def test_a_velocity_that_is_not_finite_stops(stack):
    stack.enable(True)
    command = TwistStamped()
    stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.wait_for_state("OK")
    time.sleep(0.3)
    command.twist.linear.x = 0.5
    stack.wait_for_motors(lambda port, starboard: port == 57, "navigation does not drive")
    start = time.monotonic()
    command.twist.angular.z = float("nan")
    stack.graph.publish("/cmd_vel_smoothed", command)
    stack.stopped_within(BRAKES / 2, start, "navigation sends NaN")
    command.twist.angular.z = 0.0
    stack.stays_stopped(0.5, "a number again, and no zero")
    navigation_drives_again(stack, command)


@pytest.mark.fault("stick-unplugged-handover")
def test_a_stick_pulled_out_of_a_driving_vehicle_stops_it_until_navigation_commands_zero(stack):
    command = TwistStamped()
    stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.drive_forward()
    command.twist.linear.x = 0.5
    time.sleep(0.3)  # earlier zeros have arrived
    start = time.monotonic()
    stack.unplug()
    stack.stopped_within(BRAKES, start, "the stick was pulled out")
    stack.stays_stopped(1.5, "navigation drives on by itself")
    navigation_drives_again(stack, command)


def test_the_reference_passes_while_the_user_does_not_drive(stack):
    stack.graph.subscribe(PoseState, "/joystick/desired")
    reference = PoseState(intrinsic=True)
    # Without a stamp it is of now; the stick's own states have one.
    reference.pos_cov = [PosCov(cov=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]
    stack.stick(0.0, drive=False)
    timer = stack.graph.repeat("/joystick/reference", reference, 20.0)
    stack.graph.wait(lambda: stack.graph.last("/joystick/desired") == reference, "the reference does not begin with zero")
    reference.vel = [Vel(vx=0.25, vy=-0.0, vz=1e-300)]
    stack.graph.wait(lambda: stack.graph.last("/joystick/desired") == reference, "the reference does not come through")
    stack.stick(0.0, drive=True)
    stack.graph.wait(
        lambda: stack.graph.last("/joystick/desired").ts.sec != 0, "the reference comes through while the user drives"
    )
    stack.graph.node.destroy_timer(timer)


def test_a_device_publishes_its_state(stack):
    stack.graph.subscribe(State, "/joystick/device/Test_Pad", LATCHED)
    stack.stick(0.5, left=-1.0)
    stack.graph.wait(
        lambda: stack.graph.last("/joystick/device/Test_Pad")
        and list(stack.graph.last("/joystick/device/Test_Pad").axes[:2]) == [32767, -16383],
        lambda: f"device state is {stack.graph.last('/joystick/device/Test_Pad')}",
    )
    state = stack.graph.last("/joystick/device/Test_Pad")
    # Six axes, then vertical and horizontal of the hat.
    assert len(state.axes) == 8 and len(state.buttons) == 11 and state.buttons[5]


def test_motor_values_keep_coming_at_rest(stack):
    start = time.monotonic()
    time.sleep(1.0)
    count = len(stack.graph.since("/motor/port", start))
    # 50 Hz, with room for a busy machine.
    assert 30 <= count <= 60, f"{count} motor values in a second"
    assert stack.motors == (STOP, STOP)


# Of each node: a parameter, its new value, who drives, and the motor values before and after it. Of 0.25 m/s 66 * 0.25 = 16 counts.
ON_THE_MOVE = {
    "velocity_arbiter": ("limits.linear.x.max", 0.25, "navigation", 57, 74),
    "zone_scaler": ("scaling", "multiply", "navigation", 57, 74),  # with a factor of 0.5
    "joystick": ("amax", 5.0, "stick", 25, 57),  # which halves the speed that it nears at full throw, with nothing in the way
}


@pytest.mark.fault("parameter-set")
@pytest.mark.parametrize("node", ON_THE_MOVE)
def test_what_a_node_before_hindbrain_accepts_acts_at_once_and_it_drives_on(stack, node):
    name, value, driver, before, after = ON_THE_MOVE[node]
    command = TwistStamped()
    stack.graph.repeat("/cmd_vel_smoothed", command, 20.0)
    stack.scaling.front_fb = 1.0 if driver == "stick" else 0.5
    if driver == "stick":
        stack.enable(True)
        stack.stick(0.0)
        stack.wait_for_state("OK")
        stack.wait_for_rest()
        stack.stick(1.0)
    else:
        stack.enable(True)
        stack.wait_for_state("OK")
        time.sleep(0.3)
        command.twist.linear.x = 0.5
    # Between two counts both are sent in turn: 73 and 74 for 16.5 counts.
    stack.wait_for_motors(lambda port, starboard: port == starboard in (before, before - 1), f"{driver} does not drive")
    parameters = Parameters(stack.graph, node)
    descriptor = parameters.described()[name]
    start = time.monotonic()
    result = parameters.set(descriptor, value)
    assert result.successful, result.reason
    stack.wait_for_motors(lambda port, starboard: port == starboard in (after, after - 1), f"{name} has no effect")
    now = lambda at, message: at >= start and message.data not in (before, before - 1)  # noqa: E731
    acts = next(at for at, message in stack.graph.messages["/motor/port"] if now(at, message)) - start
    assert acts < SLACK, f"{name} acts after {acts:.3f} s"
    time.sleep(0.5)
    reported = [message.data for message in stack.graph.since("/motor/port", start)]
    # So while it comes nearer slowly, one may be less by a count than the one before it.
    is_steady = all(later >= earlier - 1 for earlier, later in zip(reported, reported[1:]))
    assert reported[-1] in (after, after - 1) and is_steady, f"it does not drive on: {reported}"
