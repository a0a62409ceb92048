"""The security policy of `config/sros2` against running nodes: each has what its enclave allows, and nothing more.

Each executable is started in every way that adds a topic, each time in a namespace of its own.
"""

import fnmatch
import time
import xml.etree.ElementTree

import pytest
from mechanisms import Manager
from or_joystick.msg import State
from paths import ROOT
from pr2_mechanism_msgs.srv import LoadController
from processes import Process, stop_all

POLICY = xml.etree.ElementTree.parse(ROOT / "config/sros2/policy.xml").getroot()
ENCLAVES = {enclave.get("path").removeprefix("/steersman/"): enclave for enclave in POLICY.iter("enclave")}
# Arguments of the starts, if there is more than one, or it has any. By default a node follows no simulated time.
STARTS = {
    "chair": [[], ["-p", "mode:=auto"]],
    "hindbrain": [[], ["-p", "output:=twist"]],
    "haptix": [["-p", "halt_on:=hind/state"]],
    "joystick": [["-p", "virtual_device:=pad"]],
    "steersman": [["-p", "joystick:virtual_device:=pad", *more] for more in ([], ["-p", "hindbrain:output:=twist"])],
    "luci_chair": [["-p", "camera_rate:=1"]],
    "mechanism": [["--params-file", str(ROOT / "config" / file)] for file in ("arm.yaml", "base.yaml")],
}
# What of it a parameter names: no policy that is generated has it.
NAMED = {("haptix", "subscribe", "hind/state")}
TILT = {
    "effort": "JointEffortController",
    "grip": "GripperController",
    "calibrate": "JointCalibrationController",
    "states": "JointStateController",
}
CONTROLLERS = [["arm_trajectory", *TILT], ["base"]]
MORE = ["calibrate.velocity:=0.5", "states.joints:=[tilt]", *(f"{name}.joint:=tilt" for name in TILT if name != "states")]
MORE += [f"{name}.type:=steersman/{kind}" for name, kind in TILT.items()]
STARTS["mechanism"][0] += [word for one in MORE for word in ("-p", one)]


def allowed(profile, namespace):
    """The names that a profile allows, each with its rule, in full."""
    node = f"{namespace}/{profile.get('node')}"
    for group in profile:
        rules = [rule for rule, value in group.items() if value == "ALLOW" and rule not in ("ns", "node")]
        for rule in rules:
            for one in group:
                name = one.text
                yield rule, name if name.startswith("/") else name.replace("~", node, 1) if name.startswith("~/") else f"{namespace}/{name}"


def present(node, name, namespace):
    """What a node of the graph has, by the rules that would allow it."""
    found = set()
    for rule, of in (
        ("subscribe", node.get_subscriber_names_and_types_by_node),
        ("publish", node.get_publisher_names_and_types_by_node),
        ("reply", node.get_service_names_and_types_by_node),
        ("request", node.get_client_names_and_types_by_node),
    ):
        for topic, _types in of(name, namespace):
            action, is_part, _ = topic.partition("/_action/")
            found.add(("execute", action) if is_part else (rule, topic))
    return found


def prepare(graph, executable, number, namespace):
    """Makes a node create what it has not from its start."""
    if executable in ("joystick", "steersman"):
        # Its topic exists while the device does.
        graph.repeat(f"{namespace}/joystick/virtual_device", State(axes=[0, 0], buttons=[False]), 20.0)
    if executable == "mechanism":
        for name in CONTROLLERS[number]:
            answer = Manager(graph).call(LoadController, f"{namespace}/pr2_controller_manager/load_controller", name=name)
            assert answer.ok, name


@pytest.mark.parametrize("executable", ENCLAVES)
def test_a_node_has_what_its_enclave_allows_and_nothing_more(graph, executable):
    starts = STARTS.get(executable, [[]])
    processes = {}
    for number, arguments in enumerate(starts):
        namespace = f"/robot{number}"
        if executable == "steersman_controller":
            processes[""] = Process("steersman-controller", "spawner", "none")
        else:
            processes[namespace] = Process(executable, "--ros-args", *arguments, "-p", "use_sim_time:=true", "-r", f"__ns:={namespace}")
    try:
        for number, namespace in enumerate(processes):
            prepare(graph, executable, number, namespace)
        for profile in ENCLAVES[executable].iter("profile"):
            compare(graph, profile, processes)
    finally:
        if executable == "steersman_controller":
            processes[""].kill()  # it waits for the services
        stop_all(processes.values())


def compare(graph, profile, processes):
    """Compares the nodes of one profile in all starts."""
    differences = []

    def are_equal():
        unused, more = None, set()
        for namespace in processes:
            rules = list(allowed(profile, namespace))
            names = [name for name, ns in graph.node.get_node_names_and_namespaces() if ns == (namespace or "/")]
            name = next((name for name in names if name.startswith(profile.get("node"))), None)
            found = present(graph.node, name, namespace or "/") if name else set()
            fits = lambda rule, found: rule[0] == found[0] and fnmatch.fnmatchcase(found[1], rule[1])  # noqa: E731
            rules += [(rule, f"{namespace}/{topic}") for of, rule, topic in NAMED if of == profile.get("node")]
            more |= {one for one in found if not any(fits(rule, one) for rule in rules)}
            idle = {n for n, rule in enumerate(rules) if not any(fits(rule, one) for one in found)}
            unused = idle if unused is None else unused & idle
        first = list(allowed(profile, "")) + [one[1:] for one in NAMED]
        differences[:] = [sorted(more), sorted(first[n] for n in unused)]
        return differences == [[], []]

    graph.wait(are_equal, lambda: f"more than the policy allows, and allowed without use: {differences}\n{[p.output for p in processes.values()]}", 20.0)
    time.sleep(0.3)
    assert are_equal(), f"later: {differences}"


def test_no_node_starts_without_keys_where_security_is_enforced(monkeypatch, tmp_path):
    monkeypatch.setenv("ROS_SECURITY_ENABLE", "true")
    monkeypatch.setenv("ROS_SECURITY_STRATEGY", "Enforce")
    monkeypatch.setenv("ROS_SECURITY_KEYSTORE", str(tmp_path))
    started = {name: Process(name.replace("steersman_c", "steersman-c"), *(["list"] if name == "steersman_controller" else [])) for name in ENCLAVES}
    for name, process in started.items():
        assert process.wait() != 0, name
        assert f"SECURITY ERROR: directory '{tmp_path}/enclaves' does not exist" in process.output, process.output
