//! The thread with drivers in memory: what it sends, and its reaction to failures, panics and hangs.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests
#![allow(clippy::disallowed_methods)] // the thread needs real time

use crate::common;

use actuator::{Actuator, Error, Event, Timing, Watchdog};
use common::memory::{Call, Device, Does, Matches};
use common::{Events, calmly, feed, feed_until, ms, now, sleep, wait};

fn timing() -> Timing {
    Timing { reopen: ms(50), ..Timing::default() }
}

fn started() -> (Device, Actuator, Events) {
    let (device, events) = (Device::default(), Events::default());
    let actuator = device.start(timing(), events.report());
    events.wait_for('R', 1);
    (device, actuator, events)
}

const FORWARD: [i16; 2] = [66, 66];

fn is_drive(call: Call) -> bool {
    matches!(call, Call::Drive(_))
}

#[test]
fn only_stop_is_sent_before_a_level_is_given() {
    calmly(|| {
        let (device, actuator, events) = started();
        sleep(ms(400));
        assert!(device.calls().iter().all(|call| matches!(call, Call::Open | Call::Stop | Call::Check)));
        assert_eq!(&device.calls()[..2], [Call::Open, Call::Stop]);
        assert_eq!(events.letters(), "RS");
        assert_eq!(
            events.all()[0],
            Event::Ready { description: "memory".into(), watchdog: Watchdog::Absent }
        );
        assert!(actuator.alive());
    });
}

#[test]
fn levels_that_were_given_while_it_opened_are_not_sent() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        device.when(|call| call == Call::Open, Does::Take(ms(60)));
        let actuator = device.start(timing(), events.report());
        feed(&actuator, FORWARD, ms(40));
        events.wait_for('R', 1);
        sleep(ms(80));
        assert!(!device.calls().iter().copied().any(is_drive));
        actuator.drive(FORWARD);
        wait("the level", || device.calls().contains(&Call::Drive(FORWARD)));
    });
}

#[test]
fn a_level_is_sent_at_once_and_limited() {
    calmly(|| {
        let (device, actuator, _) = started();
        let before = now();
        actuator.drive([i16::MIN, 67]);
        wait("the level", || device.calls().contains(&Call::Drive([-66, 66])));
        assert!(before.elapsed() < ms(40), "{:?}", before.elapsed());
    });
}

#[test]
fn the_newest_levels_win() {
    calmly(|| {
        let (device, actuator, _) = started();
        device.when(is_drive, Does::Take(ms(30)));
        for level in 1..=60 {
            actuator.drive([level, level]);
            sleep(ms(1));
        }
        wait("the last level", || device.last() == Some(Call::Drive([60, 60])));
        let sent = device.calls().into_iter().filter(|call| is_drive(*call)).count();
        assert!(sent <= 5, "{sent} of 60 were sent, at 30 ms each");
    });
}

#[test]
fn levels_are_repeated_and_the_device_is_checked() {
    calmly(|| {
        let (device, actuator, _) = started();
        feed(&actuator, FORWARD, ms(1000));
        let count = |wanted: Call| device.calls().into_iter().filter(|call| *call == wanted).count();
        // In a second: 20 repetitions at 50 ms, 10 checks at 100 ms. Fewer on a busy machine, never many more.
        let (drives, checks) = (count(Call::Drive(FORWARD)), count(Call::Check));
        assert!((10..=24).contains(&drives) && (5..=12).contains(&checks), "{drives} {checks}");
    });
}

#[test]
fn silence_stops_within_its_time_and_stays_stopped() {
    calmly(|| {
        let (device, actuator, events) = started();
        feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
        let last = now();
        wait("the stop", || device.last() == Some(Call::Stop));
        assert!((ms(230)..ms(450)).contains(&last.elapsed()), "{:?}", last.elapsed());
        let stopped = device.calls().len();
        sleep(ms(300));
        let after = device.calls().split_off(stopped);
        assert!(after.len() >= 4 && !after.into_iter().any(is_drive), "stop is repeated");
        actuator.drive([0, 0]);
        events.wait_for('F', 1);
        assert_eq!(events.letters(), "RSF");
    });
}

#[test]
fn after_silence_nothing_drives_before_a_stop_was_given() {
    calmly(|| {
        let (device, actuator, events) = started();
        feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
        events.wait_for('S', 1);
        let silent = device.calls().len();
        // A thread that was suspended for a while continues with its old level.
        for levels in [FORWARD, [1, 0], [0, -1]] {
            feed(&actuator, levels, ms(100));
        }
        assert!(!device.calls().split_off(silent).into_iter().any(is_drive), "{:?}", device.calls());
        assert_eq!(events.letters(), "RS");
        actuator.drive([0, 0]);
        events.wait_for('F', 1);
        feed_until(&actuator, FORWARD, "it drives again", || device.last() == Some(Call::Drive(FORWARD)));
    });
}

#[test]
fn silence_is_detected_in_time_with_long_intervals_of_repeat_and_check() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        let timing = Timing {
            silence: ms(100),
            repeat: ms(60_000),
            check: ms(60_000),
            reopen: ms(60_000),
            ..timing()
        };
        let actuator = device.start(timing, events.report());
        events.wait_for('S', 1);
        actuator.drive([0, 0]);
        let begin = now();
        events.wait_for('S', 2);
        assert!((ms(100)..ms(300)).contains(&begin.elapsed()), "{:?}", begin.elapsed());
        assert_eq!((device.last(), events.letters().as_str()), (Some(Call::Stop), "RSFS"));
    });
}

/// A device with this gap [ms] and no other time-out, so that its tests need no calm computer.
fn started_with_gap(gap: u64) -> (Device, Actuator, Events) {
    let (device, events) = (Device::default(), Events::default());
    let timing = Timing { gap: ms(gap), ..common::PATIENT };
    let actuator = device.start(timing, events.report());
    events.wait_for('R', 1);
    (device, actuator, events)
}

#[test]
fn a_device_that_may_have_stopped_by_itself_is_driven_again_only_after_a_stop() {
    // The thread was held in a call that sets the levels, or in another one: its device received no levels meanwhile.
    for held in [is_drive as Matches, |call| call == Call::Check] {
        let (device, actuator, events) = started_with_gap(500);
        feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
        device.when(held, Does::Take(ms(600)));
        feed_until(&actuator, FORWARD, "it is interrupted", || events.count('I') == 1);
        device.when(|_| true, Does::Work);
        let stopped = device.calls().len();
        feed(&actuator, FORWARD, ms(300));
        assert!(!device.calls().split_off(stopped).into_iter().any(is_drive), "{:?}", device.calls());
        assert_eq!(
            (events.letters().as_str(), device.last()),
            ("RI", Some(Call::Stop)),
            "no loss, no silence"
        );
        actuator.drive([0, 0]);
        events.wait_for('F', 1);
        feed_until(&actuator, FORWARD, "it drives again", || device.last() == Some(Call::Drive(FORWARD)));
    }
}

#[test]
fn a_device_at_stop_is_not_interrupted() {
    let (device, actuator, events) = started_with_gap(50);
    device.when(|call| call == Call::Check, Does::Take(ms(100)));
    feed(&actuator, [0, 0], ms(500));
    assert!(device.calls().into_iter().filter(|&call| call == Call::Check).count() > 1);
    assert_eq!(events.letters(), "R");
}

/// The calls from the first drive on, where a stop is given during the call `first`; each takes 100 ms.
fn calls_around_a_stop(first: Does, timing: Timing) -> Vec<Call> {
    let (device, events) = (Device::default(), Events::default());
    let actuator = device.start(timing, events.report());
    events.wait_for('R', 1);
    device.when(is_drive, first);
    let before = device.calls().len();
    actuator.drive(FORWARD);
    wait("the call has begun", || {
        device.calls().len() > before && device.last() == Some(Call::Drive(FORWARD))
    });
    device.when(|_| true, Does::Take(ms(100)));
    actuator.drive([0, 0]);
    wait("the stop", || device.last() == Some(Call::Drive([0, 0])));
    device.calls().split_off(before).into_iter().skip_while(|call| !is_drive(*call)).collect()
}

#[test]
fn a_stop_waits_for_the_present_exchange_and_no_other() {
    calmly(|| {
        let stop = [Call::Drive(FORWARD), Call::Drive([0, 0])];
        // Neither for a repetition after a missing answer, nor for an overdue check.
        assert_eq!(calls_around_a_stop(Does::Miss(ms(100)), timing()), stop);
        let overdue = Timing { check: ms(20), ..timing() };
        assert_eq!(calls_around_a_stop(Does::Take(ms(100)), overdue), stop);
    });
}

#[test]
fn each_level_but_stop_follows_the_answer_that_the_device_still_drives() {
    let (device, actuator, _) = started_with_gap(600_000);
    feed_until(&actuator, [66, -5], "it drives", || device.last() == Some(Call::Drive([66, -5])));
    feed(&actuator, [66, -5], ms(100));
    let before = device.calls().len();
    for level in 1..=20 {
        feed(&actuator, [level, -level], ms(20));
    }
    let calls = device.calls().split_off(before);
    let asked = calls.windows(2).filter(|pair| is_drive(pair[1])).map(|pair| pair[0]);
    assert!(asked.clone().count() >= 10);
    assert!(asked.clone().all(|call| call == Call::Confirm([1, -1])), "{calls:?}");
    // A stop that is given during the question comes next.
    device.when(|call| call == Call::Confirm([1, -1]), Does::Take(ms(200)));
    feed_until(&actuator, FORWARD, "it is asked", || device.calls().ends_with(&[Call::Confirm([1, -1])]));
    let before = device.calls().len();
    actuator.drive([0, 0]);
    wait("the stop", || device.last() == Some(Call::Drive([0, 0])));
    assert_eq!(device.calls()[before], Call::Drive([0, 0]));
}

#[test]
fn after_a_missing_answer_the_newest_level_is_sent_once_more() {
    calmly(|| {
        let (device, actuator, events) = started();
        device.when(is_drive, Does::Miss(ms(10)));
        feed_until(&actuator, FORWARD, "it is lost", || events.count('L') == 1);
        let drives = device.calls().into_iter().filter(|call| is_drive(*call)).count();
        assert_eq!(drives, 2);
    });
}

#[test]
fn every_loss_is_reported() {
    calmly(|| {
        let (device, actuator, events) = started();
        for losses in 1..=3 {
            device.when(|call| call == Call::Check, Does::Fail);
            feed_until(&actuator, FORWARD, "it is lost", || events.count('L') == losses);
            device.when(|_| true, Does::Work);
            events.wait_for('R', losses + 1);
        }
        assert_eq!(events.letters(), "RLRLRLR");
    });
}

#[test]
fn an_error_stops_closes_reports_and_opens_again() {
    calmly(|| {
        let checks: Matches = |call| call == Call::Check;
        let opens: Matches = |call| call == Call::Open;
        for (matches, name) in [(is_drive as Matches, "Drive([66, 66])"), (checks, "Check")] {
            let (device, actuator, events) = started();
            device.when(matches, Does::Fail);
            device.when(opens, Does::Fail);
            feed_until(&actuator, FORWARD, "it is lost", || events.count('L') == 1);
            assert_eq!(events.error(), Error::Busy { device: name.into() });
            wait("it is closed", || device.calls().contains(&Call::Close));
            let calls: Vec<_> = device.calls().into_iter().filter(|call| *call != Call::Open).collect();
            assert_eq!(&calls[calls.len() - 2..], [Call::Stop, Call::Close]);
            // It cannot be opened for a while; that is reported once.
            feed(&actuator, FORWARD, ms(300));
            assert_eq!(events.letters().matches('L').count(), 1);
            device.when(|_| true, Does::Work);
            feed_until(&actuator, FORWARD, "it drives again", || device.last() == Some(Call::Drive(FORWARD)));
            assert!(events.letters().ends_with("LR"), "{}", events.letters());
            // After the opening stop is sent first again.
            let calls = device.calls();
            let open = calls.iter().rposition(|call| *call == Call::Open).unwrap();
            assert_eq!(calls[open + 1], Call::Stop);
        }
    });
}

#[test]
fn it_is_opened_again_at_its_interval() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        device.when(|call| call == Call::Open, Does::Fail);
        let _actuator = device.start(Timing { reopen: ms(100), ..timing() }, events.report());
        wait("four openings", || device.calls().len() == 4);
        let times = device.timed();
        assert!(times.windows(2).all(|pair| pair[1].0 - pair[0].0 >= ms(100)));
        assert_eq!(events.letters(), "L");
    });
}

#[test]
fn after_a_panic_of_the_driver_the_device_is_lost_and_stopped() {
    calmly(|| {
        for matches in [is_drive as Matches, |call| call == Call::Check] {
            let (device, actuator, events) = started();
            device.when(matches, Does::Panic);
            feed_until(&actuator, FORWARD, "it is lost", || events.count('L') == 1);
            let Error::Panicked { message, .. } = events.error() else { panic!("{}", events.error()) };
            assert!(message.ends_with("was set to panic"));
            wait("it is closed", || {
                device.calls().ends_with(&[Call::Stop, Call::Close]) || events.count('R') > 1
            });
            device.when(|_| true, Does::Work);
            events.wait_for('R', 2);
            assert!(actuator.alive());
        }
    });
}

#[test]
fn panics_of_opening_stopping_and_closing_do_not_end_the_thread() {
    calmly(|| {
        let (device, actuator, events) = started();
        device.when(|_| true, Does::Panic);
        feed_until(&actuator, FORWARD, "it is lost", || events.count('L') == 1);
        sleep(ms(200));
        assert!(actuator.alive() && device.calls().iter().filter(|call| **call == Call::Open).count() >= 3);
        device.when(|_| true, Does::Work);
        events.wait_for('R', 2);
    });
}

#[test]
fn a_panic_of_the_event_handler_stops_the_device() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        let mut report = events.report();
        let mut angry = true;
        let actuator = device.start(timing(), move |event| {
            let panics = event == Event::Silent && std::mem::take(&mut angry);
            report(event);
            assert!(!panics, "a report handler that panics");
        });
        events.wait_for('R', 1);
        actuator.drive(FORWARD);
        events.wait_for('L', 1);
        assert!(matches!(events.error(), Error::Panicked { .. }));
        wait("it is closed", || device.calls().contains(&Call::Close));
        events.wait_for('R', 2);
        assert!(events.letters().starts_with("RSLR"), "{}", events.letters());
    });
}

#[test]
fn without_an_event_handler_nothing_drives() {
    calmly(|| {
        let device = Device::default();
        let actuator = device.start(timing(), |_| panic!("always"));
        feed(&actuator, FORWARD, ms(400));
        assert!(device.calls().iter().filter(|call| **call == Call::Open).count() >= 3);
        assert!(!device.calls().into_iter().any(is_drive));
        assert!(actuator.close());
        assert!(device.calls().ends_with(&[Call::Close]));
    });
}

#[test]
fn closing_stops_and_closes() {
    calmly(|| {
        let (device, actuator, events) = started();
        feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
        drop(actuator);
        assert!(device.calls().ends_with(&[Call::Stop, Call::Close]));
        assert_eq!(events.letters(), "R");
    });
}

#[test]
fn a_failed_last_stop_is_reported() {
    calmly(|| {
        let (device, actuator, events) = started();
        device.when(|call| call == Call::Stop, Does::Fail);
        assert!(actuator.close());
        assert_eq!(events.letters(), "RL");
    });
}

#[test]
fn closing_does_not_wait_for_the_next_opening() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        device.when(|call| call == Call::Open, Does::Fail);
        let actuator = device.start(Timing { reopen: ms(60_000), ..timing() }, events.report());
        events.wait_for('L', 1);
        let begin = now();
        assert!(actuator.close());
        assert!(begin.elapsed() < ms(300), "{:?}", begin.elapsed());
    });
}

#[test]
fn a_device_that_hangs_delays_neither_drive_nor_closing() {
    calmly(|| {
        let (device, actuator, _) = started();
        device.when(is_drive, Does::Take(ms(4000)));
        actuator.drive(FORWARD);
        wait("it hangs", || device.calls().contains(&Call::Drive(FORWARD)));
        let begin = now();
        for _ in 0..1000 {
            actuator.drive([1, 1]);
        }
        assert!(begin.elapsed() < ms(50), "{:?}", begin.elapsed());
        assert_eq!(actuator.hangs(), None);
        wait("the hang is detected", || actuator.hangs() == Some(Event::Hangs));
        assert!((ms(900)..ms(1500)).contains(&begin.elapsed()), "{:?}", begin.elapsed());
        assert_eq!(actuator.hangs(), None, "once");
        assert!(!actuator.close());
        assert!((actuator::CLOSE_LIMIT..ms(4000)).contains(&begin.elapsed()), "{:?}", begin.elapsed());
        // When the call returns the device is stopped.
        wait("the stop", || device.calls().ends_with(&[Call::Stop, Call::Close]));
    });
}

#[test]
fn a_device_that_hangs_no_longer_is_reported_if_it_works() {
    calmly(|| {
        for well in [true, false] {
            let (device, actuator, events) = started();
            device.when(is_drive, Does::Take(ms(1300)));
            actuator.drive(FORWARD);
            wait("it hangs", || actuator.hangs() == Some(Event::Hangs));
            device.when(is_drive, Does::Work);
            if !well {
                // It gets only stop after that, and then nobody opens it again.
                device.when(|call| matches!(call, Call::Stop | Call::Open), Does::Fail);
            }
            actuator.drive([1, 1]);
            if well {
                wait("it hangs no longer", || actuator.hangs() == Some(Event::HangsNoLonger));
            } else {
                feed_until(&actuator, [1, 1], "it fails", || events.count('L') == 1);
                sleep(ms(100));
                assert_eq!(actuator.hangs(), None, "it is lost, which was reported");
            }
        }
    });
}

#[test]
fn a_device_that_is_lost_does_not_hang() {
    calmly(|| {
        let (device, events) = (Device::default(), Events::default());
        device.when(|call| call == Call::Open, Does::Fail);
        let actuator = device.start(Timing { reopen: ms(60_000), ..timing() }, events.report());
        events.wait_for('L', 1);
        for _ in 0..14 {
            sleep(ms(100));
            assert_eq!(actuator.hangs(), None);
        }
    });
}
