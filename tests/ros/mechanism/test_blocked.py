"""An arm whose joints an obstacle keeps from following, or whose states repeat themselves: it is not pushed on."""

import contextlib
import time

import pytest
from graph import LATCHED
from mechanisms import arm
from robots import TOPICS, Robot, is_halted
from std_msgs.msg import Bool, Float64
from trajectories import ONE, trajectory
from trajectory_msgs.msg import JointTrajectory

INTEGRAL = ("-p", "arm_trajectory.pid.i:=[20.0, 20.0]", "-p", "arm_trajectory.pid.i_clamp:=[2.0, 2.0]")


class Blocked(Robot):
    """Joints that an obstacle keeps where they are while `blocked`."""

    blocked = False

    def step(self):
        places = dict(self.position)
        super().step()
        if self.blocked:
            self.position = places
            self.velocity = dict.fromkeys(self.names, 0.0)


@contextlib.contextmanager
def started(controller, *arguments):
    """The robot, its graph and node, with this controller running."""
    robot = Blocked()
    try:
        with arm(*TOPICS, *arguments) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.wait(lambda: not is_halted(graph), lambda: process.output, 10.0)
            assert manager.load(controller) and manager.switch([controller]), process.output
            yield robot, graph, process
    finally:
        robot.close()


def effort(robot):
    return robot.effort["pan_motor"]


@pytest.mark.parametrize(("then", "most"), [(-0.05, 0.03), (0.02, 0.05)])
def test_a_joint_is_pushed_no_further_than_its_command_asks_for(then, most):
    with started("pan_velocity") as (robot, graph, process):
        command = Float64(data=0.3)
        graph.repeat("pan_velocity/command", command, 50.0)
        graph.wait(lambda: robot.velocity["pan_motor"] > 0.2, lambda: process.output, 5.0)
        robot.blocked = True
        graph.wait(lambda: effort(robot) > 0.15, lambda: f"it does not push: {effort(robot)}", 5.0)
        command.data = then
        graph.wait(lambda: effort(robot) <= most, lambda: f"it pushes on: {effort(robot)}", 0.5)


@pytest.mark.fault("states-repeat")
@pytest.mark.parametrize("ends", [False, True])
def test_states_that_repeat_themselves_halt_the_arm(ends):
    with started("pan_velocity") as (robot, graph, process):
        command = Float64(data=0.3)
        graph.repeat("pan_velocity/command", command, 50.0)
        graph.wait(lambda: robot.velocity["pan_motor"] > 0.2, lambda: process.output, 5.0)
        last = {}

        def freeze(message):
            if not last:
                last.update(position=list(message.position), velocity=list(message.velocity))
            message.position, message.velocity = last["position"], last["velocity"]

        robot.change = freeze
        command.data = 0.0 if ends else 0.3
        graph.wait(lambda: is_halted(graph), lambda: f"{effort(robot)}\n{process.output}", 3.0)
        graph.wait(lambda: effort(robot) == 0.0, lambda: f"{effort(robot)}\n{process.output}", 1.0)
        assert "'pan_motor' has a speed, and its position has been the same for" in process.output, process.output


@pytest.mark.parametrize("ends", ["missed", "stopped"])
def test_a_trajectory_that_ended_at_an_obstacle_pushes_no_further(ends):
    with started("arm_trajectory", *INTEGRAL) as (robot, graph, process):
        robot.blocked = True
        graph.publish("arm_trajectory/joint_trajectory", trajectory(["pan", "tilt"], (1.0, [0.25, 0.0])), ONE)
        graph.wait(lambda: effort(robot) > 0.25, lambda: f"it does not push: {effort(robot)}\n{process.output}", 5.0)
        if ends == "stopped":
            graph.publish("arm_trajectory/joint_trajectory", JointTrajectory(), ONE)
        graph.wait(lambda: abs(effort(robot)) < 0.02, lambda: f"it pushes on: {effort(robot)}\n{process.output}", 3.0)
        place = robot.position["pan_motor"]
        robot.blocked = False
        time.sleep(0.5)
        assert abs(robot.position["pan_motor"] - place) < 0.1, f"from {place} to {robot.position['pan_motor']}"
