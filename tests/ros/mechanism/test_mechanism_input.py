"""Input that no careful client sends: descriptions with broken transmissions, absurd rates, odd names and lists. Each is refused by its name."""

import time

import pytest
from graph import EDGE, LATCHED
from mechanisms import BEST_EFFORT, STRICT, URDF, arm
from pr2_mechanism_msgs.msg import MechanismStatistics
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

MANY = QoSProfile(depth=1000)
GOOD = """<transmission name="good" type="pr2_mechanism_model/SimpleTransmission">
    <actuator name="pan_motor"/><joint name="pan"/><mechanicalReduction>6</mechanicalReduction></transmission>"""
# A broken transmission for tilt, and the reason in the log.
BROKEN = {
    '<joint name="tilt"/><mechanicalReduction>6</mechanicalReduction>': "has no actuator",
    '<actuator name="pan_motor"/><joint name="tilt"/><mechanicalReduction>6</mechanicalReduction>': "actuator 'pan_motor' is used by a transmission already",
    '<actuator name="m"/><joint name="nobody"/><mechanicalReduction>6</mechanicalReduction>': "joint 'nobody' is not in the description",
    '<actuator name="m"/><joint name="tilt"/><mechanicalReduction>0</mechanicalReduction>': "'0', must be a finite number other than 0",
    '<actuator name="m"/><joint name="tilt"/><mechanicalReduction>NaN</mechanicalReduction>': "'NaN', must be a finite number",
    '<actuator name="m"/><joint name="tilt"/><mechanicalReduction>inf</mechanicalReduction>': "'inf', must be a finite number",
    '<actuator name="m"/><joint name="tilt"/>': "has no mechanicalReduction",
}


def description(*transmissions):
    text = URDF.read_text()
    return text[: text.index("<transmission ")] + "\n".join(transmissions) + "</robot>"


def wait_for_output(graph, process, *sentences):
    """The log is written by a thread of its own, so a line may come after the answer."""
    graph.wait(lambda: all(one in process.output for one in sentences), lambda: f"{sentences} are not all in\n{process.output}")


def test_broken_transmissions_are_left_out_by_name_and_the_others_move(tmp_path):
    broken = [
        f'<transmission name="bad{number}" type="pr2_mechanism_model/SimpleTransmission">{parts}</transmission>'
        for number, parts in enumerate(BROKEN)
    ]
    broken += ['<transmission name="juggler" type="pr2_mechanism_model/Juggler"/>', '<transmission name="none"/>']
    file = tmp_path / "broken.urdf"
    file.write_text(description(GOOD, *broken))
    with arm(urdf=file) as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        wait_for_output(graph, process, *[f"transmission 'bad{number}' is left out: " for number in range(len(BROKEN))], *BROKEN.values())
        wait_for_output(graph, process, "its type is 'pr2_mechanism_model/Juggler', must be", "transmission 'none' is left out: its type is ''")
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        assert not manager.load("tilt_position")
        wait_for_output(graph, process, "parameter 'joint' is 'tilt', must be a joint with a transmission: pan")
        graph.wait(lambda: graph.last("joint_states") is not None, "no joint states")
        assert list(graph.last("joint_states").name) == ["pan"]


def test_joints_that_no_controller_can_move_are_named_at_the_start_with_their_values():
    text = URDF.read_text()
    for before, after in [('effort="2.645"', 'effort="0"'), ('k_velocity="1.5" soft_lower_limit="-0.3712"', 'k_velocity="0.0" soft_lower_limit="-0.3712"')]:
        assert before in text
        text = text.replace(before, after)
    with arm(urdf=text) as (graph, manager, process):
        wait_for_output(
            graph,
            process,
            "joint 'pan': no controller can move it: effort of its <limit> is 0",
            "joint 'tilt': no controller can move it: k_velocity of its <safety_controller> is 0",
        )
    with arm() as (graph, manager, process):
        manager.list()
        assert "no controller can move it" not in process.output


def test_a_robot_without_a_transmission_runs_and_moves_nothing():
    with arm(urdf=description()) as (graph, manager, process):
        wait_for_output(graph, process, "has no transmission that can be used: no joint can be moved")
        graph.subscribe(MechanismStatistics, "mechanism_statistics", MANY)
        assert manager.list() == [] and not manager.load("pan_position") and manager.switch([], [])
        graph.wait(lambda: graph.last("mechanism_statistics") is not None, "no statistics")
        statistics = graph.last("mechanism_statistics")
        assert (len(statistics.joint_statistics), len(statistics.actuator_statistics)) == (0, 0)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("rate", "-1000", "parameter 'rate' is -1000, must be from 10 to 10000 Hz"),
        ("rate", "9", "parameter 'rate' is 9, must be from 10 to 10000 Hz"),
        ("rate", "99.5", "parameter 'rate'"),
        ("joint_state_publish_rate", "1e9", "parameter 'joint_state_publish_rate'"),
        ("mechanism_statistics_publish_rate", ".nan", "parameter 'mechanism_statistics_publish_rate'"),
        ("call_timeout", "0.0", "parameter 'call_timeout'"),
        ("robot_description", "<robot><link name='a'/></robo>", "parameter 'robot_description': the description is not XML"),
        ("robot_description", "<sdf/>", "the root element is <sdf>, must be <robot>"),
    ],
)
def test_a_rate_or_description_that_cannot_be_ends_the_start_by_its_name(name, value, sentence):
    process = Process("mechanism", "--ros-args", "-p", f"robot_description:={URDF}", "-p", f"{name}:={value}")
    assert process.wait() == 1
    assert sentence in process.output, process.output


def test_rates_below_nothing_publish_nothing_and_the_rest_goes_on():
    rates = ["-p", "joint_state_publish_rate:=-100.0", "-p", "mechanism_statistics_publish_rate:=0.0", "-p", "rate:=10"]
    with arm(*rates) as (graph, manager, _):
        graph.subscribe(JointState, "joint_states", MANY)
        graph.subscribe(MechanismStatistics, "mechanism_statistics", MANY)
        graph.subscribe(Bool, "motors_halted", LATCHED)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        # 2 · 2 + 5 steps of 0.1 s: the reset, which is reported at once.
        graph.wait(lambda: graph.last("motors_halted") is not None and not graph.last("motors_halted").data, "the motors are not reset")
        assert graph.last("joint_states") is None and graph.last("mechanism_statistics") is None


def test_rates_beyond_the_loop_s_publish_each_step():
    with arm("-p", "joint_state_publish_rate:=1000000.0", "-p", "rate:=250") as (graph, manager, _):
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 1.0, "never")
        # Some are lost where reports wait for the node's thread.
        assert 100 < len(graph.since("joint_states", start)) <= 260, len(graph.since("joint_states", start))


def test_odd_names_types_and_lists_are_refused_or_taken_as_they_are():
    odd = {
        "bare.type": "JointEffortController",
        "bare.joint": "pan",
        "number.type": "7",
        "empty.type": "''",
        "both.type": "robots/Juggler",
        "both.joint": "leg",
        "deep/er.type": "steersman/JointEffortController",
        "deep/er.joint": "pan",
    }
    with arm(*[word for name, value in odd.items() for word in ("-p", f"{name}:={value}")]) as (graph, manager, process):
        for name in ["number", "empty", "both", "deep//er", "_bare", "bare ", "bäre"]:
            assert not manager.load(name), name
        sentences = ["parameter 'number.type' is missing", "parameter 'empty.type' is missing", "controller type 'robots/Juggler' is unknown"]
        wait_for_output(graph, process, *sentences)
        assert "'leg'" not in process.output, "the type is looked at first"
        assert manager.load("bare") and manager.load("deep/er") and manager.load("pan_position")
        wait_for_output(graph, process, "parameter 'bare.type' is 'JointEffortController', should be 'steersman/JointEffortController'")
        names = ["bare", "deep/er", "pan_position"]
        assert [name for name, _ in manager.list()] == names
        # Twice in a list, in both lists, and empty ones.
        assert manager.switch(["bare", "bare"], ["bare", "bare"], STRICT)
        assert manager.list()[0] == ("bare", "running")
        assert manager.switch([], [], STRICT) and manager.switch([], [], BEST_EFFORT)
        assert manager.switch(["", "nobody"], ["", "a b"], BEST_EFFORT) and not manager.switch([""], [], STRICT)
        assert not manager.switch(["deep/er", "pan_position", "nobody"], ["bare"], STRICT)
        assert manager.list() == [("bare", "running"), ("deep/er", "stopped"), ("pan_position", "stopped")]
        for strictness in [-(2**31), -2, -1, 3, 4, 255, 2**31 - 1]:
            assert not manager.switch(["pan_position"], ["bare"], strictness), strictness
        assert manager.list() == [("bare", "running"), ("deep/er", "stopped"), ("pan_position", "stopped")]
        # A hundred names of one controller.
        assert manager.switch(["pan_position"] * 100, ["bare"] * 100, STRICT)
        assert manager.list() == [("bare", "stopped"), ("deep/er", "stopped"), ("pan_position", "running")]


def test_the_statistics_have_the_values_and_orders_of_the_original():
    with arm("-p", "mechanism_statistics_publish_rate:=10.0") as (graph, manager, _):
        graph.subscribe(MechanismStatistics, "mechanism_statistics", MANY)
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load("tilt_position") and manager.load("pan_effort") and manager.switch(["tilt_position"])
        running = lambda: graph.last("mechanism_statistics").controller_statistics  # noqa: E731
        graph.wait(lambda: graph.last("mechanism_statistics") and len(running()) == 2 and running()[0].running, "they are not reported")
        statistics = graph.last("mechanism_statistics")
        assert [(one.name, one.running) for one in running()] == [("tilt_position", True), ("pan_effort", False)], "as loaded"
        stamp = statistics.header.stamp
        assert all(one.timestamp == stamp for one in [*statistics.joint_statistics, *statistics.controller_statistics])
        pan_motor = statistics.actuator_statistics[0]
        assert (pan_motor.name, pan_motor.device_id, statistics.actuator_statistics[1].device_id) == ("pan_motor", 0, 1)
        assert 0.0 < pan_motor.timestamp.sec + pan_motor.timestamp.nanosec * 1e-9 < 60.0, "since the driver's start"
        assert pan_motor.is_enabled and not pan_motor.halted and (pan_motor.encoder_offset, pan_motor.num_encoder_errors) == (0.0, 0)
        idle = running()[1]
        assert (idle.max_time.nanosec, idle.mean_time.nanosec, idle.num_control_loop_overruns) == (0, 0, 0)
        assert (idle.time_last_control_loop_overrun.sec, idle.time_last_control_loop_overrun.nanosec) == (0, 0)
        state = graph.last("joint_states")
        assert (list(state.name), state.header.frame_id) == (["pan", "tilt"], "")
        assert len(state.position) == len(state.velocity) == len(state.effort) == 2


def test_a_flood_to_a_stopped_controller_delays_no_stop_of_another():
    """A loop of 10 Hz, and 600 numbers a second for a controller that does not run: they filled the ring in front of the stop."""
    soft = {"pid.p": "[0.5, 0.5]", "pid.d": "[0.0, 0.0]", "pid.i": "[0.0, 0.0]", "path_tolerance": "0.0", "goal_tolerance": "0.0"}
    arguments = [text for name, value in soft.items() for text in ("-p", f"arm_trajectory.{name}:={value}")]
    with arm("-p", "rate:=10", *arguments) as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load("arm_trajectory") and manager.load("pan_effort") and manager.switch(["arm_trajectory"])
        orders = graph.node.create_publisher(JointTrajectory, "arm_trajectory/joint_trajectory", EDGE)
        flood = graph.node.create_publisher(Float64, "pan_effort/command", EDGE)
        graph.wait(lambda: orders.get_subscription_count() and flood.get_subscription_count(), "the topics are not there")
        wait_for_output(graph, process, "the motors are on")
        motion = JointTrajectory(joint_names=["pan", "tilt"], points=[JointTrajectoryPoint(positions=[2.0, 0.0])])
        motion.points[0].time_from_start.sec = 20
        orders.publish(motion)
        pan = lambda: graph.last("joint_states").position[0]  # noqa: E731
        graph.wait(lambda: graph.last("joint_states") and pan() > 0.05, lambda: f"it does not move:\n{process.output}")

        def send(seconds):
            count, end = 0, time.monotonic() + seconds
            while time.monotonic() < end:
                flood.publish(Float64(data=0.0))
                count += 1
                time.sleep(0.001)
            return count

        assert send(4.0) > 1800, "no flood: the ring of 1024 has room for ten cycles of 32"
        orders.publish(JointTrajectory(joint_names=["pan", "tilt"]))  # stops the motion
        at = pan()
        send(2.5)
        # 0.1 rad/s for a cycle or two, and what it needs to come to rest. It took three seconds to reach the loop.
        assert (moved := abs(pan() - at)) < 0.1, f"{moved} rad after the stop:\n{process.output[-600:]}"
