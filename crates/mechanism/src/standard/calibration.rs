use core::time::Duration;

use params::Parameter;

use crate::Robot;
use crate::builtin::{LIMIT, NEEDED_BY};
use crate::controllers::{
    Controller, ControllerFailure, ControllerOutput, OutputKind, PublishPeriod, Report, Step,
};
use crate::laws::Pid;
use crate::robot::{Actuator, Joint};

/// Finds the absolute position of a joint: moves it at a low speed until its calibration sensor reads high, and makes the
/// actuator's position at that edge the zero, which the description places at the joint's `<calibration>`.
///
/// 1. If the sensor reads high, the joint moves against the search until it has read low for [`LOW_STEPS`] steps.
/// 2. It moves in the direction of the search until the sensor reads high, and the hardware has noted where.
/// 3. The joint is calibrated, and is held still.
///
/// While it searches the joint counts as not calibrated, so it has no soft limits, and a joint whose sensor never changes runs
/// to its end stop: it fails after the time-out. The effort is that of PID(speed - velocity).
///
/// Output `calibrated`: twice a second once the joint is calibrated.
/// # Errors
/// `starting`, `update`: the motors are halted, so a search never goes on by itself after an emergency stop; `update`: the sensor
/// did not change within the time-out.
/// # Source
/// `robot_mechanism_controllers` 1.8 (`JointCalibrationController`); own: the time-out, and an edge of either direction counts, so
/// that no sign has to be known.
#[derive(Clone, Debug)]
pub struct CalibrationController {
    joint: usize,
    actuator: usize,
    pid: Pid,
    settings: Calibration,
    state: State,
    due: Option<PublishPeriod>,
    has_news: bool,
}

params::params! {
    /// How a joint is calibrated.
    #[derive(Copy)]
    pub struct Calibration {
        /// The speed of the search; negative downwards \[rad/s or m/s\].
        velocity: f64 = Parameter::float("velocity", 0.0, -LIMIT, LIMIT).unit("rad/s or m/s")
            .text("The speed of the search, negative downwards; not 0.").needed_by(NEEDED_BY),
        /// Whether a joint that is calibrated already is calibrated again, once: not by the restart after a halt.
        is_forced: bool = Parameter::bool("force_calibration", false)
            .text("Whether a joint that is calibrated already is calibrated again, once after each load.").needed_by(NEEDED_BY),
        /// How long the search may take.
        timeout: Duration = Parameter::seconds("timeout", 30.0, 0.1, 3600.0)
            .text("How long the search may take.").needed_by("joints are slow or quick"),
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
    /// It moves against the search while this many more steps have to read low, for this long.
    Leaving(u32, Duration),
    /// It searches, for this long; the edges that were noted before.
    Searching(Edges, Duration),
    /// The edge is the zero of the actuator, whose next position counts from there.
    Found,
    Calibrated,
}

impl CalibrationController {
    /// A controller of the joint with this index in the robot, whose sensor the actuator with this index reads.
    pub fn new(joint: usize, actuator: usize, pid: Pid, settings: Calibration) -> Self {
        let state = State::Leaving(0, Duration::ZERO);
        Self { joint, actuator, pid, settings, state, due: None, has_news: false }
    }

    /// Whether nothing is left to do at a start.
    fn is_done(&self, joint: &Joint) -> bool {
        joint.is_calibrated && (self.state == State::Calibrated || !self.settings.is_forced)
    }

    /// The next state, and the edge where it is found.
    fn next(&self, actuator: &Actuator, period: Duration) -> Result<(State, Option<f64>), ControllerFailure> {
        let is_high = actuator.state.calibration_reading;
        let next = match self.state {
            State::Leaving(_, passed) if is_high => State::Leaving(LOW_STEPS, passed + period),
            State::Leaving(0, passed) => State::Searching(edges(actuator), passed),
            State::Leaving(missing, passed) => State::Leaving(missing - 1, passed + period),
            State::Searching(before, passed) if is_high => {
                let now = edges(actuator);
                let changed = if now.0 != before.0 { now.0 } else { now.1.filter(|_| now.1 != before.1) };
                match changed {
                    Some(edge) => return Ok((State::Found, Some(edge))),
                    None => State::Leaving(0, passed + period), // its change was not noted: once more
                }
            }
            State::Searching(before, passed) => State::Searching(before, passed + period),
            State::Found | State::Calibrated => State::Calibrated,
        };
        match next {
            State::Leaving(_, passed) | State::Searching(_, passed) if passed > self.settings.timeout => {
                Err(ControllerFailure("the calibration sensor did not change in time"))
            }
            _ => Ok((next, None)),
        }
    }
}

fn edges(actuator: &Actuator) -> Edges {
    (actuator.state.last_calibration_rising_edge, actuator.state.last_calibration_falling_edge)
}

/// Where the description places the edge that is found in the direction of `velocity`.
fn reference(joint: &Joint, velocity: f64) -> f64 {
    let (rising, falling) = (joint.calibration.rising, joint.calibration.falling);
    let (first, second) = if velocity > 0.0 { (rising, falling) } else { (falling, rising) };
    first.or(second).unwrap_or(0.0)
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
        self.pid.reset();
        self.due = None;
        if step.robot.joints().get(self.joint).is_some_and(|joint| self.is_done(joint)) {
            self.state = State::Calibrated;
            return;
        }
        self.state = State::Leaving(0, Duration::ZERO);
        if let Some(actuator) = step.robot.actuators_mut().get_mut(self.actuator) {
            actuator.state.zero_offset = 0.0;
        }
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            (joint.is_calibrated, joint.reference_position) = (false, 0.0);
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let Calibration { velocity, .. } = self.settings;
        if self.state != State::Calibrated && step.robot.is_halted() {
            return Err(HALTED);
        }
        let actuator = step.robot.actuators_mut().get_mut(self.actuator).ok_or(MISSING)?;
        let (state, edge) = self.next(actuator, step.period)?;
        self.state = state;
        if let Some(edge) = edge {
            actuator.state.zero_offset = edge;
        }
        let joint = step.robot.joints_mut().get_mut(self.joint).ok_or(MISSING)?;
        let was_calibrated = joint.is_calibrated;
        match self.state {
            State::Found => {
                joint.reference_position = reference(joint, velocity);
                self.pid.reset();
            }
            // Its position counts from the edge now, so the limits may use it.
            State::Calibrated => joint.is_calibrated = true,
            State::Leaving(..) | State::Searching(..) => {}
        }
        let wanted = match self.state {
            State::Leaving(..) => -velocity,
            State::Searching(..) => velocity,
            State::Found | State::Calibrated => 0.0,
        };
        joint.commanded_effort += self.pid.update(wanted - joint.velocity, 0.0, step.period.as_secs_f64());
        if self.state == State::Calibrated {
            self.has_news |=
                self.due.get_or_insert(PublishPeriod::new(2.0, step.now)).is_due(step.now) || !was_calibrated;
        }
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        core::mem::take(&mut self.has_news).then_some((0, Report::Event))
    }
}
