"""The own thread of `mechanism` or of `haptix` hangs while its motors move: it reads no stop, so the loop beside it halts them by itself."""

import time

import pytest
from graph import SLACK
from hands import MovingHand, hand
from hangs import LIMIT, hung
from mechanisms import MovingArm, arm
from moving import rest
from std_msgs.msg import Float64

# From a sign of life just before the hang.
HALTS_WITHIN = LIMIT + SLACK
# A hand that begins to hold has stopped after this time [s].
BRAKES = 0.1
# The controllers themselves would obey the last command for 2 s.
LONG = ["-p", "pan_velocity.timeout:=2.0", "-p", "pan_effort.timeout:=2.0"]


@pytest.mark.fault("joint-node-hangs")
@pytest.mark.parametrize("controller", ["pan_velocity", "pan_effort"])
def test_an_arm_whose_node_hangs_gets_no_effort_and_goes_on_after_it(controller):
    with arm(*LONG) as parts:
        moving = MovingArm(*parts)
        graph, manager, process = parts
        graph.wait(lambda: abs(graph.last("joint_states").velocity[0]) > 0.2, lambda: f"it does not move:\n{process.output}")
        stream = moving.timer
        if controller == "pan_effort":
            assert manager.load(controller) and manager.switch([controller], ["pan_velocity"])
            stream = graph.repeat(f"{controller}/command", Float64(data=0.05), 50.0)
            graph.wait(lambda: graph.last("joint_states").effort[0] > 0.04, "no effort")
        with hung(process.process.pid):
            held = time.time()
            time.sleep(1.0)
            last = gets_effort_until(graph, held)
            assert LIMIT - 0.15 < last < HALTS_WITHIN, f"the last effort comes {last:.3f} s after the hang"
            assert graph.since("joint_states", held + 0.7), "the loop hangs too"
            assert moving.is_halted
        went_on = "the control loop or its node was held for more than 0.2 s; they come back by themselves"
        graph.wait(lambda: went_on in process.output, lambda: process.output)
        rest(stream)
        graph.wait(lambda: not moving.is_halted and abs(graph.last("joint_states").effort[0]) > 0.0, "it does not go on")


def gets_effort_until(graph, start):
    """When the last effort comes, after `start` [s]."""
    states = [(at, state) for at, state in graph.messages["joint_states"] if at > start]
    return max((at - start for at, state in states if any(state.effort)), default=0.0)


@pytest.mark.fault("joint-node-hangs")
def test_a_hand_whose_node_hangs_holds_and_then_waits_for_a_command():
    """The last command would be obeyed for 5 s."""
    with hand(command_timeout=5.0) as started:
        moving = MovingHand(started)
        graph, command = moving.graph, moving.command
        # Slowly, so that the way takes seconds.
        command.ref_vel_max[moving.MOTOR] = 0.3
        moves = lambda: graph.last("joint_states") and abs(moving.joint()[1]) > 0.2  # noqa: E731
        graph.wait(moves, lambda: f"it does not move:\n{moving.process.output}")
        with hung(moving.process.process.pid):
            held = time.time()
            time.sleep(1.0)
            speeds = [(at - held, moving.joint(state)[1]) for at, state in graph.messages["joint_states"] if at > held]
            last = max((at for at, speed in speeds if abs(speed) > 0.02), default=0.0)
            assert LIMIT - 0.15 < last < HALTS_WITHIN + BRAKES, f"it moves until {last:.3f} s after the hang"
            assert speeds[-1][0] > 0.7, "the device hangs too"
            moving.stands(held + HALTS_WITHIN + BRAKES, "its node hangs")
        graph.wait(moves, "it does not go on with the next command")
