"""The mechanism with a robot elsewhere: a fake one in Python, which publishes its states and follows efforts."""

import contextlib
import math
import re
import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from graph import LATCHED, act_until
from mechanisms import URDF, arm
from moving import rest
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from robots import COMMANDS, STATES, TOPICS, Robot, is_halted, moving
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, String

ONE = QoSProfile(depth=1)


@contextlib.contextmanager
def fake_arm(*arguments, urdf=URDF):
    robot = Robot()
    try:
        with arm(*TOPICS, *arguments, urdf=urdf) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.subscribe(JointState, "joint_states", ONE)
            yield robot, graph, manager, process
    finally:
        robot.close()


def stays_halted(robot, graph, seconds=0.5):
    """By the stamps of the commands: on a busy machine the robot receives them late."""
    start, now = time.monotonic(), time.time()
    graph.wait(lambda: time.monotonic() > start + seconds, "never", seconds + 5.0)
    assert is_halted(graph)
    stamp = lambda message: message.header.stamp.sec + message.header.stamp.nanosec * 1e-9  # noqa: E731
    efforts = {effort for _, message in robot.commands if stamp(message) > now for effort in message.effort}
    assert efforts == {0.0}, efforts


def reset(graph, manager):
    """The commands ran on through the halt, so they have to ask for rest."""
    act_until(graph, manager.reset, lambda: not is_halted(graph), "no reset", 5.0, 1.0)
    rest(manager.stream)
    graph.wait(lambda: graph.last("joint_states").velocity[0] > 0.1, "no motion after the reset")


def test_a_robot_on_topics_is_moved_to_a_position():
    with fake_arm() as (robot, graph, manager, process):
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        graph.publish("pan_position/command", Float64(data=0.6), ONE)
        graph.wait(lambda: abs(robot.position["pan_motor"] - 0.6) < 0.05, lambda: f"it is at {robot.position}", 15.0)
        state = graph.last("joint_states")
        assert abs(state.position[0] - robot.position["pan_motor"]) < 0.2 and abs(state.position[1]) < 1e-6
        message = robot.commands[-1][1]
        assert list(message.name) == ["pan_motor", "tilt_motor"]
        assert len(message.effort) == 2 and not message.position and not message.velocity
        age = time.time() - message.header.stamp.sec - message.header.stamp.nanosec * 1e-9
        assert 0.0 <= age < 1.0, age
        process.stop()
        graph.wait(lambda: list(robot.commands[-1][1].effort) == [0.0, 0.0], "the last effort is not zero")


@pytest.mark.fault("arm-misplaced")
def test_a_joint_that_is_said_to_be_a_turn_off_stays_halted():
    """Its limits drove it at 4.5 rad/s, away from where it seemed to be and through its end stop."""
    robot, turn = Robot(), [2 * math.pi * 6]
    robot.change = lambda message: message.position.__setitem__(0, message.position[0] + turn[0])
    try:
        with arm(*TOPICS) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            sentence = "joint 'pan' would be at 6.2832 rad, must be within 0.5 rad of its <limit>, "
            graph.wait(lambda: sentence in process.output, lambda: process.output)
            manager.reset()
            stays_halted(robot, graph)
            assert robot.position["pan_motor"] == 0.0
            turn[0] = 0.0
            act_until(graph, manager.reset, lambda: not is_halted(graph), lambda: process.output, 5.0, 1.0)
    finally:
        robot.close()


@pytest.mark.fault("arm-estop")
@pytest.mark.parametrize(("motor", "position"), [("pan_motor", 2.95), ("tilt_motor", -0.45)])
def test_a_joint_that_rests_beyond_a_soft_limit_is_not_moved_by_a_reset(motor, position):
    robot = Robot()
    robot.position[motor] = position
    try:
        with arm(*TOPICS) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.wait(lambda: not is_halted(graph), lambda: process.output)
            manager.halt()
            graph.wait(lambda: is_halted(graph), "no halt")
            act_until(graph, manager.reset, lambda: not is_halted(graph), lambda: process.output, 5.0, 1.0)
            time.sleep(1.0)
            assert robot.position[motor] == position, f"{robot.position}\n{process.output}"
            name = motor.replace("motor", "position")
            assert manager.load(name) and manager.switch([name])
            graph.publish(f"{name}/command", Float64(data=0.0), ONE)
            graph.wait(lambda: abs(robot.position[motor]) < 0.05, lambda: f"a command does not lead back: {robot.position}", 15.0)
    finally:
        robot.close()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_at_the_end_a_zero_comes_and_then_no_other_effort_and_no_fault(end):
    with fake_arm("-p", "topics.rate:=1000.0", "-p", "topics.timeout:=0.05") as (robot, graph, manager, process):
        assert manager.load("pan_effort") and manager.switch(["pan_effort"])
        # A loaded machine starves the robot for more than its time-out. A stream would have to ask for rest after a halt.
        act_until(graph, manager.reset, lambda: not is_halted(graph), lambda: process.output, 10.0, 0.5)
        graph.repeat("pan_effort/command", Float64(data=0.2), 50.0)
        graph.wait(lambda: any(robot.commands[-1][1].effort), lambda: process.output)
        robot.commands.clear()
        before = len(process.lines)
        process.process.send_signal(end)
        assert process.wait() == 0, process.output
        time.sleep(0.3)
        efforts = [list(message.effort) for _, message in robot.commands]
        first = efforts.index([0.0, 0.0])
        assert {tuple(effort) for effort in efforts[first:]} == {(0.0, 0.0)}, efforts
        assert not any(word in line for line in process.lines[before:] for word in ("WARN", "ERROR", "invalid", "halted")), process.output


def test_without_states_the_motors_are_halted_and_the_first_states_reset_them():
    with arm(*TOPICS) as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.subscribe(JointState, COMMANDS, QoSProfile(depth=10))
        graph.subscribe(DiagnosticArray, "/diagnostics")
        sentence = "the motors are halted: the robot's states on 'hardware/joint_states' are awaited"
        messages = lambda: [status.message for one in graph.since("/diagnostics", 0.0) for status in one.status]  # noqa: E731
        graph.wait(lambda: any(sentence in message for message in messages()), lambda: f"{messages()}")
        graph.wait(lambda: graph.last(COMMANDS) is not None, "no efforts")
        assert is_halted(graph) and list(graph.last(COMMANDS).effort) == [0.0, 0.0]
        robot = Robot()
        try:
            graph.wait(lambda: not is_halted(graph), "the states do not reset the motors")
        finally:
            robot.close()


def test_silence_halts_and_what_comes_back_moves_nothing_before_a_reset():
    with fake_arm() as (robot, graph, manager, process):
        moving(graph, manager, process)
        robot.is_silent = True
        start = time.monotonic()
        graph.wait(lambda: is_halted(graph), "no halt", 3.0)
        assert time.monotonic() - start > 0.3
        graph.wait(lambda: robot.effort["pan_motor"] == 0.0, "an effort goes out", 0.5)
        sentence = "the motors are halted: the robot's states on 'hardware/joint_states' are lost: none counted within 500ms"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        manager.reset()
        graph.wait(lambda: "the motors stay halted: the robot's states on" in process.output, lambda: process.output)
        stays_halted(robot, graph)
        robot.is_silent = False
        stays_halted(robot, graph)
        reset(graph, manager)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda message: message.position.__setitem__(0, float("nan")), "the position of 'pan_motor' is NaN, must be finite"),
        (lambda message: message.velocity.__setitem__(1, float("inf")), "the velocity of 'tilt_motor' is inf, must be finite"),
        (lambda message: message.velocity.pop(), "it has 1 velocities, must have 2, one for each name"),
        (lambda message: setattr(message, "name", ["pan_motor", "lift"]), "the message lacks actuator 'tilt_motor', must have all in one"),
        (
            lambda message: [setattr(message, part, getattr(message, part)[:1]) for part in ("name", "position", "velocity")],
            "the message lacks actuator 'tilt_motor', must have all in one",
        ),
        (lambda message: setattr(message.header.stamp, "sec", message.header.stamp.sec - 10), "it"),
    ],
)
def test_states_that_are_none_count_as_silence(change, sentence):
    with fake_arm() as (robot, graph, manager, process):
        moving(graph, manager, process)
        robot.change = change
        graph.wait(lambda: is_halted(graph) and robot.effort["pan_motor"] == 0.0, "no halt", 3.0)
        for part in (f"the robot's states do not count: {sentence}", f"; the last message did not count: {sentence[:3]}"):
            graph.wait(lambda part=part: part in process.output, lambda: process.output)
        robot.change = lambda message: None
        stays_halted(robot, graph)
        reset(graph, manager)


@pytest.mark.parametrize("is_stamped", [True, False])
def test_one_state_that_lies_moves_nothing_and_one_that_stays_halts(is_stamped):
    """A driver that sends zeros once, between true states: the joint would be driven to where they have it."""
    with fake_arm() as (robot, graph, manager, process):
        robot.position["pan_motor"] = 1.6  # at its first states
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        manager.halt()
        graph.wait(lambda: graph.last("joint_states") and abs(graph.last("joint_states").position[0] - 1.6) < 0.1, "no states")
        manager.reset()
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        time.sleep(0.3)
        lies, begin, first = [], robot.position["pan_motor"], len(robot.commands)

        def lie(message):
            if not is_stamped:
                message.header.stamp.sec = message.header.stamp.nanosec = 0
            if len(lies) % 20 == 0:
                message.position, message.velocity = [0.0, 0.0], [0.0, 0.0]
            lies.append(len(lies))

        robot.change = lie
        graph.wait(lambda: len(lies) > 200, lambda: process.output)
        efforts = [message.effort[0] for _, message in robot.commands[first:]]
        assert max(map(abs, efforts)) < 0.01 and abs(robot.position["pan_motor"] - begin) < 0.001, (max(efforts), robot.position)
        graph.wait(lambda: "the position of 'pan_motor' moved by" in process.output, lambda: process.output)
        assert not is_halted(graph)
        robot.change = lambda message: setattr(message, "position", [0.0, 0.0])
        graph.wait(lambda: is_halted(graph), "a jump that stays halts", 3.0)
        stays_halted(robot, graph)


def test_states_of_a_joint_state_broadcaster_count():
    """It sends NaN for efforts that are not measured, and all joints of the robot."""
    with fake_arm() as (robot, graph, manager, process):

        def broadcast(message):
            message.name = [*message.name, "gripper"]
            message.position.append(0.0)
            message.velocity.append(float("nan"))
            message.effort = [float("nan")] * 3

        robot.change = broadcast
        moving(graph, manager, process)
        sentence = "the robot's states have what this robot has not, which is ignored: gripper"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        time.sleep(0.6)
        assert not is_halted(graph) and process.output.count(sentence) == 1


@pytest.mark.parametrize("topic", [STATES, COMMANDS])
def test_a_second_publisher_halts_at_once(topic):
    with fake_arm() as (robot, graph, manager, process):
        moving(graph, manager, process)
        second = graph.node.create_publisher(JointState, topic, 10)
        graph.wait(lambda: f"the motors are halted: '{topic}' has 2 publishers, must have 1" in process.output, lambda: process.output)
        graph.wait(lambda: is_halted(graph) and robot.effort["pan_motor"] == 0.0, "no halt", 1.0)
        manager.reset()
        graph.wait(lambda: f"the motors stay halted: '{topic}' has 2 publishers" in process.output, lambda: process.output)
        graph.node.destroy_publisher(second)
        stays_halted(robot, graph, 1.0)
        reset(graph, manager)


def test_states_of_another_publisher_do_not_continue_those_of_the_one_before():
    with fake_arm("-p", "topics.timeout:=2.0") as (robot, graph, manager, process):
        moving(graph, manager, process)

        def take_over():
            node = robot.graph.node
            node.destroy_publisher(robot.publisher)
            robot.publisher = node.create_publisher(JointState, STATES, qos_profile_sensor_data)

        robot.graph.between(take_over)
        sentence = f"the motors are halted: '{STATES}' has 2 publishers, must have 1"
        graph.wait(lambda: sentence in process.output, lambda: f"another robot drives on: {process.output}")
        graph.wait(lambda: is_halted(graph) and robot.effort["pan_motor"] == 0.0, "no halt", 1.0)
        stays_halted(robot, graph, 1.0)
        reset(graph, manager)


def test_without_safety_controllers_the_limits_of_the_urdf_hold_on_the_wire(tmp_path):
    """Efforts of 1000 Nm on a joint of 2.645 Nm with a reduction of 6, and velocities of 1000 rad/s on one of 6 rad/s."""
    file = tmp_path / "bare.urdf"
    text = re.sub(r"<safety_controller[^>]*>", "", URDF.read_text())
    file.write_text(text)
    with fake_arm(urdf=file) as (robot, graph, manager, process):
        sentence = "joints without <safety_controller>: 'pan', 'tilt': efforts beyond <limit> and those that lead further"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        assert manager.load("pan_effort") and manager.switch(["pan_effort"])
        timer = graph.repeat("pan_effort/command", Float64(data=1000.0), 50.0)
        efforts = lambda: [message.effort[0] for _, message in robot.commands]  # noqa: E731
        most = 2.645 / 6.0
        graph.wait(lambda: max(efforts()) > most - 1e-6, lambda: f"{max(efforts())}")
        # The end stop is at 3.007 rad: beyond it no effort leads on, and the joint of this robot has no stop there.
        graph.wait(lambda: robot.position["pan_motor"] > 3.007, lambda: f"{robot.position}")
        graph.wait(lambda: efforts()[-1] == 0.0, lambda: f"{efforts()[-5:]}")
        graph.stop_repeating(timer)
        assert manager.load("pan_velocity") and manager.switch(["pan_velocity"], ["pan_effort"])
        timer = graph.repeat("pan_velocity/command", Float64(data=-1000.0), 50.0)
        graph.wait(lambda: robot.position["pan_motor"] < -2.5, lambda: f"{robot.position}")
        graph.stop_repeating(timer)
        assert max(map(abs, efforts())) <= most + 1e-9, max(map(abs, efforts()))


def test_an_offset_of_a_transmission_shifts_positions_and_limits(tmp_path):
    """The joint is 2 rad ahead of its motor, behind a gear of 6, and has soft limits of 2.857 rad."""
    file = tmp_path / "offset.urdf"
    file.write_text(URDF.read_text().replace('<joint name="pan"/>', '<joint name="pan"><offset>2</offset></joint>'))
    with fake_arm(urdf=file) as (robot, graph, manager, process):
        graph.wait(lambda: "pan (pan_motor, 6:1, offset 2)" in process.output, lambda: process.output)
        graph.wait(lambda: not is_halted(graph) and abs(graph.last("joint_states").position[0] - 2.0) < 0.01, lambda: process.output)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        for goal, end in ((1.0, -1.0), (9.0, 0.857)):
            graph.publish("pan_position/command", Float64(data=goal), ONE)
            graph.wait(lambda end=end: abs(robot.position["pan_motor"] - end) < 0.05, lambda: f"{robot.position}", 15.0)
        time.sleep(0.5)
        assert abs(robot.position["pan_motor"] - 0.857) < 0.05, robot.position


@pytest.mark.fault("arm-power-cut")
@pytest.mark.parametrize("remedy", ["none", "silence", "halt_on"])
def test_an_arm_whose_motors_lost_their_power_is_still_when_it_returns(remedy):
    with fake_arm(*(["-p", "halt_on:=arm/state"] if remedy == "halt_on" else [])) as (robot, graph, manager, process):
        state = String(data="OK")
        graph.repeat("arm/state", state, 10.0)
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        graph.repeat("pan_position/command", Float64(data=1.0), 50.0)
        graph.wait(lambda: robot.position["pan_motor"] > 0.9, lambda: f"it is at {robot.position}", 15.0)
        state.data, robot.is_powered, robot.is_silent = "ESTOP", False, remedy == "silence"
        robot.velocity["pan_motor"] = -3.0  # it sags
        time.sleep(2.5)
        assert is_halted(graph) == (remedy != "none"), process.output
        sagged = robot.position["pan_motor"]
        state.data, robot.is_powered, robot.is_silent = "OK", True, False
        time.sleep(2.0)
        if remedy == "silence":
            act_until(graph, manager.reset, lambda: not is_halted(graph), "no reset", 5.0, 1.0)
            time.sleep(1.0)
        assert not is_halted(graph), process.output
        way = robot.position["pan_motor"] - sagged
        assert way > 0.3 if remedy == "none" else abs(way) < 0.01, f"it moved by {way}: {process.output}"


def test_a_calibration_is_refused_since_the_robot_says_no_edge():
    """The search would press the joint against its end stop."""
    search = ["type:=steersman/JointCalibrationController", "joint:=pan", "velocity:=0.5", "force_calibration:=true"]
    with fake_arm(*(word for part in search for word in ("-p", f"search.{part}"))) as (_, graph, manager, process):
        assert not manager.load("search")
        sentence = "must be a joint with a calibration sensor: the hardware reads none for its actuator 'pan_motor'"
        graph.wait(lambda: sentence in process.output, lambda: process.output)


def test_efforts_come_at_the_configured_rate():
    with fake_arm("-p", "topics.rate:=50.0") as (robot, graph, manager, process):
        graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
        start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 2.0, "never", 5.0)
        count = sum(start <= at < start + 2.0 for at, _ in robot.commands)
        assert 70 <= count <= 105, count
