"""What velocity_arbiter refuses at its start, apart and in `steersman`, and its behaviour behind a console that is paused."""

import time

import arbiters
import pytest
from arbiters import DOCK, NAVIGATION, NODE, STICK, Arbiter, named, wait_for_messages_in_flight
from geometry_msgs.msg import PoseStamped
from processes import Process


@pytest.mark.parametrize("style", ["block", "flow"])
def test_two_sources_of_one_name_in_a_file_are_refused(tmp_path, style):
    entries = {
        "block": "      dock:\n        topic: /a\n        priority: 1\n      dock:\n        topic: /b\n        priority: 2\n",
        "flow": "      dock: {topic: /a, priority: 1}\n      dock: {topic: /b, priority: 2}\n",
    }
    file = tmp_path / "twice.yaml"
    file.write_text(f"{NODE}:\n  ros__parameters:\n    sources:\n{entries[style]}")
    process = Process(NODE, "--ros-args", "--params-file", str(file))
    try:
        assert process.wait() == 1, process.output
    finally:
        process.stop()
    line = 7 if style == "block" else 5
    assert f"'velocity_arbiter.ros__parameters.sources.dock' is in line {line} for the second time" in process.output


class Deaf(Process):
    """A console that is paused while `stands_still`."""

    stands_still = False

    def _read(self):
        while True:
            if Deaf.stands_still:
                time.sleep(0.05)
                continue
            line = self.process.stdout.readline()
            if not line:
                return
            self.lines.append(line.rstrip())


def test_a_console_that_stands_still_stops_nothing_and_refuses_nothing(monkeypatch):
    monkeypatch.setattr(arbiters, "Process", Deaf)
    monkeypatch.setattr(Deaf, "stands_still", False)
    with Arbiter({**NAVIGATION, "sources.navigation.timeout": 3.0}) as arbiter:
        arbiter.publish("/nav", 0.1, rate=500.0)
        arbiter.drives("navigation", 0.1)
        Deaf.stands_still = True
        start = time.monotonic()
        for _ in range(2500):  # a line each: more than a pipe and the queue hold
            arbiter.change({"sources.navigation.priority": 300})
        assert arbiter.change_at_once(DOCK) == "" and arbiter.delete("sources.dock.topic") == []
        wait_for_messages_in_flight()
        assert set(arbiter.speeds_since(start)) == {0.1}, "it stopped driving"
        Deaf.stands_still = False
        arbiter.wait(lambda: "lines of the log were dropped" in arbiter.process.output, "no line was lost: the console took all")


@pytest.mark.parametrize(
    "values, reported",
    [
        (named("sources.aa", topic="/joystick/desired", type="pose_state", priority=201), "which is the stick of this process"),
        ({"sources.joystick.type": "twist"}, "'sources.joystick.type' is \"twist\", must be pose_state"),
        (named("sources.ring", topic="/cmd_vel", type="twist", priority=201), "must not be what this process publishes"),
        (named("sources.ring", topic="/hind/applied", type="twist", priority=201), "must not be what this process publishes"),
    ],
)
def test_nothing_of_the_one_process_is_a_second_source(values, reported):
    with Arbiter(NAVIGATION, "steersman") as arbiter:
        before = arbiter.all()
        assert reported in arbiter.change_at_once(values)
        assert arbiter.all() == before
    texts = [text for name, value in values.items() for text in ("-p", f"{NODE}:{name}:={value}")]
    stick = [text for member, value in STICK.items() if f"sources.joystick.{member}" not in values for text in ("-p", f"{NODE}:sources.joystick.{member}:={value}")]
    process = Process("steersman", "--ros-args", *stick, *texts)
    try:
        assert process.wait() == 1 and reported in process.output, process.output
    finally:
        process.stop()


def test_a_lock_on_a_topic_of_another_type_is_refused_at_the_start(graph):
    graph.node.create_publisher(PoseStamped, "/pose", 1)
    process = Process(NODE, "--ros-args", "-p", "locks.door.topic:=/pose")
    try:
        assert process.wait() == 1, process.output
        assert "'locks.door.topic' is \"/pose\", must be a topic of std_msgs/msg/Bool" in process.output, process.output
    finally:
        process.stop()


def test_a_lock_without_a_publisher_delays_the_start_and_raises_no_alarm():
    with Arbiter({**NAVIGATION, **named("locks.door", topic="/door")}, "steersman") as arbiter:
        arbiter.wait(lambda: arbiter.active and "navigation" in arbiter.active[1], "it does not run")
        assert "stalled for" not in arbiter.process.output
