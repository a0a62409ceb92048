use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;

use units::{Instant, Machine, Stamp};

use crate::core::{Cause, Causes, Inputs, Mode, Outputs, Rule, State, StopState, step};
use crate::{Counters, Detail, Input, Motors, Output, Params, Refused, Source};

mod intake;

/// How often motor values go out when no command brings them: 50 times a second.
pub const TICK: Duration = Duration::from_millis(20);
/// How often the state goes out when it does not change.
///
/// # Source
/// hindbrain, publish interval of 500 ms; its code never used it and published in every loop.
pub const STATE_PERIOD: Duration = Duration::from_millis(500);

/// A state and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The state.
    pub state: StopState,
    /// Why.
    pub causes: Causes,
}

/// The last gate before the motors.
///
/// * Each event is one step of the core with the time that really passed, so neither a flood nor a lack of calls makes a
///   ramp steeper.
/// * Motor values go out from the call that brought a command, a pressed emergency stop, an enable of false or a reset,
///   from any other that changes them, from a time-out the moment it ends, and [`TICK`] after they last went out. So a stream of commands faster than the
///   tick gets one answer for each, and no others.
/// * If nobody takes the motor values, newer ones replace them; if nobody takes the states, the oldest go.
/// * The first step of a new machine has no time before it.
/// * A command with an older stamp than the last accepted one is refused while that one is fresh; one without a stamp
///   is judged by its arrival, and where the machine was not called when it was due, by the earliest time that it can have
///   come. Stamps are not compared with a clock, since the machine has none of that kind.
/// # Real-time
/// Nothing is allocated after construction. The time of a call does not depend on what came before.
/// # Source
/// hindbrain; own where the [core](mod@crate::core) says so.
#[derive(Clone, Debug)]
pub struct Hindbrain {
    params: Params,
    now: Instant,
    /// When the last step was; `None` before the first.
    stepped: Option<Instant>,
    state: State,
    outputs: Outputs,
    last_command: LastCommand,
    next_tick: Instant,
    next_state: Instant,
    /// When the details go out; they follow a cause that changes, but not faster than the tick.
    next_detail: Instant,
    stopping: bool,
    /// How many nodes publish the emergency stop.
    estops: usize,
    /// The stamp of each sensor's last measurement.
    measured: [Stamp; 4],
    /// The last time that this machine was not called when it was due.
    held: Option<Held>,
    /// When each source was last heard.
    heard: [Option<Instant>; Source::COUNT],
    /// The last rule that changed the state, and when.
    changed: (Option<Rule>, Instant),
    motors: Option<Motors>,
    states: VecDeque<StopState>,
    detail: Option<Detail>,
    detailed: Instant,
    /// A command to tell of, and when one was last told.
    refused: Option<Refused>,
    told: Option<Instant>,
    report: Option<Report>,
    reported: Option<Report>,
    counters: Counters,
}

/// Stamp and arrival of the last command that was accepted.
#[derive(Clone, Copy, Debug, Default)]
struct LastCommand {
    stamp: Stamp,
    at: Instant,
}

/// A pause in which this machine was not called although it was due: what is read right after it may have come at any time
/// in it.
#[derive(Clone, Copy, Debug)]
struct Held {
    age: Duration,
    until: Instant,
}

/// More states than one drain ever leaves.
const QUEUE: usize = 16;

impl Hindbrain {
    /// A hindbrain that has heard nothing: its first output is a stop.
    pub fn new(params: Params) -> Self {
        let state = State::boot(&params.core);
        Self {
            now: Instant::ZERO,
            stepped: None,
            state,
            outputs: Outputs {
                levels: state.levels(),
                state: state.mode.into(),
                causes: state.causes(&params.core),
                rule: None,
            },
            last_command: LastCommand::default(),
            next_tick: Instant::ZERO,
            next_state: Instant::ZERO,
            next_detail: Instant::ZERO,
            stopping: false,
            estops: 0,
            measured: [Stamp::ZERO; 4],
            held: None,
            heard: [None; Source::COUNT],
            changed: (None, Instant::ZERO),
            motors: None,
            states: VecDeque::with_capacity(QUEUE),
            detail: None,
            detailed: Instant::ZERO,
            refused: None,
            told: None,
            report: None,
            reported: None,
            counters: Counters::default(),
            params,
        }
    }

    /// The state, as of the last call.
    pub fn state(&self) -> StopState {
        self.outputs.state
    }

    /// Why the vehicle does not do what is wanted, as of the last call.
    pub fn causes(&self) -> Causes {
        self.outputs.causes
    }

    /// The values for the motors, as of the last call.
    pub fn motors(&self) -> Motors {
        Motors::from_levels(self.outputs.levels, self.last_command.stamp)
    }

    /// The core's state, to look at.
    pub fn core(&self) -> &State {
        &self.state
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// What has come and gone since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// How long ago `source` was heard; `None` if never.
    pub(crate) fn age(&self, source: Source) -> Option<Duration> {
        self.heard[source.index()].map(|at| self.now.since(at))
    }

    /// The rule that led to the state, and for how long it has been the state.
    pub(crate) fn last_change(&self) -> (Option<Rule>, Duration) {
        (self.changed.0, self.now.since(self.changed.1))
    }

    fn hear(&mut self, source: Source) {
        self.heard[source.index()] = Some(self.now);
    }

    fn pass_to(&mut self, now: Instant) {
        self.now = self.now.max(now);
        let age = self.now.since(self.next_tick);
        if self.stepped.is_some() && age > TICK {
            self.held = Some(Held { age, until: self.now + TICK });
        }
    }

    /// One step of the core; `drive` sends the motor values even if they stay.
    fn step(&mut self, mut inputs: Inputs, drive: bool) {
        inputs.dt = self.stepped.map_or(0, |last| self.now.as_nanos().saturating_sub(last.as_nanos()));
        self.stepped = Some(self.now);
        let before = self.outputs;
        let mode = self.state.mode;
        (self.state, self.outputs) = step(&self.state, &inputs, &self.params.core);
        self.counters.overruns += u64::from(inputs.dt > self.params.core.overrun_limit);
        self.counters.estops += u64::from(mode != Mode::Estop && self.state.mode == Mode::Estop);
        self.counters.faults += u64::from(mode != Mode::Fault && self.state.mode == Mode::Fault);
        self.counters.resets += u64::from(mode.is_latched() && !self.state.mode.is_latched());
        if drive || self.outputs.levels != before.levels {
            self.send();
        }
        if self.outputs.rule.is_some() {
            self.changed = (self.outputs.rule, self.now);
        }
        if self.outputs.state != before.state {
            self.publish();
        } else if self.outputs.causes != before.causes {
            self.next_detail = self.next_detail.min(self.detailed + TICK);
        }
    }

    /// When something lapses by itself, which is a step of its own: a time-out shall not wait for the tick.
    fn next_lapse(&self) -> Option<Instant> {
        let left = self.state.expires_in(&self.params.core)?;
        Some(self.stepped? + Duration::from_nanos(left))
    }

    fn send(&mut self) {
        self.motors = Some(self.motors());
        self.next_tick = self.now + TICK;
        self.counters.drives += 1;
    }

    fn publish(&mut self) {
        if self.states.len() >= QUEUE {
            self.states.pop_front();
        }
        self.states.push_back(self.outputs.state);
        self.next_state = self.now + STATE_PERIOD;
        self.publish_detail();
        let report = Report { state: self.outputs.state, causes: self.outputs.causes };
        if self.reported != Some(report) {
            self.report = Some(report);
            self.reported = Some(report);
        }
    }

    fn publish_detail(&mut self) {
        self.detail = Some(self.detail());
        self.detailed = self.now;
        self.next_detail = self.now + STATE_PERIOD;
    }

    /// Forgets all that was heard, but for a latched stop, and stays so.
    fn stop(&mut self) {
        self.stopping = true;
        let State { mode, overrun, .. } = self.state;
        self.state = State::boot(&self.params.core);
        if mode.is_latched() {
            self.state = State { mode, overrun, ..self.state };
        }
        self.outputs = Outputs {
            levels: self.state.levels(),
            state: self.state.mode.into(),
            causes: self.state.causes(&self.params.core).with(Cause::Stopping, true),
            rule: None,
        };
        self.send();
        self.publish();
    }
}

impl Machine for Hindbrain {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        if self.stopping {
            return;
        }
        if matches!(input, Input::Stopping) {
            self.stop();
            return;
        }
        let mut inputs = Inputs::default();
        let drive = self.translate(input, &mut inputs);
        self.step(inputs, drive);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        if !self.stopping && self.next_tick <= self.now {
            self.step(Inputs::default(), true);
        } else if !self.stopping && self.next_lapse().is_some_and(|at| at <= self.now) {
            self.step(Inputs::default(), false);
        }
        if !self.stopping && self.next_state <= self.now {
            self.publish();
        }
        if !self.stopping && self.next_detail <= self.now {
            self.publish_detail();
        }
        if let Some(motors) = self.motors.take() {
            return Some(Output::Drive(motors));
        }
        if let Some(state) = self.states.pop_front() {
            return Some(Output::PublishState(state));
        }
        if let Some(detail) = self.detail.take() {
            return Some(Output::PublishDetail(detail));
        }
        if let Some(refused) = self.refused.take() {
            return Some(Output::Refuse(refused));
        }
        self.report.take().map(Output::Report)
    }

    fn deadline(&self) -> Option<Instant> {
        let told = self.refused.is_some() || self.report.is_some();
        let waiting = self.motors.is_some() || self.detail.is_some() || told;
        if waiting || !self.states.is_empty() {
            return Some(self.now);
        }
        let due = self.next_tick.min(self.next_state).min(self.next_detail);
        (!self.stopping).then(|| self.next_lapse().map_or(due, |lapse| due.min(lapse)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let detail = if self.state == StopState::Fault { " (fault)" } else { "" };
        if self.causes.is_empty() {
            write!(f, "{}{detail}", self.state.as_str())
        } else {
            write!(f, "{}{detail}: {}", self.state.as_str(), self.causes)
        }
    }
}
