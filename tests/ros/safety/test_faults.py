"""When any process dies the motors stop by themselves, as long as hindbrain runs."""

import signal
import time

import pytest
from graph import STOP
from or_pose_estimator.msg import State as PoseState
from or_pose_estimator.msg import Vel
from processes import Process
from rclpy.qos import QoSProfile, ReliabilityPolicy
from stack import BRAKES
from std_msgs.msg import Bool, Int16
from vehicle import Vehicle, now, second_publisher


@pytest.mark.fault("stage-dies")
@pytest.mark.parametrize("victim", ["joystick", "velocity_arbiter", "zone_scaler"])
def test_killing_a_node_stops_the_motors(separate, victim):
    separate.drive_forward()
    start = time.monotonic()
    separate.processes[victim].kill()
    separate.stopped_within(0.5 + BRAKES, start, f"{victim} was killed")
    separate.stays_stopped(0.5, f"moved after {victim} was killed")


@pytest.mark.fault("signal", "stage-dies")
@pytest.mark.parametrize("victim", ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"])
def test_ending_a_node_stops_the_motors(separate, victim):
    """On SIGTERM a node publishes zero before it ends."""
    separate.drive_forward()
    start = time.monotonic()
    separate.processes[victim].process.terminate()
    # Without the node's last message a time-out of 0.5 s would come before the slope.
    separate.stopped_within(0.0 if victim == "hindbrain" else BRAKES, start, f"{victim} was ended")
    assert separate.processes[victim].wait() == 0
    last = separate.graph.since("/motor/port", start)[-1]
    assert last.data == STOP
    separate.start(victim)
    separate.stays_stopped(1.0, f"{victim} is back, and the stick was not released") if victim != "hindbrain" else None
    separate.drives_again() if victim != "hindbrain" else separate.drive_forward()


def test_ending_the_one_process_stops_the_motors(stack):
    stack.drive_forward()
    for process in stack.processes.values():
        process.stop()
    stack.wait_for_stop("everything was ended", 1.0)


@pytest.mark.fault("signal")
@pytest.mark.parametrize("gap", [0.0, 0.002, 0.02])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGTSTP])
def test_a_second_signal_does_not_cut_the_stop_short(stack, number, gap):
    stack.drive_forward()
    start = time.monotonic()
    for _ in range(2):
        for process in stack.processes.values():
            process.process.send_signal(number)
        time.sleep(gap)
    for process in stack.processes.values():
        assert process.wait() == 0, process.output
    stack.stopped_within(0.0, start, "two signals ended everything")
    assert stack.graph.since("/motor/port", start)[-1].data == STOP
    if gap:
        return
    stack.start(*stack.processes)
    stack.drive_forward()


# Ends or suspends a process that does not catch it. A fault of the processor (SIGSEGV, SIGBUS, SIGFPE, SIGILL) is a crash.
CATCHABLE = sorted(
    set(signal.valid_signals())
    - {signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
    - {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}  # no effect by default
    - {signal.SIGPIPE}  # ignored, as Rust's programs do
    - set(range(signal.SIGRTMIN + 1, signal.SIGRTMAX))  # as their first and last
)


@pytest.mark.fault("signal")
@pytest.mark.parametrize("number", CATCHABLE, ids=lambda number: getattr(number, "name", str(number)))
def test_every_signal_that_can_be_caught_ends_at_stop(number):
    """Also Ctrl-Z: a suspended hindbrain would leave the motors at their last value."""
    with Vehicle() as vehicle:
        vehicle.half_ahead()
        start = now()
        vehicle.process.process.send_signal(number)
        assert vehicle.process.wait() == 0, vehicle.process.output
        vehicle.wait(lambda: vehicle.values(start) and vehicle.motors == (STOP, STOP), "the motors are not stopped", 1.0)
        is_common = number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
        assert ("was received: the process ends at stop" in vehicle.process.output) != is_common, vehicle.process.output


@pytest.mark.fault("virtual-stick-silent")
def test_a_hand_that_dies_lets_go(stack):
    """The virtual stick is held forward by a publisher that then dies."""
    stack.drive_forward()
    start = time.monotonic()
    stack.hand_timer.cancel()
    stack.stopped_within(0.5 + BRAKES, start, "the publisher of the virtual stick is gone")
    stack.stays_stopped(0.5, "moved without a hand")
    stack.hand_timer.reset()
    stack.stays_stopped(0.5, "moved by a stick that came back held")
    stack.stick(0.0, drive=False)
    time.sleep(0.3)
    stack.drives_again()


@pytest.mark.fault("reference-silent")
@pytest.mark.parametrize("stamped", [True, False], ids=["stamped", "unstamped"])
def test_a_reference_that_dies_stops(stack, stamped):
    """The joystick repeats a reference; a dead publisher's must not drive for ever."""
    reference = PoseState(intrinsic=True, vel=[Vel()])

    def keep_fresh():
        if stamped:
            reference.ts = stack.graph.node.get_clock().now().to_msg()

    stack.graph.node.create_timer(0.01, keep_fresh)
    stack.enable(True)
    stack.stick(0.0, drive=False)
    timer = stack.graph.repeat("/joystick/reference", reference, 20.0)
    stack.wait_for_state("OK")
    time.sleep(0.5)
    reference.vel = [Vel(vx=0.8)]
    stack.wait_for_motors(lambda port, starboard: port < 60 and starboard < 60, "the reference does not drive")
    start = time.monotonic()
    timer.cancel()
    stack.stopped_within(0.5 + BRAKES, start, "the reference's publisher is gone")
    stack.stays_stopped(1.0, "moved by a dead reference")
    timer.reset()
    stack.stays_stopped(0.5, "a reference again, and no zero")
    reference.vel = [Vel()]
    time.sleep(0.3)
    reference.vel = [Vel(vx=0.8)]
    stack.wait_for_motors(lambda port, starboard: port < 60 and starboard < 60, "the reference does not drive after a zero")


@pytest.mark.fault("estop-conflict")
def test_a_best_effort_estop_stops(stack):
    """A best-effort publisher may lose a press between two releases, so it counts as no e-stop."""
    stack.drive_forward()
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    start = time.monotonic()
    publisher = stack.graph.node.create_publisher(Bool, "/hind/estop", best_effort)
    timer = stack.graph.node.create_timer(0.05, lambda: publisher.publish(Bool(data=False)))
    stack.wait_for_state("ESTOP")
    stack.stopped_within(0.2, start, "the e-stop is best effort")
    sentence = "must be one publisher of std_msgs/Bool, reliable: let one node join all buttons"
    output = lambda: "\n".join(process.output for process in stack.processes.values())
    stack.graph.wait(lambda: sentence in output(), lambda: f"the remedy is not logged:\n{output()}")
    stack.graph.node.destroy_timer(timer)
    stack.graph.node.destroy_publisher(publisher)
    stack.stays_stopped(0.5, "by its end alone")
    stack.reset()
    stack.wait_for_state("SSTOP.ROS")
    stack.drive_forward()


def test_a_best_effort_switch_is_reported(graph):
    """A reliable subscription cannot receive it, and the log gives the reason."""
    process = Process("hindbrain")
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = graph.node.create_publisher(Bool, "/hind/enable", best_effort)
    try:
        graph.wait(
            lambda: "'/hind/enable' is published by node 'observer' as best effort, must be reliable" in process.output,
            lambda: "the reliability is not reported:\n" + process.output,
        )
    finally:
        graph.node.destroy_publisher(publisher)
        process.stop()


def test_one_name_for_all_nodes_is_refused():
    process = Process("steersman", "--ros-args", "-r", "__node:=foo")
    assert process.wait() == 1
    assert "would rename all nodes of the process to the same" in process.output


@pytest.mark.parametrize("executable", ["hindbrain", "velocity_arbiter"])
def test_an_argument_that_is_no_text_is_refused(executable):
    process = Process(executable, "--ros-args", "-p", b"a:=\xff")
    assert process.wait() == 1
    assert process.output == f"{executable}: argument 'a:=\ufffd' is not valid UTF-8"


def test_unused_arguments_are_refused():
    process = Process("hindbrain", "--params-file", "x.yaml")
    assert process.wait() == 1
    assert "arguments for ROS come after --ros-args" in process.output


def test_a_file_without_the_node_is_mentioned(tmp_path):
    file = tmp_path / "other.yaml"
    file.write_text("joystick: {ros__parameters: {drag: 1.0}}\n")
    process = Process("hindbrain", "--ros-args", "--params-file", str(file))
    sentence = "the parameter files hold nothing for '/hindbrain': all defaults are in force"
    deadline = time.monotonic() + 5.0
    while sentence not in process.output and time.monotonic() < deadline:
        time.sleep(0.05)
    process.stop()
    assert sentence in process.output


@pytest.mark.fault("enable-incompatible")
def test_a_wrong_type_is_ignored_and_reported(stack):
    """An Int16 where a Bool belongs moves nothing, and the log gives the reason."""
    with second_publisher(Int16, "/hind/enable") as wrong:
        timer = stack.graph.node.create_timer(0.05, lambda: wrong.publish(Int16(data=1)))
        stack.stick(0.0)
        stack.stick(1.0)
        stack.stays_stopped(1.0, "moved by a wrong type")
        stack.graph.wait(
            lambda: "'/hind/enable' is published by node 'second' as std_msgs/msg/Int16, must be std_msgs/msg/Bool" in stack.output(),
            lambda: "the wrong type is not reported:\n" + stack.output(),
        )
        stack.graph.node.destroy_timer(timer)
    stack.drive_forward()


@pytest.mark.parametrize(
    "node, argument, sentence",
    [
        ("hindbrain", "cmd_timeout:=99.0", "parameter 'cmd_timeout' is 99.0, must be from"),
        ("hindbrain", "cmd_timeuot:=1.0", "did you mean 'cmd_timeout'?"),
        ("hindbrain", "accel:=.nan", "parameter 'accel' is .nan, must be from"),
        ("joystick", "drag:=fast", "parameter 'drag' is \"fast\" (string), must be of type double"),
        ("joystick", "linear.x.axis:=16", "parameter 'linear.x.axis' is 16, must be from -1 to 15"),
        ("velocity_arbiter", "sources.a.priority:=256", "parameter 'sources.a.priority' is 256, must be from 0 to 255"),
        ("zone_scaler", "scaling:=cubic", "must be one of: limit, multiply"),
        ("zone_scaler", "boundaries.front:=80.0", "'boundaries.front_side' is 78.45, must be greater than 'boundaries.front'"),
        ("zone_scaler", "markers.frame:=''", "parameter 'markers.frame' is \"\", must name a frame"),
        ("surround", "front.slow:=5.0", "'front.slow' is 5.0, must not be greater than 'reach', which is 3.0 m"),
        ("surround", "sensors.a.type:=cloud", "parameter 'sensors.a.topic' is \"\", must name a topic"),
        ("surround", "sensors.a.topic:=no topic", "must be a ROS topic name"),
        ("chair", "profiles.a.forward.full_throw:=1.0", "'profiles.a.number' is 0, must be given, from 1 to 5"),
        ("chair", "profiles.a.number:=1", "'profiles.a.forward.full_throw' is 0.0, must be given, from 0.1 to 20.0 m/s"),
        ("steersman", "hindbrain:cmd_timeout:=99.0", "parameter 'cmd_timeout' is 99.0, must be from"),
    ],
)
def test_a_bad_parameter_is_refused_at_start(node, argument, sentence):
    process = Process(node, "--ros-args", "-p", argument)
    assert process.wait() == 1
    assert sentence in process.output, process.output
    assert "panicked" not in process.output


def test_a_bad_parameter_file_is_refused_at_start(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("hindbrain: [1, 2\n")
    process = Process("hindbrain", "--ros-args", "--params-file", str(file))
    assert process.wait() == 1
    assert "bad.yaml', line 2: " in process.output and "panicked" not in process.output, process.output
