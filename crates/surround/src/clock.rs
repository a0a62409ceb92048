use core::time::Duration;

use units::{Instant, Stamp};

use crate::Unusable;

/// A stamp may be ahead of the wall clock by so much, for clocks that are not quite the same.
pub(crate) const AHEAD: Duration = Duration::from_millis(100);

/// The wall clock as far as the machine knows it: one reading and the monotonic time since.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock(Option<(Instant, Stamp)>);

impl Clock {
    pub fn read(&mut self, now: Instant, stamp: Stamp) {
        self.0 = Some((now, stamp));
    }

    /// Whether a message with this stamp is of now: at most `max_age` old and no more than [`AHEAD`] ahead.
    ///
    /// A message without a stamp has no age, and neither has any with a `max_age` of zero: its receipt counts alone.
    /// # Errors
    /// [`Unusable::Old`], [`Unusable::Ahead`], and [`Unusable::NoClock`] if the clock was never read.
    pub fn judge(&self, now: Instant, stamp: Stamp, max_age: Duration) -> Result<(), Unusable> {
        if stamp.is_zero() || max_age.is_zero() {
            return Ok(());
        }
        let (read_at, read) = self.0.ok_or(Unusable::NoClock)?;
        let nanos = |time: Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        let wall = read.as_nanos().saturating_add(nanos(now.since(read_at)));
        let age = wall.saturating_sub(stamp.as_nanos());
        if age > nanos(max_age) {
            return Err(Unusable::Old { age: age as f64 / 1e9, max_age: max_age.as_secs_f64() });
        }
        if age < -nanos(AHEAD) {
            return Err(Unusable::Ahead { by: -(age as f64) / 1e9 });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Milliseconds from the epoch on.
    fn wall(millis: i64) -> Stamp {
        let nanosec = u32::try_from(millis.rem_euclid(1000)).unwrap() * 1_000_000;
        Stamp { sec: i32::try_from(millis.div_euclid(1000)).unwrap(), nanosec }
    }

    /// What is said 7 s after the origin to a stamp of so much, where 5 s after it were 100 s by the wall clock: now 102 s.
    fn judged(stamp: i64, max_age: Duration) -> Result<(), Unusable> {
        let mut clock = Clock::default();
        clock.read(Instant::from_millis(5000), wall(100_000));
        clock.judge(Instant::from_millis(7000), wall(stamp), max_age)
    }

    #[test]
    fn a_stamp_is_of_now_up_to_its_bounds() {
        assert_eq!([102_000, 101_000, 102_100].map(|stamp| judged(stamp, SECOND)), [Ok(()); 3]);
        assert_eq!(judged(100_999, SECOND), Err(Unusable::Old { age: 1.001, max_age: 1.0 }));
        assert_eq!(judged(102_101, SECOND), Err(Unusable::Ahead { by: 0.101 }));
        // An hour: 102 - 3600 s is before the epoch.
        assert_eq!(judged(-3_498_000, SECOND), Err(Unusable::Old { age: 3600.0, max_age: 1.0 }));
    }

    #[test]
    fn without_a_stamp_or_an_age_to_keep_the_receipt_counts() {
        assert_eq!(judged(0, SECOND), Ok(()));
        assert_eq!([-3_498_000, 1, 9_000_000].map(|stamp| judged(stamp, Duration::ZERO)), [Ok(()); 3]);
    }

    #[test]
    fn before_the_clock_is_read_no_stamp_can_be_judged() {
        let clock = Clock::default();
        assert_eq!(clock.judge(Instant::ZERO, wall(1), SECOND), Err(Unusable::NoClock));
        assert_eq!(clock.judge(Instant::ZERO, Stamp::ZERO, SECOND), Ok(()));
    }

    #[test]
    fn the_ends_of_time_are_no_overflow() {
        let (first, last) = (Stamp { sec: i32::MIN, nanosec: 0 }, Stamp { sec: i32::MAX, nanosec: u32::MAX });
        for (read, stamp) in [(first, last), (last, first)] {
            let mut clock = Clock::default();
            clock.read(Instant::ZERO, read);
            assert!(clock.judge(Instant::from_nanos(u64::MAX), stamp, Duration::MAX).is_ok() || read < stamp);
            assert!(clock.judge(Instant::ZERO, stamp, SECOND).is_err());
        }
    }
}
