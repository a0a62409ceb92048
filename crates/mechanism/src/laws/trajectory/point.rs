use core::time::Duration;

/// A point of a trajectory: the state of each joint at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The time since the trajectory's start.
    pub time: Duration,
    /// One for each joint \[rad or m\].
    pub positions: Vec<f64>,
    /// One for each joint, or none \[rad/s or m/s\].
    pub velocities: Vec<f64>,
    /// One for each joint, or none \[rad/s² or m/s²\]; only with velocities.
    pub accelerations: Vec<f64>,
    /// The feed-forward, one for each joint, or none \[Nm or N\]; in all points or in none.
    pub efforts: Vec<f64>,
}

/// Why points are no trajectory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrajectoryError {
    /// There are no points.
    #[error("the trajectory has no points, must have one")]
    Empty,
    /// A point has another number of values than there are joints.
    #[error("point {point} has {found} {what}, must have {joints}, one for each joint")]
    Count {
        /// The index of the point.
        point: usize,
        /// `positions`, `velocities`, `accelerations` or `effort`.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many joints there are.
        joints: usize,
    },
    /// A value is not finite.
    #[error("a value in {what} of point {point} is {value}, must be finite")]
    Value {
        /// The index of the point.
        point: usize,
        /// `positions`, `velocities`, `accelerations` or `effort`.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A point is not later than the one before.
    #[error("point {point} is not later than the one before")]
    Order {
        /// The index of the point.
        point: usize,
    },
    /// The time of a point is before the start.
    #[error("time_from_start is {sec} s, must be 0 or more")]
    Time {
        /// Its seconds.
        sec: i32,
    },
    /// A point has accelerations and no velocities.
    #[error("point {point} has accelerations and no velocities, must have both")]
    Accelerations {
        /// The index of the point.
        point: usize,
    },
    /// Some points have efforts, and this one has none.
    #[error("point {point} has no effort, must have it as other points do")]
    Efforts {
        /// The index of the point.
        point: usize,
    },
}

impl Point {
    /// The time since the start of `trajectory_msgs/msg/JointTrajectoryPoint`.
    /// # Errors
    /// It is negative.
    pub fn time(sec: i32, nanosec: u32) -> Result<Duration, TrajectoryError> {
        let whole = u64::try_from(sec).map_err(|_| TrajectoryError::Time { sec })?;
        Ok(Duration::from_secs(whole) + Duration::from_nanos(nanosec.into()))
    }
}

/// Checks the numbers of a point of so many joints.
pub(super) fn check(index: usize, point: &Point, joints: usize) -> Result<(), TrajectoryError> {
    let values = [
        ("positions", &point.positions, false),
        ("velocities", &point.velocities, true),
        ("accelerations", &point.accelerations, true),
        ("effort", &point.efforts, true),
    ];
    for (what, values, may_be_empty) in values {
        if values.len() != joints && !(may_be_empty && values.is_empty()) {
            return Err(TrajectoryError::Count { point: index, what, found: values.len(), joints });
        }
        if let Some(&value) = values.iter().find(|value| !value.is_finite()) {
            return Err(TrajectoryError::Value { point: index, what, value });
        }
    }
    if point.velocities.is_empty() && !point.accelerations.is_empty() {
        return Err(TrajectoryError::Accelerations { point: index });
    }
    Ok(())
}
