"""`launch/arm.launch.xml`: the simulated arm, and a spawner of the controllers in its argument.

A substitution within `args` stays one argument, whatever spaces it has.
"""

import signal
import time

import pytest
from graph import LATCHED, Graph
from launch_files import Launch
from mechanisms import Manager
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64


def launched(controllers):
    launch = Launch("arm", sim="true", frames="false", controllers=controllers)
    return launch, [Process(*command) for command in launch.commands()]


@pytest.mark.parametrize("to", ["all", "spawner"])
def test_controllers_of_the_argument_are_spawned_and_taken_down_by_ctrl_c(to):
    """Ctrl-C reaches all processes of a launch at once, so the manager may end before its controllers are taken down."""
    graph = Graph()
    launch, processes = launched("pan_position tilt_position")
    output = lambda: "\n".join(process.output for process in processes)  # noqa: E731
    try:
        graph.subscribe(JointState, "joint_states", QoSProfile(depth=100))
        graph.subscribe(Bool, "motors_halted", LATCHED)
        manager = Manager(graph)
        running = [("pan_position", "running"), ("tilt_position", "running")]
        end = time.monotonic() + 15.0
        while manager.list() != running:
            assert time.monotonic() < end, output()
            time.sleep(0.05)
        graph.wait(lambda: graph.last("motors_halted") and not graph.last("motors_halted").data, output)
        # It moves, so that there is an effort to take away.
        graph.repeat("pan_position/command", Float64(data=2.0), 20.0)
        graph.wait(lambda: graph.last("joint_states") and abs(graph.last("joint_states").effort[0]) > 0.1, output)
        node, spawner = processes
        start = time.monotonic()
        for process in processes if to == "all" else [spawner]:
            process.process.send_signal(signal.SIGINT)
        assert spawner.wait(8.0) == 0, output()
        # ros2 launch would send SIGTERM after 5 s.
        assert time.monotonic() - start < 4.5, output()
        if to == "spawner":
            assert manager.list() == []
            after = time.monotonic()
            graph.wait(lambda: len(graph.since("joint_states", after)) > 5, output)
            assert {tuple(state.effort) for state in graph.since("joint_states", after)[3:]} == {(0.0, 0.0)}
            node.stop()
        else:
            assert node.wait(3.0) == 0, output()
        graph.wait(lambda: graph.last("motors_halted").data, output)
        assert tuple(graph.last("joint_states").effort) == (0.0, 0.0), "the last efforts are none"
        assert "panicked" not in output()
    finally:
        for process in reversed(processes):
            process.stop()
        graph.close()
