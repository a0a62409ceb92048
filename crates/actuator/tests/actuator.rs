//! The thread, with drivers made of memory: what it sends when, and what it does when they fail, panic or hang.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // what is expected here is the test's own ground
#![allow(clippy::disallowed_methods)] // the thread lives in real time

mod common;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use actuator::{Actuator, Driver, Event, Timing, Trouble, Watchdog};
use common::{Told, feed, feed_until, ms, now, sleep, wait};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Open,
    Drive([i16; 2]),
    Stop,
    Check,
    Close,
}

/// What a call does beside being noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Work,
    Fail,
    Panic,
    Take(Duration),
}

type Matches = fn(Call) -> bool;

#[derive(Default)]
struct Inside {
    calls: Vec<(Instant, Call)>,
    does: Vec<(Matches, Does)>,
}

/// A device whose calls are noted, and which does what it is told to do.
#[derive(Clone, Default)]
struct Device(Arc<Mutex<Inside>>);

/// One opening of it.
struct Opened(Device);

impl Device {
    fn when(&self, matches: Matches, does: Does) {
        self.0.lock().unwrap().does.insert(0, (matches, does));
    }

    fn call(&self, call: Call) -> Result<(), Trouble> {
        let does = {
            let mut inside = self.0.lock().unwrap();
            inside.calls.push((Instant::now(), call));
            inside.does.iter().find(|(matches, _)| matches(call)).map(|(_, does)| *does)
        };
        match does {
            None | Some(Does::Work) => Ok(()),
            Some(Does::Fail) => Err(Trouble::Taken { device: format!("{call:?}") }),
            Some(Does::Panic) => panic!("{call:?} was told to panic"),
            Some(Does::Take(time)) => {
                sleep(time);
                Ok(())
            }
        }
    }

    fn calls(&self) -> Vec<Call> {
        self.0.lock().unwrap().calls.iter().map(|(_, call)| *call).collect()
    }

    fn timed(&self) -> Vec<(Instant, Call)> {
        self.0.lock().unwrap().calls.clone()
    }

    /// What the motors do: the last that was sent.
    fn last(&self) -> Option<Call> {
        self.calls().into_iter().rev().find(|call| matches!(call, Call::Drive(_) | Call::Stop))
    }

    fn start(&self, timing: Timing, report: impl FnMut(Event) + Send + 'static) -> Actuator {
        let device = self.clone();
        let open = move || {
            device.call(Call::Open)?;
            Ok(Box::new(Opened(device.clone())) as Box<dyn Driver>)
        };
        Actuator::start(open, timing, report).expect("a thread")
    }
}

impl Driver for Opened {
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Trouble> {
        self.0.call(Call::Drive(levels))
    }

    fn check(&mut self) -> Result<(), Trouble> {
        self.0.call(Call::Check)
    }

    fn stop(&mut self) -> Result<(), Trouble> {
        self.0.call(Call::Stop)
    }

    fn description(&self) -> String {
        "memory".into()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // A panic here would be a panic in a drop: wanted, for one test.
        if let Err(trouble) = self.0.call(Call::Close) {
            panic!("{trouble}");
        }
    }
}

fn timing() -> Timing {
    Timing { reopen: ms(50), ..Timing::default() }
}

fn started() -> (Device, Actuator, Told) {
    let (device, told) = (Device::default(), Told::default());
    let actuator = device.start(timing(), told.report());
    told.wait_for('R', 1);
    (device, actuator, told)
}

const FORWARD: [i16; 2] = [66, 66];

fn is_drive(call: Call) -> bool {
    matches!(call, Call::Drive(_))
}

#[test]
fn nothing_but_stop_before_a_level_is_given() {
    let (device, actuator, told) = started();
    sleep(ms(400));
    assert!(device.calls().iter().all(|call| matches!(call, Call::Open | Call::Stop | Call::Check)));
    assert_eq!(&device.calls()[..2], [Call::Open, Call::Stop]);
    assert_eq!(told.letters(), "RS");
    assert_eq!(told.all()[0], Event::Ready { description: "memory".into(), watchdog: Watchdog::Absent });
    assert!(actuator.alive());
}

#[test]
fn levels_that_were_given_while_it_opened_are_not_sent() {
    let (device, told) = (Device::default(), Told::default());
    device.when(|call| call == Call::Open, Does::Take(ms(60)));
    let actuator = device.start(timing(), told.report());
    feed(&actuator, FORWARD, ms(40));
    told.wait_for('R', 1);
    sleep(ms(80));
    assert!(!device.calls().iter().copied().any(is_drive));
    actuator.drive(FORWARD);
    wait("the level", || device.calls().contains(&Call::Drive(FORWARD)));
}

#[test]
fn a_level_is_sent_at_once_and_limited() {
    let (device, actuator, _) = started();
    let before = now();
    actuator.drive([i16::MIN, 67]);
    wait("the level", || device.calls().contains(&Call::Drive([-66, 66])));
    assert!(before.elapsed() < ms(40), "{:?}", before.elapsed());
}

#[test]
fn the_newest_levels_win() {
    let (device, actuator, _) = started();
    device.when(is_drive, Does::Take(ms(30)));
    for level in 1..=60 {
        actuator.drive([level, level]);
        sleep(ms(1));
    }
    wait("the last level", || device.last() == Some(Call::Drive([60, 60])));
    let sent = device.calls().into_iter().filter(|call| is_drive(*call)).count();
    assert!(sent <= 5, "{sent} of 60 were sent, at 30 ms each");
}

#[test]
fn levels_are_repeated_and_the_device_is_checked() {
    let (device, actuator, _) = started();
    feed(&actuator, FORWARD, ms(1000));
    let count = |wanted: Call| device.calls().into_iter().filter(|call| *call == wanted).count();
    // In a second: 20 repetitions at 50 ms, 10 checks at 100 ms. Fewer on a busy machine, never many more.
    let (drives, checks) = (count(Call::Drive(FORWARD)), count(Call::Check));
    assert!((10..=24).contains(&drives) && (5..=12).contains(&checks), "{drives} {checks}");
}

#[test]
fn silence_stops_within_its_time_and_stays_stopped() {
    let (device, actuator, told) = started();
    feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
    let last = now();
    wait("the stop", || device.last() == Some(Call::Stop));
    assert!((ms(130)..ms(350)).contains(&last.elapsed()), "{:?}", last.elapsed());
    let stopped = device.calls().len();
    sleep(ms(300));
    let after = device.calls().split_off(stopped);
    assert!(after.len() >= 4 && !after.into_iter().any(is_drive), "stop is repeated");
    actuator.drive(FORWARD);
    told.wait_for('F', 1);
    assert_eq!(told.letters(), "RSF");
}

#[test]
fn trouble_stops_closes_tells_and_opens_again() {
    let checks: Matches = |call| call == Call::Check;
    let opens: Matches = |call| call == Call::Open;
    for (matches, name) in [(is_drive as Matches, "Drive([66, 66])"), (checks, "Check")] {
        let (device, actuator, told) = started();
        device.when(matches, Does::Fail);
        device.when(opens, Does::Fail);
        feed_until(&actuator, FORWARD, "it is lost", || told.count('L') == 1);
        assert_eq!(told.trouble(), Trouble::Taken { device: name.into() });
        wait("it is closed", || device.calls().contains(&Call::Close));
        let calls: Vec<_> = device.calls().into_iter().filter(|call| *call != Call::Open).collect();
        assert_eq!(&calls[calls.len() - 2..], [Call::Stop, Call::Close]);
        // It cannot be opened for a while; that is told once.
        feed(&actuator, FORWARD, ms(300));
        assert_eq!(told.letters().matches('L').count(), 1);
        device.when(|_| true, Does::Work);
        feed_until(&actuator, FORWARD, "it drives again", || device.last() == Some(Call::Drive(FORWARD)));
        assert!(told.letters().ends_with("LR"), "{}", told.letters());
        // After the opening the first is stop again.
        let calls = device.calls();
        let open = calls.iter().rposition(|call| *call == Call::Open).unwrap();
        assert_eq!(calls[open + 1], Call::Stop);
    }
}

#[test]
fn it_is_opened_again_at_its_interval() {
    let (device, told) = (Device::default(), Told::default());
    device.when(|call| call == Call::Open, Does::Fail);
    let _actuator = device.start(Timing { reopen: ms(100), ..timing() }, told.report());
    wait("four openings", || device.calls().len() == 4);
    let times = device.timed();
    assert!(times.windows(2).all(|pair| pair[1].0 - pair[0].0 >= ms(100)));
    assert_eq!(told.letters(), "L");
}

#[test]
fn a_panic_of_the_driver_is_lost_and_stopped() {
    for matches in [is_drive as Matches, |call| call == Call::Check] {
        let (device, actuator, told) = started();
        device.when(matches, Does::Panic);
        feed_until(&actuator, FORWARD, "it is lost", || told.count('L') == 1);
        let Trouble::Panicked { message, .. } = told.trouble() else { panic!("{}", told.trouble()) };
        assert!(message.ends_with("was told to panic"));
        wait("it is closed", || device.calls().ends_with(&[Call::Stop, Call::Close]) || told.count('R') > 1);
        device.when(|_| true, Does::Work);
        told.wait_for('R', 2);
        assert!(actuator.alive());
    }
}

#[test]
fn panics_of_opening_stopping_and_closing_end_nothing() {
    let (device, actuator, told) = started();
    device.when(|_| true, Does::Panic);
    feed_until(&actuator, FORWARD, "it is lost", || told.count('L') == 1);
    sleep(ms(200));
    assert!(actuator.alive() && device.calls().iter().filter(|call| **call == Call::Open).count() >= 3);
    device.when(|_| true, Does::Work);
    told.wait_for('R', 2);
}

#[test]
fn a_panic_of_whoever_is_told_stops_the_device() {
    let (device, told) = (Device::default(), Told::default());
    let mut report = told.report();
    let mut angry = true;
    let actuator = device.start(timing(), move |event| {
        let panics = event == Event::Silent && std::mem::take(&mut angry);
        report(event);
        assert!(!panics, "whoever is told panics");
    });
    told.wait_for('R', 1);
    actuator.drive(FORWARD);
    told.wait_for('L', 1);
    assert!(matches!(told.trouble(), Trouble::Panicked { .. }));
    wait("it is closed", || device.calls().contains(&Call::Close));
    told.wait_for('R', 2);
    assert!(told.letters().starts_with("RSLR"), "{}", told.letters());
}

#[test]
fn nobody_to_tell_means_no_driving() {
    let device = Device::default();
    let actuator = device.start(timing(), |_| panic!("always"));
    feed(&actuator, FORWARD, ms(400));
    assert!(device.calls().iter().filter(|call| **call == Call::Open).count() >= 3);
    assert!(!device.calls().into_iter().any(is_drive));
    assert!(actuator.close());
    assert!(device.calls().ends_with(&[Call::Close]));
}

#[test]
fn closing_stops_and_closes() {
    let (device, actuator, told) = started();
    feed_until(&actuator, FORWARD, "it drives", || device.last() == Some(Call::Drive(FORWARD)));
    drop(actuator);
    assert!(device.calls().ends_with(&[Call::Stop, Call::Close]));
    assert_eq!(told.letters(), "R");
}

#[test]
fn a_failed_last_stop_is_told() {
    let (device, actuator, told) = started();
    device.when(|call| call == Call::Stop, Does::Fail);
    assert!(actuator.close());
    assert_eq!(told.letters(), "RL");
}

#[test]
fn closing_does_not_wait_for_the_next_opening() {
    let (device, told) = (Device::default(), Told::default());
    device.when(|call| call == Call::Open, Does::Fail);
    let actuator = device.start(Timing { reopen: ms(60_000), ..timing() }, told.report());
    told.wait_for('L', 1);
    let begin = now();
    assert!(actuator.close());
    assert!(begin.elapsed() < ms(300), "{:?}", begin.elapsed());
}

#[test]
fn a_device_that_hangs_delays_neither_drive_nor_closing() {
    let (device, actuator, _) = started();
    device.when(is_drive, Does::Take(ms(4000)));
    actuator.drive(FORWARD);
    wait("it hangs", || device.calls().contains(&Call::Drive(FORWARD)));
    let (begin, passes) = (now(), actuator.passes());
    for _ in 0..1000 {
        actuator.drive([1, 1]);
    }
    assert!(begin.elapsed() < ms(50), "{:?}", begin.elapsed());
    sleep(ms(100));
    assert_eq!(actuator.passes(), passes, "the hanging can be seen");
    assert!(!actuator.close());
    assert!((actuator::CLOSE_LIMIT..ms(3500)).contains(&begin.elapsed()), "{:?}", begin.elapsed());
    // When it comes back it is stopped all the same.
    wait("the stop", || device.calls().ends_with(&[Call::Stop, Call::Close]));
}

#[test]
fn passes_grow_also_while_it_is_lost() {
    let (device, told) = (Device::default(), Told::default());
    device.when(|call| call == Call::Open, Does::Fail);
    let actuator = device.start(Timing { reopen: ms(60_000), ..timing() }, told.report());
    told.wait_for('L', 1);
    let before = actuator.passes();
    sleep(ms(400));
    assert!(actuator.passes() >= before + 3);
}
