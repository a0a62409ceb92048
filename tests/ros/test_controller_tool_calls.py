"""The calls that `steersman-controller` makes, in their order, as a manager sees them that keeps a record."""

import signal
import time

import pytest
from conftest import Process
from pr2_mechanism_msgs.srv import (
    ListControllers,
    ListControllerTypes,
    LoadController,
    ReloadControllerLibraries,
    SwitchController,
    UnloadController,
)
from std_msgs.msg import Bool


class Record:
    """A manager that refuses what is in `refused`, and keeps each call: `load a`, `switch +a,b -c 2`."""

    def __init__(self, graph, namespace=""):
        self.calls, self.refused, self.listed = [], set(), []
        services = {
            "list_controllers": (ListControllers, lambda _: "list"),
            "list_controller_types": (ListControllerTypes, lambda _: "types"),
            "load_controller": (LoadController, lambda request: f"load {request.name}"),
            "unload_controller": (UnloadController, lambda request: f"unload {request.name}"),
            "switch_controller": (SwitchController, self.switch),
            "reload_controller_libraries": (ReloadControllerLibraries, lambda request: f"reload {request.force_kill}"),
        }
        for name, (kind, text) in services.items():
            answer = lambda request, response, text=text: self.answer(text(request), response)  # noqa: E731
            graph.node.create_service(kind, f"{namespace}pr2_controller_manager/{name}", answer)

    @staticmethod
    def switch(request):
        return f"switch +{','.join(request.start_controllers)} -{','.join(request.stop_controllers)} {request.strictness}"

    def answer(self, call, response):
        self.calls.append(call)
        if hasattr(response, "ok"):
            response.ok = call not in self.refused
            self.obey(call) if response.ok else None
        elif call == "list":
            response.controllers = [name for name, _ in self.listed]
            response.state = [state for _, state in self.listed]
        return response

    def obey(self, call):
        """What is listed after `call`."""
        verb, *words = call.split()
        if verb == "reload":
            self.listed = []
        elif verb == "load":
            self.listed.append((words[0], "stopped"))
        elif verb == "switch":
            start, stop = (word[1:].split(",") for word in words[:2])
            state = lambda name, before: "running" if name in start else "stopped" if name in stop else before  # noqa: E731
            self.listed = [(name, state(name, before)) for name, before in self.listed]

    def take(self):
        calls, self.calls = self.calls, []
        return calls


@pytest.fixture
def record(graph):
    return Record(graph)


def tool(*arguments):
    process = Process("steersman-controller", *arguments)
    return process.wait(10.0)


def test_each_command_makes_the_calls_of_the_original_in_its_order(graph):
    """Each in a namespace of its own, at the same time: a process may need seconds to find the manager."""
    commands = [
        (["load", "b", "a"], ["load b", "load a"]),
        (["unload", "b", "a"], ["unload b", "unload a"]),
        (["start", "b", "a"], ["switch +b - 2", "switch +a - 2"]),
        (["stop", "b", "a"], ["switch + -b 2", "switch + -a 2"]),
        (["spawn", "b", "a"], ["load b", "load a", "switch +b - 2", "switch +a - 2"]),
        (["kill", "b", "a"], ["switch + -b 2", "switch + -a 2", "unload b", "unload a"]),
        (["switch", "--start", "a", "b", "--stop", "c"], ["switch +a,b -c 2"]),
        (["switch", "--start", "a", "--best-effort"], ["switch +a - 1"]),
        (["reload-libraries"], ["list", "reload True"]),
    ]
    records = [Record(graph, f"/n{number}/") for number in range(len(commands))]
    processes = [
        Process("steersman-controller", *arguments, "--namespace", f"/n{number}", "--timeout", "20") for number, (arguments, _) in enumerate(commands)
    ]
    assert [process.wait(30.0) for process in processes] == [0] * len(commands)
    assert [record.calls for record in records] == [calls for _, calls in commands]


def test_a_refusal_does_not_keep_the_other_names_back(record):
    record.refused = {"load b"}
    assert tool("spawn", "b", "a") == 1
    assert record.take() == ["load b", "load a", "switch +a - 2"]
    record.refused = {"switch + -b 2"}
    assert tool("kill", "b", "a") == 1
    assert record.take() == ["switch + -b 2", "switch + -a 2", "unload b", "unload a"], "the manager unloads nothing that runs"


def test_libraries_are_reloaded_and_what_was_there_is_restored_as_far_as_it_can(record):
    record.listed = [("z", "running"), ("lost", "running"), ("a", "stopped")]
    record.refused = {"load lost"}
    assert tool("reload-libraries", "--restore") == 1
    loads = ["load z", "load lost", "load a"]
    assert record.take() == ["list", "reload True", "list", *loads, "list", "switch +z,lost - 1", "list"]


def wait_for(record, calls):
    end = time.monotonic() + 10.0
    while record.calls != calls:
        assert time.monotonic() < end, record.calls
        time.sleep(0.02)
    record.take()


def test_a_spawner_starts_all_at_once_and_takes_them_down_in_reverse_order(record):
    for end in (signal.SIGTERM, signal.SIGINT):
        spawner = Process("steersman-controller", "spawner", "a", "b", "c")
        wait_for(record, ["load a", "load b", "load c", "switch +a,b,c - 2"])
        spawner.process.send_signal(end)
        assert spawner.wait(10.0) == 0
        assert record.take() == ["switch + -a,b,c 1", "unload c", "unload b", "unload a"]


def test_a_spawner_goes_on_without_what_is_not_loaded_and_unloads_what_does_not_stop(record):
    record.refused = {"load b", "switch + -a,c 1", "unload c"}
    spawner = Process("steersman-controller", "spawner", "a", "b", "c")
    wait_for(record, ["load a", "load b", "load c", "switch +a,c - 2"])
    spawner.process.send_signal(signal.SIGTERM)
    assert spawner.wait(10.0) == 1
    assert record.take() == ["switch + -a,c 1", "unload c", "unload a"]


def test_a_spawner_leaves_them_stopped_and_waits_for_a_topic_that_says_true(record, graph):
    spawner = Process("steersman-controller", "spawner", "a", "--stopped", "--wait-for", "ready")
    graph.publish("ready", Bool(data=False))
    time.sleep(0.3)
    assert record.calls == []
    timer = graph.repeat("ready", Bool(data=True), 20.0)
    wait_for(record, ["load a"])
    graph.stop_repeating(timer)
    spawner.process.send_signal(signal.SIGTERM)
    assert spawner.wait(10.0) == 0
    assert record.take() == ["switch + -a 1", "unload a"]
