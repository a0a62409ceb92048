"""The calls that `steersman-controller` makes, in their order, as a manager sees them that keeps a record."""

import json
import signal
import threading
import time

import pytest
from graph import Graph
from pr2_mechanism_msgs.srv import (
    ListControllers,
    ListControllerTypes,
    LoadController,
    ReloadControllerLibraries,
    SwitchController,
    UnloadController,
)
from processes import Process
from std_msgs.msg import Bool


class Record:
    """A manager that refuses what is in `refused`, and keeps each call: `load a`, `switch +a,b -c 2`.

    With `loads`, another graph, loads are answered there: one in `silent` only after `woken` is set, while all else goes on.
    """

    def __init__(self, graph, namespace="", loads=None):
        self.calls, self.refused, self.listed = [], set(), []
        self.silent, self.woken = set(), threading.Event()
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
            on = loads if loads and name == "load_controller" else graph
            on.node.create_service(kind, f"{namespace}pr2_controller_manager/{name}", answer)

    @staticmethod
    def switch(request):
        return f"switch +{','.join(request.start_controllers)} -{','.join(request.stop_controllers)} {request.strictness}"

    def answer(self, call, response):
        self.calls.append(call)
        if call in self.silent:
            assert self.woken.wait(30.0)
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
        elif verb == "unload":
            self.listed = [(name, state) for name, state in self.listed if name != words[0]]
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
        (["stop", "b", "a"], ["list", "switch + -b 2", "switch + -a 2"]),
        (["spawn", "b", "a"], ["list", "load b", "load a", "switch +b - 2", "switch +a - 2"]),
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
    assert record.take() == ["list", "load b", "load a", "switch +a - 2"]
    record.refused = {"switch + -b 2"}
    assert tool("kill", "b", "a") == 1
    assert record.take() == ["switch + -b 2", "switch + -a 2", "unload b", "unload a"], "the manager unloads nothing that runs"


def test_libraries_are_reloaded_and_what_was_there_is_restored_as_far_as_it_can(record):
    record.listed = [("z", "running"), ("lost", "running"), ("a", "stopped")]
    record.refused = {"load lost"}
    assert tool("reload-libraries", "--restore") == 1
    loads = ["load z", "load lost", "load a"]
    assert record.take() == ["list", "reload True", "list", *loads, "list", "switch +z,lost - 1", "list"]


def wait_for(record, calls, timeout=10.0):
    end = time.monotonic() + timeout
    while record.calls != calls:
        assert time.monotonic() < end, record.calls
        time.sleep(0.02)
    record.take()


def test_a_spawner_starts_all_at_once_and_takes_them_down_in_reverse_order(record):
    # A launch file passes several names as one argument.
    for end, names in [(signal.SIGTERM, ["a", "b", "c"]), (signal.SIGINT, ["a b", " c "])]:
        spawner = Process("steersman-controller", "spawner", *names)
        wait_for(record, ["list", "load a", "load b", "load c", "switch +a,b,c - 1", "list"])
        spawner.process.send_signal(end)
        assert spawner.wait(10.0) == 0
        assert record.take() == ["switch + -a,b,c 1", "unload c", "unload b", "unload a"]


def test_a_spawner_goes_on_without_what_is_not_loaded_and_unloads_what_does_not_stop(record):
    record.refused = {"load b", "switch + -a,c 1", "unload c"}
    spawner = Process("steersman-controller", "spawner", "a", "b", "c")
    wait_for(record, ["list", "load a", "load b", "load c", "switch +a,c - 1", "list"])
    spawner.process.send_signal(signal.SIGTERM)
    assert spawner.wait(10.0) == 1
    assert record.take() == ["switch + -a,c 1", "unload c", "unload a"]


def test_a_spawner_leaves_them_stopped_and_waits_for_a_topic_that_says_true(record, graph):
    spawner = Process("steersman-controller", "spawner", "a", "--stopped", "--wait-for", "ready")
    graph.publish("ready", Bool(data=False))
    time.sleep(0.3)
    assert record.calls == []
    timer = graph.repeat("ready", Bool(data=True), 20.0)
    wait_for(record, ["list", "load a"])
    graph.stop_repeating(timer)
    spawner.process.send_signal(signal.SIGTERM)
    assert spawner.wait(10.0) == 0
    assert record.take() == ["switch + -a 1", "unload a"]


@pytest.mark.parametrize("refused", [set(), {"load a"}])
def test_a_spawner_takes_down_the_load_that_was_not_answered_and_none_that_was_refused(graph, refused):
    """Another client owns what was refused. The load without an answer comes about later; what comes after it is not tried."""
    other = Graph()
    try:
        record = Record(graph, loads=other)
        record.refused, record.silent = refused, {"load c"}
        spawner = Process("steersman-controller", "spawner", "a", "b", "c", "d", "--timeout", "3")
        loaded = "b" if refused else "a,b"
        wait_for(record, ["list", "load a", "load b", "load c", f"switch +{loaded} - 1", "list"], 20.0)
        assert "'pr2_controller_manager/load_controller' did not answer within 3s" in spawner.output
        record.woken.set()
        spawner.process.send_signal(signal.SIGTERM)
        assert spawner.wait(10.0) == (1 if refused else 3), spawner.output
        owned = ["b"] if refused else ["a", "b"]
        assert record.take() == [f"switch + -{','.join([*owned, 'c'])} 1", "unload c", *(f"unload {name}" for name in reversed(owned))]
    finally:
        record.woken.set()
        other.close()


def objects(process, timeout=20.0):
    """The exit code of a tool with `--json`, and the objects that it printed on lines of their own; the lines of its failures are none."""
    code = process.wait(timeout)
    return code, [json.loads(line) for line in process.output.splitlines() if line.startswith("{")]


def test_json_has_an_object_for_each_call_with_what_was_asked_and_how_it_went(graph):
    """Each command in a namespace of its own, at the same time."""

    def reported(call, error=None, **asked):
        return {"call": call, **asked, "ok": error is None} | ({"error": f"{error} failed; the log of the manager says why"} if error else {})

    def switch(start, stop, strict=True, error=None):
        return reported("switch", error, start=start, stop=stop, strict=strict)

    load, unload = lambda name, **more: reported("load", name=name, **more), lambda name, **more: reported("unload", name=name, **more)  # noqa: E731
    refused = load("b", error="load 'b'")
    cases = [
        (["load", "a", "b"], 1, [load("a"), refused]),
        (["spawn", "b", "a"], 1, [refused, load("a"), switch(["a"], [])]),
        (["start", "a"], 0, [switch(["a"], [])]),
        (["start", "b"], 1, [switch(["b"], [], error="switch, start [b], stop [],")]),
        (["stop", "a"], 0, [switch([], ["a"])]),
        (["switch", "--start", "a", "c", "--stop", "d", "--best-effort"], 0, [switch(["a", "c"], ["d"], strict=False)]),
        (["kill", "a", "c"], 1, [switch([], ["a"]), switch([], ["c"]), unload("a"), unload("c", error="unload 'c'")]),
        (["reload-libraries", "--restore"], 0, [reported("reload-libraries"), load("z"), switch(["z"], [], strict=False)]),
    ]
    for number in range(len(cases)):
        record = Record(graph, f"/n{number}/")
        record.refused, record.listed = {"load b", "unload c", "switch +b - 2"}, [("z", "running")]
    processes = [
        Process("steersman-controller", *arguments, "--json", "--namespace", f"/n{number}", "--timeout", "20")
        for number, (arguments, _, _) in enumerate(cases)
    ]
    assert [objects(process) for process in processes] == [(code, calls) for _, code, calls in cases]


def test_json_says_that_there_was_no_answer():
    code, reported = objects(Process("steersman-controller", "unload", "a", "b", "--json", "--namespace", "elsewhere", "--timeout", "0.5"))
    assert code == 3 and len(reported) == 1, reported
    assert reported[0]["call"] == "unload" and reported[0]["name"] == "a" and reported[0]["ok"] is False
    assert reported[0]["error"].startswith("service '/elsewhere/pr2_controller_manager/unload_controller' is not there after 500ms")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # of the service that is taken away in a call
def test_a_spawner_ends_well_when_its_manager_ends_first_and_says_so(graph):
    """As when a launch file ends both."""
    other = Graph()
    record = Record(other)
    spawner = Process("steersman-controller", "spawner", "a", "--timeout", "8")
    wait_for(record, ["list", "load a", "switch +a - 1", "list"])
    record.silent = {"switch + -a 1"}
    spawner.process.send_signal(signal.SIGINT)
    wait_for(record, ["switch + -a 1"])
    for service in list(other.node.services):
        if service.srv_name.endswith(("switch_controller", "list_controllers")):
            other.node.destroy_service(service)
    record.woken.set()
    start = time.monotonic()
    assert spawner.wait(6.0) == 0, spawner.output
    assert time.monotonic() - start < 4.0 and "the manager has ended, and its controllers with it" in spawner.output
    other.close()


def test_a_spawner_that_waits_ends_with_its_manager(graph):
    other = Graph()
    record = Record(other)
    spawner = Process("steersman-controller", "spawner", "a")
    wait_for(record, ["list", "load a", "switch +a - 1", "list"])
    time.sleep(1.0)
    assert spawner.process.poll() is None, "it watches a manager that is there"
    other.close()
    start = time.monotonic()
    assert spawner.wait(6.0) == 1, spawner.output
    assert time.monotonic() - start < 3.0
    assert spawner.output.splitlines()[-1] == "steersman-controller: the manager has ended, and its controllers with it"
    assert record.take() == []


@pytest.mark.parametrize("verb, state", [("spawn", "stopped"), ("spawner", "stopped"), ("spawner", "running")])
def test_what_was_loaded_already_is_started_if_it_is_stopped_and_never_taken_down(record, verb, state):
    record.listed, record.refused = [("b", state)], {"load b"}
    process = Process("steersman-controller", verb, "a", "b")
    starts = ["switch +a - 2", "switch +b - 2"] if verb == "spawn" else ["switch +a,b - 1", "list"]
    wait_for(record, ["list", "load a", *starts] if state == "stopped" else ["list", "load a", "load b", "switch +a - 1", "list"])
    if verb == "spawner":
        process.process.send_signal(signal.SIGTERM)
    assert process.wait(10.0) == (0 if state == "stopped" else 1), process.output
    assert ("'b' was loaded already, and stays loaded" in process.output) == (state == "stopped")
    assert record.take() == ([] if verb == "spawn" else ["switch + -a 1", "unload a"])


def test_a_spawner_of_what_was_all_loaded_already_ends_after_the_start(record):
    record.listed = [("a", "stopped")]
    assert tool("spawner", "a") == 0
    assert record.take() == ["list", "switch +a - 1", "list"]


def test_a_stop_of_what_is_stopped_says_so(record):
    record.listed = [("a", "stopped"), ("b", "running")]
    process = Process("steersman-controller", "stop", "a", "b")
    assert process.wait(10.0) == 0
    assert process.output == "steersman-controller: 'a' is stopped already"
    assert record.take() == ["list", "switch + -a 2", "switch + -b 2"]
