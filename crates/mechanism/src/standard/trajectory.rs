use core::time::Duration;

use units::Instant;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerInput, InputKind, Message, Step};
use crate::laws::{Pid, Trajectory};
use crate::standard::position::distance;

/// Moves joints along a trajectory and holds its end: effort = PID(desired - position), with the desired and the measured
/// velocity for the derivative.
///
/// Input `joint_trajectory`: a [`Trajectory`] with as many joints as the controller has, which replaces the present one from where it
/// is, position and velocity. A start holds the present positions until one comes. A joint that leaves its tolerance on the way
/// ends the motion where the joints are then; one that is not within its tolerance at the end misses the goal.
/// # Errors
/// `starting`: a joint is not calibrated, or its position is not finite.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy) for tolerances and replacement.
#[derive(Clone, Debug)]
pub struct TrajectoryController {
    joints: Vec<Axis>,
    tolerance: Tolerance,
    trajectory: Option<Box<Trajectory>>,
    begun: Instant,
    goal: Goal,
}

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// There was none since the start.
    #[default]
    None,
    /// It is being followed.
    Active,
    /// Its end was reached.
    Reached,
    /// A joint, by its index in the controller, left its tolerance on the way.
    PathViolated(usize),
    /// A joint was not within its tolerance at the end.
    GoalMissed(usize),
}

#[derive(Clone, Debug)]
struct Axis {
    joint: usize,
    pid: Pid,
    /// Where the joint was when the trajectory began: position and velocity.
    start: [f64; 2],
    /// The desired position and velocity of the last step.
    desired: [f64; 2],
}

impl TrajectoryController {
    /// A controller of the joints with these indices in the robot, each with its law.
    pub fn new(joints: impl IntoIterator<Item = (usize, Pid)>, tolerance: Tolerance) -> Self {
        let axis = |(joint, pid)| Axis { joint, pid, start: [0.0; 2], desired: [0.0; 2] };
        let joints = joints.into_iter().map(axis).collect();
        Self { joints, tolerance, trajectory: None, begun: Instant::ZERO, goal: Goal::None }
    }

    /// What became of the last trajectory.
    pub fn goal(&self) -> Goal {
        self.goal
    }

    /// The distance of the axis from its desired position.
    fn error(robot: &Robot, axis: &Axis) -> f64 {
        robot.joints().get(axis.joint).map_or(0.0, |joint| distance(joint, axis.desired[0]))
    }

    /// Judges the joints against the tolerances, `passed` after the trajectory's begin.
    fn judge(&mut self, robot: &Robot, passed: Duration, duration: Duration) {
        // An error that is not a number is within no tolerance.
        let is_within = |axis: &Axis, most: f64| Self::error(robot, axis).abs() <= most;
        let beyond = |most: f64| self.joints.iter().position(|axis| !is_within(axis, most));
        if passed < duration {
            if let Some(axis) = beyond(self.tolerance.path) {
                self.goal = Goal::PathViolated(axis);
                self.hold(robot);
            }
        } else {
            match beyond(self.tolerance.goal) {
                None => self.goal = Goal::Reached,
                Some(axis) if passed - duration > self.tolerance.time => self.goal = Goal::GoalMissed(axis),
                Some(_) => {}
            }
        }
    }

    /// Holds the joints where they are from now on.
    fn hold(&mut self, robot: &Robot) {
        for axis in &mut self.joints {
            if let Some(joint) = robot.joints().get(axis.joint).filter(|joint| joint.position.is_finite()) {
                axis.desired = [joint.position, 0.0];
            }
        }
    }
}

impl Controller for TrajectoryController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: "joint_trajectory", kind: InputKind::Trajectory }]
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        let Message::Trajectory(new) = message else { return };
        if new.as_ref().is_none_or(|new| new.joints() != self.joints.len()) {
            return;
        }
        // What was followed until now goes back with the message.
        core::mem::swap(&mut self.trajectory, new);
        (self.begun, self.goal) = (now, Goal::Active);
        for axis in &mut self.joints {
            axis.start = axis.desired;
        }
    }

    fn starting(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        for axis in &mut self.joints {
            let joint = step.robot.joints().get(axis.joint);
            let joint = joint.ok_or(ControllerFailure("one of its joints does not exist"))?;
            if !joint.is_calibrated {
                return Err(ControllerFailure("one of its joints is not calibrated"));
            }
            if !joint.position.is_finite() {
                return Err(ControllerFailure("the position of one of its joints is not finite"));
            }
            axis.desired = [joint.position, 0.0];
            axis.pid.reset();
        }
        self.goal = Goal::None;
        Ok(())
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let passed = step.now.since(self.begun);
        if let Some(trajectory) = self.trajectory.as_ref().filter(|_| self.goal == Goal::Active) {
            let duration = trajectory.duration();
            for (index, axis) in self.joints.iter_mut().enumerate() {
                let [position, velocity, _] = trajectory.sample(passed, index, axis.start);
                axis.desired = [position, velocity];
            }
            self.judge(step.robot, passed, duration);
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
}
