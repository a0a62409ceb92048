//! A RoboClaw behind a pseudo-terminal: its motors, and the reported events.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests
#![allow(clippy::disallowed_methods)] // a device behind a pseudo-terminal needs real time

use crate::common;

use std::time::Duration;

use actuator::level::duty;
use actuator::{Actuator, Error, Event, Kind, Settings, Watchdog};
use common::fake::{Fake, Fault};
use common::roboclaw::RoboClaw;
use common::{Events, SLACK, calmly, feed, feed_until, ms, now, patient, sleep, wait};

/// From full forward to lost: two attempts of 50 ms and a pause, the next level 50 ms away. The rest is for a busy machine.
const LOST_WITHIN: Duration = ms(600);

struct Rig {
    fake: Fake<RoboClaw>,
    actuator: Actuator,
    events: Events,
}

fn duties(levels: [i16; 2]) -> [i32; 2] {
    levels.map(|level| i32::from(duty(level)))
}

fn rig_with(change: impl FnOnce(&mut Settings), prepare: impl FnOnce(&mut RoboClaw)) -> Rig {
    let fake = Fake::new(RoboClaw::new());
    fake.with(prepare);
    let mut settings = Settings::new(Kind::RoboClaw, fake.path());
    change(&mut settings);
    let events = Events::default();
    let actuator = Actuator::open(settings, events.report()).expect("good settings");
    Rig { fake, actuator, events }
}

/// A rig for tests of causes and orders: neither the device nor the test has to be in time.
fn patient_with(change: impl FnOnce(&mut Settings), prepare: impl FnOnce(&mut RoboClaw)) -> Rig {
    let fake = Fake::new(RoboClaw::new());
    fake.with(prepare);
    fake.with(|claw| claw.has_watchdog = false);
    let mut settings = Settings::new(Kind::RoboClaw, fake.path());
    change(&mut settings);
    let events = Events::default();
    let actuator = patient(settings, &events);
    Rig { fake, actuator, events }
}

fn patiently_driving() -> Rig {
    let rig = patient_with(|_| {}, |_| {});
    rig.events.wait_for('R', 1);
    feed_until(&rig.actuator, [66, -20], "it drives", || rig.fake.motors() == duties([66, -20]));
    rig
}

/// Waits until the device is lost, and its motors are stopped by the last stop; returns the error.
fn is_lost(rig: &Rig) -> Error {
    feed_until(&rig.actuator, [66, -20], "it is lost", || rig.events.count('L') == 1);
    wait("the motors to stop", || rig.fake.motors() == [0, 0]);
    rig.events.error()
}

fn driving() -> Rig {
    let rig = rig_with(|_| {}, |_| {});
    rig.events.wait_for('R', 1);
    feed_until(&rig.actuator, [66, -20], "it drives", || rig.fake.motors() == duties([66, -20]));
    rig
}

/// Gives levels until the device is lost and its motors stop; returns the error.
fn loses(rig: &Rig) -> Error {
    let begin = now();
    feed_until(&rig.actuator, [66, -20], "it is lost", || rig.events.count('L') == 1);
    assert!(begin.elapsed() < LOST_WITHIN, "lost after {:?}", begin.elapsed());
    // By our last stop, or by its own time-out of 200 ms.
    wait("the motors to stop", || rig.fake.motors() == [0, 0]);
    assert!(begin.elapsed() < LOST_WITHIN + ms(300), "stopped after {:?}", begin.elapsed());
    rig.events.error()
}

#[test]
fn levels_become_duties() {
    let rig = patiently_driving();
    for levels in [[66, 66], [-66, 66], [1, -1], [0, 0], [i16::MAX, i16::MIN]] {
        feed_until(&rig.actuator, levels, "it drives", || rig.fake.motors() == duties(levels));
    }
    assert_eq!((rig.events.letters().as_str(), rig.fake.with(|claw| claw.refused)), ("R", 0));
}

#[test]
fn motors_signs_and_address_are_those_of_the_settings() {
    let change = |settings: &mut Settings| {
        (settings.channels, settings.invert, settings.address) = ([2, 1], [true, false], 0x87);
    };
    let rig = patient_with(change, |claw| claw.address = 0x87);
    rig.events.wait_for('R', 1);
    // Port is motor 2 and inverted: 40 becomes -40.
    feed_until(&rig.actuator, [40, 20], "it drives", || rig.fake.motors() == duties([20, -40]));
}

#[test]
fn its_time_out_is_set_and_its_version_reported() {
    let rig = patient_with(|settings| settings.watchdog = ms(300), |_| {});
    rig.events.wait_for('R', 1);
    assert_eq!(rig.fake.with(|claw| claw.timeout), 3);
    let ready = rig.events.all().remove(0);
    let Event::Ready { description, watchdog } = ready else { panic!("{ready:?}") };
    assert_eq!(watchdog, Watchdog::Set(ms(300)));
    assert!(description.starts_with("USB Roboclaw 2x7a v4.1.34 on '"), "{description}");
    assert!(description.ends_with("address 0x80"), "{description}");
}

#[test]
fn after_opening_only_stop_is_sent_and_no_old_levels() {
    let fake = Fake::new(RoboClaw::running([32_767, 32_767]));
    let settings = Settings::new(Kind::RoboClaw, fake.path());
    let events = Events::default();
    let actuator = patient(settings, &events);
    actuator.drive([66, 66]);
    events.wait_for('R', 1);
    let before = fake.received().len();
    wait("a stop and a check", || fake.received().len() >= before + 20);
    assert_eq!(fake.history().iter().map(|(_, motors)| *motors).collect::<Vec<_>>(), [[32_767; 2], [0; 2]]);
    let first: Vec<u8> = fake.received().iter().map(|(_, byte)| *byte).take(6).collect();
    assert_eq!(first, [0x80, 34, 0, 0, 0, 0]);
}

#[test]
fn a_device_that_does_not_accept_its_time_out_is_lost() {
    let rig = patient_with(|_| {}, |claw| claw.pretended_timeout = Some(0));
    rig.events.wait_for('L', 1);
    let text = rig.events.error().to_string();
    assert!(text.ends_with("reading its time-out: the answer is 0 ms, not 200 ms"), "{text}");
}

#[test]
fn a_device_that_lost_its_time_out_is_lost_and_configured_again() {
    let rig = patiently_driving();
    // As after a short loss of power.
    rig.fake.with(|claw| claw.timeout = 0);
    assert!(matches!(is_lost(&rig), Error::WrongAnswer { .. }));
    rig.events.wait_for('R', 2);
    assert_eq!(rig.fake.with(|claw| claw.timeout), 2);
}

#[test]
fn a_device_that_was_reset_is_lost_and_not_driven_on() {
    for levels in [[66, -20], [0, 30], [-30, 0]] {
        let rig = patient_with(|_| {}, |_| {});
        rig.events.wait_for('R', 1);
        feed_until(&rig.actuator, levels, "it drives", || rig.fake.motors() == duties(levels));
        feed(&rig.actuator, levels, ms(100));
        rig.fake.with(|claw| claw.browns_out = true);
        feed_until(&rig.actuator, levels, "it is lost", || rig.events.count('L') == 1);
        let text = rig.events.error().to_string();
        assert!(text.ends_with("looking for a reset: the answer is a duty of 0, not as driven"), "{text}");
        assert_eq!(rig.fake.motors(), [0, 0]);
        rig.events.wait_for('R', 2);
        feed_until(&rig.actuator, levels, "it drives again", || rig.fake.motors() == duties(levels));
    }
}

#[test]
fn silence_stops_and_after_a_stop_levels_drive_again() {
    calmly(|| {
        let rig = driving();
        let last = now();
        rig.events.wait_for('S', 1);
        let after = rig.events.when(1) - last;
        assert!((ms(230)..ms(500)).contains(&after), "silent after {after:?}");
        assert_eq!(rig.fake.motors(), [0, 0]);
        sleep(ms(300));
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("RS", [0, 0]));
        rig.actuator.drive([0, 0]);
        rig.events.wait_for('F', 1);
        feed_until(&rig.actuator, [10, 10], "it drives", || rig.fake.motors() == duties([10, 10]));
    });
}

#[test]
fn closing_stops_the_motors() {
    calmly(|| {
        let rig = driving();
        assert!(rig.actuator.close());
        assert_eq!((rig.fake.motors(), rig.events.letters().as_str()), ([0, 0], "R"));
    });
}

#[test]
fn after_one_wrong_answer_the_exchange_is_repeated() {
    calmly(|| {
        let rig = driving();
        for _ in 0..5 {
            rig.fake.fail(Fault::FlippedOnce);
            feed(&rig.actuator, [66, -20], ms(100));
        }
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("R", duties([66, -20])));
    });
}

#[test]
fn between_two_attempts_it_has_time_to_discard_half_a_packet() {
    calmly(|| {
        let fake = Fake::new(RoboClaw::new());
        let mut driver = Settings::new(Kind::RoboClaw, fake.path()).open().expect("a device");
        let before = fake.received().len();
        fake.fail(Fault::FlippedOnce);
        assert!(driver.drive([1, 1]).is_err() && driver.may_repeat());
        driver.drive([1, 1]).expect("the second attempt");
        let bytes = fake.received().split_off(before);
        assert_eq!(bytes.len(), 16, "two packets");
        // The manual requires more than 10 ms.
        assert!(bytes[8].0 - bytes[7].0 > ms(10), "{:?}", bytes[8].0 - bytes[7].0);
    });
}

#[test]
fn wrong_answers_are_losses_that_quote_them() {
    for fault in [Fault::Flipped, Fault::Garbage, Fault::Echo, Fault::Tail, Fault::Babble] {
        let rig = patiently_driving();
        rig.fake.fail(fault);
        let error = is_lost(&rig);
        // An acknowledgement or a signed answer may be first.
        assert!(matches!(error, Error::WrongAnswer { .. } | Error::NoAnswer { .. }), "{fault:?}: {error}");
        rig.fake.fail(Fault::Nothing);
        rig.events.wait_for('R', 2);
        assert_eq!(rig.fake.motors(), [0, 0], "{fault:?}");
        feed_until(&rig.actuator, [5, 5], "it drives again", || rig.fake.motors() == duties([5, 5]));
    }
}

#[test]
fn every_call_is_confirmed() {
    calmly(|| {
        let fake = Fake::new(RoboClaw::new());
        let mut driver = Settings::new(Kind::RoboClaw, fake.path()).open().expect("a device");
        // Twice, since a check reads the status and the time-out alternately.
        let mut calls = |fine: bool| {
            let outcomes = [driver.drive([1, 1]), driver.stop(), driver.check(), driver.check()];
            for outcome in outcomes {
                assert!(outcome.is_ok() == fine, "{outcome:?}");
                assert!(fine || matches!(outcome, Err(Error::WrongAnswer { .. })), "{outcome:?}");
            }
        };
        calls(true);
        fake.fail(Fault::Flipped);
        calls(false);
        fake.fail(Fault::Nothing);
        calls(true);
        // An answer to an earlier request does not count.
        fake.send_unasked(&[0xFF; 9]);
        sleep(ms(50));
        calls(true);
    });
}

#[test]
fn missing_and_short_answers_are_losses() {
    calmly(|| {
        for fault in [Fault::Mute, Fault::Short, Fault::ReadsNothing, Fault::Dribble(ms(80))] {
            let rig = driving();
            rig.fake.fail(fault);
            let error = loses(&rig);
            assert!(matches!(error, Error::NoAnswer { .. }), "{fault:?}: {error}");
            rig.fake.fail(Fault::Nothing);
            rig.events.wait_for('R', 2);
            assert_eq!(rig.events.count('L'), 1);
        }
    });
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
            // The next level is at most 50 ms away. A check just before it, the level and its repetition wait 50 ms each for
            // an answer; a pause of 12 ms precedes the second and the third.
            assert!(took < ms(50 + 3 * 50 + 2 * 12) + SLACK, "reported after {took:?}");
        });
    }
}

#[test]
fn slow_answers_are_accepted() {
    calmly(|| {
        let rig = driving();
        // Six bytes of a status in 24 ms.
        rig.fake.fail(Fault::Dribble(ms(4)));
        feed(&rig.actuator, [66, -20], ms(500));
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("R", duties([66, -20])));
    });
}

#[test]
fn a_device_that_is_unplugged_stops_by_itself_and_is_found_again() {
    calmly(|| {
        let mut rig = driving();
        rig.fake.unplug();
        let begin = now();
        feed_until(&rig.actuator, [66, -20], "it is lost", || rig.events.count('L') == 1);
        assert!(begin.elapsed() < LOST_WITHIN);
        rig.fake.plug();
        rig.events.wait_for('R', 2);
        assert_eq!(rig.fake.motors(), [0, 0]);
        feed_until(&rig.actuator, [5, 5], "it drives again", || rig.fake.motors() == duties([5, 5]));
        assert_eq!(rig.events.letters(), "RLR");
    });
}

#[test]
fn its_errors_are_named_and_its_warnings_are_not_errors() {
    for (wide, status, name) in
        [(true, 0x41, "e-stop, M1 driver fault"), (false, 0x0204, "e-stop, M2 driver fault")]
    {
        let rig = patient_with(|_| {}, |claw| claw.wide = wide);
        rig.events.wait_for('R', 1);
        // Over-current of motor 1: a warning.
        rig.fake.with(|claw| claw.status = if wide { 0x1_0000 } else { 0x1 });
        feed(&rig.actuator, [66, -20], ms(400));
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("R", duties([66, -20])));
        rig.fake.with(|claw| claw.status = status);
        let error = is_lost(&rig);
        assert!(matches!(&error, Error::DeviceFault { names, bits, .. } if names == name && *bits == status));
        // It stays lost while its e-stop is pressed.
        feed(&rig.actuator, [66, -20], ms(500));
        assert_eq!((rig.events.letters().as_str(), rig.fake.motors()), ("RL", [0, 0]));
        rig.fake.with(|claw| claw.status = 0);
        rig.events.wait_for('R', 2);
    }
}

#[test]
fn a_stop_waits_for_at_most_one_unanswered_exchange() {
    calmly(|| {
        let mut longest = Duration::ZERO;
        for round in 0..20 {
            let rig = driving();
            rig.fake.fail(Fault::Mute); // obeys without answering
            // Each round has another phase relative to the repeat of 50 ms and the check of 100 ms.
            feed(&rig.actuator, [66, -20], ms(5 * round % 100));
            let begin = now();
            rig.actuator.drive([0, 0]);
            wait("the motors to stop", || rig.fake.motors() == [0, 0]);
            longest = longest.max(begin.elapsed());
        }
        // An exchange of 71 ms and a pause of 12 ms; the rest is for a busy machine.
        assert!(longest < ms(110), "{longest:?}");
    });
}

#[test]
fn unanswered_checks_do_not_let_the_devices_time_out_expire() {
    calmly(|| {
        let rig = driving();
        let begin = rig.fake.history().len();
        for _ in 0..5 {
            rig.fake.fail(Fault::MuteStatusOnce);
            // The check and its repetition, 240 ms at most.
            feed(&rig.actuator, [66, -20], ms(400));
        }
        let stood = rig.fake.history().split_off(begin).into_iter().any(|(_, motors)| motors == [0, 0]);
        assert!(!stood && rig.events.letters() == "R", "its time-out of 200 ms expired");
    });
}
