//! The odometry's behaviour, one sentence at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use std::f64::consts::PI;

use chair::{Encoders, Estimate, Level, Odometry, OdometryInput, OdometryParams, Params};
use safety::{Instant, Machine, Stamp};

/// The measures of LUCI's library: 1.0373 m, 0.5065 m, 2.38462, right grows forward, left falls; nothing discarded.
fn params() -> OdometryParams {
    OdometryParams { discard: 0, ..Params::default().odometry }
}

struct Bench(Odometry, u64);

impl Bench {
    fn new(params: OdometryParams) -> Self {
        Self(Odometry::new(params), 0)
    }

    /// Received at the same time as measured.
    fn receive(&mut self, left_angle: f32, right_angle: f32, ms: u64) -> Option<Estimate> {
        let edge_timestamp = u32::try_from(ms & 0xffff_ffff).unwrap();
        self.at(ms, Encoders { left_angle, right_angle, edge_timestamp, stamp: Stamp { sec: 1, nanosec: 2 } })
    }

    fn at(&mut self, ms: u64, encoders: Encoders) -> Option<Estimate> {
        self.1 = ms;
        let now = Instant::from_millis(ms);
        self.0.handle(now, OdometryInput::EncodersReceived(encoders));
        let estimate = self.0.poll(now);
        assert_eq!(self.0.deadline(), None);
        estimate
    }
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() < tolerance
}

#[test]
fn one_turn_of_a_wheel_is_its_circumference() {
    let mut bench = Bench::new(params());
    // 2.38462 · 360 = 858.4632 degrees of encoder, in 100 steps of 10 ms: 8.584632 degrees each, 1.0373 m/s.
    let mut last = None;
    for step in 0..=100_u32 {
        let angle = f64::from(step) * 8.584_632;
        let right = angle.rem_euclid(360.0) as f32;
        let left = (-angle).rem_euclid(360.0) as f32;
        last = bench.receive(left, right, u64::from(step) * 10);
    }
    let Estimate { x, y, heading, forward, turn, stamp, .. } = last.unwrap();
    assert!(near(x, 1.0373, 1e-6) && near(y, 0.0, 1e-6) && near(heading, 0.0, 1e-6), "{x} {y} {heading}");
    assert!(near(forward, 1.0373, 1e-4) && near(turn, 0.0, 1e-3), "{forward} {turn}");
    assert_eq!(stamp, Stamp { sec: 1, nanosec: 2 }, "carried");
}

#[test]
fn the_right_wheel_ahead_turns_to_the_left() {
    let mut bench = Bench::new(params());
    bench.receive(0.0, 0.0, 0);
    let Estimate { heading, turn, forward, .. } = bench.receive(0.0, 10.0, 20).unwrap();
    // 10 degrees are 0.0120833 m: Δ = 0.0120833 / 0.5065 = 0.0238566 rad, and half the way ahead.
    assert!(near(heading, 0.023_856_6, 1e-6) && near(turn, 1.192_83, 1e-4) && near(forward, 0.302_08, 1e-4));
}

#[test]
fn time_goes_on_where_16_bit_would_wrap() {
    let mut bench = Bench::new(params());
    for ms in [65_516, 65_526, 65_536, 65_546] {
        let estimate = bench.receive(0.0, (ms - 65_516) as f32 / 2.0, ms);
        // 5 degrees in 10 ms: 0.5 · 0.00604167 m / 0.01 s.
        assert!(estimate.is_none_or(|e| near(e.forward, 0.302_08, 1e-4)), "{ms}: {estimate:?}");
    }
    assert_eq!(bench.0.counters().gaps + bench.0.counters().late + bench.0.counters().restarts, 0);
    let mut bench = Bench::new(params());
    bench.receive(0.0, 0.0, 0xffff_fffb);
    let estimate = bench.receive(0.0, 5.0, 0x1_0000_0005).unwrap();
    assert!(near(estimate.forward, 0.302_08, 1e-4), "and where 32 bit do");
}

#[test]
fn a_gap_keeps_the_pose_and_raises_its_covariance() {
    let mut bench = Bench::new(params());
    bench.receive(0.0, 0.0, 0);
    let before = bench.receive(350.0, 10.0, 20).unwrap();
    assert_eq!(bench.receive(200.0, 90.0, 1020), None);
    assert_eq!((bench.0.counters().gaps, bench.0.health().0), (1, Level::Warn));
    assert!(bench.0.health().1.contains("1000 ms"), "{}", bench.0.health().1);
    let after = bench.receive(200.0, 90.0, 1040).unwrap();
    assert_eq!((after.x, after.y, after.heading, after.forward), (before.x, before.y, before.heading, 0.0));
    // 3 m/s for a second, evenly anywhere within: 3² / 3 = 3 m²; the heading is wholly unknown, π² / 3.
    assert!(near(after.pose_covariance[0] - before.pose_covariance[0], 3.0, 1e-9));
    assert!(near(after.pose_covariance[35] - before.pose_covariance[35], PI * PI / 3.0, 1e-9));
}

#[test]
fn a_jump_keeps_the_pose() {
    let mut bench = Bench::new(params());
    bench.receive(0.0, 0.0, 0);
    let before = bench.receive(350.0, 10.0, 20).unwrap();
    assert_eq!(bench.receive(350.0, 100.0, 30), None);
    assert_eq!(bench.0.counters().jumps, 1);
    let after = bench.receive(350.0, 100.0, 40).unwrap();
    assert_eq!((after.x, after.y, after.heading), (before.x, before.y, before.heading));
    assert!(after.pose_covariance[0] > before.pose_covariance[0]);
}

#[test]
fn a_board_that_restarts_keeps_the_pose() {
    let mut bench = Bench::new(params());
    let encoders = |angle, edge_timestamp| Encoders {
        left_angle: 0.0,
        right_angle: angle,
        edge_timestamp,
        stamp: Stamp::ZERO,
    };
    bench.at(100_000, encoders(0.0, 90_000));
    let before = bench.at(100_010, encoders(5.0, 90_010)).unwrap();
    assert_eq!(bench.at(105_000, encoders(77.0, 20)), None);
    let after = bench.at(105_010, encoders(77.0, 30)).unwrap();
    assert_eq!((after.x, after.heading, bench.0.counters().restarts), (before.x, before.heading, 1));
    // 4.99 s by our clock, up to 14.97 m away.
    assert!(near(after.pose_covariance[0] - before.pose_covariance[0], 14.97 * 14.97 / 3.0, 1e-6));
}

#[test]
fn late_and_invalid_messages_change_nothing() {
    let mut bench = Bench::new(params());
    let encoders = |left_angle, right_angle, edge_timestamp| Encoders {
        left_angle,
        right_angle,
        edge_timestamp,
        stamp: Stamp::ZERO,
    };
    bench.at(0, encoders(0.0, 0.0, 1000));
    assert_eq!(bench.at(10, encoders(0.0, 3.0, 990)), None);
    assert_eq!(bench.at(10, encoders(f32::NAN, 3.0, 1010)), None);
    assert_eq!(bench.0.health().0, Level::Warn);
    // Measured from the first: 5 degrees in 20 ms.
    let estimate = bench.at(20, encoders(0.0, 5.0, 1020)).unwrap();
    assert!(near(estimate.forward, 0.302_08 / 2.0, 1e-4));
    assert_eq!((bench.0.counters().late, bench.0.counters().invalid), (1, 1));
}

#[test]
fn the_first_messages_are_discarded() {
    let mut bench = Bench::new(Params::default().odometry);
    let estimates: Vec<bool> = (0..6).map(|step| bench.receive(0.0, 0.0, step * 10).is_some()).collect();
    // Three are discarded, the fourth is where it begins.
    assert_eq!(estimates, [false, false, false, false, true, true]);
}

#[test]
fn silence_is_reported() {
    let mut bench = Bench::new(params());
    assert_eq!(bench.0.health().0, Level::Warn);
    bench.receive(0.0, 0.0, 0);
    bench.receive(0.0, 0.0, 10);
    assert_eq!(bench.0.health().0, Level::Ok);
    assert_eq!(bench.0.poll(Instant::from_millis(510)), None, "silence publishes nothing");
    assert_eq!(bench.0.health(), (Level::Warn, "the encoders are silent".into()));
}

#[test]
fn covariances_are_symmetric_and_say_what_is_unknown() {
    let mut bench = Bench::new(params());
    let mut last = None;
    for step in 0..50_u32 {
        last = bench.receive(0.0, (step * 5) as f32 % 360.0, u64::from(step) * 10);
    }
    let Estimate { pose_covariance, twist_covariance, .. } = last.unwrap();
    for matrix in [pose_covariance, twist_covariance] {
        for row in 0..6 {
            assert!(matrix[row * 7] > 0.0, "a variance");
            for column in 0..6 {
                assert!(near(matrix[row * 6 + column], matrix[column * 6 + row], 1e-12));
            }
        }
        assert_eq!([matrix[14], matrix[21], matrix[28]], [1e6; 3], "z, roll, pitch");
    }
}
