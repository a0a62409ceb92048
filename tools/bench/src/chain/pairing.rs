use std::time::Duration;

use safety::Stamp;

use crate::stage::Result;
use crate::table::Distribution;

/// Finds the stick event of each motor value, and how long it took.
///
/// `motor/port` carries no stamp; `hind/applied`, which follows each value, does. A stamp counts once: values that
/// hindbrain repeats on its own carry the stamp of an event that has already been counted.
#[derive(Debug, Default)]
pub struct Pairing {
    /// When the newest motor value came to which nothing belongs yet.
    waiting: Option<Stamp>,
    last: Stamp,
    events: Vec<Event>,
}

/// A stick event that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When SDL reported it.
    pub stamp: Stamp,
    /// When its motor value came.
    pub came: Stamp,
}

impl Pairing {
    /// Begins again, but remembers which event was the last.
    pub fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// Adds a motor value that came at `now`. It takes the place of one that waits: what belongs to that is lost.
    pub fn motor(&mut self, now: Stamp) {
        self.waiting = Some(now);
    }

    /// Pairs the motor value that waits with the event at `stamp`: the message that belongs to it came.
    pub fn applied(&mut self, stamp: Stamp) {
        if let Some(came) = self.waiting.take() {
            self.bare(stamp, came);
        }
    }

    /// Adds a message of a bare chain, which carries its own `stamp` and came at `came`.
    pub fn bare(&mut self, stamp: Stamp, came: Stamp) {
        if stamp > self.last {
            self.last = stamp;
            self.events.push(Event { stamp, came });
        }
    }

    /// The events that arrived.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// How long those of the events took that were `sent`, each once. A vehicle also publishes between events, with newer stamps.
    /// # Errors
    /// None arrived.
    pub fn times(&self, sent: &[Stamp]) -> Result<Distribution> {
        let mut last = None;
        let is_sent = |event: &&Event| {
            let at = before(sent, event.stamp, REPORT);
            at.is_some() && std::mem::replace(&mut last, at) != at
        };
        let events = self.events.iter().filter(is_sent);
        Distribution::new(events.map(|event| between(event.stamp, event.came)).collect())
    }
}

/// SDL reports an event within this time after it was sent.
const REPORT: Duration = Duration::from_millis(3);

/// Which of the events that `happened`, in order, was reported at `at`, `within` that time.
pub fn before(happened: &[Stamp], at: Stamp, within: Duration) -> Option<Stamp> {
    let number = happened.partition_point(|&stamp| stamp <= at).checked_sub(1)?;
    Some(happened[number]).filter(|&stamp| between(stamp, at) < within)
}

/// The time from one stamp to another, zero where the clock was set back.
pub fn between(from: Stamp, to: Stamp) -> Duration {
    Duration::from_nanos(u64::try_from(to.as_nanos() - from.as_nanos()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time `micros` \[µs] after second 7.
    fn at(micros: u32) -> Stamp {
        Stamp { sec: 7, nanosec: micros * 1000 }
    }

    fn times(pairing: &Pairing) -> Vec<u128> {
        pairing.events().iter().map(|event| between(event.stamp, event.came).as_micros()).collect()
    }

    #[test]
    fn the_time_ends_when_the_motor_value_comes() {
        let mut pairing = Pairing::default();
        pairing.motor(at(300));
        pairing.applied(at(100));
        // 300 - 100
        assert_eq!(times(&pairing), [200]);
    }

    #[test]
    fn a_repeated_value_counts_once() {
        let mut pairing = Pairing::default();
        for came in [300, 20_300] {
            pairing.motor(at(came));
            pairing.applied(at(100));
        }
        assert_eq!(times(&pairing), [200]);
    }

    #[test]
    fn a_lost_message_does_not_shift_the_pairs() {
        let mut pairing = Pairing::default();
        pairing.motor(at(300)); // what belongs to it is lost
        pairing.motor(at(5400));
        pairing.applied(at(5100));
        pairing.applied(at(10_100)); // its motor value is lost
        pairing.motor(at(15_200));
        pairing.applied(at(15_100));
        // 5400 - 5100 and 15200 - 15100
        assert_eq!(times(&pairing), [300, 100]);
    }

    #[test]
    fn an_event_belongs_to_the_last_one_that_was_sent_before_it() {
        let sent = [at(1000), at(6000)];
        let belongs = |micros| before(&sent, at(micros), REPORT);
        assert_eq!(
            [999, 1000, 3999, 6040].map(belongs),
            [None, Some(at(1000)), Some(at(1000)), Some(at(6000))]
        );
        assert_eq!(belongs(9000), None, "it was published without an event");
        let mut pairing = Pairing::default();
        for stamp in [500, 1100, 2100, 5500, 6100, 11_000] {
            pairing.bare(at(stamp), at(stamp + 100));
        }
        assert_eq!(pairing.times(&sent).unwrap().count(), 2);
    }

    #[test]
    fn what_was_counted_before_does_not_count_after_clearing() {
        let mut pairing = Pairing::default();
        pairing.bare(at(100), at(200));
        pairing.clear();
        pairing.bare(at(100), at(300));
        assert!(pairing.times(&[at(100)]).is_err());
    }
}
