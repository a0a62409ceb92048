use std::collections::VecDeque;

use units::{Command, Instant, Machine, NotFinite, Stamp, Velocity, earliest};

use crate::{Applied, Counters, Factors, Params, Reason, Scaling, Stick, scale, scale_keeping_direction};

/// All that can happen to the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command came.
    CommandReceived(Command),
    /// A message came that was no command and could not be taken for one.
    CommandRefused(NotFinite),
    /// A `LuciZoneScaling` came; its sixteen fields in their order.
    ScalingReceived([f32; 16]),
    /// The parameters in force are these from now on.
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

/// All that the node can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Publish this command.
    Drive(Command),
    /// Publish what was done; follows each [`Output::Drive`], and comes alone when only the factors changed.
    PublishApplied(Applied),
}

/// Leaves of each command what the zone allows that it drives into.
///
/// * A command goes out scaled from the call that brought it, stamp unchanged. While it is in force and the scaling
///   changes what is left of it, it goes out again at once, with its own stamp.
/// * Without a scaling that counts (none yet, or too old) the cautious factor serves every zone.
/// * A command that is lost (silence) or invalid is replaced by a zero at once and every heartbeat, with the stamp of
///   the last command.
/// * Only forward and turn survive; a command is cut to full throw.
/// # Real-time
/// Nothing is allocated after construction, but by [`ZoneScaler::report`] and [`ZoneScaler::health`].
/// # Source
/// LUCI, `luci-ros2-msgs` and its texts; the fail-safe branches are own.
#[derive(Clone, Debug)]
pub struct ZoneScaler {
    params: Params,
    now: Instant,
    /// The command in force and when it came.
    command: Option<(Command, Instant)>,
    /// Why no command is in force.
    absent: Reason,
    /// The last scaling and when it came.
    scaling: Option<(Scaling, Instant)>,
    /// Whether the last scaling held values that are not factors.
    invalid_factors: bool,
    last_invalid: Option<NotFinite>,
    /// The stamp of the last command.
    last_stamp: Stamp,
    /// The velocity that went out last.
    driven: Velocity,
    applied: Applied,
    /// When the next zero is due; `None` while a command is in force.
    next_zero: Option<Instant>,
    queue: VecDeque<Output>,
    counters: Counters,
}

/// More than one drain ever leaves; beyond it the oldest output goes, since the newest is the one that counts.
const QUEUE: usize = 128;

impl ZoneScaler {
    /// A scaler that has heard nothing: its first output is a zero.
    pub fn new(params: Params) -> Self {
        Self {
            params,
            now: Instant::ZERO,
            command: None,
            absent: Reason::CommandStale,
            scaling: None,
            invalid_factors: false,
            last_invalid: None,
            last_stamp: Stamp::ZERO,
            driven: Velocity::ZERO,
            applied: Applied::stop(Reason::CommandStale),
            next_zero: Some(Instant::ZERO),
            queue: VecDeque::with_capacity(QUEUE),
            counters: Counters::default(),
        }
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// What was done to the last command, as of the last call.
    pub fn applied(&self) -> &Applied {
        &self.applied
    }

    /// What has come and gone since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn has_invalid_factors(&self) -> bool {
        self.invalid_factors
    }

    pub(crate) fn last_invalid(&self) -> Option<NotFinite> {
        self.last_invalid
    }

    fn is_stopping(&self) -> bool {
        self.absent == Reason::Stopping
    }

    fn receive(&mut self, command: Command) {
        self.counters.commands += 1;
        if self.is_stopping() {
            return;
        }
        let ([x, y, z], [roll, pitch, turn]) = (command.velocity.linear(), command.velocity.angular());
        self.counters.dropped_parts += u64::from([y, z, roll, pitch].iter().any(|&part| part != 0.0));
        let full = self.params.full_throw;
        self.counters.cut += u64::from(x.abs() > full.linear || turn.abs() > full.angular);
        self.command = Some((command, self.now));
        self.last_stamp = command.stamp;
        self.next_zero = None;
        let (velocity, applied) = self.decide(&command.velocity);
        self.drive(velocity, applied);
    }

    /// Lets time and what is known of the zones act on the command in force.
    fn settle(&mut self) {
        let Some((command, at)) = self.command else { return };
        if self.now >= at + self.params.command_timeout {
            self.counters.lost_commands += 1;
            self.lose(Reason::CommandStale);
            return;
        }
        let (velocity, applied) = self.decide(&command.velocity);
        if velocity != self.driven {
            self.drive(velocity, applied);
        } else if applied != self.applied {
            self.applied = applied;
            self.push(Output::PublishApplied(applied));
        }
    }

    /// What is left of `velocity` now, and why.
    fn decide(&self, velocity: &Velocity) -> (Velocity, Applied) {
        let Params { full_throw, scaling: mode, keep_direction, .. } = self.params;
        let input = Stick::asking_for(velocity, full_throw);
        let zone = self.params.boundaries.classify(input);
        let missing = Scaling::uniform(self.params.missing_factor).of(zone);
        let (factors, reason) = match self.scaling {
            _ if self.params.passthrough => (Factors::ALL, Reason::PassedThrough),
            None => (missing, Reason::ScalingMissing),
            Some((_, at)) if self.now >= at + self.params.scaling_timeout => (missing, Reason::ScalingStale),
            Some((scaling, _)) => (scaling.of(zone), Reason::Scaled),
        };
        let (factors, output) = if keep_direction {
            (factors.smaller(), scale_keeping_direction(mode, input, factors))
        } else {
            (factors, scale(mode, input, factors))
        };
        (full_throw.left_of(velocity, input, output), Applied::new(output, zone, factors, reason))
    }

    /// No command is in force from now on, for `reason`.
    fn lose(&mut self, reason: Reason) {
        self.command = None;
        self.absent = reason;
        self.stop();
    }

    fn stop(&mut self) {
        self.next_zero = (!self.is_stopping()).then(|| self.now + self.params.heartbeat);
        self.drive(Velocity::ZERO, Applied::stop(self.absent));
    }

    fn drive(&mut self, velocity: Velocity, applied: Applied) {
        self.driven = velocity;
        self.applied = applied;
        self.push(Output::Drive(Command { velocity, stamp: self.last_stamp }));
        self.push(Output::PublishApplied(applied));
    }

    fn push(&mut self, output: Output) {
        if self.queue.len() >= QUEUE {
            self.queue.pop_front();
            self.counters.dropped += 1;
        }
        self.queue.push_back(output);
    }
}

impl Machine for ZoneScaler {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        self.settle(); // time first: what is lost by now is lost before the next thing happens
        match input {
            Input::CommandReceived(command) => self.receive(command),
            Input::CommandRefused(invalid) => {
                self.counters.commands += 1;
                self.counters.invalid_commands += 1;
                self.last_invalid = Some(invalid);
                // Once is enough: a flood of invalid messages must not become a flood of zeros.
                let known = self.command.is_none() && self.absent >= Reason::CommandInvalid;
                if !known {
                    self.lose(Reason::CommandInvalid);
                }
            }
            Input::ScalingReceived(fields) => {
                let (scaling, invalid) = Scaling::from_fields(&fields);
                self.scaling = Some((scaling, self.now));
                self.invalid_factors = invalid > 0;
                self.counters.scalings += 1;
                self.counters.invalid_factors += u64::from(invalid);
            }
            Input::ParametersChanged(params) => {
                self.params = params;
                let next = self.now + self.params.heartbeat;
                self.next_zero = self.next_zero.map(|at| at.min(next));
            }
            Input::Stopping if !self.is_stopping() => self.lose(Reason::Stopping),
            Input::Stopping => {}
        }
        self.settle();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.settle();
        if self.next_zero.is_some_and(|at| at <= self.now) {
            self.stop();
        }
        self.queue.pop_front()
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() {
            return Some(self.now);
        }
        let Some((_, at)) = self.command else { return self.next_zero };
        let scaling = self.scaling.map(|(_, at)| at + self.params.scaling_timeout);
        earliest(Some(at + self.params.command_timeout), scaling.filter(|&at| at > self.now))
    }
}
