use core::time::Duration;

use units::{Command, Instant, Machine, NotFinite, Velocity, earliest};

use crate::feedback::{Evidence, Feedback};
use crate::request::Request;
use crate::{
    BadJoystick, Counters, Fault, Hold, Input, Joystick, Mode, Output, RemoteParams, Service, Source, State,
};

/// Drives a chair through LUCI's remote joystick, and only while the chair shows that it listens.
///
/// * A stick goes out at least every period, at once when neutral takes the place of another, and as soon as the least
///   gap allows when a command changes it. Anything but neutral needs the state [`State::Active`]: the mode entered by a
///   service that answered, our source shown by the chair regularly and lately, a fresh command, a neutral one before it, and
///   a calibration for the chair's profile.
/// * In the auto mode the occupant's stick is silent; `joystick_scaling` shows the source, and a stick of another source
///   shows that the mode was left.
/// * No joystick is made in any other way than with its zone and the mode's source.
/// # Real-time
/// Nothing is allocated after construction, but by [`Remote::report`], [`Remote::health`] and parameters that change.
/// # Source
/// LUCI `luci-ros2-grpc` 2.0.3 and its texts; the life cycle and the fail-safe branches are own.
#[derive(Clone, Debug)]
pub struct Remote {
    pub(crate) params: RemoteParams,
    pub(crate) now: Instant,
    pub(crate) state: State,
    pub(crate) feedback: Feedback,
    pub(crate) profile: Option<i32>,
    pub(crate) fault: Option<Fault>,
    pub(crate) counters: Counters,
    /// The last thing heard instead of a command; `None` after a command.
    pub(crate) invalid: Option<NotFinite>,
    pub(crate) bad_feedback: Option<BadJoystick>,
    /// How far ahead the last stamp was, if that is why there is no command \[s\].
    pub(crate) ahead: Option<f64>,
    /// Who the chair showed in between; nothing moves until somebody activates again.
    pub(crate) taken_by: Option<Source>,
    /// The command in force and until when it counts.
    pub(crate) command: Option<(Command, Instant)>,
    /// How many publish commands.
    pub(crate) publishers: usize,
    /// Whether a command for neutral was in force since something held the chair.
    pub(crate) was_neutral: bool,
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

/// A command beyond so many times full throw is a mistake, not a wish for full speed.
const REASON: f64 = 100.0;

impl Remote {
    /// A machine that drives nothing until it is activated.
    pub fn new(params: RemoteParams) -> Self {
        Self {
            params,
            now: Instant::ZERO,
            state: State::Inactive,
            feedback: Feedback::default(),
            profile: None,
            fault: None,
            counters: Counters::default(),
            invalid: None,
            ahead: None,
            taken_by: None,
            bad_feedback: None,
            command: None,
            publishers: 0,
            was_neutral: false,
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
        let calibration = self.params.profiles.of(self.profile?)?;
        Some(calibration.velocity(joystick.forward_back(), joystick.left_right()))
    }

    /// The source that the chair must show.
    pub(crate) fn source(&self) -> Source {
        self.params.mode.source()
    }

    pub(crate) fn evidence(&self) -> Evidence {
        self.feedback.evidence(self.now, self.source(), &self.params)
    }

    fn neutral(&self) -> Joystick {
        Joystick::neutral(self.source())
    }

    /// A command that was on its way for `age`: it counts for so much less long. A stop is never too old or too late: an
    /// arbiter repeats it with the stamp of the last command that it let through.
    fn receive(&mut self, mut command: Command, age: Duration) {
        let mut until = self.now + self.params.command_timeout;
        if command.velocity == Velocity::ZERO {
            // What is older than what is in force stays late.
            command.stamp = self.command.map_or(command.stamp, |(last, _)| last.stamp.max(command.stamp));
        } else {
            until = self.now + self.params.command_timeout.saturating_sub(age);
            if let Some((last, last_until)) = self.command
                && !command.stamp.is_zero()
            {
                if command.stamp < last.stamp {
                    self.counters.late_commands += 1;
                    return;
                }
                if command.stamp == last.stamp {
                    until = last_until.min(until); // the same stick event once more, no younger for that
                }
            }
        }
        self.counters.old_commands += u64::from(until <= self.now);
        let ([_, y, z], [roll, pitch, _]) = (command.velocity.linear(), command.velocity.angular());
        self.counters.dropped_parts += u64::from([y, z, roll, pitch].iter().any(|&part| part != 0.0));
        self.command = Some((command, until));
        (self.invalid, self.ahead) = (None, None);
        match self.asked_for() {
            Ok((_, cut)) => self.counters.cut += u64::from(cut),
            Err(Hold::CommandBeyondReason) => self.counters.unreasonable_commands += 1,
            Err(_) => {}
        }
    }

    /// The stick for the command in force and whether it was cut; or why there is none.
    fn asked_for(&self) -> Result<(Joystick, bool), Hold> {
        let Some((command, _)) = self.command else {
            return Err(match (self.invalid, self.ahead) {
                (Some(_), _) => Hold::CommandInvalid,
                (None, Some(_)) => Hold::CommandFromFuture,
                (None, None) => Hold::CommandMissing,
            });
        };
        if self.publishers > 1 && self.params.single_publisher {
            return Err(Hold::Rivals(self.publishers));
        }
        let profile = self.profile.ok_or(Hold::ProfileMissing)?;
        let calibration = self.params.profiles.of(profile).ok_or(Hold::NotCalibrated(profile))?;
        if calibration.excess(&command.velocity) > REASON {
            return Err(Hold::CommandBeyondReason);
        }
        let stick = calibration.deflection(&command.velocity, self.params.clamp);
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
                Evidence::Slow => Some(Hold::FeedbackSlow),
                Evidence::Right => match self.asked_for() {
                    _ if self.taken_by.is_some() => self.taken_by.map(Hold::Taken),
                    Ok(_) if self.waits_for_neutral() => Some(Hold::NotNeutral),
                    asked => asked.err(),
                },
            },
        }
    }

    fn waits_for_neutral(&self) -> bool {
        self.params.zero_first && !self.was_neutral
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
        if self.command.is_some_and(|(_, until)| self.now >= until) {
            self.command = None;
            self.counters.lost_commands += 1;
        }
        match self.state {
            State::Inactive if self.wanted && !self.stopping => self.activate(),
            State::Inactive => {}
            State::Activating => self.settle_activating(),
            State::Confirmed | State::Active | State::Lost => self.settle_driving(),
            State::Deactivating => self.settle_deactivating(),
        }
    }

    pub(crate) fn settle_driving(&mut self) {
        let (before, evidence) = (self.state, self.evidence());
        let asked = self.asked_for();
        if let Evidence::Wrong(source) = evidence {
            self.taken_by = Some(source); // whoever ended the mode, or entered it since, is not driven against
        }
        // A command that pauses and goes on is another matter: whoever sends it sends it now.
        let is_held = evidence != Evidence::Right
            || self.taken_by.is_some()
            || matches!(asked, Err(Hold::Rivals(_) | Hold::ProfileMissing | Hold::NotCalibrated(_)));
        let is_neutral = asked.is_ok_and(|(stick, _)| stick.is_neutral());
        self.was_neutral = !is_held && (self.was_neutral || is_neutral);
        self.state = match evidence {
            _ if self.taken_by.is_some() => State::Lost,
            Evidence::Right if asked.is_ok() && !self.waits_for_neutral() => State::Active,
            Evidence::Right => State::Confirmed,
            _ => State::Lost,
        };
        if self.state == State::Lost && before != State::Lost {
            self.counters.lost_chairs += 1;
        }
    }

    fn hear(&mut self, source: Source) {
        self.feedback.hear(self.now, source, self.source(), &self.params);
        self.counters.feedback += 1;
        self.counters.wrong_sources +=
            u64::from(source != self.source() && matches!(self.state, State::Confirmed | State::Active));
    }

    /// When the next stick is due.
    fn publish_at(&self) -> Option<Instant> {
        if self.state == State::Inactive {
            return None;
        }
        let Some((last, at)) = self.sent else { return Some(self.now) };
        let stick = self.stick();
        let period = self.params.period.max(Duration::from_millis(1));
        let gap = if stick == last {
            period
        } else if stick.is_neutral() {
            return Some(self.now);
        } else {
            self.params.least_gap.min(period)
        };
        Some(at + gap)
    }

    fn publish(&mut self, joystick: Joystick) -> Output {
        self.sent = Some((joystick, self.now));
        self.counters.published += 1;
        Output::PublishJoystick(joystick)
    }
}

impl Machine for Remote {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
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
                self.command = None;
                // Also a mode that somebody left behind is left.
                let is_left_over = self.state == State::Inactive && self.is_left_over() && !self.stopping;
                if is_left_over || !matches!(self.state, State::Inactive | State::Deactivating) {
                    self.deactivate();
                }
            }
            Input::CommandReceived(command) => {
                self.counters.commands += 1;
                self.receive(command, Duration::ZERO);
            }
            Input::OldCommandReceived { command, age } => {
                self.counters.commands += 1;
                self.receive(command, age);
            }
            Input::FutureCommandReceived(ahead) => {
                self.counters.commands += 1;
                self.counters.future_commands += 1;
                (self.command, self.invalid, self.ahead) = (None, None, Some(ahead));
            }
            Input::CommandRefused(invalid) => {
                self.counters.commands += 1;
                self.counters.invalid_commands += 1;
                (self.command, self.invalid, self.ahead) = (None, Some(invalid), None);
            }
            Input::PublishersCounted(count) => self.publishers = count,
            Input::ProfileReceived(profile) => self.profile = Some(profile),
            Input::ScalingReceived(source) if self.by_scaling() => self.hear(source),
            Input::ScalingReceived(_) => {}
            Input::PositionReceived(joystick) if self.by_position(joystick.source()) => {
                self.hear(joystick.source())
            }
            Input::PositionReceived(_) => {}
            Input::FeedbackRefused(bad) => {
                self.counters.invalid_feedback += 1;
                self.bad_feedback = Some(bad);
            }
            Input::ServiceAnswered(service) => self.hear_answer(service),
            Input::ParametersChanged(params) => {
                let RemoteParams { mode, shared_by_scaling, .. } = self.params;
                self.params = RemoteParams { mode, shared_by_scaling, ..params };
            }
        }
        self.settle();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.settle();
        if core::mem::take(&mut self.neutral_first) {
            return Some(self.publish(self.neutral()));
        }
        if let Some(service) = self.call.take() {
            self.counters.calls += 1;
            return Some(Output::Call(service));
        }
        if self.publish_at().is_some_and(|at| at <= self.now) {
            return Some(self.publish(self.stick()));
        }
        None
    }

    fn deadline(&self) -> Option<Instant> {
        if self.neutral_first || self.call.is_some() {
            return Some(self.now);
        }
        let lost = self.command.map(|(_, until)| until);
        let silent = match self.state {
            State::Confirmed | State::Active => self.feedback.silent_at(&self.params),
            _ => None,
        };
        let open = self.open_until().filter(|&at| self.state == State::Deactivating && at > self.now);
        // While a mode may still be entered nothing is asked again, see `settle_deactivating`.
        let asked = self.request.map(|request| open.unwrap_or(request.deadline(&self.params)));
        earliest(earliest(lost, asked), earliest(silent, self.publish_at()))
    }
}

impl Remote {
    fn by_scaling(&self) -> bool {
        self.params.mode == Mode::Auto || self.params.shared_by_scaling
    }

    /// Whether a stick of `source` is evidence: where it confirms the mode, or where it should be silent.
    fn by_position(&self, source: Source) -> bool {
        match self.params.mode {
            Mode::Auto => source != self.source(),
            Mode::Shared => !self.params.shared_by_scaling,
        }
    }
}
