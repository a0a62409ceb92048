"""The nodes accept the files in `config/` and `launch/`."""

import pathlib
import xml.etree.ElementTree

import pytest
from conftest import Process
from rcl_interfaces.srv import ListParameters

ROOT = pathlib.Path(__file__).parents[2]
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
    + [("chair", "luci_profiles.yaml", "chair"), ("mechanism", "mechanism.yaml", "mechanism"), ("mechanism", "arm.yaml", "mechanism"), ("haptix", "haptix.yaml", "haptix"), ("haptix", "hand.yaml", "haptix")],
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


def test_launch_files_name_what_exists():
    files = sorted((ROOT / "launch").glob("*.launch.xml"))
    assert {file.name for file in files} == {f"{node}.launch.xml" for node in [*NODES, *CHAIR, "steersman", "luci", "mechanism", "arm", "haptix", "hand"]}
    for file in files:
        tree = xml.etree.ElementTree.parse(file)
        # Shared memory blocks publishers while processes join and leave.
        assert [element.get("name") for element in tree.iter("set_env")] == ["FASTDDS_BUILTIN_TRANSPORTS"], file.name
        for node in tree.iter("node"):
            assert (node.get("pkg"), node.get("exec")) in [("steersman", name) for name in [*NODES, *CHAIR, "mechanism", "haptix"]]
        for element in tree.iter():
            for value in element.attrib.values():
                share = "$(find-pkg-share steersman)/"
                if share in value:
                    path = value.split(share, 1)[1].split(")")[0]
                    assert (ROOT / path).is_file(), f"{file.name} names {path}, which does not exist"
