"""The controller manager when its process is held, its clock is set, or it is ended: no old command moves a joint, and no effort is left on."""

import platform
import signal
import time

import pytest
from graph import LATCHED
from hangs import BootClock
from mechanisms import arm
from moving import rest
from pr2_mechanism_msgs.msg import MechanismStatistics
from pr2_mechanism_msgs.srv import SwitchController
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64

MANY = QoSProfile(depth=1000)


def effort(graph, joint=0):
    state = graph.last("joint_states")
    return state.effort[joint] if state else None


@pytest.mark.parametrize("controller", ["pan_effort", "pan_velocity"])
def test_a_command_that_waited_while_the_node_was_held_moves_nothing(controller):
    """It is held for 1.2 s, and the last command came when it had just begun: the time-out of 0.5 s is over when it is read."""
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load(controller) and manager.switch([controller])
        timer = graph.repeat(f"{controller}/command", Float64(data=0.4), 50.0)
        graph.wait(lambda: (effort(graph) or 0.0) > 0.1, "no effort")
        process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.1)
        timer.cancel()  # its publisher stays, and so does the message
        time.sleep(1.1)
        start = time.monotonic()
        process.process.send_signal(signal.SIGCONT)
        graph.wait(lambda: len(graph.since("joint_states", start)) > 40, "it does not go on")
        # The first reports are of the steps before the hold, and of the first one after it.
        efforts = [message.effort[0] for message in graph.since("joint_states", start)][3:]
        speeds = [message.velocity[0] for message in graph.since("joint_states", start)]
        assert max(efforts) < 0.05, f"an old command moves it: {efforts}"
        assert abs(speeds[-1]) <= abs(speeds[3]) + 1e-9, f"it gets faster: {speeds}"
        assert manager.list() == [(controller, "running")]
        timer.reset()
        rest(timer)
        graph.wait(lambda: effort(graph) > 0.1, "a new command does not count")


class WallClock(BootClock):
    """The wall clock of one process, which is set by so many seconds; its boot clock goes on.

    Only back: the kernel's clock stays, and a wait for a time of the wall clock that was set forward would not end in time.
    """

    # As there, but for CLOCK_REALTIME.
    CODE = bytes.fromhex("b8e4000000 0f05 83ff00 7507 488106")

    def set(self, process, seconds):
        process.process.send_signal(signal.SIGSTOP)
        time.sleep(0.02)  # no thread is within the function
        with open(self.memory, "r+b", buffering=0) as memory:
            memory.seek(self.at)
            memory.write(self.CODE + seconds.to_bytes(4, "little", signed=True) + b"\xc3")
        process.process.send_signal(signal.SIGCONT)


def seconds(stamp):
    return stamp.sec + stamp.nanosec * 1e-9


def test_a_clock_that_is_set_back_changes_the_stamps_and_nothing_else():
    """Stamps follow the wall clock; rates, time-outs and the loop's period follow the time since the boot."""
    if platform.machine() != "x86_64":
        pytest.skip("the machine code is x86_64's")
    with arm("-p", "mechanism_statistics_publish_rate:=5.0") as (graph, manager, process):
        clock = WallClock(process)
        graph.subscribe(JointState, "joint_states", MANY)
        graph.subscribe(MechanismStatistics, "mechanism_statistics", MANY)
        assert manager.load("pan_effort") and manager.load("tilt_position") and manager.switch(["pan_effort", "tilt_position"])
        timer = graph.repeat("pan_effort/command", Float64(data=0.4), 50.0)
        graph.wait(lambda: effort(graph) == 0.4, "no effort")
        for by in (-5, -3600):
            clock.set(process, by)
            time.sleep(0.1)
            start = time.monotonic()
            graph.wait(lambda: len(graph.since("mechanism_statistics", start)) >= 2, "no statistics", 1.0)  # noqa: B023
            states = graph.since("joint_states", start)
            rate = len(states) / (time.monotonic() - start)
            assert 70 < rate < 130, f"set by {by} s: {rate} a second"
            assert {message.effort[0] for message in states} == {0.4}, f"set by {by} s"
            stamps = [seconds(message.header.stamp) for message in states]
            assert all(-0.1 < time.time() + by - stamp < 1.0 for stamp in stamps), f"set by {by} s: {stamps}, now {time.time()}"
            assert stamps == sorted(set(stamps)), f"set by {by} s: {stamps}"
            statistics = graph.last("mechanism_statistics")
            assert statistics.joint_statistics[0].timestamp == statistics.header.stamp
            assert seconds(statistics.actuator_statistics[0].timestamp) < 60.0, "it is the time since the start"
            assert manager.switch(["tilt_position"], ["tilt_position"])
        # The time-out of 0.5 s, while the clock is set once more.
        timer.cancel()
        silent = time.monotonic()
        clock.set(process, -7200)
        graph.wait(lambda: effort(graph) == 0.0, "the effort stays", 2.0)
        assert 0.3 < time.monotonic() - silent < 1.2


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_in_the_middle_of_switches_with_its_motors_halted(end):
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        graph.subscribe(Bool, "motors_halted", LATCHED)
        assert manager.load("pan_effort") and manager.load("tilt_position")
        timer = graph.repeat("pan_effort/command", Float64(data=0.4), 50.0)
        assert manager.switch(["pan_effort"])
        graph.wait(lambda: effort(graph) == 0.4 and not graph.last("motors_halted").data, "no effort")
        # Many at once, none of which is waited for.
        client = manager.clients["pr2_controller_manager/switch_controller"]
        for number in range(60):
            lists = (["tilt_position"], ["pan_effort"]) if number % 2 else (["pan_effort"], ["tilt_position"])
            client.call_async(SwitchController.Request(start_controllers=lists[0], stop_controllers=lists[1], strictness=2))
        time.sleep(0.02)
        process.process.send_signal(end)
        begin = time.monotonic()
        assert process.wait(3.0) == 0, process.output
        assert time.monotonic() - begin < 1.5
        assert "panicked" not in process.output
        graph.wait(lambda: graph.last("motors_halted").data, "the motors are not halted at the end", 1.0)
        graph.stop_repeating(timer)


def test_a_node_that_is_held_again_and_again_goes_on_with_its_controllers():
    """Ten holds: calls made meanwhile are answered, nothing is restarted, and the steps that were missed are left out."""
    with arm() as (graph, manager, process):
        graph.subscribe(JointState, "joint_states", MANY)
        assert manager.load("pan_position") and manager.switch(["pan_position"])
        client = manager.clients["pr2_controller_manager/switch_controller"]
        for number in range(10):
            process.process.send_signal(signal.SIGSTOP)
            lists = [["pan_position"], []][:: 1 if number % 2 else -1]
            call = client.call_async(SwitchController.Request(start_controllers=lists[0], stop_controllers=lists[1], strictness=2))
            time.sleep(0.07)
            process.process.send_signal(signal.SIGCONT)
            graph.wait(call.done, "no answer after a hold")
            assert call.result().ok
            assert manager.list() == [("pan_position", "running" if number % 2 else "stopped")]
        start = time.monotonic()
        graph.wait(lambda: time.monotonic() > start + 0.5, "never")
        states = graph.since("joint_states", start)
        assert 40 <= len(states) <= 55, len(states)
        assert max(abs(message.position[0]) for message in states) < 0.01, "it stands where it was"
