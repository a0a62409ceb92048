use core::f64::consts::{PI, TAU};
use core::time::Duration;

use units::Instant;

use crate::Robot;
use crate::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, InputKind, Message, OutputKind,
    PublishPeriod, Report, Step,
};
use crate::laws::{GoalId, Motion, Pid};
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
/// Output `follow_joint_trajectory`: how the joints follow, [`FEEDBACK_RATE`] times a second, and how a goal ends.
/// # Errors
/// `starting`: a joint is not calibrated, or its position is not finite.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy) for tolerances and replacement, `JointTrajectoryActionController` 1.8 for
/// the turns of continuous joints; own: a halt ends the motion.
#[derive(Clone, Debug)]
pub struct TrajectoryController {
    joints: Vec<Axis>,
    tolerance: Tolerance,
    motion: Option<Box<Motion>>,
    begun: Instant,
    /// Whether the next step is the first one of the motion.
    is_first: bool,
    goal: Goal,
    /// Whether the motion is to end in the next step.
    is_cancelled: bool,
    /// The goal that ended and is not reported yet.
    ended: Option<(GoalId, Goal)>,
    due: Option<PublishPeriod>,
    /// How many joints are reported.
    reported: usize,
}

/// How often a controller reports how its joints follow a goal \[Hz\].
pub const FEEDBACK_RATE: f64 = 20.0;

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
    /// Where the joint was when the trajectory began: position and velocity.
    start: [f64; 2],
    /// The desired position, velocity and acceleration of the last step.
    desired: [f64; 3],
    /// What is reported of it next.
    tracking: Report,
}

impl TrajectoryController {
    /// A controller of the joints with these indices in the robot, each with its law.
    pub fn new(joints: impl IntoIterator<Item = (usize, Pid)>, tolerance: Tolerance) -> Self {
        let axis =
            |(joint, pid)| Axis { joint, pid, start: [0.0; 2], desired: [0.0; 3], tracking: Report::Event };
        let joints: Vec<Axis> = joints.into_iter().map(axis).collect();
        let (reported, begun) = (joints.len(), Instant::ZERO);
        let (motion, is_first, goal, is_cancelled, ended, due) = Default::default();
        Self { joints, tolerance, motion, begun, is_first, goal, is_cancelled, ended, due, reported }
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
            let [wanted, velocity, _] = axis.desired;
            [
                (Quantity::Position, error(joint, wanted), bounds.position.unwrap_or(position)),
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
        let Some(motion) = &self.motion else { return };
        let passed = step.now.since(self.begun);
        if self.is_first {
            let first = motion.trajectory.points().first();
            for (index, axis) in self.joints.iter_mut().enumerate() {
                axis.start = [axis.desired[0], axis.desired[1]];
                let first = first.and_then(|point| point.positions.get(index));
                if let Some((first, joint)) = first.zip(step.robot.joints().get(axis.joint)) {
                    axis.start[0] = first - way(joint, axis.desired[0], *first);
                }
            }
        }
        for (index, axis) in self.joints.iter_mut().enumerate() {
            axis.desired = motion.trajectory.sample(passed, index, axis.start);
        }
        if motion.goal.is_some() {
            self.track(step);
        }
        self.judge(step.robot, passed);
    }

    /// Judges the joints against the tolerances, `passed` after the trajectory's begin.
    fn judge(&mut self, robot: &Robot, passed: Duration) {
        let Some(motion) = &self.motion else { return };
        let (duration, time) =
            (motion.trajectory.duration(), motion.goal_time.unwrap_or(self.tolerance.time));
        // Also a motion that is over at once may not jump.
        let is_on_the_way = core::mem::take(&mut self.is_first) || passed < duration;
        if robot.is_halted() {
            self.end(Goal::Halted, robot);
        } else if is_on_the_way {
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

    /// Ends the motion as `goal`, and holds the joints where they are unless it was reached.
    fn end(&mut self, goal: Goal, robot: &Robot) {
        self.finish(goal);
        if goal != Goal::Reached {
            for axis in &mut self.joints {
                if let Some(joint) = robot.joints().get(axis.joint).filter(|joint| joint.position.is_finite())
                {
                    axis.desired = [joint.position, 0.0, 0.0];
                }
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
                let error = error(joint, axis.desired[0]);
                let actual = [joint.position, joint.velocity];
                axis.tracking = Report::Tracking { index, desired: axis.desired, actual, error };
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
                axis.desired = [joint.position, 0.0, 0.0];
            }
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
        }
        let period = step.period.as_secs_f64();
        for axis in &mut self.joints {
            if let Some(joint) = step.robot.joints_mut().get_mut(axis.joint) {
                if !joint.is_calibrated {
                    return Err(ControllerFailure("one of its joints is no longer calibrated"));
                }
                let (error, rate) = (distance(joint, axis.desired[0]), axis.desired[1] - joint.velocity);
                joint.commanded_effort += axis.pid.update(error, rate, period);
            }
        }
        Ok(())
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        if let Some(axis) = self.joints.get(self.reported) {
            self.reported += 1;
            return Some((0, axis.tracking));
        }
        self.ended.take().map(|(id, goal)| (0, Report::GoalEnded(id, goal)))
    }
}
