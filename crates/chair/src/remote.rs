use core::time::Duration;

use safety::freshness::is_stale;
use safety::{
    Backlog, Clock, Command, CommandMonitor, Instant, MAX_PLAUSIBLE, Machine, NotFinite, PublisherCount,
    Received, Stale, Velocity, WATCHDOG_INTERVAL, earliest,
};
use zones::ReportedProfile;

use crate::feedback::{Evidence, Feedback, Topic};
use crate::life_cycle::Request;
use crate::{
    BadJoystick, Counters, Fault, Hold, Input, Joystick, Output, RemoteParams, Service, Source, State,
};

/// Drives a chair through LUCI's remote joystick, only while the chair reports that the mode is in force.
///
/// * A stick is published at least every period, at once when neutral replaces another stick, and after 10 ms at the
///   earliest when a command changes it. Anything but neutral needs the state [`State::Active`]: the mode entered by
///   a service that answered, our source reported by the chair regularly and recently, one publisher each of commands
///   and of sticks, a fresh command, and a calibration for the chair's profile.
/// * A command with motion while one of these is missing, or any lost command, is a stop: its publisher has to send a
///   zero before anything moves ([`CommandMonitor`]).
/// * `Feedback` describes what confirms the source and what contradicts it; a mode that was left is not taken back.
/// * Every joystick has its zone and the mode's source.
/// # Real-time
/// Nothing is allocated after construction, except by [`Remote::report`], [`Remote::health`] and parameters that
/// change.
/// # Source
/// LUCI `luci-ros2-grpc` 2.0.3 and its texts; the life cycle and the fail-safe branches are own.
#[derive(Clone, Debug)]
pub struct Remote {
    pub(crate) params: RemoteParams,
    pub(crate) clock: Clock,
    pub(crate) state: State,
    pub(crate) feedback: Feedback,
    pub(crate) profile: ReportedProfile,
    pub(crate) fault: Option<Fault>,
    pub(crate) counters: Counters,
    /// Why the last message was rejected; `None` after an accepted command.
    pub(crate) rejection: Option<Rejection>,
    pub(crate) bad_feedback: Option<BadJoystick>,
    /// The source that the chair reported in between; nothing moves until the next activation.
    pub(crate) taken_by: Option<Source>,
    pub(crate) command: CommandMonitor,
    /// The number of publishers of commands.
    pub(crate) publishers: PublisherCount,
    /// The number of publishers of sticks for the chair, this node included.
    pub(crate) stick_publishers: PublisherCount,
    /// The number of publishers of each of the two topics on which the chair reports its source.
    pub(crate) feedback_publishers: [PublisherCount; 2],
    /// Whether the mode is wanted, for the time after it was left.
    pub(crate) wanted: bool,
    /// Whether the node's life cycle is in the state active; otherwise the mode is left, and not entered.
    pub(crate) is_active: bool,
    pub(crate) stopping: bool,
    pub(crate) request: Option<Request>,
    /// When the mode was last requested, until that is answered: it may still be entered.
    pub(crate) open: Option<Instant>,
    /// Neutral must be published before anything else.
    pub(crate) neutral_first: bool,
    pub(crate) call: Option<Service>,
    /// The last published stick and its time; `None` since the last activation.
    pub(crate) sent: Option<(Joystick, Instant)>,
}

/// Why a message is not an accepted command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Rejection {
    Invalid(NotFinite),
    Stale(Stale),
    Implausible,
    NotNeutral,
}

/// The minimum gap between two sticks that drive: LUCI's node handles them one by one over a network.
const MIN_GAP: Duration = Duration::from_millis(10);

impl Remote {
    /// A machine that drives nothing until it is activated.
    pub fn new(params: RemoteParams) -> Self {
        Self {
            params,
            clock: Clock::default(),
            state: State::Inactive,
            feedback: Feedback::default(),
            profile: ReportedProfile::default(),
            fault: None,
            counters: Counters::default(),
            rejection: None,
            taken_by: None,
            bad_feedback: None,
            command: CommandMonitor::default(),
            publishers: PublisherCount::NONE,
            stick_publishers: PublisherCount::NONE,
            feedback_publishers: [PublisherCount::NONE; 2],
            wanted: false,
            is_active: true,
            stopping: false,
            request: None,
            open: None,
            neutral_first: false,
            call: None,
            sent: None,
        }
    }

    /// The parameters in force.
    pub fn params(&self) -> &RemoteParams {
        &self.params
    }

    /// The time as of the last call.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Whether the node's life cycle is active; without, nothing enters the mode.
    pub fn is_active(&self) -> bool {
        self.is_active
    }

    /// The state, as of the last call.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether a stopping node has left the mode, or given up: it may end.
    ///
    /// This takes at most (service_timeout + confirm_timeout) times service_attempts, and service_timeout more if the
    /// mode was requested just before; twice that if the chair then answers after all.
    pub fn is_finished(&self) -> bool {
        self.stopping && self.state == State::Inactive
    }

    /// The stick to publish and the service to call when the node breaks down and this machine can no longer be
    /// called.
    ///
    /// Both are constant, so they can be stored beside the machine from the start.
    pub fn final_outputs(&self) -> (Joystick, Service) {
        (self.neutral(), self.params.mode.remove())
    }

    /// The velocity of a stick in the chair's profile; `None` if the profile is unknown or not calibrated.
    pub fn velocity(&self, joystick: &Joystick) -> Option<Velocity> {
        let calibration = self.params.profiles.of(self.profile.number()?)?;
        Some(calibration.velocity(joystick.forward_back(), joystick.left_right()))
    }

    /// The source that the chair must report.
    pub(crate) fn source(&self) -> Source {
        self.params.mode.source()
    }

    pub(crate) fn evidence(&self) -> Evidence {
        self.feedback.evidence(self.clock.now(), self.params.mode, self.params.feedback_timeout)
    }

    fn neutral(&self) -> Joystick {
        Joystick::neutral(self.source())
    }

    fn receive(&mut self, command: Command) {
        self.counters.commands += 1;
        match self.command.receive(&self.clock, command, self.params.command_timeout) {
            Received::InForce => self.rejection = None,
            Received::WaitsForZero => {
                self.rejection = Some(Rejection::NotNeutral);
                return;
            }
            Received::Stopped(stale) | Received::Refused(stale) => {
                self.rejection = Some(Rejection::Stale(stale));
                match stale {
                    Stale::Late => self.counters.late_commands += 1,
                    Stale::Old { .. } | Stale::Repeated { .. } | Stale::NoTime => {
                        self.counters.old_commands += 1
                    }
                    Stale::Ahead { .. } => self.counters.future_commands += 1,
                }
                return;
            }
        }
        let ([_, y, z], [roll, pitch, _]) = (command.velocity.linear(), command.velocity.angular());
        self.counters.dropped_parts += u64::from([y, z, roll, pitch].iter().any(|&part| part != 0.0));
        match self.requested_stick() {
            Ok((_, cut)) => self.counters.cut += u64::from(cut),
            Err(Hold::CommandImplausible) => self.counters.implausible_commands += 1,
            Err(_) => {}
        }
    }

    /// The stick for the command in force and whether it was cut; or why there is none.
    fn requested_stick(&self) -> Result<(Joystick, bool), Hold> {
        if self.publishers.are_several() {
            return Err(Hold::CommandConflict(self.publishers));
        }
        if self.stick_publishers.are_several() {
            return Err(Hold::OtherDrivers(self.stick_publishers));
        }
        let [position, scaling] = self.feedback_publishers;
        let feedback = [position, scaling, self.profile.publishers()];
        if let Some(count) = feedback.into_iter().find(|count| count.are_several()) {
            return Err(Hold::OtherChairs(count));
        }
        let profile = self.profile.number().ok_or(Hold::ProfileMissing)?;
        let calibration = self.params.profiles.of(profile).ok_or(Hold::NotCalibrated(profile))?;
        let command = self.command.command().ok_or(match self.rejection {
            None => Hold::CommandMissing,
            Some(Rejection::Invalid(_)) => Hold::CommandInvalid,
            Some(Rejection::Stale(stale)) => Hold::CommandStale(stale),
            Some(Rejection::Implausible) => Hold::CommandImplausible,
            Some(Rejection::NotNeutral) => Hold::NotNeutral,
        })?;
        if calibration.excess(&command.velocity) > MAX_PLAUSIBLE {
            return Err(Hold::CommandImplausible);
        }
        let stick = calibration.deflection(&command.velocity);
        let RemoteParams { boundaries, .. } = &self.params;
        let joystick = Joystick::new(stick.forward_back, stick.left_right, self.source(), boundaries);
        Ok((joystick, stick.cut))
    }

    /// Why only neutral may be published; `None` while commands are followed.
    pub fn hold(&self) -> Option<Hold> {
        match self.state {
            State::Inactive => Some(Hold::Inactive),
            State::Activating => Some(Hold::Activating),
            State::Deactivating => Some(Hold::Deactivating),
            State::Lost | State::Confirmed | State::Active => match self.evidence() {
                Evidence::Silent => Some(Hold::FeedbackSilent),
                Evidence::Wrong(source) => Some(Hold::WrongSource(source)),
                Evidence::Scarce => Some(Hold::FeedbackScarce),
                Evidence::Right => match self.requested_stick() {
                    _ if self.taken_by.is_some() => self.taken_by.map(Hold::Taken),
                    asked => asked.err(),
                },
            },
        }
    }

    /// The stick to send now.
    fn stick(&self) -> Joystick {
        match self.requested_stick() {
            Ok((joystick, _)) if self.state == State::Active => joystick,
            _ => self.neutral(),
        }
    }

    /// Updates the state from time and inputs.
    fn update(&mut self) {
        let is_lost = self.command.expire(self.clock.now(), self.params.command_timeout);
        self.counters.lost_commands += u64::from(is_lost);
        match self.state {
            State::Inactive if self.wanted && !self.stopping => self.activate(),
            State::Inactive => {}
            State::Activating => self.update_activating(),
            State::Confirmed | State::Active | State::Lost => self.update_driving(),
            State::Deactivating => self.update_deactivating(),
        }
        // A stick that was held before the chair followed, or throughout a loss, is not a current request.
        let moves = self.command.command().is_some_and(|command| command.asks_for_motion());
        if moves && self.state != State::Active {
            let is_mistake = self.requested_stick() == Err(Hold::CommandImplausible);
            self.command.lose();
            self.rejection = Some(if is_mistake { Rejection::Implausible } else { Rejection::NotNeutral });
        }
    }

    pub(crate) fn update_driving(&mut self) {
        let (before, evidence) = (self.state, self.evidence());
        if let Evidence::Wrong(source) = evidence {
            self.taken_by = Some(source); // the node does not drive against the source that ended the mode or entered it since
        }
        self.state = match evidence {
            _ if self.taken_by.is_some() => State::Lost,
            Evidence::Right if self.requested_stick().is_ok() => State::Active,
            Evidence::Right => State::Confirmed,
            _ => State::Lost,
        };
        if self.state == State::Lost && before != State::Lost {
            self.counters.lost_chairs += 1;
        }
    }

    /// Leaves the mode, also one that another node left behind.
    fn leave(&mut self) {
        self.wanted = false;
        self.command.lose();
        let is_left_over = self.state == State::Inactive && self.is_left_over() && !self.stopping;
        if is_left_over || !matches!(self.state, State::Inactive | State::Deactivating) {
            self.deactivate();
        }
    }

    fn receive_source(&mut self, topic: Topic, source: Source) {
        let RemoteParams { mode, feedback_timeout, .. } = self.params;
        if !self.feedback.receive(&self.clock, topic, source, mode, feedback_timeout) {
            return;
        }
        self.counters.feedback += 1;
        self.counters.wrong_sources +=
            u64::from(source != self.source() && matches!(self.state, State::Confirmed | State::Active));
    }

    /// When the next stick is due.
    fn publish_at(&self) -> Option<Instant> {
        if self.state == State::Inactive {
            return None;
        }
        let Some((last, at)) = self.sent else { return Some(self.clock.now()) };
        let stick = self.stick();
        let period = self.params.period.max(Duration::from_millis(1));
        let gap = if stick == last {
            period
        } else if stick.is_neutral() {
            return Some(self.clock.now());
        } else {
            MIN_GAP.min(period)
        };
        Some(at + gap)
    }

    fn pass_to(&mut self, now: Instant) {
        self.clock.pass_to(now, self.deadline());
    }

    fn publish(&mut self, joystick: Joystick) -> Output {
        self.sent = Some((joystick, self.clock.now()));
        self.counters.published += 1;
        Output::PublishJoystick(joystick)
    }
}

impl Machine for Remote {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        if let Input::ClockRead(reading) = input {
            self.clock.read(now, reading);
            return; // the effects of time follow in the next call, at the same instant
        }
        self.update(); // time first: expired inputs are lost before the next input
        match input {
            // A request that waited while the node was held may be one that its user has given up.
            Input::Activated if self.stopping || !self.is_active || is_stale(&self.clock) => {}
            Input::Activated => {
                self.wanted = true;
                if self.state == State::Lost {
                    self.activate();
                }
            }
            Input::ActivityChanged(true) => self.is_active = true,
            Input::ActivityChanged(false) => {
                self.is_active = false;
                self.leave();
            }
            Input::Deactivated | Input::Stopping => {
                self.stopping |= matches!(input, Input::Stopping);
                self.leave();
            }
            Input::CommandReceived(command) => self.receive(command),
            Input::CommandRefused(invalid) => {
                self.counters.commands += 1;
                self.counters.invalid_commands += 1;
                self.command.lose();
                self.rejection = Some(Rejection::Invalid(invalid));
            }
            Input::PublishersCounted(count) => {
                if self.publishers.update(count) {
                    self.command.require_zero();
                }
            }
            Input::StickPublishersCounted(count) => self.stick_publishers = count,
            Input::PositionPublishersCounted(count) => self.feedback_publishers[0] = count,
            Input::ScalingPublishersCounted(count) => self.feedback_publishers[1] = count,
            Input::ProfilePublishersCounted(count) => self.profile.count(count),
            Input::ClockRead(_) => {}
            Input::ProfileReceived(number) => self.profile.receive(number),
            Input::ScalingReceived(source) => self.receive_source(Topic::Scaling, source),
            Input::PositionReceived(joystick) => self.receive_source(Topic::Position, joystick.source()),
            Input::FeedbackRefused(bad) => {
                self.counters.invalid_feedback += 1;
                self.bad_feedback = Some(bad);
            }
            Input::ServiceAnswered(service) => self.receive_answer(service),
            Input::ParametersChanged(params) => {
                // With another calibration the stick would jump: it is kept, like the mode.
                let profiles = core::mem::take(&mut self.params.profiles);
                self.params = RemoteParams { mode: self.params.mode, profiles, ..params };
            }
        }
        self.update();
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        self.update();
        if core::mem::take(&mut self.neutral_first) {
            return Some(self.publish(self.neutral()));
        }
        if let Some(service) = self.call.take() {
            self.counters.calls += 1;
            return Some(Output::Call(service));
        }
        if self.publish_at().is_some_and(|at| at <= self.clock.now()) {
            return Some(self.publish(self.stick()));
        }
        None
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::PublishJoystick(_) => Backlog::Recent,
            Output::Call(_) => Backlog::Each, // among them the end of the mode
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        if self.neutral_first || self.call.is_some() {
            return Some(now);
        }
        let lost = self.command.expiry(self.params.command_timeout).map(|at| at.min(now + WATCHDOG_INTERVAL));
        let silent = match self.state {
            State::Confirmed | State::Active => self.feedback.silent_at(now, self.params.feedback_timeout),
            _ => None,
        };
        let open = self.open_until().filter(|&at| self.state == State::Deactivating && at > now);
        // While a mode may still be entered nothing is requested again, see `update_deactivating`.
        let asked = self.request.map(|request| open.unwrap_or(request.deadline(&self.params)));
        earliest(earliest(lost, asked), earliest(silent, self.publish_at()))
    }
}
