//! The age of measurements by their stamps.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{after, at, ms, of, pass, surround, text, turn};
use params::Value;
use safety::{ClockReading, Level, Machine, Stamp};
use surround::{Condition, Input, Surround, Unusable};
use zones::{Scaling, Zone};

const HOUR: i64 = 3_600_000;
/// The wall clock at the origin \[ms\].
const START: i64 = 1_000 * HOUR;

/// A stamp in milliseconds since the epoch.
fn wall(millis: i64) -> Stamp {
    let nanosec = u32::try_from(millis.rem_euclid(1000)).unwrap() * 1_000_000;
    Stamp { sec: i32::try_from(millis.div_euclid(1000)).unwrap(), nanosec }
}

/// One scanner all around, with these of its parameters; the clock is read once.
fn scanner(overrides: &[(&str, Value)]) -> Surround {
    let topic = [("sensors.scanner.topic", text("scan"))];
    let mut surround = surround(&[topic.as_slice(), overrides].concat());
    surround.handle(ms(0), Input::ClockRead(wall(START).into()));
    surround
}

/// The scaling after a free scan at `millis` with a stamp of this age.
fn scan(surround: &mut Surround, millis: u64, age: i64) -> Scaling {
    let stamp = wall(START + i64::try_from(millis).unwrap() - age);
    after(surround, ms(millis), Input::ScanReceived { sensor: 0, stamp, scan: turn(&[]) })
}

fn is_free(scaling: &Scaling) -> bool {
    scaling.fields() == [1.0; 16]
}

fn is_blocked(scaling: &Scaling) -> bool {
    scaling.fields() == [0.0; 16]
}

#[test]
fn a_scan_of_an_hour_ago_blocks_although_its_stamps_advance() {
    let mut surround = scanner(&[]);
    for round in 0..20 {
        assert!(is_blocked(&scan(&mut surround, round * 50, HOUR)));
    }
    assert_eq!(surround.condition(0), Some(Condition::Unusable(Unusable::Old { age: 3600.0, timeout: 0.5 })));
    assert_eq!((surround.counters().scans, surround.counters().unusable), (20, 20));
    let sentence = "scanner counts as blocked: it is 3600.000 s old, must be less than 'timeout', 0.5 s";
    assert_eq!(surround.health(), (Level::Error, sentence.into()));
    assert!(is_free(&scan(&mut surround, 1000, 0)), "a newer one frees at once");
}

/// The thread that reads hung for a second, while the alarm's thread published in time.
#[test]
fn a_scan_that_waited_in_a_hold_of_the_reading_thread_frees_nothing() {
    let mut surround = scanner(&[]);
    let unstamped = Input::ScanReceived { sensor: 0, stamp: Stamp::ZERO, scan: turn(&[]) };
    pass(&mut surround, 0, 1000);
    surround.read_again(ms(1000), ms(0), ms(100));
    surround.handle(ms(1000), unstamped.clone());
    assert_ne!(surround.health().0, Level::Ok, "it may be a second old");
    pass(&mut surround, 1010, 1060);
    surround.handle(ms(1060), unstamped);
    assert_eq!(surround.health().0, Level::Ok, "the queues are empty");
}

#[test]
fn a_scan_of_the_future_blocks_and_makes_no_other_one_late() {
    let mut surround = scanner(&[]);
    assert!(is_free(&scan(&mut surround, 0, -100)), "clocks are not quite the same");
    assert!(is_blocked(&scan(&mut surround, 50, -HOUR)));
    let sentence =
        "scanner counts as blocked: header.stamp is 3600.000 s ahead of the clock, must be at most 0.1 s";
    assert_eq!(surround.health(), (Level::Error, sentence.into()));
    assert!(is_free(&scan(&mut surround, 101, 0)));
}

#[test]
fn without_a_time_a_scan_with_a_stamp_blocks() {
    let mut surround = scanner(&[]);
    assert!(is_free(&scan(&mut surround, 0, 0)));
    surround.handle(ms(50), Input::ClockRead(ClockReading { stamp: wall(START + 50), is_reliable: false }));
    assert!(is_blocked(&scan(&mut surround, 60, 0)));
    let sentence = "scanner counts as blocked: header.stamp has no age, since the time is not known";
    assert_eq!(surround.health(), (Level::Error, sentence.into()));
    surround.handle(ms(70), Input::ClockRead(wall(START + 70).into()));
    assert!(is_free(&scan(&mut surround, 80, 0)));
}

#[test]
fn a_scan_counts_until_its_stamp_is_as_old_as_the_timeout() {
    let with = |timeout: f64, age: i64| {
        let mut surround = scanner(&[("sensors.scanner.timeout", Value::Float(timeout))]);
        is_free(&scan(&mut surround, 0, age))
    };
    assert!(with(1.0, 999) && !with(1.0, 1000));
    assert!(with(0.2, 199) && !with(0.2, 200));
    let mut surround = scanner(&[]);
    assert!(is_free(&scan(&mut surround, 0, 300)));
    pass(&mut surround, 0, 200);
    assert_eq!(surround.condition(0), Some(Condition::TimedOut), "300 ms by its stamp and 200 since");
}

#[test]
fn a_message_that_waited_during_a_suspension_blocks() {
    let mut surround = scanner(&[]);
    assert!(is_free(&scan(&mut surround, 0, 0)));
    let unstamped = || Input::ScanReceived { sensor: 0, stamp: Stamp::ZERO, scan: turn(&[]) };
    assert!(is_blocked(&after(&mut surround, ms(10_000), unstamped())), "ten seconds suspended");
    pass(&mut surround, 10_010, 10_060);
    assert!(is_free(&after(&mut surround, ms(10_060), unstamped())));
}

#[test]
fn without_a_stamp_the_receipt_counts() {
    let mut surround = scanner(&[]);
    let unstamped = || Input::ScanReceived { sensor: 0, stamp: Stamp::ZERO, scan: turn(&[]) };
    assert!(is_free(&after(&mut surround, ms(0), unstamped())));
    pass(&mut surround, 0, 500);
    assert_eq!(surround.condition(0), Some(Condition::TimedOut));
}

#[test]
fn an_old_cloud_blocks_its_part_and_leaves_a_way_out() {
    let mut surround = scanner(&[
        ("sensors.ahead.topic", text("points")),
        ("sensors.ahead.type", text("cloud")),
        ("sensors.ahead.z", Value::Float(0.0)),
        ("sensors.ahead.covers_from", Value::Float(-45.0)),
        ("sensors.ahead.covers_to", Value::Float(45.0)),
    ]);
    let stamped = |stamp| Input::CloudReceived { sensor: 0, stamp, cloud: at(&[[9.0, 0.0]; 50]) };
    surround.handle(ms(0), Input::ScanReceived { sensor: 1, stamp: wall(START), scan: turn(&[]) });
    let old = after(&mut surround, ms(0), stamped(wall(START - HOUR)));
    assert_eq!((of(&old, Zone::Front).0, of(&old, Zone::Back).0), (0.0, 1.0));
    assert!(is_free(&after(&mut surround, ms(10), stamped(wall(START)))));
}

#[test]
fn the_clock_goes_on_between_two_readings_and_is_followed_when_it_jumps() {
    let mut surround = scanner(&[]);
    pass(&mut surround, 0, 2000);
    let at_two = |surround: &mut Surround, stamp| {
        is_free(&after(surround, ms(2000), Input::ScanReceived { sensor: 0, stamp, scan: turn(&[]) }))
    };
    assert!(!at_two(&mut surround.clone(), wall(START + 1500)), "500 ms old");
    assert!(at_two(&mut surround.clone(), wall(START + 1501)));
    surround.handle(ms(2000), Input::ClockRead(wall(START + HOUR).into()));
    assert!(!at_two(&mut surround.clone(), wall(START + 2000)));
    assert!(at_two(&mut surround, wall(START + HOUR)));
}
