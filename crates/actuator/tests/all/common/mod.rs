//! Helpers of the black-box tests: pseudo-terminals with devices behind them, and a record of the actuator's events.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)] // helpers of tests
#![allow(clippy::disallowed_methods)] // a device behind a pseudo-terminal needs real time

pub mod fake;
pub mod maestro;
pub mod memory;
pub mod roboclaw;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use actuator::{Actuator, Error, Event, Settings, Timing};

/// Longer than any action takes, also on a busy machine.
pub const LONG: Duration = Duration::from_secs(30);
/// The tolerance of an idle computer beyond the sum of the limits.
pub const SLACK: Duration = ms(30);

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub fn now() -> Instant {
    Instant::now()
}

pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}

/// Intervals for tests of causes and orders: no silence, since the test itself may be held.
pub const PATIENT: Timing =
    Timing { silence: ms(600_000), gap: ms(600_000), repeat: ms(20), check: ms(20), reopen: ms(50) };

/// How long a device has to answer in such a test: long for a busy computer.
pub const ANSWER: Duration = Duration::from_secs(2);

/// Starts an actuator for a test of causes and orders: neither the device nor the test has to be in time.
pub fn patient(settings: Settings, events: &Events) -> Actuator {
    let settings = Settings { answer: ANSWER, ..settings };
    settings.check().expect("good settings");
    Actuator::start(move || settings.open(), PATIENT, events.report()).expect("a thread")
}

/// For so long a test of a time limit is repeated on a machine that is held.
const JUDGED_WITHIN: Duration = Duration::from_secs(120);
/// For so long a repetition waits for a calm machine.
const CALM_WITHIN: Duration = Duration::from_secs(5);

/// Runs a test of a time limit, and again if it failed while this machine was held: the limits are those of a motor, and a
/// busy computer exceeds them. A limit that could not be judged is a failure: nothing has shown that it holds.
pub fn calmly(test: impl Fn()) {
    judge(test, JUDGED_WITHIN, CALM_WITHIN, Meter::start);
}

/// Whether this machine was held, measured from its making on.
pub trait Holds {
    /// How it was held, as the rest of a sentence.
    fn held(self) -> Option<String>;
}

fn judge<H: Holds>(test: impl Fn(), within: Duration, calm_within: Duration, mut measure: impl FnMut() -> H) {
    let begin = Instant::now();
    for attempt in 1.. {
        let meter = measure();
        let outcome = catch_unwind(AssertUnwindSafe(&test));
        let held = meter.held();
        let Err(failure) = outcome else { return };
        let Some(held) = held else { resume_unwind(failure) };
        assert!(
            begin.elapsed() < within,
            "the limit was not judged: this machine was held in all {attempt} attempts, {held}; run this test alone, on a machine that \
             is not in use"
        );
        eprintln!("this machine was held, {held}: trying again");
        let end = Instant::now() + calm_within;
        while Instant::now() < end {
            let meter = measure();
            std::thread::sleep(ms(200));
            if meter.held().is_none() {
                break;
            }
        }
    }
}

/// How long some thread of this machine has waited for a processor so far; zero if the kernel does not count it.
fn waited() -> Duration {
    let text = std::fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
    let total = text.lines().next().and_then(|line| line.rsplit_once("total="));
    Duration::from_micros(total.and_then(|(_, micros)| micros.trim().parse().ok()).unwrap_or(0))
}

/// Measures the longest time of a byte through a pseudo-terminal whose other side is read at once: it shows late wake-ups
/// and a slow kernel.
struct Meter(Arc<AtomicBool>, JoinHandle<Duration>, Duration);

impl Meter {
    fn start() -> Meter {
        let end = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let (mut master, name) = fake::pseudo_terminal();
            let mut slave = fake::other_side(&name);
            let mut longest = Duration::ZERO;
            while !ended.load(Ordering::Relaxed) {
                let begin = Instant::now();
                let _ = master.write(b"\n");
                // The line is not raw, so only whole lines pass.
                fake::wait_readable(&slave, ms(200));
                let _ = (slave.read(&mut [0; 64]), master.read(&mut [0; 64]));
                std::thread::sleep(ms(2));
                longest = longest.max(begin.elapsed().saturating_sub(ms(2)));
            }
            longest
        });
        Meter(end, thread, waited())
    }
}

impl Holds for Meter {
    /// The longest time of a byte, and how long some thread of this machine waited for a processor meanwhile.
    fn held(self) -> Option<String> {
        self.0.store(true, Ordering::Relaxed);
        let (byte, thread) = (self.1.join().expect("no panic"), waited().saturating_sub(self.2));
        let is_held = byte > ms(8) || thread > ms(20);
        is_held.then(|| format!("a byte for {byte:?}, its threads for {thread:?}"))
    }
}

/// The events that the actuator has reported, and when.
#[derive(Clone, Default)]
pub struct Events(Arc<Mutex<Vec<(Instant, Event)>>>);

impl Events {
    /// The event handler for the actuator.
    pub fn report(&self) -> impl FnMut(Event) + Send + 'static {
        let events = self.clone();
        move |event| events.0.lock().expect("no panic").push((Instant::now(), event))
    }

    pub fn all(&self) -> Vec<Event> {
        self.0.lock().expect("no panic").iter().map(|(_, event)| event.clone()).collect()
    }

    /// One letter for each event: ready, lost, silent, fed.
    pub fn letters(&self) -> String {
        let letter = |event: &Event| match event {
            Event::Ready { .. } => 'R',
            Event::Lost(_) => 'L',
            Event::Silent => 'S',
            Event::Interrupted => 'I',
            Event::Fed => 'F',
            Event::Hangs => 'H',
            Event::HangsNoLonger => 'h',
        };
        self.all().iter().map(letter).collect()
    }

    pub fn count(&self, letter: char) -> usize {
        self.letters().chars().filter(|&one| one == letter).count()
    }

    /// When the event of this number was reported.
    pub fn when(&self, number: usize) -> Instant {
        self.0.lock().expect("no panic").get(number).expect("an event of this number").0
    }

    /// The newest error.
    pub fn error(&self) -> Error {
        let all = self.all();
        let newest = all.iter().rev().find_map(|event| match event {
            Event::Lost(error) => Some(error.clone()),
            _ => None,
        });
        newest.expect("the device was lost")
    }

    pub fn wait_for(&self, letter: char, count: usize) {
        wait(&format!("event {letter} number {count}, reported {:?}", self.letters()), || {
            self.count(letter) >= count
        });
    }
}

/// Waits until the condition holds.
pub fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "timed out waiting for {what}");
        std::thread::sleep(ms(1));
    }
}

/// Gives the same levels every 10 ms until the condition holds.
pub fn feed_until(actuator: &Actuator, levels: [i16; 2], what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_so() {
        assert!(Instant::now() < end, "timed out before {what}");
        actuator.drive(levels);
        std::thread::sleep(ms(10));
    }
}

/// Gives the same levels every 10 ms for `time`.
pub fn feed(actuator: &Actuator, levels: [i16; 2], time: Duration) {
    let end = Instant::now() + time;
    feed_until(actuator, levels, "the time is over", || Instant::now() >= end);
}

mod tests {
    use super::*;

    struct Held(bool);

    impl Holds for Held {
        fn held(self) -> Option<String> {
            self.0.then(|| "always".into())
        }
    }

    fn outcome(test: impl Fn(), holds: &[bool]) -> Result<(), String> {
        let mut measurements = holds.iter().copied().chain(std::iter::repeat(true));
        let measured = || Held(measurements.next().expect("endless"));
        // As long as it takes for those that end by themselves: this machine may be held, too.
        let within = if holds.is_empty() { ms(300) } else { LONG };
        let outcome = catch_unwind(AssertUnwindSafe(|| judge(test, within, ms(1), measured)));
        outcome.map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "its own".into()))
    }

    #[test]
    fn a_limit_that_could_not_be_judged_is_a_failure() {
        let fails = || panic!("too late");
        let failure = outcome(fails, &[]).expect_err("it was never judged");
        assert!(failure.starts_with("the limit was not judged: this machine was held in all "), "{failure}");
        assert_eq!(outcome(fails, &[false]), Err("its own".into()));
        assert_eq!(
            outcome(fails, &[true, false, false]),
            Err("its own".into()),
            "repeated on a calm machine"
        );
        assert_eq!(outcome(|| {}, &[]), Ok(()), "what is in time on a machine that is held is in time");
    }
}
