use core::time::Duration;

use safety::{ClockReading, Stamp};

use crate::Joint;
use crate::laws::{Point, Trajectory, TrajectoryError};
use crate::robot::JointKind;

/// A joint of a controller that follows trajectories.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowedJoint {
    /// Its name.
    pub name: String,
    /// The unit of its position: `rad` or `m`.
    pub unit: &'static str,
    /// The lowest and the highest position that may be commanded, in `unit`; `None` for any.
    pub range: Option<[f64; 2]>,
    /// Whether it turns without an end.
    pub is_continuous: bool,
    /// Its limit of speed \[rad/s or m/s\], greater than 0; `None` for any.
    pub speed: Option<f64>,
    /// Where it is now, if that is known \[rad or m\].
    pub position: Option<f64>,
}

/// A position counts as within a limit up to here, since one that was a float32 is rounded \[rad or m\].
const ROUNDING: f64 = 1e-6;

/// A joint that is beyond its range may be this much further out than it was measured just now \[rad or m\].
const MEASURED: f64 = 0.01;

/// A trajectory may begin this much later.
const LATEST: Duration = Duration::from_secs(60);

/// The points of a trajectory for joints in any order, as a message has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedPoints {
    /// The joints in the order of the points' values.
    pub joints: Vec<String>,
    /// The points.
    pub points: Vec<Point>,
    /// When the trajectory starts, by the clock of stamps; zero for now.
    pub start: Stamp,
}

/// Why named points do not make a trajectory for a controller's joints.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NamedPointsError {
    /// The joints are not the same, each once.
    #[error("its joints are [{}], must be [{}] in any order", .found.join(", "), .wanted.join(", "))]
    Joints {
        /// Joints of the trajectory.
        found: Vec<String>,
        /// Joints of the controller.
        wanted: Vec<String>,
    },
    /// The points do not make a trajectory.
    #[error("{0}")]
    Points(TrajectoryError),
    /// The last point is due at the start, so there is no time for a motion.
    #[error(
        "time_from_start of point {point}, the last one, is 0 s, must be greater than 0: a motion takes time"
    )]
    Instant {
        /// Its index.
        point: usize,
    },
    /// A joint cannot be where a point has it.
    #[error("joint '{joint}': {position} is beyond its {} limit {limit}", side(*.position, *.limit))]
    Range {
        /// The joint.
        joint: String,
        /// The position.
        position: f64,
        /// The limit that is nearest to it.
        limit: f64,
    },
    /// A joint is planned to be faster than its limit.
    #[error(
        "joint '{joint}': {speed:.4} {unit}/s up to point {point}, must be within its limit of {limit} {unit}/s"
    )]
    Speed {
        /// The joint.
        joint: String,
        /// Its unit, `rad` or `m`.
        unit: &'static str,
        /// The index of the point that it would reach so.
        point: usize,
        /// The planned speed.
        speed: f64,
        /// Its limit.
        limit: f64,
    },
    /// A continuous joint turns by more than half a turn, and without a limit of speed it is not known which way is meant.
    #[error(
        "joint '{joint}': it turns by {way:.4} rad up to point {point}, must be half a turn at most, since its <limit> has no velocity"
    )]
    Turn {
        /// The joint.
        joint: String,
        /// The index of the point behind the turn.
        point: usize,
        /// By how much it turns \[rad\].
        way: f64,
    },
    /// The trajectory is over.
    #[error("by its stamp it began {:.3} s ago and takes {:.3} s: it is over", .since.as_secs_f64(), .whole.as_secs_f64())]
    Late {
        /// The time since its start.
        since: Duration,
        /// How long it takes.
        whole: Duration,
    },
    /// Its stamp is too far in the future.
    #[error(
        "it is stamped {:.2} s ahead of this computer's clock, must be {} s at most: synchronize the clocks", .by.as_secs_f64(), .most.as_secs_f64()
    )]
    Ahead {
        /// How far it is.
        by: Duration,
        /// How far it may be.
        most: Duration,
    },
    /// The time is not known, so neither is how far away its start is.
    #[error("it has a stamp, and the time is not known")]
    NoTime,
}

impl NamedPoints {
    /// The trajectory for `joints`, in their order, from `now` on by the clock of stamps.
    ///
    /// One that has started is [`late`](Trajectory::late); before one that starts later the joints are held. From here on the control loop
    /// counts the time, by the boot clock.
    /// # Errors
    /// The points are for other joints, or no trajectory, or beyond a joint's range, or faster than a joint's limit of speed, or all of
    /// it is due at once, or it ended in the past, or it begins in more than a minute, or the time is not known by which it starts.
    ///
    /// A point at time zero is where the motion begins: that may be beyond the range, and then the motion leads back. So does one of
    /// a joint that is beyond its range now: no point may be further out than it is, or than the point before. A continuous joint takes the
    /// short way where a segment is longer than half a turn, unless its own speed is within the joint's limit.
    /// # Source
    /// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy); own: what could only jump, or press a joint against its end stop, is
    /// refused.
    pub fn for_joints(
        self,
        joints: &[FollowedJoint],
        now: impl Into<ClockReading>,
    ) -> Result<Trajectory, NamedPointsError> {
        let (start, now) = (self.start, now.into());
        let mut trajectory = self.ordered(joints)?;
        let whole = trajectory.end();
        if whole.is_zero() {
            return Err(NamedPointsError::Instant { point: trajectory.points().len() - 1 });
        }
        check_range(&trajectory, joints)?;
        check_speed(&mut trajectory, joints)?;
        if start.is_zero() {
            return Ok(trajectory);
        }
        if !now.is_reliable || start == Stamp::UNKNOWN {
            return Err(NamedPointsError::NoTime);
        }
        let way = start.as_nanos().saturating_sub(now.stamp.as_nanos());
        let away = Duration::from_nanos(way.unsigned_abs());
        if way >= 0 {
            if away > LATEST {
                return Err(NamedPointsError::Ahead { by: away, most: LATEST });
            }
            return Ok(trajectory.later(away));
        }
        if away >= whole {
            return Err(NamedPointsError::Late { since: away, whole });
        }
        Ok(trajectory.late(away))
    }

    fn ordered(self, joints: &[FollowedJoint]) -> Result<Trajectory, NamedPointsError> {
        let places: Option<Vec<usize>> =
            joints.iter().map(|joint| self.joints.iter().position(|found| *found == joint.name)).collect();
        let Some(places) = places.filter(|places| places.len() == self.joints.len()) else {
            let wanted = joints.iter().map(|joint| joint.name.clone()).collect();
            return Err(NamedPointsError::Joints { found: self.joints, wanted });
        };
        let mut points = self.points;
        for point in &mut points {
            let Point { positions, velocities, accelerations, efforts, .. } = point;
            for values in [positions, velocities, accelerations, efforts] {
                // Values of another number are left for the trajectory to refuse.
                if values.len() == places.len() {
                    *values = places.iter().filter_map(|&place| values.get(place).copied()).collect();
                }
            }
        }
        Trajectory::new(joints.len(), points).map_err(NamedPointsError::Points)
    }
}

impl From<&Joint> for FollowedJoint {
    fn from(joint: &Joint) -> Self {
        let speed = joint.limits.map(|limits| limits.velocity).filter(|speed| *speed > 0.0);
        let is_continuous = joint.kind == JointKind::Continuous;
        let (name, unit) = (joint.name.clone(), joint.kind.unit());
        Self { name, unit, range: joint.range(), is_continuous, speed, position: None }
    }
}

/// Checks that each joint can be where the points after the start have it. Where a joint is beyond its range now, they lead back.
fn check_range(trajectory: &Trajectory, joints: &[FollowedJoint]) -> Result<(), NamedPointsError> {
    for (index, joint) in joints.iter().enumerate() {
        let Some([lower, upper]) = joint.range else { continue };
        let beyond = |position: &f64| *position < lower || *position > upper;
        let mut allowed = match joint.position.filter(beyond) {
            Some(position) => [lower.min(position - MEASURED), upper.max(position + MEASURED)],
            None => [lower, upper],
        };
        for point in trajectory.points().iter().filter(|point| !point.time.is_zero()) {
            let Some(&position) = point.positions.get(index) else { continue };
            let [least, most] = allowed;
            if position < least - ROUNDING || position > most + ROUNDING {
                let limit = if position < least { lower } else { upper };
                return Err(NamedPointsError::Range { joint: joint.name.clone(), position, limit });
            }
            allowed = [lower.min(least.max(position)), upper.max(most.min(position))];
        }
    }
    Ok(())
}

/// Checks that no joint is planned to be faster than its limit, once continuous ones take the short way.
fn check_speed(trajectory: &mut Trajectory, joints: &[FollowedJoint]) -> Result<(), NamedPointsError> {
    for (index, joint) in joints.iter().enumerate() {
        let limit = joint.speed.unwrap_or(f64::INFINITY);
        if joint.is_continuous {
            if let (None, Some((point, way))) = (joint.speed, trajectory.turn(index)) {
                return Err(NamedPointsError::Turn { joint: joint.name.clone(), point, way });
            }
            trajectory.unwind(index, limit);
        }
        if let Some((point, speed)) = trajectory.too_fast(index, limit) {
            let (joint, unit) = (joint.name.clone(), joint.unit);
            return Err(NamedPointsError::Speed { joint, unit, point, speed, limit });
        }
    }
    Ok(())
}

fn side(position: f64, limit: f64) -> &'static str {
    if position < limit { "lower" } else { "upper" }
}

#[cfg(test)]
mod tests;
