"""Controllers that sleep, panic, write NaN or allocate, from a library that is built for this: each is the only one that suffers."""

import re
import signal
import time

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from graph import LATCHED
from mechanisms import arm
from moving import rest
from plugins import Project
from pr2_mechanism_msgs.msg import MechanismStatistics
from processes import panicking
from rclpy.qos import QoSProfile
from robots import TOPICS, Robot, moving
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64

MANY = QoSProfile(depth=1000)
BROKE = "!!! Broke Realtime, used more than 1000 micro seconds in update loop"
SOURCE = """
//! Controllers that do what no controller may.
use std::time::Duration;
use controller_plugin::{Controller, Joint, Setup, Step};

struct Odd { act: String, updates: u32, kept: Vec<Vec<f64>> }

impl Controller for Odd {
    const TYPE: &'static str = "odd/Odd";

    fn new(setup: &Setup<'_>) -> Result<Self, String> {
        let act = setup.text("act", "")?;
        assert!(act != "panic in new", "it is asked to");
        if act == "sleep in new" { std::thread::sleep(Duration::from_millis(700)); }
        if act == "panic in a thread" { let _ = std::thread::spawn(|| panic!("in a thread of the library")).join(); }
        if act == "hook" { std::panic::set_hook(Box::new(|_| ())); }
        let is_trial = std::env::args().any(|argument| argument == "--try-controller");
        if act == "hang in new" && !is_trial { std::thread::sleep(Duration::from_secs(4)); }
        match act.as_str() {
            "hang always" => loop { std::thread::sleep(Duration::from_secs(1)) },
            "abort" => std::process::abort(),
            "exit" => std::process::exit(3),
            // SAFETY: none, on request.
            "wild pointer" => unsafe { std::ptr::null_mut::<u32>().write_volatile(1) },
            _ => {}
        }
        Ok(Self { act, updates: 0, kept: Vec::new() })
    }

    fn can_start(&self, _: &[Joint]) -> Result<(), &'static str> {
        assert!(self.act != "panic in can_start", "it is asked to");
        if self.act == "refuse" { Err("it is asked to refuse") } else { Ok(()) }
    }

    fn starting(&mut self, _: &mut Step<'_>) {
        assert!(self.act != "panic in starting", "it is asked to");
        self.updates = 0;
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), &'static str> {
        self.updates += 1;
        let joint = &mut step.joints[1];
        match self.act.as_str() {
            "nap" if self.updates <= 10 => std::thread::sleep(Duration::from_millis(3)),
            "sleep" if self.updates == 1 => std::thread::sleep(Duration::from_millis(900)),
            "panic" if self.updates == 50 => panic!("it is asked to"), // panic! on request
            "hang" if self.updates == 50 => loop { std::thread::sleep(Duration::from_secs(1)) },
            "fail" if self.updates == 50 => return Err("it is asked to fail"),
            "not a number" => joint.commanded_effort = [f64::NAN, f64::INFINITY, -f64::INFINITY][self.updates as usize % 3],
            "allocate" => {
                self.kept.push(vec![1.0; 10_000]);
                if self.kept.len() > 50 { self.kept.clear(); }
                joint.commanded_effort += self.kept.len() as f64 * 1e-6;
            }
            _ => {}
        }
        Ok(())
    }

    fn stopping(&mut self, _: &mut Step<'_>) {
        assert!(self.act != "panic in stopping", "it is asked to");
    }
}

impl Drop for Odd {
    fn drop(&mut self) {
        if self.act != "slow drop" { return; }
        let thread = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
        // In one piece, whatever else is logged.
        let line = format!("slow drop: thread '{}'\\n", thread.trim());
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
        std::thread::sleep(Duration::from_millis(900));
    }
}

controller_plugin::controllers!(Odd);
"""
ACTS = ["nap", "sleep", "hang", "panic", "fail", "not a number", "allocate", "refuse", "slow drop", "hook", "panic in new"]
ACTS += ["sleep in new", "hang in new", "panic in a thread", "panic in can_start", "panic in starting", "panic in stopping"]
ACTS += ["hang always", "abort", "exit", "wild pointer"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("odd"))
    (project.path / "controller_plugin/example/src/lib.rs").write_text(SOURCE)
    project.build()
    return project
# So little that a test of half a minute does not bring pan to its limit, where the effort is less [N m].
PUSH = 0.1


class Watched:
    """The arm with a controller that holds pan by an effort all the time, beside the odd ones."""

    def __init__(self, graph, manager, process):
        self.graph, self.manager, self.process = graph, manager, process
        graph.subscribe(JointState, "joint_states", MANY)
        graph.subscribe(MechanismStatistics, "mechanism_statistics", MANY)
        graph.subscribe(DiagnosticArray, "/diagnostics", MANY)
        assert manager.load("pan_effort") and manager.switch(["pan_effort"])
        self.stream = graph.repeat("pan_effort/command", Float64(data=PUSH), 50.0)
        self.wait(lambda: self.efforts(0.0) and self.efforts(0.0)[-1][0] == PUSH, "no effort")

    def wait(self, condition, failure, timeout=5.0):
        self.graph.wait(condition, lambda: f"{failure}\n{self.process.output}", timeout)

    def efforts(self, start):
        return [tuple(message.effort) for message in self.graph.since("joint_states", start)]

    def statistics(self, name):
        message = self.graph.last("mechanism_statistics")
        found = [one for one in message.controller_statistics if one.name == name] if message else []
        return found[0] if found else None

    def status(self, name):
        statuses = [one for message in self.graph.since("/diagnostics", 0.0) for one in message.status if one.name == name]
        return statuses[-1] if statuses else None

    def value(self, key):
        """A number in the status of the node."""
        status = self.status("mechanism")
        return int({one.key: one.value for one in status.values}[key]) if status else 0

    def is_undisturbed(self, start):
        """Since `start` the other controller's joint had its effort in each report."""
        efforts = self.efforts(start)
        assert efforts and {pan for pan, _ in efforts} == {PUSH}, efforts
        assert ("pan_effort", "running") in self.manager.list()


def odd(library, *arguments, **keywords):
    controllers = [word for act in ACTS for word in ("-p", f"{act.replace(' ', '_')}.type:=odd/Odd", "-p", f"{act.replace(' ', '_')}.act:={act}")]
    folders = ["-p", f"plugin_folders:=[{library.libraries}]", "-p", "mechanism_statistics_publish_rate:=10.0"]
    return arm(*folders, *controllers, *arguments, **keywords)


def test_a_controller_that_panics_fails_refuses_or_writes_nan_disturbs_no_other(library):
    with odd(library) as (graph, manager, process):
        watched, start = Watched(graph, manager, process), time.monotonic()
        listed = lambda name: dict(manager.list())[name]  # noqa: E731
        # In `new`: it is not loaded, and a slow one delays nothing.
        assert not manager.load("panic_in_new") and manager.load("sleep_in_new")
        # In `can_start`: nothing of a strict switch is done, also not to what was to stop; of one by best effort the rest is.
        assert all(manager.load(name) for name in ["refuse", "panic_in_can_start", "not_a_number"])
        before = manager.list()
        for name in ["refuse", "panic_in_can_start"]:
            assert not manager.switch(["not_a_number", name], ["pan_effort"]), name
            assert manager.list() == before
        watched.is_undisturbed(start)
        assert manager.switch(["refuse", "not_a_number"], [], 1) and listed("not_a_number") == "running" and listed("refuse") == "stopped"
        # NaN and infinite efforts never reach a motor, and the controller runs on.
        start = time.monotonic()
        watched.wait(lambda: len(watched.efforts(start)) > 30, "no states")
        assert {tilt for _, tilt in watched.efforts(start)} == {0.0}
        assert listed("not_a_number") == "running" and manager.switch([], ["not_a_number"])
        # In `starting`: as in the first update.
        assert manager.load("panic_in_starting") and manager.switch(["panic_in_starting"])
        watched.wait(lambda: "controller 'panic_in_starting' stopped by itself: it panicked" in process.output, "it runs on")
        assert listed("panic_in_starting") == "stopped"
        # In `update`: it is stopped alone, and says why.
        place = f"src/lib.rs:{library.line('panic! on request')}"
        for name, reason in [("panic", f"it panicked at {place}; unload it and load it again"), ("fail", "it is asked to fail")]:
            assert manager.load(name) and manager.switch([name])
            watched.wait(lambda: f"controller '{name}' stopped by itself: {reason}" in process.output, "it runs on")  # noqa: B023
            assert listed(name) == "stopped"
        assert not manager.switch(["panic"]) and manager.switch(["fail"]), "only what panicked does not start again"
        # In `stopping`: it is stopped.
        assert manager.load("panic_in_stopping") and manager.switch(["panic_in_stopping"]) and manager.switch([], ["panic_in_stopping"])
        assert listed("panic_in_stopping") == "stopped"
        # Memory that is taken in the loop costs its controller's time only.
        assert manager.load("allocate") and manager.switch(["allocate"])
        watched.wait(lambda: watched.efforts(start)[-1][1] > 0.0, "it does not write")
        watched.is_undisturbed(start)
        names = [one for one in dict(manager.list()) if one != "pan_effort"]
        assert manager.switch([], names) and all(manager.unload(name) for name in names)
        watched.is_undisturbed(start)


def test_a_controller_that_sleeps_is_counted_and_one_that_sleeps_long_fails_calls(library):
    with odd(library, "-p", "call_timeout:=0.3") as (graph, manager, process):
        watched = Watched(graph, manager, process)
        assert manager.load("nap") and manager.load("sleep") and manager.load("tilt_position")
        start = time.monotonic()
        assert manager.switch(["nap"])
        # Ten updates of 3 ms and more: each is an overrun of this controller.
        overruns = lambda: getattr(watched.statistics("nap"), "num_control_loop_overruns", 0)  # noqa: E731
        watched.wait(lambda: overruns() >= 10, "no overruns")
        nap, other = watched.statistics("nap"), watched.statistics("pan_effort")
        assert nap.max_time.nanosec >= 3_000_000 and abs(nap.time_last_control_loop_overrun.sec - time.time()) < 5
        assert other.num_control_loop_overruns <= 2, "a busy machine may hold the loop, but not ten times"
        watched.wait(lambda: getattr(watched.status("mechanism: Controller (nap)"), "message", "") == BROKE, "no warning")
        assert watched.status("mechanism: Controller (nap)").level == b"\x01"
        watched.wait(lambda: watched.value("steps left out") >= 20, "no step is left out")
        watched.is_undisturbed(start)
        # A halt, and the reset at whose end it starts again: what was counted stays, and its naps are added.
        graph.subscribe(Bool, "motors_halted", LATCHED)
        before = overruns()
        manager.halt()
        watched.wait(lambda: graph.last("motors_halted") and graph.last("motors_halted").data, "no halt")
        manager.reset()
        watched.wait(lambda: overruns() >= before + 10, "the reset forgets, or starts nothing")
        rest(watched.stream)
        watched.wait(lambda: watched.efforts(0.0)[-1][0] == PUSH, "it does not go on")
        # Loaded again it begins anew.
        assert manager.switch([], ["nap"]) and manager.unload("nap") and manager.load("nap")
        watched.wait(lambda: getattr(watched.statistics("nap"), "num_control_loop_overruns", 10) == 0, "the load forgets nothing")
        fresh = watched.statistics("nap")
        assert fresh.time_last_control_loop_overrun.sec == 0 and fresh.max_time.nanosec < 3_000_000, fresh
        assert manager.switch(["nap"])
        watched.wait(lambda: overruns() >= 10, "no overruns")
        # One update of 0.9 s: a call that comes meanwhile fails after 0.3 s, and changes nothing.
        assert manager.switch(["sleep"])
        time.sleep(0.1)  # it sleeps
        begin = time.monotonic()
        assert not manager.switch(["tilt_position"], ["pan_effort"])
        assert 0.25 < time.monotonic() - begin < 0.7
        assert manager.list()[0] == ("nap", "running"), "lists are answered"
        watched.wait(lambda: "the control loop did not step for 300ms; the change was taken back" in process.output, "no reason")
        states = dict(manager.list())
        assert states["pan_effort"] == "running" and states["tilt_position"] == "stopped"
        watched.wait(lambda: manager.switch([], ["sleep"]), "calls fail after it")
        rest(watched.stream)
        watched.wait(lambda: watched.efforts(begin + 1.0) and watched.efforts(begin + 1.0)[-1][0] == PUSH, "it does not go on")



def test_a_controller_that_hangs_in_new_blocks_no_request_but_loads(library):
    with odd(library, "-p", "call_timeout:=1.0") as (graph, manager, process):
        watched = Watched(graph, manager, process)
        assert manager.load("tilt_position")
        begin = time.monotonic()
        assert not manager.load("hang_in_new")
        assert 0.9 < time.monotonic() - begin < 2.0
        given_up = "the initialisation of controller 'hang_in_new' takes longer than 1s, so it is given up"
        watched.wait(lambda: given_up in process.output, "no reason")
        # Meanwhile its library still hangs.
        assert manager.switch(["tilt_position"]) and manager.switch([], ["tilt_position"]) and manager.unload("tilt_position")
        assert manager.list() == [("pan_effort", "running")]
        assert not manager.load("tilt_position") and not manager.reload(True)
        assert re.search(r"controller 'hang_in_new' has taken [12]\.\d s, and before it ends no controller", process.output), process.output
        assert time.monotonic() - begin < 3.5, "it took too long to show anything"
        watched.wait(lambda: "'hang_in_new' has ended after its request was refused" in process.output, "it never ends", 10.0)
        assert manager.load("tilt_position") and dict(manager.list()) == {"pan_effort": "running", "tilt_position": "stopped"}


def test_a_library_that_crashes_exits_or_hangs_when_a_controller_is_created_is_refused_and_changes_nothing(library):
    with odd(library, "-p", "call_timeout:=1.0") as (graph, manager, process):
        watched, start = Watched(graph, manager, process), time.monotonic()
        for name, reason in [
            ("abort", "it ends its process (signal: 6 (SIGABRT)"),
            ("exit", "it ends its process (exit status: 3)"),
            ("wild_pointer", "it ends its process (signal: 11 (SIGSEGV)"),
        ]:
            assert not manager.load(name)
            watched.wait(lambda: f"controller '{name}' does not initialise: {reason}" in process.output, name)  # noqa: B023
        assert not manager.load("hang_always")
        # Its process is killed, and nothing waits for it.
        watched.wait(lambda: "'hang_always' has ended after its request was refused" in process.output, "it hangs")
        assert manager.load("tilt_position")
        assert manager.list() == [("pan_effort", "running"), ("tilt_position", "stopped")]
        watched.is_undisturbed(start)


def test_a_node_with_odd_controllers_ends_with_its_motors_halted(library):
    with odd(library) as (graph, manager, process):
        watched = Watched(graph, manager, process)
        graph.subscribe(Bool, "motors_halted", LATCHED)
        assert all(manager.load(name) for name in ["sleep", "panic_in_stopping", "not_a_number", "allocate"])
        assert manager.switch(["panic_in_stopping", "not_a_number", "allocate"]) and manager.switch(["sleep"])
        watched.wait(lambda: graph.last("motors_halted") is not None, "no word")
        process.stop()  # within the 0.9 s of an update
        watched.wait(lambda: graph.last("motors_halted").data, "the motors are not halted")
        assert "hangs" not in process.output


def test_a_loop_that_hangs_is_reported_and_is_no_clean_end(library):
    with odd(library, "-p", "call_timeout:=0.3") as (graph, manager, process):
        watched = Watched(graph, manager, process)
        graph.subscribe(Bool, "motors_halted", LATCHED)
        assert manager.load("hang") and manager.load("tilt_position") and manager.switch(["hang"])
        sentence = "the control loop has reported nothing for 500ms: it hangs in a step, and obeys no halt"
        watched.wait(lambda: sentence in process.output, "no word", 3.0)
        what = "the control loop hangs in a step, and obeys no halt"
        watched.wait(lambda: what in getattr(watched.status("mechanism"), "message", ""), "no status")
        assert watched.status("mechanism").level == b"\x02"
        # What needs the loop fails, and what does not is answered.
        assert not manager.switch(["tilt_position"])
        assert dict(manager.list()) == {"hang": "running", "pan_effort": "running", "tilt_position": "stopped"}
        manager.halt()
        process.process.send_signal(signal.SIGTERM)
        assert process.wait(4.0) == 1, process.output
        assert "something hangs: the process is ended after 2s without its final messages" in process.output
        watched.wait(lambda: graph.last("motors_halted").data, "the motors are not reported as halted")


def test_a_robot_on_topics_is_sent_zeros_although_the_loop_hangs(library):
    """The robot holds its last effort, and the loop sends no other."""
    robot = Robot()
    try:
        with odd(library, *TOPICS) as (graph, manager, process):
            graph.subscribe(Bool, "motors_halted", LATCHED)
            graph.subscribe(JointState, "joint_states", QoSProfile(depth=1))
            moving(graph, manager, process)
            assert manager.load("hang") and manager.switch(["hang"])
            graph.wait(lambda: "the motors are halted: the control loop hangs in a step" in process.output, lambda: process.output, 3.0)
            graph.wait(lambda: list(robot.commands[-1][1].effort) == [0.0, 0.0], lambda: f"{robot.commands[-1]}", 1.0)
            graph.wait(lambda: abs(robot.velocity["pan_motor"]) < 0.01, lambda: f"{robot.velocity}")
            process.process.send_signal(signal.SIGTERM)
            assert process.wait(4.0) == 1, process.output
            assert list(robot.commands[-1][1].effort) == [0.0, 0.0]
    finally:
        robot.close()


def test_what_a_controller_leaves_over_delays_neither_a_step_nor_a_call(library):
    """Its destructor takes 0.9 s, on the factory's thread: after an unload, and after a load that is refused."""
    refused = ["-p", "refused.type:=odd/Odd", "-p", "refused.act:=slow drop", "-p", "refused.run_after:=[nobody]"]
    with odd(library, *refused) as (graph, manager, process):
        watched = Watched(graph, manager, process)
        assert manager.load("slow_drop") and manager.switch(["slow_drop"]) and manager.switch([], ["slow_drop"])
        for number, act in enumerate([lambda: manager.unload("slow_drop"), lambda: not manager.load("refused")], 1):
            watched.wait(lambda: watched.value("steps"), "no status")
            left_out, start = watched.value("steps left out"), time.monotonic()
            assert act() and manager.list() == [("pan_effort", "running")]
            assert time.monotonic() - start < 0.6, "a call waits for the destructor"
            dropped = lambda: process.output.count("slow drop: thread 'factory'")  # noqa: E731
            watched.wait(lambda: dropped() == number, "it is not dropped, or elsewhere")  # noqa: B023
            watched.wait(lambda: time.monotonic() > start + 2.5, "never")  # noqa: B023  a status of after it has come
            assert process.output.count("slow drop: thread") == number
            assert watched.value("steps left out") - left_out < 450, "steps wait for the destructor"
            assert len(watched.efforts(start)) > 150, "reports wait for the destructor"
            assert manager.list() == [("pan_effort", "running")]


def test_a_library_with_a_panic_hook_of_its_own_silences_nothing_else(library):
    with odd(library, executable=panicking("mechanism")) as (graph, manager, process):
        watched = Watched(graph, manager, process)
        graph.subscribe(Bool, "motors_halted", LATCHED)
        # A panic elsewhere in the library is printed, and is none of the node's.
        assert manager.load("panic_in_a_thread")
        watched.wait(lambda: "in a thread of the library" in process.output, "it is not printed")
        # Without the note of its hook a panic in the loop has no place; it is reported all the same, and stops its controller alone.
        assert manager.load("hook") and manager.load("panic") and manager.switch(["panic"])
        reason = "controller 'panic' stopped by itself: it panicked; unload it and load it again"
        watched.wait(lambda: reason in process.output, "it runs on")
        assert dict(manager.list())["pan_effort"] == "running" and "the injected panic" not in process.output
        # The node's own panic is printed, and ends it with its motors halted.
        graph.publish("mechanism/panic", Bool(data=True))
        assert process.wait(4.0) == 1, process.output
        assert "the injected panic" in process.output and "the reason is printed above" in process.output
        watched.wait(lambda: graph.last("motors_halted").data, "the motors are not reported as halted")
