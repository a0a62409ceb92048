"""The node mechanism as a client sees it: its services, and its topics with their types."""

import contextlib
import pathlib

from conftest import Graph
from pr2_mechanism_msgs.srv import (
    ListControllers,
    ListControllerTypes,
    LoadController,
    ReloadControllerLibraries,
    SwitchController,
    UnloadController,
)
from processes import Process
from std_srvs.srv import Empty

ROOT = pathlib.Path(__file__).parents[2]
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
