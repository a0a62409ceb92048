"""A hand that MuJoCo simulates in a process of its own, as the clients of the node haptix see it, and what happens when it fails."""

import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
from hands import ERROR, hand
from haptix_msgs.srv import ReadSensors, Update

pytestmark = pytest.mark.skipif(
    shutil.which("mujoco_hand") is None, reason="mujoco_hand is not built: cargo xtask setup --mujoco, cargo build -p mujoco_hand"
)

INDEX1, INDEX_DISTAL = 8, 9


def simulator(hand):
    """The id of the node's only child."""
    node = hand.process.process.pid
    children = pathlib.Path(f"/proc/{node}/task").glob("*/children")
    (child,) = {int(pid) for task in children for pid in task.read_text().split()}
    assert pathlib.Path(f"/proc/{child}/comm").read_text() == "mujoco_hand\n"
    return child


def is_running(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rsplit(") ", 1)[1][0] != "Z"


def wait_for_end(process, timeout=5.0):
    end = time.monotonic() + timeout
    while is_running(process):
        assert time.monotonic() < end, "the simulator does not end with its node"
        time.sleep(0.01)


def test_commands_move_the_hand_in_mujoco_and_objects_press_on_it():
    with hand(device="mujoco:mpl", step_rate=500) as mpl:
        info, names = mpl.info()
        assert (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count) == (13, 22, 19, 5)
        assert names.contact_names[INDEX_DISTAL] == "index_distal"
        target = [0.0] * 13
        target[INDEX1] = 1.0
        is_there = lambda s: abs(s.motor_pos[INDEX1] - 1.0) < 0.01 and abs(s.motor_vel[INDEX1]) < 0.01  # noqa: E731
        sensor = mpl.follow(is_there, "the finger does not bend", ref_pos=target)
        # PIP after its knee of 0.384 rad, and gravity by the sum of the three joints: MuJoCo's own joints and sensors.
        assert abs(sensor.joint_pos[9] - 0.71875 * (1.0 - 0.384)) < 0.02
        acceleration = sensor.imu_linear_acc[1]
        assert abs((acceleration.x**2 + acceleration.y**2 + acceleration.z**2) ** 0.5 - 9.81) < 0.1
        assert list(sensor.contact) == [0.0] * 32
        # A wall behind the finger, which then cannot stretch.
        assert mpl.set_all(objects__wall__shape="plane", objects__wall__position=[-0.075, 0.0, 0.0], objects__wall__normal=[-1.0, 0.0, 0.0]) is None
        mpl.follow(lambda s: sum(s.contact) > 0.5, "nothing touches the wall", ref_pos=[0.0] * 13)
        process = simulator(mpl)
    wait_for_end(process)


def test_what_mujoco_cannot_have_is_refused():
    with hand(device="mujoco:two_finger") as gripper:
        reason = gripper.set_all(objects__end__shape="stop", objects__end__contact="left_distal", objects__end__angle=0.5)
        assert "'device' is \"mujoco:two_finger\", must be an analytic hand if there is an object of shape stop" in reason


def test_a_simulator_that_is_killed_is_a_failure_with_its_reason():
    with hand(device="mujoco:two_finger") as gripper:
        gripper.update(ref_pos=[0.5, 0.5])
        os.kill(simulator(gripper), signal.SIGKILL)
        gripper.wait_for_state("FAILED")
        reason = "the hand's process ended: signal: 9 (SIGKILL)"
        assert gripper.graph.last("/haptix/state").data == f"FAILED: {reason}"
        for kind, name in [(ReadSensors, "read_sensors"), (Update, "update")]:
            result = gripper.call(kind, name).result
            assert (result.code, result.message) == (ERROR, reason)


def test_a_simulator_that_hangs_does_not_answer_and_goes_on_when_it_does():
    with hand(device="mujoco:two_finger") as gripper:
        process = simulator(gripper)
        os.kill(process, signal.SIGSTOP)
        gripper.wait_for_state("NOT_ANSWERING")
        begin = time.monotonic()
        assert "no reading for 1000 ms" in gripper.call(ReadSensors, "read_sensors").result.message
        assert time.monotonic() - begin < 1.0, "the node waits with the simulator"
        os.kill(process, signal.SIGCONT)
        gripper.wait_for_state("HOLDING")
        gripper.follow(lambda s: s.motor_pos[0] > 0.45, "the finger does not bend", ref_pos=[0.5, 0.5])
        # The node ends with its simulator, even if that hangs.
        os.kill(process, signal.SIGSTOP)
    wait_for_end(process)


def test_a_simulator_ends_with_a_node_that_is_killed():
    with hand(device="mujoco:two_finger") as gripper:
        process = simulator(gripper)
        gripper.process.kill()
        wait_for_end(process)


@pytest.mark.parametrize(
    ("device", "path", "expected"),
    [
        ("mujoco:mlp", None, "must be one of mpl, mpl_gazebo, two_finger, topics, dummy, or the path of a YAML file; mujoco: may stand before the name of a simulated hand"),
        ("mujoco:dummy", None, "must be one of mpl"),
        ("mujoco:two_finger", "/usr/bin", "needs the executable mujoco_hand, which is neither beside this one nor in the PATH"),
    ],
)
def test_a_device_that_does_not_exist_is_refused(device, path, expected, tmp_path):
    node = shutil.which("haptix")
    if path is not None:
        # The node alone, without the executable beside it.
        node = shutil.copy(node, tmp_path)
    environment = os.environ | ({"PATH": path} if path else {})
    arguments = [node, "--ros-args", "-p", f"device:={device}"]
    ended = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=20, check=False)
    assert ended.returncode != 0 and expected in ended.stdout + ended.stderr
