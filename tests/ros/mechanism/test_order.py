"""Goals, stops, cancellations, activations and resets that a node reads in one turn, after it was held for a moment."""

import contextlib
import signal
import time

import pytest
from builtin_interfaces.msg import Duration
from graph import LATCHED
from lifecycle_msgs.srv import ChangeState
from mechanisms import arm
from robots import TOPICS, Robot, is_halted
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
        time.sleep(0.02)
    finally:
        process.process.send_signal(signal.SIGCONT)


def test_a_stop_ends_a_goal_that_came_with_it():
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
                future = graph.between(lambda: client.client.send_goal_async(goal((1.5, [0.5, 0.0]))))
                time.sleep(0.05)
                stop.publish(JointTrajectory())
            graph.wait(future.done, "the goal is not answered")
            status, result = client.result(future.result())
            assert status == ABORTED and "it was stopped" in result.error_string, result
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


class Unpowered(Robot):
    """A robot whose `pan` can be moved without power, to the place `drag`, at 1.5 rad/s."""

    drag, top = None, 0.0

    def step(self):
        if self.drag is not None:
            place = self.position["pan_motor"]
            self.position["pan_motor"] = place + max(-0.015, min(0.015, self.drag - place))
            self.velocity["pan_motor"] = 0.0
        super().step()
        if self.drag is None:
            self.top = max(self.top, abs(self.velocity["pan_motor"]))


def test_a_goal_that_waits_for_its_end_ends_where_a_joint_leaves_its_path_tolerance():
    robot = Unpowered()
    try:
        with arm(*TOPICS) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.wait(lambda: not is_halted(graph), lambda: process.output, 10.0)
            running(manager)
            client = Client(graph)
            robot.drag = 0.0
            handle = client.send(goal((1.0, [0.2, 0.0]), goal_time_tolerance=Duration(sec=-1)))
            time.sleep(1.5)
            robot.drag = -1.5
            status, result = client.result(handle)
            assert status == ABORTED and "left its path tolerance" in result.error_string, result
            graph.wait(lambda: robot.position["pan_motor"] < -1.4, "it is not moved")
    finally:
        robot.close()
