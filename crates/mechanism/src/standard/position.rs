use core::f64::consts::{PI, TAU};

use safety::{Instant, STREAM_PAUSE};

use crate::Robot;
use crate::controllers::{
    Beyond, Controller, ControllerFailure, ControllerInput, InputKind, Message, PublishPeriod, Report, Step,
};
use crate::laws::Pid;
use crate::robot::{Joint, JointKind};
use crate::standard::Setpoint;

/// Moves a joint to a position and holds it: effort = PID(command - position), whose derivative is the joint's velocity.
///
/// Input `command`: the position \[rad or m\]. A start holds the present position until a command comes, and the last command is
/// held without end: silence stops the motion, not the holding. A stop holds the position where the joint is then. A joint is never
/// commanded beyond its [range](Joint::range): a command beyond it counts as its nearest end. One that is beyond it without a command
/// is held there, and may be moved back. A continuous joint turns the shorter way.
///
/// A command that is far from the position that it held until then, as the first one of a leader elsewhere, is [approached](Self::approaching)
/// at a bounded speed until the joint is led to it, and so is any that leads it back into its range; those of a stream are near to one another,
/// and followed at once. A single command is an order to go there; an approach of a stream stops with the stream.
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
    /// The position to which the joint is led now: the command, or one on the way to it, or where it was without one.
    held: f64,
    /// Whether that is to be the present position.
    is_stopped: bool,
    /// The greatest speeds of an approach \[rad/s\], \[m/s\], and whether there is one now.
    approach: Option<[f64; 2]>,
    is_far: bool,
    leader: Leader,
    /// Whether a command came since the last step, and one beyond the range until that is reported.
    is_new: bool,
    beyond: Option<Report>,
    /// Once in ten seconds.
    due: PublishPeriod,
}

/// The sender of the commands, as far as these show it.
#[derive(Clone, Copy, Debug, Default)]
struct Leader {
    /// When the last command came, and whether it and the one before are a stream.
    last: Option<Instant>,
    is_stream: bool,
    /// Whether it fell silent during an approach, until that is reported.
    is_lost: bool,
}

/// A command further than this from the position that is held is approached \[rad\], \[m\].
const FAR: [f64; 2] = [0.2, 0.05];

/// The speeds of an approach where none is given \[rad/s\], \[m/s\].
const APPROACH: [f64; 2] = [0.5, 0.1];

impl PositionController {
    /// A controller of the joint with this index in the robot.
    pub fn new(joint: usize, pid: Pid) -> Self {
        let (command, held, is_stopped, approach, is_far, leader, is_new, beyond) = Default::default();
        let due = PublishPeriod::new(0.1, Instant::ZERO);
        Self { joint, pid, command, held, is_stopped, approach, is_far, leader, is_new, beyond, due }
    }

    /// Bounds the speed \[rad/s or m/s\], greater than 0, at which far commands are approached, `None` for 0.5 rad/s or 0.1 m/s; the limit of
    /// speed of the joint bounds it, too.
    #[must_use]
    pub fn approaching(self, speed: Option<f64>) -> Self {
        Self { approach: Some(speed.map_or(APPROACH, |speed| [speed; 2])), ..self }
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
        distance(joint, nearest(joint, command))
    }

    /// Moves the position to which the joint is led towards the command, by a step of `period` \[s\].
    fn lead(&mut self, joint: &Joint, period: f64) {
        let Some(command) = self.command.last() else { return };
        let nearest = nearest(joint, command);
        let way = way(joint, self.held, nearest);
        let is_beyond = joint.range().is_some_and(|[lower, upper]| self.held < lower || self.held > upper);
        if is_beyond && self::way(joint, self.held, command).abs() <= AT_REST {
            return; // it is asked to stay where it is
        }
        let unit = usize::from(joint.kind == JointKind::Prismatic);
        self.is_far |= is_beyond || way.abs() > FAR[unit];
        let limit = joint.limits.map(|limits| limits.velocity).filter(|limit| *limit > 0.0);
        let step =
            self.approach.map(|speeds| limit.map_or(speeds[unit], |limit| speeds[unit].min(limit)) * period);
        match step.filter(|step| self.is_far && way.abs() > *step) {
            Some(step) => self.held += step.copysign(way),
            None => (self.held, self.is_far) = (nearest, false),
        }
    }

    /// Ends the approach of a stream that fell silent, as a stop does.
    fn watch_approach(&mut self, now: Instant) {
        let is_silent = self.leader.last.is_some_and(|last| now.since(last) >= STREAM_PAUSE);
        if self.is_far && self.leader.is_stream && is_silent {
            self.command.reset();
            (self.is_stopped, self.is_far, self.leader.is_lost) = (true, false, true);
        }
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
        if matches!(message, Message::Stop) {
            self.is_stopped |= self.command.last().is_some();
            self.is_far = false;
        }
        self.is_new = true;
        if matches!(message, Message::Float(_)) {
            let last = self.leader.last.replace(now);
            // A stream stays one: a gap in it is a bad link.
            self.leader.is_stream |= last.is_some_and(|last| now.since(last) < STREAM_PAUSE);
        }
        self.command.receive(message, now);
    }

    fn is_rest(&self, _: usize, message: &Message, robot: &Robot) -> bool {
        let joint = robot.joints().get(self.joint);
        let Some((Message::Float(command), joint)) = Some(message).zip(joint) else { return false };
        // A joint that rests beyond its range is asked to rest by where it is, and by the end of the range where that is near.
        let ways = [way(joint, joint.position, *command), Self::error_of(joint, *command)];
        ways.iter().any(|way| way.abs() <= AT_REST)
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
        (self.is_stopped, self.is_far, self.leader, self.beyond) = Default::default();
        if let Some(joint) = step.robot.joints().get(self.joint) {
            self.held = joint.position;
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let (now, period) = (step.now, step.period.as_secs_f64());
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            if !joint.is_calibrated {
                return Err(ControllerFailure("its joint is no longer calibrated"));
            }
            self.watch_approach(now);
            if self.is_stopped && joint.position.is_finite() {
                (self.held, self.is_stopped) = (joint.position, false);
            }
            self.lead(joint, period);
            if core::mem::take(&mut self.is_new)
                && let Some((command, range)) = self.command.last().zip(joint.range())
                && (nearest(joint, command) - command).abs() > 1e-6 // one that was a float32 is rounded
                && self.due.is_due(now)
            {
                let (joint, unit) = (self.joint, joint.kind.unit());
                self.beyond = Some(Report::CommandBeyond(Beyond { joint, command, range, unit }));
            }
            let error = distance(joint, self.held);
            joint.commanded_effort += self.pid.update(error, -joint.velocity, period);
        }
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        let lost = core::mem::take(&mut self.leader.is_lost).then_some(Report::ApproachLost);
        lost.or_else(|| self.beyond.take()).map(|report| (0, report))
    }
}

/// The position nearest to `command` that the joint can be asked for.
fn nearest(joint: &Joint, command: f64) -> f64 {
    joint.range().map_or(command, |[lower, upper]| command.clamp(lower, upper))
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
