use core::f64::consts::{PI, TAU};
use core::time::Duration;

use units::Instant;

use crate::Robot;
use crate::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, InputKind, Message, OutputKind,
    PublishPeriod, Report, Step,
};
use crate::laws::{Advance, Approach, GoalId, Motion, Pid, Progress, near};
use crate::robot::{Joint, JointKind};
use crate::standard::position::distance;

/// Moves joints along a trajectory and holds its end: effort = PID(desired - position), with the desired and the measured
/// velocity for the derivative.
///
/// Input `joint_trajectory`: a [`Motion`] with as many joints as the controller has, which replaces the present one from where it
/// is, position and velocity, or by whole turns from there for a continuous joint, so that it takes the shorter way to the first
/// point; a stop holds the joints where they are. A start holds the present positions until one comes. A joint
/// that leaves its tolerance on the way, or is not within its tolerance at the end, ends the motion where the joints are then; so
/// does a halt of the motors.
///
/// A trajectory whose first point has passed is joined where it is nearest to the joints, at the desired positions or else at the
/// measured ones. Further than the path tolerance from there it is refused. It is followed up to twice as fast until it is on
/// time, and no desired position is faster than twice its greatest planned speed. Efforts of points are added to the law's.
///
/// Output `follow_joint_trajectory`: how the joints follow, [`FEEDBACK_RATE`] times a second, and how a goal ends.
/// # Errors
/// `starting`: a joint is not calibrated, or its position is not finite.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy) for tolerances and replacement, `JointTrajectoryActionController` 1.8 for
/// the turns of continuous joints; own: a halt ends the motion; one that is late keeps its way.
#[derive(Clone, Debug)]
pub struct TrajectoryController {
    joints: Vec<Axis>,
    tolerance: Tolerance,
    motion: Option<Box<Motion>>,
    begun: Instant,
    progress: Progress,
    /// Whether the next step is the first one of the motion.
    is_first: bool,
    goal: Goal,
    /// Whether the motion is to end in the next step.
    is_cancelled: bool,
    /// The goal that ended and is not reported yet.
    ended: Option<(GoalId, Goal)>,
    /// How a motion without a goal failed.
    failed: Option<Goal>,
    failures: PublishPeriod,
    due: Option<PublishPeriod>,
    /// How many joints are reported.
    reported: usize,
}

/// How often a controller reports how its joints follow a goal \[Hz\].
pub const FEEDBACK_RATE: f64 = 20.0;

/// How often a controller reports at most that a trajectory without a goal failed \[Hz\]: a stream may fail with each message.
const FAILURE_RATE: f64 = 1.0;

/// The greatest distances from the desired positions \[rad or m\]; infinite for any.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// On the way.
    pub path: f64,
    /// At the end, no later than `time` after the trajectory's end.
    pub goal: f64,
    /// The time for which the end is awaited.
    pub time: Duration,
}

/// What became of the last trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Goal {
    /// There was none since the start.
    #[default]
    None,
    /// It was stopped on its way.
    Stopped,
    /// It is being followed.
    Active,
    /// Its end was reached.
    Reached,
    /// A joint left its tolerance on the way.
    PathViolated(Violation),
    /// A joint was not within its tolerance at the end.
    GoalMissed(Violation),
    /// The motors were halted.
    Halted,
}

/// A joint that is not within its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Violation {
    /// Its index in the controller.
    pub joint: usize,
    /// What is too far from the desired value.
    pub quantity: Quantity,
    /// The desired value minus the measured one, in the unit of the quantity.
    pub error: f64,
    /// The greatest distance, in the same unit.
    pub tolerance: f64,
}

/// What has a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// \[rad or m\]
    Position,
    /// \[rad/s or m/s\]
    Velocity,
}

#[derive(Clone, Debug)]
struct Axis {
    joint: usize,
    pid: Pid,
    /// Where the joint was when the trajectory began: position and velocity, and its feed-forward.
    start: [f64; 2],
    start_effort: f64,
    /// The desired position and velocity.
    approach: Approach,
    /// The desired acceleration.
    acceleration: f64,
    /// The effort that the trajectory states, which changes to that of the next one as a position does, without a limit.
    feed_forward: Approach,
    /// What is reported of it next.
    tracking: Report,
}

/// A place at which a trajectory may be joined.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The trajectory's time.
    time: Duration,
    /// Whether the joints' measured positions are near to it, and not the desired ones.
    is_measured: bool,
    /// The greatest distance of a joint there, of its tolerance.
    ratio: f64,
    /// The joint that is refused.
    violation: Violation,
}

impl TrajectoryController {
    /// A controller of the joints with these indices in the robot, each with its law.
    pub fn new(joints: impl IntoIterator<Item = (usize, Pid)>, tolerance: Tolerance) -> Self {
        let axis = |(joint, pid)| {
            let (start, start_effort, approach, acceleration, feed_forward) = Default::default();
            Axis {
                joint,
                pid,
                start,
                start_effort,
                approach,
                acceleration,
                feed_forward,
                tracking: Report::Event,
            }
        };
        let joints: Vec<Axis> = joints.into_iter().map(axis).collect();
        let (reported, begun) = (joints.len(), Instant::ZERO);
        let (motion, progress, is_first, goal, is_cancelled, ended, failed, due) = Default::default();
        let failures = PublishPeriod::new(FAILURE_RATE, begun);
        Self {
            joints,
            tolerance,
            motion,
            begun,
            progress,
            is_first,
            goal,
            is_cancelled,
            ended,
            failed,
            failures,
            due,
            reported,
        }
    }

    /// What became of the last trajectory.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The first joint that is not within its tolerance, on the way or at the end.
    fn violation(&self, robot: &Robot, is_end: bool) -> Option<Violation> {
        let given = self.motion.as_ref().map_or(&[][..], |motion| &motion.tolerances);
        self.joints.iter().enumerate().find_map(|(index, axis)| {
            let bounds = given.get(index).copied().unwrap_or_default();
            let bounds = if is_end { bounds.goal } else { bounds.path };
            let position = if is_end { self.tolerance.goal } else { self.tolerance.path };
            let joint = robot.joints().get(axis.joint)?;
            let [wanted, velocity] = axis.approach.state();
            // The tolerance is that of the trajectory, also while the desired position is on its way there.
            let path = wanted - axis.approach.offset();
            [
                (Quantity::Position, error(joint, path), bounds.position.unwrap_or(position)),
                (Quantity::Velocity, velocity - joint.velocity, bounds.velocity.unwrap_or(f64::INFINITY)),
            ]
            .into_iter()
            // An error that is not a number is within no tolerance.
            .find(|(_, error, most)| error.is_nan() || error.abs() > *most)
            .map(|(quantity, error, tolerance)| Violation {
                joint: index,
                quantity,
                error,
                tolerance,
            })
        })
    }

    fn follow(&mut self, step: &Step<'_>) {
        if step.robot.is_halted() {
            return self.end(Goal::Halted, step.robot);
        }
        if self.is_first
            && let Err(violation) = self.join(step.robot)
        {
            return self.end(Goal::PathViolated(violation), step.robot);
        }
        let Some(motion) = &self.motion else { return };
        let Advance { time, rate, step: dt } = self.progress.advance(step.now, step.period);
        for (index, axis) in self.joints.iter_mut().enumerate() {
            let [mut position, mut velocity, acceleration] =
                motion.trajectory.sample(time, index, axis.start);
            if time > motion.trajectory.end() {
                let last = motion.trajectory.points().last().and_then(|point| point.positions.get(index));
                let range = step.robot.joints().get(axis.joint).and_then(Joint::range);
                // A joint that comes to rest beyond its last point stays within its limits.
                if let Some(([lower, upper], last)) = range.zip(last) {
                    let inside = position.max(lower.min(*last)).min(upper.max(*last));
                    velocity = if inside == position { velocity } else { 0.0 };
                    position = inside;
                }
            }
            axis.approach.follow([position, rate * velocity], dt);
            axis.acceleration = rate * rate * acceleration;
            let effort = motion.trajectory.effort(time, index, axis.start_effort);
            axis.feed_forward.follow([effort, 0.0], dt);
        }
        if motion.goal.is_some() {
            self.track(step);
        }
        self.judge(step.robot, time);
    }

    /// Joins the trajectory: where it is nearest to the desired positions, since it is late, or else to the measured ones.
    /// # Errors
    /// A joint is further than its tolerance from there.
    fn join(&mut self, robot: &Robot) -> Result<(), Violation> {
        let Some(motion) = &self.motion else { return Ok(()) };
        let trajectory = &motion.trajectory;
        let nearest = |is_measured| {
            let entries = trajectory.entries().map(|time| self.distance(robot, motion, time, is_measured));
            // Of equal ones the latest.
            entries.reduce(|best, one| if one.ratio <= best.ratio { one } else { best })
        };
        let entry = match nearest(false) {
            Some(entry) if entry.ratio > 1.0 => nearest(true),
            entry => entry,
        };
        if let Some(Entry { violation, .. }) = entry.filter(|entry| entry.ratio > 1.0) {
            return Err(violation);
        }
        let time = entry.map_or(trajectory.begin(), |entry| entry.time.min(trajectory.age()));
        let first = trajectory.points().first();
        for (index, axis) in self.joints.iter_mut().enumerate() {
            let Some(joint) = robot.joints().get(axis.joint) else { continue };
            if entry.is_some_and(|entry| entry.is_measured) {
                axis.approach = Approach::held(joint.position);
            }
            let [position, velocity] = axis.approach.state();
            let target = match entry {
                Some(entry) => trajectory.sample(entry.time, index, [0.0; 2])[0],
                None => first.and_then(|first| first.positions.get(index)).copied().unwrap_or(position),
            };
            axis.start = [target - way(joint, position, target), velocity];
            axis.start_effort = axis.feed_forward.state()[0];
            let [path, ..] = trajectory.sample(time, index, axis.start);
            axis.approach.begin(axis.start[0], path, trajectory.top_speed(index, axis.start));
            let effort = trajectory.effort(time, index, axis.start_effort);
            axis.feed_forward.begin(axis.start_effort, effort, f64::MAX / 4.0);
        }
        self.progress = Progress::new(self.begun, trajectory.age(), time);
        Ok(())
    }

    /// How near the joints are to the motion at `time`, of which that counts which is the furthest for its tolerance.
    fn distance(&self, robot: &Robot, motion: &Motion, time: Duration, is_measured: bool) -> Entry {
        let violation = Violation { joint: 0, quantity: Quantity::Position, error: 0.0, tolerance: 0.0 };
        let mut entry = Entry { time, is_measured, ratio: 0.0, violation };
        for (index, axis) in self.joints.iter().enumerate() {
            let Some(joint) = robot.joints().get(axis.joint) else { continue };
            let given = motion.tolerances.get(index).and_then(|given| given.path.position);
            let top_speed = motion.trajectory.top_speed(index, [0.0; 2]);
            let tolerance = near(given.unwrap_or(self.tolerance.path), top_speed);
            let from = if is_measured { joint.position } else { axis.approach.state()[0] };
            let error = way(joint, from, motion.trajectory.sample(time, index, [0.0; 2])[0]);
            let ratio = error.abs() / tolerance;
            let ratio = if ratio.is_nan() { f64::INFINITY } else { ratio };
            if ratio > entry.ratio {
                let violation = Violation { joint: index, quantity: Quantity::Position, error, tolerance };
                entry = Entry { ratio, violation, ..entry };
            }
        }
        entry
    }

    /// Judges the joints against the tolerances, at this time of the trajectory.
    fn judge(&mut self, robot: &Robot, passed: Duration) {
        let Some(motion) = &self.motion else { return };
        let (duration, time) =
            (motion.trajectory.duration(), motion.goal_time.unwrap_or(self.tolerance.time));
        let has_arrived = |axis: &Axis| axis.approach.has_arrived() && axis.feed_forward.has_arrived();
        let is_on_the_way = passed < duration || !self.joints.iter().all(has_arrived);
        // Also a motion that is over at once may not jump.
        if core::mem::take(&mut self.is_first) || is_on_the_way {
            if let Some(violation) = self.violation(robot, false) {
                self.end(Goal::PathViolated(violation), robot);
            }
        } else {
            match self.violation(robot, true) {
                None => self.end(Goal::Reached, robot),
                Some(violation) if passed - duration > time => self.end(Goal::GoalMissed(violation), robot),
                Some(_) => {}
            }
        }
    }

    /// Ends the motion as `goal`, and holds the joints where they are unless it was reached. The feed-forward stays, but after a halt.
    fn end(&mut self, goal: Goal, robot: &Robot) {
        self.finish(goal);
        for axis in self.joints.iter_mut().filter(|_| goal != Goal::Reached) {
            if let Some(joint) = robot.joints().get(axis.joint).filter(|joint| joint.position.is_finite()) {
                (axis.approach, axis.acceleration) = (Approach::held(joint.position), 0.0);
            }
            // The effort of a motion that has ended on its way, at an obstacle perhaps, would push on. That of the last point is one of rest.
            if !matches!(goal, Goal::GoalMissed(_)) {
                axis.feed_forward = Approach::default();
            }
        }
    }

    fn finish(&mut self, goal: Goal) {
        let id = self.motion.as_ref().and_then(|motion| motion.goal).filter(|_| self.goal == Goal::Active);
        self.ended = id.map(|id| (id, goal)).or(self.ended);
        self.goal = goal;
    }

    /// Prepares what is reported of the joints, if that is due.
    fn track(&mut self, step: &Step<'_>) {
        let due = self.due.get_or_insert(PublishPeriod::new(FEEDBACK_RATE, step.now));
        // A message that is not all reported yet stays what it is.
        if self.reported < self.joints.len() || !due.is_due(step.now) {
            return;
        }
        for (index, axis) in self.joints.iter_mut().enumerate() {
            if let Some(joint) = step.robot.joints().get(axis.joint) {
                let [position, velocity] = axis.approach.state();
                let (desired, error) = ([position, velocity, axis.acceleration], error(joint, position));
                let actual = [joint.position, joint.velocity];
                axis.tracking = Report::Tracking { index, desired, actual, error };
            }
        }
        self.reported = 0;
    }
}

/// The distance of a joint from a desired position, which may lie beyond its end stops; on the shorter way of a continuous one.
fn error(joint: &Joint, wanted: f64) -> f64 {
    way(joint, joint.position, wanted)
}

/// The way of a joint between two positions, the shorter one of a continuous joint.
fn way(joint: &Joint, from: f64, to: f64) -> f64 {
    let way = to - from;
    if joint.kind == JointKind::Continuous { (way + PI).rem_euclid(TAU) - PI } else { way }
}

impl Controller for TrajectoryController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: "joint_trajectory", kind: InputKind::Trajectory }]
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        &[ControllerOutput { name: "follow_joint_trajectory", kind: OutputKind::Follow }]
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        self.is_cancelled |= matches!(message, Message::Stop);
        let Message::Trajectory(new) = message else { return };
        match new {
            Some(motion) if motion.trajectory.joints() == self.joints.len() => {
                // What was followed until now goes back with the message.
                core::mem::swap(&mut self.motion, new);
                (self.begun, self.goal, self.is_cancelled) = (now, Goal::Active, false);
                self.is_first = true;
            }
            _ => {}
        }
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        for axis in &self.joints {
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
        self.is_cancelled = false;
        for axis in &mut self.joints {
            if let Some(joint) = step.robot.joints().get(axis.joint) {
                (axis.approach, axis.acceleration) = (Approach::held(joint.position), 0.0);
            }
            axis.feed_forward = Approach::default();
            axis.pid.reset();
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        // Without a motion there is nothing to end, and a joint that sags is not to be held lower each time.
        if core::mem::take(&mut self.is_cancelled) && self.goal == Goal::Active {
            self.end(Goal::Stopped, step.robot);
        }
        if self.goal == Goal::Active {
            self.follow(step);
            let has_failed = matches!(self.goal, Goal::PathViolated(_) | Goal::GoalMissed(_));
            let is_goal = self.motion.as_ref().is_some_and(|motion| motion.goal.is_some());
            if has_failed && !is_goal && self.failures.is_due(step.now) {
                self.failed = Some(self.goal);
            }
        }
        let period = step.period.as_secs_f64();
        for axis in &mut self.joints {
            if let Some(joint) = step.robot.joints_mut().get_mut(axis.joint) {
                if !joint.is_calibrated {
                    return Err(ControllerFailure("one of its joints is no longer calibrated"));
                }
                let ([position, velocity], [effort, _]) = (axis.approach.state(), axis.feed_forward.state());
                let (error, rate) = (distance(joint, position), velocity - joint.velocity);
                joint.commanded_effort += axis.pid.update_with(effort, error, rate, period);
            }
        }
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        if let Some(axis) = self.joints.get(self.reported) {
            self.reported += 1;
            return Some((0, axis.tracking));
        }
        let ended = self.ended.take().map(|(id, goal)| Report::GoalEnded(id, goal));
        ended.or_else(|| self.failed.take().map(Report::MotionFailed)).map(|report| (0, report))
    }
}
