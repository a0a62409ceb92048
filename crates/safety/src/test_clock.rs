//! Times for tests: the boot clock and the wall clock advance together, 100 s apart.

use core::time::Duration;

use crate::{Clock, Instant, Stamp};

pub const TIMEOUT: Duration = Duration::from_millis(500);

pub fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// 100 s and `millis`.
pub fn wall(millis: i64) -> Stamp {
    let nanos = 100_000_000_000 + millis * 1_000_000;
    Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
}

/// A clock at `at` ms, where the wall clock reads 100 s and `reading` ms.
pub fn clock_reading(at: u64, reading: i64) -> Clock {
    let mut clock = Clock::default();
    clock.read(Instant::from_millis(at), wall(reading));
    clock.pass_to(Instant::from_millis(at), None);
    clock
}

/// A clock at `at` ms, where the wall clock reads 100 s and `at` ms.
pub fn clock(at: u64) -> Clock {
    clock_reading(at, at as i64)
}
