use core::fmt;
use core::time::Duration;

use safety::{
    Backlog, Clock, Command, Freshness, Implausible, Instant, Machine, NEUTRAL_ANGULAR, NEUTRAL_LINEAR,
};

use crate::core::{Cause, Causes, Inputs, Outputs, State, StopState, step};
use crate::fraction::Carry;
use crate::{Counters, Detail, Input, Motors, Output, Params, Refused, Source};

mod intake;

pub use intake::Key;

/// The interval at which motor values are sent without a command: 50 times a second.
pub const TICK: Duration = Duration::from_millis(20);
/// The longest time between two steps while something moves or could. A later step is a fault, and a supervising thread
/// stops the motors.
pub const OVERRUN_LIMIT: Duration = Duration::from_millis(500);
/// The longest time between two motor values while something moves or could. Later values are a stop, and motion waits for a
/// zero command: every motor controller stops by itself after 0.25 s, and must not start again at the level that it had.
pub const GAP_LIMIT: Duration = Duration::from_millis(200);
/// The interval at which the state is published when it does not change.
///
/// # Source
/// hindbrain, publish interval of 500 ms; its code never used it and published in every loop.
pub const STATE_PERIOD: Duration = Duration::from_millis(500);
/// The least time between two reports of a refused command, or of a part that is not followed.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// A state and its causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The state.
    pub state: StopState,
    /// The causes.
    pub causes: Causes,
}

/// The last gate before the motors.
///
/// * Each event is one step of the core with the time that has passed, so neither too many nor too few calls make a
///   ramp steeper.
/// * Motor values are sent by a call with a command, a pressed emergency stop, an enable of false or a reset, by any other
///   call that changes them, when a time-out ends, and [`TICK`] after they were last sent. A stream of commands faster than
///   the tick gets one answer for each command, and no others.
/// * Newer motor values and states replace those that were not polled.
/// * The first step of a new machine has a `dt` of zero.
/// * [`Freshness`] decides what is too old, late, repeated, from the future or queued too long.
/// # Real-time
/// Nothing is allocated after construction. The time of a call does not depend on earlier calls.
/// # Source
/// hindbrain; own where the [core](mod@crate::core) says so.
#[derive(Clone, Debug)]
pub struct Hindbrain {
    params: Params,
    clock: Clock,
    /// When the last step was; `None` before the first.
    stepped: Option<Instant>,
    /// When motor values were last put out; `None` before the first.
    driven: Option<Instant>,
    state: State,
    outputs: Outputs,
    /// The motor values that were sent last.
    carry: Carry,
    /// The stamps of commands, and the last one that was accepted.
    commands: Freshness,
    accepted: Command,
    /// The stamps of each sensor's measurements.
    measurements: [Freshness; 4],
    timers: Timers,
    stopping: bool,
    /// When a message of each source was last received.
    received: [Option<Instant>; Source::COUNT],
    /// The cause that led to the state, and when it began.
    changed: (Option<Cause>, Instant),
    motors: Option<Motors>,
    published: Option<StopState>,
    detail: Option<Detail>,
    detailed: Instant,
    refused: Rarely<Refused>,
    dropped: Rarely<Implausible>,
    report: Option<Report>,
    reported: Option<Report>,
    counters: Counters,
}

/// A report to the user, at most once per [`REPORT_PERIOD`].
#[derive(Clone, Copy, Debug)]
struct Rarely<T> {
    due: Option<T>,
    /// When the last one was due.
    at: Option<Instant>,
}

impl<T> Default for Rarely<T> {
    fn default() -> Self {
        Self { due: None, at: None }
    }
}

impl<T> Rarely<T> {
    fn report(&mut self, now: Instant, what: T) {
        if self.at.is_none_or(|at| now.since(at) >= REPORT_PERIOD) {
            *self = Self { due: Some(what), at: Some(now) };
        }
    }
}

/// When each output is due without an input.
#[derive(Clone, Copy, Debug)]
struct Timers {
    /// The motor values.
    tick: Instant,
    /// The state.
    state: Instant,
    /// The details; they are published when a cause changes, but not faster than the tick.
    detail: Instant,
}

impl Hindbrain {
    /// A hindbrain that has received no input: its first output is a stop.
    pub fn new(params: Params) -> Self {
        let state = State::boot(&params.core);
        let (_, outputs) = step(&state, &Inputs::default(), &params.core);
        Self {
            params,
            clock: Clock::default(),
            stepped: None,
            driven: None,
            state,
            outputs,
            carry: Carry::default(),
            commands: Freshness::default(),
            accepted: Command::STOP,
            measurements: [Freshness::default(); 4],
            timers: Timers { tick: Instant::ZERO, state: Instant::ZERO, detail: Instant::ZERO },
            stopping: false,
            received: [None; Source::COUNT],
            changed: (outputs.causes.worst(), Instant::ZERO),
            motors: None,
            published: None,
            detail: None,
            detailed: Instant::ZERO,
            refused: Rarely::default(),
            dropped: Rarely::default(),
            report: None,
            reported: None,
            counters: Counters::default(),
        }
    }

    /// The state, as of the last call.
    pub fn state(&self) -> StopState {
        self.outputs.state
    }

    /// Why the vehicle does not follow the command, as of the last call.
    pub fn causes(&self) -> Causes {
        self.outputs.causes
    }

    /// The values for the motors, as of the last call.
    pub fn motors(&self) -> Motors {
        let Outputs { levels, exact, .. } = self.outputs;
        let counts = if self.params.core.is_exact { levels } else { self.carry.counts() };
        Motors::new(counts, exact, self.accepted.stamp)
    }

    /// The core's state, for inspection.
    pub fn core(&self) -> &State {
        &self.state
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The counters since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Whether parameters may change now. They are guards, so [`Input::ParametersChanged`] changes nothing while something
    /// moves or would move at the next command.
    pub fn accepts_parameters(&self) -> bool {
        !self.state.moves_or_could()
    }

    /// The last command that was accepted.
    pub(crate) fn accepted(&self) -> &Command {
        &self.accepted
    }

    /// The first part of the command in force, beyond a zero, that two driven sides cannot follow.
    pub(crate) fn dropped(&self) -> Option<Implausible> {
        self.state.command.setpoint?;
        self.accepted.velocity.check_other_parts(NEUTRAL_LINEAR, NEUTRAL_ANGULAR).err()
    }

    /// The time since `source` was last received; `None` if never.
    pub(crate) fn age(&self, source: Source) -> Option<Duration> {
        self.received[source.index()].map(|at| self.clock.now().since(at))
    }

    /// The cause that led to the state, and for how long it has been the state.
    pub(crate) fn last_change(&self) -> (Option<Cause>, Duration) {
        (self.changed.0, self.clock.now().since(self.changed.1))
    }

    fn record_receipt(&mut self, source: Source) {
        self.received[source.index()] = Some(self.clock.now());
    }

    fn pass_to(&mut self, now: Instant) {
        self.clock.pass_to(now, self.stepped.map(|_| self.timers.tick));
        if self.stepped.is_none() && !self.stopping {
            self.changed.1 = self.clock.now(); // the first state begins with the machine, not with the origin of time
        }
    }

    /// One step of the core; with `drive` the motor values are sent even if they do not change.
    fn step(&mut self, mut inputs: Inputs, drive: bool) {
        let now = self.clock.now();
        inputs.dt = self.stepped.map_or(0, |last| nanos(now.since(last)));
        inputs.unsent = self.driven.map_or(0, |last| nanos(now.since(last)));
        self.stepped = Some(now);
        let before = self.outputs;
        let was_latched = self.state.latch.is_some();
        (self.state, self.outputs) = step(&self.state, &inputs, &self.params.core);
        // A stick passes the first count again and again, which is no news.
        let stops = |causes: Causes| causes.without(Cause::CommandBelowCount);
        let entered = |state| u64::from(before.state != state && self.outputs.state == state);
        self.counters.overruns += u64::from(inputs.dt > self.params.core.overrun_limit);
        self.counters.estops += entered(StopState::Estop);
        self.counters.faults += entered(StopState::Fault);
        self.counters.resets += u64::from(was_latched && self.state.latch.is_none());
        let is_gap = self.outputs.causes.contains(Cause::MotorGap);
        self.counters.gaps += u64::from(is_gap);
        if drive || is_gap || self.outputs.exact != before.exact {
            self.send();
        }
        if self.outputs.state != before.state {
            self.changed = (self.outputs.causes.worst(), now);
            self.publish();
        } else if stops(self.outputs.causes) != stops(before.causes) {
            self.timers.detail = self.timers.detail.min(self.detailed + TICK);
        }
    }

    /// When the next time-out ends, which is a step of its own: a time-out does not wait for the tick.
    fn next_lapse(&self) -> Option<Instant> {
        let left = self.state.timers(&self.params.core).map(|(_, left)| left).min()?;
        Some(self.stepped? + Duration::from_nanos(left))
    }

    fn send(&mut self) {
        self.carry.send(self.outputs.exact, self.clock.now());
        self.motors = Some(self.motors());
        self.timers.tick = self.clock.now() + TICK;
        self.counters.drives += 1;
    }

    fn publish(&mut self) {
        self.published = Some(self.outputs.state);
        self.timers.state = self.clock.now() + STATE_PERIOD;
        self.publish_detail();
        let report = Report { state: self.outputs.state, causes: self.outputs.causes };
        if self.reported != Some(report) {
            self.report = Some(report);
            self.reported = Some(report);
        }
    }

    fn publish_detail(&mut self) {
        self.detail = Some(self.detail());
        self.detailed = self.clock.now();
        self.timers.detail = self.clock.now() + STATE_PERIOD;
    }

    /// Ends the machine: discards all inputs except a latched stop, and ignores later ones.
    fn stop(&mut self) {
        self.stopping = true;
        let State { stop, latch, overrun, .. } = self.state;
        let boot = State::boot(&self.params.core);
        let stop = if stop.is_latched() { stop } else { boot.stop };
        self.state = State { stop, latch: latch.max(boot.latch), overrun, ..boot };
        let causes = self.outputs.causes.with(Cause::Stopping, true);
        self.outputs = self.state.outputs(causes, &self.params.core);
        self.send();
        self.publish();
    }
}

impl Machine for Hindbrain {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        match input {
            _ if self.stopping => {}
            Input::Stopping => self.stop(),
            Input::ClockRead(reading) => self.clock.read(now, reading),
            input => {
                let mut inputs = Inputs::default();
                let drive = self.translate(input, &mut inputs);
                self.step(inputs, drive);
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        let now = self.clock.now();
        if !self.stopping {
            if self.timers.tick <= now {
                self.step(Inputs::default(), true);
            } else if self.next_lapse().is_some_and(|at| at <= now) {
                self.step(Inputs::default(), false);
            }
            if self.timers.state <= now {
                self.publish();
            }
            if self.timers.detail <= now {
                self.publish_detail();
            }
        }
        if let Some(motors) = self.motors.take() {
            self.driven = Some(now);
            return Some(Output::Drive(motors));
        }
        if let Some(state) = self.published.take() {
            return Some(Output::PublishState(state));
        }
        if let Some(detail) = self.detail.take() {
            return Some(Output::PublishDetail(detail));
        }
        if let Some(refused) = self.refused.due.take() {
            return Some(Output::Refuse(refused));
        }
        if let Some(dropped) = self.dropped.due.take() {
            return Some(Output::Drop(dropped));
        }
        self.report.take().map(Output::Report)
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn may_move(&self) -> bool {
        self.state() == StopState::Ok
    }

    fn asks_for_motion(input: &Input) -> bool {
        matches!(input, Input::CommandReceived(Ok(command)) if !command.velocity.is_neutral())
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::Drive(_) => Backlog::Newest(0),
            Output::PublishDetail(_) => Backlog::Newest(1),
            Output::PublishState(_) | Output::Refuse(_) | Output::Drop(_) | Output::Report(_) => {
                Backlog::Recent
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let waits = self.motors.is_some()
            || self.published.is_some()
            || self.detail.is_some()
            || self.refused.due.is_some()
            || self.dropped.due.is_some()
            || self.report.is_some();
        if waits {
            return Some(self.clock.now());
        }
        let Timers { tick, state, detail } = self.timers;
        let timers = [Some(tick), Some(state), Some(detail), self.next_lapse()];
        timers.into_iter().flatten().min().filter(|_| !self.stopping)
    }
}

pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
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
