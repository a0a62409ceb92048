use super::*;

const NOW: Stamp = Stamp { sec: 100, nanosec: 0 };

fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn joints(text: &str) -> Vec<FollowedJoint> {
    let joint = |name: &str| FollowedJoint { name: name.to_owned(), unit: "rad", ..FollowedJoint::default() };
    text.split_whitespace().map(joint).collect()
}

fn points(positions: &[f64]) -> Vec<Point> {
    vec![Point { time: Duration::from_secs(1), positions: positions.to_vec(), ..Point::default() }]
}

#[test]
fn values_follow_their_joints() {
    let named = NamedPoints { joints: names("tilt pan"), points: points(&[0.2, 0.7]), start: Stamp::ZERO };
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
        NamedPoints { joints: names("pan"), points: points(&[1.0]), start }.for_joints(&joints("pan"), NOW)
    };
    let duration = |sec, nanosec| starting(sec, nanosec).map(|trajectory| trajectory.duration().as_millis());
    assert_eq!(duration(0, 0), Ok(1000), "without one it starts now");
    assert_eq!(duration(102, 0), Ok(3000));
    let age = |sec, nanosec| starting(sec, nanosec).map(|trajectory| trajectory.age().as_millis());
    assert_eq!(age(99, 750_000_000), Ok(250));
    assert_eq!(age(99, 1_000_000), Ok(999), "it ends in the future");
    let refused = starting(97, 500_000_000).unwrap_err().to_string();
    assert_eq!(refused, "by its stamp it began 2.500 s ago and takes 1.000 s: it is over");
    assert!(starting(99, 0).is_err());
}

#[test]
fn without_a_time_only_a_trajectory_without_a_stamp_starts() {
    let starting = |start, now: ClockReading| {
        let named = NamedPoints { joints: names("pan"), points: points(&[1.0]), start };
        named.for_joints(&joints("pan"), now).map(|trajectory| trajectory.duration().as_millis())
    };
    let unreliable = ClockReading { stamp: NOW, is_reliable: false };
    for start in
        [NOW, Stamp { sec: 102, nanosec: 0 }, Stamp { sec: 99, nanosec: 500_000_000 }, Stamp::UNKNOWN]
    {
        assert_eq!(starting(start, unreliable), Err(NamedPointsError::NoTime));
    }
    assert_eq!(starting(Stamp::ZERO, unreliable), Ok(1000));
    let begun = ClockReading::from(Stamp { sec: 0, nanosec: 500_000_000 });
    assert_eq!(starting(Stamp::UNKNOWN, begun), Err(NamedPointsError::NoTime), "stamped without a time");
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

/// The points of a wrist without an end that moves at 3 rad/s at most, `(seconds, position)`; the positions that they become.
fn turning(given: &[(f64, f64)], speed: Option<f64>) -> Result<Vec<f64>, String> {
    let point = |&(seconds, position): &(f64, f64)| Point {
        time: Duration::from_secs_f64(seconds),
        positions: vec![position],
        ..Point::default()
    };
    let points = given.iter().map(point).collect();
    let wrist = FollowedJoint { is_continuous: true, speed, ..joints("wrist").remove(0) };
    let named = NamedPoints { joints: names("wrist"), points, start: Stamp::ZERO };
    let made = named.for_joints(&[wrist], NOW).map_err(|error| error.to_string())?;
    Ok(made.points().iter().map(|point| point.positions[0]).collect())
}

#[test]
fn positions_that_begin_their_turn_anew_take_the_short_way() {
    use core::f64::consts::TAU;
    let wrapped = [(0.2, 3.0), (0.4, 3.1), (0.6, -3.08), (0.8, -2.98), (1.0, 3.1), (1.2, 3.0)];
    let expected = [3.0, 3.1, TAU - 3.08, TAU - 2.98, 3.1, 3.0];
    let made = turning(&wrapped, Some(3.0)).unwrap();
    assert!(made.iter().zip(expected).all(|(made, expected)| (made - expected).abs() < 1e-9), "{made:?}");
    assert_eq!(turning(&[(0.0, 3.0), (1.0, -3.0)], Some(3.0)), Ok(vec![3.0, TAU - 3.0]));
    let turn = turning(&[(0.0, 0.0), (10.0, 6.2)], Some(3.0));
    assert_eq!(turn, Ok(vec![0.0, 6.2]), "a turn within its limit of speed is meant");
    let refused = turning(&[(0.0, 0.0), (10.0, 6.2)], None);
    let sentence = "joint 'wrist': it turns by 6.2000 rad up to point 1, must be half a turn at most, \
                    since its <limit> has no velocity";
    assert_eq!(refused, Err(sentence.to_owned()));
    assert!(turning(&[(0.0, 0.0), (10.0, 3.1)], None).is_ok());
    let refused = turning(&[(0.0, 0.0), (0.5, 3.0)], Some(3.0));
    let sentence = "joint 'wrist': 6.0000 rad/s up to point 1, must be within its limit of 3 rad/s";
    assert_eq!(refused, Err(sentence.to_owned()));
}

#[test]
fn a_plan_beyond_the_limit_of_speed_is_refused_and_one_at_it_is_not() {
    let planned = |velocities: [f64; 2], way: f64| {
        let point = |index: u32| Point {
            time: Duration::from_secs(index.into()),
            positions: vec![way * f64::from(index)],
            velocities: vec![velocities[index as usize]],
            ..Point::default()
        };
        let shoulder = FollowedJoint { speed: Some(1.0), ..joints("shoulder").remove(0) };
        let points = vec![point(0), point(1)];
        let named = NamedPoints { joints: names("shoulder"), points, start: Stamp::ZERO };
        named.for_joints(&[shoulder], NOW).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(planned([1.0, 1.0], 1.0), Ok(()));
    // Accelerated half of the time, then at the limit: 1.02 rad/s between the points.
    assert_eq!(planned([0.5, 1.0], 0.875), Ok(()));
    let refused = |point, speed: &str| {
        let rest = "must be within its limit of 1 rad/s";
        Err(format!("joint 'shoulder': {speed} rad/s up to point {point}, {rest}"))
    };
    assert_eq!(planned([1.2, 1.0], 1.0), refused(0, "1.2000"));
    assert_eq!(planned([0.0, -1.2], 0.0), refused(1, "1.2000"));
    // From rest to rest the middle is 1.5 times as fast as the mean.
    assert_eq!(planned([0.0, 0.0], 1.0), refused(1, "1.5000"));
}

#[test]
fn a_joint_beyond_its_limit_is_brought_back_and_led_no_further_out() {
    let from = |now: f64, given: &[f64]| {
        let point = |(index, &position): (usize, &f64)| Point {
            time: Duration::from_millis(100 * index as u64),
            positions: vec![position],
            ..Point::default()
        };
        let points = given.iter().enumerate().map(point).collect();
        let lift = joints("lift").remove(0);
        let lift = FollowedJoint { range: Some([-1.5, 1.5]), position: Some(now), ..lift };
        let named = NamedPoints { joints: names("lift"), points, start: Stamp::ZERO };
        named.for_joints(&[lift], NOW).map(|_| ()).map_err(|error| error.to_string())
    };
    let refused = |at: f64| {
        let side = if at > 0.0 { "upper" } else { "lower" };
        Err(format!("joint 'lift': {at} is beyond its {side} limit {}", 1.5_f64.copysign(at)))
    };
    assert_eq!(from(1.53, &[1.53, 1.52, 1.5, 1.4]), Ok(()));
    assert_eq!(from(1.53, &[1.53, 1.524]), Ok(()), "a stream leads back by one point at a time");
    assert_eq!(from(1.53, &[1.53, 1.52, 1.525, 1.4]), refused(1.525), "further out than the point before");
    assert_eq!(from(1.53, &[1.53, 1.545]), refused(1.545), "further out than it is");
    assert_eq!(from(1.53, &[1.53, 1.4, 1.51]), refused(1.51));
    assert_eq!(from(1.53, &[1.53, -1.51]), refused(-1.51));
    assert_eq!(from(-1.6, &[-1.6, -1.55]), Ok(()));
    assert_eq!(from(1.49, &[1.53, 1.52]), refused(1.52), "it is within its range");
}
