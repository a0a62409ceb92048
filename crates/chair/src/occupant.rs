use core::time::Duration;

use units::{Command, Instant, Stamp, Velocity};

/// What the occupant's stick means as a velocity, for whoever arbitrates between it and others.
///
/// A stick that makes no sense, or that belongs to a profile without calibration, is an explicit zero; silence is one zero
/// and then silence, so that a source of lower priority gets its turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occupant {
    last: Option<(Stamp, Instant)>,
    output: Option<Command>,
}

impl Occupant {
    /// A stick came at `now` \[and by the wall clock at `stamp`\]; `None` if it says nothing that is known.
    pub fn receive(&mut self, now: Instant, stamp: Stamp, velocity: Option<Velocity>) {
        self.last = Some((stamp, now));
        self.output = Some(Command { velocity: velocity.unwrap_or(Velocity::ZERO), stamp });
    }

    /// What is to be told at `now`.
    pub fn poll(&mut self, now: Instant, timeout: Duration) -> Option<Command> {
        if let Some((stamp, at)) = self.last
            && self.output.is_none()
            && now >= at + timeout
        {
            self.last = None;
            let stamp = later(stamp, now.since(at));
            return Some(Command { velocity: Velocity::ZERO, stamp });
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
        assert_eq!(occupant.poll(Instant::from_millis(5000), TIMEOUT), Some(Command { velocity, stamp }));
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), Some(Instant::from_millis(5300)));
        assert_eq!(occupant.poll(Instant::from_millis(5299), TIMEOUT), None);
        // 7.9 s and 0.3 s are 8.2 s.
        let zero = Command { velocity: Velocity::ZERO, stamp: Stamp { sec: 8, nanosec: 200_000_000 } };
        assert_eq!(occupant.poll(Instant::from_millis(5300), TIMEOUT), Some(zero));
        assert_eq!(occupant.poll(Instant::from_millis(9000), TIMEOUT), None);
        assert_eq!(occupant.deadline(Instant::ZERO, TIMEOUT), None);
    }

    #[test]
    fn what_is_not_known_is_zero() {
        let mut occupant = Occupant::default();
        occupant.receive(Instant::ZERO, Stamp::ZERO, None);
        let told = occupant.poll(Instant::ZERO, TIMEOUT).unwrap();
        assert_eq!(told.velocity, Velocity::ZERO);
    }
}
