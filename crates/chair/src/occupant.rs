use core::time::Duration;

use units::{Command, Instant, Stamp, Velocity};

/// What the occupant's stick means as a velocity, for whoever arbitrates between it and others.
///
/// Whoever lets go of the stick has no wish any more: a centred stick is one zero and then silence, so that a source of
/// lower priority gets its turn. The same holds for a stick that makes no sense or belongs to a profile without calibration,
/// and for a chair that falls silent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occupant {
    /// The last stick that was not zero, when no zero was told since.
    last: Option<(Stamp, Instant)>,
    told_zero: bool,
    output: Option<Command>,
}

impl Occupant {
    /// A stick came at `now` \[and by the wall clock at `stamp`\]; `None` if it says nothing that is known.
    pub fn receive(&mut self, now: Instant, stamp: Stamp, velocity: Option<Velocity>) {
        let velocity = velocity.unwrap_or(Velocity::ZERO);
        let is_zero = velocity == Velocity::ZERO;
        self.last = (!is_zero).then_some((stamp, now));
        if !(is_zero && self.told_zero) {
            self.output = Some(Command::new(velocity, stamp));
        }
        self.told_zero = is_zero;
    }

    /// What is to be told at `now`.
    pub fn poll(&mut self, now: Instant, timeout: Duration) -> Option<Command> {
        if let Some((stamp, at)) = self.last
            && self.output.is_none()
            && now >= at + timeout
        {
            self.last = None;
            self.told_zero = true;
            let stamp = later(stamp, now.since(at));
            return Some(Command::new(Velocity::ZERO, stamp));
        }
        self.output.take()
    }

    /// When something is to be told if no stick comes.
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
        assert_eq!(occupant.poll(Instant::from_millis(5000), TIMEOUT), None, "nothing was ever heard");
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
    fn a_stick_that_was_let_go_is_zero_once() {
        let mut occupant = Occupant::default();
        let mut told = Vec::new();
        for forward in [0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.5] {
            let velocity = Velocity::planar(forward, 0.0).unwrap();
            occupant.receive(Instant::ZERO, Stamp::ZERO, Some(velocity));
            told.extend(occupant.poll(Instant::ZERO, TIMEOUT).map(|command| command.velocity.forward()));
        }
        assert_eq!(told, [0.0, 0.5, 0.5, 0.0, 0.5]);
    }

    #[test]
    fn what_is_not_known_is_zero() {
        let mut occupant = Occupant::default();
        occupant.receive(Instant::ZERO, Stamp::ZERO, None);
        let told = occupant.poll(Instant::ZERO, TIMEOUT).unwrap();
        assert_eq!(told.velocity, Velocity::ZERO);
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), None, "nothing is left to be said");
    }
}
