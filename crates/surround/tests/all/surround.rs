//! The machine: sensors, silence, beats, time to a collision.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{
    FREE, after, at, drain, ms, near, of, params, pass, scan, scanned, seen, surround, text, turn, with_cloud,
};
use params::Value;
use safety::{Instant, Level, Machine, NotFinite, PublisherCount, Scale, Stamp, Velocity};
use surround::{Blind, Condition, Input, Output, Surround};
use zones::{Scaling, Zone};

const ALL: (f64, f64) = (1.0, 1.0);
const NONE: (f64, f64) = (0.0, 0.0);

fn everywhere(factor: Scale) -> Scaling {
    Scaling::uniform(factor)
}

/// A scanner that covers the front half and a camera that covers the rear half.
fn two(overrides: &[(&str, Value)]) -> Surround {
    let mut all = vec![
        ("sensors.ahead.topic", text("scan")),
        ("sensors.ahead.covers_from", Value::Float(-90.0)),
        ("sensors.ahead.covers_to", Value::Float(90.0)),
        ("sensors.behind.topic", text("points")),
        ("sensors.behind.type", text("cloud")),
        ("sensors.behind.z", Value::Float(0.0)),
        ("sensors.behind.least_points", Value::Integer(1)),
        ("sensors.behind.covers_from", Value::Float(90.0)),
        ("sensors.behind.covers_to", Value::Float(-90.0)),
        ("sensors.behind.empty", text("free")),
    ];
    all.extend_from_slice(overrides);
    surround(&all)
}

#[test]
fn before_the_first_message_all_is_blocked() {
    let mut surround = surround(&[]);
    assert_eq!(surround.deadline(), Some(Instant::ZERO));
    assert_eq!(drain(&mut surround, ms(0)), [everywhere(Scale::ZERO)]);
    assert_eq!(surround.condition(0), Some(Condition::NeverReceived));
    assert_eq!(surround.health(), (Level::Error, "silent sensor counts as blocked: scanner".into()));
    let blind = Blind { bearings: [-180.0, 180.0], why: "scanner is silent".into() };
    assert_eq!(surround.blind(), [blind]);
}

#[test]
fn bearings_without_a_measurement_are_named_with_the_reason() {
    // A scanner of the front half that measures nothing from 20 to 60 degrees, and nothing behind.
    let front = [
        ("sensors.scanner.topic", text("scan")),
        ("sensors.scanner.covers_from", Value::Float(-90.0)),
        ("sensors.scanner.covers_to", Value::Float(90.0)),
    ];
    let mut surround = surround(&front);
    let beams: Vec<_> = (20..60).map(|bearing| (bearing, f32::NAN)).collect();
    surround.handle(ms(0), scanned(0, turn(&beams)));
    let found = surround.blind();
    let whole: Vec<_> =
        found.iter().map(|one| (one.why.as_str(), one.bearings.map(|b| (b / 5.0).round() * 5.0))).collect();
    assert_eq!(whole, [("scanner does not measure this", [20.0, 60.0]), ("no sensor", [90.0, -90.0])]);
}

#[test]
fn a_scaling_leaves_with_each_message_and_each_heartbeat() {
    let mut surround = surround(&[]);
    assert_eq!(drain(&mut surround, ms(0)).len(), 1);
    surround.handle(ms(10), scanned(0, turn(&[])));
    assert_eq!(surround.deadline(), Some(ms(10)));
    assert_eq!(drain(&mut surround, ms(10)), [everywhere(Scale::ONE)]);
    assert_eq!(surround.deadline(), Some(ms(110)), "0.1 s later");
    assert_eq!(drain(&mut surround, ms(109)), []);
    assert_eq!(drain(&mut surround, ms(110)), [everywhere(Scale::ONE)]);
    assert_eq!(surround.health().0, Level::Ok);
    assert_eq!(surround.scaling().fields(), [1.0; 16]);
}

#[test]
fn a_silent_sensor_blocks_at_its_timeout() {
    let mut surround = surround(&[]);
    assert_eq!(after(&mut surround, ms(0), scanned(0, turn(&[]))), everywhere(Scale::ONE));
    pass(&mut surround, 0, 490);
    assert_eq!(surround.deadline(), Some(ms(500)));
    assert_eq!(surround.condition(0), Some(Condition::Fresh));
    // The heartbeat of this instant, and the loss.
    assert!(drain(&mut surround, ms(500)).contains(&everywhere(Scale::ZERO)));
    assert_eq!(surround.condition(0), Some(Condition::TimedOut));
    assert_eq!(after(&mut surround, ms(600), scanned(0, turn(&[]))), everywhere(Scale::ONE));
}

#[test]
fn a_missing_sensor_blocks_the_zones_that_it_answers_for() {
    let mut surround = two(&[]);
    // The camera behind is missing: the tail must not swing nor go back.
    let scaling = after(&mut surround, ms(0), scanned(0, turn(&[])));
    assert_eq!(of(&scaling, Zone::Front), (1.0, 0.0));
    assert_eq!((of(&scaling, Zone::Back), of(&scaling, Zone::Left)), (NONE, NONE));
    // It comes: nothing behind.
    assert_eq!(after(&mut surround, ms(100), seen(1, at(&[]))), everywhere(Scale::ONE));
    // The scanner times out at 0.5 s.
    pass(&mut surround, 100, 490);
    let scaling = after(&mut surround, ms(500), seen(1, at(&[])));
    assert_eq!((of(&scaling, Zone::Front), of(&scaling, Zone::Right)), (NONE, NONE));
    assert_eq!(of(&scaling, Zone::Back), (1.0, 0.0));
}

#[test]
fn a_factor_blocked_only_by_a_lost_sensor_is_published_as_unknown() {
    let mut surround = two(&[]);
    let fields_after = |surround: &mut Surround, millis, input| {
        surround.handle(ms(millis), input);
        let Some(Output::Publish(fields)) = core::iter::from_fn(|| surround.poll(ms(millis))).last() else {
            panic!("nothing is published");
        };
        fields
    };
    // The camera behind is missing, and ahead there is a wall: 0 where it is observed, NaN where it is not.
    let fields = fields_after(&mut surround, 0, scanned(0, turn(&[(0, 0.7)])));
    let of = |zone| {
        let at = 2 * Scaling::FIELD_ORDER.iter().position(|other| *other == zone).unwrap();
        (fields[at], fields[at + 1])
    };
    assert_eq!(of(Zone::Front).0, 0.0);
    assert!(of(Zone::Back).0.is_nan() && of(Zone::Left).1.is_nan());
    // At once, not with the next heartbeat.
    assert!(fields_after(&mut surround, 5, Input::ActivityChanged(false)).iter().all(|field| field.is_nan()));
    assert!(fields_after(&mut surround, 10, Input::Stopping).iter().all(|field| field.is_nan()));
}

#[test]
fn a_second_sensor_adds_what_it_sees_anywhere() {
    let mut surround = two(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[])));
    let scaling = after(&mut surround, ms(0), seen(1, at(&[[1.5, 0.0]])));
    near(of(&scaling, Zone::Front).0, 0.5);
    // ... and takes nothing away from what the other sees.
    let scaling = after(&mut surround, ms(10), scanned(0, turn(&[(0, 1.2)])));
    near(of(&scaling, Zone::Front).0, 0.25);
    near(surround.nearest().unwrap(), 1.2);
}

#[test]
fn what_no_sensor_answers_for_is_blocked_or_free() {
    let half = [
        ("sensors.ahead.topic", text("scan")),
        ("sensors.ahead.covers_from", Value::Float(-90.0)),
        ("sensors.ahead.covers_to", Value::Float(90.0)),
    ];
    let scaling = after(&mut surround(&half), ms(0), scanned(0, turn(&[])));
    assert_eq!((of(&scaling, Zone::Back), of(&scaling, Zone::Front)), (NONE, (1.0, 0.0)));
    let uncovered = |overrides: &[(&str, Value)]| {
        let report = surround(overrides).report();
        report.into_iter().find(|(key, _)| *key == "uncovered").unwrap().1
    };
    assert_eq!(
        (uncovered(&half).as_str(), uncovered(&[]).as_str()),
        ("90 to -90 degrees, counts as blocked", "nothing")
    );
    let free = [half.as_slice(), &[("uncovered", text("free"))]].concat();
    assert_eq!(after(&mut surround(&free), ms(0), scanned(0, turn(&[]))), everywhere(Scale::ONE));
}

#[test]
fn a_message_that_is_no_measurement_blocks_at_once() {
    let mut surround = surround(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[])));
    assert_eq!(after(&mut surround, ms(10), scanned(0, scan(vec![f32::NAN; 360]))), everywhere(Scale::ZERO));
    let (level, why) = surround.health();
    assert_eq!(level, Level::Error);
    assert!(why.contains("0 of 360 are measurements"), "{why}");
    assert_eq!(surround.counters().unusable, 1);
    assert_eq!(after(&mut surround, ms(20), scanned(0, turn(&[]))), everywhere(Scale::ONE));
}

#[test]
fn a_sensor_of_two_publishers_blocks_until_one_measures_again() {
    let mut surround = surround(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[])));
    let count = |count| Input::PublishersCounted { sensor: 0, count: PublisherCount::of(count) };
    assert_eq!(after(&mut surround, ms(10), count(2)), everywhere(Scale::ZERO));
    assert_eq!(after(&mut surround, ms(20), scanned(0, turn(&[]))), everywhere(Scale::ZERO));
    assert_eq!(surround.condition(0), Some(Condition::Conflict(PublisherCount::of(2))));
    assert_eq!(
        surround.health(),
        (Level::Error, "scanner counts as blocked: 2 publishers, must be 1".into())
    );
    surround.handle(ms(30), count(1));
    assert_eq!(surround.condition(0), Some(Condition::NeverReceived), "its publisher may be gone");
    assert_eq!(after(&mut surround, ms(40), scanned(0, turn(&[]))), everywhere(Scale::ONE));
}

#[test]
fn the_publishers_of_a_sensor_stay_known_when_its_parameters_change() {
    for (name, value) in [
        ("sensors.scanner.gap", Value::Float(11.0)),
        ("sensors.scanner.zero_range", text("unmeasured")),
        ("sensors.scanner.timeout", Value::Float(0.6)),
    ] {
        let mut surround = surround(&[]);
        surround.handle(ms(0), Input::PublishersCounted { sensor: 0, count: PublisherCount::of(2) });
        let changed = params(&[("sensors.scanner.topic", text("scan")), (name, value)]).unwrap();
        surround.handle(ms(10), Input::ParametersChanged(changed));
        assert_eq!(after(&mut surround, ms(20), scanned(0, turn(&[]))), everywhere(Scale::ZERO), "{name}");
        assert_eq!(surround.condition(0), Some(Condition::Conflict(PublisherCount::of(2))), "{name}");
    }
}

#[test]
fn the_same_stamp_again_keeps_no_sensor_alive() {
    let mut surround = surround(&[]);
    let mut last = 0;
    let mut receive = |millis, sec| {
        pass(&mut surround, last, millis);
        last = millis;
        let stamp = Stamp { sec, nanosec: 0 };
        surround.handle(ms(millis), Input::ScanReceived { sensor: 0, stamp, scan: turn(&[]) });
        drain(&mut surround, ms(millis));
        (surround.condition(0).unwrap(), surround.counters().repeated)
    };
    assert_eq!(receive(0, 7), (Condition::Fresh, 0));
    assert_eq!(receive(300, 7), (Condition::Fresh, 1));
    assert_eq!(receive(499, 6), (Condition::Fresh, 2), "an older one neither");
    assert_eq!(receive(500, 7), (Condition::TimedOut, 3));
    assert_eq!(receive(510, 6), (Condition::Fresh, 3), "a clock that was set back costs one timeout");
    assert_eq!(receive(520, 8), (Condition::Fresh, 3));
    assert_eq!(receive(1019, 8), (Condition::Fresh, 4));
    assert_eq!(receive(1020, 0), (Condition::Fresh, 4), "without a stamp everything is news");
}

#[test]
fn messages_of_unknown_sensors_change_nothing() {
    let mut surround = with_cloud();
    drain(&mut surround, ms(0));
    surround.handle(ms(1), scanned(0, turn(&[])));
    surround.handle(ms(1), scanned(3, turn(&[])));
    surround.handle(ms(1), seen(3, at(&[[9.0, 9.0]])));
    assert_eq!((drain(&mut surround, ms(1)), surround.counters().unknown), (vec![], 3));
}

#[test]
fn the_time_to_a_collision_limits_where_a_velocity_is_used() {
    let mut surround = surround(&[("velocity", text("used"))]);
    let scaling = after(&mut surround, ms(0), scanned(0, turn(&[(0, 2.35)])));
    // Unknown: full throw, 1.75 m at 1 m/s are 1.75 s: (1.75 - 0.5) / 1.5 = 0.8333.
    near(of(&scaling, Zone::Front).0, 1.25 / 1.5);
    assert_eq!(surround.health().0, Level::Warn);
    // At 1.4 m/s 1.25 s: 0.5. Backing off: all.
    let go = |forward| Input::VelocityReceived {
        velocity: Velocity::planar(forward, 0.0).unwrap(),
        stamp: Stamp::ZERO,
    };
    near(of(&after(&mut surround, ms(10), go(1.4)), Zone::Front).0, 0.5);
    assert_eq!(surround.health().0, Level::Ok);
    assert_eq!(of(&after(&mut surround, ms(20), go(-1.4)), Zone::Front), ALL);
    // An old velocity is not used.
    let old = Input::VelocityReceived { velocity: Velocity::ZERO, stamp: Stamp { sec: 1, nanosec: 0 } };
    surround.handle(ms(25), Input::ClockRead(Stamp { sec: 3600, nanosec: 0 }.into()));
    surround.handle(
        ms(25),
        Input::VelocityReceived { velocity: Velocity::planar(1.4, 0.0).unwrap(), stamp: Stamp::ZERO },
    );
    near(of(&after(&mut surround, ms(26), scanned(0, turn(&[(0, 2.35)]))), Zone::Front).0, 0.5);
    surround.handle(ms(27), old);
    near(of(&after(&mut surround, ms(28), scanned(0, turn(&[(0, 2.35)]))), Zone::Front).0, 0.5);
    // Lost by an invalid message, and by silence.
    let refused = Input::VelocityRefused(NotFinite { part: "linear.x", value: f64::NAN });
    near(of(&after(&mut surround, ms(30), refused), Zone::Front).0, 1.25 / 1.5);
    after(&mut surround, ms(40), go(0.0));
    pass(&mut surround, 40, 390);
    assert_eq!(of(&after(&mut surround, ms(400), scanned(0, turn(&[(0, 2.35)]))), Zone::Front), ALL);
    pass(&mut surround, 400, 530);
    near(of(drain(&mut surround, ms(540)).last().unwrap(), Zone::Front).0, 1.25 / 1.5);
    assert_eq!((surround.counters().velocities, surround.counters().invalid_velocities), (6, 1));
}

#[test]
fn without_use_a_velocity_changes_nothing() {
    let mut surround = surround(&[]);
    near(of(&after(&mut surround, ms(0), scanned(0, turn(&[(0, 2.35)]))), Zone::Front).0, 1.0);
    surround.handle(
        ms(1),
        Input::VelocityReceived { velocity: Velocity::planar(5.0, 1.0).unwrap(), stamp: Stamp::ZERO },
    );
    assert_eq!((drain(&mut surround, ms(1)), surround.deadline()), (vec![], Some(ms(100))));
}

#[test]
fn changed_distances_act_at_once() {
    let mut surround = surround(&[]);
    near(of(&after(&mut surround, ms(0), scanned(0, turn(&[(0, 1.5)]))), Zone::Front).0, 0.5);
    let wider = params(&[("front.slow", Value::Float(2.1))]).unwrap();
    // (0.9 - 0.3) / 1.8
    near(of(&after(&mut surround, ms(1), Input::ParametersChanged(wider)), Zone::Front).0, 1.0 / 3.0);
    // Another vehicle: what was seen of its own body no longer counts, so nothing does.
    let longer = params(&[("footprint.front", Value::Float(0.9))]).unwrap();
    assert_eq!(after(&mut surround, ms(2), Input::ParametersChanged(longer)), everywhere(Scale::ZERO));
    near(of(&after(&mut surround, ms(3), scanned(0, turn(&[(0, 1.8)]))), Zone::Front).0, 0.5);
}

#[test]
fn a_changed_timeout_forgets_nothing() {
    let mut surround = surround(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[])));
    let quick = [("sensors.scanner.topic", text("scan")), ("sensors.scanner.timeout", Value::Float(0.02))];
    surround.handle(ms(10), Input::ParametersChanged(params(&quick).unwrap()));
    assert_eq!((surround.condition(0), surround.deadline()), (Some(Condition::Fresh), Some(ms(20))));
    assert_eq!(drain(&mut surround, ms(20)), [everywhere(Scale::ZERO)]);
}

#[test]
fn the_last_output_is_zero() {
    let mut surround = surround(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[])));
    surround.handle(ms(1), Input::Stopping);
    surround.handle(ms(1), Input::Stopping);
    surround.handle(ms(2), scanned(0, turn(&[])));
    assert_eq!(drain(&mut surround, ms(5000)), [everywhere(Scale::ZERO)]);
    assert_eq!((surround.deadline(), surround.health().0), (None, Level::Warn));
}

#[test]
fn of_unpolled_outputs_the_oldest_are_dropped() {
    let mut surround = surround(&[]);
    for millis in 0..100 {
        surround.handle(ms(millis), scanned(0, turn(&[(0, if millis == 99 { 0.5 } else { FREE })])));
    }
    assert_eq!(surround.counters().dropped, 36);
    let all = drain(&mut surround, ms(99));
    assert_eq!((all.len(), of(all.last().unwrap(), Zone::Front).0), (64, 0.0));
}

#[test]
fn the_report_names_sensors_and_limited_zones() {
    let mut surround = two(&[]);
    after(&mut surround, ms(0), scanned(0, turn(&[(0, 1.5)])));
    after(&mut surround, ms(0), seen(1, at(&[[9.0, 9.0]])));
    let report = surround.report();
    let value = |key: &str| report.iter().find(|(k, _)| *k == key).map(|(_, value)| value.as_str()).unwrap();
    assert_eq!(value("sensors"), "ahead is fresh; behind is fresh");
    assert!(value("limited zones (forward_back/left_right)").starts_with("front 0.5"), "{report:?}");
    assert_eq!((value("nearest"), value("scans"), value("clouds")), ("1.500 m", "1", "1"));
}
