//! The time since this computer started, with the time that it was suspended.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// What time it is: since the start of this computer, suspended or not.
///
/// # Source
/// Own: `std::time::Instant` stands still while Linux is suspended, so a level of before would be as fresh as ever when the
/// computer wakes up.
pub(crate) fn now() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let part = |part: i64| u64::try_from(part).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_computer_s_uptime() {
        // The kernel's own word, which counts suspend too; in hundredths of a second.
        let uptime = || {
            let text = std::fs::read_to_string("/proc/uptime").unwrap();
            Duration::from_secs_f64(text.split(' ').next().unwrap().parse().unwrap())
        };
        let hundredth = Duration::from_millis(10);
        let (before, time, after) = (uptime(), now(), uptime());
        assert!(before <= time + hundredth && time <= after + 2 * hundredth, "{before:?} {time:?} {after:?}");
    }
}
