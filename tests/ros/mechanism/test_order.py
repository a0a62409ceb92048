"""Goals, stops, cancellations, activations and resets that a node reads in one turn, after it was held for a moment."""

import contextlib
import signal
import time

import pytest
from graph import LATCHED
from lifecycle_msgs.srv import ChangeState
from mechanisms import arm
from robots import is_halted
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Empty
from trajectories import ABORTED, CANCELED, ONE, SUCCEEDED, Client, goal, running
from trajectory_msgs.msg import JointTrajectory

DEACTIVATE, ACTIVATE = 4, 3


@contextlib.contextmanager
def held(process):
    """The node reads what is sent meanwhile in one turn. It is not held for long enough to halt."""
    process.process.send_signal(signal.SIGSTOP)
    try:
        yield
        time.sleep(0.003)
    finally:
        process.process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("goals", [1, 2])
def test_a_stop_ends_the_goals_that_came_with_it(goals):
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", ONE)
        running(manager)
        client = Client(graph)
        assert client.client.wait_for_server(10.0)
        stop = graph.node.create_publisher(JointTrajectory, "arm_trajectory/joint_trajectory", ONE)
        graph.wait(lambda: stop.get_subscription_count() == 1, "no subscriber")
        for _ in range(3):
            before = graph.last("joint_states").position[0]
            with held(process):
                futures = []
                for _ in range(goals):
                    futures.append(graph.between(lambda: client.client.send_goal_async(goal((1.5, [0.5, 0.0])))))
                    time.sleep(0.003)
                stop.publish(JointTrajectory())
            for future in futures:
                graph.wait(future.done, "the goal is not answered")
                status, result = client.result(future.result())
                assert status == ABORTED and ("it was stopped" in result.error_string or future is not futures[-1]), result
            assert abs(graph.last("joint_states").position[0] - before) < 0.1, "it is a motion of 0.5 rad"


@pytest.mark.parametrize("holds", [True, False])
def test_a_cancellation_ends_the_goal_that_it_names_alone(holds):
    with arm() as (graph, manager, process):
        running(manager)
        client = Client(graph)
        for number in range(4):
            first = client.send(goal((20.0, [1.0, 0.0])))
            time.sleep(0.3)

            def both(first=first, number=number):
                moves = goal((1.0, [0.1 * number, 0.0]))
                remember = lambda message: client.feedback.append(message)  # noqa: E731
                return first.cancel_goal_async(), client.client.send_goal_async(moves, feedback_callback=remember)

            client.feedback = []
            with held(process) if holds else contextlib.nullcontext():
                _, future = graph.between(both)
            graph.wait(future.done, "the next goal is not answered")
            assert client.result(first)[0] in (CANCELED, ABORTED), "cancelled, or replaced before"
            status, result = client.result(future.result())
            assert status == SUCCEEDED, result
            assert client.feedback, "feedback went to another goal"


@pytest.mark.fault("inactive")
def test_a_reset_that_came_with_an_activation_permits_no_motion():
    with arm() as (graph, manager, process):
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.wait(lambda: not is_halted(graph), lambda: process.output, 10.0)
        change, reset = graph.node.create_client(ChangeState, "mechanism/change_state"), graph.node.create_client(Empty, "reset_motors")
        assert change.wait_for_service(10.0) and reset.wait_for_service(5.0)

        def to(transition):
            request = ChangeState.Request()
            request.transition.id = transition
            return graph.between(lambda: change.call_async(request))

        for _ in range(3):
            done = to(DEACTIVATE)
            graph.wait(lambda done=done: done.done() and is_halted(graph), "it is not halted")
            with held(process):
                graph.between(lambda: reset.call_async(Empty.Request()))
                time.sleep(0.02)
                done = to(ACTIVATE)
            graph.wait(done.done, "the activation is not answered")
            assert done.result().success
            time.sleep(0.5)
            assert is_halted(graph), "the reset came before the activation"
            manager.reset()
            graph.wait(lambda: not is_halted(graph), "a reset after it does not count")
