//! What time it is, for machines and for stamps.
#![allow(clippy::disallowed_methods)] // this is the lawful place that the ban points to

use std::time::{SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use units::{Instant, Stamp};

/// The time since the computer was booted, also that in which it was suspended: a machine takes that for a hold, and a command
/// of before is as old as it is.
pub fn now() -> Instant {
    Instant::ZERO + boot_clock::now()
}

/// The wall clock as ROS stamps it. A clock before 1970 or after 2038 gives the nearest stamp there is.
pub fn stamp() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match i32::try_from(since.as_secs()) {
        Ok(sec) => Stamp { sec, nanosec: since.subsec_nanos() },
        Err(_) => Stamp { sec: i32::MAX, nanosec: 999_999_999 },
    }
}

/// A stamp as the wire has it.
pub fn to_wire(stamp: Stamp) -> Time {
    Time { sec: stamp.sec, nanosec: stamp.nanosec }
}

/// A stamp from the wire. Nanoseconds beyond a second, which nobody may send, count as the last one of it.
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
