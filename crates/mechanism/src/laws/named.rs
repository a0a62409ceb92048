use core::fmt;

use crate::laws::{Point, Trajectory, TrajectoryError};

/// The points of a trajectory for joints in any order, as a message has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedPoints {
    /// The joints in the order of the points' values.
    pub joints: Vec<String>,
    /// The points.
    pub points: Vec<Point>,
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
}

impl NamedPoints {
    /// The trajectory for `joints`, in their order.
    /// # Errors
    /// The points are for other joints, or no trajectory.
    pub fn for_joints(self, joints: &[String]) -> Result<Trajectory, NamedPointsError> {
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
        }
    }
}

impl core::error::Error for NamedPointsError {}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn points(positions: &[f64]) -> Vec<Point> {
        vec![Point { time: Duration::from_secs(1), positions: positions.to_vec(), ..Point::default() }]
    }

    #[test]
    fn values_follow_their_joints() {
        let named = NamedPoints { joints: names("tilt pan"), points: points(&[0.2, 0.7]) };
        let expected = Trajectory::new(2, points(&[0.7, 0.2])).unwrap();
        assert_eq!(named.for_joints(&names("pan tilt")), Ok(expected));
    }

    #[test]
    fn other_joints_are_refused() {
        for found in ["", "pan", "pan tilt lift", "pan pan", "pan lift", "tilt tilt"] {
            let named = NamedPoints { joints: names(found), points: points(&[0.1, 0.2]) };
            let error = named.for_joints(&names("pan tilt")).unwrap_err();
            assert!(error.to_string().contains("must be [pan, tilt] in any order"), "{found}: {error}");
        }
    }

    #[test]
    fn points_that_are_none_are_refused_by_their_own_reason() {
        let named = NamedPoints { joints: names("pan tilt"), points: points(&[0.1]) };
        let error = named.for_joints(&names("pan tilt")).unwrap_err().to_string();
        assert_eq!(error, "point 0 has 1 positions, must have 2, one for each joint");
    }
}
