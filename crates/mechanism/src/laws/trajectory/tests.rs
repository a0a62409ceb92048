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
        efforts: Vec::new(),
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
fn it_starts_from_where_the_joints_are() {
    let points = [point(1.0, &[1.0, 2.0])];
    near(at(&points, 0.0, [0.3, -0.5]), [0.3, -0.5, 6.0 * 0.7 - 2.0 * (-1.0 + 2.0)]);
    // A first point at time zero takes the start's place.
    near(at(&[point(0.0, &[5.0]), point(1.0, &[6.0])], 0.5, START[0]), [5.5, 1.0, 0.0]);
}

#[test]
fn a_point_without_a_velocity_is_passed_without_a_stop() {
    // From 0 over 1 to 3, a second each: what only one of two points states makes no curve.
    for points in
        [[point(1.0, &[1.0]), point(2.0, &[3.0, 0.0])], [point(1.0, &[1.0, 0.0]), point(2.0, &[3.0])]]
    {
        near(at(&points, 1.0, START[0]), [1.0, 2.0, 0.0]);
        near(at(&points, 1.5, START[0]), [2.0, 2.0, 0.0]);
    }
    // Only one of two points states an acceleration: a cubic from rest to rest, 3 t² - 2 t³; in its middle at 1.5, a quintic at 1.875.
    let points = [point(1.0, &[1.0, 0.0]), point(2.0, &[2.0, 0.0, 0.0])];
    near(at(&points, 1.5, START[0]), [1.5, 1.5, 0.0]);
}

#[test]
fn a_last_point_with_a_velocity_is_passed_and_come_back_to_without_a_step_of_the_speed() {
    // 1 + 3 t (1 - t/0.25)²: 4/27 · 0.25 · 3 = 1/9 beyond the point after a third of 0.25 s, and back after 0.25 s.
    let points = [point(1.0, &[1.0, 3.0])];
    near(at(&points, 1.0, START[0]), [1.0, 3.0, -48.0]);
    near(at(&points, 1.125, START[0]), [1.0 + 3.0 * 0.125 * 0.25, -0.75, -12.0]);
    for seconds in [1.25, 2.0, 1e9] {
        near(at(&points, seconds, START[0]), [1.0, 0.0, 0.0]);
    }
    let (mut before, mut fastest, mut furthest) = (3.0, 0.0_f64, 0.0_f64);
    for millis in 1..=300 {
        let [position, speed, _] = at(&points, 1.0 + f64::from(millis) / 1e3, START[0]);
        // 16 · 3 rad/s² at most.
        assert!((speed - before).abs() <= 0.048 + 1e-9, "{millis}: {before} to {speed}");
        (before, fastest, furthest) = (speed, fastest.max(speed.abs()), furthest.max(position - 1.0));
    }
    assert!(fastest < 3.0 && (0.11..1.0 / 9.0).contains(&furthest), "{fastest} {furthest}");
    let duration = |velocity| Trajectory::new(1, vec![point(1.0, &[1.0, velocity])]).unwrap().duration();
    assert_eq!((duration(3.0), duration(0.0)), (Duration::from_millis(1250), Duration::from_secs(1)));
}

#[test]
fn efforts_are_linear_between_points_and_the_last_one_stays() {
    let with = |seconds, effort: f64| Point { efforts: vec![effort], ..point(seconds, &[1.0]) };
    let trajectory = Trajectory::new(1, vec![with(1.0, 2.0), with(2.0, -2.0)]).unwrap();
    let effort = |seconds: f64| trajectory.effort(Duration::from_secs_f64(seconds), 0, 1.0);
    let found = [0.0, 0.5, 1.0, 1.25, 2.0, 9.0].map(effort);
    assert_eq!(found, [1.0, 1.5, 2.0, 1.0, -2.0, -2.0], "from the 1.0 that there was");
    let later = trajectory.later(Duration::from_secs(1));
    assert_eq!([0.5, 1.5].map(|seconds| later.effort(Duration::from_secs_f64(seconds), 0, 1.0)), [1.0, 1.5]);
    let without = Trajectory::new(1, vec![point(1.0, &[1.0]), point(2.0, &[2.0])]).unwrap();
    assert_eq!(
        [0.5, 1.5, 3.0].map(|seconds| without.effort(Duration::from_secs_f64(seconds), 0, 1.0)),
        [0.0; 3]
    );
}

#[test]
fn the_top_speed_is_that_of_lines_and_cubics_and_nearly_that_of_quintics() {
    let top = |points: &[Point], start| Trajectory::new(1, points.to_vec()).unwrap().top_speed(0, start);
    assert_eq!(top(&[point(1.0, &[1.0]), point(2.0, &[-2.0])], START[0]), 3.0);
    // 3 t² - 2 t³ is fastest in its middle: 1.5; the minimum-jerk motion, too: 1.875.
    assert!((top(&[point(1.0, &[1.0, 0.0])], START[0]) - 1.5).abs() < 1e-9);
    assert!((top(&[point(1.0, &[1.0, 0.0, 0.0])], START[0]) - 1.875).abs() < 1e-9);
    assert_eq!(
        top(&[point(0.0, &[9.0]), point(1.0, &[9.0])], START[0]),
        0.0,
        "the way to a first point at once is no part of it"
    );
    assert_eq!(top(&[point(1.0, &[0.0, 5.0])], START[0]), 5.0);
}

#[test]
fn several_joints_move_together() {
    let points = vec![Point { time: Duration::from_secs(1), positions: vec![1.0, -2.0], ..Point::default() }];
    let trajectory = Trajectory::new(2, points).unwrap();
    let found = [0, 1].map(|joint| trajectory.sample(Duration::from_millis(500), joint, [0.0; 2])[0]);
    assert_eq!((found, trajectory.duration()), ([0.5, -1.0], Duration::from_secs(1)));
}

#[test]
fn until_it_begins_the_joints_are_braked_and_held() {
    let points = vec![point(1.0, &[1.0, 0.0])];
    let trajectory = Trajectory::new(1, points).unwrap();
    let early = trajectory.clone().later(Duration::from_secs(8));
    let sample = |millis| early.sample(Duration::from_millis(millis), 0, [0.47, 1.0]);
    near(sample(0), [0.47, 1.0, -16.0]);
    for millis in [250, 4000, 7999] {
        near(sample(millis), [0.47, 0.0, 0.0]);
    }
    near(sample(8500), trajectory.sample(Duration::from_millis(500), 0, [0.47, 0.0]));
    near(sample(9000), [1.0, 0.0, 0.0]);
    assert_eq!(early.duration(), Duration::from_secs(9));
    // It begins in the middle of the braking: no step of position or velocity.
    let soon = trajectory.clone().later(Duration::from_millis(100));
    let soon = |micros| soon.sample(Duration::from_micros(micros), 0, [0.47, 1.0]);
    assert!((soon(99_999)[0] - soon(100_001)[0]).abs() < 1e-5);
    assert!((soon(99_999)[1] - soon(100_001)[1]).abs() < 1e-3);
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
    assert_eq!(refused(vec![point(1.0, &[])]), "point 0 has 0 positions, must have 1, one for each joint");
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
    let pushed = |efforts: &[f64]| Point { efforts: efforts.to_vec(), ..point(1.0, &[1.0]) };
    assert_eq!(refused(vec![pushed(&[1.0, 2.0])]), "point 0 has 2 effort, must have 1, one for each joint");
    assert_eq!(refused(vec![pushed(&[f64::NAN])]), "a value in effort of point 0 is NaN, must be finite");
    assert_eq!(
        refused(vec![pushed(&[1.0]), point(2.0, &[1.0])]),
        "point 1 has no effort, must have it as other points do"
    );
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
