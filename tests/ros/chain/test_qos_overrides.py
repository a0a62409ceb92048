"""The parameters `qos_overrides.*`."""

import pytest
from parameters import parameters_in
from processes import Process
from rclpy.qos import ReliabilityPolicy

BEST_EFFORT, RELIABLE = ReliabilityPolicy.BEST_EFFORT, ReliabilityPolicy.RELIABLE


def test_overrides_are_in_force_and_one_for_no_topic_is_reported(graph, tmp_path):
    text = """
/r/hindbrain:
  ros__parameters:
    ir.sensors: [ir_front_port]
    qos_overrides:
      /r/hind/state: {publisher: {reliability: best_effort, depth: 5}}
      /diagnostics: {publisher: {reliability: best_effort}}
      /seen: {subscription: {reliability: reliable, depth: 2000, history: keep_last}}
      /r/hind/estop: {subscription: {depth: 2000, reliability: reliable}}
      /r/cmd_vell: {subscription: {depth: 200}}
"""
    rules = ["-r", "__ns:=/r", "-r", "hind/ir:=/seen"]
    process = Process("hindbrain", "--ros-args", *rules, *parameters_in(tmp_path, text))
    try:

        def of(find, topic):
            found = {endpoint.node_name: endpoint.qos_profile.reliability for endpoint in find(topic)}
            return found.get("hindbrain")

        publishers, subscriptions = graph.node.get_publishers_info_by_topic, graph.node.get_subscriptions_info_by_topic
        expected = [
            (publishers, "/r/hind/state", BEST_EFFORT),
            (publishers, "/diagnostics", BEST_EFFORT),
            (publishers, "/r/motor/port", RELIABLE),
            (subscriptions, "/seen", RELIABLE),
            (subscriptions, "/r/hind/estop", RELIABLE),
        ]
        graph.wait(
            lambda: all(of(find, topic) == reliability for find, topic, reliability in expected),
            lambda: f"{[(topic, of(find, topic)) for find, topic, _ in expected]}\n{process.output}",
            10.0,
        )
        sentence = "'qos_overrides./r/cmd_vell.subscription.depth' is for no topic that this node has so far"
        graph.wait(lambda: sentence in process.output, lambda: process.output)
        assert process.output.count("is for no topic") == 1, process.output
    finally:
        process.stop()


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("/hind/estop.subscription.reliability", "best_effort", "must be reliable"),
        ("/hind/estop.subscription.depth", "10", "is 10, must be at least 1000"),
        ("/cmd_vel.subscription.depth", "1", "is 1, must be at least 100"),
        ("/motor/port.publisher.durability", "transient_local", "must be left out: it is another one than that of the topic"),
        ("/motor/port.publisher.depth", "0", "is 0, must be a whole number from 1 to 10000"),
        ("motor/port.publisher.depth", "5", "its name must be qos_overrides.TOPIC.publisher.POLICY"),
    ],
)
def test_what_could_lose_a_stop_or_has_no_effect_ends_the_start(name, value, sentence):
    process = Process("hindbrain", "--ros-args", "-p", f"qos_overrides.{name}:={value}")
    assert process.wait() == 1
    assert f"parameter 'qos_overrides.{name}' is " in process.output and sentence in process.output, process.output


def test_a_sources_topic_has_its_override():
    arguments = ["-p", "sources.nav.topic:=/nav", "-p", "qos_overrides./nav.subscription.depth:=5"]
    process = Process("velocity_arbiter", "--ros-args", *arguments)
    assert process.wait() == 1
    assert "parameter 'qos_overrides./nav.subscription.depth' is 5, must be at least 100" in process.output, process.output
