"""Whatever dies, the motors stop without anyone's help, as long as hindbrain lives."""

import time

import pytest
from conftest import STOP, Process
from std_msgs.msg import Int16


@pytest.mark.parametrize("victim", ["joystick", "velocity_arbiter", "zone_scaler"])
def test_killing_a_node_stops_the_motors(separate, victim):
    separate.drive_forward()
    separate.processes[victim].kill()
    # Time-outs of 0.5 s, then 66 counts at 200 counts/s: 0.83 s.
    took = separate.wait_for_stop(f"{victim} was killed", 2.0)
    assert took < 1.5, f"took {took:.3f} s"
    separate.stays_stopped(0.5, f"moved after {victim} was killed")


@pytest.mark.parametrize("victim", ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"])
def test_ending_a_node_stops_the_motors(separate, victim):
    """On SIGTERM a node says zero before it goes."""
    separate.drive_forward()
    start = time.monotonic()
    separate.processes[victim].stop()
    separate.wait_for_stop(f"{victim} was ended", 1.5)
    assert separate.processes[victim].process.returncode == 0
    last = separate.graph.since("/motor/port", start)[-1]
    assert last.data == STOP


def test_ending_the_one_process_stops_the_motors(stack):
    stack.drive_forward()
    for process in stack.processes.values():
        process.stop()
    stack.wait_for_stop("everything was ended", 1.0)


def test_a_wrong_type_is_ignored_and_reported(stack):
    """An Int16 where a Bool belongs moves nothing, and the user reads why."""
    stack.graph.repeat("/hind/enable", Int16(data=1), 20.0)
    stack.stick(0.0)
    stack.stick(1.0)
    stack.stays_stopped(1.0, "moved by a wrong type")
    stack.graph.wait(
        lambda: "'/hind/enable' is published by node 'observer' as std_msgs/msg/Int16, must be std_msgs/msg/Bool"
        in stack.output(),
        lambda: "the wrong type is not reported:\n" + stack.output(),
    )


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
    assert "ROS refuses the arguments" in process.output and "panicked" not in process.output, process.output
