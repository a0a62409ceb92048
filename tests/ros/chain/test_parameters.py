"""Parameters are described, changed and refused through the services that `ros2 param` uses."""

import time

import pytest
from parameters import parameters_in
from paths import ROOT
from processes import Process
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.qos import qos_profile_parameters


def double(name, value):
    return Parameter(name=name, value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=value))


class Client:
    def __init__(self, graph, node):
        self.graph, self.node = graph, node

    def call(self, kind, name, **fields):
        client = self.graph.node.create_client(kind, f"/{self.node}/{name}")
        assert client.wait_for_service(5.0), f"/{self.node}/{name} is missing"
        future = client.call_async(kind.Request(**fields))
        self.graph.wait(future.done, f"/{self.node}/{name} does not answer")
        return future.result()

    def set(self, *parameters):
        return self.call(SetParameters, "set_parameters", parameters=list(parameters)).results

    def get(self, *names):
        return self.call(GetParameters, "get_parameters", names=list(names)).values


@pytest.fixture
def client(graph):
    process = Process("hindbrain", "--ros-args", "-p", "accel:=30")
    yield Client(graph, "hindbrain")
    process.stop()


def test_a_value_of_the_command_line_is_in_force(client):
    (value,) = client.get("accel")
    # A whole number on the command line is a real one in the node.
    assert (value.type, value.double_value) == (ParameterType.PARAMETER_DOUBLE, 30.0)


def test_parameters_of_different_nodes_that_do_not_fit_are_logged_once(graph):
    longer = "[steersman]: sources.nav.timeout is 1.0 s, longer than zone_scaler's command_timeout, 0.5 s"
    faster = "[steersman]: zone_scaler's max_linear is 3.0 m/s, more than hindbrain's wheel_speed, 1.0 m/s"
    process = Process("steersman", "--ros-args", "-p", "velocity_arbiter:sources.nav.topic:=/nav", "-p", "velocity_arbiter:sources.nav.timeout:=1.0")
    try:
        graph.wait(lambda: longer in process.output, lambda: f"it is not logged at the start: {process.output}")
        assert faster not in process.output
        (result,) = Client(graph, "zone_scaler").set(double("max_linear", 3.0))
        assert result.successful, result.reason
        graph.wait(lambda: faster in process.output, lambda: f"it is not logged after the change: {process.output}")
        time.sleep(2.5)  # the status is made once a second
        assert process.output.count(faster) == process.output.count(longer) == 1
    finally:
        process.stop()


def test_every_parameter_is_listed_and_described(client):
    names = client.call(ListParameters, "list_parameters").result.names
    assert {"accel", "decel", "cmd_timeout", "ir.sensors", "estop.required"} <= set(names)
    descriptors = client.call(DescribeParameters, "describe_parameters", names=names).descriptors
    assert [d.name for d in descriptors] == list(names)
    for descriptor in descriptors:
        assert descriptor.description, f"{descriptor.name} has no description"
        assert descriptor.type != ParameterType.PARAMETER_NOT_SET
    accel = next(d for d in descriptors if d.name == "accel")
    assert len(accel.floating_point_range) == 1 and accel.floating_point_range[0].from_value > 0
    assert "counts/s" in accel.description
    assert not accel.read_only
    assert next(d for d in descriptors if d.name == "estop.required").read_only


def test_types_are_reported(client):
    types = client.call(GetParameterTypes, "get_parameter_types", names=["accel", "estop.required", "nothing"]).types
    assert list(types) == [ParameterType.PARAMETER_DOUBLE, ParameterType.PARAMETER_BOOL, ParameterType.PARAMETER_NOT_SET]


def test_a_good_value_is_accepted(client):
    (result,) = client.set(double("accel", 50.0))
    assert result.successful and not result.reason
    assert client.get("accel")[0].double_value == 50.0


@pytest.mark.parametrize(
    "parameter, reason",
    [
        (double("accel", -1.0), "parameter 'accel' is -1.0, must be from"),
        (double("accel", float("nan")), "parameter 'accel' is .nan, must be from"),
        (double("acel", 1.0), "parameter 'acel' does not exist; did you mean 'accel'?"),
        (Parameter(name="accel", value=ParameterValue(type=4, string_value="x")), "must be of type double"),
        (Parameter(name="accel"), "parameter 'accel' cannot be deleted"),
        (Parameter(name="estop.required", value=ParameterValue(type=1, bool_value=True)), "is read-only and stays false"),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(client, parameter, reason):
    (result,) = client.set(parameter)
    assert not result.successful
    assert reason in result.reason, result.reason
    assert client.get("accel")[0].double_value == 30.0


def test_a_refused_value_of_20_mb_is_quoted_by_its_start(graph):
    process = Process("hindbrain")
    try:
        client, huge = Client(graph, "hindbrain"), "x" * 20_000_000
        text = lambda name: Parameter(name=name, value=ParameterValue(type=4, string_value=huge))  # noqa: E731
        for name, quoted in (("accel", "x" * 200 + '"… (20000000 characters)'), (huge, "x" * 200 + "… (20000000 characters)")):
            (result,) = client.set(text(name))
            assert not result.successful and quoted in result.reason and len(result.reason) < 1000, result.reason[:1000]
        graph.wait(lambda: "does not exist" in process.output, "it is not logged")
        assert len(process.output) < 5000
    finally:
        process.stop()


def test_an_atomic_set_changes_all_or_nothing(client):
    result = client.call(
        SetParametersAtomically,
        "set_parameters_atomically",
        parameters=[double("accel", 40.0), double("decel", -1.0)],
    ).result
    assert not result.successful and "decel" in result.reason
    assert client.get("accel")[0].double_value == 30.0
    result = client.call(
        SetParametersAtomically, "set_parameters_atomically", parameters=[double("accel", 40.0), double("decel", 80.0)]
    ).result
    assert result.successful
    assert [v.double_value for v in client.get("accel", "decel")] == [40.0, 80.0]


def test_every_call_of_a_burst_is_answered(graph, client):
    """The client keeps a thousand answers, as rclcpp's does; with rclpy's default it would lose those beyond ten itself."""
    service = graph.node.create_client(GetParameters, "/hindbrain/get_parameters", qos_profile=qos_profile_parameters)
    assert service.wait_for_service(5.0)
    futures = [service.call_async(GetParameters.Request(names=["accel"])) for _ in range(200)]
    graph.wait(lambda: all(future.done() for future in futures), lambda: f"{sum(f.done() for f in futures)} of 200 answered", 10.0)
    assert {future.result().values[0].double_value for future in futures} == {30.0}


def test_a_request_with_too_many_names_is_refused_and_the_node_goes_on(client):
    names = ["accel"] * 201
    assert len(client.get(*names[:200])) == 200
    assert not client.get(*names)
    assert not client.call(GetParameterTypes, "get_parameter_types", names=names).types
    assert not client.call(DescribeParameters, "describe_parameters", names=names).descriptors
    assert not client.call(ListParameters, "list_parameters", prefixes=names).result.names
    parameters = [double("accel", 50.0)] * 201
    together = client.call(SetParametersAtomically, "set_parameters_atomically", parameters=parameters).result
    results = client.set(*parameters)
    assert len(results) == 201
    for result in (*results, together):
        assert not result.successful and result.reason == "a request has 201 names, must have 200 at most"
    assert client.get("accel")[0].double_value == 30.0


@pytest.mark.parametrize("pattern", ["/**", "/*", "/*/*", "/**/hindbrain", "/robot/**", "/robot/hindbrain", "robot: {hindbrain", "hindbrain"])
@pytest.mark.parametrize("namespace", ["", "/robot"])
def test_a_block_is_in_force_as_in_rclcpp(graph, tmp_path, pattern, namespace):
    nested = "}" if "{" in pattern else ""
    text = f"{pattern}: {{ros__parameters: {{accel: 31.0}}}}{nested}\n"
    rules = ["-r", f"__ns:={namespace}"] if namespace else []
    process = Process("hindbrain", "--ros-args", *rules, *parameters_in(tmp_path, text))
    if not namespace and "robot" in pattern and "hindbrain" in pattern:
        # rclcpp would begin with the defaults silently.
        assert process.wait() == 1
        assert "robot/hindbrain' is in another namespace than this node, which is '/hindbrain'" in process.output
        return
    try:
        (value,) = Client(graph, f"{namespace}/hindbrain".strip("/")).get("accel")
    finally:
        process.stop()
    everywhere = {"/**", "/**/hindbrain", "hindbrain"}
    fits = everywhere | ({"/*/*", "/robot/**", "/robot/hindbrain", "robot: {hindbrain"} if namespace else {"/*"})
    assert (value.double_value == 31.0) == (pattern in fits)


RENAMED = "'hindbrain' is not for this node, which was renamed from 'hindbrain' to '"


@pytest.mark.parametrize(
    "executable, text, arguments, sentence",
    [
        ("hindbrain", "hindbrain: {ros__parameters: {estop.required: true}}", ["-r", "__node:=brain"], f"robot.yaml, line 1: {RENAMED}/brain'"),
        ("hindbrain", "hindbrain: {ros__parameters: {estop.required: true}}", ["-r", "__node:=brain", "-r", "__ns:=/left"], f"{RENAMED}/left/brain'"),
        ("hindbrain", "/**: {ros__parameters: {accel: 31.0}}\nhindbrain: {ros__parameters: {}}", ["-r", "__node:=brain"], f"robot.yaml, line 2: {RENAMED}/brain'"),
        ("hindbrain", "/**: {ros__parameters: {accel: 31.0}}", ["-r", "__node:=brain", "-p", "hindbrain:estop.required:=true"], f"argument -p hindbrain:estop.required:=true: {RENAMED}/brain'"),
        ("steersman", "hindbrain: {ros__parameters: {estop.required: true}}", ["-r", "hindbrain:__node:=brain"], f"{RENAMED}/brain'"),
        ("luci_chair", "interface: {ros__parameters: {}}", ["-r", "__node:=wheels"], "'interface' is not for this node, which was renamed from 'interface' to '/wheels'"),
    ],
)
def test_a_block_for_the_name_that_a_node_had_is_refused(tmp_path, executable, text, arguments, sentence):
    """Otherwise it would start with all defaults, without a required e-stop."""
    process = Process(executable, "--ros-args", *parameters_in(tmp_path, text), *arguments)
    assert process.wait() == 1, process.output
    assert sentence in process.output and "do not rename the node" in process.output, process.output


@pytest.mark.parametrize(
    "executable, name, values, meant",
    [
        ("hindbrain", "vehicle_brain", "{estop: {required: true}, autostart: true}", "hindbrain"),
        ("steersman", "steersman", "{estop: {required: true}}", "hindbrain"),
        ("steersman", "lock_and_sources", "{locks: {gate: {topic: gate, priority: 200}}}", "velocity_arbiter"),
    ],
)
def test_a_block_of_an_unknown_name_with_a_nodes_parameters_alone_is_refused(tmp_path, executable, name, values, meant):
    """Another program's block is passed over, but not one that only this node can have been meant by."""
    text = f"/**: {{ros__parameters: {{use_sim_time: false}}}}\n{name}: {{ros__parameters: {values}}}\n"
    process = Process(executable, "--ros-args", *parameters_in(tmp_path, text))
    assert process.wait() == 1, process.output
    sentence = f"robot.yaml, line 2: '{name}' is not a node of Steersman and sets only parameters of '{meant}', which has no block"
    assert sentence in process.output, process.output


@pytest.mark.parametrize(
    "text, arguments, node, value",
    [
        ("brain: {ros__parameters: {accel: 31.0}}\nhindbrain: {ros__parameters: {accel: 32.0}}", ["-r", "__node:=brain"], "brain", 31.0),
        ("/**: {ros__parameters: {accel: 31.0}}", ["-r", "__node:=brain"], "brain", 31.0),
        ("joystick: {ros__parameters: {drag: 1.0}}", ["-r", "__node:=brain"], "brain", None),
        ("joystick: {ros__parameters: {drag: 1.0}}", [], "hindbrain", None),
        ("brain: {ros__parameters: {accel: 31.0}}\nhindbrain: {ros__parameters: {}}", [], "hindbrain", 20.0),
    ],
)
def test_a_node_starts_with_the_file_of_a_robot_that_names_it_or_other_nodes_only(graph, tmp_path, text, arguments, node, value):
    process = Process("hindbrain", "--ros-args", *parameters_in(tmp_path, text), *arguments)
    try:
        accel = Client(graph, node).get("accel")[0].double_value
    finally:
        process.stop()
    assert value in (None, accel)
    reported = f"the parameter files hold nothing for '/{node}': all defaults are in force; in "
    assert (reported in process.output and "there is only joystick" in process.output) == (value is None), process.output


def test_the_last_value_is_in_force(graph, tmp_path):
    """A number may be whole or have decimals, and may be set for the node or for all."""
    file = parameters_in(tmp_path, "hindbrain: {ros__parameters: {accel: 31}}\n")
    process = Process("hindbrain", "--ros-args", *file, "-p", "accel:=30.5")
    try:
        assert Client(graph, "hindbrain").get("accel")[0].double_value == 30.5
    finally:
        process.stop()


@pytest.mark.parametrize(
    "executable, text, sentence",
    [
        ("hindbrain", "hindbrian: {ros__parameters: {accel: 1.0}}", "robot.yaml, line 1: 'hindbrian' is not a node of Steersman; did you mean 'hindbrain'?"),
        ("joystick", "velocity_smoother: {ros__parameters: {max_velocity: [0.5], sources: {nav2: {topic: a}}}}", "did you mean 'velocity_arbiter'?"),
        ("steersman", "zone_scalar: {ros__parameters: {}}", "'zone_scalar' is not a node of Steersman; did you mean 'zone_scaler'?"),
        ("joystick", "joystick:\n\tros__parameters: {}", "robot.yaml', line 2: it is indented by a tab, must be by spaces"),
        ("joystick", "joystick: {ros__parameters: {drag: 1.0, drag: 2.0}}", "'joystick.ros__parameters.drag' is in line 1 for the second time, must be once"),
        ("joystick", "/joy*: {ros__parameters: {}}", "'/joy*' is no pattern of nodes"),
    ],
)
def test_a_file_that_would_be_passed_over_is_refused(tmp_path, executable, text, sentence):
    process = Process(executable, "--ros-args", *parameters_in(tmp_path, text))
    assert process.wait() == 1
    assert sentence in process.output and "panicked" not in process.output, process.output


def test_an_argument_that_would_be_passed_over_is_refused():
    process = Process("hindbrain", "--ros-args", "-p", "foo:accel:=1.0")
    assert process.wait() == 1
    assert "argument -p foo:accel:=1.0: 'foo' is not a node of Steersman" in process.output, process.output


def test_a_groups_parameter_that_this_node_lacks_is_passed_over(graph):
    """As launch passes `<set_parameter>` to every node of a group: `-p name:=value`."""
    process = Process("hindbrain", "--ros-args", "-p", "robot_name:=left", "-p", "accel:=31.0")
    try:
        assert Client(graph, "hindbrain").get("accel")[0].double_value == 31.0
    finally:
        process.stop()
    assert process.output.count("passes over what is given to all nodes and is no parameter of this one: 'robot_name'") == 1, process.output


@pytest.mark.parametrize(
    "executable, arguments, sentence",
    [
        ("hindbrain", ["-p", "estop.requird:=true"], "parameter 'estop.requird' does not exist; did you mean 'estop.required'?"),
        ("hindbrain", ["-p", "hindbrain:robot_name:=left"], "parameter 'robot_name' does not exist"),
        ("joystick", ["-p", "deadzone:=0.1"], "parameter 'deadzone' does not exist; joy's 'deadzone' is joy.dead_zone here"),
        ("joystick", ["-p", "joystick:axis_linear.x:=1"], "teleop_twist_joy's 'axis_linear.x' is linear.x.axis here"),
        (
            "joystick",
            ["-p", "joystick:scale_linear_turbo.x:=1.5"],
            "teleop_twist_joy's 'scale_linear_turbo.x' is linear.x.max_speed here",
        ),
        ("velocity_arbiter", ["-p", "velocity_arbiter:topics.nav.timeout:=0.5"], "twist_mux's 'topics.nav.timeout' is sources.nav.timeout here"),
    ],
)
def test_a_parameter_that_is_probably_meant_for_this_node_is_refused(executable, arguments, sentence):
    process = Process(executable, "--ros-args", *arguments)
    assert process.wait() == 1
    assert sentence in process.output, process.output


def fleet(values):
    return f"/a: {{hindbrain: {{ros__parameters: {values}}}}}\n/b: {{hindbrain: {{ros__parameters: {{accel: 50.0}}}}}}\n"


@pytest.mark.parametrize(
    "text, reported",
    [
        (fleet("{accel: 40.0}"), "hold nothing for '/c/hindbrain': all defaults are in force"),
        ("/**: {ros__parameters: {estop.required: true}}\n" + fleet("{estop: {required: true}}"), "hold nothing for '/c/hindbrain' alone: all other defaults are"),
    ],
)
def test_a_robot_that_a_fleets_file_lacks_has_all_defaults(graph, tmp_path, text, reported):
    process = Process("hindbrain", "--ros-args", "-r", "__ns:=/c", *parameters_in(tmp_path, text))
    try:
        assert Client(graph, "c/hindbrain").get("accel")[0].double_value == 20.0
    finally:
        process.stop()
    assert reported in process.output, process.output


def test_a_robot_of_a_fleet_loses_no_stop(tmp_path):
    process = Process("hindbrain", "--ros-args", "-r", "__ns:=/c", *parameters_in(tmp_path, fleet("{estop: {required: true}}")))
    assert process.wait() == 1
    sentence = "line 1: '/a/hindbrain'; "
    assert sentence in process.output and "sets 'estop.required'" in process.output, process.output


def test_a_remap_rule_that_cannot_be_read_is_refused():
    process = Process("hindbrain", "--ros-args", "-r", "rostopic://hindbrain:hind/estop:=/button")
    assert process.wait() == 1
    assert "argument -r rostopic://hindbrain:hind/estop:=/button: it cannot be read" in process.output, process.output


@pytest.mark.parametrize(
    "executable, arguments, topic",
    [
        ("hindbrain", ["-r", "hind/reset:=/button", "-r", "hind/estop:=/button"], "/button"),
        ("surround", ["-p", "sensors.left.topic:=scan", "-p", "sensors.right.topic:=/scan"], "/scan"),
    ],
)
def test_one_topic_for_two_purposes_is_refused(executable, arguments, topic):
    process = Process(executable, "--ros-args", *arguments)
    assert process.wait() == 1
    assert f"is the topic '{topic}' in the graph, which this node subscribes to for something else already" in process.output, process.output


@pytest.mark.parametrize("argument, answer", [("--help", "usage: hindbrain [--ros-args"), ("--version", "hindbrain 0.")])
def test_help_and_version_are_answered(argument, answer):
    process = Process("hindbrain", argument)
    assert process.wait() == 0
    assert answer in process.output


PAGE = "docs/coming_from_joy_and_twist_mux.md"
MUX = "{topics: {nav: {topic: nav_vel, timeout: 0.5, priority: 10}}, locks: {halt: {topic: halt, timeout: 0.0, priority: 255}}}"
TELEOP = "{axis_linear: {x: 1}, scale_linear: {x: 0.5}, enable_button: 4, require_enable_button: true, publish_stamped_twist: true}"


@pytest.mark.parametrize(
    "executable, text",
    [
        ("velocity_arbiter", f"twist_mux: {{ros__parameters: {MUX}}}"),
        ("velocity_arbiter", f"/**/twist_mux: {{ros__parameters: {MUX}}}"),
        ("velocity_arbiter", f"/**: {{ros__parameters: {MUX}}}"),
        ("velocity_arbiter", f"velocity_arbiter: {{ros__parameters: {MUX}}}"),
        ("velocity_arbiter", f"my_mux: {{ros__parameters: {MUX}}}"),
        ("velocity_arbiter", "twist_mux: {ros__parameters: {locks: {halt: {topic: halt, timeout: 0.0, priority: 255}}}}"),
        ("velocity_arbiter", "twist_mux: {ros__parameters: {locks.halt.topic: halt, locks.halt.timeout: 0.0, use_sim_time: false}}"),
        ("velocity_arbiter", "topics:\n- {name: nav, topic: nav_vel, timeout: 0.5, priority: 10}\n"),
        ("velocity_arbiter", "locks:\n- {name: halt, topic: halt, timeout: 0.0, priority: 255}\n"),
        ("steersman", f"twist_mux: {{ros__parameters: {MUX}}}"),
        ("joystick", f"teleop_twist_joy_node: {{ros__parameters: {TELEOP}}}"),
        ("joystick", f"teleop_twist_joy_ps4: {{ros__parameters: {TELEOP}}}"),
        ("joystick", f"joystick: {{ros__parameters: {TELEOP}}}"),
        ("joystick", f"/**: {{ros__parameters: {TELEOP}}}"),
        ("joystick", "joy_node: {ros__parameters: {dev: /dev/input/js0}}\nother: {ros__parameters: {a: 1}}"),
        ("joystick", "joystick: {ros__parameters: {deadzone: 0.1, autorepeat_rate: 20.0}}"),
        ("joystick", "axis_linear: 1\nscale_linear: 0.5\nenable_button: 0\n"),
        ("joystick", "axis_linear:\n  x: 1\nenable_button: 0\n"),
    ],
)
def test_an_untouched_file_is_refused_and_the_page_is_named(tmp_path, executable, text):
    """As the projects in test_public_configurations.py have them. Otherwise the robot would start without their locks, or with a stick that does nothing."""
    process = Process(executable, "--ros-args", *parameters_in(tmp_path, text))
    assert process.wait() == 1, process.output
    assert process.output.count(PAGE) == 1, process.output


# All parameters of joy 3.3, teleop_twist_joy 2.6 and twist_mux 4.4, by their sources.
THEIRS = """device_id device_name deadzone autorepeat_rate coalesce_interval_ms sticky_buttons publish_stamped_twist frame require_enable_button
    enable_button enable_turbo_button inverted_reverse axis_linear.x axis_linear.y axis_linear.z axis_angular.yaw axis_angular.pitch
    axis_angular.roll scale_linear scale_linear_turbo scale_angular scale_angular_turbo use_stamped topics.<name>.topic topics.<name>.timeout
    topics.<name>.priority locks.<name>.topic locks.<name>.timeout locks.<name>.priority cmd_vel_out"""


@pytest.mark.starts_nothing
def test_the_page_translates_each_parameter():
    rows = [line for line in (ROOT / PAGE).read_text().splitlines() if line.startswith("|")]
    first = " ".join(row.split("|")[1] for row in rows)
    assert [name for name in THEIRS.split() if f"`{name}`" not in first] == []
