"""Sources and locks of velocity_arbiter come, change and go at run time, all or nothing."""

import pathlib
import time

import pytest
import yaml
from arbiters import DOCK, NAVIGATION, NODE, Arbiter, named, parameter, wait_for_messages_in_flight
from geometry_msgs.msg import Twist, TwistStamped
from graph import SLACK
from or_pose_estimator.msg import State
from rcl_interfaces.msg import ParameterType, ParameterValue
from std_msgs.msg import Bool


@pytest.fixture(params=["velocity_arbiter", "steersman"])
def arbiter(request):
    with Arbiter(NAVIGATION, request.param) as arbiter:
        yield arbiter


@pytest.fixture
def alone():
    with Arbiter(NAVIGATION) as arbiter:
        yield arbiter


def test_a_source_is_added_drives_and_is_removed_while_it_drives(arbiter):
    dock = arbiter.publish("/dock", 0.3, Twist)
    wait_for_messages_in_flight()
    assert arbiter.last == 0.0, "this source is not configured yet"
    assert arbiter.change(DOCK) == []
    arbiter.drives("dock", 0.3)
    assert set(arbiter.active[1]) == {"dock", "joystick", "navigation"}
    assert arbiter.get("sources.dock.timeout") == [0.5], "the rest has its default"
    gone = time.monotonic()
    assert arbiter.delete("sources.dock.topic") == []
    # The stick of steersman has no device here and publishes zero, where no other source drives.
    arbiter.wait(lambda: arbiter.active[0] in ("nobody", "joystick") and arbiter.last == 0.0, "no zero came")
    published = arbiter.speeds_since(gone)
    assert set(published[published.index(0.0) :]) == {0.0}, "it went on driving"
    assert set(arbiter.active[1]) == {"joystick", "navigation"}
    assert arbiter.names("sources.dock") == set()
    wait_for_messages_in_flight()
    assert arbiter.last == 0.0
    assert arbiter.change(DOCK) == [], "and it may come again"
    wait_for_messages_in_flight()
    assert arbiter.last == 0.0, "it commanded motion throughout, without a zero"
    dock.zero()
    arbiter.drives("dock", 0.3)


@pytest.mark.fault("source-changed")
def test_the_removal_of_the_driving_source_sets_nothing_in_motion(alone):
    navigation = alone.publish("/nav", 0.1)
    alone.drives("navigation", 0.1)
    alone.publish("/dock", 0.3, Twist)
    assert alone.change(DOCK) == []
    alone.drives("dock", 0.3)
    gone = time.monotonic()
    assert alone.delete("sources.dock.topic") == []
    alone.rests_within(0.0, gone, "the source that drives is removed")
    wait_for_messages_in_flight()
    published = alone.speeds_since(gone)
    assert set(published[published.index(0.0) :]) == {0.0}, "navigation commanded motion throughout, without a zero"
    navigation.speed = 0.0
    wait_for_messages_in_flight()
    navigation.speed = 0.1
    alone.drives("navigation", 0.1)


@pytest.mark.fault("source-changed")
def test_another_topic_of_the_driving_source_sets_nothing_in_motion(alone):
    """Neither the motion on the new topic nor that of another source moves it."""
    alone.publish("/nav", 0.1)
    alone.drives("navigation", 0.1)
    other = alone.publish("/other", 0.2, Twist, zeros=0)
    dock = alone.publish("/dock", 0.3, Twist)
    assert alone.change(DOCK) == []
    alone.drives("dock", 0.3)
    changed = time.monotonic()
    assert alone.change({"sources.dock.topic": "/other"}) == []
    alone.rests_within(0.0, changed, "the source that drives gets another topic")
    time.sleep(1.0)
    published = alone.speeds_since(changed)
    assert set(published[published.index(0.0) :]) == {0.0}, "both commanded motion throughout, without a zero"
    other.zeros = 10
    other.zero()
    alone.drives("dock", 0.2)
    dock()


def test_topic_and_type_are_changed_while_a_source_drives(arbiter):
    arbiter.publish("/nav", 0.1)
    arbiter.drives("navigation", 0.1)
    arbiter.publish("/other", 0.2, Twist)
    assert arbiter.change_at_once({"sources.navigation.topic": "/other", "sources.navigation.type": "twist"}) == ""
    arbiter.drives("navigation", 0.2)
    changed = time.monotonic()
    wait_for_messages_in_flight()
    assert 0.1 not in arbiter.speeds_since(changed), "the old topic is still received"
    assert arbiter.change({"sources.navigation.topic": "/third"}) == []
    arbiter.wait(lambda: arbiter.last == 0.0, "no zero when the topic went")
    arbiter.publish("/third", 0.3, Twist)
    arbiter.drives("navigation", 0.3)


def test_a_topic_keeps_its_type_until_the_restart_and_may_be_removed_and_added_again(arbiter):
    end = arbiter.publish("/nav", 0.1)
    arbiter.drives("navigation", 0.1)
    refused = arbiter.change_at_once({"sources.navigation.type": "twist"})
    reported = "'sources.navigation.topic' is \"/nav\", must be of the type geometry_msgs/msg/TwistStamped"
    assert reported in refused and "a topic keeps its type until the node is restarted" in refused, refused
    arbiter.drives("navigation", 0.1)
    assert arbiter.change_at_once({"sources.navigation.topic": "/other", "sources.navigation.type": "pose_state"}) == ""
    arbiter.publish("/other", 0.2, State)
    arbiter.drives("navigation", 0.2)
    end()
    assert arbiter.delete("sources.navigation.topic") == []
    back = named("sources.navigation", topic="/nav", type="twist", priority=10)
    assert "a topic keeps its type" in arbiter.change_at_once(back)
    assert arbiter.change_at_once({**back, "sources.navigation.type": "twist_stamped"}) == ""
    arbiter.publish("/nav", 0.3)
    arbiter.drives("navigation", 0.3)


@pytest.mark.fault("source-changed")
def test_a_change_of_priorities_sets_nothing_in_motion(arbiter):
    navigation = arbiter.publish("/nav", 0.1)
    arbiter.drives("navigation", 0.1)
    assert arbiter.change(named("sources.dock", topic="/dock", type="twist", priority=20)) == []
    arbiter.publish("/dock", 0.0, Twist)  # it holds the vehicle still
    arbiter.wait(lambda: arbiter.active[1].get("navigation") == "outranked by dock" and arbiter.last == 0.0, "the dock does not drive")
    start = time.monotonic()
    assert arbiter.change({"sources.navigation.priority": 150}) == []
    waits = "waits for a zero: another source, or a lock, was lost"
    arbiter.wait(lambda: arbiter.active[1]["navigation"] == waits, "navigation is not refused")
    wait_for_messages_in_flight()
    assert set(arbiter.speeds_since(start)) == {0.0}
    navigation.zero()
    arbiter.drives("navigation", 0.1)


@pytest.mark.fault("source-lost", "lock-silent")
def test_a_lock_that_is_added_masks_until_it_is_open_or_gone(arbiter):
    navigation = arbiter.publish("/nav", 0.1)
    arbiter.drives("navigation", 0.1)
    start = time.monotonic()
    assert arbiter.change(named("locks.door", topic="/door")) == []
    arbiter.wait(lambda: arbiter.active[1]["navigation"] == "locked by door", "a lock that was never opened does not mask")
    arbiter.rests_within(0.0, start, "a lock is added")
    end = arbiter.publish("/door", False, Bool)
    waits = "waits for a zero: another source, or a lock, was lost"
    arbiter.wait(lambda: arbiter.active[1]["navigation"] == waits, "a lock that is added starts a source in motion")
    navigation.zero()
    arbiter.drives("navigation", 0.1)
    for ends in ("is open again", "is removed"):
        start = time.monotonic()
        end()
        arbiter.rests_within(0.5, start, "a silent lock")
        if ends == "is removed":
            break
        start = time.monotonic()
        end = arbiter.publish("/door", False, Bool)
        arbiter.wait(lambda: arbiter.active[1]["navigation"] == waits, "a lock that is open again starts a source in motion")
        opened = time.monotonic() - start
        assert opened > 0.25, f"it is open after {opened:.3f} s"
        wait_for_messages_in_flight()
        assert set(arbiter.speeds_since(start)) == {0.0}, "a silent lock is open again, and no zero came"
        navigation.zero()
        arbiter.drives("navigation", 0.1)
    assert arbiter.delete("locks.door.topic") == []
    arbiter.wait(lambda: arbiter.active[1]["navigation"] == waits, "a lock that is removed starts a source in motion")
    navigation.zero()
    arbiter.drives("navigation", 0.1)


@pytest.mark.fault("lock-opened")
def test_a_lock_that_is_opened_or_removed_lets_motion_go_on(arbiter):
    arbiter.publish("/nav", 0.1)
    assert arbiter.change(named("locks.door", topic="/door")) == []
    lock = arbiter.graph.node.create_publisher(Bool, "/door", 10)
    closed = Bool(data=False)
    timer = arbiter.graph.node.create_timer(0.05, lambda: lock.publish(closed))
    arbiter.wait(lambda: arbiter.locks.get("door") == "open", "the lock is not open")
    arbiter.drives("navigation", 0.1)
    for ends in ("opened", "removed"):
        start = time.monotonic()
        closed.data = True
        lock.publish(closed)
        arbiter.wait(lambda: arbiter.active[1]["navigation"] == "locked by door", "a closed lock does not mask")
        arbiter.rests_within(0.0, start, "a lock is closed")
        start = time.monotonic()
        if ends == "opened":
            lock.publish(closed)  # from here on it publishes only open
            closed.data = False
            lock.publish(closed)
            took = arbiter.moves_again(start)
            assert 0.25 <= took < 0.25 + 0.05 + SLACK, f"it goes on {took:.3f} s after the lock was opened"
        else:
            assert arbiter.delete("locks.door.topic") == []
        arbiter.drives("navigation", 0.1)
    arbiter.graph.node.destroy_timer(timer)


def test_an_atomic_set_of_several_with_one_bad_is_refused_as_a_whole(alone):
    before = alone.all()
    values = {**DOCK, "sources.navigation.priority": 30, **named("locks.door", topic="/door", timeout=-1.0)}
    assert "'locks.door.timeout' is -1.0" in alone.change_at_once(values)
    assert alone.all() == before
    swapped = {"sources.navigation.priority": 1, "sources.joystick.priority": 10}
    assert alone.change_at_once(swapped) == "", "priorities may change places, which is good in no order"
    result = alone.answer(alone.client.set_parameters_atomically([parameter("sources.navigation.topic", ParameterValue()), *map(lambda p: parameter(*p), DOCK.items())])).result
    assert result.successful, result.reason
    assert alone.names("sources.navigation") == set() and len(alone.names("sources.dock")) == len(alone.names("sources.joystick"))


def test_presets_can_be_removed():
    arbiter = Arbiter({})
    with arbiter:
        assert arbiter.delete("sources.joystick.topic") == []
        assert not {name for name in arbiter.names() if name.startswith("sources.")}
        arbiter.wait(lambda: arbiter.active == ("nobody", {}), "it still has a source")
        assert arbiter.change(DOCK) == []
        arbiter.publish("/dock", 0.3, Twist)
        arbiter.drives("dock", 0.3)


@pytest.mark.parametrize(
    "name, reported",
    [
        ("limits.linear.x.jerk", "parameter 'limits.linear.x.jerk' cannot be deleted and stays 0.0"),
        ("sources.navigation.priority", "stays 10; delete 'sources.navigation.topic' to remove the entry"),
        ("sources.nobody.topic", "parameter 'sources.nobody.topic' does not exist"),
    ],
)
def test_only_what_makes_an_entry_can_be_deleted(alone, name, reported):
    before = alone.all()
    (reason,) = alone.delete(name)
    assert reported in reason
    assert alone.all() == before


def test_the_stick_of_steersman_is_a_source_like_others():
    with Arbiter(NAVIGATION, "steersman") as arbiter:
        # Under another name it is still the stick.
        stick = named("sources.stick", topic="joystick/desired", type="pose_state", priority=5)
        gone = parameter("sources.joystick.topic", ParameterValue())
        asked = arbiter.client.set_parameters_atomically([gone, *(parameter(*item) for item in stick.items())])
        result = arbiter.answer(asked).result
        assert result.successful, result.reason
        arbiter.wait(lambda: set(arbiter.active[1]) == {"stick", "navigation"}, "not renamed")
        assert arbiter.delete("sources.stick.topic") == []
        arbiter.wait(lambda: arbiter.active == ("nobody", {"navigation": "never received"}), "the stick still claims something")
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)


def test_the_reported_state_is_the_true_one(alone):
    start = time.monotonic()
    assert alone.change_at_once({**DOCK, "sources.navigation.timeout": 0.4}) == ""
    assert alone.delete("sources.dock.topic") == []
    alone.wait(lambda: len(alone.graph.since("/parameter_events", start)) == 2, "two events must come")
    came, gone = alone.graph.since("/parameter_events", start)
    members = alone.names("sources.navigation")
    of_dock = {name.replace("navigation", "dock") for name in members}
    assert (came.node, gone.node) == (f"/{NODE}", f"/{NODE}")
    assert {p.name for p in came.new_parameters} == of_dock
    assert [p.name for p in came.changed_parameters] == ["sources.navigation.timeout"] and not came.deleted_parameters
    assert {p.name: p.value.integer_value for p in came.new_parameters}["sources.dock.priority"] == 20
    assert {p.name for p in gone.deleted_parameters} == of_dock and not gone.new_parameters and not gone.changed_parameters
    assert {p.value.type for p in gone.deleted_parameters} == {ParameterType.PARAMETER_NOT_SET}
    (unknown,) = alone.answer(alone.client.get_parameters(["sources.dock.topic"])).values
    assert unknown.type == ParameterType.PARAMETER_NOT_SET
    assert alone.change(DOCK) == []
    descriptors = alone.answer(alone.client.describe_parameters(sorted(of_dock))).descriptors
    assert all(d.description and not d.read_only and d.type for d in descriptors)
    types = alone.answer(alone.client.get_parameter_types(["sources.dock.priority"])).types
    assert list(types) == [ParameterType.PARAMETER_INTEGER]


def test_dumped_parameters_can_be_loaded(alone, tmp_path):
    dock = {"topic": "/dock", "type": "twist", "priority": 10, "timeout": 1}
    file = tmp_path / "dock.yaml"
    # In this order no parameter is valid before the next: a priority without a topic, and one that another source has.
    nested = {"sources": {"dock": dict(sorted(dock.items())), "navigation": {"priority": 20}}}
    file.write_text(yaml.safe_dump({NODE: {"ros__parameters": nested}}))
    results = alone.answer(alone.client.load_parameter_file(str(file))).results
    assert all(result.successful for result in results), results
    assert alone.get("sources.dock.timeout", "sources.navigation.priority") == [1.0, 20]
    nested["sources"]["dock"]["timeout"] = -1
    nested["sources"]["navigation"]["priority"] = 30
    file.write_text(yaml.safe_dump({NODE: {"ros__parameters": nested}}))
    results = alone.answer(alone.client.load_parameter_file(str(file))).results
    assert [result.successful for result in results] == [False] * 4 + [True], "an entry with one invalid parameter is refused as a whole"
    result = alone.answer(alone.client.load_parameter_file_atomically(str(file))).result
    assert not result.successful and "'sources.dock.timeout' is -1.0" in result.reason


@pytest.mark.pair
@pytest.mark.parametrize("executable", ["velocity_arbiter", "steersman"])
def test_changes_lose_no_command_of_another_source_and_leak_nothing(executable):
    """As many changes as fit into some seconds, of topics, types, sources and locks."""
    with Arbiter({**NAVIGATION, "sources.navigation.priority": 200, "sources.navigation.timeout": 3.0}, executable) as arbiter:
        publisher = arbiter.graph.node.create_publisher(TwistStamped, "/nav", 10)
        arbiter.wait(lambda: publisher.get_subscription_count() == 1, "there is no subscriber")
        sent = []

        zeros = []

        def send():
            if len(zeros) < 30:  # it has to begin with some
                zeros.append(publisher.publish(arbiter.message(TwistStamped, 0.0)))
                return
            seen = set(arbiter.speeds_since(0.0))
            # Queues of ten keep these, however long the machine holds a process.
            if sum(speed not in seen for speed in sent) < 5:
                sent.append(len(sent) / 10000.0 + 0.0001)
                publisher.publish(arbiter.message(TwistStamped, sent[-1]))

        timer = arbiter.graph.node.create_timer(0.01, send)
        arbiter.publish("/dock/t1", 0.9, Twist)

        def churn(seconds):
            end, count = time.monotonic() + seconds, 0
            while time.monotonic() < end:
                count += 1
                index = count % 7  # a topic keeps its type
                dock = {"topic": f"/dock/t{index}", "type": ["pose_state", "twist", "twist_stamped"][index % 3], "priority": 20}
                assert arbiter.change_at_once(named("sources.dock", **dock)) == ""
                if count % 5 == 0:
                    assert arbiter.delete("sources.dock.topic") == []
                    assert arbiter.change(named("locks.door", topic="/door", priority=100)) == []
                    assert arbiter.delete("locks.door.topic") == []
            arbiter.delete("sources.dock.topic")
            time.sleep(0.5)
            return count, Usage(arbiter.process.process.pid)

        _, before = churn(1.5)
        count, after = churn(4.0)
        arbiter.graph.node.destroy_timer(timer)
        arbiter.wait(lambda: sent[-1] in arbiter.speeds_since(0.0), "the last one does not come")
        published = arbiter.speeds_since(0.0)
        lost = [speed for speed in sent if speed not in set(published)]
        assert not lost, f"{len(lost)} of {len(sent)} commands were lost in {count} changes: {lost[:5]}"
        assert 0.9 not in published
        assert count > 50 and len(sent) > 50, f"{len(sent)} commands in {count} changes are hardly any"
        assert after.threads == before.threads and after.files <= before.files, f"{before} became {after} in {count} changes"
        assert after.memory - before.memory < 4_000 + count, f"{before} became {after} in {count} changes"  # [kB]
        listeners = [info.node_name for info in arbiter.graph.node.get_subscriptions_info_by_topic("/dock/t1")]
        assert listeners == [NODE], f"removed topics stay subscribed to: {listeners}"


class Usage:
    """The resources of a process: threads, open files, memory [kB]."""

    def __init__(self, pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        values = dict(line.split(":", 1) for line in status.splitlines())
        self.threads, self.memory = int(values["Threads"]), int(values["VmRSS"].split()[0])
        self.files = len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))

    def __repr__(self):
        return f"{self.threads} threads, {self.files} files, {self.memory} kB"


def test_no_message_is_taken_for_another_sources(alone):
    """`zone` is masked. A source that comes and goes before it in the list has the highest priority and is silent."""
    alone.change({"sources.navigation.priority": 100})
    alone.publish("/nav", 0.1)
    alone.change(named("sources.zone", topic="/zone", type="twist", priority=5))
    alone.publish("/zone", 0.9, Twist, 500.0)
    alone.drives("navigation", 0.1)
    start, count = time.monotonic(), 0
    while time.monotonic() < start + 3.0:
        count += 1
        assert alone.change_at_once(named("sources.dock", topic="/dock", type="twist", priority=255)) == ""
        assert alone.delete("sources.dock.topic") == []
    assert count > 50, "hardly anything was changed"
    assert "dock" not in {message.message for message in alone.graph.since(f"/{NODE}/active", start)}, f"in {count} changes"
    assert set(alone.speeds_since(start)) == {0.1}, f"in {count} changes"


def test_a_remapped_topic_is_received_under_its_new_name():
    with Arbiter(NAVIGATION, arguments=["-r", "/nav:=/elsewhere", "-r", "__ns:=/"]) as arbiter:
        arbiter.publish("/elsewhere", 0.1)
        arbiter.drives("navigation", 0.1)


def test_a_renamed_node_is_one_node_that_subscribes_by_its_own_name():
    with Arbiter(NAVIGATION, arguments=["-r", "__node:=who_drives"], node="who_drives") as arbiter:
        arbiter.publish("/nav", 0.1)
        arbiter.drives("navigation", 0.1)
        names = arbiter.graph.node.get_node_names()
        assert names.count("who_drives") == 1 and not any("navigation" in name for name in names), names
        (listener,) = arbiter.graph.node.get_subscriptions_info_by_topic("/nav")
        assert listener.node_name == "who_drives"


def test_a_renamed_node_subscribes_by_its_own_name():
    arguments = ["-r", "__node:=arb2", "-r", "arb2:nav:=/other"]
    parameters = {**NAVIGATION, "sources.navigation.topic": "nav", **named("sources.own", topic="~/in", type="twist", priority=30)}
    with Arbiter(parameters, arguments=arguments, node="arb2") as arbiter:
        arbiter.publish("/other", 0.1)
        arbiter.drives("navigation", 0.1)
        arbiter.publish("/arb2/in", 0.2, Twist)
        arbiter.drives("own", 0.2)
