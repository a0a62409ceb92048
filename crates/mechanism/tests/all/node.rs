//! The node's machine: why the motors are halted, when they are reset, and what is reported of it.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use mechanism::controllers::{
    self, Change, Controller, ControllerFailure, ControllerId, ControllerTiming, NewController, Request, Step,
};
use mechanism::diagnostics::ControllerReport;
use mechanism::{Input, Mechanism, Output, Snapshot};
use safety::{Instant, Level, Machine, PublisherId, Stamp};

const TIMEOUT: Duration = Duration::from_secs(2);
const ON: &str = "the motors are on";

struct Node {
    machine: Mechanism,
    now: Instant,
}

impl Node {
    fn new(awaits_state: bool) -> Self {
        Self { machine: Mechanism::new(TIMEOUT, awaits_state), now: Instant::from_millis(1000) }
    }

    /// Passes an input and returns the node's outputs: `halt`, `reset`, `halted true`, `statuses`, and sentences for the log.
    fn outputs(&mut self, input: Input) -> Vec<String> {
        self.machine.handle(self.now, input);
        self.drain()
    }

    /// The publishers of the vehicle's state are read, and it is received.
    fn state(&mut self, state: &str) -> Vec<String> {
        let counted = self.outputs(Input::StatePublishersCounted(Some(vec![PublisherId([1; 24])])));
        [counted, self.outputs(Input::StateReceived(state.into()))].concat()
    }

    fn later(&mut self, millis: u64) -> Vec<String> {
        self.now = self.now + Duration::from_millis(millis);
        self.drain()
    }

    fn drain(&mut self) -> Vec<String> {
        let mut acts = Vec::new();
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                Output::Halt => acts.push("halt".into()),
                Output::Reset => acts.push("reset".into()),
                Output::PublishHalted(is_halted) => acts.push(format!("halted {is_halted}")),
                Output::Warn(sentence) | Output::Inform(sentence) => acts.push(sentence),
                Output::PublishStatuses(_) => acts.push("statuses".into()),
                _ => {}
            }
        }
        acts
    }

    /// A report of the loop.
    fn reported(&mut self, is_halted: bool) -> Vec<String> {
        let mut snapshot = Snapshot::new(&common::robot(), 8);
        (snapshot.is_halted, snapshot.now) = (is_halted, self.now);
        self.outputs(Input::Reported(Box::new(snapshot)))
    }
}

#[test]
fn a_halt_lasts_until_the_reset_and_each_change_is_published() {
    let mut node = Node::new(false);
    assert_eq!(node.reported(true), Vec::<String>::new(), "as at the start");
    assert_eq!(node.reported(false), ["halted false", ON]);
    let cause = "a halt was requested; reset_motors ends it";
    assert_eq!(
        node.outputs(Input::HaltRequested),
        ["halt".to_owned(), format!("the motors are halted: {cause}")]
    );
    assert_eq!(node.outputs(Input::HaltRequested), ["halt"], "reported once, done again");
    assert_eq!(node.reported(true), ["halted true"]);
    assert_eq!(node.machine.halt_cause(), Some(cause.to_owned()));
    assert_eq!(node.outputs(Input::ResetRequested), ["reset"]);
    assert_eq!(node.reported(false), ["halted false", ON]);
    let own = "the motors are halted: a motor halted by itself; reset_motors ends it";
    assert_eq!(node.reported(true), ["halted true", own], "an error of a motor has no cause here");
    assert_eq!(node.outputs(Input::ResetRequested), ["reset"]);
}

#[test]
fn an_estop_or_a_lost_state_halts_and_a_reset_waits_for_its_end() {
    let mut node = Node::new(true);
    let awaited = "the motors are halted: the vehicle's state is awaited";
    assert_eq!(node.drain(), ["halt", awaited], "until the state is there");
    assert_eq!(node.state("OK"), Vec::<String>::new(), "nothing is known of its publisher");
    assert_eq!(node.state("OK"), Vec::<String>::new(), "it says so once");
    node.later(450);
    assert_eq!(node.state("OK"), ["reset"]);
    assert_eq!(node.state("ESTOP"), ["halt", "the motors are halted: the vehicle is in its emergency stop"]);
    let stays = "the motors stay halted: the vehicle is in its emergency stop";
    assert_eq!(node.outputs(Input::ResetRequested), [stays]);
    assert_eq!(
        node.outputs(Input::HaltRequested),
        ["halt"],
        "once more, for whom the first one did not reach"
    );
    assert_eq!(node.state("OK"), ["the motors stay halted: the vehicle leaves its emergency stop"]);
    node.later(450);
    let requested = "the motors stay halted: a halt was requested; reset_motors ends it";
    assert_eq!(node.state("OK"), [requested], "the requested halt is still there");
    assert_eq!(node.outputs(Input::ResetRequested), ["reset"]);
    // It is lost after 1.5 s without one.
    assert!(!node.later(1499).contains(&"halt".to_owned()));
    let lost = node.later(1);
    assert!(
        lost.starts_with(&[
            "halt".into(),
            "the motors are halted: the vehicle's state is lost; reset_motors ends it once that is over"
                .into()
        ]),
        "{lost:?}"
    );
    // The test called the machine too late above, so what it receives at once may have waited.
    node.later(60);
    let over = "the motors stay halted: the vehicle's state was lost; reset_motors ends it";
    assert_eq!(node.state("OK"), Vec::<String>::new(), "it says so once");
    node.later(450);
    assert_eq!(node.state("OK"), [over]);
    assert_eq!(node.state("OK"), Vec::<String>::new(), "it is reported once");
    assert_eq!(node.outputs(Input::ResetRequested), ["reset"]);
}

/// The last word on `motors_halted` is true, even if a report from before the halt comes late.
#[test]
fn at_its_end_the_motors_are_halted_and_the_last_message_says_so() {
    let mut node = Node::new(false);
    assert_eq!(node.reported(false), ["halted false", ON]);
    assert_eq!(node.outputs(Input::Stopping), ["halt", "halted true"]);
    assert_eq!(node.reported(false), Vec::<String>::new());
    assert!(node.machine.is_halted());
}

#[test]
fn statuses_and_the_halt_are_published_once_a_second() {
    let mut node = Node::new(false);
    assert_eq!(node.drain(), Vec::<String>::new());
    assert_eq!(node.later(999), Vec::<String>::new());
    assert_eq!(node.later(1), ["statuses", "halted true"]);
    assert_eq!(node.later(5000), ["statuses", "halted true"], "once after a pause");
    assert_eq!(node.machine.deadline(), Some(node.now + Duration::from_secs(1)));
}

/// The time of an overrun, as statuses show it, is the wall clock's now, less the time since: 60 s ago at 1000 s is 940 s.
#[test]
fn the_stamp_of_a_step_is_the_wall_clock_s_less_the_time_since() {
    let mut node = Node::new(false);
    let mut snapshot = Snapshot::new(&common::robot(), 8);
    snapshot.now = Instant::from_millis(1000);
    node.now = Instant::from_millis(61_000);
    node.machine.handle(node.now, Input::ClockRead(Stamp { sec: 1000, nanosec: 0 }.into()));
    node.machine.handle(node.now, Input::Reported(Box::new(snapshot)));
    let stamp = std::iter::from_fn(|| node.machine.poll(node.now)).find_map(|output| match output {
        Output::Publish(_, _, stamp) => Some(stamp),
        _ => None,
    });
    assert_eq!(stamp, Some(Stamp { sec: 940, nanosec: 0 }));
    // A wall clock that was set back: the next stamps follow it.
    node.machine.handle(node.now, Input::ClockRead(Stamp { sec: 100, nanosec: 0 }.into()));
    let mut snapshot = Snapshot::new(&common::robot(), 8);
    snapshot.now = node.now;
    node.machine.handle(node.now, Input::Reported(Box::new(snapshot)));
    let stamp = std::iter::from_fn(|| node.machine.poll(node.now)).find_map(|output| match output {
        Output::Publish(_, _, stamp) => Some(stamp),
        _ => None,
    });
    assert_eq!(stamp, Some(Stamp { sec: 100, nanosec: 0 }));
}

/// Without a controller there is one status that says so, and joints have theirs once they were reported.
#[test]
fn the_statuses_are_those_of_joints_and_controllers() {
    let mut node = Node::new(false);
    let mut snapshot = Snapshot::new(&common::robot(), 8);
    (snapshot.now, snapshot.has_statistics) = (node.now, true);
    node.outputs(Input::Reported(Box::new(snapshot)));
    node.now = node.now + Duration::from_secs(1);
    let statuses = std::iter::from_fn(|| node.machine.poll(node.now)).find_map(|output| match output {
        Output::PublishStatuses(statuses) => Some(statuses),
        _ => None,
    });
    let statuses: Vec<_> =
        statuses.unwrap().into_iter().map(|one| (one.name, one.level, one.message)).collect();
    let none = "Controller: No controllers loaded in controller manager".to_owned();
    assert_eq!(
        statuses,
        [("Joint (pan)".to_owned(), Level::Warn, "Uncalibrated"), (none, Level::Ok, "Nothing loaded")]
    );
}

impl Node {
    /// Loads and starts a controller of its own that moves pan.
    fn run(&mut self, name: &str, id: ControllerId) {
        let load = Request::Load(name.into());
        let start = Request::Switch { start: vec![name.into()], stop: Vec::new(), strictness: 2 };
        for request in [load, start] {
            self.machine.handle(self.now, Input::Manager(controllers::Input::Requested(id, request)));
            while let Some(output) = self.machine.poll(self.now) {
                let answer = match output {
                    Output::Manager(controllers::Output::Create(_)) => {
                        let controller = Box::new(Idle);
                        let moves = vec!["pan".to_owned()];
                        let new = NewController { moves, ..NewController::new(id, controller) };
                        controllers::Input::Created(Ok(new))
                    }
                    Output::Manager(controllers::Output::Change(mut change)) => {
                        if let Change::Switch { start, .. } = &mut *change {
                            start[0].is_running = true;
                        }
                        controllers::Input::Changed(change)
                    }
                    _ => continue,
                };
                self.machine.handle(self.now, Input::Manager(answer));
            }
        }
    }

    /// The statuses of the controllers a second later.
    fn controllers(&mut self) -> Vec<(String, Level, &'static str)> {
        let mut snapshot = Snapshot::new(&common::robot(), 8);
        (snapshot.now, snapshot.has_statistics) = (self.now, true);
        let report = ControllerReport { is_running: true, timing: ControllerTiming::default() };
        snapshot.controllers = vec![report; self.machine.manager().names().count()];
        self.machine.handle(self.now, Input::Reported(Box::new(snapshot)));
        self.now = self.now + Duration::from_secs(1);
        let statuses = std::iter::from_fn(|| self.machine.poll(self.now)).find_map(|output| match output {
            Output::PublishStatuses(statuses) => Some(statuses),
            _ => None,
        });
        self.drain();
        let of = statuses.unwrap().into_iter().filter(|one| one.name.starts_with("Controller"));
        of.map(|one| (one.name, one.level, one.message)).collect()
    }
}

struct Idle;

impl Controller for Idle {
    fn update(&mut self, _: &mut Step<'_>) -> Result<(), ControllerFailure> {
        Ok(())
    }
}

#[test]
fn a_changed_parameter_of_a_loaded_controller_is_said_to_count_at_the_next_load() {
    let mut node = Node::new(false);
    node.run("arm", 1);
    let names = ["arm.pid.p", "arms.joint", "other.joint"].map(str::to_owned);
    let expected = ["parameter 'arm.pid.p' takes effect at the next load of 'arm'"];
    assert_eq!(node.outputs(Input::ParametersChanged(names.into())), expected);
}

#[test]
fn a_shared_joint_and_a_wait_for_a_zero_are_in_the_controllers_statuses() {
    let mut node = Node::new(false);
    node.drain();
    node.run("arm", 1);
    let arm = |level, message| ("Controller (arm)".to_owned(), level, message);
    assert_eq!(node.controllers(), [arm(Level::Ok, "Running")]);
    let waits = |waits| Input::WaitsForZero { controller: 1, input: "cmd_vel", waits };
    let sentence = "controller 'arm' waits for a zero on 'arm/cmd_vel' before it moves";
    assert_eq!(node.outputs(waits(true)), [sentence]);
    assert_eq!(node.controllers(), [arm(Level::Warn, "It waits for a zero before it moves")]);
    node.outputs(waits(false));
    assert_eq!(node.controllers(), [arm(Level::Ok, "Running")]);
    node.run("pan", 2);
    let message = "It shares a joint with another controller: their efforts add";
    let pan = ("Controller (pan)".to_owned(), Level::Warn, message);
    assert_eq!(node.controllers(), [arm(Level::Warn, message), pan]);
}
