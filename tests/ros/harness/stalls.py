"""A far computer only watches, and the link to it is bad in each way: above all it stands still, as a wireless driver holds packets back.

`unshare --net python stalls.py vehicle FOLDER SCENARIO` is the vehicle's host; it starts the watcher's, as a process in a namespace of
its own. Nodes and observers use the middleware as it is installed, without the profile of the tests.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
import time

from hosts import FAR, NEAR, OPERATOR, RATES, Operator, address, attempt, bad_links, ip, set_link, wait_until_up
from paths import HARNESS
from watched_nodes import NODES, alone


class Watcher(Operator):
    """The far host, which only subscribes to topics, and counts what it receives."""

    def watch(self, topics):
        """Subscribes to `topics`, each with the name of its type, and receives them."""
        self.order(topics=topics)
        self.receives()

    def receives(self):
        """Waits until a message of each topic comes."""
        before, end = self.received(), time.monotonic() + 20.0
        while any(count == before[topic] for topic, count in self.received().items()):
            assert time.monotonic() < end, f"the far computer receives {before} and then {self.received()}"
            time.sleep(0.1)

    def received(self):
        """The number of messages on each topic."""
        return json.loads(self.ask({"count": True}))


def watch():
    print("here", flush=True)
    sys.stdin.readline()
    address(FAR, OPERATOR)
    wait_until_up(FAR)
    from graph import EDGE, Graph

    graph = Graph()
    print("done", flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        for topic, kind in order.get("topics", {}).items():
            package, name = kind.split("/")
            module = package if "." in package else f"{package}.msg"
            graph.subscribe(getattr(importlib.import_module(module), name), topic, EDGE)
        if "link" in order:
            set_link(FAR, order["link"])
        counts = {topic: len(messages) for topic, messages in graph.messages.items()}
        print(json.dumps(counts) if "count" in order else "done", flush=True)
    graph.close()


MOTORS = {"/motor/port": "std_msgs/Int16", "/motor/starboard": "std_msgs/Int16"}
# RViz and a plot subscribe to these.
HINDBRAIN = MOTORS | {"/hind/state_detail": "hindbrain_msgs/StateDetail", "/hind/applied": "geometry_msgs/TwistStamped"}
CHAIN = HINDBRAIN | {"/cmd_vel": "geometry_msgs/TwistStamped", "/cmd_vel_arbitrated": "geometry_msgs/TwistStamped"}
CHAIR = {"/luci/remote_joystick": "luci_messages/LuciJoystick"}
JOINTS = {"/joint_states": "sensor_msgs/JointState", "/hind/state": "std_msgs/String"}

# How many stops of each kind are measured, without a watcher and over a link that stands still; by hand 100. Over the other links fewer:
# what holds back a stop there, a full buffer, holds back each.
STOPS = int(os.environ.get("STALLED_STOPS", "3"))
FEWER = max(1, STOPS // 3)
# How long the buffers take to fill at most, and for how long one that is full stays as it is [s].
FILLS, STAYS = 4.0, 0.5
# By how much a stop may take longer over a bad link than the slowest without a watcher [s], and the share of stops for which that holds: of
# a few the usual one, since one alone may be late by the machine, and what the link holds back are all.
MORE = 0.05
# How long after the e-stop a joint stands [s].
STANDS = 0.5
SHARE = 0.99 if STOPS >= 100 else 0.5


def compare(watcher, topics, ready, stops, links=None, is_full=None):
    """Measures how long each of `stops` takes after `ready()`, without a watcher and then with one over each bad link, the last of which stands
    still.

    Each stop has a name, its bound [s] and the function that waits for it. `is_full` finds a buffer that is full."""
    from graph import SLACK

    good = measure(ready, stops, STOPS)
    print(f"without: {good}", flush=True)
    ready()
    watcher.watch(topics)
    for link in links or bad_links():
        watcher.link("good")
        watcher.receives()
        watcher.link(link)
        if is_full:
            ready()  # some publish little at rest
            end = time.monotonic() + FILLS
            while not is_full():
                assert time.monotonic() < end, f"the link is {link}, and no buffer is full after {FILLS} s"
                time.sleep(0.1)
        elif link in RATES:
            wait_until_full()
        else:
            time.sleep(0.5)
        before = watcher.received()
        bad = measure(ready, stops, STOPS if link == "still" else FEWER)
        after = watcher.received()
        print(f"{link}: {bad}", flush=True)
        assert link not in ("cut", "still") or before == after, f"the link is {link}, and this is received: {before}, {after}"
        for name, (bound, _) in stops.items():
            most, slowest = max(good[name]) + MORE, max(bad[name])
            assert slowest < bound + SLACK, f"{link}: {name}: stopped after {slowest:.3f} s instead of {bound + SLACK:.3f} s"
            usual = sorted(bad[name])[int(len(bad[name]) * SHARE)]
            assert usual < most, f"{link}: {name}: {SHARE:.0%} stopped after {usual:.3f} s at most, instead of {most:.3f} s: {bad[name]}"


def wait_until_full():
    """Waits until the link's queue drops packets, or until the socket's buffer is full and nothing more comes to the queue."""

    def queue():
        words = ["tc", "-json", "-statistics", "qdisc", "show", "dev", NEAR]
        return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)[0]

    first, last, since = queue(), None, time.monotonic()
    end = since + FILLS
    while time.monotonic() < end:
        now = queue()
        if now["drops"] > first["drops"]:
            return
        if now["backlog"] != last:
            last, since = now["backlog"], time.monotonic()
        if last > 0 and time.monotonic() - since > STAYS:
            return
        time.sleep(0.1)


def measure(ready, stops, count):
    times = {name: [] for name in stops}
    for name, (_, stop) in count * list(stops.items()):
        ready()
        times[name].append(round(stop(), 4))
    return times


class Button:
    """The e-stop: it repeats its state, and publishes each change at once."""

    def __init__(self, graph):
        from std_msgs.msg import Bool

        self.graph, self.message = graph, Bool(data=False)
        graph.repeat("/hind/estop", self.message, 20.0)

    def press(self, pressed):
        self.message.data = pressed
        self.graph.publish("/hind/estop", self.message)


def drive(watcher, kind, topics):
    """A vehicle at half speed is stopped by its e-stop, by enable, by silent commands, and by its end."""
    from graph import STOP, act_until, unlatch
    from std_msgs.msg import Bool

    with kind() as vehicle:
        button = Button(vehicle.graph)
        enable = lambda on: vehicle.graph.publish("/hind/enable", Bool(data=on))  # noqa: E731
        received = lambda topic, start: [at for at, value in vehicle.graph.messages[topic] if at >= start and value.data == STOP]  # noqa: E731

        def half_ahead():
            vehicle.graph.forget()
            button.press(False)
            vehicle.set_command(0.0)
            vehicle.commands.reset()
            if vehicle.state == "ESTOP":
                unlatch(vehicle)
            if vehicle.state != "OK":
                rise = lambda: enable(False) or enable(True)  # noqa: E731
                act_until(vehicle.graph, rise, lambda: vehicle.state == "OK", lambda: f"it is not enabled: {vehicle.causes}", 10.0)
            time.sleep(0.1)  # a zero came
            vehicle.set_command(0.5)
            vehicle.wait_for_motors(57, 57, "half ahead")

        def ready():
            # A stage that discovered the stick after the zero waits for one more, and a person centers the stick again.
            attempt(half_ahead)

        def by(act, state):
            def stop():
                start = time.monotonic()
                act()
                vehicle.wait(lambda: all(received(topic, start) for topic in MOTORS), "it does not stop", 10.0)
                vehicle.wait(lambda: vehicle.state == state, f"the state does not become {state}", 10.0)
                return max(received(topic, start)[0] for topic in MOTORS) - start

            return stop

        stops = {
            "e-stop": (0.02, by(lambda: button.press(True), "ESTOP")),
            "enable false": (0.02, by(lambda: enable(False), "SSTOP.ROS")),
            "silence": (0.5 + 33 / 800, by(vehicle.fall_silent, "OK")),
        }
        compare(watcher, topics, ready, stops)
        ready()
        for process in vehicle.processes:
            process.request_stop()
        for process in vehicle.processes:
            process.stop()
        assert vehicle.motors == (STOP, STOP), f"after SIGTERM the motors have {vehicle.motors}"


def vehicles():
    """hindbrain alone, with the stages before it in processes of their own, and in one process; what they publish counts from its receipt."""
    from graph import Graph, free_zones
    from processes import Process, stop_all
    from vehicle import Vehicle

    # By stamps a message that waited in the middleware would be on time.
    Graph.record = Graph.subscribe

    class Alone(Vehicle):
        @property
        def processes(self):
            return [self.process]

    class Four(Alone):
        def __init__(self):
            super().__init__()
            self.graph.repeat("/luci/scaling", free_zones(), 20.0)
            stages = ("velocity_arbiter", "zone_scaler", "joystick")
            self.stages = [Process(name, "--ros-args", "--params-file", str(HARNESS / "stack.yaml")) for name in stages]

        def publisher(self, message_type, topic):
            return super().publisher(message_type, "/cmd_vel_smoothed" if topic == "/cmd_vel" else topic)

        @property
        def processes(self):
            return [self.process, *self.stages]

        def __exit__(self, *_):
            stop_all(self.stages)
            super().__exit__()

    class One(Alone):
        def __init__(self):
            super().__init__({f"hindbrain:{name}": value for name, value in {**self.QUICK, "track": 2.0}.items()}, executable="steersman")
            self.graph.repeat("/luci/scaling", free_zones(), 20.0)

        def publisher(self, message_type, topic):
            return super().publisher(message_type, "/cmd_vel_smoothed" if topic == "/cmd_vel" else topic)

    return {"hindbrain": (Alone, HINDBRAIN), "four": (Four, CHAIN), "steersman": (One, HINDBRAIN)}


def chair(watcher):
    """A chair that is driven by remote control is stopped by the zero of its command, by silent commands, and by the end of its node."""
    from chairs import NEUTRAL, REMOTE, active
    from graph import Graph

    Graph.record = Graph.subscribe
    with active() as (_, driver):

        def ready():
            driver.set_command()
            time.sleep(0.1)  # a zero came
            driver.again(0.3)
            driver.wait(lambda: driver.last[:3] != NEUTRAL, "it does not drive", 5.0)

        def by(act):
            def stop():
                start = time.monotonic()
                act()
                neutral = lambda: [at for at, stick in driver.sticks(start) if stick[:3] == NEUTRAL]  # noqa: E731
                driver.wait(neutral, "it does not stop", 10.0)
                return neutral()[0] - start

            return stop

        compare(watcher, CHAIR, ready, {"zero": (0.02, by(driver.set_command)), "silence": (0.5, by(driver.fall_silent))})
        assert REMOTE.lstrip("/") == "luci/remote_joystick"
        ready()
        driver.process.stop()
        assert driver.last[:3] == NEUTRAL, f"after SIGTERM the stick is {driver.last}"


def joints(watcher, name, controller, joint, effort, middle):
    """A joint that a client moves, back and forth about `middle` [rad], has no effort after the e-stop of the vehicle or without commands, and
    stands."""
    from graph import LATCHED, Graph, unlatch
    from mechanisms import Manager
    from paths import ROOT
    from processes import Process
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Bool, Float64
    from vehicle import Vehicle

    Graph.record = Graph.subscribe
    with Vehicle() as vehicle:
        graph = vehicle.graph
        graph.subscribe(JointState, "/joint_states")
        graph.subscribe(Bool, "/motors_halted", LATCHED)
        urdf = ["-p", f"robot_description:={ROOT / 'config/urdf/arm.urdf'}"] if name == "arm" else []
        file = ROOT / f"config/{'arm' if name == 'arm' else 'fingers'}.yaml"
        process = Process("mechanism", "--ros-args", "--params-file", str(file), *urdf, "-p", "halt_on:=hind/state")
        button, manager, message = Button(graph), Manager(graph), Float64()

        def state():
            last = graph.last("/joint_states")
            index = list(last.name).index(joint)
            return last.position[index], last.velocity[index], last.effort[index]

        graph.wait(lambda: graph.last("/joint_states"), "no joint states", 10.0)
        assert manager.load(controller) and manager.switch([controller])
        commands = graph.repeat(f"{controller}/command", message, 50.0)

        def turn():
            graph.forget()
            button.press(False)
            # A stream moves nothing after a halt before it asks for rest.
            message.data = 0.0
            commands.reset()
            begun = time.monotonic()
            if vehicle.state == "ESTOP":
                unlatch(vehicle)
            manager.reset()  # it counts only where the vehicle's state was lost
            is_halted = lambda: graph.last("/motors_halted") is None or graph.last("/motors_halted").data  # noqa: E731
            is_on = lambda: not is_halted() and time.monotonic() > begun + 0.6  # noqa: E731
            graph.wait(is_on, lambda: f"the motors stay off: {vehicle.causes}\n{process.output}")
            time.sleep(0.2)
            message.data = effort if state()[0] < middle else -effort
            moves = lambda: state()[1] * message.data > 0.0 and abs(state()[1]) > 0.05  # noqa: E731
            graph.wait(moves, lambda: f"it does not move: {state()}, {vehicle.causes}\n{process.output}")

        def steps(start):
            """Each step of the loop since `start` by the wall clock: how long after it that was [s], its effort and its speed. When these
            are received is in the hands of this busy process; of most it is at once, also over a bad link."""
            index, ahead = list(graph.last("/joint_states").name).index(joint), time.time() - time.monotonic()
            stamp = lambda m: m.header.stamp.sec + m.header.stamp.nanosec / 1e9  # noqa: E731
            late = statistics.median(at + ahead - stamp(m) for at, m in graph.messages["/joint_states"])
            assert late < MORE, f"the joint states come {late:.3f} s late"
            return [
                (stamp(m) - start, m.effort[index], abs(m.velocity[index])) for _, m in graph.messages["/joint_states"] if stamp(m) >= start
            ]

        def without_effort(start):
            return [at for at, effort, _ in steps(start) if effort == 0.0]

        def press():
            start, fastest = time.time(), abs(state()[1])
            button.press(True)
            graph.wait(lambda: vehicle.state == "ESTOP", "the state does not follow", 10.0)
            later = lambda: [step for step in steps(start) if step[0] >= STANDS]  # noqa: E731
            graph.wait(later, lambda: f"no state {STANDS} s after the e-stop: {state()}", 10.0)
            # Without effort it coasts, braked by the damping of the simulated joint alone.
            at, effort, speed = later()[0]
            fastest = max(fastest, *(speed for _, _, speed in steps(start)))
            assert effort == 0.0 and speed < 0.2 * fastest, f"{at:.3f} s after the e-stop: {effort} Nm, {speed} of {fastest} rad/s"
            return without_effort(start)[0]

        def fall_silent():
            start = time.time()
            commands.cancel()
            graph.wait(lambda: without_effort(start), lambda: f"it has an effort without commands: {state()}", 10.0)
            return without_effort(start)[0]

        try:
            compare(watcher, JOINTS, lambda: attempt(turn), {"e-stop": (0.05, press), "silence": (0.5, fall_silent)})
        finally:
            process.stop()


SCENARIOS = ("hindbrain", "four", "steersman", "chair", "arm", "hand", *NODES)


def main(role, folder, scenario=None):
    for name in ("FASTRTPS_DEFAULT_PROFILES_FILE", "FASTDDS_DEFAULT_PROFILES_FILE", "SKIP_DEFAULT_XML_FILE"):
        os.environ.pop(name, None)
    # The observers: without shared memory, which no network namespace separates.
    os.environ["FASTDDS_BUILTIN_TRANSPORTS"] = "UDPv4"
    if role == "operator":
        return watch()
    ip("link", "set", "lo", "up")
    with Watcher(folder, __file__) as watcher:
        if scenario == "chair":
            chair(watcher)
        elif scenario == "arm":
            joints(watcher, "arm", "pan_effort", "pan", 0.3, 0.0)
        elif scenario == "hand":
            joints(watcher, "hand", "thumb_effort", "thumb0", 0.004, 0.5)
        elif scenario in NODES:
            alone(watcher, scenario)
        else:
            kind, topics = vehicles()[scenario]
            drive(watcher, kind, topics)
    print(f"{scenario}: ok")


if __name__ == "__main__":
    main(*sys.argv[1:])
