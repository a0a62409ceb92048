"""The life cycle of every node: the services of lifecycle_msgs, and that only an active node lets something move.

The services are compared with those of rclpy's LifecycleNode, whose states and transitions are rcl's own.
"""

import contextlib
import signal
import threading
import time

import pytest
import rclpy
from chairs import NEUTRAL, Driver, Luci
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from graph import STOP, Graph
from hands import command, hand
from haptix_msgs.srv import ReadSensors
from lifecycle_msgs.msg import Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from mechanisms import URDF, Manager, MovingArm, arm
from pr2_mechanism_msgs.srv import ListControllers
from processes import Process
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Int16
from std_srvs.srv import SetBool
from surrounds import SCANNER, Surround, scan
from vehicle import Vehicle, now

CHAIN = ("joystick", "velocity_arbiter", "zone_scaler", "hindbrain")
# Each executable with the names of its nodes.
NODES = {
    "steersman": CHAIN,
    **{name: (name,) for name in (*CHAIN, "surround", "chair", "mechanism", "haptix", "simulator", "switch_relay")},
    "luci_chair": ("interface",),
}
CONFIGURE, CLEANUP, ACTIVATE, DEACTIVATE = 1, 2, 3, 4
UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = 1, 2, 3, 4


class LifeCycle:
    """The life cycle of `node` as a client sees it."""

    def __init__(self, graph, node):
        self.services, self.node = Manager(graph), node

    def _call(self, service_type, service, **fields):
        return self.services.call(service_type, f"{self.node}/{service}", timeout=10.0, **fields)

    @property
    def state(self):
        return self._call(GetState, "get_state").current_state.id

    def change(self, number=0, label=""):
        request = ChangeState.Request()
        request.transition.id, request.transition.label = number, label
        return self._call(ChangeState, "change_state", transition=request.transition).success

    def description(self):
        """Everything that its services answer in its present state."""
        transitions = lambda answer: [  # noqa: E731
            (one.transition.id, one.transition.label, one.start_state.id, one.start_state.label, one.goal_state.id, one.goal_state.label)
            for one in answer.available_transitions
        ]
        return {
            "state": self.state,
            "states": [(one.id, one.label) for one in self._call(GetAvailableStates, "get_available_states").available_states],
            "possible": transitions(self._call(GetAvailableTransitions, "get_available_transitions")),
            "graph": transitions(self._call(GetAvailableTransitions, "get_transition_graph")),
        }


@contextlib.contextmanager
def reference_node(graph):
    """A lifecycle node of rclpy, with its life cycle."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = LifecycleNode("reference", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    ends = threading.Event()
    thread = threading.Thread(target=lambda: [executor.spin_once(0.05) for _ in iter(ends.is_set, True)])
    thread.start()
    try:
        yield LifeCycle(graph, "/reference")
    finally:
        ends.set()
        thread.join()
        node.destroy_node()
        rclpy.shutdown(context=context)


def test_the_services_answer_as_those_of_rcl_in_every_state():
    with contextlib.closing(Graph()) as graph, reference_node(graph) as reference:
        process = Process("velocity_arbiter", "--ros-args", "-p", "autostart:=false")
        try:
            graph.wait(lambda: "; inactive, so nothing moves" in process.output, lambda: f"its start says nothing of it:\n{process.output}")
            own = LifeCycle(graph, "/velocity_arbiter")
            ways = [(CONFIGURE, ""), (0, "activate"), (9, "deactivate"), (CLEANUP, ""), (CONFIGURE, ""), (ACTIVATE, ""), (0, "shutdown")]
            for number, label in ways:
                before = own.description()
                assert before == reference.description(), f"before {number} {label}"
                # Those that are not possible; rclpy's node ends with an exception at one.
                possible = {one[0] for one in before["possible"]}
                assert not any(own.change(other) for other in range(10) if other not in possible)
                assert not own.change(label="fly") and own.description() == before
                assert own.change(number, label) and reference.change(number, label)
            assert own.description() == reference.description() and own.state == FINALIZED
        finally:
            process.stop()


@pytest.mark.parametrize("executable", NODES)
def test_every_node_has_a_life_cycle_and_is_active_from_its_start(executable):
    with contextlib.closing(Graph()) as graph:
        arguments = ["--ros-args", "-p", f"robot_description:={URDF}"] if executable == "mechanism" else []
        process = Process(executable, *arguments)
        try:
            for node in NODES[executable]:
                assert LifeCycle(graph, f"/{node}").state == ACTIVE, node
        finally:
            process.stop()


@pytest.mark.parametrize("executable", NODES)
def test_the_diagnostics_of_a_node_say_that_it_is_not_active(executable):
    arguments = ["-p", f"robot_description:={URDF}"] if executable == "mechanism" else []
    with contextlib.closing(Graph()) as graph:
        graph.subscribe(DiagnosticArray, "/diagnostics", QoSProfile(depth=100))
        process = Process(executable, "--ros-args", *arguments, "-p", "autostart:=false")
        try:
            statuses = lambda: {one.name: one for m in graph.since("/diagnostics", 0.0) for one in m.status}  # noqa: E731
            found = lambda: [statuses().get(name) for name in NODES[executable]]  # noqa: E731
            graph.wait(lambda: all(found()), lambda: process.output, 10.0)
            for status in found():
                assert "not active" in status.message and status.level == DiagnosticStatus.WARN, status
        finally:
            process.stop()


def test_the_calls_of_nav2s_lifecycle_manager_in_their_order():
    """nav2_lifecycle_manager of Jazzy, bond off: each node is configured, then each is activated; it ends in the other direction."""
    with contextlib.closing(Graph()) as graph:
        graph.record(Int16, "/motor/port", QoSProfile(depth=1000))
        process = Process("steersman", "--ros-args", "-p", "autostart:=false")
        try:
            nodes = [LifeCycle(graph, f"/{name}") for name in CHAIN]
            assert [node.state for node in nodes] == [UNCONFIGURED] * 4
            start = now()
            for transition, state in [(CONFIGURE, INACTIVE), (ACTIVATE, ACTIVE)]:
                for node in nodes:
                    assert node.change(transition) and node.state == state
            for transition, state in [(DEACTIVATE, INACTIVE), (CLEANUP, UNCONFIGURED)]:
                for node in reversed(nodes):
                    assert node.change(transition) and node.state == state
            values = graph.since("/motor/port", start)
            assert len(values) > 10 and {value.data for value in values} == {STOP}, "stop is published in every state"
        finally:
            process.stop()


def test_each_transition_is_published():
    with Vehicle() as vehicle:
        graph = vehicle.graph
        graph.subscribe(TransitionEvent, "/hindbrain/transition_event")
        vehicle.wait(lambda: graph.node.count_publishers("/hindbrain/transition_event"), "no publisher")
        time.sleep(0.3)
        assert LifeCycle(graph, "/hindbrain").change(DEACTIVATE)
        events = lambda: graph.since("/hindbrain/transition_event", 0.0)  # noqa: E731
        vehicle.wait(lambda: len(events()) >= 2, "no events")
        found = [(e.transition.id, e.transition.label, e.start_state.label, e.goal_state.label) for e in events()]
        assert found == [(4, "deactivate", "active", "deactivating"), (40, "transition_success", "deactivating", "inactive")]
        assert all(abs(event.timestamp / 1e9 - now()) < 5.0 for event in events())


@pytest.mark.fault("inactive")
def test_hindbrain_stops_at_once_and_its_activation_starts_nothing():
    with Vehicle() as vehicle:
        life = LifeCycle(vehicle.graph, "/hindbrain")
        assert life.state == ACTIVE
        vehicle.half_ahead()
        start = now()
        assert life.change(DEACTIVATE)
        vehicle.stopped_within(0.05 + 33 / 800, start, "deactivated")
        vehicle.wait_for("SSTOP.ROS", "INACTIVE", "NOT_ARMED")
        vehicle.enable()
        vehicle.stays_stopped(0.5, "enabled while inactive")
        assert life.change(ACTIVATE)
        vehicle.stays_stopped(0.5, "activated")
        vehicle.wait_for("SSTOP.ROS", "NOT_ARMED")
        vehicle.start()
        vehicle.set_command(0.5)
        vehicle.wait_for_motors(57, 57, "enabled again, and a zero")


@pytest.mark.fault("inactive")
@pytest.mark.parametrize("node", CHAIN[:3])
def test_a_stage_of_the_chain_stops_the_motors_and_its_activation_starts_nothing(stack, node):
    stack.drive_forward()
    life = LifeCycle(stack.graph, f"/{node}")
    assert life.state == ACTIVE
    assert life.change(DEACTIVATE)
    stack.wait_for_stop(f"{node} is not active")
    stack.stick(1.0)
    stack.stays_stopped(0.5, f"{node} is not active")
    assert life.change(ACTIVATE)
    stack.stays_stopped(0.5, f"{node} is active again, and the stick was held")
    stack.drives_again()


@pytest.mark.fault("inactive")
def test_an_arm_is_halted_until_a_reset_after_its_activation():
    with arm("-p", "priority:=0") as (graph, manager, process):
        moving = MovingArm(graph, manager, process)
        graph.wait(lambda: graph.last("joint_states") and moving.moves(), "it does not move")
        life = LifeCycle(graph, "/mechanism")
        assert life.change(DEACTIVATE)
        since = moving.halts()
        manager.reset()
        time.sleep(0.5)
        moving.stands(since, "not active")
        assert life.change(ACTIVATE)
        time.sleep(0.5)
        moving.stands(since, "active, before a reset")
        moving.moves_after_its_reset()
        graph.stop_repeating(moving.timer)


@pytest.mark.fault("inactive")
def test_a_hand_holds_and_its_activation_moves_nothing():
    with hand() as one:
        graph = one.graph
        graph.record(JointState, "joint_states", QoSProfile(depth=1000))
        life = LifeCycle(graph, "/haptix")
        timer = graph.repeat("/haptix/command", command(ref_pos=[0.0] * 8 + [1.4]), 50.0)
        one.wait_for_state("FOLLOWING")
        assert life.change(DEACTIVATE)
        one.wait_for_state("INACTIVE")
        assert life.change(ACTIVATE)
        one.wait_for_state("HOLDING")
        time.sleep(0.7)
        assert one.state == "HOLDING", "commands ran on while it was not active"
        timer.cancel()
        time.sleep(0.8)
        timer.reset()
        time.sleep(0.5)
        assert one.state == "HOLDING", "a pause of theirs is no act"
        one.update(ref_pos=list(one.read().motor_pos))
        one.wait_for_state("FOLLOWING")
        graph.stop_repeating(timer)


@pytest.mark.few
@pytest.mark.parametrize("kind, name", [(GetState, "get_state"), (ChangeState, "change_state"), (GetParameters, "get_parameters")])
def test_a_client_that_cannot_receive_its_answers_delays_no_stop(kind, name):
    """For each answer the middleware waits 0.1 s for its reader, which has another durability."""
    with Vehicle() as vehicle:
        deaf = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        client = vehicle.graph.node.create_client(kind, f"/hindbrain/{name}", qos_profile=deaf)
        vehicle.half_ahead()
        time.sleep(1.0)
        for _ in range(40):
            client.call_async(kind.Request())
        time.sleep(0.02)
        start = now()
        vehicle.graph.publish("/hind/enable", Bool(data=False))
        vehicle.stopped_within(0.12, start, "enable false")
        time.sleep(4.0)  # until the last answer
        assert vehicle.state == "SSTOP.ROS", vehicle.causes


@pytest.mark.few
@pytest.mark.parametrize(
    "start, node, kind, name",
    [
        (arm, "/mechanism", ListControllers, "/pr2_controller_manager/list_controllers"),
        (hand, "/haptix", ReadSensors, "/haptix/read_sensors"),
    ],
)
def test_a_client_that_cannot_receive_its_answers_delays_no_deactivation(start, node, kind, name):
    with start() as one:
        graph = one[0] if start is arm else one.graph
        life = LifeCycle(graph, node)
        assert life.state == ACTIVE
        deaf = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        client = graph.node.create_client(kind, name, qos_profile=deaf)
        time.sleep(1.0)
        assert life.change(DEACTIVATE) and life.change(ACTIVATE)
        graph.between(lambda: [client.call_async(kind.Request()) for _ in range(40)])
        time.sleep(0.1)
        begin = now()
        assert life.change(DEACTIVATE)
        assert (took := now() - begin) < 2.0, f"it took {took:.2f} s"


@pytest.mark.fault("inactive")
def test_an_activation_that_waited_while_the_node_was_held_is_refused():
    """Who called may have given up: the answer comes, and the node stays as it is. To deactivate is never too late."""
    with Vehicle() as vehicle:
        life = LifeCycle(vehicle.graph, "/hindbrain")
        client = vehicle.graph.node.create_client(ChangeState, "/hindbrain/change_state")
        for transition, success in ((DEACTIVATE, True), (ACTIVATE, False)):
            vehicle.process.process.send_signal(signal.SIGSTOP)
            time.sleep(0.1)
            answer = client.call_async(ChangeState.Request(transition=Transition(id=transition)))
            time.sleep(2.0)
            vehicle.process.process.send_signal(signal.SIGCONT)
            vehicle.wait(answer.done, "no answer")
            assert answer.result().success is success
        vehicle.wait(lambda: "the request to activate may have waited for" in vehicle.process.output, "no reason")
        time.sleep(0.3)  # so long anything may be from before
        assert life.change(ACTIVATE)


@pytest.mark.fault("inactive")
def test_a_chair_is_given_back():
    with Luci() as luci, Driver() as driver:
        life = LifeCycle(driver.graph, "/chair")
        driver.activate()
        driver.become("confirmed")
        driver.again(1.0)
        driver.drives(50, 0, 0)
        assert life.change(DEACTIVATE)
        driver.become("inactive")
        assert driver.last[:3] == NEUTRAL and luci.called("remove_shared_remote_input")
        refused = driver.call(SetBool, "/chair/activate", SetBool.Request(data=True))
        assert (refused.success, refused.message) == (False, "the node's life cycle is not active")
        assert life.change(ACTIVATE)
        time.sleep(0.5)
        assert driver.state == "inactive", "the mode has to be entered again"
        driver.activate()
        driver.become("confirmed")


@pytest.mark.fault("inactive")
def test_zones_are_unknown_while_surround_is_not_active():
    with Surround(SCANNER) as surround:
        surround.see(scan())
        surround.wait_for_all(1.0, "nothing around")
        life = LifeCycle(surround.graph, "/surround")
        start = time.monotonic()
        assert life.change(DEACTIVATE)
        surround.blind_within(0.05, start, "not active")
        time.sleep(0.5)
        surround.wait_for_blind("not active")
        assert life.change(ACTIVATE)
        surround.wait_for_all(1.0, "active again")
