//! A Maestro behind a pseudo-terminal: its motors, and the reported events.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests
#![allow(clippy::disallowed_methods)] // a device behind a pseudo-terminal needs real time

use crate::common;

use std::time::Duration;

use actuator::pololu::target;
use actuator::{Actuator, Error, Event, Kind, Settings, Watchdog};
use common::fake::{Fake, Fault};
use common::maestro::{Maestro, NEUTRAL};
use common::{Events, SLACK, calmly, feed, feed_until, ms, now, patient, sleep, wait};

/// From full forward to lost: the next check is at most 100 ms away, and an answer has 50 ms. The rest is for a busy
/// machine.
const LOST_WITHIN: Duration = ms(600);

struct Rig {
    fake: Fake<Maestro>,
    actuator: Actuator,
    events: Events,
}

fn targets(levels: [i16; 2]) -> [i32; 2] {
    levels.map(|level| i32::from(target(level)))
}

fn settings(fake: &Fake<Maestro>) -> Settings {
    Settings::new(Kind::Pololu, fake.path())
}

fn rig_with(change: impl FnOnce(&mut Settings)) -> Rig {
    let fake = Fake::new(Maestro::new());
    let events = Events::default();
    let mut settings = settings(&fake);
    change(&mut settings);
    fake.with(|maestro| maestro.channels = settings.channels.map(usize::from));
    let actuator = Actuator::open(settings, events.report()).expect("good settings");
    Rig { fake, actuator, events }
}

/// A rig for tests of causes and orders: the Maestro has no time-out, since the test may be held.
fn patient_with(change: impl FnOnce(&mut Settings)) -> Rig {
    let fake = Fake::new(Maestro::new());
    let events = Events::default();
    let mut settings = settings(&fake);
    change(&mut settings);
    fake.with(|maestro| (maestro.channels, maestro.timeout) = (settings.channels.map(usize::from), None));
    let actuator = patient(settings, &events);
    events.wait_for('R', 1);
    Rig { fake, actuator, events }
}

/// A rig for such tests that is driving.
fn patiently_driving() -> Rig {
    let rig = patient_with(|_| {});
    feed_until(&rig.actuator, [66, -20], "it drives", || rig.fake.motors() == targets([66, -20]));
    rig
}

/// Waits until the device is lost, and returns the error.
fn is_lost(rig: &Rig) -> Error {
    feed_until(&rig.actuator, [66, -20], "it is lost", || rig.events.count('L') == 1);
    wait("the motors to stop", || rig.fake.motors() == [NEUTRAL; 2]);
    rig.events.error()
}

/// A rig that is driving, with the limits of a device in use.
fn driving() -> Rig {
    let rig = rig_with(|_| {});
    rig.events.wait_for('R', 1);
    feed_until(&rig.actuator, [66, -20], "it drives", || rig.fake.motors() == targets([66, -20]));
    rig
}

/// Gives levels until the device is lost, and returns the error.
fn loses(rig: &Rig) -> Error {
    let begin = now();
    feed_until(&rig.actuator, [66, -20], "it is lost", || rig.events.count('L') == 1);
    assert!(begin.elapsed() < LOST_WITHIN, "lost after {:?}", begin.elapsed());
    rig.events.error()
}

/// Checks that the motors stop within `limit`, by our stop or by the Maestro's own time-out.
fn stops_within(rig: &Rig, limit: Duration) {
    let begin = now();
    wait("the motors to stop", || rig.fake.motors() == [NEUTRAL; 2]);
    assert!(begin.elapsed() < limit, "stopped after {:?}", begin.elapsed());
}

#[test]
fn levels_become_pulses() {
    let rig = patiently_driving();
    for levels in [[66, 66], [-66, 66], [1, -1], [0, 0], [i16::MAX, i16::MIN]] {
        feed_until(&rig.actuator, levels, "it drives", || rig.fake.motors() == targets(levels));
    }
    assert_eq!((rig.events.letters().as_str(), rig.fake.with(|maestro| maestro.errors)), ("R", 0));
}

#[test]
fn channels_and_signs_are_those_of_the_settings() {
    let rig = patient_with(|settings| (settings.channels, settings.invert) = ([7, 3], [false, true]));
    feed_until(&rig.actuator, [40, 20], "it drives", || rig.fake.motors() == targets([40, -20]));
    assert_eq!(rig.fake.with(|maestro| [maestro.targets[7], maestro.targets[3]]), targets([40, -20]));
}

#[test]
fn its_own_time_out_is_detected_at_opening() {
    calmly(|| {
        let rig = driving();
        let ready = rig.events.all().remove(0);
        let Event::Ready { description, watchdog } = ready else { panic!("{ready:?}") };
        assert_eq!(watchdog, Watchdog::Seen(ms(200)));
        assert!(description.starts_with("Pololu Maestro on '") && description.ends_with("channels 0 and 1"));
    });
}

#[test]
fn a_missing_time_out_is_reported_at_opening() {
    let fake = Fake::new(Maestro::new());
    fake.with(|maestro| maestro.timeout = None);
    let events = Events::default();
    let _actuator = patient(settings(&fake), &events);
    events.wait_for('R', 1);
    assert!(matches!(events.all()[0], Event::Ready { watchdog: Watchdog::NotSeen(_), .. }));
}

#[test]
fn after_opening_only_stop_is_sent_and_no_old_levels() {
    let fake = Fake::new(Maestro::new());
    let events = Events::default();
    // A process was killed at full speed, in the middle of a packet.
    fake.with(|maestro| {
        maestro.targets = [i32::from(target(66)); 24];
        maestro.timeout = None;
        common::fake::Model::receive(maestro, 0x84, now());
    });
    let actuator = patient(settings(&fake), &events);
    actuator.drive([66, 66]);
    events.wait_for('R', 1);
    // Two repeats and a check of it.
    let before = fake.received().len();
    wait("a stop and a check", || fake.received().len() >= before + 20);
    assert_eq!(fake.motors(), [NEUTRAL; 2]);
    let first: Vec<u8> = fake.received().iter().map(|(_, byte)| *byte).take(8).collect();
    assert_eq!(first, [0x84, 0, 0x00, 0x2E, 0x84, 1, 0x00, 0x2E]);
    // Only stop, 0x84, channel, 0x00, 0x2E, and the queries 0xA1 and 0x90.
    assert!(fake.received().iter().all(|(_, byte)| [0x84, 0, 1, 0x2E, 0xA1, 0x90].contains(byte)));
}

#[test]
fn silence_stops_and_after_a_stop_levels_drive_again() {
    calmly(|| {
        let rig = driving();
        let last = now();
        rig.events.wait_for('S', 1);
        let after = rig.events.when(1) - last;
        assert!((ms(230)..ms(500)).contains(&after), "silent after {after:?}");
        assert_eq!(rig.fake.motors(), [NEUTRAL; 2]);
        sleep(ms(500));
        // Stop is repeated meanwhile, so the Maestro's own time-out of 200 ms has not expired.
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("RS", [NEUTRAL; 2]));
        rig.actuator.drive([0, 0]);
        rig.events.wait_for('F', 1);
        feed_until(&rig.actuator, [10, 10], "it drives", || rig.fake.motors() == targets([10, 10]));
        assert_eq!(rig.events.letters(), "RSF");
    });
}

#[test]
fn closing_stops_the_motors() {
    calmly(|| {
        let rig = driving();
        let begin = now();
        assert!(rig.actuator.close());
        assert!(begin.elapsed() < ms(500), "closed after {:?}", begin.elapsed());
        assert_eq!((rig.fake.motors(), rig.events.letters().as_str()), ([NEUTRAL; 2], "R"));
    });
}

#[test]
fn a_mute_device_is_lost_and_stopped() {
    calmly(|| {
        let rig = driving();
        rig.fake.fail(Fault::Mute);
        assert!(matches!(loses(&rig), Error::NoAnswer { wanted: 2, ref found, .. } if found.is_empty()));
        stops_within(&rig, ms(300));
        rig.fake.fail(Fault::Nothing);
        rig.events.wait_for('R', 2);
        feed_until(&rig.actuator, [5, 5], "it drives again", || rig.fake.motors() == targets([5, 5]));
        assert_eq!(rig.events.count('L'), 1);
    });
}

#[test]
fn a_wrong_answer_is_a_loss_that_quotes_it() {
    let rig = patiently_driving();
    rig.fake.fail(Fault::Garbage);
    let error = is_lost(&rig);
    // 0x5A5A has bits 1, 3, 4, 6, 9 and others.
    assert!(matches!(error, Error::DeviceFault { bits: 0x5A5A, .. }), "{error}");
    assert!(error.to_string().contains("serial overrun"));
}

#[test]
fn half_an_answer_is_a_loss() {
    calmly(|| {
        let rig = driving();
        rig.fake.fail(Fault::Short);
        assert!(matches!(loses(&rig), Error::NoAnswer { found, wanted: 2, .. } if found.len() == 1));
        stops_within(&rig, ms(300));
    });
}

#[test]
fn an_echo_is_not_an_answer() {
    calmly(|| {
        let rig = driving();
        rig.fake.fail(Fault::Echo);
        let error = loses(&rig);
        assert!(matches!(
            error,
            Error::WrongAnswer { .. } | Error::NoAnswer { .. } | Error::DeviceFault { .. }
        ));
        stops_within(&rig, ms(300));
        sleep(ms(300));
        assert_eq!(rig.events.letters(), "RL", "an echo counts as a device");
    });
}

#[test]
fn a_slow_answer_is_accepted_until_its_limit() {
    calmly(|| {
        let rig = driving();
        // Two bytes in 10 ms, then in 100 ms.
        rig.fake.fail(Fault::Dribble(ms(5)));
        feed(&rig.actuator, [66, -20], ms(500));
        assert_eq!(rig.events.letters(), "R");
        rig.fake.fail(Fault::Dribble(ms(50)));
        assert!(matches!(loses(&rig), Error::NoAnswer { .. }));
        rig.fake.fail(Fault::Nothing);
        stops_within(&rig, ms(500));
    });
}

#[test]
fn a_device_that_does_not_read_is_lost_and_does_not_hang_the_thread() {
    calmly(|| {
        let rig = driving();
        rig.fake.fail(Fault::ReadsNothing);
        loses(&rig);
        // Our stop cannot reach it; its own time-out has to.
        stops_within(&rig, ms(400));
        rig.fake.fail(Fault::Nothing);
        rig.events.wait_for('R', 2);
        assert_eq!(rig.fake.motors(), [NEUTRAL; 2], "the stuck bytes were sent");
        rig.fake.fail(Fault::ReadsNothing);
        let begin = now();
        rig.actuator.close();
        assert!(begin.elapsed() < ms(1000), "closed after {:?}", begin.elapsed());
    });
}

#[test]
fn a_device_that_is_unplugged_is_lost_and_reopened() {
    calmly(|| {
        let mut rig = driving();
        rig.fake.unplug();
        assert!(matches!(loses(&rig), Error::Io { .. }));
        feed(&rig.actuator, [66, 66], ms(400));
        rig.fake.with(|maestro| *maestro = Maestro::new());
        rig.fake.plug();
        let before = rig.fake.received().len();
        rig.events.wait_for('R', 2);
        let first: Vec<u8> = rig.fake.received()[before..].iter().map(|(_, byte)| *byte).take(4).collect();
        assert_eq!(first, [0x84, 0, 0x00, 0x2E]);
        feed_until(&rig.actuator, [5, 5], "it drives again", || rig.fake.motors() == targets([5, 5]));
        assert_eq!(rig.events.letters(), "RLR");
    });
}

#[test]
fn its_errors_are_named() {
    for (bit, name) in [(5, "serial timeout"), (4, "serial protocol error"), (12, "bit 12")] {
        let rig = patiently_driving();
        rig.fake.with(|maestro| maestro.fail(1 << bit));
        let error = is_lost(&rig);
        assert!(matches!(&error, Error::DeviceFault { names, .. } if names == name), "{error}");
        rig.events.wait_for('R', 2);
    }
}

#[test]
fn a_device_that_was_reset_is_lost_and_not_driven_on() {
    // "Go to" stop, "Off"; either motor forward.
    for (home, levels) in [(NEUTRAL, [66, -20]), (0, [66, 20]), (NEUTRAL, [-66, -20]), (0, [-66, 20])] {
        let rig = patient_with(|settings| settings.invert = [false, true]);
        let [port, starboard] = levels;
        let turning = targets([port, -starboard]);
        feed_until(&rig.actuator, levels, "it drives", || rig.fake.motors() == turning);
        feed(&rig.actuator, levels, ms(100));
        rig.fake.with(|maestro| maestro.browns_out = Some(home));
        feed_until(&rig.actuator, levels, "it is lost", || rig.events.count('L') == 1);
        let text = rig.events.error().to_string();
        assert!(text.contains(&format!("looking for a reset: the answer is {home} quarter us")), "{text}");
        let turned = rig.fake.history().into_iter().filter(|&(_, motors)| motors == turning).count();
        assert_eq!(turned, 1, "it turned again after its reset");
    }
}

#[test]
fn a_device_that_goes_elsewhere_than_to_stop_by_itself_is_not_opened() {
    calmly(|| {
        let fake = Fake::new(Maestro::new());
        fake.with(|maestro| maestro.home = 6000);
        let error = settings(&fake).open().err().map(|error| error.to_string());
        let wanted = "reading its startup positions: the answer is 6000 quarter us on channel 0, not 5888";
        assert!(error.as_ref().is_some_and(|text| text.ends_with(wanted)), "{error:?}");
    });
}

#[test]
fn a_device_belongs_to_one_actuator() {
    let rig = patiently_driving();
    let events = Events::default();
    let settings = settings(&rig.fake);
    let second = patient(settings, &events);
    events.wait_for('L', 1);
    assert!(matches!(events.error(), Error::Busy { .. }));
    feed_until(&rig.actuator, [10, -20], "it drives on", || rig.fake.motors() == targets([10, -20]));
    assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("R", targets([10, -20])));
    assert!(rig.actuator.close());
    events.wait_for('R', 1);
    drop(second);
}

#[test]
fn a_device_that_does_not_answer_is_reported_before_it_is_stopped() {
    for round in 0..10 {
        calmly(|| {
            let rig = driving();
            // Each round has another phase relative to the repeat of 50 ms and the check of 100 ms.
            feed(&rig.actuator, [66, -20], ms(10 + 11 * round));
            rig.fake.fail(Fault::Mute);
            loses(&rig);
            let took = rig.events.when(1) - rig.fake.answered();
            // The next check is at most 100 ms away, and its answer has 50 ms.
            assert!(took < ms(100 + 50) + SLACK, "reported after {took:?}");
        });
    }
}
