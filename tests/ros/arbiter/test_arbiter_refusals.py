"""Changes of sources and locks that velocity_arbiter refuses at run time, with the reason; nothing changes."""

import time

import pytest
from arbiters import DOCK, NAVIGATION, OUTPUT, Arbiter, named, wait_for_messages_in_flight
from geometry_msgs.msg import PoseStamped
from rcl_interfaces.msg import ParameterValue

BAD = {
    "a priority that another source has": (
        {"sources.dock.topic": "/dock", "sources.dock.priority": 10},
        ["'sources.navigation.priority' is 10, must differ from the priority of source 'dock'"],
    ),
    "a topic that is no name": (
        {"sources.dock.topic": "/do ck", "sources.dock.priority": 20},
        ["'sources.dock.topic' is \"/do ck\"", "must be a ROS topic name"],
    ),
    "a topic that another source has": (
        {"sources.dock.topic": "nav", "sources.dock.priority": 20},
        ["must differ from 'sources.", "same topic in the graph, '/nav'"],
    ),
    "its own command": (
        {"sources.dock.topic": OUTPUT, "sources.dock.priority": 20},
        [f"'sources.dock.topic' is \"{OUTPUT}\"", "must not be what this process publishes"],
    ),
    "a timeout below zero": ({**DOCK, "sources.dock.timeout": -1.0}, ["'sources.dock.timeout' is -1.0, must be from 0.01 to 10.0 s"]),
    "a timeout too short for a stick": (
        {"sources.joystick.timeout": 0.29},
        ["'sources.joystick.timeout' is 0.29, must be at least 0.3 s for the type pose_state"],
    ),
    "no topic": ({"sources.dock.priority": 20}, ["'sources.dock.topic' is \"\", must name a topic"]),
    "a type that is none": (
        {**DOCK, "sources.dock.type": "joy"},
        ["'sources.dock.type' is \"joy\", must be one of: twist, twist_stamped, pose_state"],
    ),
    "a member that is none": ({**DOCK, "sources.dock.prio": 3}, ["'sources.dock.prio' does not exist"]),
    "a name that is none": (
        {"sources.do-ck.topic": "/dock", "sources.do-ck.priority": 20},
        ["'sources.do-ck.", "the name 'do-ck' in it must be 1 to 64 letters, digits and '_'"],
    ),
    "a lock on a topic of another type": (
        named("locks.door", topic="/pose"),
        ["'locks.door.topic' is \"/pose\", must be a topic of std_msgs/msg/Bool, and node 'observer' publishes it as geometry_msgs/msg/PoseStamped"],
    ),
    "a source on a topic of another type": (
        {"sources.navigation.topic": "/pose"},
        ["'sources.navigation.topic' is \"/pose\", must be a topic of", "publishes it as geometry_msgs/msg/PoseStamped"],
    ),
    "a lock on the topic of a source": (named("locks.door", topic="joystick/desired"), ["'sources.joystick.topic' is \"joystick/desired\", must differ from the topic of lock 'door'"]),
    "an unknown type of value": ({"sources.dock.topic": ParameterValue(type=77)}, ["has a value of type 77, must be from 0 to 9"]),
}


@pytest.fixture(scope="module")
def patient():
    """One node for all bad sets: none of them changes anything."""
    # On a busy computer a silence would be a loss, after which a zero is needed.
    with Arbiter({**NAVIGATION, "sources.navigation.timeout": 3.0}) as arbiter:
        arbiter.graph.node.create_publisher(PoseStamped, "/pose", 1)
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        yield arbiter


@pytest.mark.parametrize("what", BAD)
def test_a_bad_set_changes_nothing_and_gives_the_reason(patient, what):
    values, reported = BAD[what]
    before, start = patient.all(), time.monotonic()
    patient.wait(lambda: patient.graph.node.count_publishers("/pose") == 1, "/pose has no publisher")
    wait_for_messages_in_flight()
    reason = patient.change_at_once(values)
    assert all(part in reason for part in reported), reason
    reasons = patient.change(values)
    assert reasons and any(all(part in reason for part in reported) for reason in reasons), reasons
    assert patient.all() == before
    wait_for_messages_in_flight()
    assert set(patient.speeds_since(start)) == {0.1}, "it stopped driving"
    assert not patient.graph.since("/parameter_events", start), "a change was published"
