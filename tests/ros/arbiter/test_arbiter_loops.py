"""A source on what a later stage makes of the arbiter's own command: it would drive the vehicle by itself, without a pause."""

import contextlib
import time

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from graph import STOP, Graph
from parameters import parameters_in
from processes import Process, stop_all
from visualization_msgs.msg import Marker

SOURCES = """
velocity_arbiter:
  ros__parameters:
    sources:
      nav: {topic: "/nav", type: "twist_stamped", priority: 100, timeout: 0.5}
      loop: {topic: "%s", type: "twist_stamped", priority: 10, timeout: 0.5}
zone_scaler: {ros__parameters: {mode: "passthrough"}}
hindbrain: {ros__parameters: {cmd_vel_type: "twist_stamped"}}
"""


@contextlib.contextmanager
def stages(tmp_path, topic, names):
    """The processes `names` in this order, and the arbiter with a source on `topic`."""
    graph = Graph()
    arguments = ["--ros-args", *parameters_in(tmp_path, SOURCES % topic)]
    processes = []
    try:
        graph.subscribe(TwistStamped, "/cmd_vel_arbitrated")
        graph.subscribe(DiagnosticStatus, "/velocity_arbiter/active")
        for name in names:
            processes.append(Process(name, *arguments))
            time.sleep(0.3)
        yield graph, processes[names.index("velocity_arbiter")]
    finally:
        try:
            stop_all(processes)
        finally:
            graph.close()


def state_of(graph, source):
    message = graph.last("/velocity_arbiter/active")
    return message and next((value.value for value in message.values if value.key == source), None)


@pytest.mark.fault("source-loop")
@pytest.mark.parametrize(
    "topic, names, nodes",
    [
        ("/cmd_vel", ["velocity_arbiter", "zone_scaler"], "zone_scaler"),
        ("/cmd_vel", ["zone_scaler", "velocity_arbiter"], "zone_scaler"),
        ("/hind/applied", ["velocity_arbiter", "hindbrain", "zone_scaler"], "hindbrain"),
    ],
)
def test_a_source_on_what_a_later_stage_publishes_is_a_conflict_that_is_named(tmp_path, topic, names, nodes):
    with stages(tmp_path, topic, names) as (graph, arbiter):
        sentence = f"'{topic}' carries what this node publishes on '/cmd_vel_arbitrated', passed on by {nodes}: it is ignored"
        graph.wait(lambda: sentence in arbiter.output, lambda: f"the loop is not reported:\n{arbiter.output}", 10.0)
        graph.wait(lambda: "in conflict" in (state_of(graph, "loop") or ""), lambda: f"no conflict: {state_of(graph, 'loop')}", 10.0)
        assert "passed on by a later stage" in state_of(graph, "loop")
        time.sleep(1.0)
        start = time.monotonic()
        time.sleep(2.0)
        count = len(graph.since("/cmd_vel_arbitrated", start))
        assert count < 40, f"{count} commands in 2 s: the arbiter receives its own"  # a zero every 0.1 s
        # The other source drives beside it.
        publisher = graph.node.create_publisher(TwistStamped, "/nav", 1)
        message = TwistStamped()
        graph.node.create_timer(0.05, lambda: publisher.publish(message))
        graph.wait(lambda: state_of(graph, "nav") == "drives", lambda: f"nav: {state_of(graph, 'nav')}", 10.0)
        message.twist.linear.x = 0.2
        graph.wait(lambda: graph.last("/cmd_vel_arbitrated").twist.linear.x == 0.2, "the other source does not drive")
        assert state_of(graph, "loop").startswith("in conflict")


@pytest.mark.parametrize(
    "executable, rule",
    [("zone_scaler", "cmd_vel:=cmd_vel_arbitrated"), ("hindbrain", "hind/applied:=cmd_vel"), ("joystick", "joystick/reference:=joystick/desired")],
)
def test_a_stage_that_would_receive_its_own_commands_is_refused(executable, rule):
    process = Process(executable, "--ros-args", "-r", rule)
    assert process.wait() == 1
    assert "it would receive its own commands" in process.output, process.output


@pytest.mark.parametrize("parameters", [["-p", "sources.own.topic:=cmd_vel_arbitrated"], ["-p", "locks.own.topic:=cmd_vel_arbitrated"]])
def test_a_source_or_lock_on_the_arbiters_own_command_is_refused_at_the_start(parameters):
    process = Process("velocity_arbiter", "--ros-args", *parameters)
    assert process.wait() == 1
    assert "must not be what this process publishes for its later stages" in process.output, process.output


def test_a_topic_with_two_types_ends_no_node(stack):
    """The list of all topics that r2r 0.9.7 gives reads beyond its memory at a topic with two types, the last one above all."""
    stack.drive_forward()
    strangers = [Graph(), Graph()]
    try:
        for stranger, message_type in zip(strangers, (Marker, TwistStamped), strict=True):
            stranger.subscribe(message_type, "/zone_scaler/markers")
            stranger.subscribe(message_type, "/zzz")
        time.sleep(2.5)  # loops are looked for once a second
        assert [name for name, process in stack.processes.items() if process.process.poll() is not None] == []
        assert stack.state == "OK" and stack.motors != (STOP, STOP), f"{stack.motors}, {stack.state}"
    finally:
        for stranger in strangers:
            stranger.close()
