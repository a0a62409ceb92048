"""The tool `steersman-controller`, against the node it is for."""

import json
import signal
import time

from conftest import Process
from mechanisms import arm


def tool(*arguments, timeout=15.0):
    process = Process("steersman-controller", *arguments)
    return process.wait(timeout), process.output


def test_it_loads_starts_lists_stops_and_unloads():
    with arm() as (_, manager, _):
        assert manager.list() == []
        assert tool("list") == (0, "no controllers are loaded")
        assert tool("load", "pan_position", "pan_effort") == (0, "")
        assert tool("start", "pan_position")[0] == 0
        assert tool("list") == (0, "pan_effort    stopped\npan_position  running")
        assert json.loads(tool("list", "--json")[1])[1] == {"name": "pan_position", "state": "running"}
        assert tool("switch", "--start", "pan_effort", "--stop", "pan_position")[0] == 0
        assert manager.list() == [("pan_effort", "running"), ("pan_position", "stopped")]
        assert tool("kill", "pan_effort")[0] == 0 and tool("unload", "pan_position")[0] == 0
        assert manager.list() == []
        assert tool("spawn", "pan_position", "tilt_position")[0] == 0
        assert tool("reload-libraries", "--restore")[0] == 0
        assert manager.list() == [("pan_position", "running"), ("tilt_position", "running")]
        assert "steersman/JointEffortController" in tool("list-types")[1]
        assert json.loads(tool("list-joints", "--json")[1]) == {"actuators": ["pan_motor", "tilt_motor"], "joints": ["pan", "tilt"]}


def test_its_exit_codes_are_honest():
    with arm() as (_, manager, _):
        assert manager.list() == []
        code, output = tool("load", "nobody", "pan_effort")
        assert code == 1 and "load 'nobody' failed; the log of the manager says why" in output
        assert manager.list() == [("pan_effort", "stopped")], "the other one is loaded"
        assert tool("stop", "nobody")[0] == 1
        assert tool("switch", "--start", "nobody", "--best-effort")[0] == 0
        assert tool("load")[0] == 2 and tool("juggle")[0] == 2 and tool("list", "--timeout", "soon")[0] == 2
        code, output = tool("list", "--namespace", "elsewhere", "--timeout", "0.5")
        assert code == 3 and "service '/elsewhere/pr2_controller_manager/list_controllers' is not there" in output


def test_a_spawner_takes_its_controllers_down_at_its_end():
    with arm() as (_, manager, _):
        assert manager.load("pan_effort")
        spawner = Process("steersman-controller", "spawner", "pan_position", "tilt_position", "pan_effort")
        expected = [("pan_effort", "stopped"), ("pan_position", "running"), ("tilt_position", "running")]
        end = time.monotonic() + 10.0
        while manager.list() != expected:
            assert time.monotonic() < end, (manager.list(), spawner.output)
            time.sleep(0.1)
        spawner.process.send_signal(signal.SIGTERM)
        assert spawner.wait(10.0) == 1, "one could not be loaded"
        assert manager.list() == [("pan_effort", "stopped")], "that one is not its own"


def test_the_completion_is_printed_without_a_graph():
    assert "steersman-controller" in tool("completion", "bash")[1]
