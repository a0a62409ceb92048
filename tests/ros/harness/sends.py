"""A node whose Fast DDS profile lets sends wait, and a far computer that watches: the link stands still, and the node's threads hang in a send.

`unshare --net python sends.py vehicle FOLDER SCENARIO` is the vehicle's host; it starts the watcher's as `stalls.py` does. Only the node
under test has that profile.
"""

import pathlib
import platform
import shutil
import signal
import sys
import time

from hangs import threads
from hosts import PROFILE, use_profile
from stalls import HINDBRAIN, JOINTS, Watcher, ip, watch

LIMIT = 0.25  # realtime::LONGEST_SILENCE, of the thread that reads the stops
OVERRUN_LIMIT = 0.5  # of the motor values
REPORTS_LIMIT = 0.5  # of the reports of the control loop: mechanism::LOOP_SILENCE
DIAGNOSTICS = {"/diagnostics": "diagnostic_msgs/DiagnosticArray"}
# The numbers of sendto, sendmsg and sendmmsg.
SENDS = {"x86_64": {"44", "46", "307"}}.get(platform.machine(), {"206", "211", "269"})


def waiting(folder, name):
    """The executable `name` with a profile whose sends wait."""
    profile, path = pathlib.Path(folder) / "waits.xml", pathlib.Path(folder) / name
    profile.write_text(PROFILE.read_text().replace("<non_blocking_send>true", "<non_blocking_send>false"))
    path.write_text(f'#!/bin/sh\nFASTRTPS_DEFAULT_PROFILES_FILE={profile} exec {shutil.which(name)} "$@"\n')
    path.chmod(0o755)
    return str(path)


def warns(graph, process):
    sentence = "can hold back this node's messages"
    graph.wait(lambda: sentence in process.output, lambda: f"it does not warn of its profile: {process.output}")


def tasks(process):
    return list(pathlib.Path(f"/proc/{process.process.pid}/task").iterdir())


def calls(process):
    """The system call in which each thread is, with its arguments, by the kernel's report."""
    return {int(task.name): (task / "syscall").read_text() for task in tasks(process)}


def wait_for_hang(process, timeout=20.0):
    """Waits until a thread hangs in a send for 50 ms; returns the thread and the time since which it does [s, monotonic]."""
    since, end = {}, time.monotonic() + timeout
    while True:
        now = time.monotonic()
        sends = {(thread, call) for thread, call in calls(process).items() if call.split()[0] in SENDS}
        since = {one: since.get(one, now) for one in sends}
        for (thread, _), at in since.items():
            if now - at > 0.05:
                return thread, at
        assert now < end, f"no thread hangs in a send: {calls(process)}"
        time.sleep(0.002)


def wait_until_blocked(task, timeout=20.0):
    """Waits until this thread did nothing for 0.4 s."""
    last, at, end = None, 0.0, time.monotonic() + timeout
    while True:
        now, lines = time.monotonic(), (task / "status").read_text().splitlines()
        switches = next(line for line in lines if line.startswith("voluntary_ctxt_switches"))
        if switches != last:
            last, at = switches, now
        elif now - at > 0.4:
            return
        assert now < end, "the thread goes on"
        time.sleep(0.002)


def drive(watcher, folder, name, prefix=""):
    """The motor controller is stopped without a send, also by SIGTERM; the topics follow when the link is good."""
    from devices import Device, RoboClaw
    from graph import SLACK, free_zones
    from vehicle import Vehicle

    motor = f"{folder}/motor"
    parameters = {**Vehicle.QUICK, "track": 2.0, "driver.kind": "roboclaw", "driver.device": motor}
    parameters = {f"{prefix}{key}": value for key, value in parameters.items()}

    class Driven(Vehicle):
        def publisher(self, message_type, topic):
            return super().publisher(message_type, "/cmd_vel_smoothed" if prefix and topic == "/cmd_vel" else topic)

    with Device("roboclaw", motor) as device, Driven(parameters, executable=waiting(folder, name)) as vehicle:
        if prefix:
            vehicle.graph.repeat("/luci/scaling", free_zones(), 20.0)
        process = vehicle.process
        warns(vehicle.graph, process)
        vehicle.wait(lambda: vehicle.source("motor_controller").says == "works", "it is not open")
        loop = process.process.pid
        if prefix:  # there each node has a thread
            (loop,) = (int(task.name) for task in tasks(process) if (task / "comm").read_text().strip() == "hindbrain")
        for ends in (False, True):
            watcher.link("good")
            vehicle.restart()
            watcher.watch(HINDBRAIN | DIAGNOSTICS)
            vehicle.set_command(1.0)
            device.wait(lambda: device.motors == [32767, 32767], "the device does not follow")
            watcher.link("still")
            thread, since = wait_for_hang(process)
            bound = LIMIT if thread == loop else OVERRUN_LIMIT
            if ends:
                process.process.send_signal(signal.SIGTERM)
            device.wait(lambda: device.motors == RoboClaw.STOP, "the device drives on", 2.0)
            stopped = next(one["at"] for one in device.reports if one["at"] > since and one.get("motors") == RoboClaw.STOP)  # noqa: B023
            # The device's own time-out of 0.2 s is not what stops it: its thread repeats the last value until it has another one.
            assert not device.since(since, "stopped_by_itself"), "only its own time-out stopped it"
            took = stopped - since
            print(f"{'the node' if thread == loop else 'another thread'} hangs in a send: stopped after {took:.3f} s", flush=True)
            assert took < bound + 0.01 + SLACK, f"stopped {took:.3f} s after the hang began, must be within {bound} s"
            if ends:
                assert process.wait() == 1, process.output
            else:
                time.sleep(1.0)
                assert any(call.split()[0] in SENDS for call in calls(process).values()), "the hang is over"
                watcher.link("good")
                vehicle.wait_for("ESTOP", "OVERRUN", "FAULT_LATCHED")
            assert set(map(tuple, device.since(stopped, "motors"))) <= {tuple(RoboClaw.STOP)}


def arm(watcher, folder):
    """The motors are halted in the middle of a trajectory: by the control loop itself when the node's thread hangs, or by the node when only
    the thread that publishes the loop's reports does. After the hang another trajectory is followed."""
    from graph import SLACK
    from mechanisms import arm
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState
    from trajectories import ONE, trajectory

    with arm(executable=waiting(folder, "mechanism")) as (graph, manager, process):
        warns(graph, process)
        graph.subscribe(JointState, "joint_states", QoSProfile(depth=1000))
        assert manager.load("arm_trajectory") and manager.switch(["arm_trajectory"])
        watcher.watch({"/joint_states": JOINTS["/joint_states"], **DIAGNOSTICS})

        def move(to):
            graph.publish("arm_trajectory/joint_trajectory", trajectory(["pan", "tilt"], (15.0, [to, 0.0])), ONE)
            moves = lambda: abs(graph.last("joint_states").velocity[0]) > 0.05  # noqa: E731
            graph.wait(moves, lambda: f"it does not move: {process.output}", 10.0)

        move(1.5)  # 0.1 rad/s
        watcher.link("still")
        _, hung = wait_for_hang(process)
        last, state = graph.messages["joint_states"][-1]
        wait_until_blocked(next(task for task in tasks(process) if int(task.name) == process.process.pid))
        time.sleep(2.0)
        watcher.link("good")
        start = time.monotonic()
        graph.wait(lambda: len(graph.since("joint_states", start)) > 50, "it does not go on")
        moved = graph.last("joint_states").position[0] - state.position[0]
        before, after = hung - last, time.monotonic() - hung
        print(f"it moved {moved:.3f} rad: {before:.3f} s of 0.1 rad/s before the hang and a part of the {after:.3f} s of the hang", flush=True)
        # Without effort it coasts by less than 0.02 rad.
        assert moved < 0.1 * (before + REPORTS_LIMIT + SLACK) + 0.02, "the motors are not halted"
        move(-1.5)


def feedback(watcher, folder):
    """The thread that publishes a goal's feedback hangs: the node's own goes on, and halts the motors when a client asks for it."""
    from graph import SLACK
    from mechanisms import arm
    from std_srvs.srv import Empty
    from trajectories import Client, goal

    kind = "control_msgs.action._follow_joint_trajectory/FollowJointTrajectory_FeedbackMessage"
    with arm(executable=waiting(folder, "mechanism")) as (graph, manager, process):
        warns(graph, process)
        assert manager.load("arm_trajectory") and manager.switch(["arm_trajectory"])
        manager.halt()  # its client is there
        manager.reset()
        graph.wait(lambda: process.output.count("the motors are on") > 1, lambda: process.output)
        client = Client(graph)
        assert client.send(goal((60.0, [2.0, 0.0]))).accepted
        watcher.watch({"/arm_trajectory/follow_joint_trajectory/_action/feedback": kind})
        watcher.link("still")
        try:
            thread, _ = wait_for_hang(process, 40.0)
            assert thread in threads(process, "loop monitor"), "another thread hangs"
            asked = time.monotonic()
            manager.clients["halt_motors"].call_async(Empty.Request())  # its answer is a send
            halted = lambda: process.output.count("the motors are halted: a halt was requested") > 1  # noqa: E731
            graph.wait(halted, lambda: f"no halt: {process.output}", 2.0)
            took = time.monotonic() - asked
            print(f"halted after {took:.3f} s", flush=True)
            assert took < LIMIT + SLACK, f"halted after {took:.3f} s"
            assert calls(process)[thread].split()[0] in SENDS, "the hang is over"
        finally:
            watcher.link("good")


def main(role, folder, scenario=None):
    use_profile(folder)
    if role == "operator":
        return watch()
    ip("link", "set", "lo", "up")
    with Watcher(folder, __file__) as watcher:
        if scenario == "arm":
            arm(watcher, folder)
        elif scenario == "feedback":
            feedback(watcher, folder)
        else:
            drive(watcher, folder, scenario, "hindbrain:" if scenario == "steersman" else "")
    print(f"{scenario}: ok")


SCENARIOS = ("hindbrain", "steersman", "arm", "feedback")

if __name__ == "__main__":
    main(*sys.argv[1:])
