use std::collections::VecDeque;
use std::time::Duration;

use hindbrain::TICK;
use safety::{Backlog, Instant, Machine};

use super::reaction::{Message, Plan, Reaction};
use super::slots::{Moment, Slots};
use crate::vehicle::Vehicle;

/// Full speed \[m/s], see `reactions.yaml`.
const SPEED: f64 = 1.0;
/// The heartbeats come with every second slot: 25 times a second.
const HEARTBEAT: u64 = 2;
/// Slots at rest before enabling, 20 ms each: more than the infra-red's timeout of 0.5 s; by then nothing old is on the way.
const CALM: u64 = 28;
/// Slots of enabling after which it is tried anew: hindbrain takes no rise that may have waited, as when the machine stood still.
const ARMING: u64 = 50;
/// Slots of zero commands after the state became OK: zero-first.
const NEUTRAL: u64 = 2;
/// Slots at full speed before the event.
const CRUISE: u64 = 3;
/// Slots after which the state is checked: it follows the motor value.
const JUDGE: u64 = 2;
/// How long a trial may take until the event, start of the processes and repetitions included.
const PREPARATION: Duration = Duration::from_secs(20);
/// How long the motors may take to stop, and then the state and the relay to come.
const STOP: Duration = Duration::from_secs(3);

/// The events of the trials.
#[derive(Clone, Debug)]
pub enum Input {
    /// The port motor's value came.
    PortSet(i16),
    /// The starboard motor's value came.
    StarboardSet(i16),
    /// hindbrain published its state.
    StateReceived(String),
    /// The relay sent a number back.
    RelayAnswered(u64),
}

/// The requests of the trials.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Publish this at once: the time may be measured from the call that returned it.
    Publish(Message),
    /// A trial has its figures.
    Measured(Measured),
    /// A trial is repeated, for this reason.
    Repeated(String),
    /// The trials cannot continue, for this reason.
    Failed(String),
}

/// The figures of one trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Which one.
    pub plan: Plan,
    /// From the event to both motors at rest.
    pub took: Duration,
    /// From a message to the bare relay, one slot before the event, to its return.
    pub relay: Duration,
    /// By how much the bench's own slots came late at most between the event and the end.
    pub late: Duration,
}

/// Makes one trial after the other: brings hindbrain from whatever stop it is in to full speed, lets the event happen, and
/// takes the time until the motors stand.
///
/// * Time is divided into slots of one tick. Each begins with a command, and with every second one come the heartbeats; the
///   event, and in each slot before it a message to the bare relay, comes at the trial's phase within the slot.
/// * hindbrain's own tick begins anew with each command, so the phase is that of its tick as well.
/// * A trial counts only if hindbrain was at full speed before the event and afterwards publishes the state that belongs to
///   it; otherwise it is repeated.
pub struct Trials {
    /// The present one and those that follow.
    plans: VecDeque<Plan>,
    now: Instant,
    begun: Instant,
    step: Step,
    /// How many slots the step has lasted.
    lasted: u64,
    slots: Slots,
    queue: VecDeque<Output>,
    reset_down: bool,
    vehicle: Vehicle,
    relay: Probe,
}

/// How far a trial is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// At rest, not enabled; what is latched is reset.
    Calm,
    /// Enabled, until the state is OK.
    Arm,
    /// Zero commands.
    Neutral,
    /// Commands of full speed, until the motors have it.
    SpeedUp,
    /// Full speed.
    Cruise,
    /// The event was at `since`.
    React { since: Instant },
    /// The motors stand.
    Judge { took: Duration },
}

/// The newest message to the bare relay.
#[derive(Clone, Copy, Debug, Default)]
struct Probe {
    number: u64,
    sent: Instant,
    took: Option<Duration>,
    /// Whether anything ever came back.
    answers: bool,
}

impl Trials {
    /// The trials of `plans`, beginning at `now`.
    pub fn new(plans: impl Iterator<Item = Plan>, now: Instant) -> Self {
        Self {
            plans: plans.collect(),
            now,
            begun: now,
            step: Step::Calm,
            lasted: 0,
            slots: Slots::new(TICK, now),
            queue: VecDeque::new(),
            reset_down: false,
            vehicle: Vehicle::default(),
            relay: Probe::default(),
        }
    }

    fn go(&mut self, step: Step) {
        self.step = step;
        self.lasted = 0;
    }

    fn publish(&mut self, message: Message) {
        self.queue.push_back(Output::Publish(message));
    }

    /// Continues with the next step if it is due.
    fn advance(&mut self, plan: Plan) {
        self.lasted += 1;
        let (lasted, vehicle) = (self.lasted, &self.vehicle);
        let ready = vehicle.waits_for_enable() && !self.reset_down && self.relay.answers;
        match self.step {
            Step::Calm if lasted > CALM && ready => self.go(Step::Arm),
            Step::Arm if vehicle.is_ok() => self.go(Step::Neutral),
            Step::Arm if lasted > ARMING => self.repeat(plan, "the rise of enable was not taken"),
            Step::Calm | Step::Arm | Step::SpeedUp if self.now.since(self.begun) > PREPARATION => {
                self.fail(plan, &format!("full speed was not reached within {PREPARATION:?}"));
            }
            Step::Neutral | Step::SpeedUp | Step::Cruise if !vehicle.is_ok() => {
                self.repeat(plan, "stopped before the event");
            }
            Step::Neutral if lasted > NEUTRAL => self.go(Step::SpeedUp),
            Step::SpeedUp if vehicle.runs() => self.go(Step::Cruise),
            Step::Cruise if !vehicle.runs() => self.repeat(plan, "slower before the event"),
            Step::React { since } if self.now.since(since) > STOP => {
                self.fail(plan, &format!("the motors did not stop within {STOP:?}"));
            }
            Step::Judge { took } if lasted > JUDGE => self.judge(plan, took),
            _ => {}
        }
    }

    fn judge(&mut self, plan: Plan, took: Duration) {
        let is_blamed = self.vehicle.state == plan.reaction.state();
        let waits = TICK * u32::try_from(self.lasted).unwrap_or(u32::MAX) < STOP;
        match self.relay.took {
            Some(relay) if is_blamed => {
                let measured = Measured { plan, took, relay, late: self.slots.late() };
                self.queue.push_back(Output::Measured(measured));
                self.plans.pop_front();
                self.begun = self.now;
                self.go(Step::Calm);
            }
            _ if waits => {}
            Some(_) => self.repeat(plan, "stopped for another reason"),
            None => self.fail(plan, "the bare relay sent nothing back"),
        }
    }

    fn repeat(&mut self, plan: Plan, why: &str) {
        self.queue.push_back(Output::Repeated(format!("{plan}: {why}; {}", self.vehicle)));
        self.go(Step::Calm);
    }

    fn fail(&mut self, plan: Plan, why: &str) {
        let relay = if self.relay.answers { "" } else { ", the bare relay nothing yet" };
        self.queue.push_back(Output::Failed(format!("{plan}: {why}; {}{relay}", self.vehicle)));
        self.plans.clear();
    }

    /// The messages at the beginning of a slot.
    fn publish_all(&mut self, plan: Plan) {
        let over = matches!(self.step, Step::React { .. } | Step::Judge { .. });
        let after = |reaction| over && plan.reaction == reaction;
        if !after(Reaction::CommandLost) {
            let drives = over || matches!(self.step, Step::SpeedUp | Step::Cruise);
            self.publish(Message::Command(if drives { SPEED } else { 0.0 }));
        }
        if self.slots.is_one_of(HEARTBEAT) {
            if !after(Reaction::EstopSilent) {
                self.publish(Message::Estop(after(Reaction::EstopPressed)));
            }
            self.publish(Message::Infrared { blocked: after(Reaction::WayBlocked) });
            match self.step {
                Step::Calm => self.publish(Message::Enable(false)),
                Step::Arm => self.publish(Message::Enable(true)),
                _ => {}
            }
        } else if self.step == Step::Calm && (self.vehicle.is_latched() || self.reset_down) {
            self.reset_down = !self.reset_down;
            self.publish(Message::Reset(self.reset_down));
        }
    }

    /// Message that is due at the trial's phase within a slot.
    fn within_slot(&mut self, plan: Plan) -> Option<Message> {
        match self.step {
            Step::React { .. } | Step::Judge { .. } => None,
            Step::Cruise if self.lasted >= CRUISE => {
                self.slots.forget_late();
                self.go(Step::React { since: self.now });
                Some(plan.reaction.event(SPEED))
            }
            _ => {
                let number = self.relay.number + 1;
                self.relay = Probe { number, sent: self.now, took: None, ..self.relay };
                Some(Message::Relay(number))
            }
        }
    }
}

impl Machine for Trials {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        match input {
            Input::PortSet(value) => self.vehicle.port = Some(value),
            Input::StarboardSet(value) => self.vehicle.starboard = Some(value),
            Input::StateReceived(state) => self.vehicle.state = state,
            Input::RelayAnswered(number) => {
                self.relay.answers = true;
                if number == self.relay.number {
                    self.relay.took.get_or_insert(self.now.since(self.relay.sent));
                }
            }
        }
        if let Step::React { since } = self.step
            && self.vehicle.stands()
        {
            self.go(Step::Judge { took: self.now.since(since) });
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        loop {
            if let Some(output) = self.queue.pop_front() {
                return Some(output);
            }
            let plan = *self.plans.front()?;
            match self.slots.take(self.now, plan.phase)? {
                Moment::Beginning => {
                    self.advance(plan);
                    self.publish_all(plan);
                }
                Moment::Phase => {
                    if let Some(message) = self.within_slot(plan) {
                        return Some(Output::Publish(message));
                    }
                }
            }
        }
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    /// `None` when all trials are made, or one has failed.
    fn deadline(&self) -> Option<Instant> {
        if self.queue.is_empty() { self.plans.front().map(|_| self.slots.deadline()) } else { Some(self.now) }
    }
}

#[cfg(test)]
mod tests;
