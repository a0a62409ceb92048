use std::collections::VecDeque;

use safety::{
    Backlog, Clock, ClockReading, Command, CommandMonitor, HEARTBEAT, Implausible, Instant, Machine,
    NotFinite, PublisherCount, Stale, Velocity, WATCHDOG_INTERVAL, earliest,
};

use crate::decision::Request;
use crate::joystick::JoystickSetpoint;
use crate::sensed::Sensed;
use crate::{
    Applied, Channel, Counters, Deviation, Feedback, Joystick, Operation, Params, Reason, ReportedProfile,
    Scaling,
};

/// Inputs of the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command was received.
    CommandReceived(Command),
    /// An invalid command was received.
    CommandRefused(NotFinite),
    /// The publishers of commands were counted. Several are a conflict.
    CommandPublishersCounted(PublisherCount),
    /// A `LuciJoystick` was received: the occupant's stick or another.
    JoystickReceived(Joystick),
    /// A `LuciZoneScaling` was received: its sixteen fields in order.
    ScalingReceived([f32; 16]),
    /// The publishers of scalings were counted.
    ScalingPublishersCounted(PublisherCount),
    /// A `LuciJoystickScaling` was received from the chair; never one that this node published.
    FeedbackReceived(Feedback),
    /// The chair's profile, from `luci/chair_profile`.
    ProfileReceived(i32),
    /// The publishers of the chair's profile were counted, see [`ReportedProfile`].
    ProfilePublishersCounted(PublisherCount),
    /// The clock of stamps; the stamps of commands are compared with it.
    ClockRead(ClockReading),
    /// New parameters.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down.
    Stopping,
}

/// Outputs of the node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Publish this command.
    Drive(Command),
    /// Publish the result of the scaling; follows each [`Output::Drive`]. It is alone when only the factors changed,
    /// for a `LuciJoystick`, and while nothing is commanded.
    PublishApplied(Applied),
}

/// Why a command was invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub(crate) enum Invalid {
    #[error("{0}")]
    NotFinite(NotFinite),
    #[error("{0}")]
    Implausible(Implausible),
    /// The part that no zone judges, and what it may be at most.
    #[error("{0}")]
    Unjudged(Implausible),
}

/// Limits each command to what the zone that it drives into allows.
///
/// * A command is scaled and returned in the call that received it, stamp unchanged. While it is in force and a
///   change of the scaling changes the result, it is published again at once, with its own stamp.
/// * Without a valid scaling (none yet, too old, or two publishers) the result of any command is zero.
/// * A command that is lost (silence) or invalid is replaced by a zero at once and every 0.1 s.
/// * If motion is requested and the result is zero, that zero is marked as [withheld](Command::withheld): no later
///   stage treats it as a release of the stick.
/// * The loss of a command is a stop: by silence, or of a command with motion because no scaling is valid, or because
///   the result is zero while a factor is not a number. After a stop, and before the first zero of a publisher,
///   nothing moves until the publisher has sent a zero ([`CommandMonitor`]).
/// * With profiles the zones are evaluated on the stick in whole percent that the chair makes of the velocity.
/// * The zones judge forward and turn. A command with another part beyond a [zero](Velocity::is_neutral) is refused: it is lost,
///   and the zero in its place withholds its motion. [`Operation::Passthrough`] without profiles carries all parts.
/// * A command is cut to full throw: forward and turn each on its own. With other parts the linear vector is shortened as a whole,
///   and so is the angular one: neither changes its direction.
/// * A `LuciJoystick` has its own channel: the result is only reported by [`Output::PublishApplied`], with the same
///   bounds and timeouts, and it never becomes a command here.
/// * [`Operation::Predict`] commands nothing: no [`Output::Drive`] except one zero on the change from another mode.
/// # Real-time
/// Nothing is allocated after construction, except by [`ZoneScaler::report`] and [`ZoneScaler::health`].
/// # Source
/// LUCI, `luci-ros2-msgs` and its texts; the fail-safe branches are own.
#[derive(Clone, Debug)]
pub struct ZoneScaler {
    pub(crate) params: Params,
    pub(crate) clock: Clock,
    /// Whether it was ever called: before that no suspension can be detected.
    is_running: bool,
    /// Whether the node's life cycle is in the state active.
    pub(crate) is_active: bool,
    pub(crate) commands: CommandMonitor,
    pub(crate) velocity: Request,
    /// The stick in force.
    pub(crate) joystick_setpoint: Option<JoystickSetpoint>,
    pub(crate) joystick: Request,
    pub(crate) sensed: Sensed,
    /// The number of publishers of commands.
    pub(crate) publishers: PublisherCount,
    /// The chair's profile.
    pub(crate) profile: ReportedProfile,
    /// Why the last command was not accepted.
    pub(crate) stale: Option<Stale>,
    /// Whether the last scaling had values that are not factors.
    pub(crate) invalid_factors: bool,
    pub(crate) last_invalid: Option<Invalid>,
    /// The deviation in the chair's last feedback, if it is too large.
    pub(crate) deviation: Option<Deviation>,
    /// The last published velocity.
    pub(crate) driven: Velocity,
    queue: VecDeque<Output>,
    pub(crate) counters: Counters,
}

/// More than one drain produces; beyond it the oldest output is dropped, since the newest one matters.
const QUEUE: usize = 128;

impl ZoneScaler {
    /// A scaler that has received nothing: its first output is a zero.
    pub fn new(params: Params) -> Self {
        let mut scaler = Self {
            clock: Clock::default(),
            is_running: false,
            is_active: true,
            commands: CommandMonitor::default(),
            velocity: Request::new(Channel::Velocity, params.published.input_source, Some(Instant::ZERO)),
            joystick_setpoint: None,
            joystick: Request::new(Channel::Joystick, params.published.input_source, None),
            sensed: Sensed::new(),
            publishers: PublisherCount::default(),
            profile: ReportedProfile::default(),
            stale: None,
            invalid_factors: false,
            last_invalid: None,
            deviation: None,
            driven: Velocity::ZERO,
            queue: VecDeque::with_capacity(QUEUE),
            counters: Counters::default(),
            params,
        };
        scaler.velocity.applied = scaler.standing_still();
        scaler
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The result for the last command, as of the last call.
    pub fn applied(&self) -> &Applied {
        &self.velocity.applied
    }

    /// The result for the last `LuciJoystick`, as of the last call; `None` before the first.
    pub fn applied_to_joystick(&self) -> Option<&Applied> {
        (self.counters.joysticks > 0).then_some(&self.joystick.applied)
    }

    /// The factors in force, as of the last call; while they rise, lower than the received ones.
    pub fn scaling(&self) -> &Scaling {
        self.sensed.in_force()
    }

    /// Counts since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.velocity.absent == Reason::Stopping
    }

    pub(crate) fn is_commanding(&self) -> bool {
        self.params.operation != Operation::Predict
    }

    fn pass_to(&mut self, now: Instant) {
        self.clock.pass_to(now, self.deadline().filter(|_| self.is_running));
        self.is_running = true;
    }

    /// Advances the time: expired inputs are lost. A rise of the factors is applied if `sample` is set. Requests in
    /// force are scaled again if something differs from the last time; for a message `changed` shows that.
    fn update(&mut self, sample: bool, changed: bool) {
        let is_other = self.sensed.advance(self.clock.now(), &self.params, sample) || changed;
        self.expire_command();
        self.expire_joystick();
        if is_other {
            self.update_command();
            self.update_joystick();
        }
    }

    pub(crate) fn refuse_command(&mut self, invalid: Invalid) {
        self.counters.commands += 1;
        self.counters.invalid_commands += 1;
        self.last_invalid = Some(invalid);
        let reason = match invalid {
            Invalid::NotFinite(_) | Invalid::Implausible(_) => Reason::CommandInvalid,
            Invalid::Unjudged(_) => Reason::CommandUnjudged,
        };
        // Once only: a flood of invalid messages must not become a flood of zeros.
        let known = self.commands.command().is_none() && self.velocity.absent >= Reason::CommandInvalid;
        match invalid {
            Invalid::Unjudged(_) => self.commands.refuse(self.clock.now()),
            Invalid::NotFinite(_) | Invalid::Implausible(_) if !known => self.commands.lose(),
            Invalid::NotFinite(_) | Invalid::Implausible(_) => {}
        }
        if !known {
            self.lose_command(reason);
        } else if !self.is_stopping() {
            self.velocity.absent = reason;
        }
    }

    fn receive_scaling(&mut self, fields: &[f32; 16]) {
        let (scaling, invalid) = Scaling::from_fields(fields);
        self.counters.scalings += 1;
        if !self.sensed.receive(&self.clock, scaling, self.params.scaling_timeout) {
            self.counters.old_scalings += 1;
            return;
        }
        self.invalid_factors = invalid > 0;
        self.counters.invalid_factors += u64::from(invalid);
    }

    /// Compares the chair's feedback with the prediction for the same source.
    fn receive_feedback(&mut self, feedback: &Feedback) {
        self.counters.feedbacks += 1;
        if !feedback.is_valid() {
            self.counters.invalid_feedbacks += 1;
            return;
        }
        let channels = [
            (self.velocity.applied.input_source, &mut self.velocity.predicted),
            (self.joystick.applied.input_source, &mut self.joystick.predicted),
        ];
        let same = channels.into_iter().filter(|(source, _)| *source == feedback.input_source);
        let nearest = same.filter_map(|(_, predicted)| predicted.deviation(self.clock.now(), feedback)).min();
        self.counters.uncompared += u64::from(nearest.is_none());
        let tolerance = self.params.published.deviation_tolerance;
        self.deviation = nearest.filter(|deviation| deviation.percent > tolerance || deviation.zone);
        self.counters.deviations += u64::from(self.deviation.is_some());
    }

    fn change(&mut self, params: Params) {
        self.sensed.anchor(self.clock.now(), self.params.rise_time);
        let was_commanding = self.is_commanding();
        let is_another = self.params.operation != params.operation;
        self.params = params;
        if !is_another || self.is_stopping() {
            return;
        }
        // Motion was not requested under the new rules: its publisher has to send a zero first.
        self.commands.lose();
        self.velocity.lose(Reason::WaitsForZero);
        self.velocity.next_zero = Some(self.clock.now() + HEARTBEAT);
        if was_commanding {
            self.driven = Velocity::ZERO;
            self.push(Output::Drive(self.own_zero()));
            self.push(Output::PublishApplied(self.standing_still()));
        }
    }

    fn end(&mut self) {
        if self.is_stopping() {
            return;
        }
        self.commands.lose();
        self.lose_command(Reason::Stopping);
        if self.counters.joysticks > 0 {
            self.lose_joystick(Reason::Stopping);
        }
    }

    pub(crate) fn push(&mut self, output: Output) {
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
        self.pass_to(now);
        if let Input::ClockRead(reading) = input {
            self.clock.read(now, reading);
            return; // the effects of time follow in the next call, at the same instant
        }
        self.update(false, false); // time first: expired inputs are lost before the next input
        match input {
            Input::CommandReceived(command) => self.receive_command(command),
            Input::CommandRefused(invalid) => self.refuse_command(Invalid::NotFinite(invalid)),
            Input::CommandPublishersCounted(count) => {
                if self.publishers.update(count) {
                    self.commands.require_zero();
                }
            }
            Input::JoystickReceived(joystick) => self.receive_joystick(&joystick),
            Input::ScalingPublishersCounted(count) => self.sensed.count(count),
            Input::ScalingReceived(fields) => self.receive_scaling(&fields),
            Input::FeedbackReceived(feedback) => self.receive_feedback(&feedback),
            Input::ProfileReceived(number) => self.profile.receive(number),
            Input::ProfilePublishersCounted(count) => self.profile.count(count),
            Input::ClockRead(_) => {}
            Input::ParametersChanged(params) => self.change(params),
            Input::ActivityChanged(is_active) => {
                self.is_active = is_active;
                self.commands.require_zero();
            }
            Input::Stopping => self.end(),
        }
        self.update(true, true);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        let now = self.clock.now();
        self.update(self.sensed.is_due(now), false);
        if self.velocity.next_zero.is_some_and(|at| at <= now) {
            self.stop_command();
        }
        if self.joystick.next_zero.is_some_and(|at| at <= now) {
            self.stop_joystick();
        }
        self.queue.pop_front()
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn asks_for_motion(input: &Input) -> bool {
        matches!(input, Input::CommandReceived(command) if !command.velocity.is_neutral())
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        if !self.queue.is_empty() {
            return Some(now);
        }
        let timeout = self.params.command_timeout;
        let stick = self
            .joystick_setpoint
            .map(|joystick_setpoint| joystick_setpoint.received.expiry(timeout))
            .or(self.joystick.next_zero);
        let Some(command) = self.commands.expiry(timeout) else {
            let requests = earliest(self.velocity.next_zero, stick);
            // Without a request in force the factors have no effect.
            let factors =
                self.joystick_setpoint.and_then(|_| self.sensed.deadline(now, self.params.scaling_timeout));
            return earliest(requests, factors);
        };
        let factors = self.sensed.deadline(now, self.params.scaling_timeout);
        // A suspension of the process (stopped, starved) must be detected while something drives.
        let watchdog = earliest(Some(now + WATCHDOG_INTERVAL), factors);
        earliest(earliest(Some(command), stick), watchdog)
    }
}
