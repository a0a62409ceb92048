use core::time::Duration;

use params::Parameter;
use safety::Instant;

use crate::Robot;
use crate::builtin::LIMIT;
use crate::controllers::{
    Controller, ControllerFailure, ControllerOutput, OutputKind, PublishPeriod, Report, Step,
};
use crate::laws::Pid;
use crate::robot::{Actuator, Joint, JointKind};

/// Finds the absolute position of a joint: moves it at a low speed until its calibration sensor reads high, and makes the
/// actuator's position at that edge the zero, which the description places at the joint's `<calibration>`.
///
/// 1. If the sensor reads high, the joint moves against the search until it has read low for [`LOW_STEPS`] steps.
/// 2. It moves in the direction of the search until the sensor reads high, and the hardware has noted where.
/// 3. The joint is calibrated, and is held still.
///
/// The sensor reads high above a rising edge and below a falling one, so the edge of the description gives the direction of the
/// search. Only of a continuous joint with both edges it is the sign of [`Calibration::velocity`].
///
/// While it searches the joint counts as not calibrated, so it has no soft limits, and a joint whose sensor never changes runs
/// to its end stop: it fails after the time-out. A search that fails or is stopped leaves the calibration as it was before. The
/// effort is that of PI(speed - velocity).
///
/// Output `calibrated`: twice a second once the joint is calibrated.
/// # Errors
/// `starting`, `update`: the motors are halted, so a search never goes on by itself after an emergency stop; `update`: the sensor
/// did not change within the time-out.
/// # Source
/// `pr2_calibration_controllers` 1.10 (`JointCalibrationController`); own: the time-out, since nobody may watch a search; the
/// calibration from before stays without success, since the encoder went on counting; both directions of a continuous joint; a restart
/// searches nothing again; the joint is held at the end, so that one with a weight does not fall; and an edge that the hardware noted in
/// either direction counts, so that no sign has to be known.
#[derive(Clone, Debug)]
pub struct CalibrationController {
    joint: usize,
    actuator: usize,
    pid: Pid,
    settings: Calibration,
    state: State,
    /// When the search began.
    begin: Instant,
    /// The calibration before the search, until that has found another one.
    before: Option<Before>,
    due: Option<PublishPeriod>,
    has_news: bool,
}

params::params! {
    /// How a joint is calibrated.
    #[derive(Copy)]
    pub struct Calibration {
        /// The speed of the search, not 0: upwards to a rising edge, downwards to a falling one. Its sign counts for a
        /// continuous joint with both edges only.
        velocity: f64 = Parameter::float("velocity", 0.0, -LIMIT, LIMIT).unit("rad/s or m/s"),
        /// Whether a joint that is calibrated already is calibrated again, once after each load.
        // Not by the restart after a halt.
        is_forced: bool = Parameter::bool("force_calibration", false),
        /// How long the search may take.
        timeout: Duration = Parameter::seconds("timeout", 30.0, 0.1, 3600.0),
    }
}

impl Calibration {
    /// The velocity of the search for an edge of `joint`, and where the description places that edge.
    pub(crate) fn search(&self, joint: &Joint) -> (f64, f64) {
        let (velocity, is_continuous) = (self.velocity, joint.kind == JointKind::Continuous);
        match (joint.calibration.rising, joint.calibration.falling) {
            (Some(_), Some(falling)) if is_continuous && velocity < 0.0 => (velocity, falling),
            (Some(rising), _) => (velocity.abs(), rising),
            (None, Some(falling)) => (-velocity.abs(), falling),
            (None, None) => (velocity, 0.0),
        }
    }
}

const MISSING: ControllerFailure = ControllerFailure("its joint does not exist");
const HALTED: ControllerFailure = ControllerFailure("the motors are halted");

/// How many steps the sensor has to read low before the search begins.
pub const LOW_STEPS: u32 = 200;

/// The edges that the hardware has noted.
type Edges = (Option<f64>, Option<f64>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// It moves against the search while this many more steps have to read low.
    Leaving(u32),
    /// It searches; the edges that were noted before.
    Searching(Edges),
    /// The edge is the zero of the actuator, whose next position counts from there.
    Found,
    Calibrated,
}

/// Values before a search, which changes them; a search that is ended early restores them.
#[derive(Clone, Copy, Debug)]
struct Before {
    is_calibrated: bool,
    zero_offset: f64,
    reference_position: f64,
}

impl CalibrationController {
    /// A controller of the joint with this index in the robot, whose sensor the actuator with this index reads.
    pub fn new(joint: usize, actuator: usize, pid: Pid, settings: Calibration) -> Self {
        let (state, begin) = (State::Leaving(0), Instant::ZERO);
        Self { joint, actuator, pid, settings, state, begin, before: None, due: None, has_news: false }
    }

    /// Whether nothing is left to do at a start.
    fn is_done(&self, joint: &Joint) -> bool {
        joint.is_calibrated && (self.state == State::Calibrated || !self.settings.is_forced)
    }

    fn is_searching(&self) -> bool {
        matches!(self.state, State::Leaving(_) | State::Searching(_))
    }

    /// The next state, and the edge where it is found.
    fn next(&self, actuator: &Actuator) -> (State, Option<f64>) {
        let is_high = actuator.state.calibration_reading;
        let next = match self.state {
            State::Leaving(_) if is_high => State::Leaving(LOW_STEPS),
            State::Leaving(0) => State::Searching(edges(actuator)),
            State::Leaving(missing) => State::Leaving(missing - 1),
            State::Searching(before) if is_high => {
                let now = edges(actuator);
                let changed = if now.0 != before.0 { now.0 } else { now.1.filter(|_| now.1 != before.1) };
                match changed {
                    Some(edge) => return (State::Found, Some(edge)),
                    None => State::Leaving(0), // its change was not noted: once more
                }
            }
            State::Searching(before) => State::Searching(before),
            State::Found | State::Calibrated => State::Calibrated,
        };
        (next, None)
    }

    /// Ends a search that found nothing yet: the joint is calibrated as before it.
    ///
    /// The position that was read last counts from there too, since a search leaves zero and reference alone until [`State::Found`].
    fn give_up(&mut self, robot: &mut Robot) {
        let Some(before) = self.before.take() else { return };
        let Some(joint) = robot.joints_mut().get_mut(self.joint).filter(|joint| !joint.is_calibrated) else {
            return; // another controller has calibrated it meanwhile
        };
        (joint.is_calibrated, joint.reference_position) = (before.is_calibrated, before.reference_position);
        if let Some(actuator) = robot.actuators_mut().get_mut(self.actuator) {
            actuator.state.zero_offset = before.zero_offset;
        }
    }
}

fn edges(actuator: &Actuator) -> Edges {
    (actuator.state.last_calibration_rising_edge, actuator.state.last_calibration_falling_edge)
}

impl Controller for CalibrationController {
    fn outputs(&self) -> &'static [ControllerOutput] {
        &[ControllerOutput { name: "calibrated", kind: OutputKind::Event }]
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        let joint = robot.joints().get(self.joint).ok_or(MISSING)?;
        robot.actuators().get(self.actuator).ok_or(MISSING)?;
        if !self.is_done(joint) && robot.is_halted() { Err(HALTED) } else { Ok(()) }
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        self.give_up(step.robot);
        self.pid.reset();
        self.due = None;
        let Some(zero_offset) = step.robot.actuators().get(self.actuator).map(|one| one.state.zero_offset)
        else {
            return;
        };
        let Some(joint) = step.robot.joints_mut().get_mut(self.joint) else { return };
        if self.is_done(joint) {
            self.state = State::Calibrated;
            return;
        }
        (self.state, self.begin) = (State::Leaving(0), step.now);
        let Joint { is_calibrated, reference_position, .. } = *joint;
        self.before = Some(Before { is_calibrated, zero_offset, reference_position });
        joint.is_calibrated = false;
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        if self.is_searching() && step.robot.is_halted() {
            return Err(HALTED);
        }
        let actuator = step.robot.actuators_mut().get_mut(self.actuator).ok_or(MISSING)?;
        let (state, edge) = self.next(actuator);
        self.state = state;
        if self.is_searching() && step.now.since(self.begin) > self.settings.timeout {
            return Err(ControllerFailure("the calibration sensor did not change in time"));
        }
        if let Some(edge) = edge {
            actuator.state.zero_offset = edge;
        }
        let joint = step.robot.joints_mut().get_mut(self.joint).ok_or(MISSING)?;
        let was_calibrated = joint.is_calibrated;
        let (velocity, reference) = self.settings.search(joint);
        match self.state {
            State::Found => {
                joint.reference_position = reference;
                self.pid.reset();
            }
            // Its position counts from the edge now, so the limits may use it.
            State::Calibrated => (joint.is_calibrated, self.before) = (true, None),
            State::Leaving(_) | State::Searching(_) => {}
        }
        let wanted = match self.state {
            State::Leaving(_) => -velocity,
            State::Searching(_) => velocity,
            State::Found | State::Calibrated => 0.0,
        };
        let wanted = joint.admitted_speed(wanted);
        joint.commanded_effort += self.pid.update(wanted - joint.velocity, 0.0, step.period.as_secs_f64());
        if self.state == State::Calibrated {
            self.has_news |=
                self.due.get_or_insert(PublishPeriod::new(2.0, step.now)).is_due(step.now) || !was_calibrated;
        }
        Ok(())
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        self.give_up(step.robot);
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        core::mem::take(&mut self.has_news).then_some((0, Report::Event))
    }
}
