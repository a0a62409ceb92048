"""The server of an action as clients of `rclpy` see it: on what it costs, what it keeps, and what it answers to strange requests."""

import signal
import time
import uuid

from action_msgs.msg import GoalInfo, GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from control_msgs.action import FollowJointTrajectory
from graph import LATCHED
from mechanisms import arm, wait_for
from pr2_mechanism_msgs.action import SwitchController
from pr2_mechanism_msgs.srv import ListControllers
from rclpy.action import ActionClient, get_action_names_and_types, get_action_server_names_and_types_by_node
from rclpy.qos import QoSProfile
from trajectories import ABORTED, CANCELED, SUCCEEDED, Client, goal, running

NAME = "arm_trajectory/follow_joint_trajectory"
Response = CancelGoal.Response


def client_of(graph, kind, part, prefix=f"{NAME}/_action/"):
    # The answers to all clients of a service arrive at each.
    client = graph.node.create_client(kind, f"{prefix}{part}", qos_profile=QoSProfile(depth=1000))
    assert client.wait_for_service(10.0), f"there is no {part}"
    return client


def answer(graph, client, request):
    return wait_for(graph, graph.between(lambda: client.call_async(request)), "no answer")


def result_of(graph, client, identity):
    request = FollowJointTrajectory.Impl.GetResultService.Request()
    request.goal_id.uuid = list(identity)
    return answer(graph, client, request)


def states(graph):
    """The goals that the server publishes, oldest first."""
    message = graph.last(f"{NAME}/_action/status")
    return [(bytes(one.goal_info.goal_id.uuid), one.status) for one in message.status_list] if message else []


def identity(handle):
    return bytes(handle.goal_id.uuid)


def wake_ups(process, seconds):
    """How often the node's thread slept and was woken."""

    def count():
        with open(f"/proc/{process.process.pid}/task/{process.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("voluntary_ctxt_switches"))

    before = count()
    time.sleep(seconds)
    return count() - before


def test_a_goal_that_has_ended_is_forgotten_after_ten_seconds_and_costs_nothing():
    with arm() as (graph, manager, process):
        graph.subscribe(GoalStatusArray, f"{NAME}/_action/status", LATCHED)
        running(manager)
        client = Client(graph)
        handle = client.send(goal((0.2, [0.1, 0.1])))
        assert client.result(handle)[0] == SUCCEEDED
        ended = time.monotonic()
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        late = result_of(graph, results, identity(handle))
        assert (late.status, late.result.error_string) == (SUCCEEDED, "the goal is reached"), late
        assert states(graph) == [(identity(handle), SUCCEEDED)]
        # No request wakes the node: it forgets by itself.
        graph.wait(lambda: states(graph) == [], lambda: f"it is kept: {states(graph)}", 15.0)
        assert time.monotonic() - ended > 9.0
        time.sleep(1.0)
        assert result_of(graph, results, identity(handle)).status == GoalStatus.STATUS_UNKNOWN
        # It wakes every 0.1 s, and for what others say in the graph. A timer that stays ready wakes it some thousand times a second.
        assert (count := wake_ups(process, 2.0)) < 500, f"woken {count} times"


def test_the_result_of_an_unknown_goal_is_unknown_and_empty():
    with arm() as (graph, manager, process):
        running(manager)
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        for _ in range(50):
            found = result_of(graph, results, uuid.uuid4().bytes)
            assert (found.status, found.result) == (GoalStatus.STATUS_UNKNOWN, FollowJointTrajectory.Result())
        assert Client(graph).ended(goal((0.2, [0.1, 0.1])))[0] == SUCCEEDED, process.output


def test_the_actions_are_in_the_graph_with_their_types():
    with arm() as (graph, manager, _):
        running(manager)
        switch = ("/pr2_controller_manager/switch_controller", ["pr2_mechanism_msgs/action/SwitchController"])
        follow = (f"/{NAME}", ["control_msgs/action/FollowJointTrajectory"])
        expected = sorted([follow, switch])
        found = lambda: sorted(get_action_names_and_types(graph.node))  # noqa: E731
        graph.wait(lambda: found() == expected, lambda: f"{found()}")
        by_node = lambda: sorted(get_action_server_names_and_types_by_node(graph.node, "mechanism", "/"))  # noqa: E731
        graph.wait(lambda: by_node() == expected, lambda: f"{by_node()}")


def test_a_goal_passes_through_its_states_for_every_client():
    with arm() as (graph, manager, _):
        graph.record(GoalStatusArray, f"{NAME}/_action/status", LATCHED)
        running(manager)
        one, other = Client(graph), Client(graph)
        handle = one.send(goal((3.0, [0.8, 0.4])))
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        request = FollowJointTrajectory.Impl.GetResultService.Request(goal_id=handle.goal_id)
        waiting = [graph.between(lambda: results.call_async(request)) for _ in range(3)]
        second = other.send(goal((3.0, [0.4, 0.4])))
        assert [wait_for(graph, future, "no result").status for future in waiting] == [ABORTED] * 3
        other.cancel(second)
        assert other.result(second)[0] == CANCELED
        graph.wait(lambda: states(graph) == [(identity(handle), ABORTED), (identity(second), CANCELED)], lambda: f"{states(graph)}")
        passed = [one.status for message in graph.since(f"{NAME}/_action/status", 0.0) for one in message.status_list[1:]]
        executing, canceling = GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING
        # Each status takes the place of the one before it, so the one in the middle may have been overtaken.
        assert list(dict.fromkeys(passed)) in ([executing, canceling, CANCELED], [executing, CANCELED]), passed
        # For one that subscribes later, too.
        late = []
        graph.node.create_subscription(GoalStatusArray, f"{NAME}/_action/status", late.append, LATCHED)
        graph.wait(lambda: late and len(late[-1].status_list) == 2, "the status is not latched")


def test_cancellations_select_by_id_by_time_by_both_or_all():
    with arm() as (graph, manager, _):
        running(manager)
        client = Client(graph)
        cancels = client_of(graph, CancelGoal, "cancel_goal")

        def cancelled(identity=bytes(16), stamp=None):
            info = GoalInfo()
            info.goal_id.uuid = list(identity)
            if stamp:
                info.stamp = stamp
            found = answer(graph, cancels, CancelGoal.Request(goal_info=info))
            return found.return_code, [bytes(one.goal_id.uuid) for one in found.goals_canceling]

        assert cancelled() == (Response.ERROR_NONE, [])
        assert cancelled(uuid.uuid4().bytes) == (Response.ERROR_UNKNOWN_GOAL_ID, [])
        first = client.send(goal((5.0, [0.8, 0.4])))
        assert cancelled() == (Response.ERROR_NONE, [identity(first)])
        assert cancelled(identity(first)) == (Response.ERROR_GOAL_TERMINATED, [])
        time.sleep(0.01)
        second = client.send(goal((5.0, [0.8, 0.4])))
        assert cancelled(stamp=first.stamp) == (Response.ERROR_NONE, []), "it was accepted later"
        assert cancelled(identity(second), first.stamp) == (Response.ERROR_NONE, [identity(second)])
        third = client.send(goal((5.0, [0.8, 0.4])))
        assert cancelled(stamp=third.stamp) == (Response.ERROR_NONE, [identity(third)])
        assert {client.result(handle)[0] for handle in (first, second, third)} == {CANCELED}


def test_a_goal_whose_id_repeats_is_rejected_and_moves_nothing():
    with arm() as (graph, manager, process):
        running(manager)
        goals = client_of(graph, FollowJointTrajectory.Impl.SendGoalService, "send_goal")
        request = FollowJointTrajectory.Impl.SendGoalService.Request(goal=goal((2.0, [0.2, 0.1])))
        request.goal_id.uuid = list(uuid.uuid4().bytes)
        assert answer(graph, goals, request).accepted
        again = FollowJointTrajectory.Impl.SendGoalService.Request(goal=goal((2.0, [-0.8, 0.1])), goal_id=request.goal_id)
        assert not answer(graph, goals, again).accepted
        sentence = "a goal for 'arm_trajectory/follow_joint_trajectory' is rejected: its id is that of a goal before it"
        graph.wait(lambda: sentence in process.output, lambda: f"the rejection is not logged: {process.output}")
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        assert result_of(graph, results, bytes(request.goal_id.uuid)).status == SUCCEEDED


def test_a_goal_and_its_cancellation_that_come_together_move_nothing():
    """A raw client does not wait for the acceptance."""
    with arm() as (graph, manager, process):
        running(manager)
        goals = client_of(graph, FollowJointTrajectory.Impl.SendGoalService, "send_goal")
        cancels = client_of(graph, CancelGoal, "cancel_goal")
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        for _ in range(10):
            request = FollowJointTrajectory.Impl.SendGoalService.Request(goal=goal((4.0, [0.8, 0.4])))
            request.goal_id.uuid = list(uuid.uuid4().bytes)
            info = GoalInfo(goal_id=request.goal_id)
            both = graph.between(lambda: (goals.call_async(request), cancels.call_async(CancelGoal.Request(goal_info=info))))  # noqa: B023
            accepted, cancelled = (wait_for(graph, future, "no answer") for future in both)
            assert accepted.accepted and len(cancelled.goals_canceling) == 1, process.output
            assert result_of(graph, results, bytes(request.goal_id.uuid)).status == CANCELED


def test_goals_of_several_clients_of_the_switch_action_end_each_for_itself():
    with arm() as (graph, manager, _):
        assert manager.load("pan_effort")
        name = "pr2_controller_manager/switch_controller"
        clients = [ActionClient(graph.node, SwitchController, name) for _ in range(3)]
        assert all(client.wait_for_server(10.0) for client in clients)
        sent = [graph.between(lambda: client.send_goal_async(SwitchController.Goal())) for client in clients for _ in range(5)]  # noqa: B023
        handles = [wait_for(graph, future, "no answer") for future in sent]
        assert all(handle.accepted for handle in handles)
        ends = [wait_for(graph, graph.between(handle.get_result_async), "no result").status for handle in handles]
        assert ends == [SUCCEEDED] * 15


def test_no_request_is_lost_while_others_flood_the_node():
    """All come while the node is held, so it reads them together: r2r keeps ten of a service until they are received."""
    with arm() as (graph, manager, process):
        running(manager)
        manager.list()
        results = client_of(graph, FollowJointTrajectory.Impl.GetResultService, "get_result")
        lists = client_of(graph, ListControllers, "list_controllers", prefix="pr2_controller_manager/")
        process.process.send_signal(signal.SIGSTOP)
        try:
            graph.between(lambda: [lists.call_async(ListControllers.Request()) for _ in range(100)])
            ask = lambda: results.call_async(FollowJointTrajectory.Impl.GetResultService.Request())  # noqa: E731
            futures = graph.between(lambda: [ask() for _ in range(40)])
            time.sleep(0.2)
        finally:
            process.process.send_signal(signal.SIGCONT)
        answered = lambda: sum(future.done() for future in futures)  # noqa: E731
        graph.wait(lambda: answered() == 40, lambda: f"{answered()} of 40 are answered:\n{process.output[-600:]}")
