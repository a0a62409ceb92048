//! Times for tests: the boot's clock and the wall clock go on together, 100 s apart.

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

/// A clock at `at` ms, where the wall clock says 100 s and `said` ms.
pub fn clock_saying(at: u64, said: i64) -> Clock {
    let mut clock = Clock::default();
    clock.read(Instant::from_millis(at), wall(said));
    clock.pass_to(Instant::from_millis(at), None);
    clock
}

/// A clock at `at` ms, where the wall clock says 100 s and as many.
pub fn clock(at: u64) -> Clock {
    clock_saying(at, at as i64)
}
