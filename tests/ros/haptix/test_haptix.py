"""The node haptix over the wire: every field, its services and topics, refusals and faults."""

import math
import signal
import time

import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from hands import ERROR, GROUPS, OK, ONE, command, hand
from haptix_msgs.msg import Command
from haptix_msgs.srv import GetRobotInfo, ReadSensors, Reset, Update
from processes import Process
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import Imu, JointState
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

# Motors of mpl by their index.
WRIST, THUMB0, INDEX1 = 0, 3, 8
NAN, INF = math.nan, math.inf


@pytest.fixture(scope="module")
def running():
    with hand() as started:
        yield started


@pytest.fixture
def mpl(running):
    """The hand at its start, with its own parameters, which a test may have changed."""
    for name, value in [("command_timeout", 1.0), ("simulation.is_silent", False)]:
        assert running.set(name, value) is None
    running.graph.wait(lambda: running.state not in ("NOT_ANSWERING", "FAILED"), "the device does not answer")
    running.reset()
    running.update(wait_for_tick=True)
    running.update(wait_for_tick=True)
    running.wait_for_state("HOLDING")
    return running


def nanoseconds(stamp):
    return stamp.sec * 10**9 + stamp.nanosec


def close(found, expected, within=1e-3):
    return all(abs(a - b) <= within for a, b in zip(found, expected, strict=True))


# ------------------------------------------------------------------------------------------------------------ every field
def test_every_field_of_the_dummy_arrives_and_the_rest_is_zero():
    """The values of haptix-comm's own test responder: part i has i, i + 1, i + 2 ...; 4 motors, 5 joints, 6 contacts, 7 units."""
    with hand(device="dummy") as dummy:
        graph = dummy.graph
        graph.subscribe(JointState, "/joint_states", ONE)
        for index in range(7):
            graph.subscribe(Imu, f"/haptix/imu/imu{index}", ONE)
        info, names = dummy.info()
        assert (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count) == (4, 5, 6, 7)
        assert info.update_rate == 8.0
        for count, limits in [(4, info.motor_limit), (5, info.joint_limit)]:
            expected = [(-float(i), float(i)) if i < count else (0.0, 0.0) for i in range(32)]
            assert [(limit.minimum, limit.maximum) for limit in limits] == expected
        assert (len(names.motor_names), len(names.joint_names), len(names.contact_names)) == (4, 5, 6)
        assert names.imu_frames == [f"imu_frame{i}" for i in range(7)] and list(names.gear_ratio) == [1.0] * 4
        assert graph.last("/haptix/robot_info") == info and graph.last("/haptix/robot_description") == names
        graph.wait(lambda: graph.last("/haptix/sensor"), "no reading on the topic")
        for sensor in [dummy.read(), dummy.update(ref_pos=[1.0]), graph.last("/haptix/sensor")]:
            assert (sensor.time_stamp.sec, sensor.time_stamp.nanosec) == (9, 10)
            plan = [("motor_pos", 4, 0), ("motor_vel", 4, 1), ("motor_torque", 4, 2), ("joint_pos", 5, 0), ("joint_vel", 5, 1), ("contact", 6, 0)]
            for name, count, offset in plan:
                assert list(getattr(sensor, name)) == [float(i + offset) if i < count else 0.0 for i in range(32)], name
            for i in range(32):
                part = (lambda offset: float(i + offset)) if i < 7 else (lambda _: 0.0)  # noqa: B023
                vector, spin, turn = sensor.imu_linear_acc[i], sensor.imu_angular_vel[i], sensor.imu_orientation[i]
                assert (vector.x, vector.y, vector.z) == (part(0), part(1), part(2))
                assert (spin.x, spin.y, spin.z) == (part(3), part(4), part(5))
                assert (turn.w, turn.x, turn.y, turn.z) == (part(9), part(6), part(7), part(8))
        graph.wait(lambda: graph.last("/joint_states") and graph.last("/haptix/imu/imu6"), "no joint states or no units")
        joints = graph.last("/joint_states")
        assert (joints.name, list(joints.position)) == ([f"joint{i}" for i in range(5)], [0.0, 1.0, 2.0, 3.0, 4.0])
        assert (list(joints.velocity), list(joints.effort)) == ([1.0, 2.0, 3.0, 4.0, 5.0], [])
        unit = graph.last("/haptix/imu/imu6")
        assert (unit.orientation.x, unit.orientation.y, unit.orientation.z, unit.orientation.w) == (12.0, 13.0, 14.0, 15.0)
        assert (unit.header.frame_id, unit.orientation_covariance[0]) == ("imu_frame6", 0.0)
        assert (unit.linear_acceleration.z, unit.angular_velocity.x) == (8.0, 9.0)
        assert abs(unit.header.stamp.sec - time.time()) < 5.0
        assert "must be a simulated hand" in dummy.set("simulation.is_silent", True)


def test_the_mpl_has_the_topology_of_haptix(mpl):
    info, names = mpl.info()
    assert (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count) == (13, 22, 19, 5)
    assert (names.motor_names[WRIST], names.motor_names[THUMB0], names.motor_names[INDEX1]) == ("wristy", "thumb0", "index1")
    assert close([info.motor_limit[THUMB0].minimum, info.motor_limit[THUMB0].maximum], [0.0, 2.07])
    assert info.motor_limit[13].maximum == info.joint_limit[22].maximum == 0.0
    assert info.update_rate == 100.0
    sensor = mpl.read()
    for i in range(32):
        up, turn = sensor.imu_linear_acc[i], sensor.imu_orientation[i]
        assert abs(math.hypot(up.x, up.y, up.z) - (9.81 if i < 5 else 0.0)) < 0.01, "proper acceleration at rest"
        assert (turn.w, turn.x, turn.y, turn.z) == (1.0 if i < 5 else 0.0, 0.0, 0.0, 0.0)
    assert close([sensor.imu_linear_acc[1].z], [9.81]), "the tip of an open index finger points up"


# --------------------------------------------------------------------------------------------------------------- updates
def test_an_update_answers_at_once_or_after_the_next_tick(mpl):
    mpl.update(wait_for_tick=True)
    first, second = (mpl.update() for _ in range(2))
    assert nanoseconds(second.time_stamp) - nanoseconds(first.time_stamp) in (0, 10_000_000), "the latest reading"
    start = time.monotonic()
    stamps = [nanoseconds(mpl.update(wait_for_tick=True).time_stamp) for _ in range(20)]
    took = time.monotonic() - start
    assert all(after - before >= 10_000_000 for before, after in zip(stamps, stamps[1:], strict=False)), stamps
    assert took > 0.18, f"20 ticks of 10 ms took {took} s"


def test_readings_come_at_the_update_rate(mpl):
    start = time.monotonic()
    mpl.graph.wait(lambda: len(mpl.graph.since("/haptix/sensor", start)) > 50, "too few readings")
    stamps = [nanoseconds(m.time_stamp) for m in mpl.graph.since("/haptix/sensor", start)]
    steps = [after - before for before, after in zip(stamps, stamps[1:], strict=False)]
    assert set(steps) <= {10_000_000 * n for n in range(1, 10)} and steps.count(10_000_000) > 40, steps


def test_a_group_without_its_flag_keeps_its_values(mpl):
    mpl.follow(lambda s: s.motor_pos[WRIST] > 0.4, "it does not move", ref_pos=[0.5])
    # Only gains and caps from now on: the position stays commanded. Half the speed, half the way.
    mpl.update(ref_vel_max=[0.1] * 13)
    mpl.update(ref_pos=[-0.5])
    before = mpl.read().motor_pos[WRIST]
    sensor = mpl.follow(lambda s: s.motor_pos[WRIST] < before - 0.05, "it does not move back", gain_pos=[30.0] * 13)
    assert abs(sensor.motor_vel[WRIST]) < 0.2, "the cap stays in force"
    mpl.update(ref_vel_max=[0.0] * 13)


def test_positions_are_clamped_to_their_limits(mpl):
    mpl.update(ref_pos=[100.0, -100.0, 100.0, 100.0])
    info, _ = mpl.info()
    limits = [(limit.minimum, limit.maximum) for limit in info.motor_limit[:4]]
    expected = [limits[0][1], limits[1][0], limits[2][1], limits[3][1]]
    sensor = mpl.follow(lambda s: close(s.motor_pos[:4], expected, 0.01), "not at the limits", ref_pos=[100.0, -100.0, 100.0, 100.0])
    assert all(low <= position <= high for position, (low, high) in zip(sensor.motor_pos[:4], limits, strict=True))


def test_what_is_not_finite_in_a_live_entry_refuses_the_whole_command(mpl):
    for group in GROUPS:
        for value in [NAN, INF, -INF]:
            values = [0.0] * 12 + [value]
            reason = mpl.refused(**{"ref_pos": [0.3], group: values})
            assert group in reason and "12" in reason, reason
    assert "gain_pos" in mpl.refused(ref_pos=[0.3], gain_pos=[-1.0])
    assert mpl.state == "HOLDING", "none of them was a command"
    assert close(mpl.update(wait_for_tick=True).motor_pos[:13], [0.0] * 13, 1e-3)


def test_entries_beyond_the_counts_and_without_a_flag_may_be_anything(mpl):
    message = command(ref_pos=[0.3] + [0.0] * 12 + [NAN] * 19)
    message.gain_pos[:] = NAN
    message.ref_vel[:] = INF
    answer = mpl.call(Update, "update", command=message, wait_for_tick=False)
    assert (answer.result.code, answer.result.message) == (OK, "")
    mpl.follow(lambda s: s.motor_pos[WRIST] > 0.25, "it does not move", ref_pos=[0.3])


def test_a_command_on_the_topic_moves_and_one_that_is_refused_is_logged(mpl):
    graph = mpl.graph
    timer = graph.repeat("/haptix/command", command(ref_pos=[0.4]), 20.0)
    graph.wait(lambda: graph.last("/haptix/sensor").motor_pos[WRIST] > 0.35, "it does not move")
    graph.stop_repeating(timer)
    timer = graph.repeat("/haptix/command", command(ref_pos=[NAN]), 20.0)
    graph.wait(lambda: "a command was refused" in mpl.process.output, "no warning")
    graph.stop_repeating(timer)
    warnings = [line for line in mpl.process.lines if "a command was refused" in line]
    assert "ref_pos" in warnings[0] and "nan" in warnings[0].lower(), warnings
    assert mpl.read().motor_pos[WRIST] > 0.35


# ---------------------------------------------------------------------------------------------------- silence and clients
def test_without_commands_the_hand_holds(mpl):
    assert mpl.set("command_timeout", 0.3) is None
    commanded = time.monotonic()
    mpl.update(ref_pos=[0.5])
    mpl.wait_for_state("FOLLOWING")
    start = time.monotonic()
    mpl.update()  # reads, and is no sign of life
    mpl.wait_for_state("HOLDING", 2.0)
    assert time.monotonic() - start < 0.8 and time.monotonic() - commanded > 0.29
    mpl.update(ref_pos=[0.5])
    mpl.wait_for_state("FOLLOWING")


def test_a_client_that_vanishes_leaves_nothing_behind(mpl):
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node("vanishing", context=context)
    client = node.create_client(Update, "/haptix/update")
    assert client.wait_for_service(10.0)
    # Once it was answered the node knows it: what it sends then arrives.
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    executor.spin_until_future_complete(client.call_async(Update.Request()), 5.0)
    start = time.monotonic()
    for number in range(50):
        client.call_async(Update.Request(command=command(ref_pos=[0.5]), wait_for_tick=number % 2 == 0))
    # A client that ends takes with it what it has not sent yet. Nothing of it reads an answer.
    states = lambda: mpl.graph.since("/haptix/state", start)  # noqa: E731
    mpl.graph.wait(lambda: any(state.data.startswith("FOLLOWING") for state in states()), "it does not follow")
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)
    assert mpl.update(wait_for_tick=True).motor_pos[WRIST] > 0.0
    mpl.wait_for_state("HOLDING")


def test_of_two_clients_the_last_one_wins_and_two_publishers_are_reported(mpl):
    graph = mpl.graph
    graph.subscribe(DiagnosticArray, "/diagnostics")
    first, second = (graph.node.create_publisher(Command, "/haptix/command", ONE) for _ in range(2))
    graph.wait(lambda: first.get_subscription_count() and second.get_subscription_count(), "no subscription")

    def reported():
        found = [s for _, m in graph.messages["/diagnostics"] for s in m.status if s.name == "haptix"]
        return found and "2 publishers, must be 1" in found[-1].message

    graph.wait(reported, "two publishers are not reported", 5.0)
    graph.wait(lambda: "'/haptix/command': 2 publishers, must be 1" in mpl.process.output, "no warning in the log")
    for place, publisher in [(0.3, first), (-0.3, second), (0.3, first)]:
        publisher.publish(command(ref_pos=[place]))
        graph.wait(lambda: abs(graph.last("/haptix/sensor").motor_pos[WRIST] - place) < 0.05, f"not at {place}")  # noqa: B023
    graph.node.destroy_publisher(first)
    graph.node.destroy_publisher(second)


def test_a_thousand_updates_without_waiting_are_all_answered(mpl):
    calls = [mpl.start(Update, "update", command=command(ref_pos=[i / 2000.0]), wait_for_tick=False) for i in range(1000)]
    answers = [mpl.finish(call, 10.0) for call in calls]
    assert {answer.result.code for answer in answers} == {OK}
    stamps = [nanoseconds(answer.sensor.time_stamp) for answer in answers]
    assert stamps == sorted(stamps)
    # The last of them is in force.
    mpl.graph.wait(lambda: abs(mpl.graph.last("/haptix/sensor").motor_pos[WRIST] - 0.4995) < 0.01, "the last command does not hold")


def test_no_more_than_64_calls_wait_for_a_tick(mpl):
    calls = [mpl.start(Update, "update", command=Command(), wait_for_tick=True) for _ in range(300)]
    answers = [mpl.finish(call, 10.0) for call in calls]
    refusals = {answer.result.message for answer in answers if answer.result.code == ERROR}
    assert refusals <= {"64 calls wait for a tick already; no more may wait"}
    assert sum(answer.result.code == OK for answer in answers) >= 64


# ---------------------------------------------------------------------------------------------------------------- grasps
def test_a_grasp_moves_the_fingers_and_the_wrist_stays_free(mpl):
    assert mpl.set("command_timeout", 0.0) is None
    answer = mpl.grasp(Hook=1.0)
    assert answer.result.code == OK and answer.command.ref_pos_enabled
    assert close([answer.command.ref_pos[INDEX1]], [1.4])
    mpl.wait_for_state("GRASPING")
    closed = mpl.follow(lambda s: s.motor_pos[INDEX1] > 1.3 and s.motor_pos[WRIST] > 0.4, "no grasp", ref_pos=[0.5] + [0.0] * 12)
    assert closed.joint_pos[8] > 1.0 and closed.joint_pos[9] > 0.5, "the coupled joints follow"
    answer = mpl.grasp(Hock=1.0)
    assert (answer.result.code, answer.result.message) == (ERROR, "grasp 'Hock' does not exist; did you mean 'Hook'?")
    assert mpl.grasp(Hook=NAN).result.code == ERROR
    assert mpl.state == "GRASPING"
    assert mpl.grasp().result.code == OK
    mpl.follow(lambda s: s.motor_pos[INDEX1] < 0.1, "the fingers do not open", ref_pos=[0.5] + [0.0] * 12)
    mpl.wait_for_state("FOLLOWING")


def test_a_reset_restores_the_pose(mpl):
    mpl.follow(lambda s: s.motor_pos[WRIST] > 0.4, "it does not move", ref_pos=[0.5])
    mpl.reset(reset_limb_pose=False)
    assert mpl.update(wait_for_tick=True).motor_pos[WRIST] > 0.4
    mpl.reset()
    mpl.update(wait_for_tick=True)
    assert close(mpl.update(wait_for_tick=True).motor_pos[:13], [0.0] * 13)
    mpl.wait_for_state("HOLDING")


# ---------------------------------------------------------------------------------------------------------------- faults
def test_a_device_that_stops_answering_fails_every_call_until_it_is_back(mpl):
    assert mpl.set("simulation.is_silent", True) is None
    waiting = mpl.start(Update, "update", command=Command(), wait_for_tick=True)
    time.sleep(0.05)
    answer = mpl.finish(waiting, 3.0)
    text = "the device has given no reading for 1000 ms"
    assert (answer.result.code, answer.result.message) in [(ERROR, text), (OK, "")], "a tick may have been due"
    mpl.wait_for_state("NOT_ANSWERING")
    for kind, name in [(Update, "update"), (ReadSensors, "read_sensors"), (GetRobotInfo, "get_robot_info"), (Reset, "reset")]:
        start = time.monotonic()
        answer = mpl.call(kind, name)
        assert (answer.result.code, answer.result.message) == (ERROR, text)
        assert time.monotonic() - start < 0.5, "at once"
    assert mpl.grasp(Hook=1.0).result.message == text
    assert mpl.call(ReadSensors, "read_sensors").sensor.time_stamp.nanosec == 0, "zeros"
    assert mpl.set("simulation.is_silent", False) is None
    mpl.wait_for_state("HOLDING")
    assert mpl.update(ref_pos=[0.0]).time_stamp.sec >= 0


def test_parameters_take_effect_while_it_runs(mpl):
    assert mpl.set("simulation.dead_sensors", ["imu/index", "joint/wristy"]) is None
    mpl.update(wait_for_tick=True)
    up = mpl.update(wait_for_tick=True).imu_linear_acc
    assert up[1].z == 0.0 and up[2].z > 9.0
    assert mpl.set("simulation.dead_sensors", []) is None
    stop = {"objects__tip__shape": "stop", "objects__tip__contact": "index_distal", "objects__tip__angle": 0.2}
    assert mpl.set_all(**stop) is None
    sensor = mpl.follow(lambda s: s.contact[9] > 0.5, "no contact", ref_pos=[0.0] * 8 + [1.5])
    assert [i for i, force in enumerate(sensor.contact) if force != 0.0] == [9]
    assert mpl.set("simulation.noise.position", 0.01) is None
    mpl.update(wait_for_tick=True)
    readings = {mpl.update(wait_for_tick=True).joint_pos[0] for _ in range(5)}
    assert len(readings) == 5
    assert mpl.set("simulation.noise.position", 0.0) is None
    for name, value, reason in [
        ("step_rate", 500, "read-only"),
        ("hold_gain", 1.5, "must be from 0.0 to 1.0"),
        ("simulation.stuck_motors", ["toe"], "'toe' in it must be one of"),
    ]:
        assert reason in mpl.set(name, value), name
    assert "must be one of" in mpl.set_all(objects__tip__contact="toe")


def test_after_a_pause_old_commands_do_not_move_the_hand(mpl):
    before = mpl.update(ref_pos=[0.0]).time_stamp
    mpl.process.process.send_signal(signal.SIGSTOP)
    try:
        calls = [mpl.start(Update, "update", command=command(ref_pos=[0.8]), wait_for_tick=False) for _ in range(3)]
        time.sleep(1.5)
    finally:
        mpl.process.process.send_signal(signal.SIGCONT)
    answers = [mpl.finish(call) for call in calls]
    assert {answer.result.code for answer in answers} == {ERROR}, answers[0].result.message
    mpl.wait_for_state("HOLDING")
    after = mpl.update(wait_for_tick=True)
    assert abs(after.motor_pos[WRIST]) < 0.01
    assert nanoseconds(after.time_stamp) - nanoseconds(before) < 1_000_000_000, "the device does not pass the pause"
    time.sleep(0.06)  # for 50 ms after a pause a command may have been queued in it
    mpl.follow(lambda s: s.motor_pos[WRIST] > 0.2, "it does not move again", ref_pos=[0.3])


def test_of_two_commands_that_are_read_together_both_count(mpl):
    """Each changes the groups that it has; the second one does not replace the first."""
    graph = mpl.graph
    mpl.reset()
    publisher = graph.node.create_publisher(Command, "/haptix/command", rclpy.qos.QoSProfile(depth=10))
    graph.wait(lambda: publisher.get_subscription_count(), "no subscription")
    mpl.process.process.send_signal(signal.SIGSTOP)
    try:
        publisher.publish(command(ref_pos=[0.5]))
        publisher.publish(command(ref_vel_max=[3.0]))
        time.sleep(0.2)
    finally:
        mpl.process.process.send_signal(signal.SIGCONT)
    graph.wait(lambda: graph.last("/haptix/sensor").motor_pos[WRIST] > 0.3, "the positions are lost")
    graph.node.destroy_publisher(publisher)


def test_a_second_node_of_the_same_name_is_reported(mpl):
    warning = "another node in the graph has this node's name"
    before = mpl.process.output.count(warning)
    with hand():
        mpl.graph.wait(lambda: mpl.process.output.count(warning) > before, lambda: mpl.process.output, 5.0)


# -------------------------------------------------------------------------------------------------- pictures, frames, start
def test_rviz_sees_frames_contacts_and_objects():
    ball = {"objects__ball__shape": "sphere", "objects__ball__position": [-0.03, 0.0, 0.15], "objects__ball__radius": 0.02}
    with hand(namespace="/left", frame_prefix="left/", **ball) as left:
        graph = left.graph
        graph.subscribe(MarkerArray, "/left/haptix/contacts", ONE)
        graph.subscribe(TFMessage, "/tf")
        graph.subscribe(TFMessage, "/tf_static", rclpy.qos.QoSProfile(depth=10, durability=rclpy.qos.DurabilityPolicy.TRANSIENT_LOCAL))
        graph.subscribe(JointState, "/left/joint_states", ONE)
        seen = ("/left/haptix/contacts", "/tf", "/tf_static", "/left/joint_states")
        graph.wait(lambda: all(graph.last(topic) for topic in seen), "not all topics are published")
        graph.wait(lambda: len(graph.messages["/tf"]) > 20 and len(graph.messages["/tf_static"]) > 0, "no frames")
        sent = lambda topic: (t for _, message in graph.messages[topic] for t in message.transforms)  # noqa: E731
        moving, fixed = ({t.child_frame_id: t for t in sent(topic) if "left/" in t.child_frame_id} for topic in ("/tf", "/tf_static"))
        assert len(moving) == 22 and moving["left/wristy"].header.frame_id == "left/base"
        assert moving["left/index2"].header.frame_id == "left/index1" and close([moving["left/index2"].transform.translation.z], [0.045])
        assert set(fixed) == {f"left/{finger}_imu" for finger in ("thumb", "index", "middle", "ring", "pinky")}
        assert fixed["left/index_imu"].header.frame_id == "left/index3"
        markers = graph.last("/left/haptix/contacts").markers
        assert sum(marker.ns == "contacts" for marker in markers) == 19
        assert all(marker.header.frame_id.removeprefix("left/") in ["base", *(n.removeprefix("left/") for n in moving)] for marker in markers)
        (ball,) = [marker for marker in markers if marker.ns == "objects"]
        assert ball.header.frame_id == "left/base" and close([ball.scale.x, ball.pose.position.z], [0.04, 0.15])
        assert len(graph.last("/left/joint_states").name) == 22


def test_a_device_of_a_file_and_its_rates(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("based_on: two_finger\nmodel: Mine\nmotors:\n  left: {gear: 100}\n")
    with hand(namespace="/mine", device=str(file), update_rate=500.0, step_rate=500) as mine:
        info, names = mine.info()
        assert (names.model_name, list(names.gear_ratio), info.update_rate) == ("Mine", [100.0, 1.0], 500.0)
        assert close([info.motor_limit[0].maximum], [157.0])
        mine.follow(lambda s: s.motor_pos[0] > 90.0 and s.joint_pos[0] > 0.9, "it does not move", ref_pos=[100.0, 0.0])


@pytest.mark.parametrize(
    "parameters, sentence",
    [
        ({"device": "mlp"}, "must be one of mpl, mpl_gazebo, two_finger, topics, dummy, or the path of a YAML file"),
        ({"device": "/nowhere.yaml"}, "cannot be read"),
        ({"update_rate": 1.0}, "must be 0 or from 2 to 1000 Hz"),
        ({"update_rate": 200.0, "step_rate": 100}, "must be at least the update rate, 200 Hz"),
        ({"device": "dummy", "update_rate": 50.0}, "must be 0"),
        ({"objects.a.shape": "cube"}, "objects.a.shape"),
    ],
)
def test_a_wrong_start_ends_with_a_sentence(parameters, sentence):
    given = [text for name, value in parameters.items() for text in ("-p", f"{name}:={value}")]
    process = Process("haptix", "--ros-args", *given)
    assert process.wait(10.0) == 1
    assert sentence in process.output, process.output
