use core::time::Duration;

use safety::{Command, Instant, Stamp, Velocity};

/// The occupant's stick as a velocity, for an arbiter between it and other sources.
///
/// A released stick requests nothing: a centred stick is one zero and then silence, so a source of lower priority can
/// drive. The same holds for an invalid stick, one in a profile without calibration, and for a chair that falls
/// silent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occupant {
    /// The last stick that was not zero, if no zero was published since.
    last: Option<(Stamp, Instant)>,
    sent_zero: bool,
    output: Option<Command>,
}

impl Occupant {
    /// Receives a stick at `now` \[and by the wall clock at `stamp`\]; `None` if its velocity is unknown.
    pub fn receive(&mut self, now: Instant, stamp: Stamp, velocity: Option<Velocity>) {
        let velocity = velocity.unwrap_or(Velocity::ZERO);
        let is_zero = velocity == Velocity::ZERO;
        self.last = (!is_zero).then_some((stamp, now));
        if !(is_zero && self.sent_zero) {
            self.output = Some(Command::new(velocity, stamp));
        }
        self.sent_zero = is_zero;
    }

    /// The command to publish at `now`.
    pub fn poll(&mut self, now: Instant, timeout: Duration) -> Option<Command> {
        if let Some((stamp, at)) = self.last
            && self.output.is_none()
            && now >= at + timeout
        {
            self.last = None;
            self.sent_zero = true;
            let stamp = later(stamp, now.since(at));
            return Some(Command::new(Velocity::ZERO, stamp));
        }
        self.output.take()
    }

    /// When a command is due without another stick.
    pub fn deadline(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        if self.output.is_some() { Some(now) } else { self.last.map(|(_, at)| at + timeout) }
    }
}

fn later(stamp: Stamp, by: Duration) -> Stamp {
    let nanos = u64::from(stamp.nanosec) + u64::from(by.subsec_nanos());
    let sec = i64::from(stamp.sec)
        .saturating_add_unsigned(by.as_secs())
        .saturating_add(i64::from(nanos >= 1_000_000_000));
    // Less than 1e9, which is less than 2^32.
    let nanosec = (nanos % 1_000_000_000) as u32;
    Stamp { sec: i32::try_from(sec).unwrap_or(i32::MAX), nanosec }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(300);

    #[test]
    fn silence_is_one_zero_with_its_own_time() {
        let mut occupant = Occupant::default();
        let stamp = Stamp { sec: 7, nanosec: 900_000_000 };
        let velocity = Velocity::planar(0.5, 0.0).unwrap();
        assert_eq!(occupant.poll(Instant::from_millis(5000), TIMEOUT), None, "nothing was ever received");
        occupant.receive(Instant::from_millis(5000), stamp, Some(velocity));
        assert_eq!(occupant.poll(Instant::from_millis(5000), TIMEOUT), Some(Command::new(velocity, stamp)));
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), Some(Instant::from_millis(5300)));
        assert_eq!(occupant.poll(Instant::from_millis(5299), TIMEOUT), None);
        // 7.9 s and 0.3 s are 8.2 s.
        let zero = Command::new(Velocity::ZERO, Stamp { sec: 8, nanosec: 200_000_000 });
        assert_eq!(occupant.poll(Instant::from_millis(5300), TIMEOUT), Some(zero));
        assert_eq!(occupant.poll(Instant::from_millis(9000), TIMEOUT), None);
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), None);
    }

    #[test]
    fn a_released_stick_is_zero_once() {
        let mut occupant = Occupant::default();
        let mut published = Vec::new();
        for forward in [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.5] {
            let velocity = Velocity::planar(forward, 0.0).unwrap();
            occupant.receive(Instant::ZERO, Stamp::ZERO, Some(velocity));
            published.extend(occupant.poll(Instant::ZERO, TIMEOUT).map(|command| command.velocity.forward()));
        }
        assert_eq!(published, [0.0, 0.5, 0.5, 0.0, 0.5]);
    }

    #[test]
    fn an_unknown_velocity_is_zero() {
        let mut occupant = Occupant::default();
        occupant.receive(Instant::ZERO, Stamp::ZERO, None);
        let published = occupant.poll(Instant::ZERO, TIMEOUT).unwrap();
        assert_eq!(published.velocity, Velocity::ZERO);
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), None, "nothing is left to report");
    }
}
