"""The controller manager over the wire: its services, what it publishes, and halts of the motors."""

import signal
import time

import pytest
from action_msgs.msg import GoalStatus
from diagnostic_msgs.msg import DiagnosticArray
from graph import LATCHED, Graph
from mechanisms import ARM, BEST_EFFORT, STRICT, URDF, Manager, arm, wait_for
from moving import rest
from pr2_mechanism_msgs.action import SwitchController
from pr2_mechanism_msgs.msg import MechanismStatistics
from pr2_mechanism_msgs.srv import UnloadController
from processes import Process
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import DescribeParameters, GetParameters, SetParameters
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64, String
from std_srvs.srv import Empty
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ONE = QoSProfile(depth=1)


def position(graph, joint):
    state = graph.last("joint_states")
    return state.position[state.name.index(joint)] if state else None


def command(graph, topic, value, condition, failure, timeout=5.0):
    """Repeats a command until `condition()` holds."""
    timer = graph.repeat(topic, Float64(data=value), 50.0)
    try:
        graph.wait(condition, failure, timeout)
    finally:
        graph.stop_repeating(timer)


def test_the_six_services_load_start_list_stop_and_unload():
    with arm() as (_, manager, _):
        assert manager.list() == []
        types = manager.types()
        assert types == sorted(types) and "steersman/JointPositionController" in types
        assert manager.load("tilt_position") and manager.load("pan_position") and manager.load("pan_effort")
        # In the order in which they run: by name.
        stopped = [("pan_effort", "stopped"), ("pan_position", "stopped"), ("tilt_position", "stopped")]
        assert manager.list() == stopped
        assert manager.switch(["tilt_position", "pan_position"])
        assert manager.list() == [("pan_effort", "stopped"), ("pan_position", "running"), ("tilt_position", "running")]
        assert not manager.unload("pan_position"), "it runs"
        assert manager.switch(["pan_effort"], ["pan_position"])
        assert manager.unload("pan_position")
        assert manager.list() == [("pan_effort", "running"), ("tilt_position", "running")]
        assert not manager.reload(False), "controllers are loaded"
        assert manager.reload(True)
        assert manager.list() == []
        assert manager.reload(False)


def test_wrong_requests_are_refused_and_change_nothing():
    with arm("-p", "odd.type:=robots/Juggler", "-p", "lame.type:=steersman/JointEffortController", "-p", "lame.joint:=leg") as (
        _,
        manager,
        process,
    ):
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        before = manager.list()
        for name in ["pan_position", "", "/pan_effort", "pan effort", "pan.effort", "nobody", "odd", "lame", "a" * 300]:
            assert not manager.load(name), name
        for name in ["nobody", "", "pan_position"]:
            assert not manager.unload(name), name
        for start, stop in [(["nobody"], ["pan_position"]), (["pan_position"], ["nobody"]), (["pan_effort"], [])]:
            assert not manager.switch(start, stop), (start, stop)
        for strictness in [3, -1, 2**31 - 1, -(2**31)]:
            assert not manager.switch([], ["pan_position"], strictness), strictness
        assert manager.list() == before
        for sentence in [
            "controller 'pan_position' is loaded already",
            "parameter 'nobody.type' is missing",
            "controller type 'robots/Juggler' is unknown, must be one of steersman/",
            "parameter 'joint' is 'leg', must be a joint with a transmission: pan, tilt",
            "controller 'pan_position' runs: stop it first",
            "no controller 'nobody' is loaded",
            "strictness is 3, must be 1 (best effort), 2 (strict), or 0, which counts as 1",
        ]:
            assert sentence in process.output, sentence


def test_best_effort_goes_on_with_the_known_ones():
    with arm() as (_, manager, _):
        assert manager.load("pan_position")
        assert manager.switch(["nobody", "pan_position"], ["nobody"], BEST_EFFORT)
        assert manager.list() == [("pan_position", "running")]
        assert manager.switch([], [], STRICT), "nothing to switch is no error"
        assert manager.switch(["nobody"], [], 0), "0 counts as best effort"


def test_a_position_is_reached_and_published():
    with arm() as (graph, manager, _):
        graph.subscribe(JointState, "joint_states", ONE)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        command(graph, "pan_position/command", 1.0, lambda: abs((position(graph, "pan") or 0.0) - 1.0) < 0.01, "the joint is not there")
        graph.wait(lambda: abs(position(graph, "pan") - 1.0) < 0.01, "it is not held")
        state = graph.last("joint_states")
        assert list(state.name) == ["pan", "tilt"]
        age = time.time() - state.header.stamp.sec - state.header.stamp.nanosec * 1e-9
        assert 0.0 < age < 0.5, age


def test_joint_states_and_statistics_come_at_their_rates():
    with arm() as (graph, manager, _):
        graph.subscribe(JointState, "joint_states", QoSProfile(depth=100))
        graph.subscribe(MechanismStatistics, "mechanism_statistics", ONE)
        assert manager.load("pan_position") and manager.load("arm_trajectory") and manager.switch(["pan_position"])
        start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 3.0, "never", 4.0)
        states = graph.since("joint_states", start)
        assert 270 <= len(states) <= 310, len(states)
        assert 2 <= len(graph.since("mechanism_statistics", start)) <= 4
        statistics = graph.last("mechanism_statistics")
        assert [one.name for one in statistics.joint_statistics] == ["pan", "tilt"]
        assert [one.name for one in statistics.actuator_statistics] == ["pan_motor", "tilt_motor"]
        # In the order of loading.
        assert [(one.name, one.running) for one in statistics.controller_statistics] == [
            ("pan_position", True),
            ("arm_trajectory", False),
        ]
        pan = statistics.controller_statistics[0]
        assert 0 < pan.max_time.nanosec and pan.num_control_loop_overruns >= 0
        assert statistics.joint_statistics[0].is_calibrated and not statistics.actuator_statistics[0].halted


def test_an_effort_that_is_not_repeated_ends():
    with arm() as (graph, manager, process):
        graph.subscribe(MechanismStatistics, "mechanism_statistics", ONE)
        graph.subscribe(JointState, "joint_states", ONE)
        assert manager.load("pan_effort") and manager.switch(["pan_effort"])
        graph.wait(lambda: graph.last("joint_states") is not None, "no joint states")
        effort = lambda: graph.last("joint_states").effort[0]  # noqa: E731
        command(graph, "pan_effort/command", 0.5, lambda: abs(effort() - 0.5) < 1e-6, lambda: f"the effort is {effort()}")
        graph.wait(lambda: effort() == 0.0, "the effort stays", 2.0)
        timer = graph.repeat("pan_effort/command", Float64(data=float("nan")), 50.0)
        graph.wait(lambda: "a message on 'pan_effort/command' is ignored: NaN is not finite" in process.output, "no warning")
        graph.stop_repeating(timer)
        assert effort() == 0.0


def trajectory(names, *points):
    message = JointTrajectory(joint_names=names)
    for seconds, positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec, point.time_from_start.nanosec = int(seconds), int(seconds % 1 * 1e9)
        message.points.append(point)
    return message


def test_a_trajectory_is_followed_whatever_the_order_of_its_joints():
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", QoSProfile(depth=100))
        topic = "arm_trajectory/joint_trajectory"
        assert manager.load("arm_trajectory") and manager.switch(["arm_trajectory"])
        graph.publish(topic, trajectory(["pan"], (1.0, [0.5])), ONE)
        reason = "its joints are [pan], must be [pan, tilt] in any order"
        graph.wait(lambda: graph.publish(topic, trajectory(["pan"], (1.0, [0.5])), ONE) or reason in process.output, "no warning")
        graph.publish(topic, trajectory(["pan", "tilt"], (1.0, [0.5, -0.5])), ONE)
        reason = "a message on 'arm_trajectory/joint_trajectory' is ignored: joint 'tilt': -0.5 is beyond its lower limit -0.3712"
        graph.wait(lambda: reason in process.output, lambda: process.output)
        assert abs(position(graph, "pan")) < 0.01
        start = time.monotonic()
        graph.publish(topic, trajectory(["tilt", "pan"], (1.0, [0.4, 0.8])), ONE)
        there = lambda: abs(position(graph, "pan") - 0.8) < 0.03 and abs(position(graph, "tilt") - 0.4) < 0.03  # noqa: E731
        graph.wait(there, lambda: f"pan {position(graph, 'pan')}, tilt {position(graph, 'tilt')}")
        assert time.monotonic() - start > 0.7, "it took its time"


def test_parameters_are_read_again_at_each_load():
    with arm() as (graph, manager, _):
        def set_parameter(name, value):
            message = Parameter(name, value=value).to_parameter_msg()
            answer = manager.call(SetParameters, "mechanism/set_parameters", parameters=[message])
            return answer.results[0].successful

        assert not manager.load("later")
        assert set_parameter("later.type", "steersman/JointEffortController")
        assert not manager.load("later"), "it has no joint"
        assert set_parameter("later.joint", "tilt")
        assert manager.load("later")
        assert set_parameter("later.joint", "nothing")
        assert manager.unload("later") and not manager.load("later")
        # What is the node's own is refused if it is mistyped.
        assert not set_parameter("simulation.inertai", 1.0)
        assert not set_parameter("rate", 100)
        values = manager.call(GetParameters, "mechanism/get_parameters", names=["later.type", "rate"]).values
        assert values[0].string_value == "steersman/JointEffortController" and values[1].integer_value == 1000
        described = manager.call(DescribeParameters, "mechanism/describe_parameters", names=["pan_effort.type"]).descriptors[0]
        assert described.type == ParameterType.PARAMETER_STRING and described.dynamic_typing


def test_a_controller_runs_after_those_that_its_parameters_name():
    after = ["-p", 'a.type:=steersman/JointEffortController', "-p", "a.joint:=pan", "-p", "a.run_after:=[tilt_position]"]
    with arm(*after) as (_, manager, process):
        assert not manager.load("a")
        assert "controller 'a' depends on 'tilt_position', which is not loaded" in process.output
        assert manager.load("tilt_position") and manager.load("a")
        assert manager.list() == [("tilt_position", "stopped"), ("a", "stopped")], "by name it would be the other way round"
        assert not manager.unload("tilt_position")
        assert "controller 'a' depends on 'tilt_position': unload it first" in process.output
        assert manager.unload("a") and manager.unload("tilt_position")


def test_of_a_reset_and_a_halt_that_are_read_together_the_halt_holds():
    with arm() as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        graph.wait(lambda: graph.last("motors_halted") and not graph.last("motors_halted").data, "the motors stay halted")
        clients = [graph.node.create_client(Empty, name) for name in ("halt_motors", "reset_motors")]
        # Once before: the node then knows both clients, and receives their calls in the order of sending.
        for client, is_halted in zip(clients, (True, False), strict=True):
            assert client.wait_for_service(10.0)
            client.call_async(Empty.Request())
            graph.wait(lambda is_halted=is_halted: graph.last("motors_halted").data == is_halted, "no effect")
        process.process.send_signal(signal.SIGSTOP)
        for client in reversed(clients):
            client.call_async(Empty.Request())
            time.sleep(0.1)
        process.process.send_signal(signal.SIGCONT)
        graph.wait(lambda: graph.last("motors_halted").data, "the halt came last")
        time.sleep(0.5)
        assert graph.last("motors_halted").data
        manager.reset()
        graph.wait(lambda: not graph.last("motors_halted").data, "the reset came last")


def test_a_halt_waits_for_no_other_call():
    with arm() as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.wait(lambda: graph.last("motors_halted") and not graph.last("motors_halted").data, "the motors stay halted")
        # Once before, see above.
        assert not manager.unload("nobody")
        manager.halt()
        manager.reset()
        graph.wait(lambda: not graph.last("motors_halted").data, "no reset")
        unload, halt = (manager.clients[name] for name in ("pr2_controller_manager/unload_controller", "halt_motors"))
        sentence = "the motors are halted: a halt was requested"
        for attempt in range(3):
            before = process.output.count(sentence)
            process.process.send_signal(signal.SIGSTOP)
            future = unload.call_async(UnloadController.Request(name=f"somebody_{attempt}"))
            time.sleep(0.1)
            halt.call_async(Empty.Request())
            time.sleep(0.1)
            process.process.send_signal(signal.SIGCONT)
            graph.wait(future.done, "no answer")
            graph.wait(lambda before=before: process.output.count(sentence) == before + 1, "no halt")
            if process.output.rindex(sentence) < process.output.index(f"no controller 'somebody_{attempt}' is loaded"):
                return
            # The middleware, which was held too, may have handed over the first call alone.
            manager.reset()
            graph.wait(lambda: not graph.last("motors_halted").data, "no reset")
        raise AssertionError(process.output)


@pytest.mark.fault("arm-hindbrain-lost")
def test_a_second_publisher_of_the_vehicle_s_state_halts_the_motors():
    with arm("-p", "halt_on:=hind/state") as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.repeat("hind/state", String(data="OK"), 10.0)
        graph.wait(lambda: graph.last("motors_halted") and not graph.last("motors_halted").data, "the motors stay halted")
        other = Graph()
        try:
            other.repeat("hind/state", String(data="OK"), 10.0)
            graph.wait(lambda: graph.last("motors_halted").data, "both are obeyed", 10.0)
            assert "the motors are halted: the vehicle's state has more than one publisher" in process.output
        finally:
            other.close()
        over = "the motors stay halted: the vehicle's state had more than one publisher; reset_motors ends it"
        graph.wait(lambda: over in process.output, lambda: process.output, 10.0)
        assert graph.last("motors_halted").data, "what was lost does not start again by itself"
        manager.reset()
        graph.wait(lambda: not graph.last("motors_halted").data, "it stays halted", 10.0)


def test_a_mistyped_parameter_of_a_controller_is_refused_at_its_load():
    with arm("-p", "pan_effort.joimt:=pan") as (_, manager, process):
        assert not manager.load("pan_effort")
        assert "parameter 'joimt' does not exist; did you mean 'joint'?" in process.output


def test_what_a_user_may_not_expect_is_said():
    with arm("-p", "pan_effort.joint:=pan", "-p", "weak.type:=steersman/JointPositionController", "-p", "weak.joint:=pan") as (graph, manager, process):
        says = lambda sentence: graph.wait(lambda: sentence in process.output, lambda: f"no '{sentence}': {process.output}")  # noqa: E731
        says("moves pan (pan_motor, ")
        says("the motors are on")
        assert manager.load("weak") and manager.load("pan_velocity")
        says("controller 'weak': parameters 'pid.p', 'pid.i' and 'pid.d' are 0: no effort will ever come")
        assert manager.switch(["weak", "pan_velocity"])
        says("joint 'pan' is moved by 'weak' and 'pan_velocity' at once: their efforts add")
        manager.halt()
        says("the motors are halted: a halt was requested; reset_motors ends it")
        other = graph.node.create_publisher(JointState, "joint_states", ONE)
        says("'/joint_states' is published by /observer, too: end it, or give it another topic")
        graph.node.destroy_publisher(other)
        assert process.output.count("a halt was requested") == 1, "one line for one event"


@pytest.mark.fault("arm-estop")
def test_a_halt_stops_the_motors_until_the_reset():
    with arm() as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.subscribe(JointState, "joint_states", ONE)
        halted = lambda: graph.last("motors_halted").data  # noqa: E731
        graph.wait(lambda: graph.last("motors_halted") is not None and not halted(), "the motors are not reset")
        assert manager.load("pan_velocity") and manager.switch(["pan_velocity"])
        speed = lambda: graph.last("joint_states").velocity[0]  # noqa: E731
        timer = graph.repeat("pan_velocity/command", Float64(data=0.3), 50.0)
        graph.wait(lambda: speed() > 0.2, "it does not move")
        manager.halt()
        graph.wait(halted, "no halt", 0.5)
        graph.wait(lambda: graph.last("joint_states").effort[0] == 0.0, "an effort", 0.5)
        graph.wait(lambda: abs(speed()) < 0.01, "it moves on")
        assert manager.list() == [("pan_velocity", "running")]
        manager.reset()
        graph.wait(lambda: not halted(), "no reset")
        time.sleep(0.5)
        assert abs(speed()) < 0.01, "the reset alone moves it"
        sentence = "commands on 'pan_velocity/command' move nothing after a halt of the motors"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        rest(timer)
        graph.wait(lambda: speed() > 0.2, "a stream that asked for rest does not count")
        graph.stop_repeating(timer)


@pytest.mark.fault("arm-estop")
def test_an_estop_of_the_vehicle_halts_until_it_is_left_and_stays_left():
    with arm("-p", "halt_on:=hind/state") as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        halted = lambda: graph.last("motors_halted") is not None and graph.last("motors_halted").data  # noqa: E731
        moving = lambda: graph.last("motors_halted") is not None and not graph.last("motors_halted").data  # noqa: E731
        graph.wait(halted, "halted until the vehicle's state is there")
        state = String(data="OK")
        timer = graph.repeat("hind/state", state, 10.0)
        graph.wait(moving, "no reset")
        state.data = "ESTOP"
        graph.wait(halted, "no halt", 1.0)
        manager.reset()
        graph.wait(lambda: "the motors stay halted: the vehicle is in its emergency stop" in process.output, "no sentence")
        assert halted()
        state.data = "SSTOP.BOTH"
        took = graph.wait(moving, "no reset after the estop")
        assert took > 0.3, "the state has to be repeated before it counts"
        state.data = "ESTOP"
        graph.wait(halted, "no halt", 1.0)
        state.data = "OK"
        graph.wait(lambda: process.output.count("the vehicle leaves its emergency stop") == 2, "the state is not received")
        graph.stop_repeating(timer)
        timer = graph.repeat("hind/state", String(data="OK"), 10.0)
        over = "the motors stay halted: the vehicle's state was lost in its emergency stop; reset_motors ends it"
        graph.wait(lambda: over in process.output, lambda: process.output)
        time.sleep(1.0)
        assert halted(), "another publisher ends no emergency stop"
        manager.reset()
        graph.wait(moving, "no reset")
        graph.stop_repeating(timer)
        graph.wait(halted, "the lost state does not halt", 3.0)
        assert "the motors are halted: the vehicle's state is lost" in process.output


def test_diagnostics_have_joints_and_controllers():
    with arm() as (graph, manager, _):
        seen = {}
        graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=100))

        def statuses():
            for message in graph.since("/diagnostics", 0.0):
                seen.update({status.name: status for status in message.status})
            return seen

        graph.wait(lambda: "mechanism: Controller: No controllers loaded in controller manager" in statuses(), "no status without controllers")
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        graph.wait(lambda: "mechanism: Controller (pan_position)" in statuses(), "no status of the controller")
        graph.wait(lambda: statuses()["mechanism: Controller (pan_position)"].message == "Running", "it does not run")
        keys = [value.key for value in seen["mechanism: Joint (pan)"].values]
        assert keys[:4] == ["Position", "Velocity", "Measured Effort", "Commanded Effort"]
        assert seen["mechanism: Joint (pan)"].message == "OK"


def test_it_ends_while_it_switches():
    with arm() as (graph, manager, process):
        assert manager.load("pan_position")
        client = manager.clients["pr2_controller_manager/load_controller"]
        assert client
        for _ in range(3):
            manager.switch(["pan_position"])
        process.stop()
        assert "panicked" not in process.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-p", "rate:=0"], "parameter 'rate' is 0, must be from 10 to 10000 Hz"),
        (["-p", "rate:=1000000000"], "parameter 'rate' is 1000000000"),
        (["-p", "robot_description:="], "robot_description"),
        (["-p", "robot_description:=/nowhere.urdf"], "parameter 'robot_description' is '/nowhere.urdf', cannot be read"),
        (["-p", "robot_description:=<robot"], "robot_description"),
        (["-p", "hardware:=rocket"], "parameter 'hardware' is \"rocket\", must be one of: simulated"),
        (["-p", "cores:=[5000]"], "parameter 'cores'"),
    ],
)
def test_a_wrong_start_is_refused(arguments, sentence):
    process = Process("mechanism", "--ros-args", "-p", f"robot_description:={URDF}", *arguments)
    assert process.wait() == 1
    assert sentence in process.output, process.output


def test_what_was_refused_by_the_system_is_said_with_its_remedy():
    with arm("-p", "cores:=[1000]") as (_, manager, process):
        assert manager.list() == []
        assert "the real-time loop runs on any processor: [1000] is refused" in process.output


def test_the_example_starts_as_it_is():
    process = Process("mechanism", "--ros-args", "--params-file", str(ARM), "-p", f"robot_description:={URDF}")
    graph = Graph()
    manager = Manager(graph)
    for name in ["pan_effort", "pan_position", "tilt_position", "pan_velocity", "arm_trajectory"]:
        assert manager.load(name), name
    graph.close()
    process.stop()


class Switcher:
    """A client of the action switch_controller."""

    def __init__(self, graph):
        self.graph = graph
        self.client = ActionClient(graph.node, SwitchController, "pr2_controller_manager/switch_controller")
        assert self.client.wait_for_server(10.0)

    def send(self, start=(), stop=()):
        goal = SwitchController.Goal(start_controllers=list(start), stop_controllers=list(stop))
        return self._wait(self.graph.between(lambda: self.client.send_goal_async(goal)))

    def status(self, handle):
        return self._wait(self.graph.between(handle.get_result_async)).status

    def cancel(self, handle):
        return self._wait(self.graph.between(handle.cancel_goal_async))

    def _wait(self, future):
        return wait_for(self.graph, future, "no answer of the action")


def test_the_action_switches_all_or_nothing():
    with arm() as (graph, manager, _):
        switcher = Switcher(graph)
        assert manager.load("pan_position") and manager.load("pan_effort")
        assert switcher.status(switcher.send(["pan_position"])) == GoalStatus.STATUS_SUCCEEDED
        assert manager.list() == [("pan_effort", "stopped"), ("pan_position", "running")]
        assert switcher.status(switcher.send(["pan_effort", "nobody"], ["pan_position"])) == GoalStatus.STATUS_ABORTED
        assert manager.list() == [("pan_effort", "stopped"), ("pan_position", "running")]
        assert switcher.status(switcher.send(["pan_effort"], ["pan_position"])) == GoalStatus.STATUS_SUCCEEDED
        assert manager.list() == [("pan_effort", "running"), ("pan_position", "stopped")]
        # Empty is no error, and goals one after the other do not add up.
        for _ in range(150):
            assert switcher.status(switcher.send()) == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_is_cancelled_and_changes_nothing_or_it_is_too_late():
    with arm("-p", "rate:=10") as (graph, manager, _):  # a step, which takes up the change, comes within 0.1 s
        switcher = Switcher(graph)
        assert manager.load("pan_position")
        ends = set()
        for wait in [0.0, 0.0, 0.0, 0.02, 0.05, 0.15, 0.0, 0.0, 0.0]:
            assert manager.switch([], ["pan_position"])
            handle = switcher.send(["pan_position"])
            time.sleep(wait)
            is_cancelled = len(switcher.cancel(handle).goals_canceling) == 1
            ends.add(is_cancelled)
            status = switcher.status(handle)
            assert status == (GoalStatus.STATUS_CANCELED if is_cancelled else GoalStatus.STATUS_SUCCEEDED)
            assert manager.switch(), "a step"
            assert manager.list() == [("pan_position", "stopped" if is_cancelled else "running")]
        assert ends == {True, False}
