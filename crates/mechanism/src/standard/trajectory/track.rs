use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{Report, Step};
use crate::laws::{Advance, Approach, Motion, PLANNED, Pid, Progress, near, settle};
use crate::robot::Joint;
use crate::standard::position::{distance, way};
use crate::standard::trajectory::goal::{Quantity, Tolerance, Violation};

/// The desired states of a controller's joints, held or on their way along a motion.
///
/// A motion is joined on a copy of it, which takes its place if no joint is refused: so a motion that is refused changes nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Track {
    pub(super) axes: Vec<Axis>,
    progress: Progress,
    /// Whether the joints are braked and held where they were, since the trajectory is one at rest elsewhere.
    is_still: bool,
}

/// The desired state of one joint.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// The index of the joint in the robot.
    pub(super) joint: usize,
    pid: Pid,
    /// The integral with which the joint was last where it is desired.
    load: f64,
    /// Where the joint was when the trajectory began: position and velocity, and its feed-forward.
    start: [f64; 2],
    start_effort: f64,
    /// The desired position and velocity.
    approach: Approach,
    /// The desired acceleration.
    acceleration: f64,
    /// The effort that the trajectory states, which changes to that of the next one as a position does, without a limit.
    feed_forward: Approach,
}

/// The phase of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// On its way.
    Way,
    /// At its end, which is judged.
    End,
    /// After it was reached.
    Hold,
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

impl Axis {
    fn new((joint, pid): (usize, Pid)) -> Self {
        let (load, start, start_effort, approach, acceleration, feed_forward) = Default::default();
        Self { joint, pid, load, start, start_effort, approach, acceleration, feed_forward }
    }

    /// Its report, if it is the one with this `index`.
    pub(super) fn report(&self, index: usize, robot: &Robot) -> Option<Report> {
        let joint = robot.joints().get(self.joint)?;
        let [position, velocity] = self.approach.state();
        let (desired, actual) = ([position, velocity, self.acceleration], [joint.position, joint.velocity]);
        Some(Report::Tracking { index, desired, actual, error: way(joint, joint.position, position) })
    }
}

impl Track {
    pub(super) fn new(joints: impl IntoIterator<Item = (usize, Pid)>) -> Self {
        Self { axes: joints.into_iter().map(Axis::new).collect(), ..Self::default() }
    }

    /// Takes the state of `other`, a track of the same joints.
    /// # Real-time
    /// It allocates nothing.
    pub(super) fn copy(&mut self, other: &Self) {
        self.axes.clone_from_slice(&other.axes);
        (self.progress, self.is_still) = (other.progress, other.is_still);
    }

    /// Holds the joints where they are, without a feed-forward, as at a start.
    pub(super) fn start(&mut self, robot: &Robot) {
        for axis in &mut self.axes {
            if let Some(joint) = robot.joints().get(axis.joint) {
                (axis.approach, axis.acceleration) = (Approach::held(joint.position), 0.0);
            }
            axis.feed_forward = Approach::default();
            axis.pid.reset();
            axis.load = 0.0;
        }
    }

    /// Holds the joints where they are; one whose position is not finite stays where it is desired. The integral holds a load, and does not
    /// push on against what kept a joint from following.
    pub(super) fn hold(&mut self, robot: &Robot, keeps_efforts: bool) {
        for axis in &mut self.axes {
            if let Some(joint) = robot.joints().get(axis.joint).filter(|joint| joint.position.is_finite()) {
                (axis.approach, axis.acceleration) = (Approach::held(joint.position), 0.0);
            }
            if !keeps_efforts {
                axis.feed_forward = Approach::default();
            }
            axis.pid.set_integral(axis.load);
        }
    }

    /// The first joint that is not within its tolerance in this phase.
    pub(super) fn violation(
        &self,
        robot: &Robot,
        motion: &Motion,
        tolerance: Tolerance,
        phase: Phase,
    ) -> Option<Violation> {
        self.axes.iter().enumerate().find_map(|(index, axis)| {
            let given = motion.tolerances.get(index).copied().unwrap_or_default();
            let (bounds, own) = match phase {
                Phase::End => (given.goal, tolerance.goal),
                Phase::Way | Phase::Hold => (given.path, tolerance.path),
            };
            let position = bounds.position.unwrap_or(own);
            let most = match phase {
                // What a goal asked for its way may be less than a load moves a joint that is held.
                Phase::Hold => [position.max(own), f64::INFINITY],
                Phase::Way | Phase::End => [position, bounds.velocity.unwrap_or(f64::INFINITY)],
            };
            let joint = robot.joints().get(axis.joint)?;
            let [wanted, velocity] = axis.approach.state();
            let last = motion.trajectory.points().last().and_then(|last| last.positions.get(index));
            let path = match last.filter(|_| self.is_still && phase == Phase::End && motion.goal.is_some()) {
                Some(last) => *last,
                // The tolerance is that of the trajectory, also while the desired position is on its way there.
                None => wanted - axis.approach.offset(),
            };
            let error = way(joint, joint.position, path);
            [(Quantity::Position, error, most[0]), (Quantity::Velocity, velocity - joint.velocity, most[1])]
                .into_iter()
                // An error that is not a number is within no tolerance.
                .find(|(_, error, most)| error.is_nan() || error.abs() > *most)
                .map(|(quantity, error, tolerance)| Violation { joint: index, quantity, error, tolerance })
        })
    }

    /// Moves the desired states along `motion` by a step. Returns the time of the motion then.
    pub(super) fn advance(&mut self, motion: &Motion, step: &Step<'_>) -> Duration {
        let trajectory = &motion.trajectory;
        let Advance { time, rate, step: dt } = self.progress.advance(step.now, step.period);
        for (index, axis) in self.axes.iter_mut().enumerate() {
            let [mut position, mut velocity, acceleration] = if self.is_still {
                settle(axis.start[0], axis.start[1], time.as_secs_f64())
            } else {
                trajectory.sample(time, index, axis.start)
            };
            if time > trajectory.end() {
                let last = trajectory.points().last().and_then(|point| point.positions.get(index));
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
            let effort = trajectory.effort(time, index, axis.start_effort);
            axis.feed_forward.follow([effort, 0.0], dt);
        }
        time
    }

    /// Begins `motion`, which came at `begun`, and makes its first step. Returns its time then.
    /// # Errors
    /// A joint is too far from it to join it, or not within its tolerance in that step. Then the track is of no use.
    pub(super) fn begin(
        &mut self,
        motion: &Motion,
        tolerance: Tolerance,
        begun: Instant,
        step: &Step<'_>,
    ) -> Result<Duration, Violation> {
        self.join(step.robot, motion, tolerance, begun)?;
        let time = self.advance(motion, step);
        // Also a motion that is over at once may not jump.
        self.violation(step.robot, motion, tolerance, Phase::Way).map_or(Ok(time), Err)
    }

    /// Joins the trajectory that came at `begun`: where it is nearest to the desired positions, since it is late, or else to the
    /// measured ones. One that is at rest elsewhere, as a halt of a stream that the joints lag behind, begins no motion: it brakes.
    /// # Errors
    /// A joint is further than its tolerance from there, or would have to be faster than its limit to reach the first point in time.
    fn join(
        &mut self,
        robot: &Robot,
        motion: &Motion,
        tolerance: Tolerance,
        begun: Instant,
    ) -> Result<(), Violation> {
        let trajectory = &motion.trajectory;
        let nearest = |is_measured| {
            let entries = trajectory.entries();
            let entries = entries.map(|time| self.distance(robot, motion, tolerance, time, is_measured));
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
        let target = |index, position| match entry {
            Some(entry) => trajectory.sample(entry.time, index, [0.0; 2])[0],
            None => first.and_then(|first| first.positions.get(index)).copied().unwrap_or(position),
        };
        let limit = |joint: &Joint| joint.limits.map(|limits| limits.velocity).filter(|limit| *limit > 0.0);
        let is_elsewhere = |(index, axis): (usize, &Axis)| {
            let Some(joint) = robot.joints().get(axis.joint) else { return false };
            let [position, velocity] = axis.approach.state();
            let way = way(joint, position, target(index, position));
            match entry {
                Some(_) => way.abs() > near(f64::INFINITY, velocity.abs()),
                // It is due sooner than the joint can be there.
                None => limit(joint).is_some_and(|limit| {
                    trajectory.top_speed(index, [target(index, position) - way, velocity]) > limit * PLANNED
                }),
            }
        };
        // A point that is still due and states no velocity is a place to go to, at rest or not.
        let is_rest = trajectory.is_rest()
            && (entry.is_some() || first.is_some_and(|first| !first.velocities.is_empty()));
        self.is_still = is_rest && self.axes.iter().enumerate().any(is_elsewhere);
        for (index, axis) in self.axes.iter_mut().enumerate() {
            let Some(joint) = robot.joints().get(axis.joint) else { continue };
            if entry.is_some_and(|entry| entry.is_measured) && !self.is_still {
                axis.approach = Approach::held(joint.position);
            }
            let [position, velocity] = axis.approach.state();
            let target = target(index, position);
            axis.start = [target - way(joint, position, target), velocity];
            axis.start_effort = axis.feed_forward.state()[0];
            let path =
                if self.is_still { axis.start[0] } else { trajectory.sample(time, index, axis.start)[0] };
            let mut top_speed = trajectory.top_speed(index, axis.start);
            // Between the points it is within the limit, so the way to the first one is not.
            if let Some(limit) = limit(joint).filter(|limit| entry.is_none() && top_speed > limit * PLANNED) {
                let given = motion.tolerances.get(index).and_then(|given| given.path.position);
                if (target - axis.start[0]).abs() > near(given.unwrap_or(tolerance.path), limit) {
                    let quantity = Quantity::Speed;
                    return Err(Violation { joint: index, quantity, error: top_speed, tolerance: limit });
                }
                // A joint that is near is only late there, as one that lags behind a stream.
                top_speed = limit / 2.0;
            }
            let top_speed = if self.is_still { velocity.abs() } else { top_speed };
            axis.approach.begin(axis.start[0], path, top_speed);
            let effort = trajectory.effort(time, index, axis.start_effort);
            axis.feed_forward.begin(axis.start_effort, effort, f64::MAX / 4.0);
        }
        let (age, time) = if self.is_still { Default::default() } else { (trajectory.age(), time) };
        self.progress = Progress::new(begun, age, time);
        Ok(())
    }

    /// How near the joints are to the motion at `time`, of which that counts which is the furthest for its tolerance.
    fn distance(
        &self,
        robot: &Robot,
        motion: &Motion,
        tolerance: Tolerance,
        time: Duration,
        is_measured: bool,
    ) -> Entry {
        let violation = Violation { joint: 0, quantity: Quantity::Position, error: 0.0, tolerance: 0.0 };
        let mut entry = Entry { time, is_measured, ratio: 0.0, violation };
        for (index, axis) in self.axes.iter().enumerate() {
            let Some(joint) = robot.joints().get(axis.joint) else { continue };
            let given = motion.tolerances.get(index).and_then(|given| given.path.position);
            let top_speed = motion.trajectory.top_speed(index, [0.0; 2]);
            let tolerance = near(given.unwrap_or(tolerance.path), top_speed);
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

    /// Whether all desired states are on the trajectory.
    pub(super) fn has_arrived(&self) -> bool {
        self.axes.iter().all(|axis| axis.approach.has_arrived() && axis.feed_forward.has_arrived())
    }

    /// The effort of the law of each joint, which is added to that of the joint.
    pub(super) fn command(&mut self, robot: &mut Robot, period: f64) {
        for axis in &mut self.axes {
            let Some(joint) = robot.joints_mut().get_mut(axis.joint) else { continue };
            let ([position, velocity], [effort, _]) = (axis.approach.state(), axis.feed_forward.state());
            let (error, rate) = (distance(joint, position), velocity - joint.velocity);
            joint.commanded_effort += axis.pid.update_with(effort, error, rate, period);
            if error.abs() <= near(f64::INFINITY, velocity.abs()) {
                axis.load = axis.pid.integral();
            }
        }
    }
}
