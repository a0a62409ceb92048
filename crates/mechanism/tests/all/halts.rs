//! Which causes halt the motors, and what ends a halt.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mechanism::controllers::{self, Refusal, Request};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointKind};
use mechanism::{Input, Mechanism, Output, Robot, Snapshot};
use safety::{Instant, Machine, PublisherId};

const HINDBRAIN: PublisherId = PublisherId([1; 24]);

/// The machine, its time in milliseconds, and how the motors were last asked to be: `halt` or `reset`.
struct Bench {
    machine: Mechanism,
    now: u64,
    last: Vec<&'static str>,
    warnings: Vec<String>,
}

impl Bench {
    fn new(awaits_state: bool) -> Self {
        let machine = Mechanism::new(Duration::from_secs(2), awaits_state);
        let mut bench = Self { machine, now: 0, last: Vec::new(), warnings: Vec::new() };
        bench.drain(0);
        bench
    }

    /// Lets time pass; the machine is called in time.
    fn drain(&mut self, millis: u64) {
        while self.now + 10 < millis {
            self.now += 10;
            self.poll(self.now);
        }
        self.poll(millis);
    }

    fn poll(&mut self, millis: u64) {
        self.now = millis;
        while let Some(output) = self.machine.poll(Instant::from_millis(millis)) {
            match output {
                Output::Halt => self.last.push("halt"),
                Output::Reset => self.last.push("reset"),
                Output::Warn(sentence) => self.warnings.push(sentence),
                _ => {}
            }
        }
    }

    fn on(&mut self, millis: u64, input: Input) -> Vec<&'static str> {
        self.drain(millis);
        self.machine.handle(Instant::from_millis(millis), input);
        self.poll(millis);
        std::mem::take(&mut self.last)
    }

    /// The publishers of the state are read, and `state` is received.
    fn state(&mut self, millis: u64, state: &str) -> Vec<&'static str> {
        let counted = self.on(millis, Input::StatePublishersCounted(Some(vec![HINDBRAIN])));
        [counted, self.on(millis, Input::StateReceived(state.into()))].concat()
    }

    /// Receives a state, and once more 0.5 s later.
    fn state_twice(&mut self, millis: u64, state: &str) -> Vec<&'static str> {
        [self.state(millis, state), self.state(millis + 500, state)].concat()
    }

    /// The motors are on, since the vehicle's state is `OK` from 0 to 600 ms.
    fn moving() -> Self {
        let mut bench = Self::new(true);
        assert_eq!(std::mem::take(&mut bench.last), ["halt"], "until the first state");
        assert!(bench.state(0, "OK").is_empty(), "nothing was known of its publisher");
        assert_eq!(bench.state_twice(100, "OK"), ["reset"]);
        bench
    }
}

#[test]
fn the_motors_are_halted_by_an_estop_by_silence_and_by_a_state_that_is_not_known() {
    let mut bench = Bench::moving();
    for (at, state) in [(1000, "ESTOP"), (2000, "estop"), (3000, "UNKNOWN"), (4000, "")] {
        assert_eq!(bench.state(at, state), ["halt"], "{state}");
        assert!(bench.state(at + 50, "SSTOP.IR").is_empty(), "{state}: a process that dies says it once");
        assert_eq!(bench.state(at + 550, "OK"), ["reset"], "{state}");
    }
    bench.drain(6049);
    assert!(bench.last.is_empty());
    bench.drain(6050);
    assert_eq!(std::mem::take(&mut bench.last), ["halt"], "1.5 s after the last one");
    assert!(
        bench.state_twice(7000, "OK").is_empty(),
        "what was lost in motion does not start again by itself"
    );
    assert_eq!(bench.on(7510, Input::ResetRequested), ["reset"]);
}

#[test]
fn a_new_publisher_of_the_state_ends_no_estop() {
    let mut bench = Bench::moving();
    let other = || Input::StatePublishersCounted(Some(vec![PublisherId([2; 24])]));
    assert_eq!(bench.state(1000, "ESTOP"), ["halt"]);
    for at in [1100, 1600, 2100, 2600] {
        assert!(bench.on(at, other()).is_empty());
        assert!(bench.on(at, Input::StateReceived("OK".into())).is_empty());
    }
    let cause = "the vehicle's state was lost in its emergency stop; reset_motors ends it";
    assert_eq!(bench.machine.halt_cause().as_deref(), Some(cause));
    assert_eq!(bench.on(2610, Input::ResetRequested), ["reset"]);
}

#[test]
fn a_second_publisher_of_the_state_halts_whatever_it_says() {
    let mut bench = Bench::moving();
    let both = || Input::StatePublishersCounted(Some(vec![HINDBRAIN, PublisherId([2; 24])]));
    assert_eq!(bench.on(650, both()), ["halt"]);
    assert!(bench.on(700, Input::StateReceived("OK".into())).is_empty());
    assert_eq!(
        bench.machine.halt_cause().as_deref(),
        Some("the vehicle's state has more than one publisher; reset_motors ends it once that is over")
    );
    assert!(bench.on(720, Input::ResetRequested).is_empty());
    assert!(bench.state(750, "OK").is_empty());
    assert!(bench.on(760, Input::ResetRequested).is_empty(), "it may be from the second one");
    assert!(bench.state_twice(800, "OK").is_empty());
    assert_eq!(bench.on(1310, Input::ResetRequested), ["reset"]);
    assert_eq!(bench.on(1350, Input::StatePublishersCounted(None)), ["halt"], "they cannot be read");
}

#[test]
fn a_reset_that_is_refused_changes_nothing() {
    let mut bench = Bench::moving();
    assert_eq!(bench.on(700, Input::HaltRequested), ["halt"]);
    assert!(bench.state(800, "ESTOP").is_empty());
    assert!(bench.on(900, Input::ResetRequested).is_empty());
    assert!(bench.warnings.last().unwrap().starts_with("the motors stay halted"), "{:?}", bench.warnings);
    assert!(bench.state_twice(1000, "OK").is_empty(), "the halt that was requested holds");
    assert_eq!(bench.on(1600, Input::ResetRequested), ["reset"]);
}

#[test]
fn an_effort_that_is_not_finite_is_warned_of_once_and_counted() {
    let simple = Simple { actuator: 0, joint: 0, reduction: 1.0, simulated: None };
    let joint = Joint::new("pan", JointKind::Continuous);
    let robot =
        Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
    let mut bench = Bench::new(false);
    for count in [0, 3, 5] {
        let mut snapshot = Box::new(Snapshot::new(&robot, 0));
        snapshot.joints[0].statistics.invalid_commands = count;
        bench.on(count, Input::Reported(snapshot));
        assert_eq!(bench.machine.invalid_commands(), count);
    }
    let warnings: Vec<_> = bench.warnings.iter().filter(|text| text.contains("joint 'pan'")).collect();
    assert_eq!(warnings.len(), 1, "{:?}", bench.warnings);
}

/// Answer of the machine to `request` after a hold of 10 s; a thread that emptied its queue at 1 s reads again at 11 s.
fn after_a_hold(request: Request) -> Option<Result<(), Refusal>> {
    let mut bench = Bench::new(false);
    let (since, now) = (Instant::from_millis(1000), Instant::from_millis(11_000));
    bench.drain(1000);
    bench.machine.read_again(now, since, Instant::from_millis(1100));
    bench.machine.handle(now, Input::Manager(controllers::Input::Requested(1, request)));
    while let Some(output) = bench.machine.poll(now) {
        if let Output::Manager(controllers::Output::Answer(1, result)) = output {
            return Some(result);
        }
    }
    None
}

#[test]
fn a_request_that_waited_through_a_hold_starts_nothing() {
    let switch = |start: &[&str]| Request::Switch {
        start: start.iter().map(|&name| name.to_owned()).collect(),
        stop: Vec::new(),
        strictness: 1,
    };
    let stale = || Some(Err(Refusal::Stale(std::time::Duration::from_secs(10))));
    assert_eq!(after_a_hold(switch(&["a"])), stale());
    assert_eq!(after_a_hold(Request::Load("a".into())), stale());
    assert_eq!(after_a_hold(switch(&[])), None, "a stop goes to the loop");
}

#[test]
fn a_state_and_a_reset_that_waited_through_a_hold_end_no_halt() {
    let mut bench = Bench::moving();
    assert_eq!(bench.state(700, "ESTOP"), ["halt"]);
    let (since, now) = (Instant::from_millis(1000), Instant::from_millis(11_000));
    bench.drain(1000);
    bench.machine.read_again(now, since, Instant::from_millis(1100));
    bench.now = 11_000;
    assert!([bench.state(11_000, "OK"), bench.state(11_000, "OK")].concat().is_empty());
    let mut bench = Bench::new(false);
    bench.drain(1000);
    bench.machine.read_again(now, since, Instant::from_millis(1100));
    bench.now = 11_000;
    assert_eq!(bench.on(11_000, Input::HaltRequested), ["halt"]);
    assert!(bench.on(11_000, Input::ResetRequested).is_empty());
}

#[test]
fn a_loop_that_reports_nothing_is_silent_until_it_reports_again() {
    let robot = Robot::from_parts(Vec::new(), Vec::new(), Vec::new());
    let mut bench = Bench::new(false);
    let machine = Mechanism::new(Duration::from_secs(2), false);
    bench.machine = machine.expecting_reports_within(Duration::from_millis(500));
    bench.on(100, Input::Reported(Box::new(Snapshot::new(&robot, 0))));
    bench.drain(599);
    assert!(!bench.machine.is_loop_silent());
    bench.drain(600);
    assert!(bench.machine.is_loop_silent());
    let sentence = "the control loop has reported nothing for 500ms: it hangs in a step, and obeys no halt";
    assert_eq!(bench.warnings, [sentence, "the motors are halted: the control loop hangs in a step"]);
    assert_eq!(std::mem::take(&mut bench.last), ["halt"], "a robot on topics is sent zeros meanwhile");
    assert_eq!(bench.on(700, Input::Reported(Box::new(Snapshot::new(&robot, 0)))), ["reset"]);
    assert!(!bench.machine.is_loop_silent());
    assert_eq!(bench.warnings[2], "the control loop steps again");
}
