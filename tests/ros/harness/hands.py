"""The node haptix as a client sees it: its services and topics."""

import contextlib
import json
import time

from graph import LATCHED, Graph
from haptix_msgs.msg import Command, GraspValue, RobotDescription, RobotInfo, Sensor
from haptix_msgs.srv import GetRobotInfo, ReadSensors, Reset, SetGrasp, Update
from moving import Moving
from parameters import Parameters
from processes import Process
from rclpy.qos import QoSProfile, qos_profile_parameters, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

ONE = QoSProfile(depth=1)
OK, ERROR = 0, 1
GROUPS = ["ref_pos", "ref_vel", "ref_vel_max", "gain_pos", "gain_vel"]


def command(**groups):
    """A command with these groups, each given as a list of its first values; the others are 0."""
    message = Command()
    for name, values in groups.items():
        assert name in GROUPS, name
        getattr(message, name)[: len(values)] = values
        setattr(message, f"{name}_enabled", True)
    return message


class Hand:
    """A hand's services, each call of which waits for its answer."""

    def __init__(self, graph, process, node="haptix"):
        self.graph, self.process, self.node = graph, process, node
        self.clients = {}
        self.parameters = Parameters(graph, node)
        self.described = None

    def start(self, kind, name, **fields):
        """The future answer of a call."""
        if name not in self.clients:
            # A client with the usual depth of 10 loses answers when it has more calls open.
            self.clients[name] = self.graph.node.create_client(kind, f"/{self.node}/{name}", qos_profile=qos_profile_parameters)
            assert self.clients[name].wait_for_service(10.0), f"/{self.node}/{name} is missing:\n{self.process.output}"
        future = self.clients[name].call_async(kind.Request(**fields))
        future.add_done_callback(self.parameters.notify)
        return future

    def finish(self, future, timeout=5.0):
        self.graph.wait(future.done, lambda: f"no answer:\n{self.process.output}", timeout)
        return future.result()

    def call(self, kind, name, **fields):
        return self.finish(self.start(kind, name, **fields))

    def update(self, wait_for_tick=False, **groups):
        """Gives a command and returns the reading; it must be accepted."""
        answer = self.call(Update, "update", command=command(**groups), wait_for_tick=wait_for_tick)
        assert (answer.result.code, answer.result.message) == (OK, ""), answer.result.message
        return answer.sensor

    def refused(self, **groups):
        """The reason why a command is refused."""
        answer = self.call(Update, "update", command=command(**groups))
        assert answer.result.code == ERROR
        return answer.result.message

    def read(self):
        answer = self.call(ReadSensors, "read_sensors")
        assert answer.result.code == OK, answer.result.message
        return answer.sensor

    def info(self):
        answer = self.call(GetRobotInfo, "get_robot_info")
        assert answer.result.code == OK, answer.result.message
        return answer.robot_info, answer.robot_description

    def grasp(self, **grasps):
        values = [GraspValue(name=name, value=value) for name, value in grasps.items()]
        return self.call(SetGrasp, "set_grasp", grasps=values)

    def reset(self, reset_limb_pose=True):
        answer = self.call(Reset, "reset", reset_limb_pose=reset_limb_pose)
        assert answer.result.code == OK, answer.result.message

    def set(self, name, value):
        """Sets a parameter; returns why it is refused, or nothing."""
        if self.described is None:
            self.described = self.parameters.described()
        result = self.parameters.set(self.described[name], value)
        return None if result.successful else result.reason

    def set_all(self, **parameters):
        """Sets parameters that have no descriptor yet; `__` stands for a dot."""
        from rcl_interfaces.msg import ParameterType
        from rcl_interfaces.srv import SetParametersAtomically
        from rclpy.parameter import Parameter

        wire = [Parameter(name.replace("__", "."), value=value).to_parameter_msg() for name, value in parameters.items()]
        assert all(one.value.type != ParameterType.PARAMETER_NOT_SET for one in wire)
        result = self.parameters.call(SetParametersAtomically, "set_parameters_atomically", parameters=wire).result
        return None if result.successful else result.reason

    @property
    def state(self):
        message = self.graph.last(f"/{self.node}/state")
        return message.data.split(":")[0] if message else None

    def wait_for_state(self, state, timeout=3.0):
        return self.graph.wait(lambda: self.state == state, lambda: f"state is {self.state}, must become {state}", timeout)

    def follow(self, condition, failure, timeout=5.0, **groups):
        """Repeats a command until `condition(reading)` holds for the last reading, which is returned."""
        end = time.monotonic() + timeout
        while not condition(sensor := self.update(wait_for_tick=True, **groups)):
            assert time.monotonic() < end, f"{failure}: {sensor.motor_pos[:13]} {sensor.contact[:19]}"
        return sensor


@contextlib.contextmanager
def hand(*arguments, namespace="", **parameters):
    """The node with these parameters (`__` stands for a dot), in a namespace like `/left`; `arguments` follow `--ros-args`."""
    graph = Graph()
    # Nothing of the machine is to be changed by a test.
    parameters = {"priority": 0, "lock_memory": False, **parameters}
    given = [text for name, value in parameters.items() for text in ("-p", f"{name.replace('__', '.')}:={json.dumps(value)}")]
    process = Process("haptix", "--ros-args", *given, *(("-r", f"__ns:={namespace}") if namespace else ()), *arguments)
    topics = f"{namespace}/haptix"
    graph.subscribe(String, f"{topics}/state", LATCHED)
    graph.subscribe(RobotInfo, f"{topics}/robot_info", LATCHED)
    graph.subscribe(RobotDescription, f"{topics}/robot_description", LATCHED)
    graph.subscribe(Sensor, f"{topics}/sensor", qos_profile_sensor_data)
    try:
        started = Hand(graph, process, topics.removeprefix("/"))
        graph.wait(lambda: started.state not in (None, "STARTING"), lambda: f"it does not start:\n{process.output}", 10.0)
        yield started
    finally:
        process.stop()
        graph.close()
    assert "could not" not in process.output and "panicked" not in process.output, process.output


class MovingHand(Moving):
    """A hand that bends and straightens its index finger, since a client commands that 50 times a second."""

    JOINT, MOTOR = "index1", 8

    def __init__(self, started):
        self.hand, self.graph, self.process = started, started.graph, started.process
        self.graph.record(JointState, "joint_states", QoSProfile(depth=1000))
        self.command = command(ref_pos=[0.0] * 13, ref_vel_max=[1.0] * 13)
        self.command.ref_pos[self.MOTOR] = 1.0
        self.timer = self.graph.repeat(f"/{started.node}/command", self.command, 50.0)
        self.graph.node.create_timer(0.1, self._turn)

    def _turn(self):
        """Turns back early: other joints of the finger take a part of the motor's angle, of 1.0 rad 0.14."""
        if self.graph.last("joint_states") and abs(self.joint()[0] - self.command.ref_pos[self.MOTOR]) < 0.25:
            self.command.ref_pos[self.MOTOR] = 1.2 - self.command.ref_pos[self.MOTOR]

    def joint(self, message=None):
        """The joint's position and velocity, of the last message by default."""
        message = message or self.graph.last("joint_states")
        index = list(message.name).index(self.JOINT)
        return message.position[index], message.velocity[index]

    @property
    def is_halted(self):
        return self.hand.state == "HALTED"

    def moves(self):
        return self.graph.last("joint_states") and abs(self.joint()[1]) > 0.3

    def rests(self, since):
        self.stands(since, "the release alone moves it")

    def halts(self, bound=1.0):
        """Waits until it is halted, and returns the time from which it stands."""
        self.graph.wait(lambda: self.is_halted, lambda: f"it is not halted:\n{self.process.output}", bound)
        self.graph.wait(lambda: abs(self.joint()[1]) < 0.01, lambda: f"it moves: {self.joint()}", 0.5)
        return time.time()

    def stands(self, since, what):
        """Checks that the joint did not move after the time `since` [s], but for what is left of its braking."""
        positions = [self.joint(message)[0] for message in self.graph.since("joint_states", since)]
        assert positions, "no states of its joints"
        moved = max(positions) - min(positions)
        assert moved < 0.01, f"{what}: it moved by {moved} rad\n{self.process.output}"

    def reset(self):
        return self.hand.call(Trigger, "reset_motors")

    def ask_for_rest(self):
        self.hand.update(ref_pos=list(self.hand.read().motor_pos))

    def reset_or_wait(self):
        answer = self.reset()
        assert answer.success or "the hand stays halted: the vehicle" in answer.message, answer
