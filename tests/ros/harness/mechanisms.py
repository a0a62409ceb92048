"""The node mechanism as a client sees it: its services, and its topics with their types."""

import contextlib
import time

from graph import LATCHED, Graph
from moving import Moving
from paths import ROOT
from pr2_mechanism_msgs.srv import (
    ListControllers,
    ListControllerTypes,
    LoadController,
    ReloadControllerLibraries,
    SwitchController,
    UnloadController,
)
from processes import Process
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from std_srvs.srv import Empty

ARM = ROOT / "config/arm.yaml"
URDF = ROOT / "config/urdf/arm.urdf"
STRICT, BEST_EFFORT = SwitchController.Request.STRICT, SwitchController.Request.BEST_EFFORT


def wait_for(graph, future, failure, timeout=5.0):
    """The result of a call, as soon as it is there."""

    def notify(_):
        with graph.condition:
            graph.condition.notify_all()

    future.add_done_callback(notify)
    graph.wait(future.done, failure, timeout)
    return future.result()


class Manager:
    """The services of a controller manager, each call of which waits for its answer."""

    def __init__(self, graph):
        self.graph = graph
        self.clients = {}

    def call(self, service_type, service, timeout=5.0, **fields):
        if service not in self.clients:
            self.clients[service] = self.graph.node.create_client(service_type, service)
            assert self.clients[service].wait_for_service(10.0), f"service '{service}' is not there"
        future = self.clients[service].call_async(service_type.Request(**fields))
        self.graph.wait(future.done, f"no answer from '{service}'", timeout)
        return future.result()

    def _call(self, service_type, service, **fields):
        return self.call(service_type, f"pr2_controller_manager/{service}", **fields)

    def types(self):
        return list(self._call(ListControllerTypes, "list_controller_types").types)

    def list(self):
        answer = self._call(ListControllers, "list_controllers")
        return list(zip(answer.controllers, answer.state, strict=True))

    def load(self, name):
        return self._call(LoadController, "load_controller", name=name).ok

    def unload(self, name):
        return self._call(UnloadController, "unload_controller", name=name).ok

    def switch(self, start=(), stop=(), strictness=STRICT):
        fields = {"start_controllers": list(start), "stop_controllers": list(stop), "strictness": strictness}
        return self._call(SwitchController, "switch_controller", **fields).ok

    def reload(self, force_kill):
        return self._call(ReloadControllerLibraries, "reload_controller_libraries", force_kill=force_kill).ok

    def halt(self):
        self.call(Empty, "halt_motors")

    def reset(self):
        self.call(Empty, "reset_motors")


@contextlib.contextmanager
def arm(*arguments, file=ARM, urdf=URDF, executable="mechanism"):
    """The arm's node and its manager; `arguments` follow `--ros-args`."""
    graph = Graph()
    files = ["--params-file", str(file)] if file else []
    process = Process(executable, "--ros-args", *files, "-p", f"robot_description:={urdf}", *arguments)
    try:
        yield graph, Manager(graph), process
    finally:
        process.stop()
        graph.close()


class MovingArm(Moving):
    """The arm, and a client that commands motion to it all the time."""

    def __init__(self, graph, manager, process):
        self.graph, self.manager, self.process = graph, manager, process
        graph.subscribe(Bool, "motors_halted", LATCHED)
        graph.record(JointState, "joint_states", QoSProfile(depth=1000))
        assert manager.load("pan_velocity") and manager.switch(["pan_velocity"])
        self.command = Float64(data=0.3)
        self.timer = graph.repeat("pan_velocity/command", self.command, 50.0)
        graph.node.create_timer(0.1, self._turn)

    def _turn(self):
        """It turns to and fro, far from its limits."""
        state = self.graph.last("joint_states")
        if state and abs(state.position[0]) > 1.5:
            self.command.data = -0.3 if state.position[0] > 0.0 else 0.3

    @property
    def is_halted(self):
        message = self.graph.last("motors_halted")
        return message is None or message.data

    def moves(self):
        return abs(self.graph.last("joint_states").velocity[0]) > 0.2

    def rests(self, since):
        speeds = [abs(speed) for state in self.graph.since("joint_states", since) for speed in state.velocity]
        assert max(speeds) < 0.05, f"the release alone moves it at {max(speeds)} rad/s:\n{self.process.output}"

    def halts(self, bound=1.0):
        """Waits until it is halted, and returns the time from which it gets no effort."""
        self.graph.wait(lambda: self.is_halted, lambda: f"it is not halted:\n{self.process.output}", bound)
        self.graph.wait(lambda: not any(self.graph.last("joint_states").effort), "an effort", 0.5)
        return time.time()

    def stands(self, since, what):
        """Checks that no joint got an effort after the time `since` [s]."""
        states = self.graph.since("joint_states", since)
        assert states, "no states of its joints"
        efforts = max(abs(effort) for state in states for effort in state.effort)
        assert efforts == 0.0, f"{what}: an effort of {efforts} Nm\n{self.process.output}"

    def reset(self):
        self.manager.reset()
