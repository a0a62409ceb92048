"""A robot of ros2_control behind the HAPTIX API: a fake one in Python publishes its joint states and follows trajectories."""

import contextlib
import math
import time

import pytest
from graph import LATCHED, Graph
from hands import ERROR, Hand
from haptix_msgs.srv import ReadSensors
from paths import ROOT
from processes import Process, panicking
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, String
from trajectory_msgs.msg import JointTrajectory

STATES, COMMANDS = "joint_states", "joint_trajectory_controller/joint_trajectory"
DEVICE = ROOT / "crates/haptix/devices/robot.yaml"
LEFT, RIGHT = "left_knuckle_joint", "right_knuckle_joint"


class Robot:
    """Moves its joints along the trajectory that came last, as joint_trajectory_controller does, and publishes what it measures."""

    PERIOD = 0.01

    def __init__(self):
        self.graph = Graph()
        # In the alphabetical order of joint_state_broadcaster.
        self.position = {"elbow_joint": 1.0, LEFT: 0.1, "left_tip_joint": 0.05, RIGHT: 0.3}
        self.velocity = dict.fromkeys(self.position, 0.0)
        self.goal, self.commands, self.fastest = {}, [], 0.0
        self.last_time, self.at_last = None, None
        self.change = lambda message: None
        self.is_silent = False
        self.publisher = self.graph.node.create_publisher(JointState, STATES, QoSProfile(depth=10))
        self.graph.node.create_subscription(JointTrajectory, COMMANDS, self.command, QoSProfile(depth=10))
        self.last = time.monotonic()
        self.graph.node.create_timer(self.PERIOD, self.step)

    def command(self, message):
        assert len(message.points) == 1 and not message.points[0].velocities
        duration = message.points[0].time_from_start
        end = time.monotonic() + duration.sec + duration.nanosec * 1e-9
        assert message.header.stamp.sec == 0, "with a stamp a controller would shorten what is late"
        # When it was commanded, the command, and where it was.
        commanded = dict(zip(message.joint_names, message.points[0].positions, strict=True))
        self.commands.append((time.monotonic(), commanded, dict(self.position)))
        self.goal = {name: (end, position) for name, position in self.commands[-1][1].items()}
        # Where the joints were when it arrived.
        self.last_time, self.at_last = duration.sec + duration.nanosec * 1e-9, dict(self.position)

    def step(self):
        now, before = time.monotonic(), self.last
        self.last = now
        self.velocity = dict.fromkeys(self.position, 0.0)
        for name, (end, position) in self.goal.items():
            part = 1.0 if now >= end else (now - before) / (end - before)
            speed = (position - self.position[name]) * part / (now - before)
            self.velocity[name] = speed
            self.fastest = max(self.fastest, abs(speed))
            self.position[name] += (position - self.position[name]) * part
        if self.is_silent:
            return
        message = JointState(name=list(self.position), position=list(self.position.values()))
        message.header.stamp = self.graph.node.get_clock().now().to_msg()
        message.velocity, message.effort = list(self.velocity.values()), [math.nan] * 4
        self.change(message)
        self.publisher.publish(message)

    def commanded(self):
        return self.commands[-1][1] if self.commands else None

    def is_held(self, speed):
        """The last message commands it to stay where it was then, within what it moves at `speed` in 50 ms, and gave it the time for that."""
        if not self.commands or self.last_time < 0.25 - 1e-6:
            return False
        return all(abs(position - self.at_last[name]) <= 0.05 * speed + 1e-3 for name, position in self.commanded().items())

    def deviation(self):
        return f"{self.commanded()} in {self.last_time} s at {self.at_last}"

    def close(self):
        self.graph.close()


@contextlib.contextmanager
def node(*arguments, executable="haptix"):
    graph = Graph()
    graph.subscribe(String, "/haptix/state", LATCHED)
    given = ["-p", "device:=topics", "-p", f"topics.robot:={DEVICE}"]
    process = Process(executable, "--ros-args", *given, *arguments)
    try:
        yield Hand(graph, process), graph, process
    finally:
        process.stop()
        graph.close()


@contextlib.contextmanager
def started(*arguments, executable="haptix"):
    robot = Robot()
    try:
        with node(*arguments, executable=executable) as (hand, graph, process):
            hand.wait_for_state("HOLDING", 10.0)
            yield robot, hand, graph, process
    finally:
        robot.close()


def near(robot, left, right):
    return abs(robot.position[LEFT] - left) < 0.01 and abs(robot.position[RIGHT] - right) < 0.01


def rests(robot, graph, seconds=0.5):
    """Nothing is commanded, and nothing moves."""
    # What was commanded before may be on its way, and the robot ends it.
    start = time.monotonic()
    graph.wait(lambda: time.monotonic() > start + 0.4, "never", 5.0)
    before, commands = dict(robot.position), len(robot.commands)
    start = time.monotonic()
    graph.wait(lambda: time.monotonic() > start + seconds, "never", seconds + 5.0)
    assert len(robot.commands) == commands and robot.position == before


def test_a_robot_follows_the_positions_of_haptix_and_its_states_are_the_readings():
    with started() as (robot, hand, graph, process):
        info, description = hand.info()
        assert (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count) == (2, 3, 0, 0)
        assert list(description.motor_names) == ["left", "right"]
        assert list(description.joint_names) == [LEFT, "left_tip_joint", RIGHT]
        sensor = hand.follow(lambda _: near(robot, 0.8, 0.2), lambda: f"{robot.position}", ref_pos=[2.0, 0.2])
        sensor = hand.follow(lambda sensor: abs(sensor.motor_pos[0] - 0.8) < 0.01, "no reading", ref_pos=[2.0, 0.2])
        assert abs(sensor.joint_pos[2] - 0.2) < 0.01 and abs(sensor.joint_pos[1] - 0.05) < 1e-6
        assert not any(sensor.contact) and not any(sensor.motor_torque) and sensor.imu_orientation[0].w == 0.0
        assert robot.position["elbow_joint"] == 1.0 and set(robot.commanded()) == {LEFT, RIGHT}
        # Its greatest speed is 2 rad/s; the fake robot's own period adds to it when a goal ends within one.
        assert robot.fastest < 4.0, robot.fastest
        assert [name for name, _ in graph.node.get_topic_names_and_types() if name.endswith("joint_states")] == ["/joint_states"]
        assert graph.node.count_publishers("/joint_states") == 1


def test_without_states_nothing_is_commanded_and_the_state_says_so():
    with node() as (hand, graph, process):
        graph.subscribe(JointTrajectory, COMMANDS, QoSProfile(depth=10))
        hand.wait_for_state("NOT_ANSWERING", 10.0)
        answer = hand.call(ReadSensors, "read_sensors")
        reason = "no reading for 1000 ms; nothing publishes 'joint_states'"
        assert answer.result.code == ERROR and answer.result.message.endswith(reason), answer.result.message
        assert graph.last("/haptix/state").data.endswith(reason)
        assert "no reading" in hand.refused(ref_pos=[0.5, 0.5])
        assert graph.last(COMMANDS) is None
        robot = Robot()
        try:
            hand.wait_for_state("HOLDING", 10.0)
            # The robot itself may not be discovered yet: its controller holds anyway.
            graph.wait(lambda: graph.last(COMMANDS) is not None, "it is not commanded to hold")
            message = graph.last(COMMANDS)
            assert list(message.joint_names) == [LEFT, RIGHT] and list(message.points[0].positions) == [0.1, 0.3]
            assert message.header.stamp.sec == 0 and message.points[0].time_from_start.nanosec == 250_000_000
        finally:
            robot.close()


def test_a_silent_client_and_the_end_of_the_node_stop_the_robot_where_it_is():
    with started("-p", "command_timeout:=0.3") as (robot, hand, graph, process):
        # At 0.2 rad/s the way takes seconds.
        hand.follow(lambda _: robot.position[LEFT] > 0.12, "it does not move", ref_pos=[0.8, 0.8], ref_vel_max=[0.2, 0.2])
        assert not robot.is_held(0.2), "a step is farther than a hold"
        hand.wait_for_state("HOLDING")
        graph.wait(lambda: robot.is_held(0.2), robot.deviation)
        assert robot.position[LEFT] < 0.4
        rests(robot, graph)
        moved = robot.position[LEFT] + 0.1
        hand.follow(lambda _: robot.position[LEFT] > moved, "it does not follow", ref_pos=[0.8, 0.8], ref_vel_max=[0.2, 0.2])
        assert process.stop() is None
        graph.wait(lambda: robot.is_held(0.2), robot.deviation)
        assert robot.position[LEFT] < 0.79
        rests(robot, graph)


def test_a_robot_rests_within_a_quarter_of_a_second_when_the_node_is_killed():
    with started("-p", "command_timeout:=0.0") as (robot, hand, graph, process):
        hand.follow(lambda _: robot.position[LEFT] > 0.15, "it does not move", ref_pos=[0.8, 0.8], ref_vel_max=[0.4, 0.4])
        process.kill()
        before, commands = robot.position[LEFT], len(robot.commands)
        graph.wait(lambda: robot.position[LEFT] == robot.commanded()[LEFT], lambda: f"{robot.commanded()} {robot.position}", 1.0)
        # 0.25 s at 0.4 rad/s, and what was on its way.
        assert robot.position[LEFT] - before < 0.15 and len(robot.commands) - commands < 5
        rests(robot, graph)


@pytest.mark.fault("hand-estop")
def test_an_emergency_stop_of_the_vehicle_stops_the_robot_where_it_is():
    robot = Robot()
    try:
        with node("-p", "command_timeout:=0.0", "-p", "halt_on:=hind/state") as (hand, graph, process):
            slowly = {"ref_pos": [0.8, 0.8], "ref_vel_max": [0.2, 0.2]}
            hand.wait_for_state("HALTED", 10.0)
            assert "the vehicle's state is awaited" in hand.refused(**slowly)
            state = String(data="OK")
            graph.repeat("hind/state", state, 10.0)
            hand.wait_for_state("HOLDING", 10.0)
            hand.follow(lambda _: robot.position[LEFT] > 0.12, "it does not move", **slowly)
            state.data = "ESTOP"
            hand.wait_for_state("HALTED")
            graph.wait(lambda: robot.is_held(0.2), robot.deviation, 0.5)
            assert robot.position[LEFT] < 0.4
            why = "the hand is halted: the vehicle is in its emergency stop; the vehicle's reset ends it"
            assert hand.refused(**slowly) == why
            rests(robot, graph)
            state.data = "OK"
            hand.wait_for_state("HOLDING")
            rests(robot, graph)
            hand.update(ref_pos=list(hand.read().motor_pos))  # a stream begins with rest
            moved = robot.position[LEFT] + 0.1
            hand.follow(lambda _: robot.position[LEFT] > moved, "it does not follow", **slowly)
    finally:
        robot.close()


@pytest.mark.parametrize("fault", ["once", "always", "publish", "thread"])
def test_a_robot_rests_where_it_is_when_the_node_panics(monkeypatch, fault):
    monkeypatch.setenv("FAULT", fault)
    with started("-p", "command_timeout:=0.0", executable=panicking("haptix")) as (robot, hand, graph, process):
        hand.update(ref_pos=[0.8, 0.8], ref_vel_max=[0.4, 0.4])
        graph.wait(lambda: robot.position[LEFT] > 0.15, "it does not move")
        graph.publish("/haptix/panic", Bool(data=True))
        assert process.wait(5.0) == 1, process.output
        graph.wait(lambda: robot.position[LEFT] == robot.commanded()[LEFT], lambda: f"{robot.commanded()} {robot.position}", 1.0)
        rests(robot, graph)
        _, commanded, where = robot.commands[-1]
        # A step on its way would be 0.25 s ahead, 0.1 rad.
        assert commanded[LEFT] - where[LEFT] < 0.05, "the last thing that it was commanded is to stay"
        assert "the injected panic" in process.output and "the reason is printed above" in process.output, process.output


def cut(message):
    message.position.pop()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda message: message.position.__setitem__(1, math.nan), f"the position of '{LEFT}' is NaN, must be finite"),
        (cut, "it has 3 positions, must have 4, one for each name"),
        (lambda message: message.name.__setitem__(0, "wrist_joint"), "it has 'wrist_joint', which is not one of the robot's joints and not one of its others"),
        (lambda message: message.name.__setitem__(0, LEFT), f"it has '{LEFT}' twice"),
    ],
)
def test_states_that_are_none_count_as_silence(change, sentence):
    with started("-p", "command_timeout:=0.0") as (robot, hand, graph, process):
        hand.follow(lambda _: robot.position[LEFT] > 0.12, "it does not move", ref_pos=[0.8, 0.8], ref_vel_max=[0.1, 0.1])
        robot.change = change
        graph.wait(lambda: f"the robot's states do not count: {sentence}" in process.output, lambda: process.output)
        hand.wait_for_state("NOT_ANSWERING")
        assert graph.last("/haptix/state").data.endswith(f"no reading for 1000 ms; {sentence}")
        rests(robot, graph)
        robot.change = lambda message: None
        hand.wait_for_state("HOLDING")
        graph.wait(lambda: robot.is_held(0.0), robot.deviation)
        rests(robot, graph)
        hand.follow(lambda _: near(robot, 0.8, 0.8), lambda: f"{robot.position}", ref_pos=[0.8, 0.8], ref_vel_max=[2.0, 2.0])


@pytest.mark.parametrize(("topic", "kind"), [(STATES, JointState), (COMMANDS, JointTrajectory)])
@pytest.mark.parametrize("is_moving", [True, False])
def test_a_second_publisher_stops_the_robot(topic, kind, is_moving):
    with started("-p", "command_timeout:=0.0") as (robot, hand, graph, process):
        if is_moving:
            hand.follow(lambda _: robot.position[LEFT] > 0.12, "it does not move", ref_pos=[0.8, 0.8], ref_vel_max=[0.1, 0.1])
        else:
            rests(robot, graph)
        before = len(robot.commands)
        second = graph.node.create_publisher(kind, topic, 10)
        sentence = f"'{topic}' has 2 publishers, must have 1"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        hand.wait_for_state("NOT_ANSWERING")
        assert graph.last("/haptix/state").data.endswith(sentence)
        assert robot.position[LEFT] < 0.5
        assert len(robot.commands) > before and robot.is_held(0.1), robot.deviation()
        assert hand.refused(ref_pos=[0.8, 0.8]) == sentence
        rests(robot, graph)
        graph.node.destroy_publisher(second)
        hand.wait_for_state("HOLDING")
        rests(robot, graph)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-p", "topics.robot:=''"], "parameter 'topics.robot' is \"\", must be the path of a YAML file with the device topics"),
        (["-p", "topics.robot:=/nowhere.yaml"], "parameter 'topics.robot' is '/nowhere.yaml', cannot be read"),
        (["-p", f"topics.robot:={ROOT / 'crates/haptix/devices/mpl.yaml'}"], "'up' does not exist"),
        (["-p", "update_rate:=2.0"], "parameter 'update_rate' is 2.0, must be 0 or from 4 to 1000 Hz with the device topics"),
        (["-p", "command_timeout:=0.01"], "parameter 'command_timeout' is 0.01, must be 0 or at least a period of the update rate, 0.0200 s"),
        (["-p", "simulation.delay:=3"], "parameter 'device' is \"topics\", must be a simulated hand"),
    ],
)
def test_a_robot_that_is_none_ends_the_start(arguments, sentence):
    given = ["-p", "device:=topics", "-p", f"topics.robot:={DEVICE}"]
    process = Process("haptix", "--ros-args", *given, *arguments)
    assert process.wait() == 1
    assert sentence in process.output, process.output
