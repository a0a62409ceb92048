use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;

use units::{
    BeyondReason, Clock, Command, CommandMonitor, HEARTBEAT, Instant, Machine, NotFinite, PublisherCount,
    Stale, Stamp, Velocity, earliest,
};

use crate::joystick_channel::Stirred;
use crate::request::Request;
use crate::sensed::Sensed;
use crate::{
    Applied, Channel, Counters, Deviation, Feedback, Joystick, Operation, Params, Reason, Scaling,
    ToldProfile,
};

/// All that can happen to the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// A command came.
    CommandReceived(Command),
    /// A message came that was no command and could not be taken for one.
    CommandRefused(NotFinite),
    /// So many publish commands, of whatever type; [`usize::MAX`] if the graph cannot tell. More than one is a conflict.
    CommandersCounted(usize),
    /// A `LuciJoystick` came: the occupant's stick or another.
    JoystickReceived(Joystick),
    /// A `LuciZoneScaling` came; its sixteen fields in their order.
    ScalingReceived([f32; 16]),
    /// So many publish scalings, counted as commands' publishers are.
    ScalersCounted(usize),
    /// A `LuciJoystickScaling` came from the chair; never one that this node has published.
    FeedbackReceived(Feedback),
    /// The chair is in this profile, by `luci/chair_profile`.
    ProfileReceived(i32),
    /// So many publish the chair's profile, counted likewise, see [`ToldProfile`].
    ProfilersCounted(usize),
    /// The wall clock shows this: commands' stamps are judged by it.
    ClockRead(Stamp),
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
    /// Publish what was done; follows each [`Output::Drive`]. It comes alone when only the factors changed, for a
    /// `LuciJoystick`, and while nothing is commanded.
    PublishApplied(Applied),
}

/// Why a message was no command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Invalid {
    NotFinite(NotFinite),
    BeyondReason(BeyondReason),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(why) => why.fmt(f),
            Self::BeyondReason(why) => why.fmt(f),
        }
    }
}

/// Leaves of each command what the zone allows that it drives into.
///
/// * A command goes out scaled from the call that brought it, stamp unchanged. While it is in force and the scaling
///   changes what is left of it, it goes out again at once, with its own stamp.
/// * Without a scaling that counts (none yet, too old, or two publishers) nothing is left of any command.
/// * A command that is lost (silence) or invalid is replaced by a zero at once and every 0.1 s.
/// * Where motion is asked for and none is left, the zero that goes out says that it is [withheld](Command::withheld): no later
///   stage takes it for the hand that lets go.
/// * Losing the command by silence, or one that asked for motion because no scaling counts or because nothing is left of it while
///   a factor is no number, is a stop: nothing moves until its publisher has sent a zero, nor before its first one
///   ([`CommandMonitor`]).
/// * With profiles the zones are judged on the stick in whole percents that the chair makes of the velocity.
/// * Only forward and turn survive; a command is cut to full throw.
/// * A `LuciJoystick` has a channel of its own: what would be left of it is told by [`Output::PublishApplied`] alone,
///   with the same bounds and time-outs, and it never becomes a command here.
/// * [`Operation::Predict`] commands nothing: no [`Output::Drive`] but one zero on the change from another mode.
/// # Real-time
/// Nothing is allocated after construction, but by [`ZoneScaler::report`] and [`ZoneScaler::health`].
/// # Source
/// LUCI, `luci-ros2-msgs` and its texts; the fail-safe branches are own.
#[derive(Clone, Debug)]
pub struct ZoneScaler {
    pub(crate) params: Params,
    pub(crate) clock: Clock,
    /// Whether it was ever called: before, nobody was held.
    is_running: bool,
    pub(crate) commands: CommandMonitor,
    pub(crate) velocity: Request,
    /// The stick in force.
    pub(crate) stirred: Option<Stirred>,
    pub(crate) joystick: Request,
    pub(crate) sensed: Sensed,
    /// How many publish commands.
    pub(crate) publishers: PublisherCount,
    /// The chair's profile.
    pub(crate) profile: ToldProfile,
    /// Why the last command did not count.
    pub(crate) stale: Option<Stale>,
    /// Whether the last scaling held values that are not factors.
    pub(crate) invalid_factors: bool,
    pub(crate) last_invalid: Option<Invalid>,
    /// How far the chair was off when it was heard last, if that is too far.
    pub(crate) deviation: Option<Deviation>,
    /// The velocity that went out last.
    pub(crate) driven: Velocity,
    queue: VecDeque<Output>,
    pub(crate) counters: Counters,
}

/// More than one drain ever leaves; beyond it the oldest output goes, since the newest is the one that counts.
const QUEUE: usize = 128;

impl ZoneScaler {
    /// A scaler that has heard nothing: its first output is a zero.
    pub fn new(params: Params) -> Self {
        let mut scaler = Self {
            clock: Clock::default(),
            is_running: false,
            commands: CommandMonitor::default(),
            velocity: Request::new(Channel::Velocity, params.input_source, Some(Instant::ZERO)),
            stirred: None,
            joystick: Request::new(Channel::Joystick, params.input_source, None),
            sensed: Sensed::new(),
            publishers: PublisherCount::default(),
            profile: ToldProfile::default(),
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

    /// What was done to the last command, as of the last call.
    pub fn applied(&self) -> &Applied {
        &self.velocity.applied
    }

    /// What would be left of the last `LuciJoystick`, as of the last call; `None` before the first.
    pub fn applied_to_joystick(&self) -> Option<&Applied> {
        (self.counters.joysticks > 0).then_some(&self.joystick.applied)
    }

    /// The factors in force, as of the last call: while they rise, less than those that came last.
    pub fn scaling(&self) -> &Scaling {
        self.sensed.in_force()
    }

    /// What has come and gone since the start.
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

    /// Lets time act: what is over by now is lost. A rise of the factors shows if `sample` asks for it. What is left of what is
    /// in force is judged again where something is another than at the last judgement, which `heard` says of a message.
    fn settle(&mut self, sample: bool, heard: bool) {
        let is_other = self.sensed.advance(self.clock.now(), &self.params, sample) || heard;
        self.expire_command();
        self.expire_joystick();
        if is_other {
            self.settle_command();
            self.settle_joystick();
        }
    }

    pub(crate) fn refuse_command(&mut self, invalid: Invalid) {
        self.counters.commands += 1;
        self.counters.invalid_commands += 1;
        self.last_invalid = Some(invalid);
        // Once is enough: a flood of invalid messages must not become a flood of zeros.
        let known = self.commands.command().is_none() && self.velocity.absent >= Reason::CommandInvalid;
        if !known {
            self.commands.lose();
            self.lose_command(Reason::CommandInvalid);
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

    /// Compares what the chair has done with what was predicted for the same source.
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
        let tolerance = self.params.deviation_tolerance;
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
        // Nobody asked for motion under other rules: whoever moved sends a zero first.
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
        if let Input::ClockRead(stamp) = input {
            self.clock.read(now, stamp);
            return; // what time does comes with the next call, which is at this same instant
        }
        self.settle(false, false); // time first: what is lost by now is lost before the next thing happens
        match input {
            Input::CommandReceived(command) => self.receive_command(command),
            Input::CommandRefused(invalid) => self.refuse_command(Invalid::NotFinite(invalid)),
            Input::CommandersCounted(count) => {
                if self.publishers.set(count) {
                    self.commands.require_zero();
                }
            }
            Input::JoystickReceived(joystick) => self.receive_joystick(&joystick),
            Input::ScalersCounted(count) => self.sensed.count(count),
            Input::ScalingReceived(fields) => self.receive_scaling(&fields),
            Input::FeedbackReceived(feedback) => self.receive_feedback(&feedback),
            Input::ProfileReceived(number) => self.profile.receive(number),
            Input::ProfilersCounted(count) => self.profile.count(count),
            Input::ClockRead(_) => {}
            Input::ParametersChanged(params) => self.change(params),
            Input::Stopping => self.end(),
        }
        self.settle(true, true);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        let now = self.clock.now();
        self.settle(self.sensed.is_due(now), false);
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

    fn deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        if !self.queue.is_empty() {
            return Some(now);
        }
        let timeout = self.params.command_timeout;
        let stick = self.stirred.map(|stirred| stirred.said.expiry(timeout)).or(self.joystick.next_zero);
        let Some(command) = self.commands.expiry(timeout) else {
            let requests = earliest(self.velocity.next_zero, stick);
            // With nothing in force the factors change nothing.
            let factors = self.stirred.and_then(|_| self.sensed.deadline(now, self.params.scaling_timeout));
            return earliest(requests, factors);
        };
        let factors = self.sensed.deadline(now, self.params.scaling_timeout);
        // Whoever is held (stopped, starved, suspended) while something drives is to notice it.
        let look = earliest(Some(now + LOOK), factors);
        earliest(earliest(Some(command), stick), look)
    }
}

/// While a command is in force the machine is called at least this often.
const LOOK: Duration = Duration::from_millis(50);
