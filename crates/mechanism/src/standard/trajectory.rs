use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, InputKind, Message, OutputKind,
    PublishPeriod, Report, Step,
};
use crate::laws::{GoalId, Motion, Pid};
use crate::standard::position::{AT_REST, way};

mod goal;
mod track;

pub use goal::{Goal, Quantity, Tolerance, Violation};
use track::{Axis, Phase, Track};

/// Moves joints along a trajectory and holds its end: effort = PID(desired - position), with the desired and the measured
/// velocity for the derivative.
///
/// Input `joint_trajectory`: a [`Motion`] with as many joints as the controller has, which replaces the present one from where it
/// is, position and velocity, or by whole turns from there for a continuous joint, so that it takes the shorter way to the first
/// point; a stop holds the joints where they are. A start holds the present positions until one comes. A joint
/// that leaves its tolerance on the way, or is not within its tolerance at the end, ends the motion where the joints are then; so
/// does a halt of the motors. One that leaves its path tolerance while the end is held moves the hold to where the joints are.
///
/// A trajectory whose first point has passed is joined where it is nearest to the joints, at the desired positions or else at the
/// measured ones. Further than the path tolerance from there it is refused. One that asks for no motion of its own begins none of more
/// than 0.02 rad or m, or 0.1 s at the joint's present speed: it brakes the joints and holds them. It is followed up to 1.5 times as fast until it is on
/// time, and no desired position is faster than 1.5 times its greatest planned speed. Efforts of points are added to the law's.
///
/// **A trajectory that is refused changes nothing**: the motion before it goes on, and a hold stays where it was, so that no joint
/// under a load is held lower with each message.
///
/// Output `follow_joint_trajectory`: how the joints follow, [`FEEDBACK_RATE`] times a second, and how a goal ends.
/// # Errors
/// `starting`: a joint is not calibrated, or its position is not finite.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy) for tolerances and replacement, `JointTrajectoryActionController` 1.8 for
/// the turns of continuous joints; own: a halt ends the motion; one that is late keeps its way; one that is refused leaves the other;
/// no tolerance of velocities without a goal's, since one number fits no radians and metres; no topic of the errors.
#[derive(Clone, Debug)]
pub struct TrajectoryController {
    tolerance: Tolerance,
    track: Track,
    /// The track on which a new motion is tried.
    trial: Track,
    motion: Option<Box<Motion>>,
    /// The motion that came last, or what goes back with the next message.
    next: Option<Box<Motion>>,
    /// When `next` came, until it is decided whether it is followed.
    came: Option<Instant>,
    goal: Goal,
    /// Whether the motion is to end in the next step.
    is_cancelled: bool,
    /// The goals that ended and are not reported yet: one of a motion, and one that never became a motion.
    ended: [Option<(GoalId, Goal)>; 2],
    /// The last goal that came, and whether one of those until it was replaced since the last report.
    received: GoalId,
    has_replaced: bool,
    /// How a motion without a goal failed.
    failed: Option<Goal>,
    failures: PublishPeriod,
    /// Whether the motion is at its end, which it awaits or holds.
    is_at_end: bool,
    displacements: PublishPeriod,
    due: Option<PublishPeriod>,
    /// The next report of each joint, and how many of them are reported.
    tracking: Vec<Report>,
    reported: usize,
}

/// How often a controller reports how its joints follow a goal \[Hz\].
pub const FEEDBACK_RATE: f64 = 20.0;

/// How often a controller reports at most that a trajectory without a goal failed \[Hz\]: a stream may fail with each message.
const FAILURE_RATE: f64 = 1.0;

impl TrajectoryController {
    /// A controller of the joints with these indices in the robot, each with its law.
    pub fn new(joints: impl IntoIterator<Item = (usize, Pid)>, tolerance: Tolerance) -> Self {
        let track = Track::new(joints);
        let reported = track.axes.len();
        let (motion, next, came, goal, is_cancelled, ended, received, has_replaced, failed, due) =
            Default::default();
        Self {
            tolerance,
            trial: track.clone(),
            track,
            motion,
            next,
            came,
            goal,
            is_cancelled,
            ended,
            received,
            has_replaced,
            failed,
            failures: PublishPeriod::new(FAILURE_RATE, Instant::ZERO),
            is_at_end: false,
            displacements: PublishPeriod::new(FAILURE_RATE, Instant::ZERO),
            due,
            tracking: vec![Report::Event; reported],
            reported,
        }
    }

    /// The end of the last trajectory, or `Active`: also while the last one was refused and the one before it is followed.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// Decides whether the motion that came takes the place of the present one, on a copy of the track; only then anything changes.
    /// Returns its time after this step, if it does.
    fn decide(&mut self, step: &Step<'_>) -> Option<Duration> {
        let (came, next) = self.came.take().zip(self.next.as_deref())?;
        if step.robot.is_halted() {
            self.drop_next(Goal::Halted, step.now);
            return None;
        }
        self.trial.copy(&self.track);
        match self.trial.begin(next, self.tolerance, came, step) {
            Err(violation) => {
                let start = next.trajectory.delay();
                self.drop_next(Goal::Refused { violation, start }, step.now);
                None
            }
            Ok(time) => {
                self.has_replaced |= self.goal_id().is_some();
                core::mem::swap(&mut self.track, &mut self.trial);
                core::mem::swap(&mut self.motion, &mut self.next);
                self.goal = Goal::Active;
                Some(time)
            }
        }
    }

    /// Reports that the motion that came last ended as `goal` without being followed; what is followed goes on.
    fn drop_next(&mut self, goal: Goal, now: Instant) {
        match self.next.as_ref().and_then(|next| next.goal) {
            // One whose end is not reported yet is none of those that go on.
            Some(id) => self.has_replaced |= self.ended[1].replace((id, goal)).is_some(),
            None if matches!(goal, Goal::Refused { .. }) && self.failures.is_due(now) => {
                self.failed = Some(goal);
            }
            None => {}
        }
        self.goal = if self.goal == Goal::Active { Goal::Active } else { goal };
    }

    /// The goal that the present motion fulfils.
    fn goal_id(&self) -> Option<GoalId> {
        self.motion.as_ref().and_then(|motion| motion.goal).filter(|_| self.goal == Goal::Active)
    }

    /// Judges the joints against the tolerances, at this time of the trajectory.
    fn judge(&mut self, robot: &Robot, passed: Duration) {
        let Some(motion) = &self.motion else { return };
        let (duration, time) =
            (motion.trajectory.duration(), motion.goal_time.unwrap_or(self.tolerance.time));
        let violation = |phase| self.track.violation(robot, motion, self.tolerance, phase);
        let is_at_end = passed >= duration && self.track.has_arrived();
        let missed = violation(Phase::End).filter(|_| is_at_end);
        // However long the end is awaited: what brings a joint back that was without power is not to be a lunge.
        let left = violation(Phase::Way).filter(|_| missed.is_some() || !is_at_end);
        let end = match (left, missed) {
            (Some(violation), _) => Some(Goal::PathViolated(violation)),
            (None, Some(violation)) => (passed - duration > time).then_some(Goal::GoalMissed(violation)),
            (None, None) => is_at_end.then_some(Goal::Reached),
        };
        self.is_at_end = is_at_end;
        if let Some(end) = end {
            self.end(end, robot);
        }
    }

    /// Ends the motion as `goal`, and holds the joints where they are unless it was reached. The feed-forward stays, but after a halt.
    fn end(&mut self, goal: Goal, robot: &Robot) {
        self.finish(goal);
        if goal != Goal::Reached {
            // The effort of a motion that has ended on its way, at an obstacle perhaps, would push on. That of the last point is one of rest.
            self.track.hold(robot, self.is_at_end);
        }
    }

    fn finish(&mut self, goal: Goal) {
        if let Some(id) = self.goal_id() {
            self.has_replaced |= self.ended[0].replace((id, goal)).is_some();
        }
        self.goal = goal;
        self.is_at_end &= matches!(goal, Goal::Reached | Goal::GoalMissed(_) | Goal::PathViolated(_));
    }

    /// Holds the joints where they are if one has left its path tolerance at the end of a motion, as without power: what brings that back
    /// is not to be a lunge. A load that is too great for the tolerance only lowers them once a second.
    fn watch_hold(&mut self, step: &Step<'_>) {
        let motion = self.motion.as_ref().filter(|_| self.is_at_end && !step.robot.is_halted());
        let left =
            motion.and_then(|motion| self.track.violation(step.robot, motion, self.tolerance, Phase::Hold));
        if let Some(violation) = left.filter(|_| self.displacements.is_due(step.now)) {
            self.track.hold(step.robot, true);
            self.failed = Some(Goal::Displaced(violation));
        }
    }

    /// Prepares what is reported of the joints, if that is due.
    fn report_joints(&mut self, step: &Step<'_>) {
        let due = self.due.get_or_insert(PublishPeriod::new(FEEDBACK_RATE, step.now));
        // A message that is not all reported yet stays what it is.
        if self.reported < self.tracking.len() || !due.is_due(step.now) {
            return;
        }
        for (index, (axis, report)) in self.track.axes.iter().zip(&mut self.tracking).enumerate() {
            *report = axis.report(index, step.robot).unwrap_or(*report);
        }
        self.reported = 0;
    }
}

impl Controller for TrajectoryController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: "joint_trajectory", kind: InputKind::Trajectory }]
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        &[ControllerOutput { name: "follow_joint_trajectory", kind: OutputKind::Follow }]
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        match message {
            Message::Stop => {
                if self.came.take().is_some() {
                    self.drop_next(Goal::Stopped, now);
                }
                self.is_cancelled = true;
            }
            Message::Cancel(id) => {
                if self.came.is_some() && self.next.as_ref().and_then(|next| next.goal) == Some(*id) {
                    self.came = None;
                    self.drop_next(Goal::Stopped, now);
                }
                self.is_cancelled |= self.goal_id() == Some(*id);
            }
            Message::Trajectory(new) => {
                let Some(motion) = new.as_ref() else { return };
                if motion.trajectory.joints() != self.track.axes.len() {
                    return;
                }
                self.received = motion.goal.unwrap_or(self.received);
                // One that comes before the last one is decided takes its place.
                let replaced = self.next.as_ref().filter(|_| self.came.is_some());
                self.has_replaced |= replaced.is_some_and(|next| next.goal.is_some());
                // What was followed until now goes back with the message.
                core::mem::swap(&mut self.next, new);
                self.came = Some(now);
            }
            _ => {}
        }
    }

    /// Says yes if all points are where the joints are, and at rest.
    fn is_rest(&self, _: usize, message: &Message, robot: &Robot) -> bool {
        let Message::Trajectory(Some(motion)) = message else { return false };
        let is_near = |(axis, position): (&Axis, &f64)| {
            let joint = robot.joints().get(axis.joint);
            joint.is_some_and(|joint| way(joint, joint.position, *position).abs() <= AT_REST)
        };
        motion.trajectory.points().iter().all(|point| {
            point.velocities.iter().all(|speed| *speed == 0.0)
                && self.track.axes.iter().zip(&point.positions).all(is_near)
        })
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        for axis in &self.track.axes {
            let joint = robot.joints().get(axis.joint);
            let joint = joint.ok_or(ControllerFailure("one of its joints does not exist"))?;
            if !joint.is_calibrated {
                return Err(ControllerFailure("one of its joints is not calibrated"));
            }
            if !joint.position.is_finite() {
                return Err(ControllerFailure("the position of one of its joints is not finite"));
            }
        }
        Ok(())
    }

    fn starting(&mut self, step: &mut Step<'_>) {
        self.finish(Goal::None);
        if self.came.take().is_some() {
            self.drop_next(Goal::None, step.now);
        }
        self.is_cancelled = false;
        self.track.start(step.robot);
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        // Without a motion there is nothing to end, and a joint that sags is not to be held lower each time.
        if core::mem::take(&mut self.is_cancelled) && self.goal == Goal::Active {
            self.end(Goal::Stopped, step.robot);
        }
        if self.goal == Goal::Active && step.robot.is_halted() {
            self.end(Goal::Halted, step.robot);
        }
        let begun = self.decide(step);
        if let Some(motion) = self.motion.as_deref().filter(|_| self.goal == Goal::Active) {
            let time = begun.unwrap_or_else(|| self.track.advance(motion, step));
            let is_goal = motion.goal.is_some();
            if is_goal {
                self.report_joints(step);
            }
            self.judge(step.robot, time);
            let has_failed = matches!(self.goal, Goal::PathViolated(_) | Goal::GoalMissed(_));
            if has_failed && !is_goal && self.failures.is_due(step.now) {
                self.failed = Some(self.goal);
            }
        } else {
            self.watch_hold(step);
        }
        let joints = step.robot.joints();
        let mut own = self.track.axes.iter().filter_map(|axis| joints.get(axis.joint));
        if own.any(|joint| !joint.is_calibrated) {
            return Err(ControllerFailure("one of its joints is no longer calibrated"));
        }
        self.track.command(step.robot, step.period.as_secs_f64());
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        if let Some(report) = self.tracking.get(self.reported) {
            self.reported += 1;
            return Some((0, *report));
        }
        let ended = self.ended.iter_mut().find_map(Option::take);
        let ended = ended.map(|(id, goal)| Report::GoalEnded(id, goal));
        let replaced = || {
            let (goal, until) = (self.goal_id(), self.received);
            core::mem::take(&mut self.has_replaced).then_some(Report::GoalsReplaced { goal, until })
        };
        let report = ended.or_else(replaced);
        report.or_else(|| self.failed.take().map(Report::MotionFailed)).map(|report| (0, report))
    }
}
