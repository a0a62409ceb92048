//! The clocks: monotonic for machines, wall clock for stamps.
#![allow(clippy::disallowed_methods)] // the ban on these calls names this module as the one place that may make them

use std::time::{SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use safety::{ClockReading, Instant, Stamp};

/// The time since the computer was booted, including the time that it was suspended. A machine sees a suspend as a hold, so a
/// command from before it has its true age.
pub fn now() -> Instant {
    Instant::ZERO + boot_clock::now()
}

/// The wall clock as a ROS stamp. A clock before 1970 or after 2038 gives the nearest valid stamp.
pub fn stamp() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match i32::try_from(since.as_secs()) {
        Ok(sec) => Stamp { sec, nanosec: since.subsec_nanos() },
        Err(_) => Stamp { sec: i32::MAX, nanosec: 999_999_999 },
    }
}

/// The clock that the stamps of messages are compared with.
pub fn reading() -> ClockReading {
    stamp().into()
}

/// A stamp as a message.
pub fn to_wire(stamp: Stamp) -> Time {
    Time { sec: stamp.sec, nanosec: stamp.nanosec }
}

/// A stamp from a message. Nanoseconds beyond a second, which no publisher may send, count as the last nanosecond of it.
pub fn from_wire(time: &Time) -> Stamp {
    Stamp { sec: time.sec, nanosec: time.nanosec.min(999_999_999) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_keeps_its_value_on_the_wire() {
        let stamp = Stamp { sec: -1, nanosec: 5 };
        assert_eq!(from_wire(&to_wire(stamp)), stamp);
        assert_eq!(from_wire(&Time { sec: 1, nanosec: u32::MAX }).nanosec, 999_999_999);
    }
}
