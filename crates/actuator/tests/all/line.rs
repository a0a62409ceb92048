//! A line that blocks, is slow, or is not a line: every call returns in time.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests
#![allow(clippy::disallowed_methods)] // a device behind a pseudo-terminal needs real time

use crate::common;

use std::time::Duration;

use actuator::pololu::target;
use actuator::{Actuator, Driver, Error, Kind, Settings, WRITE_LIMIT};
use common::fake::{Fake, Fault};
use common::maestro::{Maestro, NEUTRAL};
use common::{Events, LONG, calmly, feed_until, ms, now, sleep, wait};

fn targets(levels: [i16; 2]) -> [i32; 2] {
    levels.map(|level| i32::from(target(level)))
}

/// Writes until the buffers are full.
fn fill(driver: &mut dyn Driver) -> (Error, Duration) {
    for _ in 0..100_000 {
        let begin = now();
        if let Err(error) = driver.drive([66, 66]) {
            return (error, begin.elapsed());
        }
    }
    panic!("the buffers never fill");
}

#[test]
fn a_full_buffer_ends_a_write_in_time() {
    calmly(|| {
        let fake = Fake::new(Maestro::new());
        let settings = Settings { baud: 200_000, ..Settings::new(Kind::Pololu, fake.path()) };
        let mut driver = settings.open().expect("a device");
        fake.fail(Fault::ReadsNothing);
        let (error, took) = fill(driver.as_mut());
        assert!(matches!(error, Error::Blocked { of: 8, .. }), "{error}");
        assert!(took >= WRITE_LIMIT && took < WRITE_LIMIT + ms(80), "{took:?}");
        // The stop replaces the stuck levels.
        let begin = now();
        assert!(matches!(driver.stop(), Err(Error::NoAnswer { .. })));
        assert!(begin.elapsed() < ms(250), "{:?}", begin.elapsed());
        fake.fail(Fault::Nothing);
        wait("the stop", || fake.motors() == [NEUTRAL; 2]);
        sleep(ms(50));
        assert_eq!(fake.motors(), [NEUTRAL; 2]);
    });
}

#[test]
fn a_full_line_is_closed_in_time() {
    calmly(|| {
        let fake = Fake::new(Maestro::new());
        let mut driver = Settings::new(Kind::Pololu, fake.path()).open().expect("a device");
        fake.fail(Fault::ReadsNothing);
        let (error, _) = fill(driver.as_mut());
        let begin = now();
        drop(driver);
        assert!(begin.elapsed() < ms(100), "{error}, closed after {:?}", begin.elapsed());
    });
}

#[test]
fn a_missing_device_is_lost_once_and_opened_when_it_appears() {
    calmly(|| {
        let mut fake = Fake::new(Maestro::new());
        fake.unplug();
        std::fs::remove_file(fake.path()).expect("a link");
        let settings = Settings::new(Kind::Pololu, fake.path());
        let events = Events::default();
        let actuator = Actuator::open(settings, events.report()).expect("good settings");
        sleep(ms(500));
        assert_eq!(events.letters(), "L");
        assert!(matches!(events.error(), Error::Io { action: "opening it", .. }));
        fake.plug();
        feed_until(&actuator, [5, 5], "it drives", || fake.motors() == targets([5, 5]));
        assert_eq!(events.letters(), "LR");
    });
}

#[test]
fn a_late_answer_does_not_count_as_the_next_one() {
    calmly(|| {
        let fake = Fake::new(Maestro::new());
        let mut driver = Settings::new(Kind::Pololu, fake.path()).open().expect("a device");
        fake.send_unasked(&[0, 0]);
        sleep(ms(50));
        let error = driver.check().expect_err("an answer before its request");
        assert!(matches!(&error, Error::WrongAnswer { found, .. } if found == "'00 00' before the request"));
        driver.check().expect("a working device");
    });
}

#[test]
fn a_file_is_not_a_line() {
    calmly(|| {
        let folder = tempfile::tempdir().expect("a new folder");
        let path = folder.path().join("file");
        std::fs::write(&path, "").expect("a file");
        let error = Settings::new(Kind::Pololu, &path).open().err().expect("no line");
        assert!(matches!(&error, Error::Io { device, .. } if *device == path.display().to_string()));
    });
}

#[test]
fn nothing_queues_on_a_slow_line() {
    calmly(|| {
        let fake = Fake::new(Maestro::new());
        let settings = Settings { baud: 9600, ..Settings::new(Kind::Pololu, fake.path()) };
        let events = Events::default();
        let actuator = Actuator::open(settings, events.report()).expect("good settings");
        events.wait_for('R', 1);
        let (begin, before) = (now(), fake.received().len());
        // New levels every millisecond are 8000 bytes a second; the line carries 960.
        let mut level = 0;
        while begin.elapsed() < ms(1000) {
            level = (level + 1) % 60;
            actuator.drive([level, level]);
            sleep(ms(1));
        }
        actuator.drive([-66, -66]);
        let last = now();
        wait("the last level", || fake.motors() == targets([-66, -66]));
        assert!(last.elapsed() < ms(150), "the last level arrived after {:?}", last.elapsed());
        let bytes = fake.received().len() - before;
        let fits = usize::try_from(begin.elapsed().as_millis()).expect("some seconds") * 960 / 1000 + 16;
        assert!((300..=fits).contains(&bytes), "{bytes} bytes, {fits} fit");
        assert_eq!(events.letters(), "R");
    });
}

/// Prints the latency of a level; run with `--ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn latency_of_a_level() {
    let fake = Fake::new(Maestro::new());
    let events = Events::default();
    let settings = Settings::new(Kind::Pololu, fake.path());
    let actuator = Actuator::open(settings, events.report()).expect("good settings");
    events.wait_for('R', 1);
    let mut times = Vec::new();
    for number in 0..1000_i16 {
        let wanted = [number % 60, 60 - number % 60];
        let begin = now();
        actuator.drive(wanted);
        let seen = |(at, motors): &(_, [i32; 2])| *at >= begin && *motors == targets(wanted);
        while !fake.history().last().is_some_and(seen) {
            assert!(begin.elapsed() < LONG);
            sleep(Duration::from_micros(500));
        }
        times.push(fake.history().last().expect("it drives").0 - begin);
        sleep(ms(5));
    }
    times.sort();
    println!("p50 {:?}, p99 {:?}, most {:?}", times[500], times[990], times[999]);
}
