use crate::{Instant, Stamp};

/// The wall clock as far as a machine may know it: one reading and the monotonic time since.
///
/// A machine that stamps or compares stamps takes readings as an input, and has one of these.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    read: Option<(Instant, Stamp)>,
}

const SECOND: i64 = 1_000_000_000;

impl Clock {
    /// Takes note that at `now` the wall clock says `stamp`; it may have been set, forward or back.
    pub fn read(&mut self, now: Instant, stamp: Stamp) {
        self.read = Some((now, stamp));
    }

    /// The stamp of `now`: the last reading plus the time since; [`Stamp::ZERO`] before the first reading.
    ///
    /// Saturates in the last second that a stamp can say.
    pub fn at(&self, now: Instant) -> Stamp {
        let Some((read_at, stamp)) = self.read else { return Stamp::ZERO };
        let since = i64::try_from(now.since(read_at).as_nanos()).unwrap_or(i64::MAX);
        let nanos = stamp.as_nanos().saturating_add(since);
        Stamp {
            sec: i32::try_from(nanos.div_euclid(SECOND)).unwrap_or(i32::MAX),
            nanosec: u32::try_from(nanos.rem_euclid(SECOND)).unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_last_reading_and_the_time_since() {
        let mut clock = Clock::default();
        assert_eq!(clock.at(Instant::from_millis(7)), Stamp::ZERO);
        clock.read(Instant::from_millis(100), Stamp { sec: 5, nanosec: 999_000_000 });
        // 5.999 s + 3 ms = 6.002 s
        assert_eq!(clock.at(Instant::from_millis(103)), Stamp { sec: 6, nanosec: 2_000_000 });
        // a clock set back is followed
        clock.read(Instant::from_millis(200), Stamp { sec: 1, nanosec: 0 });
        assert_eq!(clock.at(Instant::from_millis(200)), Stamp { sec: 1, nanosec: 0 });
    }

    #[test]
    fn the_end_of_time_is_no_overflow() {
        let mut clock = Clock::default();
        clock.read(Instant::ZERO, Stamp { sec: i32::MAX, nanosec: 999_999_999 });
        assert_eq!(clock.at(Instant::from_nanos(u64::MAX)).sec, i32::MAX);
        clock.read(Instant::ZERO, Stamp { sec: i32::MIN, nanosec: u32::MAX });
        assert!(clock.at(Instant::ZERO).sec < 0);
    }
}
