use ros::Latency;
use units::Stamp;

/// Finds the stick event of each motor value, and how long it took.
///
/// `motor/port` carries no stamp; `hind/applied`, which follows each value, does. A stamp counts once: values that
/// hindbrain repeats on its own carry the stamp of an event that has already been counted.
#[derive(Debug, Default)]
pub struct Pairing {
    /// When the newest motor value came to which nothing belongs yet.
    waiting: Option<Stamp>,
    last: Stamp,
    latency: Latency,
    count: u64,
    unpaired: u64,
}

impl Pairing {
    /// Begins again, but remembers which event was the last.
    pub fn clear(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }

    /// A motor value came at `now`. One that still waits has lost what belongs to it: the newer one takes its place.
    pub fn motor(&mut self, now: Stamp) {
        self.unpaired += u64::from(self.waiting.replace(now).is_some());
    }

    /// What belongs to the motor value that waits came: it goes back to the event at `stamp`.
    pub fn applied(&mut self, stamp: Stamp) {
        match self.waiting.take() {
            Some(came) => self.record(stamp, came),
            None => self.unpaired += 1,
        }
    }

    /// A message of a bare chain, which carries its own `stamp`, came at `now`.
    pub fn bare(&mut self, stamp: Stamp, now: Stamp) {
        self.record(stamp, now);
    }

    fn record(&mut self, stamp: Stamp, now: Stamp) {
        if stamp > self.last {
            self.last = stamp;
            self.count += 1;
            self.latency.record(stamp, now);
        }
    }

    /// How many events arrived.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// How many messages belonged to no other, which happens when one is lost on the way to who measures.
    pub fn unpaired(&self) -> u64 {
        self.unpaired
    }

    /// How long the events took.
    pub fn latency(&self) -> &Latency {
        &self.latency
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time `micros` \[µs] after second 7.
    fn at(micros: u32) -> Stamp {
        Stamp { sec: 7, nanosec: micros * 1000 }
    }

    fn longest(pairing: &Pairing) -> Option<f64> {
        pairing.latency().quantiles().map(|q| q.max)
    }

    #[test]
    fn the_time_ends_when_the_motor_value_comes() {
        let mut pairing = Pairing::default();
        pairing.motor(at(300));
        pairing.applied(at(100));
        // 300 - 100
        assert_eq!((pairing.count(), longest(&pairing)), (1, Some(200.0)));
    }

    #[test]
    fn a_repeated_value_counts_once() {
        let mut pairing = Pairing::default();
        for came in [300, 20_300] {
            pairing.motor(at(came));
            pairing.applied(at(100));
        }
        assert_eq!((pairing.count(), longest(&pairing)), (1, Some(200.0)));
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
        assert_eq!((pairing.count(), pairing.unpaired(), longest(&pairing)), (2, 2, Some(300.0)));
    }

    #[test]
    fn what_was_counted_before_does_not_count_after_clearing() {
        let mut pairing = Pairing::default();
        pairing.bare(at(100), at(200));
        pairing.clear();
        pairing.bare(at(100), at(300));
        assert_eq!((pairing.count(), longest(&pairing)), (0, None));
    }
}
