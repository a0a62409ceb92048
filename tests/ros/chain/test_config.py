"""The nodes accept the files in `config/` and `launch/`."""

import xml.etree.ElementTree

import pytest
from paths import ROOT
from processes import Process
from rcl_interfaces.srv import ListParameters

NODES = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain", "simulator", "surround"]
# For rviz: whose nodes are of other packages.
SHOWN = {"frames": [("robot_state_publisher", "robot_state_publisher")], "rviz": [("rviz2", "rviz2")], "marker_publisher": [("steersman", "marker_publisher")]}
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


def test_launch_files_name_what_exists():
    files = sorted((ROOT / "launch").glob("*.launch.xml"))
    assert {file.name for file in files} == {f"{node}.launch.xml" for node in [*NODES, *CHAIR, "steersman", "luci", "mechanism", "arm", "haptix", "hand", *SHOWN]}
    for file in files:
        tree = xml.etree.ElementTree.parse(file)
        # Each node chooses its transports by itself; a variable that is set here would reach whatever includes the file.
        assert not list(tree.iter("set_env")), file.name
        if file.name.split(".")[0] in SHOWN:
            assert [(node.get("pkg"), node.get("exec")) for node in tree.iter("node")] == SHOWN[file.name.split(".")[0]]
            continue
        for node in tree.iter("node"):
            assert (node.get("pkg"), node.get("exec")) in [("steersman", name) for name in [*NODES, *CHAIR, "steersman", "mechanism", "haptix", "steersman-controller"]]
            # Of a file in <param from> that is missing, launch_ros only warns, and the node has its defaults.
            assert not [param for param in node.iter("param") if param.get("from")], file.name
            given = "--params-file $(var config) --log-level $(var log_level)"
            assert node.get("exec") == "steersman-controller" or node.get("ros_args") == given, file.name
            # Without a name: in a composed process each node would take it.
            assert (node.get("name"), node.get("namespace")) == (None, "$(var namespace)"), file.name
        # launch_ros passes namespaces, remaps and parameters of the groups around it to a <node>, and nothing to an <executable>.
        assert not list(tree.iter("executable")), file.name
        arguments = {arg.get("name") for arg in tree.getroot().findall("arg")}
        for include in tree.iter("include"):
            passed = {arg.get("name") for arg in include.findall("arg")}
            assert {"config", "namespace", "log_level"} <= passed, f"{file.name} includes {include.get('file')}"
        assert {"config", "namespace", "log_level"} <= arguments, file.name
        for element in tree.iter():
            for value in element.attrib.values():
                share = "$(find-pkg-share steersman)/"
                if share in value:
                    path = value.split(share, 1)[1].split(")")[0]
                    assert (ROOT / path).is_file(), f"{file.name} names {path}, which does not exist"


@pytest.mark.parametrize("executable", [*NODES, *CHAIR, "mechanism", "haptix"])
def test_a_parameter_file_that_is_missing_ends_the_start(executable):
    """With the arguments that a launch file gives."""
    process = Process(executable, "--ros-args", "--params-file", "/no/file.yaml", "--ros-args", "-r", "__ns:=/left")
    assert process.wait() == 1
    assert "parameter file '/no/file.yaml' cannot be read: No such file or directory" in process.output


def test_the_launch_file_of_a_robot_demands_nothing_and_has_one_namespace_for_all():
    tree = xml.etree.ElementTree.parse(ROOT / "launch" / "mechanism.launch.xml")
    defaults = {arg.get("name"): arg.get("default") for arg in tree.iter("arg")}
    assert [defaults[name] for name in ("robot_description", "namespace", "controllers")] == ["", "", ""], "each is optional"
    described, plain, spawner = tree.iter("node")
    assert described.get("if") == plain.get("unless") == "$(var is_described)"
    assert [param.get("name") for param in described.iter("param")] == ["robot_description"] and not list(plain)
    assert spawner.get("args") == "spawner $(var controllers)"
    assert {node.get("namespace") for node in (described, plain, spawner)} == {"$(var namespace)"}
