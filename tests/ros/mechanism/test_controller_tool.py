"""The tool `steersman-controller`, against the node it is for."""

import json
import signal
import time

from graph import LATCHED
from mechanisms import ARM, URDF, Manager, arm
from processes import Process
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from std_msgs.msg import Bool


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


def test_a_verbose_list_names_types_joints_limits_and_who_commands_what():
    with arm() as (_, _, _):
        assert tool("spawn", "pan_position", "tilt_position")[0] == 0
        assert tool("load", "pan_effort")[0] == 0
        code, output = tool("list", "--verbose")
        titled = [line for line in output.splitlines() if line.startswith(("controller ", "joint "))]
        assert code == 0 and len(titled) == 2, output
        fields = lambda name: next(line for line in output.splitlines() if line.startswith(f"{name} ")).split()  # noqa: E731
        assert fields("pan_position") == ["pan_position", "running", "steersman/JointPositionController", "pan"]
        assert fields("pan_effort") == ["pan_effort", "stopped", "steersman/JointEffortController", "pan"]
        # A stopped controller commands nothing. The limits are those of the URDF.
        joints = {joint["name"]: joint for joint in json.loads(tool("list", "-v", "--json")[1])["joints"]}
        assert joints["pan"]["commanded_by"] == ["pan_position"] and joints["tilt"]["commanded_by"] == ["tilt_position"]
        assert joints["pan"]["limits"] == "-3.007 to 3.007 rad, 6 rad/s, 2.645 Nm" and abs(joints["pan"]["position"]) < 0.1
        assert tool("start", "pan_effort")[0] == 0
        assert "pan_position, pan_effort" in tool("list", "-v")[1]


def test_its_exit_codes_are_honest():
    with arm() as (_, manager, _):
        assert manager.list() == []
        code, output = tool("load", "nobody", "pan_effort")
        assert code == 1 and "load 'nobody' failed: parameter 'nobody.type' is missing, must be the type of the controller" in output
        assert manager.list() == [("pan_effort", "stopped")], "the other one is loaded"
        code, output = tool("stop", "nobody")
        assert code == 1 and "failed: no controller 'nobody' is loaded" in output
        code, output = tool("spawn", "pan_effort", "nobody", "--json")
        refused = next(json.loads(line) for line in output.splitlines() if '"nobody"' in line)
        assert refused["error"] == "load 'nobody' failed: parameter 'nobody.type' is missing, must be the type of the controller"
        assert tool("switch", "--start", "nobody", "--best-effort")[0] == 0
        code, output = tool("switch")
        assert code == 2 and "--start" in output and "--stop" in output
        for wrong in [("load",), ("juggle",), ("list", "--timeout", "soon"), ("list", "--timeout", "-1"), ("list", "--namespace", "a b")]:
            assert tool(*wrong)[0] == 2, wrong
        assert "-1 s, must be 0 to 86400" in tool("list", "--timeout", "-1")[1]
        code, output = tool("list", "--namespace", "elsewhere", "--timeout", "0.5")
        assert code == 3 and "service '/elsewhere/pr2_controller_manager/list_controllers' is not there" in output


def test_a_spawner_takes_its_controllers_down_at_its_end():
    with arm() as (_, manager, _):
        assert manager.load("pan_effort")
        spawner = Process("steersman-controller", "spawner", "pan_position", "tilt_position", "pan_effort")
        expected = [("pan_effort", "running"), ("pan_position", "running"), ("tilt_position", "running")]
        end = time.monotonic() + 10.0
        while manager.list() != expected:
            assert time.monotonic() < end, (manager.list(), spawner.output)
            time.sleep(0.1)
        spawner.process.send_signal(signal.SIGTERM)
        assert spawner.wait(10.0) == 0, spawner.output
        assert "'pan_effort' was loaded already, and stays loaded" in spawner.output
        assert manager.list() == [("pan_effort", "running")], "that one is not its own"


def test_a_spawner_says_once_and_at_once_what_failed():
    with arm():
        spawner = Process("steersman-controller", "spawner", "pan_position", "nobody")
        eventually(lambda: "pan_position loaded, until this ends" in spawner.output, lambda: spawner.output)
        failed = "load 'nobody' failed: parameter 'nobody.type' is missing, must be the type of the controller"
        assert failed in spawner.output, spawner.output
        assert ended(spawner) == 1 and spawner.output.count("failed") == 1, spawner.output


def test_the_completion_is_printed_without_a_graph():
    assert "steersman-controller" in tool("completion", "bash")[1]


def eventually(condition, failure, timeout=10.0):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, failure()
        time.sleep(0.1)


def ended(process):
    """Ends a tool as a launch file does, and returns its exit code."""
    process.process.send_signal(signal.SIGTERM)
    return process.wait(15.0)


def test_a_spawner_waits_for_a_latched_topic_that_was_true_before_it_began():
    with arm() as (graph, manager, _):
        publisher = graph.node.create_publisher(Bool, "ready", LATCHED)
        publisher.publish(Bool(data=True))
        spawner = Process("steersman-controller", "spawner", "pan_effort", "--stopped", "--wait-for", "ready")
        eventually(lambda: manager.list() == [("pan_effort", "stopped")], lambda: spawner.output)
        assert ended(spawner) == 0 and manager.list() == []


def test_a_spawner_waits_for_a_repeated_topic_until_it_is_true():
    with arm() as (graph, manager, _):
        assert manager.list() == []
        spawner = Process("steersman-controller", "spawner", "pan_effort", "--wait-for", "ready")
        no = graph.repeat("ready", Bool(data=False), 10.0)
        time.sleep(1.0)
        assert manager.list() == [], "it is not ready"
        graph.stop_repeating(no)
        graph.repeat("ready", Bool(data=True), 10.0)
        eventually(lambda: manager.list() == [("pan_effort", "running")], lambda: spawner.output)
        assert ended(spawner) == 0 and manager.list() == []


def test_a_spawner_waits_for_the_manager_without_end():
    spawner = Process("steersman-controller", "spawner", "pan_position", "--timeout", "0.5")
    time.sleep(2.0)
    assert spawner.process.poll() is None, spawner.output
    waits = "steersman-controller: still waits for service 'pr2_controller_manager/list_controllers' after 1s"
    assert spawner.output == waits, spawner.output
    with arm() as (_, manager, _):
        eventually(lambda: manager.list() == [("pan_position", "running")], lambda: spawner.output)
        assert ended(spawner) == 0 and manager.list() == []


def test_an_unspawner_holds_its_controllers_stopped_until_it_ends():
    with arm() as (graph, manager, _):
        for name in ["pan_position", "tilt_position"]:
            assert manager.load(name)
        assert manager.switch(["pan_position", "tilt_position"])
        unspawner = Process("steersman-controller", "unspawner", "pan_position", "nobody")
        held = [("pan_position", "stopped"), ("tilt_position", "running")]
        eventually(lambda: manager.list() == held, lambda: unspawner.output)
        assert manager.switch(["pan_position"])
        eventually(lambda: manager.list() == held, lambda: unspawner.output)
        # One of the tool and one of this test, however often they call.
        assert graph.node.count_clients("pr2_controller_manager/list_controllers") == 2
        unspawner.process.send_signal(signal.SIGINT)
        assert unspawner.wait(15.0) == 0
        assert manager.list() == [("pan_position", "running"), ("tilt_position", "running")]


def test_an_unspawner_that_is_not_ended_by_its_user_starts_nothing():
    with arm() as (_, manager, _):
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        unspawner = Process("steersman-controller", "unspawner", "pan_position")
        eventually(lambda: manager.list() == [("pan_position", "stopped")], lambda: unspawner.output)
        assert ended(unspawner) == 0 and manager.list() == [("pan_position", "stopped")]


def test_a_spawner_that_was_refused_takes_nothing_from_another_and_a_lost_one_hinders_none():
    with arm() as (_, manager, _):
        first = Process("steersman-controller", "spawner", "pan_position", "tilt_position")
        running = [("pan_position", "running"), ("tilt_position", "running")]
        eventually(lambda: manager.list() == running, lambda: first.output)
        assert Process("steersman-controller", "spawner", "pan_position").wait(15.0) == 1
        assert manager.list() == running
        assert manager.switch([], ["tilt_position"]) and manager.unload("tilt_position")
        assert ended(first) == 1, "one was gone already"
        assert manager.list() == []


def test_a_restore_brings_back_what_it_can_and_names_what_it_cannot():
    with arm() as (_, manager, _):
        for name in ["pan_position", "pan_effort", "tilt_position"]:
            assert manager.load(name)
        assert manager.switch(["pan_position", "tilt_position"])
        parameter = Parameter("pan_position.joint", value="nothing").to_parameter_msg()
        assert manager.call(SetParameters, "mechanism/set_parameters", parameters=[parameter]).results[0].successful
        code, output = tool("reload-libraries", "--restore")
        assert code == 1 and "load 'pan_position' failed" in output and "start 'pan_position' failed" in output
        assert manager.list() == [("pan_effort", "stopped"), ("tilt_position", "running")]


def test_kill_stops_all_before_it_unloads_and_goes_on_after_a_refusal():
    with arm() as (_, manager, process):
        assert tool("spawn", "pan_position", "tilt_position")[0] == 0
        code, output = tool("kill", "nobody", "pan_position", "tilt_position")
        assert code == 1 and "switch, start [], stop [nobody], failed" in output
        assert manager.list() == []


def unspawner_of(manager, *names):
    """An unspawner that has stopped `names`, which ran."""
    unspawner = Process("steersman-controller", "unspawner", *names)
    eventually(lambda: all(state == "stopped" for name, state in manager.list() if name in names), lambda: unspawner.output)
    return unspawner


def interrupted(process):
    process.process.send_signal(signal.SIGINT)
    return process.wait(15.0)


def test_an_unspawner_starts_nothing_in_a_manager_in_which_it_stopped_nothing():
    with arm() as (graph, manager, first):
        assert manager.load("pan_velocity") and manager.switch(["pan_velocity"])
        unspawner = unspawner_of(manager, "pan_velocity")
        first.stop()
        graph.wait(lambda: graph.node.count_publishers("motors_halted") == 0, "it is still there")
        second = Process("mechanism", "--ros-args", "--params-file", str(ARM), "-p", f"robot_description:={URDF}")
        try:
            graph.wait(lambda: graph.node.count_publishers("motors_halted") == 1, "no second one", 10.0)
            again = Manager(graph)
            assert again.load("pan_velocity") and again.load("pan_position") and again.switch(["pan_position"])
            eventually(lambda: "'pan_velocity' stays stopped: the manager is another one" in unspawner.output, lambda: unspawner.output)
            assert interrupted(unspawner) == 0, unspawner.output
            assert again.list() == [("pan_position", "running"), ("pan_velocity", "stopped")]
        finally:
            second.stop()


def test_an_unspawner_starts_nothing_beside_what_was_started_meanwhile():
    with arm() as (_, manager, _):
        for name in ["pan_position", "pan_velocity", "tilt_position"]:
            assert manager.load(name)
        assert manager.switch(["pan_velocity", "tilt_position"])
        unspawner = unspawner_of(manager, "pan_velocity")
        assert manager.switch(["pan_position"])
        assert interrupted(unspawner) == 0, unspawner.output
        expected = [("pan_position", "running"), ("pan_velocity", "stopped"), ("tilt_position", "running")]
        assert manager.list() == expected, "their efforts add"
        assert "'pan_velocity' stays stopped: 'pan_position' was started meanwhile" in unspawner.output
