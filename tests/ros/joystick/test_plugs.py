"""A device that comes and goes thirty times in a second: with `PLUG_SECONDS=60` for a minute."""

import os
import time

from graph import LATCHED
from joysticks import Joystick
from or_joystick.msg import State
from wire import uses

CYCLES = 30  # a second
MAY_GROW = 4_000  # kB of resident memory


def plugs(graph, seconds):
    """Plugs and unplugs a device for `seconds`; compares the resources of the node before and afterwards."""
    joystick = Joystick(graph)
    try:
        # The repetition of the virtual stick has to end, otherwise it would be plugged in again.
        for timer in list(graph.node.timers):
            timer.cancel()
        seen = f"{seconds:g} s at {CYCLES} a second"
        cycle(graph, 30)
        before = stable_resources(joystick)
        cycle(graph, int(seconds * CYCLES))
        after = stable_resources(joystick)
        # The topic exists once and is published.
        topic = "/joystick/device/Test_Pad"
        graph.subscribe(State, topic, LATCHED)
        for value in (1000, 2000):
            joystick.hold({0: value})
            graph.wait(lambda: graph.last(topic) and graph.last(topic).axes[0] == value, f"{topic} is dead after {seen}")
        devices = {name for name, _ in graph.node.get_topic_names_and_types() if name.startswith("/joystick/device/")}
        published = {name: graph.node.count_publishers(name) for name in devices}
        assert published == {topic: 1}, published
        assert after[0] <= before[0] + MAY_GROW, f"memory grew from {before[0]} kB to {after[0]} kB in {seen}"
        assert after[1:] == before[1:], f"threads and open files were {before[1:]}, are {after[1:]} after {seen}"
        return before, after
    finally:
        joystick.process.stop()


def cycle(graph, times):
    start = time.monotonic()
    for number in range(times):
        for part, state in ((0.0, State(axes=[number % 100 + 1] * 6, buttons=[True] * 11)), (0.5, State())):
            due = start + (number + part) / CYCLES
            time.sleep(max(0.0, due - time.monotonic()))
            graph.publish("/joystick/virtual_device", state)


def stable_resources(joystick):
    """A topic is removed shortly after its device."""
    time.sleep(1.0)
    return uses(joystick.process)


def test_thirty_plugs_a_second_leave_nothing_behind(graph):
    plugs(graph, float(os.environ.get("PLUG_SECONDS", "4")))
