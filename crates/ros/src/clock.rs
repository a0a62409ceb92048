//! The clocks: monotonic for machines and time-outs; for stamps the wall clock, or `/clock` if the process has simulated time.
#![allow(clippy::disallowed_methods)] // the ban on these calls names this module as the one place that may make them

use std::sync::{Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use safety::{ClockAnomaly, ClockReading, Instant, SimulatedTime, Stamp};

use crate::panics::lock;

/// The simulated time of the process, if it has one. Its lock is held for a few instructions.
static SIMULATED: OnceLock<Mutex<SimulatedTime>> = OnceLock::new();

/// The time since the computer was booted, including the time that it was suspended. A machine sees a suspend as a hold, so a
/// command from before it has its true age. Simulated time does not change it.
pub fn now() -> Instant {
    Instant::ZERO + boot_clock::now()
}

/// The stamp of what is measured or happens now. In simulated time it is what `/clock` showed last, and zero before that.
pub fn stamp() -> Stamp {
    SIMULATED.get().map_or_else(wall, |time| lock(time).stamp())
}

/// The clock that the stamps of messages are compared with, and whether it is reliable.
pub fn reading() -> ClockReading {
    SIMULATED.get().map_or_else(|| wall().into(), |time| lock(time).reading(now()))
}

/// Why the clock of stamps is not reliable.
pub(crate) fn anomaly() -> Option<ClockAnomaly> {
    lock(SIMULATED.get()?).anomaly(now())
}

/// The simulated time, which stamps follow from now on.
pub(crate) fn simulate() -> &'static Mutex<SimulatedTime> {
    SIMULATED.get_or_init(Mutex::default)
}

/// The wall clock as a ROS stamp. A clock before 1970 or after 2038 gives the nearest valid stamp.
pub fn wall() -> Stamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    match i32::try_from(since.as_secs()) {
        Ok(sec) => Stamp { sec, nanosec: since.subsec_nanos() },
        Err(_) => Stamp { sec: i32::MAX, nanosec: 999_999_999 },
    }
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
