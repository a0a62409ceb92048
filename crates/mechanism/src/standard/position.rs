use core::f64::consts::{PI, TAU};

use safety::Instant;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerInput, InputKind, Message, Step};
use crate::laws::Pid;
use crate::robot::{Joint, JointKind};
use crate::standard::Setpoint;

/// Moves a joint to a position and holds it: effort = PID(command - position), whose derivative is the joint's velocity.
///
/// Input `command`: the position \[rad or m\]. A start holds the present position until a command comes, and the last command is
/// held without end: silence stops the motion, not the holding. A stop holds the position where the joint is then. A joint is never
/// commanded beyond its [range](Joint::range): a command beyond it counts as its nearest end. One that is beyond it without a command
/// is held there, and may be moved back. A continuous joint turns the shorter way.
/// # Errors
/// `starting`: the joint is not calibrated, or its position is not finite; `update`: it is no longer calibrated.
/// # Source
/// `robot_mechanism_controllers` 1.8 (`JointPositionController`); own: the range, where the original turns a revolute joint by whole turns,
/// so that a wrong number leads it elsewhere; a joint that is not calibrated refuses the start and not the load, which is enough for the
/// calibration before it; and one that loses its calibration ends the controller, whose command was meant in another frame.
#[derive(Clone, Debug)]
pub struct PositionController {
    joint: usize,
    pid: Pid,
    command: Setpoint,
    /// The position that is held without a command.
    held: f64,
    /// Whether that is to be the present position.
    is_stopped: bool,
}

impl PositionController {
    /// A controller of the joint with this index in the robot.
    pub fn new(joint: usize, pid: Pid) -> Self {
        Self { joint, pid, command: Setpoint::default(), held: 0.0, is_stopped: false }
    }

    /// The index of its joint in the robot.
    pub fn joint(&self) -> usize {
        self.joint
    }

    /// The way that `joint` is from the nearest position to the command that it can be asked for \[rad or m\]; `None` without a command.
    pub fn error(&self, joint: &Joint) -> Option<f64> {
        Some(Self::error_of(joint, self.command.last()?))
    }

    fn error_of(joint: &Joint, command: f64) -> f64 {
        let nearest = joint.range().map_or(command, |[lower, upper]| command.clamp(lower, upper));
        distance(joint, nearest)
    }

    /// The position that was commanded since the start, if any \[rad or m\].
    pub fn command(&self) -> Option<f64> {
        self.command.last()
    }
}

impl Controller for PositionController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: "command", kind: InputKind::Float }]
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        self.is_stopped = match message {
            Message::Stop => self.is_stopped || self.command.last().is_some(),
            _ => self.is_stopped,
        };
        self.command.receive(message, now);
    }

    fn is_rest(&self, _: usize, message: &Message, robot: &Robot) -> bool {
        let joint = robot.joints().get(self.joint);
        matches!((message, joint), (Message::Float(command), Some(joint)) if Self::error_of(joint, *command).abs() <= AT_REST)
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        let joint = robot.joints().get(self.joint).ok_or(ControllerFailure("its joint does not exist"))?;
        if !joint.is_calibrated {
            return Err(ControllerFailure("its joint is not calibrated"));
        }
        if !joint.position.is_finite() {
            return Err(ControllerFailure("the position of its joint is not finite"));
        }
        Ok(())
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        self.command.reset();
        self.pid.reset();
        self.is_stopped = false;
        if let Some(joint) = step.robot.joints().get(self.joint) {
            self.held = joint.position;
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let period = step.period.as_secs_f64();
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            if !joint.is_calibrated {
                return Err(ControllerFailure("its joint is no longer calibrated"));
            }
            if self.is_stopped && joint.position.is_finite() {
                (self.held, self.is_stopped) = (joint.position, false);
            }
            let error = self.error(joint).unwrap_or_else(|| distance(joint, self.held));
            joint.commanded_effort += self.pid.update(error, -joint.velocity, period);
        }
        Ok(())
    }
}

/// A joint that is asked for a position this near stays as it is \[rad or m\].
pub(super) const AT_REST: f64 = 0.05;

/// The way from the joint's position to `wanted`, or the shorter way round. It leads to no position beyond the joint's range, and where
/// the joint is beyond it already, no further out.
pub(super) fn distance(joint: &Joint, wanted: f64) -> f64 {
    let position = joint.position;
    match joint.range() {
        _ if joint.kind == JointKind::Continuous => {
            let way = (wanted - position).rem_euclid(TAU);
            if way > PI { way - TAU } else { way }
        }
        Some([lower, upper]) => wanted.clamp(lower.min(position), upper.max(position)) - position,
        None => wanted - position,
    }
}

/// The way of a joint between two positions, which may lie beyond its range; the shorter one of a continuous joint.
pub(super) fn way(joint: &Joint, from: f64, to: f64) -> f64 {
    let way = to - from;
    if joint.kind == JointKind::Continuous { (way + PI).rem_euclid(TAU) - PI } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointLimits;

    #[test]
    fn the_way_leads_beyond_no_limit_and_no_further_out_where_the_joint_is_beyond_one() {
        let limits = JointLimits { effort: 1.0, velocity: 1.0, lower: -1.0, upper: 1.5 };
        let mut joint = Joint { limits: Some(limits), ..Joint::new("pan", JointKind::Revolute) };
        for (position, wanted, expected) in [
            (0.5, 1.0, 0.5),
            (0.5, 9.0, 1.0),
            (1.5, 1.75, 0.0),
            (1.75, 1.75, 0.0),
            (1.625, 1.75, 0.0), // it was moved back meanwhile
            (2.0, 1.75, -0.25), // it was pushed further out
            (2.0, 1.0, -1.0),
            (-1.5, -1.5, 0.0),
            (-2.0, -1.5, 0.5),
        ] {
            joint.position = position;
            assert_eq!(distance(&joint, wanted), expected, "from {position} to {wanted}");
        }
        // The law gives no effort then.
        assert!(distance(&joint, f64::NAN).is_nan());
        joint.position = f64::NAN;
        assert!(distance(&joint, 1.0).is_nan());
    }
}
