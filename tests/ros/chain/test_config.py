"""The nodes accept the files in `config/`."""

import pytest
from paths import ROOT
from processes import Process
from rcl_interfaces.srv import ListParameters

NODES = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain", "simulator", "surround"]
CHAIR = {"chair": "chair", "luci_chair": "interface"}
ARM = ROOT / "config/urdf/arm.urdf"
LUCI = {**{node: node for node in ("joystick", "velocity_arbiter", "zone_scaler", "simulator")}, **CHAIR}


@pytest.mark.parametrize(
    "executable, file, node",
    [(node, f"{node}.yaml", node) for node in NODES]
    + [(node, "demo.yaml", node) for node in NODES]
    + [("steersman", "demo.yaml", node) for node in NODES[:4]]
    + [(executable, f"{executable}.yaml", node) for executable, node in CHAIR.items()]
    + [(executable, "luci.yaml", node) for executable, node in LUCI.items()]
    + [("chair", "luci_profiles.yaml", "chair"), ("mechanism", "mechanism.yaml", "mechanism"), ("mechanism", "arm.yaml", "mechanism"), ("haptix", "haptix.yaml", "haptix"), ("haptix", "hand.yaml", "haptix")]
    + [(node, "teleop.yaml", node) for node in NODES[:2]]
    + [("switch_relay", "switch_relay.yaml", "switch_relay")]
    + [("marker_publisher", f"{file}.yaml", "marker_publisher") for file in ("marker_publisher", "arm", "hand")],
)
def test_a_node_starts_with_its_file(graph, executable, file, node):
    robot = ["-p", f"robot_description:={ARM}"] if executable == "mechanism" else []
    process = Process(executable, "--ros-args", "--params-file", str(ROOT / "config" / file), *robot)
    try:
        client = graph.node.create_client(ListParameters, f"/{node}/list_parameters")
        graph.wait(client.service_is_ready, lambda: f"{node} does not start:\n{process.output}", 10.0)
        assert process.process.poll() is None, process.output
    finally:
        process.stop()
    assert process.wait() == 0, process.output


@pytest.mark.parametrize("executable", [*NODES, *CHAIR, "mechanism", "haptix", "switch_relay"])
def test_a_parameter_file_that_is_missing_ends_the_start(executable):
    """With the arguments that a launch file gives."""
    process = Process(executable, "--ros-args", "--params-file", "/no/file.yaml", "--ros-args", "-r", "__ns:=/left")
    assert process.wait() == 1
    assert "parameter file '/no/file.yaml' cannot be read: No such file or directory" in process.output
