"""The chain from the stick to the motors as one vehicle, in one process or in four: its motor values, without a driver yet."""

from graph import Graph
from paths import HARNESS
from processes import Process, stop_all
from stack import SEPARATE
from vehicle import Vehicle, watch


class Chain(Vehicle):
    """The four stages with the parameters of the episodes, and a motor controller at `device`."""

    def __init__(self, composed, device):
        self.graph = Graph()
        watch(self.graph)
        parameters = ["--params-file", str(HARNESS / "episodes.yaml"), "-p", f"hindbrain:driver.device:={device}"]
        executables = ["steersman"] if composed else SEPARATE
        self.processes = {name: Process(name, "--ros-args", *parameters) for name in executables}
        self.process = self.process_of("hindbrain")

    def __exit__(self, *_):
        try:
            stop_all(self.processes.values())
        finally:
            self.graph.close()

    def process_of(self, node):
        """The process in which this node runs."""
        return self.processes.get("steersman") or self.processes[node]

    @property
    def lines(self):
        """The last lines of output of every process."""
        return [f"{name}: {line}" for name, process in self.processes.items() for line in process.lines[-15:]]
