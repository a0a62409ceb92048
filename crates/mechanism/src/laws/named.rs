use core::fmt;
use core::time::Duration;

use units::Stamp;

use crate::laws::{Point, Trajectory, TrajectoryError};

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

/// Why named points are no trajectory for some joints.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedPointsError {
    /// The joints are not the same, each once.
    Joints {
        /// Those found.
        found: Vec<String>,
        /// Those of the controller.
        wanted: Vec<String>,
    },
    /// The points are none.
    Points(TrajectoryError),
    /// The trajectory is over.
    Past {
        /// The time since its end.
        since: Duration,
    },
}

impl NamedPoints {
    /// The trajectory for `joints`, in their order, from `now` on by the wall clock.
    ///
    /// One that has started goes on with its first point that is still to come; one that starts later takes until then, and the
    /// time of its first point, to get there.
    /// # Errors
    /// The points are for other joints, or no trajectory, or it is over.
    /// # Source
    /// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy); own: points that have passed move nothing, as in ROS 1.
    pub fn for_joints(self, joints: &[String], now: Stamp) -> Result<Trajectory, NamedPointsError> {
        let start = self.start;
        let trajectory = self.ordered(joints)?;
        if start.is_zero() {
            return Ok(trajectory);
        }
        let way = start.as_nanos().saturating_sub(now.as_nanos());
        let away = Duration::from_nanos(way.unsigned_abs());
        if way >= 0 {
            return Ok(trajectory.later(away));
        }
        let since = away.saturating_sub(trajectory.duration());
        trajectory.after(away).ok_or(NamedPointsError::Past { since })
    }

    fn ordered(self, joints: &[String]) -> Result<Trajectory, NamedPointsError> {
        let places: Option<Vec<usize>> =
            joints.iter().map(|name| self.joints.iter().position(|found| found == name)).collect();
        let Some(places) = places.filter(|places| places.len() == self.joints.len()) else {
            return Err(NamedPointsError::Joints { found: self.joints, wanted: joints.to_vec() });
        };
        let mut points = self.points;
        for point in &mut points {
            for values in [&mut point.positions, &mut point.velocities, &mut point.accelerations] {
                // Values of another number are left for the trajectory to refuse.
                if values.len() == places.len() {
                    *values = places.iter().filter_map(|&place| values.get(place).copied()).collect();
                }
            }
        }
        Trajectory::new(joints.len(), points).map_err(NamedPointsError::Points)
    }
}

impl fmt::Display for NamedPointsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joints { found, wanted } => {
                let (found, wanted) = (found.join(", "), wanted.join(", "));
                write!(f, "its joints are [{found}], must be [{wanted}] in any order")
            }
            Self::Points(error) => error.fmt(f),
            Self::Past { since } => {
                write!(f, "by its stamp it ended {:.3} s ago, must end later", since.as_secs_f64())
            }
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

    fn points(positions: &[f64]) -> Vec<Point> {
        vec![Point { time: Duration::from_secs(1), positions: positions.to_vec(), ..Point::default() }]
    }

    #[test]
    fn values_follow_their_joints() {
        let named =
            NamedPoints { joints: names("tilt pan"), points: points(&[0.2, 0.7]), start: Stamp::ZERO };
        let expected = Trajectory::new(2, points(&[0.7, 0.2])).unwrap();
        assert_eq!(named.for_joints(&names("pan tilt"), NOW), Ok(expected));
    }

    #[test]
    fn other_joints_are_refused() {
        for found in ["", "pan", "pan tilt lift", "pan pan", "pan lift", "tilt tilt"] {
            let named = NamedPoints { joints: names(found), points: points(&[0.1, 0.2]), start: Stamp::ZERO };
            let error = named.for_joints(&names("pan tilt"), NOW).unwrap_err();
            assert!(error.to_string().contains("must be [pan, tilt] in any order"), "{found}: {error}");
        }
    }

    #[test]
    fn points_that_are_none_are_refused_by_their_own_reason() {
        let named = NamedPoints { joints: names("pan tilt"), points: points(&[0.1]), start: Stamp::ZERO };
        let error = named.for_joints(&names("pan tilt"), NOW).unwrap_err().to_string();
        assert_eq!(error, "point 0 has 1 positions, must have 2, one for each joint");
    }

    #[test]
    fn a_stamp_says_when_the_trajectory_starts() {
        let starting = |sec, nanosec| {
            let start = Stamp { sec, nanosec };
            NamedPoints { joints: names("pan"), points: points(&[1.0]), start }.for_joints(&names("pan"), NOW)
        };
        let duration =
            |sec, nanosec| starting(sec, nanosec).map(|trajectory| trajectory.duration().as_millis());
        assert_eq!(duration(0, 0), Ok(1000), "without one it starts now");
        assert_eq!(duration(102, 0), Ok(3000));
        assert_eq!(duration(99, 250_000_000), Ok(250));
        assert_eq!(duration(99, 0), Ok(0), "its last point is now");
        let refused = starting(97, 500_000_000).unwrap_err().to_string();
        assert_eq!(refused, "by its stamp it ended 1.500 s ago, must end later");
    }
}
