use core::time::Duration;

use units::{
    BEYOND_REASON, Clock, Command, CommandMonitor, Instant, Machine, NotFinite, PublisherCount, Received,
    Stale, Velocity, earliest,
};
use zones::ReportedProfile;

use crate::feedback::{Evidence, Feedback, Topic};
use crate::request::Request;
use crate::{
    BadJoystick, Counters, Fault, Hold, Input, Joystick, Output, RemoteParams, Service, Source, State,
};

/// Drives a chair through LUCI's remote joystick, and only while the chair shows that it listens.
///
/// * A stick goes out at least every period, at once when neutral takes the place of another, and after 10 ms at the earliest
///   when a command changes it. Anything but neutral needs the state [`State::Active`]: the mode entered by a service that
///   answered, our source shown by the chair regularly and lately, one publisher each of commands and of sticks, a fresh
///   command, and a calibration for the chair's profile.
/// * A command that asks for motion while one of these is missing, or any that is lost, is a stop: its publisher has to send a
///   zero before anything moves ([`CommandMonitor`]).
/// * What shows the source, and what contradicts, is told at `Feedback`; a mode that was left is not taken back.
/// * No joystick is made in any other way than with its zone and the mode's source.
/// # Real-time
/// Nothing is allocated after construction, but by [`Remote::report`], [`Remote::health`] and parameters that change.
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
    /// Why what came last is no command; `None` after one.
    pub(crate) unheard: Option<Unheard>,
    pub(crate) bad_feedback: Option<BadJoystick>,
    /// Who the chair showed in between; nothing moves until somebody activates again.
    pub(crate) taken_by: Option<Source>,
    pub(crate) command: CommandMonitor,
    /// How many publish commands.
    pub(crate) publishers: PublisherCount,
    /// How many publish sticks for the chair, this node included.
    pub(crate) drivers: usize,
    /// How many publish each of the two topics by which the chair shows its source.
    pub(crate) shown_by: [usize; 2],
    /// What somebody wants, for when the mode was left.
    pub(crate) wanted: bool,
    pub(crate) stopping: bool,
    pub(crate) request: Option<Request>,
    /// When the mode was last asked for, until that is answered: it may still be entered.
    pub(crate) open: Option<Instant>,
    /// Neutral is to go out before anything else.
    pub(crate) neutral_first: bool,
    pub(crate) call: Option<Service>,
    /// What went out last and when; `None` since the last activation.
    pub(crate) sent: Option<(Joystick, Instant)>,
}

/// Why something that came is no command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unheard {
    Invalid(NotFinite),
    Stale(Stale),
    BeyondReason,
    NotNeutral,
}

/// Between two sticks that drive: LUCI's node handles them one by one over a network.
const LEAST_GAP: Duration = Duration::from_millis(10);
/// While a command is in force the machine is called at least this often, so that it notices when the process was held.
const LOOK: Duration = Duration::from_millis(50);

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
            unheard: None,
            taken_by: None,
            bad_feedback: None,
            command: CommandMonitor::default(),
            publishers: PublisherCount::default(),
            drivers: 0,
            shown_by: [0; 2],
            wanted: false,
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

    /// Where the node is, as of the last call.
    pub fn state(&self) -> State {
        self.state
    }

    /// Whether a stopping node has left the mode, or given up: it may end.
    ///
    /// That takes at most (service_timeout + confirm_timeout) times service_attempts, and service_timeout more if the mode
    /// was only just asked for; twice that if the chair answers then after all.
    pub fn is_finished(&self) -> bool {
        self.stopping && self.state == State::Inactive
    }

    /// What to publish and then to call when the node breaks down and this machine can no longer be asked.
    ///
    /// The same whatever happened, so that it can be kept beside the machine from the start.
    pub fn last_words(&self) -> (Joystick, Service) {
        (self.neutral(), self.params.mode.remove())
    }

    /// What a stick means as a velocity in the chair's profile; `None` if that is not known or not calibrated.
    pub fn velocity(&self, joystick: &Joystick) -> Option<Velocity> {
        let calibration = self.params.profiles.of(self.profile.number()?)?;
        Some(calibration.velocity(joystick.forward_back(), joystick.left_right()))
    }

    /// The source that the chair must show.
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
            Received::InForce => self.unheard = None,
            Received::WaitsForZero => {
                self.unheard = Some(Unheard::NotNeutral);
                return;
            }
            Received::Stopped(stale) | Received::Refused(stale) => {
                self.unheard = Some(Unheard::Stale(stale));
                match stale {
                    Stale::Late => self.counters.late_commands += 1,
                    Stale::Old { .. } | Stale::Repeated { .. } => self.counters.old_commands += 1,
                    Stale::Ahead { .. } => self.counters.future_commands += 1,
                }
                return;
            }
        }
        let ([_, y, z], [roll, pitch, _]) = (command.velocity.linear(), command.velocity.angular());
        self.counters.dropped_parts += u64::from([y, z, roll, pitch].iter().any(|&part| part != 0.0));
        match self.asked_for() {
            Ok((_, cut)) => self.counters.cut += u64::from(cut),
            Err(Hold::CommandBeyondReason) => self.counters.unreasonable_commands += 1,
            Err(_) => {}
        }
    }

    /// The stick for the command in force and whether it was cut; or why there is none.
    fn asked_for(&self) -> Result<(Joystick, bool), Hold> {
        if self.publishers.are_several() {
            return Err(Hold::Rivals(self.publishers.get()));
        }
        if self.drivers > 1 {
            return Err(Hold::OtherDrivers(self.drivers));
        }
        let [position, scaling] = self.shown_by;
        if let Some(count) =
            [position, scaling, self.profile.publishers()].into_iter().find(|&count| count > 1)
        {
            return Err(Hold::OtherChairs(count));
        }
        let profile = self.profile.number().ok_or(Hold::ProfileMissing)?;
        let calibration = self.params.profiles.of(profile).ok_or(Hold::NotCalibrated(profile))?;
        let command = self.command.command().ok_or(match self.unheard {
            None => Hold::CommandMissing,
            Some(Unheard::Invalid(_)) => Hold::CommandInvalid,
            Some(Unheard::Stale(stale)) => Hold::CommandStale(stale),
            Some(Unheard::BeyondReason) => Hold::CommandBeyondReason,
            Some(Unheard::NotNeutral) => Hold::NotNeutral,
        })?;
        if calibration.excess(&command.velocity) > BEYOND_REASON {
            return Err(Hold::CommandBeyondReason);
        }
        let stick = calibration.deflection(&command.velocity);
        let RemoteParams { boundaries, .. } = &self.params;
        let joystick = Joystick::new(stick.forward_back, stick.left_right, self.source(), boundaries);
        Ok((joystick, stick.cut))
    }

    /// Why nothing but neutral may go out; `None` while commands are followed.
    pub fn hold(&self) -> Option<Hold> {
        match self.state {
            State::Inactive => Some(Hold::Inactive),
            State::Activating => Some(Hold::Activating),
            State::Deactivating => Some(Hold::Deactivating),
            State::Lost | State::Confirmed | State::Active => match self.evidence() {
                Evidence::Silent => Some(Hold::FeedbackSilent),
                Evidence::Wrong(source) => Some(Hold::WrongSource(source)),
                Evidence::Scarce => Some(Hold::FeedbackScarce),
                Evidence::Right => match self.asked_for() {
                    _ if self.taken_by.is_some() => self.taken_by.map(Hold::Taken),
                    asked => asked.err(),
                },
            },
        }
    }

    /// What the chair is to hear now.
    fn stick(&self) -> Joystick {
        match self.asked_for() {
            Ok((joystick, _)) if self.state == State::Active => joystick,
            _ => self.neutral(),
        }
    }

    /// Lets time and all that is known act.
    fn settle(&mut self) {
        let is_lost = self.command.expire(self.clock.now(), self.params.command_timeout);
        self.counters.lost_commands += u64::from(is_lost);
        match self.state {
            State::Inactive if self.wanted && !self.stopping => self.activate(),
            State::Inactive => {}
            State::Activating => self.settle_activating(),
            State::Confirmed | State::Active | State::Lost => self.settle_driving(),
            State::Deactivating => self.settle_deactivating(),
        }
        // Nobody means a stick that was held before the chair followed, or all through a loss.
        let moves = self.command.command().is_some_and(|command| command.asks_for_motion());
        if moves && self.state != State::Active {
            let is_mistake = self.asked_for() == Err(Hold::CommandBeyondReason);
            self.command.lose();
            self.unheard = Some(if is_mistake { Unheard::BeyondReason } else { Unheard::NotNeutral });
        }
    }

    pub(crate) fn settle_driving(&mut self) {
        let (before, evidence) = (self.state, self.evidence());
        if let Evidence::Wrong(source) = evidence {
            self.taken_by = Some(source); // whoever ended the mode, or entered it since, is not driven against
        }
        self.state = match evidence {
            _ if self.taken_by.is_some() => State::Lost,
            Evidence::Right if self.asked_for().is_ok() => State::Active,
            Evidence::Right => State::Confirmed,
            _ => State::Lost,
        };
        if self.state == State::Lost && before != State::Lost {
            self.counters.lost_chairs += 1;
        }
    }

    fn hear(&mut self, topic: Topic, source: Source) {
        let RemoteParams { mode, feedback_timeout, .. } = self.params;
        if !self.feedback.hear(&self.clock, topic, source, mode, feedback_timeout) {
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
            LEAST_GAP.min(period)
        };
        Some(at + gap)
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
        self.clock.pass_to(now, self.deadline());
        if let Input::ClockRead(stamp) = input {
            self.clock.read(now, stamp);
            return; // what time does comes with the next call, which is at this same instant
        }
        self.settle(); // time first: what is lost by now is lost before the next thing happens
        match input {
            Input::Activated if self.stopping => {}
            Input::Activated => {
                self.wanted = true;
                if self.state == State::Lost {
                    self.activate();
                }
            }
            Input::Deactivated | Input::Stopping => {
                self.stopping |= matches!(input, Input::Stopping);
                self.wanted = false;
                self.command.lose();
                // Also a mode that somebody left behind is left.
                let is_left_over = self.state == State::Inactive && self.is_left_over() && !self.stopping;
                if is_left_over || !matches!(self.state, State::Inactive | State::Deactivating) {
                    self.deactivate();
                }
            }
            Input::CommandReceived(command) => self.receive(command),
            Input::CommandRefused(invalid) => {
                self.counters.commands += 1;
                self.counters.invalid_commands += 1;
                self.command.lose();
                self.unheard = Some(Unheard::Invalid(invalid));
            }
            Input::PublishersCounted(count) => {
                if self.publishers.set(count) {
                    self.command.require_zero();
                }
            }
            Input::DriversCounted(count) => self.drivers = count,
            Input::PositionPublishersCounted(count) => self.shown_by[0] = count,
            Input::ScalingPublishersCounted(count) => self.shown_by[1] = count,
            Input::ProfilePublishersCounted(count) => self.profile.count(count),
            Input::ClockRead(_) => {}
            Input::ProfileReceived(number) => self.profile.receive(number),
            Input::ScalingReceived(source) => self.hear(Topic::Scaling, source),
            Input::PositionReceived(joystick) => self.hear(Topic::Position, joystick.source()),
            Input::FeedbackRefused(bad) => {
                self.counters.invalid_feedback += 1;
                self.bad_feedback = Some(bad);
            }
            Input::ServiceAnswered(service) => self.hear_answer(service),
            Input::ParametersChanged(params) => {
                // With another calibration the stick would jump: it stays, as the mode does.
                let profiles = core::mem::take(&mut self.params.profiles);
                self.params = RemoteParams { mode: self.params.mode, profiles, ..params };
            }
        }
        self.settle();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.clock.pass_to(now, self.deadline());
        self.settle();
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

    fn deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        if self.neutral_first || self.call.is_some() {
            return Some(now);
        }
        let lost = self.command.expiry(self.params.command_timeout).map(|at| at.min(now + LOOK));
        let silent = match self.state {
            State::Confirmed | State::Active => self.feedback.silent_at(now, self.params.feedback_timeout),
            _ => None,
        };
        let open = self.open_until().filter(|&at| self.state == State::Deactivating && at > now);
        // While a mode may still be entered nothing is asked again, see `settle_deactivating`.
        let asked = self.request.map(|request| open.unwrap_or(request.deadline(&self.params)));
        earliest(earliest(lost, asked), earliest(silent, self.publish_at()))
    }
}
