"""Why it stands: the one sentence on `why`, in one process and in four, and the tool that prints it."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from graph import EDGE, LATCHED
from processes import Process
from rclpy.qos import QoSProfile, ReliabilityPolicy
from stack import Stack
from std_msgs.msg import Bool, Int16

BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


def watch(stack):
    stack.graph.subscribe(DiagnosticStatus, "/why", LATCHED)
    return stack


def values(message):
    return {value.key: value.value for value in message.values}


def says(stack, sentence, timeout=5.0):
    """Waits until `why` has this sentence; returns its values."""
    is_shown = lambda: (last := stack.graph.last("/why")) and last.message == sentence  # noqa: E731
    stack.graph.wait(is_shown, lambda: f"why says '{stack.graph.last('/why')}', must say '{sentence}'\n{stack.output()}", timeout)
    return values(stack.graph.last("/why"))


def block(stack, factor, fields):
    """Sets the first `fields` factors, of which two are the front's."""
    for field in list(stack.scaling.get_fields_and_field_types())[:fields]:
        setattr(stack.scaling, field, factor)


MOVES = "It moves as joystick asks. Let go to stop."
DEAD_MAN = "Nobody drives: the dead-man button is up. Hold button 5 of Test_Pad."


def test_each_situation_has_its_sentence(stack):
    graph = watch(stack).graph
    found = says(stack, "hind/enable is silent. Publish false, then true.")
    assert (found["code"], found["act"], found["actor"], found["moves"]) == ("ENABLE_SILENT", "enable", "operator", "no")
    graph.publish("/hind/enable", Bool(data=True))
    says(stack, "Enable was on too early. Switch hind/enable off and on.")
    estop = Bool(data=True)
    graph.repeat("/hind/estop", estop, 20.0)
    says(stack, "The e-stop is pressed. Release it.")
    estop.data = False
    says(stack, "An emergency stop is latched. Press and release reset.")
    stack.unlatch()
    says(stack, "Enable was on too early. Switch hind/enable off and on.")
    stack.enable()
    found = says(stack, DEAD_MAN)
    assert (found["stage"], found["moves"]) == ("joystick", "may")
    stack.drive_forward()
    found = says(stack, MOVES)
    assert (found["moves"], found["driver"]) == ("yes", "joystick")
    block(stack, 0.5, 2)
    says(stack, "It moves, slowed down by the zone front. Drive another way to be faster.")
    block(stack, 0.0, 2)
    found = says(stack, "The zone front is blocked. Drive another way, or clear it.")
    assert (found["stage"], found["actor"], found["moves"]) == ("zone_scaler", "operator", "no")
    block(stack, 1.0, 2)
    says(stack, MOVES)
    stack.enable(False)
    says(stack, "The motors are not enabled. Switch hind/enable on.")
    stack.enable()
    says(stack, "The stick was pushed too early. Let it go once.")
    stack.stick(0.015)
    says(stack, "joystick asks for less than 0.02 m/s and 0.05 rad/s, which is a zero. Push further.")
    stack.stick(0.0)
    says(stack, "joystick asks for nothing. Push the stick.")
    stack.unplug()
    says(stack, "Nobody drives: navigation is silent on /cmd_vel_smoothed. Start it, or give it a goal.")
    goal = TwistStamped()
    timer = graph.repeat("/cmd_vel_smoothed", goal, 20.0)
    says(stack, "navigation asks for nothing. Give it a goal.")
    goal.twist.linear.x = 0.5
    says(stack, "It moves as navigation asks. Let go to stop.")
    graph.stop_repeating(timer)
    says(stack, "Nobody drives: navigation is silent on /cmd_vel_smoothed. Start it, or give it a goal.")
    stack.graph.stop_repeating(stack.scaling_timer)
    found = says(stack, "The zones are too old: luci/scaling fell silent. Start its publisher again.")
    assert found["moves"] == "no", "the next command would not pass"


@pytest.mark.parametrize("composed", [True, False])
def test_a_lock_that_was_never_received_is_named_once_a_source_asks(composed):
    stack = Stack(composed, ["-p", "velocity_arbiter:locks.pause.topic:=pause", "-p", "velocity_arbiter:locks.pause.priority:=200"])
    try:
        watch(stack.ready())
        stack.enable()
        says(stack, DEAD_MAN)
        goal = TwistStamped()
        stack.graph.repeat("/cmd_vel_smoothed", goal, 20.0)
        goal.twist.linear.x = 0.5
        assert says(stack, "The lock pause is silent and holds back navigation. Start its publisher.")["stage"] == "velocity_arbiter"
        closed = Bool(data=True)
        stack.graph.repeat("/pause", closed, 20.0)
        says(stack, "The lock pause is closed and holds back navigation. Open it.")
    finally:
        stack.close()


def test_a_second_publisher_is_named(separate):
    watch(separate)
    separate.enable()
    says(separate, DEAD_MAN)
    node = rclpy.create_node("smoother", context=separate.graph.context, enable_rosout=False, start_parameter_services=False)
    try:
        node.create_publisher(TwistStamped, "/cmd_vel", EDGE)
        says(separate, "Two nodes publish cmd_vel: smoother and zone_scaler. End one, or wait 20 s if it was killed.")
    finally:
        node.destroy_node()
    says(separate, DEAD_MAN)


@contextlib.contextmanager
def planner(stack, topic, kind=TwistStamped, qos=BEST_EFFORT):
    """A node that publishes on `topic`, where its messages are not received."""
    node = rclpy.create_node("planner", context=stack.graph.context, enable_rosout=False, start_parameter_services=False)
    try:
        yield node.create_publisher(kind, topic, qos)
    finally:
        node.destroy_node()


def test_a_source_that_cannot_be_received_is_not_called_silent(stack):
    """Best effort or of another type: to start it, or to give it a goal, would change nothing."""
    watch(stack).enable()
    says(stack, DEAD_MAN)
    unfit = "Nobody drives: navigation on /cmd_vel_smoothed is best effort or of another type. Correct planner."
    with planner(stack, "/cmd_vel_smoothed"):
        assert says(stack, unfit)["code"] == "SOURCE_UNFIT", "although a stick is there"
    says(stack, DEAD_MAN)
    stack.unplug()
    with planner(stack, "/cmd_vel_smoothed", Int16, EDGE):
        says(stack, unfit)
    says(stack, "Nobody drives: navigation is silent on /cmd_vel_smoothed. Start it, or give it a goal.")


def test_a_command_between_stages_that_cannot_be_received_is_not_called_silent(separate):
    watch(separate).enable()
    says(separate, DEAD_MAN)
    separate.processes["velocity_arbiter"].stop()
    with planner(separate, "/cmd_vel_arbitrated"):
        found = says(separate, "zone_scaler cannot receive cmd_vel_arbitrated: best effort, or another type. Correct planner.")
        assert (found["code"], found["moves"]) == ("CMD_UNFIT", "no")
    says(separate, "zone_scaler receives nothing on cmd_vel_arbitrated. Start what publishes it.")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_stage_that_dies_or_hangs_is_missed_by_the_next_one(separate, how):
    watch(separate)
    separate.drive_forward()
    says(separate, MOVES)
    zones = separate.processes["zone_scaler"]
    os.kill(zones.process.pid, how)
    silent = "hindbrain receives nothing on cmd_vel. End zone_scaler, and start it again."
    assert says(separate, silent)["moves"] == "no"
    if how == signal.SIGSTOP:
        os.kill(zones.process.pid, signal.SIGCONT)
        says(separate, "The stick was pushed too early. Let it go once.")
    else:
        zones.wait()


def why(*arguments):
    """Runs the tool: its exit code, its lines and its errors."""
    tool = shutil.which("steersman-why")
    assert tool, "steersman-why is not on the PATH; run the tests by `cargo xtask test`"
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=20.0)
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_a_joystick_that_dies_is_missed_and_not_another_source(separate):
    watch(separate)
    separate.drive_forward()
    says(separate, MOVES)
    joystick = separate.processes["joystick"]
    os.kill(joystick.process.pid, signal.SIGKILL)
    joystick.wait()
    found = says(separate, "Nobody drives: joystick is silent on /joystick/desired. End joystick, and start it again.")
    assert found["moves"] == "may", "the next source drives"
    # The one that was killed stays in the graph for 20 s, and must not hide the next one.
    separate.start("joystick")
    separate.stick(drive=False)
    assert says(separate, DEAD_MAN)["stage"] == "joystick"


def test_a_node_with_another_name_is_called_by_it(separate):
    watch(separate).enable()
    says(separate, DEAD_MAN)
    separate.processes["joystick"].stop()
    pad = ["-r", "__node:=pad", "-r", "~/desired:=/joystick/desired", "-r", "~/virtual_device:=/joystick/virtual_device"]
    mapping = ["-p", "virtual_device:=Test Pad", "-p", "linear.x.axis:=1", "-p", "enable.on:=5"]
    separate.processes["joystick"] = Process("joystick", "--ros-args", *pad, *mapping)
    found = lambda: values(separate.graph.last("/why"))  # noqa: E731
    separate.graph.wait(lambda: (found()["code"], found()["stage"]) == ("DEAD_MAN", "pad"), separate.output)
    separate.stick(0.0)
    says(separate, "pad asks for nothing. Push the stick.")


def test_a_simulated_time_that_stands_is_named_although_nobody_asks():
    stack = Stack(True, ["-p", "use_sim_time:=true"])
    try:
        watch(stack).enable()
        found = says(stack, "The simulated time does not run, so no stamp counts. Let one node publish /clock, without jumps.")
        assert (found["code"], found["moves"]) == ("CLOCK_STANDS", "no")
        assert abs(float(found["since"]) - time.time()) < 10.0, "by the wall clock"
    finally:
        stack.close()


def test_reasons_that_alternate_do_not_fill_the_log(stack):
    watch(stack).enable()
    says(stack, DEAD_MAN)
    for step in range(40):
        stack.graph.publish("/hind/enable", Bool(data=step % 2 == 1))
        time.sleep(0.06)
    stack.enable(False)
    last = "The motors are not enabled. Switch hind/enable on."
    says(stack, last)
    gate = stack.processes.get("hindbrain") or stack.processes["steersman"]
    written = lambda: [line for line in gate.lines if last in line or DEAD_MAN in line]  # noqa: E731
    until(lambda: written() and last in written()[-1], "the last reason is missing in the log")
    assert len(written()) <= 6, "\n".join(written())


def until(condition, failure, timeout=20.0):
    """Waits without the graph's lock, which would keep its publishers from repeating: a process may be discovered late."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < timeout, failure


def test_the_tool_prints_the_sentence_and_says_by_its_code_whether_it_may_move(stack):
    stands = lambda: why()[:2] == (1, ["hind/enable is silent. Publish false, then true."])  # noqa: E731
    until(stands, "no answer")
    stack.enable()
    until(lambda: why()[0] == 0, "it stands")
    answers = []
    until(lambda: answers.append(why("--json")) or answers[-1][0] == 0, "no answer")
    found = json.loads(answers[-1][1][0])
    assert (answers[-1][0], found["code"], found["sentence"], found["moves"]) == (0, "DEAD_MAN", DEAD_MAN, "may")
    stages = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"]
    until(lambda: [line.split()[0] for line in why("--all")[1][1:]] == stages, "a stage is missing")
    assert why("--namespace", "/elsewhere")[0] == 2
    tool = subprocess.Popen([shutil.which("steersman-why"), "--watch"], stdout=subprocess.PIPE, text=True)
    assert tool.stdout.readline().strip() == DEAD_MAN
    stack.enable(False)
    assert tool.stdout.readline().strip() == "The motors are not enabled. Switch hind/enable on."
    tool.send_signal(signal.SIGINT)
    assert tool.wait(5.0) == 1, "the code of the last answer"


SILENT = "The last gate is silent. End it if it hangs, then start hindbrain, steersman or chair."


def test_without_an_answer_the_tool_ends_with_2_and_without_a_question_with_3():
    sentence = SILENT
    assert why()[:2] == (2, [sentence])
    code, lines, _ = why("--json")
    found = {"act": "start", "actor": "configuration", "code": "GATE_SILENT", "moves": "unknown", "sentence": sentence}
    assert (code, [json.loads(line) for line in lines]) == (2, [found])
    code, lines, errors = why("--wait")
    assert (code, lines) == (3, []) and "--wait" in errors
    assert why("--help")[0] == 0


@pytest.mark.parametrize("composed", [True, False])
def test_a_gate_that_hangs_is_named_by_its_process(composed):
    stack = Stack(composed)
    try:
        gate = "steersman" if composed else "hindbrain"
        until(lambda: why()[0] == 1, "no answer")
        process = stack.processes[gate]
        tool = subprocess.Popen([shutil.which("steersman-why"), "--watch"], stdout=subprocess.PIPE, text=True)
        assert tool.stdout.readline().strip() == "hind/enable is silent. Publish false, then true."
        os.kill(process.process.pid, signal.SIGSTOP)
        try:
            assert tool.stdout.readline().strip() == f"{gate} is silent. End it if it hangs, then start it again."
            tool.send_signal(signal.SIGTERM)
            assert tool.wait(5.0) == 2
            assert why()[:2] == (2, [SILENT]), "it cannot be discovered while it hangs"
        finally:
            os.kill(process.process.pid, signal.SIGCONT)
        until(lambda: why()[0] == 1, "it does not answer again")
        # The sentence is obeyed: its process is ended, and another one is started, while the graph still shows both.
        process.kill()
        stack.start(gate)
        alone = lambda: (answer := why())[0] == 1 and len(answer[1]) == 1  # noqa: E731
        until(alone, "the tool does not know the living one")
    finally:
        stack.close()


def test_the_motors_need_a_node_that_obeys(graph):
    """Nobody subscribes to the motors here, so nothing moves whatever they are given."""
    processes = [Process("hindbrain", "--ros-args", "-p", "track:=2.0", "-p", "accel:=400.0", "-p", "decel:=800.0")]
    try:
        graph.subscribe(DiagnosticStatus, "/why", LATCHED)
        found = lambda code: (last := graph.last("/why")) and values(last)["code"] == code  # noqa: E731
        command = TwistStamped()
        graph.repeat("/cmd_vel", command, 20.0)
        graph.wait(lambda: found("ENABLE_SILENT"), lambda: processes[0].output)
        for on in (False, True):
            graph.publish("/hind/enable", Bool(data=on))
        graph.wait(lambda: found("NO_COMMAND"), lambda: str(graph.last("/why")))
        command.twist.linear.x = 0.5
        graph.wait(lambda: found("NO_MOTOR_NODE"), lambda: str(graph.last("/why")))
        last = graph.last("/why")
        assert last.message == "No node subscribes to motor/port, so nothing moves. Start what obeys it."
        assert values(last)["moves"] == "no"
        # One motor alone turns the vehicle.
        graph.record(Int16, "/motor/starboard")
        graph.wait(lambda: values(graph.last("/why"))["moves"] == "yes", lambda: str(graph.last("/why")))
    finally:
        processes[0].stop()
