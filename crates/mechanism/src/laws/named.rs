use core::fmt;
use core::time::Duration;

use units::Stamp;

use crate::Joint;
use crate::laws::{Point, Trajectory, TrajectoryError};

/// A joint of a controller that follows trajectories.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedJoint {
    /// Its name.
    pub name: String,
    /// The unit of its position: `rad` or `m`.
    pub unit: &'static str,
    /// The lowest and the highest position that may be commanded, in `unit`; `None` for any.
    pub range: Option<[f64; 2]>,
}

/// A position counts as within a limit up to here, since one that was a float32 is rounded \[rad or m\].
const ROUNDING: f64 = 1e-6;

/// The points of a trajectory for joints in any order, as a message has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedPoints {
    /// The joints in the order of the points' values.
    pub joints: Vec<String>,
    /// The points.
    pub points: Vec<Point>,
    /// When the trajectory starts, by the wall clock; zero for now.
    pub start: Stamp,
}

/// Why named points do not make a trajectory for a controller's joints.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedPointsError {
    /// The joints are not the same, each once.
    Joints {
        /// Those found.
        found: Vec<String>,
        /// Those of the controller.
        wanted: Vec<String>,
    },
    /// The points do not make a trajectory.
    Points(TrajectoryError),
    /// The last point is due at the start, so there is no time for a motion.
    Instant {
        /// Its index.
        point: usize,
    },
    /// A joint cannot be where a point has it.
    Range {
        /// The joint.
        joint: String,
        /// The position.
        position: f64,
        /// The limit that is nearest to it.
        limit: f64,
    },
    /// The trajectory is over.
    Late {
        /// The time since its start.
        since: Duration,
        /// How long it takes.
        whole: Duration,
    },
}

impl NamedPoints {
    /// The trajectory for `joints`, in their order, from `now` on by the wall clock.
    ///
    /// One that has started is [`late`](Trajectory::late); before one that starts later the joints are held.
    /// # Errors
    /// The points are for other joints, or no trajectory, or beyond a joint's range, or all of it is due at once, or it ended in the
    /// past.
    /// A point at time zero is where the motion begins: that may be beyond the range, and then the motion leads back.
    /// # Source
    /// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy); own: what could only jump, or press a joint against its end stop, is
    /// refused.
    pub fn for_joints(self, joints: &[FollowedJoint], now: Stamp) -> Result<Trajectory, NamedPointsError> {
        let start = self.start;
        let trajectory = self.ordered(joints)?;
        let whole = trajectory.end();
        if whole.is_zero() {
            return Err(NamedPointsError::Instant { point: trajectory.points().len() - 1 });
        }
        check_range(&trajectory, joints)?;
        if start.is_zero() {
            return Ok(trajectory);
        }
        let way = start.as_nanos().saturating_sub(now.as_nanos());
        let away = Duration::from_nanos(way.unsigned_abs());
        if way >= 0 {
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
        Self { name: joint.name.clone(), unit: joint.kind.unit(), range: joint.range() }
    }
}

/// Checks that each joint can be where the points after the start have it.
fn check_range(trajectory: &Trajectory, joints: &[FollowedJoint]) -> Result<(), NamedPointsError> {
    for point in trajectory.points().iter().filter(|point| !point.time.is_zero()) {
        for (joint, &position) in joints.iter().zip(&point.positions) {
            let Some([lower, upper]) = joint.range else { continue };
            if position < lower - ROUNDING || position > upper + ROUNDING {
                let limit = if position < lower { lower } else { upper };
                return Err(NamedPointsError::Range { joint: joint.name.clone(), position, limit });
            }
        }
    }
    Ok(())
}

impl fmt::Display for NamedPointsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joints { found, wanted } => {
                let (found, wanted) = (found.join(", "), wanted.join(", "));
                write!(f, "its joints are [{found}], must be [{wanted}] in any order")
            }
            Self::Points(error) => error.fmt(f),
            Self::Instant { point } => write!(
                f,
                "time_from_start of point {point}, the last one, is 0 s, must be greater than 0: a motion takes time"
            ),
            Self::Range { joint, position, limit } => {
                let side = if position < limit { "lower" } else { "upper" };
                write!(f, "joint '{joint}': {position} is beyond its {side} limit {limit}")
            }
            Self::Late { since, whole } => write!(
                f,
                "by its stamp it began {:.3} s ago and takes {:.3} s: it is over",
                since.as_secs_f64(),
                whole.as_secs_f64()
            ),
        }
    }
}

impl core::error::Error for NamedPointsError {}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Stamp = Stamp { sec: 100, nanosec: 0 };

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn joints(text: &str) -> Vec<FollowedJoint> {
        let joint = |name: &str| FollowedJoint { name: name.to_owned(), unit: "rad", range: None };
        text.split_whitespace().map(joint).collect()
    }

    fn points(positions: &[f64]) -> Vec<Point> {
        vec![Point { time: Duration::from_secs(1), positions: positions.to_vec(), ..Point::default() }]
    }

    #[test]
    fn values_follow_their_joints() {
        let named =
            NamedPoints { joints: names("tilt pan"), points: points(&[0.2, 0.7]), start: Stamp::ZERO };
        let expected = Trajectory::new(2, points(&[0.7, 0.2])).unwrap();
        assert_eq!(named.for_joints(&joints("pan tilt"), NOW), Ok(expected));
    }

    #[test]
    fn other_joints_are_refused() {
        for found in ["", "pan", "pan tilt lift", "pan pan", "pan lift", "tilt tilt"] {
            let named = NamedPoints { joints: names(found), points: points(&[0.1, 0.2]), start: Stamp::ZERO };
            let error = named.for_joints(&joints("pan tilt"), NOW).unwrap_err();
            assert!(error.to_string().contains("must be [pan, tilt] in any order"), "{found}: {error}");
        }
    }

    #[test]
    fn points_that_are_none_are_refused_by_their_own_reason() {
        let named = NamedPoints { joints: names("pan tilt"), points: points(&[0.1]), start: Stamp::ZERO };
        let error = named.for_joints(&joints("pan tilt"), NOW).unwrap_err().to_string();
        assert_eq!(error, "point 0 has 1 positions, must have 2, one for each joint");
    }

    #[test]
    fn a_stamp_says_when_the_trajectory_starts() {
        let starting = |sec, nanosec| {
            let start = Stamp { sec, nanosec };
            NamedPoints { joints: names("pan"), points: points(&[1.0]), start }
                .for_joints(&joints("pan"), NOW)
        };
        let duration =
            |sec, nanosec| starting(sec, nanosec).map(|trajectory| trajectory.duration().as_millis());
        assert_eq!(duration(0, 0), Ok(1000), "without one it starts now");
        assert_eq!(duration(102, 0), Ok(3000));
        let age = |sec, nanosec| starting(sec, nanosec).map(|trajectory| trajectory.age().as_millis());
        assert_eq!(age(99, 750_000_000), Ok(250));
        assert_eq!(age(99, 1_000_000), Ok(999), "it ends in the future");
        let refused = starting(97, 500_000_000).unwrap_err().to_string();
        assert_eq!(refused, "by its stamp it began 2.500 s ago and takes 1.000 s: it is over");
        assert!(starting(99, 0).is_err());
    }

    /// The points of one joint in the range from -1.5 to 1.57, `(seconds, position)`.
    fn limited(given: &[(f64, f64)]) -> Result<Trajectory, String> {
        let point = |&(seconds, position): &(f64, f64)| Point {
            time: Duration::from_secs_f64(seconds),
            positions: vec![position],
            ..Point::default()
        };
        let points = given.iter().map(point).collect();
        let mut shoulder = joints("shoulder");
        shoulder[0].range = Some([-1.5, 1.57]);
        let named = NamedPoints { joints: names("shoulder"), points, start: Stamp::ZERO };
        named.for_joints(&shoulder, NOW).map_err(|error| error.to_string())
    }

    #[test]
    fn a_trajectory_that_is_due_at_once_is_a_jump_and_is_refused() {
        let sentence =
            "time_from_start of point 0, the last one, is 0 s, must be greater than 0: a motion takes time";
        assert_eq!(limited(&[(0.0, 0.5)]), Err(sentence.to_owned()));
        assert!(limited(&[(0.0, 0.5), (0.001, 0.5)]).is_ok());
    }

    #[test]
    fn a_point_beyond_a_limit_is_refused_with_its_joint_and_the_limit() {
        let refused = |text: &str| Err(text.to_owned());
        assert_eq!(limited(&[(1.0, 5.0)]), refused("joint 'shoulder': 5 is beyond its upper limit 1.57"));
        assert_eq!(limited(&[(1.0, -1.6)]), refused("joint 'shoulder': -1.6 is beyond its lower limit -1.5"));
        let between = [(1.0, 0.0), (2.0, 1.6), (3.0, 0.0)];
        assert_eq!(limited(&between), refused("joint 'shoulder': 1.6 is beyond its upper limit 1.57"));
        assert!(limited(&[(1.0, 1.57), (2.0, -1.5), (3.0, f64::from(1.57_f32))]).is_ok());
    }

    #[test]
    fn a_motion_that_begins_beyond_a_limit_leads_back() {
        assert!(limited(&[(0.0, 1.7), (1.0, 1.0)]).is_ok());
        assert!(limited(&[(0.0, 1.7), (1.0, 1.7)]).is_err());
    }
}
