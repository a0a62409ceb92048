//! Trajectories of any age, and streams of them as MoveIt Servo sends them: how fast the desired position moves, and where.
//!
//! The joints of these tests are ideal: in each step they are where the step before wanted them. The law is effort = error, so the
//! desired position is the joint's position plus its effort, whatever the controller says of itself.
#![allow(clippy::unwrap_used)]

use crate::plan::Plan;

use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{Controller, Message, Report, Step};
use mechanism::follow::AheadStream;
use mechanism::laws::{FollowedJoint, Gains, GoalId, Motion, NamedPoints, NamedPointsError, Pid, Point};
use mechanism::robot::{Joint, JointKind, JointLimits};
use mechanism::standard::{Goal, Quantity, Tolerance, TrajectoryController};
use proptest::prelude::*;
use safety::{Instant, Stamp};

/// The time of the tests by the wall clock when the loop begins \[ns\].
const EPOCH: i64 = 1_700_000_000_000_000_000;
pub const STEP: Duration = Duration::from_millis(1);

/// A joint that is planned to be slower may go to its place at this speed: 0.02 rad in 0.25 s.
pub const CREEP: f64 = 0.08;

/// A controller on ideal joints, with a step each millisecond.
pub struct Arm {
    pub robot: Robot,
    pub controller: TrajectoryController,
    /// The messages of its topic.
    topic: AheadStream,
    names: Vec<FollowedJoint>,
    /// The goal that its messages fulfil.
    pub goal: Option<GoalId>,
    now: Instant,
    /// The greatest speed of a desired position so far, one for each joint \[rad/s\].
    pub top: Vec<f64>,
    /// The desired speed of the last step.
    pub speed: Vec<f64>,
}

impl Arm {
    /// An arm whose joints are here, with this `path_tolerance`.
    pub fn at(positions: &[f64], path: f64) -> Self {
        let gains = Gains { p: 1.0, i: 0.0, d: 0.0, i_clamp: 0.0, max_effort: f64::INFINITY };
        let joint = |(index, &position): (usize, &f64)| {
            let mut joint = Joint::new(format!("joint_{index}"), JointKind::Revolute);
            (joint.position, joint.is_calibrated) = (position, true);
            joint
        };
        let joints: Vec<Joint> = positions.iter().enumerate().map(joint).collect();
        let names = joints.iter().map(FollowedJoint::from).collect();
        // A joint may go to its place at 0.08 rad/s: 0.15 rad in 1.9 s.
        let tolerance = Tolerance { path, goal: 1e-6, time: Duration::from_secs(2) };
        let laws = (0..joints.len()).map(|index| (index, Pid::new(gains)));
        let controller = TrajectoryController::new(laws, tolerance);
        let robot = Robot::from_parts(joints, Vec::new(), Vec::new());
        let (top, speed) = (vec![0.0; positions.len()], vec![0.0; positions.len()]);
        let now = Instant::from_millis(1000);
        let mut arm =
            Self { robot, controller, topic: AheadStream::default(), names, goal: None, now, top, speed };
        let mut step = Step { now: arm.now, period: STEP, robot: &mut arm.robot };
        arm.controller.starting(&mut step);
        arm
    }

    pub fn positions(&self) -> Vec<f64> {
        self.robot.joints().iter().map(|joint| joint.position).collect()
    }

    /// The time since the loop began \[s\].
    fn time(&self) -> f64 {
        self.now.since(Instant::from_millis(1000)).as_secs_f64()
    }

    fn stamp(&self, since_begin: f64) -> Stamp {
        stamp(since_begin)
    }

    /// Gives the controller a message as the node does, whose stamp is `start` \[s\] after the loop's begin; `None` for no stamp.
    pub fn send(&mut self, points: Vec<Point>, start: Option<f64>) -> Result<(), NamedPointsError> {
        let joints = self.names.iter().map(|joint| joint.name.clone()).collect();
        let start = start.map_or(Stamp::ZERO, |start| self.stamp(start));
        let made = NamedPoints { joints, points, start }.for_joints(&self.names, self.stamp(self.time()));
        let made = made.and_then(|trajectory| self.topic.check(trajectory, self.now));
        let (mut message, result) = match made {
            Ok(trajectory) => {
                let motion = Motion { goal: self.goal, ..Motion::from(trajectory) };
                (Message::Trajectory(Some(Box::new(motion))), Ok(()))
            }
            Err(error) => (Message::Stop, Err(error)),
        };
        self.controller.receive(0, &mut message, self.now);
        result
    }

    /// One step, `gap` after the one before.
    pub fn step(&mut self, gap: Duration) {
        self.robot.zero_commands();
        let mut step = Step { now: self.now, period: gap, robot: &mut self.robot };
        self.controller.update(&mut step).unwrap();
        for (index, joint) in self.robot.joints_mut().iter_mut().enumerate() {
            // The desired position moved by the effort since the step before.
            let speed = joint.commanded_effort / gap.as_secs_f64();
            joint.position += joint.commanded_effort;
            joint.velocity = speed;
            self.speed[index] = speed;
            self.top[index] = self.top[index].max(speed.abs());
        }
        self.now = self.now + gap;
    }

    pub fn run(&mut self, millis: usize) {
        (0..millis).for_each(|_| self.step(STEP));
    }
}

fn stamp(since_begin: f64) -> Stamp {
    let nanos = EPOCH + (since_begin * 1e9).round() as i64;
    let nanosec = u32::try_from(nanos % 1_000_000_000).unwrap();
    Stamp { sec: i32::try_from(nanos / 1_000_000_000).unwrap(), nanosec }
}

/// A point of one joint: time \[s\], position and, if it states one, velocity.
pub fn point(time: f64, position: f64, velocity: Option<f64>) -> Point {
    Point {
        time: Duration::from_nanos((time * 1e9).round() as u64),
        positions: vec![position],
        velocities: velocity.into_iter().collect(),
        ..Point::default()
    }
}

/// A trajectory that comes late.
#[derive(Clone, Debug)]
struct Case {
    points: Vec<Point>,
    /// \[s\]
    age: f64,
    path: f64,
    /// The joints are where the trajectory was or will be at this share of its age,
    place: f64,
    /// and this far from there \[rad\].
    errors: Vec<f64>,
    /// The times between the steps.
    gaps: Vec<Duration>,
}

impl Case {
    fn start(&self) -> Vec<f64> {
        let first = &self.points[0];
        let plan = Plan::of(&self.points, self.age, &first.positions, &vec![0.0; first.positions.len()]);
        let time = first.time.as_secs_f64().max(self.place * self.age);
        self.errors.iter().enumerate().map(|(joint, error)| plan.at(joint, time) + error).collect()
    }
}

/// Trajectories of 1 to 3 joints and 2 to 5 points, of lines, cubics, quintics, or some of each, which may end in motion.
fn case() -> impl Strategy<Value = Case> {
    let sizes = (1..4_usize, 2..6_usize, 0..4_u8, any::<bool>());
    sizes.prop_flat_map(|(joints, count, style, is_first_at_once)| {
        let values =
            |most: f64| proptest::collection::vec(proptest::collection::vec(-most..most, joints), count);
        let times = proptest::collection::vec(50..600_u32, count);
        let given =
            (times, values(0.4), values(1.0), values(2.0), proptest::collection::vec(any::<bool>(), count));
        let error = prop_oneof![Just(0.0), -0.01..0.01_f64, -0.15..0.15_f64];
        let begin = (0.0..1.2_f64, 0.0..1.0_f64, proptest::collection::vec(error, joints), any::<bool>());
        let gap = prop_oneof![20 => Just(1000_u64), 2 => 500..3000_u64, 1 => 3000..10_000_u64];
        let gaps = prop_oneof![Just(vec![1000_u64]), proptest::collection::vec(gap, 50)];
        (given, begin, gaps).prop_map(
            move |((times, ways, speeds, pushes, states), (late, place, errors, is_tight), gaps)| {
                let (mut time, mut positions) = (Duration::ZERO, vec![0.0; joints]);
                let mut points = Vec::new();
                for index in 0..count {
                    if index > 0 || !is_first_at_once {
                        time += Duration::from_millis(times[index].into());
                    }
                    positions.iter_mut().zip(&ways[index]).for_each(|(position, way)| *position += way);
                    let has_velocity = style > 0 && (style < 3 || states[index]);
                    let velocities = if has_velocity { speeds[index].clone() } else { Vec::new() };
                    let accelerations =
                        if has_velocity && style > 1 { pushes[index].clone() } else { Vec::new() };
                    points.push(Point {
                        time,
                        positions: positions.clone(),
                        velocities,
                        accelerations,
                        ..Point::default()
                    });
                }
                let age = late * time.as_secs_f64();
                let path = if is_tight { 0.1 } else { f64::INFINITY };
                Case {
                    points,
                    age,
                    path,
                    place,
                    errors,
                    gaps: gaps.into_iter().map(Duration::from_micros).collect(),
                }
            },
        )
    })
}

#[test]
fn a_goal_that_begins_beyond_its_tolerance_is_refused_whatever_its_age() {
    for age in [None, Some(0.0), Some(0.004), Some(0.05), Some(0.9)] {
        for velocity in [None, Some(0.25)] {
            let mut arm = Arm::at(&[0.0], 0.1);
            let points = vec![point(0.0, 0.2, velocity), point(1.0, 0.45, velocity)];
            arm.send(points, age.map(|age| -age)).unwrap();
            arm.run(1);
            let Goal::Refused { violation, .. } = arm.controller.goal() else {
                panic!("{age:?}: {:?}", arm.controller.goal())
            };
            assert_eq!((violation.joint, violation.quantity), (0, Quantity::Position), "{age:?}");
            assert_eq!(violation.tolerance, 0.1);
            assert!((violation.error - 0.2).abs() < 1e-9, "{age:?}: {violation:?}");
            arm.run(2000);
            assert_eq!((arm.top[0], arm.positions()[0]), (0.0, 0.0), "{age:?}");
        }
    }
}

#[test]
fn a_motion_that_fails_says_so_once_in_a_second() {
    let mut arm = Arm::at(&[0.0], 0.1);
    let mut failures = 0;
    for _ in 0..100 {
        arm.send(vec![point(0.0, 0.2, None), point(1.0, 0.45, None)], None).unwrap();
        arm.run(15);
        let reports = std::iter::from_fn(|| arm.controller.report());
        failures += reports
            .filter(|(_, report)| matches!(report, Report::MotionFailed(Goal::Refused { .. })))
            .count();
    }
    assert_eq!(failures, 2, "in 1.5 s");
}

#[test]
fn a_sagging_joint_follows_a_trajectory_from_where_it_is() {
    // The controller holds 0, a load keeps the joint at -0.15, and a planner begins there.
    let mut arm = Arm::at(&[0.0], 0.1);
    arm.run(10);
    arm.robot.joints_mut()[0].position = -0.15;
    arm.send(vec![point(0.0, -0.15, None), point(1.0, 0.2, None)], Some(0.01)).unwrap();
    arm.run(1500);
    assert_eq!(arm.controller.goal(), Goal::Reached);
}

#[test]
fn a_motion_that_does_not_end_at_rest_is_held_at_its_end_without_a_step_and_within_the_limits() {
    for upper in [1.0, 0.5] {
        let mut arm = Arm::at(&[0.0], 0.1);
        let limits = JointLimits { effort: 1.0, velocity: 5.0, lower: -1.0, upper };
        arm.robot.joints_mut()[0].limits = Some(limits);
        arm.send(vec![point(1.0, 0.5, Some(3.0))], None).unwrap();
        arm.run(1000);
        assert!(
            (arm.speed[0] - 3.0).abs() < 0.05 && arm.controller.goal() == Goal::Active,
            "{:?}",
            arm.speed
        );
        let (mut before, mut furthest) = (arm.speed[0], 0.0_f64);
        for _ in 0..400 {
            arm.step(STEP);
            // 16 v is the greatest deceleration.
            assert!(upper == 0.5 || (arm.speed[0] - before).abs() < 0.049, "{before} to {}", arm.speed[0]);
            (before, furthest) = (arm.speed[0], furthest.max(arm.positions()[0]));
        }
        assert!((furthest - if upper == 0.5 { 0.5 } else { 0.5 + 1.0 / 9.0 }).abs() < 1e-3, "{furthest}");
        assert_eq!((arm.controller.goal(), arm.speed[0]), (Goal::Reached, 0.0));
        assert!((arm.positions()[0] - 0.5).abs() < 1e-6);
    }
}

#[test]
fn a_step_that_joins_a_late_trajectory_allocates_nothing() {
    let points: Vec<Point> = (0..200).map(|number| point(f64::from(number) * 0.01, 0.0, Some(0.0))).collect();
    for away in [0.0, 0.5] {
        let mut arm = Arm::at(&[away], 0.1);
        arm.send(points.clone(), Some(-1.5)).unwrap();
        let before = allocations::count();
        arm.run(100);
        assert_eq!(allocations::count(), before);
        assert_eq!(matches!(arm.controller.goal(), Goal::Refused { .. }), away > 0.1);
    }
}

/// A stream that goes at `speed` by its own points, as it was received.
pub struct Stream {
    pub arm: Arm,
    /// When each message is sent \[s\].
    pub sent: Vec<f64>,
    pub refused: usize,
    /// The greatest speed that a message plans, from where the joint was when it came \[rad/s\].
    pub planned: f64,
}

impl Stream {
    pub fn new(periods: &[f64], path: f64) -> Self {
        let mut time = 0.01;
        let sent = periods
            .iter()
            .map(|period| {
                time += period;
                time
            })
            .collect();
        let arm = Arm { goal: Some(1), ..Arm::at(&[0.0], path) };
        Self { arm, sent, refused: 0, planned: 0.0 }
    }

    /// Steps until `time`, then sends.
    fn send_at(&mut self, time: f64, points: Vec<Point>, start: Option<f64>) {
        while self.arm.time() < time {
            self.arm.step(STEP);
        }
        let plan = Plan::of(&points, 0.0, &self.arm.positions(), &self.arm.speed);
        self.planned = self.planned.max(plan.top_speed(0));
        self.refused += usize::from(self.arm.send(points, start).is_err());
        self.arm.step(STEP);
        let reports = core::iter::from_fn(|| self.arm.controller.report());
        let is_refusal = |one: &(usize, Report)| matches!(one.1, Report::GoalEnded(1, Goal::Refused { .. }));
        self.refused += reports.filter(is_refusal).count();
    }
}

/// A jog by MoveIt Servo of Jazzy, `updateSlidingWindow` and `composeTrajectoryMessage`: each cycle adds a state, which is due
/// 0.1 s later, `speed` times the nominal period further than the one before. States that were due 0.1 s ago go. The message has all
/// but the newest state; its stamp is the time of the oldest.
fn jazzy(speed: f64, period: f64, periods: &[f64], delay: f64, path: f64) -> (Stream, f64) {
    let mut stream = Stream::new(periods, path);
    let all = jog(&mut stream, |_| speed, period, delay, 0.0);
    // Where its own points have it now.
    let time = stream.arm.time();
    let after = all.iter().position(|state| state[0] >= time).unwrap();
    let ([t0, p0], [t1, p1]) = (all[after - 1], all[after]);
    (stream, p0 + (p1 - p0) * (time - t0) / (t1 - t0))
}

/// Sends such a jog with a speed at each time, from a computer whose clock is ahead by `skew`. Returns its states, time and place.
pub fn jog(
    stream: &mut Stream,
    speed: impl Fn(f64) -> f64,
    period: f64,
    delay: f64,
    skew: f64,
) -> Vec<[f64; 2]> {
    const LATENCY: f64 = 0.1;
    let mut window: Vec<[f64; 3]> = Vec::new();
    let mut all: Vec<[f64; 2]> = Vec::new();
    for now in stream.sent.clone() {
        let (last, speed) = (all.last().map_or(0.0, |state| state[1]), speed(now));
        let mut next = [now + LATENCY, last + speed * period, speed];
        window.retain(|state| state[0] >= now - LATENCY);
        if let [.., a, b] = window.as_mut_slice() {
            let forward = (next[1] - b[1]) / (next[0] - b[0]);
            let backward = (b[1] - a[1]) / (b[0] - a[0]);
            b[2] = if forward.abs() < backward.abs() { forward } else { backward };
            next[2] = b[2];
        }
        window.push(next);
        all.push([next[0], next[1]]);
        if window.len() >= 3 {
            let begin = window[0][0];
            let points = &window[..window.len() - 1];
            let points =
                points.iter().map(|[time, position, speed]| point(time - begin, *position, Some(*speed)));
            stream.send_at(now + delay, points.collect(), Some(begin + skew));
        }
    }
    all
}

/// A jog by MoveIt Servo of Humble, `composeJointTrajMessage`: one point, a period ahead, without a stamp.
fn humble(speed: f64, period: f64, periods: &[f64], has_velocity: bool) -> (Stream, f64) {
    let mut stream = Stream::new(periods, f64::INFINITY);
    let begin = stream.sent[0];
    for now in stream.sent.clone() {
        let wanted = speed * (now - begin + period);
        stream.send_at(now, vec![point(period, wanted, has_velocity.then_some(speed))], None);
    }
    let wanted = speed * (stream.arm.time() - begin);
    (stream, wanted)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// A stream of Servo moves the joint as its own points say, within 5 % of the way, never faster than 1.5 times what one of its messages
    /// plans, and none of them is refused. Between two points whose stated speeds are the mean speed v or less, a cubic is at 1.5 v at
    /// most: its speed in the middle is 1.5 v less a quarter of both stated ones.
    #[test]
    fn a_stream_of_servo_of_jazzy_follows_its_velocity(
        speed in 0.1..1.0_f64, is_slow: bool, delay in 0.0..0.02_f64, has_tolerance: bool,
        jitter in proptest::collection::vec(0.0..0.03_f64, 150),
    ) {
        let period = if is_slow { 0.034 } else { 0.01 };
        let periods: Vec<f64> = jitter.iter().map(|jitter| period + jitter).collect();
        let path = if has_tolerance { 0.1 } else { f64::INFINITY };
        let (stream, wanted) = jazzy(speed, period, &periods, delay, path);
        prop_assert_eq!(stream.refused, 0);
        let position = stream.arm.positions()[0];
        prop_assert!((position - wanted).abs() < 0.05 * wanted, "{position}, must be {wanted}");
        prop_assert!(stream.planned <= 1.5 * speed * 1.001, "{} of {speed}", stream.planned);
        prop_assert!(stream.arm.top[0] <= 1.5 * stream.planned * 1.001, "{} of {speed}", stream.arm.top[0]);
    }

    #[test]
    fn a_stream_of_servo_of_humble_follows_its_velocity(
        speed in 0.1..1.0_f64, has_velocity: bool, jitter in proptest::collection::vec(0.0..0.03_f64, 100),
    ) {
        let periods: Vec<f64> = jitter.iter().map(|jitter| 0.034 + jitter).collect();
        let (stream, wanted) = humble(speed, 0.034, &periods, has_velocity);
        prop_assert_eq!(stream.refused, 0);
        let position = stream.arm.positions()[0];
        prop_assert!((position - wanted).abs() < 0.05 * wanted, "{position}, must be {wanted}");
        prop_assert!(stream.arm.top[0] <= 1.5 * stream.planned * 1.001, "{} of {speed}", stream.arm.top[0]);
    }

    /// Whatever the age of a trajectory, the jitter of the loop, and the place of the joints is:
    ///
    /// - It is refused as over if its last point was due in the past, and only then.
    /// - It is refused for its distance, and moves nothing, if no part of what has passed is within the tolerance. It may be refused,
    ///   too, where its nearest place lies between two of the 65 that are tried: half of their distance at the greatest speed.
    /// - No desired position is faster than 1.5 times the greatest speed that is planned for it, or 0.02 in 0.25 s if that is more.
    /// - While it is followed no joint leaves its tolerance, and no joint goes further from the path than it was.
    /// - In the end the joints are at rest at the last point.
    #[test]
    fn a_trajectory_of_any_age_is_followed_within_one_and_a_half_of_its_speed_and_its_tolerance(case in case()) {
        let Case { points, age, path, gaps, .. } = &case;
        // One that asks for no motion begins none; each place of it is at rest.
        prop_assume!(points.iter().any(|point| point.positions.iter().any(|place| place.abs() > 1e-3)) || !points[0].velocities.is_empty());
        let whole = points.last().unwrap().time.as_secs_f64();
        let first = points[0].time.as_secs_f64();
        let start = case.start();
        let age = (age * 1e9).round() / 1e9;
        let plan = Plan::of(points, age, &start, &vec![0.0; start.len()]);
        let tops: Vec<f64> = (0..start.len()).map(|joint| plan.top_speed(joint)).collect();
        let mut arm = Arm::at(&start, *path);
        let result = arm.send(points.clone(), Some(-age));
        prop_assert_eq!(result.is_err(), age >= whole);
        if age >= whole {
            arm.run(100);
            prop_assert_eq!(arm.positions(), start);
            return Ok(());
        }
        let allowed: Vec<f64> =
            tops.iter().map(|top| if path.is_finite() { *path } else { (0.1 * top).max(0.02) }).collect();
        let nearest = if first > age { 0.0 } else { plan.distance(&start, &allowed, first, age) };
        let between = if first > age { 0.0 } else { (age - first) / 128.0 };
        let gap = gaps.iter().max().unwrap().as_secs_f64();
        // In a step the joints are where the path was a step ago, and the rate is up to two.
        let slack = tops.iter().zip(&allowed).map(|(top, allowed)| top * (between + 2.0 * gap) / allowed);
        let slack = slack.fold(0.0, f64::max) + 1e-3;
        arm.step(gaps[0]);
        let is_refused = matches!(arm.controller.goal(), Goal::Refused { .. });
        prop_assert!(!is_refused || nearest > 1.0 - slack, "refused at {nearest}");
        prop_assert!(is_refused || nearest <= 1.0 + 1e-3, "taken at {nearest}");
        if is_refused {
            arm.run(100);
            prop_assert_eq!(arm.positions(), start);
            return Ok(());
        }
        let (mut number, mut until) = (0, usize::MAX);
        while arm.time() < 2.0 * whole + 3.0 && number < until {
            number += 1;
            arm.step(gaps[number % gaps.len()]);
            if arm.controller.goal() != Goal::Active {
                until = until.min(number + 100);
            }
            if number.is_multiple_of(50) && arm.controller.goal() == Goal::Active {
                let distance = plan.distance(&arm.positions(), &allowed, 0.0, whole + 0.25);
                // A trajectory that is late is not at its planned place on the way to its first point.
                prop_assert!(first > 0.0 || distance <= nearest + slack, "{distance} after {nearest}");
                prop_assert!(path.is_infinite() || distance <= 1.0 + slack, "{distance} while it is followed");
            }
        }
        for (joint, top) in tops.iter().enumerate() {
            let most = (1.5 * top).max(CREEP) * 1.001 + 1e-9;
            prop_assert!(arm.top[joint] <= most, "joint {joint}: {} of {most}", arm.top[joint]);
        }
        let end = arm.controller.goal();
        prop_assert!(end == Goal::Reached || nearest > 1.0 - slack || slack > 0.5 && path.is_finite(), "{end:?} at {nearest}");
        prop_assert!(arm.speed.iter().all(|speed| *speed == 0.0), "{:?}", arm.speed);
        if end == Goal::Reached {
            for (position, last) in arm.positions().iter().zip(&points.last().unwrap().positions) {
                prop_assert!((position - last).abs() < 1e-6, "{position}, must be {last}");
            }
        }
    }
}
