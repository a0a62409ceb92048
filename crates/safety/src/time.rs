use core::ops::Add;
use core::time::Duration;

/// A monotonic point in time: nanoseconds since an origin that the shell chooses.
///
/// Only this type measures ages and time-outs, so a jump of the wall clock affects no motor.
/// Arithmetic saturates at both ends of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

impl Instant {
    /// The origin.
    pub const ZERO: Self = Self(0);

    /// The instant `nanos` \[ns\] after the origin.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The instant `millis` \[ms\] after the origin.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000_000))
    }

    /// Nanoseconds since the origin \[ns\].
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time that passed from `earlier` to `self`; zero if `earlier` is in fact later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, rhs: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(rhs.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// A stamp as the wire carries it: ROS time, seconds and nanoseconds. It is of the wall clock, or of `/clock` in simulated time.
///
/// In Steersman a stamp is the time of the stick event that caused a message. It is carried unchanged to the
/// last hop and never used as the only age: a stamp may make a command older, never fresher.
///
/// # Source
/// `builtin_interfaces/msg/Time` (ROS 2 Jazzy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Seconds since the epoch \[s\].
    pub sec: i32,
    /// Nanoseconds within the second \[ns\], 0 to 999,999,999.
    pub nanosec: u32,
}

impl Stamp {
    /// The stamp for "no time given"; ROS writes it as all zero.
    pub const ZERO: Self = Self { sec: 0, nanosec: 0 };

    /// The stamp of a command that is given while the time is not known, the first nanosecond: [`Freshness`](crate::Freshness)
    /// always refuses it, and for others it is too old. Zero would count as now.
    pub const UNKNOWN: Self = Self { sec: 0, nanosec: 1 };

    /// The time of a clock that began at zero `duration` ago; saturates.
    pub fn of(duration: Duration) -> Self {
        Self { sec: i32::try_from(duration.as_secs()).unwrap_or(i32::MAX), nanosec: duration.subsec_nanos() }
    }

    /// Whether no time was given.
    pub const fn is_zero(self) -> bool {
        self.sec == 0 && self.nanosec == 0
    }

    /// Nanoseconds since the epoch \[ns\]; the largest stamp fits.
    pub const fn as_nanos(self) -> i64 {
        self.sec as i64 * 1_000_000_000 + self.nanosec as i64
    }

    /// The stamp `duration` earlier; zero, no time given, if that was before the clock's zero: in ROS no stamp is negative.
    #[must_use]
    pub fn before(self, duration: Duration) -> Self {
        let nanos = self.as_nanos().saturating_sub(i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX));
        let part = nanos.rem_euclid(1_000_000_000);
        match i32::try_from(nanos.div_euclid(1_000_000_000)) {
            Ok(sec @ 0..) => Self { sec, nanosec: u32::try_from(part).unwrap_or(0) },
            _ => Self::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_saturates() {
        let end = Instant::from_nanos(u64::MAX);
        assert_eq!(end + Duration::MAX, end);
        assert_eq!(Instant::ZERO.since(end), Duration::ZERO);
        assert_eq!(Instant::from_millis(u64::MAX), end);
    }

    #[test]
    fn a_later_stamp_is_greater() {
        let a = Stamp { sec: 1, nanosec: 999_999_999 };
        let b = Stamp { sec: 2, nanosec: 0 };
        assert!(b > a);
        // 2 s - 1.999999999 s = 1 ns
        assert_eq!(b.as_nanos() - a.as_nanos(), 1);
        assert!(Stamp::ZERO.is_zero() && !b.is_zero());
        assert_eq!(b.before(Duration::from_nanos(1)), a);
        assert_eq!((Stamp::of(Duration::new(1, 999_999_999)), Stamp::of(Duration::MAX).sec), (a, i32::MAX));
        for (stamp, duration) in
            [(a, Duration::from_secs(2)), (Stamp::ZERO, Duration::from_nanos(1)), (a, Duration::MAX)]
        {
            assert_eq!(stamp.before(duration), Stamp::ZERO, "no stamp is negative");
        }
    }
}
