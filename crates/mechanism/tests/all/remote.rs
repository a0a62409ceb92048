//! The node of a robot that is elsewhere: what halts its motors, and what brings them back.
#![allow(clippy::unwrap_used)] // helpers of tests

use core::time::Duration;

use mechanism::{Input, Mechanism, Output, Robot, Snapshot};
use safety::{Instant, LinkState, Machine, PublisherCount, PublisherId, Stamp, StateMonitor, StatesMessage};

const STATES: &str = "hardware/joint_states";

struct Rig {
    machine: Mechanism,
    now: u64,
}

impl Rig {
    fn new(awaits_state: bool) -> Self {
        let monitor = StateMonitor::new(STATES, vec!["a".to_owned()], Duration::from_millis(100));
        let machine = Mechanism::new(Duration::from_secs(2), awaits_state).with_states(monitor);
        Self { machine, now: 1000 }
    }

    /// Passes an input and returns the node's outputs, except publishing.
    fn give(&mut self, input: Input) -> Vec<String> {
        self.now += 1;
        let now = Instant::from_millis(self.now);
        self.machine.handle(now, Input::ClockRead(Stamp { sec: 1_000_000, nanosec: 0 }.into()));
        self.machine.handle(now, input);
        let outputs = core::iter::from_fn(|| self.machine.poll(now));
        let text = |output| match output {
            Output::Halt => Some("halt".to_owned()),
            Output::Reset => Some("reset".to_owned()),
            Output::PassStates(_) => Some("states".to_owned()),
            Output::SendZero => Some("zero".to_owned()),
            Output::Warn(sentence) | Output::Inform(sentence) => Some(sentence),
            _ => None,
        };
        outputs.filter_map(text).collect()
    }

    /// The publishers of the vehicle's state are read, and it is received.
    fn state(&mut self, state: &str) -> Vec<String> {
        self.give(Input::StatePublishersCounted(Some(vec![PublisherId([1; 24])])));
        self.give(Input::StateReceived(state.into()))
    }

    fn link(&mut self, is_silent: bool, losses: u64) -> Vec<String> {
        let mut snapshot = Snapshot::new(&Robot::default(), 0);
        snapshot.link = Some(LinkState { is_silent, losses });
        self.give(Input::Reported(Box::new(snapshot)))
    }

    fn count(&mut self, count: usize) -> Vec<String> {
        self.give(Input::PublishersCounted { topic: STATES.to_owned(), count: PublisherCount::of(count) })
    }
}

fn states() -> StatesMessage {
    StatesMessage {
        names: vec!["a".to_owned()],
        positions: vec![1.0],
        velocities: vec![0.0],
        ..StatesMessage::default()
    }
}

#[test]
fn a_loss_halts_until_a_reset_that_comes_after_the_states() {
    let mut rig = Rig::new(false);
    assert_eq!(rig.give(Input::StatesReceived(states())), ["states"]);
    assert!(rig.link(false, 0).is_empty());
    let lost = "the robot's states on 'hardware/joint_states' are lost: none counted within 100ms; \
                reset_motors ends it once that is over";
    assert_eq!(rig.link(true, 1), ["halt".to_owned(), format!("the motors are halted: {lost}")]);
    assert_eq!(rig.machine.halt_cause().as_deref(), Some(lost));
    assert_eq!(rig.give(Input::ResetRequested), [format!("the motors stay halted: {lost}")]);
    let back = "the robot's states count again; reset_motors ends the halt";
    assert_eq!(rig.link(false, 1), [back], "states that are back reset nothing");
    assert_eq!(rig.machine.halt_cause().as_deref(), Some("the robot was lost; reset_motors ends it"));
    assert_eq!(rig.give(Input::ResetRequested), ["reset"]);
    assert!(rig.link(false, 1).is_empty(), "one loss counts once");
}

#[test]
fn a_loss_that_is_over_before_it_is_reported_halts() {
    let mut rig = Rig::new(false);
    assert!(rig.link(false, 0).is_empty());
    assert_eq!(rig.link(false, 1)[0], "halt");
}

#[test]
fn the_end_of_an_estop_does_not_end_a_loss() {
    let mut rig = Rig::new(true);
    rig.state("ESTOP");
    rig.state("ESTOP");
    rig.state("OK");
    rig.link(false, 0);
    rig.link(true, 1);
    rig.link(false, 1);
    rig.now += 400;
    let stay = "the motors stay halted: the robot was lost; reset_motors ends it";
    assert_eq!(rig.state("OK"), [stay]);
    assert_eq!(rig.give(Input::ResetRequested), ["reset"]);
}

#[test]
fn a_second_publisher_halts_at_once_and_its_end_brings_no_motion() {
    let mut rig = Rig::new(false);
    rig.link(false, 0);
    assert!(rig.count(1).is_empty());
    let conflict = "'hardware/joint_states' has 2 publishers, must have 1";
    let later = "; reset_motors ends it once that is over";
    assert_eq!(rig.count(2), ["halt".to_owned(), format!("the motors are halted: {conflict}{later}")]);
    let refused = format!("the robot's states do not count: {conflict}");
    assert_eq!(rig.give(Input::StatesReceived(states())), [refused]);
    assert_eq!(rig.give(Input::ResetRequested), [format!("the motors stay halted: {conflict}{later}")]);
    assert_eq!(rig.count(1), ["the robot's states count again; reset_motors ends the halt"]);
    assert_eq!(rig.give(Input::StatesReceived(states())), ["states"]);
    assert_eq!(rig.give(Input::ResetRequested), ["reset"]);
}

#[test]
fn states_that_are_awaited_are_the_cause_and_no_loss() {
    let mut rig = Rig::new(false);
    let awaited = "the robot's states on 'hardware/joint_states' are awaited";
    assert_eq!(rig.link(true, 0), [format!("the motors are halted: {awaited}")]);
    assert_eq!(rig.machine.halt_cause().as_deref(), Some(awaited));
    assert_eq!(rig.link(false, 0), ["the robot's states count"]);
    assert_eq!(rig.machine.halt_cause(), None);
}

#[test]
fn at_its_end_the_robot_is_sent_a_zero() {
    assert_eq!(Rig::new(false).give(Input::Stopping), ["halt", "zero"]);
}

#[test]
fn after_its_end_nothing_is_a_fault_and_nothing_resets_the_motors() {
    let silent_after = Duration::from_millis(50);
    let mut rig = Rig::new(false);
    rig.machine = rig.machine.expecting_reports_within(silent_after);
    assert!(rig.link(false, 0).is_empty());
    rig.give(Input::Stopping);
    assert!(rig.link(true, 1).is_empty(), "no message is read any more");
    assert!(rig.count(2).is_empty());
    assert!(rig.give(Input::ResetRequested).is_empty());
    rig.now += 1000; // the loop has ended
    assert!(rig.give(Input::HaltRequested).is_empty());
}
