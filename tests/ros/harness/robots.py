"""A robot in Python as the hardware of the mechanism: it publishes its states and follows efforts."""

import time

from graph import Graph
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

STATES, COMMANDS = "hardware/joint_states", "hardware/joint_commands"
REDUCTION = {"pan_motor": 6.0, "tilt_motor": 6.0}
# A loaded machine starves a publisher in Python for tenths of a second.
TOPICS = ["-p", "hardware:=topics", "-p", "topics.timeout:=0.5"]


class Robot:
    """Motors whose speed follows their efforts: inertia · dv/dt = effort - damping · v, at the joint."""

    INERTIA, DAMPING, PERIOD = 0.1, 0.5, 0.005

    def __init__(self):
        self.graph = Graph()
        self.names = list(REDUCTION)
        self.position, self.velocity, self.effort = ({name: 0.0 for name in self.names} for _ in range(3))
        self.change = lambda message: None
        self.is_silent, self.is_powered = False, True
        self.publisher = self.graph.node.create_publisher(JointState, STATES, qos_profile_sensor_data)
        self.graph.node.create_subscription(JointState, COMMANDS, self.command, 10)
        self.graph.node.create_timer(self.PERIOD, self.step)
        self.commands = []

    def command(self, message):
        self.commands.append((time.monotonic(), message))
        for name, effort in zip(message.name, message.effort, strict=True):
            self.effort[name] = effort

    def step(self):
        for name, reduction in REDUCTION.items():
            acceleration = (self.effort[name] * reduction * self.is_powered - self.DAMPING * self.velocity[name]) / self.INERTIA
            self.velocity[name] += acceleration * self.PERIOD
            self.position[name] += self.velocity[name] * self.PERIOD
        if self.is_silent:
            return
        message = JointState(name=self.names)
        message.header.stamp = self.graph.node.get_clock().now().to_msg()
        message.position = [self.position[name] * REDUCTION.get(name, 1.0) for name in self.names if name in REDUCTION]
        message.velocity = [self.velocity[name] * REDUCTION.get(name, 1.0) for name in self.names if name in REDUCTION]
        self.change(message)
        self.publisher.publish(message)

    def close(self):
        self.graph.close()


def is_halted(graph):
    state = graph.last("motors_halted")
    return state is None or state.data


def moving(graph, manager, process):
    """Drives the joint `pan` by an effort that is repeated all the time."""
    graph.wait(lambda: not is_halted(graph), lambda: f"the motors are not reset: {process.output}")
    assert manager.load("pan_effort") and manager.switch(["pan_effort"])
    manager.stream = graph.repeat("pan_effort/command", Float64(data=0.2), 50.0)
    graph.wait(lambda: graph.last("joint_states").velocity[0] > 0.1, lambda: f"it does not move: {process.output}")
