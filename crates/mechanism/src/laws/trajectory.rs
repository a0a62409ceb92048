use core::f64::consts::{PI, TAU};
use core::time::Duration;

use safety::freshness::AHEAD;

use point::check;
pub(crate) use segment::settle;
use segment::{SETTLING, Segment, State};

mod point;
mod segment;
#[cfg(test)]
mod tests;

pub use point::{Point, TrajectoryError};

/// A motion of some joints through points in time, as `trajectory_msgs/msg/JointTrajectory` has them.
///
/// Between two points each joint follows the polynomial that meets what both points state: positions alone give a line,
/// positions and velocities a cubic, accelerations as well a quintic. Before the first point it starts from the state in which
/// it is given, position and velocity; one that begins later is braked from there within 0.25 s, and one whose first point is due in 0.1 s
/// or less goes on to there. After the last point it holds its position; a joint that has a velocity there goes on with it,
/// is braked, and comes back to the point, all in 0.25 s and at no greater speed.
/// # Real-time
/// [`sample`](Self::sample) allocates nothing and takes a time that grows with the logarithm of the number of points.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy), its interpolation; own: the end of a motion that does not end at rest,
/// since a speed of 0 at once shakes an arm, and a brake before the point would in each message of a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    joints: usize,
    points: Vec<Point>,
    /// The greatest speed of each joint between the points.
    speeds: Vec<f64>,
    /// How long the joints are held before it begins.
    delay: Duration,
    /// How long ago it has begun.
    age: Duration,
}

/// Slower than this a joint counts as at rest at the last point \[rad/s or m/s\].
const AT_REST: f64 = 1e-3;

/// A joint may be planned this much faster than its limit of speed: planners plan at the limit, and a polynomial between two of their
/// points is up to some percent faster than both.
pub(crate) const PLANNED: f64 = 1.1;

/// How many equal parts of the time since its begin are tried to join a trajectory that is late.
const PARTS: u32 = 64;

impl Trajectory {
    /// The trajectory of `joints` joints through `points`. The first point may be at time zero; then it takes the place of the
    /// state in which the trajectory starts.
    /// # Errors
    /// The first thing that is wrong with the points.
    pub fn new(joints: usize, points: Vec<Point>) -> Result<Self, TrajectoryError> {
        if points.is_empty() {
            return Err(TrajectoryError::Empty);
        }
        let has_efforts = points.iter().any(|point| !point.efforts.is_empty());
        for (index, point) in points.iter().enumerate() {
            check(index, point, joints)?;
            let is_late = index.checked_sub(1).is_none_or(|before| points[before].time < point.time);
            if !is_late {
                return Err(TrajectoryError::Order { point: index });
            }
            if has_efforts && point.efforts.is_empty() {
                return Err(TrajectoryError::Efforts { point: index });
            }
        }
        let mut new = Self { joints, points, speeds: Vec::new(), delay: Duration::ZERO, age: Duration::ZERO };
        new.measure();
        Ok(new)
    }

    /// Sets the greatest speeds.
    fn measure(&mut self) {
        let speed = |joint| self.segments(joint).map(|(_, speed)| speed).fold(0.0, f64::max);
        self.speeds = (0..self.joints).map(speed).collect();
    }

    /// The way and the greatest speed of a joint between each two points.
    fn segments(&self, joint: usize) -> impl Iterator<Item = (f64, f64)> {
        self.points.windows(2).map(move |pair| {
            let whole = (pair[1].time - pair[0].time).as_secs_f64();
            let [from, to] = [0, 1].map(|index| State::of(&pair[index], joint));
            (to.position - from.position, Segment::new(&from, &to, whole).top_speed())
        })
    }

    /// The first point that is more than half a turn away from the one before, and by how much.
    pub(super) fn turn(&self, joint: usize) -> Option<(usize, f64)> {
        let mut ways = self.segments(joint).map(|(way, _)| way).enumerate();
        ways.find(|(_, way)| way.abs() > PI).map(|(index, way)| (index + 1, way))
    }

    /// Lets a continuous joint with this limit of speed take the short way where a segment is longer than half a turn and faster than
    /// its limit: its positions begin anew there.
    pub(super) fn unwind(&mut self, joint: usize, limit: f64) {
        let mut turns = 0.0;
        let segments: Vec<(f64, f64)> = self.segments(joint).collect();
        for (point, (way, speed)) in self.points.iter_mut().skip(1).zip(segments) {
            if way.abs() > PI && speed > limit * PLANNED {
                turns += (way / TAU).round();
            }
            if let Some(position) = point.positions.get_mut(joint) {
                *position -= turns * TAU;
            }
        }
        self.measure();
    }

    /// The first point before which, or at which, a joint is planned to be faster than this limit of speed, and its speed. The way to
    /// the first point begins elsewhere and is not judged.
    pub(super) fn too_fast(&self, joint: usize, limit: f64) -> Option<(usize, f64)> {
        let between = self.segments(joint).map(|(_, speed)| speed).enumerate();
        let first = self.points.first().and_then(|point| point.velocities.get(joint));
        let first = first.map(|speed| (0, speed.abs()));
        let speeds = first.into_iter().chain(between.map(|(index, speed)| (index + 1, speed)));
        let mut fast = speeds.filter(|(_, speed)| *speed > limit * PLANNED);
        fast.next()
    }

    /// This trajectory, which has begun `age` ago.
    #[must_use]
    pub fn late(self, age: Duration) -> Self {
        Self { age, ..self }
    }

    /// This trajectory, which begins after `delay`: until then the joints are braked, and held where they are.
    #[must_use]
    pub fn later(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Its points, in the order of their times.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// How long ago it has begun.
    pub fn age(&self) -> Duration {
        self.age
    }

    /// How long the joints are held before it begins.
    pub fn delay(&self) -> Duration {
        self.delay
    }

    /// When its last point is due: the time of that point, and the time before it begins.
    pub fn end(&self) -> Duration {
        let moves = self.points.last().map_or(Duration::ZERO, |point| point.time);
        self.delay.saturating_add(moves)
    }

    /// How long it takes until all joints are at rest at the last point, with the time before it begins.
    pub fn duration(&self) -> Duration {
        let speeds = self.points.last().map_or(&[][..], |point| &point.velocities);
        let is_in_motion = speeds.iter().any(|speed| speed.abs() > AT_REST);
        self.end().saturating_add(if is_in_motion { SETTLING } else { Duration::ZERO })
    }

    /// Whether it asks for no motion of its own: all its points are one place, at rest.
    pub(crate) fn is_rest(&self) -> bool {
        self.points.iter().all(|point| {
            let ways =
                point.positions.iter().zip(&self.points[0].positions).map(|(place, first)| place - first);
            ways.chain(point.velocities.iter().copied()).all(|value| value.abs() <= AT_REST)
        })
    }

    /// How many joints it moves.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// The times at which it may be joined, in their order: its begin, or once its first point has passed 65 equal times from that
    /// point until now. None if the first point is still to be reached, from wherever the joints are.
    pub fn entries(&self) -> impl Iterator<Item = Duration> {
        let first = self.first();
        let since = self.age.saturating_sub(first);
        let parts = match (self.age.is_zero(), self.age >= first) {
            (_, false) => 0..0,
            (true, true) => 0..1,
            (false, true) => 0..PARTS + 1,
        };
        // In floating point, since whole nanoseconds do not divide; the last one is exact.
        let passed =
            move |part| if part == PARTS { since } else { since.mul_f64(f64::from(part) / f64::from(PARTS)) };
        parts.map(move |part| self.delay + first + passed(part))
    }

    /// When the motion to the first point begins, if that is still to be reached: as late as it is, but with half of its time at least.
    pub fn begin(&self) -> Duration {
        if self.age < self.first() { self.age.min(self.first() / 2) } else { Duration::ZERO }
    }

    /// The greatest speed of a joint as it is planned, from this `start` to the last point \[rad/s or m/s\].
    pub fn top_speed(&self, joint: usize, start: [f64; 2]) -> f64 {
        let stated = self.speeds.get(joint).copied().unwrap_or_default();
        let first = self.points.first().filter(|first| !first.time.is_zero() && self.age < first.time);
        let lead = first.map_or(0.0, |first| {
            let start = self.braked(start);
            let segment =
                Segment::new(&State::starting(start), &State::of(first, joint), first.time.as_secs_f64());
            segment.top_speed()
        });
        let last = self.points.last().and_then(|point| point.velocities.get(joint));
        stated.max(lead).max(last.map_or(0.0, |speed| speed.abs()))
    }

    /// The position, velocity and acceleration of `joint` at `time`, if it had the position and velocity `start` at its
    /// [`begin`](Self::begin).
    pub fn sample(&self, time: Duration, joint: usize, start: [f64; 2]) -> [f64; 3] {
        if time < self.delay {
            let first = self.points.first().filter(|first| self.delay <= AHEAD && first.time.is_zero());
            return match first.map(|first| State::of(first, joint)) {
                Some(to) => Segment::new(&State::starting(start), &to, self.delay.as_secs_f64())
                    .at(time.as_secs_f64()),
                None => settle(start[0], start[1], time.as_secs_f64()),
            };
        }
        let (time, start) = (time - self.delay, self.braked(start));
        let next = self.points.partition_point(|point| point.time <= time);
        let before = next.checked_sub(1).and_then(|index| self.points.get(index));
        let (from, since) = before
            .map_or((State::starting(start), self.begin()), |point| (State::of(point, joint), point.time));
        let passed = time.saturating_sub(since).as_secs_f64();
        match self.points.get(next) {
            Some(to) => {
                let whole = to.time.saturating_sub(since).as_secs_f64();
                Segment::new(&from, &State::of(to, joint), whole).at(passed)
            }
            None => match from.velocity.filter(|speed| speed.abs() > AT_REST) {
                Some(velocity) => settle(from.position, velocity, passed),
                None => [from.position, 0.0, 0.0],
            },
        }
    }

    /// The state in which it begins, after it was braked from `start` in the time before: as after a last point that is passed in motion.
    fn braked(&self, start: [f64; 2]) -> [f64; 2] {
        let [position, velocity, _] = settle(start[0], start[1], self.delay.as_secs_f64());
        [position, velocity]
    }

    /// The feed-forward of `joint` at `time`, if it was `start` at the [`begin`](Self::begin): linear between points, the last one
    /// afterwards, and 0 if the points have none \[Nm or N\].
    pub fn effort(&self, time: Duration, joint: usize, start: f64) -> f64 {
        let of = |point: &Point| point.efforts.get(joint).copied();
        let Some(time) = time.checked_sub(self.delay) else { return start };
        let next = self.points.partition_point(|point| point.time <= time);
        let before = next.checked_sub(1).and_then(|index| self.points.get(index));
        let after = self.points.get(next);
        let (from, since) =
            before.map_or((after.and_then(of).map(|_| start), self.begin()), |point| (of(point), point.time));
        let to = after.map_or(from, of);
        let (Some(from), Some(to)) = (from, to) else { return 0.0 };
        let whole = after.map_or(0.0, |point| point.time.saturating_sub(since).as_secs_f64());
        if whole > 0.0 { from + (to - from) * time.saturating_sub(since).as_secs_f64() / whole } else { to }
    }

    /// When the first point is due.
    fn first(&self) -> Duration {
        self.points.first().map_or(Duration::ZERO, |point| point.time)
    }
}
