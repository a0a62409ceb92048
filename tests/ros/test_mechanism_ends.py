"""The controller manager when its process is held, its clock is set, or it is ended: no old command moves a joint, and no effort is left on."""

import signal
import threading
import time

import pytest
from conftest import LATCHED, Graph
from mechanisms import Manager, arm
from pr2_mechanism_msgs.msg import MechanismStatistics
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64

MANY = QoSProfile(depth=1000)


def effort(graph, joint=0):
    state = graph.last("joint_states")
    return state.effort[joint] if state else None


@pytest.mark.parametrize("controller", ["pan_effort", "pan_velocity"])
def test_a_command_that_waited_while_the_node_was_held_moves_nothing(controller):
    """It is held for 1.2 s, and the last command came when it had just begun: the time-out of 0.5 s is over when it is read."""
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load(controller) and manager.switch([controller])
        timer = graph.repeat(f"{controller}/command", Float64(data=0.4), 50.0)
        graph.wait(lambda: (effort(graph) or 0.0) > 0.1, "no effort")
        process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        timer.cancel()  # its publisher stays, and so does the message
        time.sleep(1.1)
        start = time.monotonic()
        process.process.send_signal(signal.SIGCONT)
        graph.wait(lambda: len(graph.since("joint_states", start)) > 40, "it does not go on")
        # The first reports are of the steps before the hold, and of the first one after it.
        efforts = [message.effort[0] for message in graph.since("joint_states", start)][3:]
        speeds = [message.velocity[0] for message in graph.since("joint_states", start)]
        assert max(efforts) < 0.05, f"an old command moves it: {efforts}"
        assert abs(speeds[-1]) <= abs(speeds[3]) + 1e-9, f"it gets faster: {speeds}"
        assert manager.list() == [(controller, "running")]
        timer.reset()
        graph.wait(lambda: effort(graph) > 0.1, "a new command does not count")
