use core::fmt;
use core::time::Duration;

/// A motion of some joints through points in time, as `trajectory_msgs/msg/JointTrajectory` has them.
///
/// Between two points each joint follows the polynomial that meets what both points state: positions alone give a line,
/// positions and velocities a cubic, accelerations as well a quintic. Before the first point it starts from the state in which
/// it is given; after the last point it holds its position.
/// # Real-time
/// [`sample`](Self::sample) allocates nothing and takes a time that grows with the logarithm of the number of points.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy), its interpolation.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    joints: usize,
    points: Vec<Point>,
    /// How long the joints are held before it begins.
    delay: Duration,
}

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
}

/// Why points are no trajectory.
#[derive(Clone, Debug, PartialEq)]
pub enum TrajectoryError {
    /// There are no points.
    Empty,
    /// A point has another number of values than there are joints.
    Count {
        /// The index of the point.
        point: usize,
        /// `positions`, `velocities` or `accelerations`.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many joints there are.
        joints: usize,
    },
    /// A value is not finite.
    Value {
        /// The index of the point.
        point: usize,
        /// `positions`, `velocities` or `accelerations`.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// A point is not later than the one before.
    Order {
        /// The index of the point.
        point: usize,
    },
    /// The time of a point is before the start.
    Time {
        /// Its seconds.
        sec: i32,
    },
    /// A point has accelerations and no velocities.
    Accelerations {
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

impl Trajectory {
    /// The trajectory of `joints` joints through `points`. The first point may be at time zero; then it takes the place of the
    /// state in which the trajectory starts.
    /// # Errors
    /// The first thing that is wrong with the points.
    pub fn new(joints: usize, points: Vec<Point>) -> Result<Self, TrajectoryError> {
        if points.is_empty() {
            return Err(TrajectoryError::Empty);
        }
        for (index, point) in points.iter().enumerate() {
            check(index, point, joints)?;
            let is_late = index.checked_sub(1).is_none_or(|before| points[before].time < point.time);
            if !is_late {
                return Err(TrajectoryError::Order { point: index });
            }
        }
        Ok(Self { joints, points, delay: Duration::ZERO })
    }

    /// This trajectory, joined when `passed` of it is over: points before twice that time are left out, so what was missed is caught
    /// up at no more than twice the planned speed. `None` if there is none left.
    #[must_use]
    pub fn joined(mut self, passed: Duration) -> Option<Self> {
        self.points.retain(|point| point.time >= passed.saturating_mul(2));
        self.points.iter_mut().for_each(|point| point.time -= passed);
        (!self.points.is_empty()).then_some(self)
    }

    /// This trajectory, which begins after `delay`: until then the joints are held where they are.
    #[must_use]
    pub fn later(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Its points, in the order of their times.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How long it takes, with the time before it begins.
    pub fn duration(&self) -> Duration {
        let moves = self.points.last().map_or(Duration::ZERO, |point| point.time);
        self.delay.saturating_add(moves)
    }

    /// How many joints it moves.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// The position, velocity and acceleration of `joint` at `time` since the start, in which it had the position and velocity
    /// `start`. After the end it is at the last point's position, at rest.
    pub fn sample(&self, time: Duration, joint: usize, start: [f64; 2]) -> [f64; 3] {
        if time < self.delay {
            return [start[0], 0.0, 0.0];
        }
        let (time, start) =
            if self.delay.is_zero() { (time, start) } else { (time - self.delay, [start[0], 0.0]) };
        let next = self.points.partition_point(|point| point.time <= time);
        let state = |index: usize| self.points.get(index).map(|point| State::of(point, joint));
        let before = next.checked_sub(1);
        let (from, since) = match before.and_then(|index| Some((state(index)?, self.points.get(index)?.time)))
        {
            Some(from) => from,
            None => {
                (State { position: start[0], velocity: Some(start[1]), acceleration: None }, Duration::ZERO)
            }
        };
        match (state(next), self.points.get(next)) {
            (Some(to), Some(point)) => {
                let whole = point.time.saturating_sub(since).as_secs_f64();
                between(&from, &to, time.saturating_sub(since).as_secs_f64(), whole)
            }
            _ => [from.position, 0.0, 0.0],
        }
    }
}

/// What a point states of one joint.
#[derive(Clone, Copy, Debug)]
struct State {
    position: f64,
    velocity: Option<f64>,
    acceleration: Option<f64>,
}

impl State {
    fn of(point: &Point, joint: usize) -> Self {
        Self {
            position: point.positions.get(joint).copied().unwrap_or_default(),
            velocity: point.velocities.get(joint).copied(),
            acceleration: point.accelerations.get(joint).copied(),
        }
    }
}

/// The position, velocity and acceleration `t` \[s\] after `from`, on the way to `to` in `whole` \[s\].
fn between(from: &State, to: &State, t: f64, whole: f64) -> [f64; 3] {
    let (p0, p1, h) = (from.position, to.position, whole);
    let Some(v1) = to.velocity else {
        return [p0 + (p1 - p0) * t / h, (p1 - p0) / h, 0.0];
    };
    let v0 = from.velocity.unwrap_or_default();
    let coefficients = if let Some(a1) = to.acceleration {
        let a0 = from.acceleration.unwrap_or_default();
        let (h2, way) = (h * h, p1 - p0);
        [
            p0,
            v0,
            a0 / 2.0,
            (20.0 * way - (8.0 * v1 + 12.0 * v0) * h - (3.0 * a0 - a1) * h2) / (2.0 * h2 * h),
            (-30.0 * way + (14.0 * v1 + 16.0 * v0) * h + (3.0 * a0 - 2.0 * a1) * h2) / (2.0 * h2 * h2),
            (12.0 * way - 6.0 * (v1 + v0) * h + (a1 - a0) * h2) / (2.0 * h2 * h2 * h),
        ]
    } else {
        let way = p1 - p0;
        [
            p0,
            v0,
            (3.0 * way - (2.0 * v0 + v1) * h) / (h * h),
            (-2.0 * way + (v0 + v1) * h) / (h * h * h),
            0.0,
            0.0,
        ]
    };
    let [c0, c1, c2, c3, c4, c5] = coefficients;
    [
        c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
        c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5))),
        2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5)),
    ]
}

fn check(index: usize, point: &Point, joints: usize) -> Result<(), TrajectoryError> {
    let values = [
        ("positions", &point.positions, false),
        ("velocities", &point.velocities, true),
        ("accelerations", &point.accelerations, true),
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

impl fmt::Display for TrajectoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the trajectory has no points, must have one"),
            Self::Count { point, what, found, joints } => {
                write!(f, "point {point} has {found} {what}, must have {joints}, one for each joint")
            }
            Self::Value { point, what, value } => {
                write!(f, "a value in {what} of point {point} is {value}, must be finite")
            }
            Self::Time { sec } => write!(f, "time_from_start is {sec} s, must be 0 or more"),
            Self::Order { point } => write!(f, "point {point} is not later than the one before"),
            Self::Accelerations { point } => {
                write!(f, "point {point} has accelerations and no velocities, must have both")
            }
        }
    }
}

impl core::error::Error for TrajectoryError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: [[f64; 2]; 1] = [[0.0, 0.0]];

    fn point(seconds: f64, values: &[f64]) -> Point {
        let part = |index: usize| values.get(index).map(|&value| vec![value]).unwrap_or_default();
        Point {
            time: Duration::from_secs_f64(seconds),
            positions: part(0),
            velocities: part(1),
            accelerations: part(2),
        }
    }

    fn at(points: &[Point], seconds: f64, start: [f64; 2]) -> [f64; 3] {
        let trajectory = Trajectory::new(1, points.to_vec()).unwrap();
        trajectory.sample(Duration::from_secs_f64(seconds), 0, start)
    }

    fn near(got: [f64; 3], expected: [f64; 3]) {
        assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9), "{got:?}, not {expected:?}");
    }

    #[test]
    fn positions_alone_are_joined_by_lines() {
        let points = [point(2.0, &[4.0]), point(3.0, &[3.0])];
        near(at(&points, 0.5, START[0]), [1.0, 2.0, 0.0]);
        near(at(&points, 2.5, START[0]), [3.5, -1.0, 0.0]);
    }

    #[test]
    fn velocities_make_a_cubic() {
        // From rest to rest, 1 in 1 s: 3 t² - 2 t³; at 0.5: 0.5, 1.5, 0.
        let points = [point(1.0, &[1.0, 0.0])];
        near(at(&points, 0.5, START[0]), [0.5, 1.5, 0.0]);
        near(at(&points, 0.25, START[0]), [0.156_25, 1.125, 3.0]);
    }

    #[test]
    fn accelerations_make_a_quintic() {
        // The minimum-jerk motion 10 t³ - 15 t⁴ + 6 t⁵; at 0.5: 0.5, 1.875, 0.
        let points = [point(1.0, &[1.0, 0.0, 0.0])];
        near(at(&points, 0.5, START[0]), [0.5, 1.875, 0.0]);
        near(at(&points, 0.0, START[0]), [0.0, 0.0, 0.0]);
    }

    #[test]
    fn it_starts_from_where_the_joints_are_and_ends_at_rest() {
        let points = [point(1.0, &[1.0, 2.0])];
        near(at(&points, 0.0, [0.3, -0.5]), [0.3, -0.5, 6.0 * 0.7 - 2.0 * (-1.0 + 2.0)]);
        near(at(&points, 1.0, START[0]), [1.0, 0.0, 0.0]);
        near(at(&points, 1e9, START[0]), [1.0, 0.0, 0.0]);
        // A first point at time zero takes the start's place.
        near(at(&[point(0.0, &[5.0]), point(1.0, &[6.0])], 0.5, START[0]), [5.5, 1.0, 0.0]);
    }

    #[test]
    fn several_joints_move_together() {
        let points =
            vec![Point { time: Duration::from_secs(1), positions: vec![1.0, -2.0], ..Point::default() }];
        let trajectory = Trajectory::new(2, points).unwrap();
        let found = [0, 1].map(|joint| trajectory.sample(Duration::from_millis(500), joint, [0.0; 2])[0]);
        assert_eq!((found, trajectory.duration()), ([0.5, -1.0], Duration::from_secs(1)));
    }

    #[test]
    fn what_was_missed_is_caught_up_at_twice_the_planned_speed_at_most() {
        let points = vec![point(0.0, &[9.0]), point(1.0, &[1.0]), point(3.0, &[3.0])];
        let trajectory = Trajectory::new(1, points).unwrap();
        let sample =
            |trajectory: &Trajectory, millis| trajectory.sample(Duration::from_millis(millis), 0, START[0]);
        let late = trajectory.clone().joined(Duration::from_millis(500)).unwrap();
        // From 0 at once to 1 after the other half second.
        near(sample(&late, 250), [0.5, 2.0, 0.0]);
        near(sample(&late, 1500), [2.0, 1.0, 0.0]);
        // A point that would have to be reached at more than twice its speed is left out: 3 in 2.4 s.
        let later = trajectory.clone().joined(Duration::from_millis(600)).unwrap();
        near(sample(&later, 1200), [1.5, 1.25, 0.0]);
        assert_eq!(trajectory.clone().joined(Duration::ZERO).as_ref(), Some(&trajectory));
        assert!(trajectory.clone().joined(Duration::from_millis(1500)).is_some(), "half of it is left");
        assert_eq!(trajectory.clone().joined(Duration::from_millis(1501)), None);
    }

    #[test]
    fn until_it_begins_the_joints_are_held_whatever_their_velocity() {
        let points = vec![point(1.0, &[1.0, 0.0])];
        let trajectory = Trajectory::new(1, points).unwrap();
        let early = trajectory.clone().later(Duration::from_secs(8));
        let sample = |millis| early.sample(Duration::from_millis(millis), 0, [0.47, 1.0]);
        for millis in [0, 4000, 7999] {
            near(sample(millis), [0.47, 0.0, 0.0]);
        }
        near(sample(8500), trajectory.sample(Duration::from_millis(500), 0, [0.47, 0.0]));
        near(sample(9000), [1.0, 0.0, 0.0]);
        assert_eq!(early.duration(), Duration::from_secs(9));
        let never = trajectory.later(Duration::MAX);
        near(never.sample(Duration::from_secs(1 << 40), 0, [0.47, 1.0]), [0.47, 0.0, 0.0]);
    }

    #[test]
    fn the_time_of_a_point_is_not_negative() {
        assert_eq!(Point::time(2, 500_000_000), Ok(Duration::from_millis(2500)));
        let refused = Point::time(-1, 0).unwrap_err().to_string();
        assert_eq!(refused, "time_from_start is -1 s, must be 0 or more");
    }

    #[test]
    fn points_that_are_wrong_are_refused_with_their_place() {
        let refused = |points: Vec<Point>| Trajectory::new(1, points).unwrap_err().to_string();
        assert_eq!(refused(vec![]), "the trajectory has no points, must have one");
        assert_eq!(
            refused(vec![point(1.0, &[])]),
            "point 0 has 0 positions, must have 1, one for each joint"
        );
        let long = Point { velocities: vec![1.0, 2.0], ..point(2.0, &[1.0]) };
        assert_eq!(
            refused(vec![point(1.0, &[1.0]), long]),
            "point 1 has 2 velocities, must have 1, one for each joint"
        );
        assert_eq!(
            refused(vec![point(1.0, &[f64::NAN])]),
            "a value in positions of point 0 is NaN, must be finite"
        );
        assert_eq!(
            refused(vec![point(1.0, &[1.0]), point(1.0, &[2.0])]),
            "point 1 is not later than the one before"
        );
        let without = Point { accelerations: vec![1.0], ..point(2.0, &[1.0]) };
        assert_eq!(refused(vec![without]), "point 0 has accelerations and no velocities, must have both");
    }

    proptest! {
        /// Positions and velocities at both ends of a segment are those that the points state, and the velocity is the
        /// derivative of the position everywhere.
        #[test]
        fn a_segment_meets_its_ends_and_is_smooth(
            values in proptest::collection::vec(-5.0..5.0, 8), millis in 500..5000_u32, percent in 5..95_u32,
        ) {
            // Whole microseconds, or the rounding of times would spoil the difference quotients.
            let time = f64::from(millis) / 1e3;
            let [p0, v0, p1, v1, a1, p2, v2, a2] = values.try_into().unwrap();
            let points = [point(time, &[p1, v1, a1]), point(2.0 * time, &[p2, v2, a2])];
            let start = [p0, v0];
            let close = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + a.abs() + b.abs());
            let (before, after) = (at(&points, time - 1e-9, start), at(&points, time + 1e-9, start));
            for index in 0..3 {
                prop_assert!(close(before[index], after[index]), "{before:?} {after:?}");
            }
            prop_assert!(close(before[0], p1) && close(before[1], v1) && close(before[2], a1));
            let step = f64::from(millis / 10) / 1e6;
            for middle in [percent, 100 + percent].map(|percent| f64::from(percent * millis) / 1e5) {
                let [low, here, high] = [-step, 0.0, step].map(|by| at(&points, middle + by, start));
                prop_assert!(close((high[0] - low[0]) / (2.0 * step), here[1]));
                prop_assert!(close((high[1] - low[1]) / (2.0 * step), here[2]));
            }
        }
    }
}
