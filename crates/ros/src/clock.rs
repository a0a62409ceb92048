//! The only place where a clock is read.
#![allow(clippy::disallowed_methods)] // this is the lawful place that the ban points to

use std::time::{SystemTime, UNIX_EPOCH};

use r2r::builtin_interfaces::msg::Time;
use rustix::time::{ClockId, clock_gettime};
use units::{Instant, Stamp};

/// The time since the computer was booted, also that in which it was suspended: a machine takes that for a hold, and a command
/// of before is as old as it is.
pub fn now() -> Instant {
    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative since the boot.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Instant::from_nanos(
        seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(time.tv_nsec).unwrap_or(0)),
    )
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
    fn time_does_not_run_backwards() {
        let (a, b) = (now(), now());
        assert!(b >= a);
    }

    /// What the test below reads from itself in another time namespace.
    const READS: &str = "STEERSMAN_TEST_READS_CLOCK";

    /// A suspend cannot be had here, but a computer that was suspended for 10^6 s: there the boot time is ahead of the
    /// monotonic one by that.
    #[test]
    fn time_goes_on_while_the_computer_is_suspended() {
        if std::env::var_os(READS).is_some() {
            return println!("now {} ", now().as_nanos() / 1_000_000_000);
        }
        let name = "clock::tests::time_goes_on_while_the_computer_is_suspended";
        let output = std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "--time", "--boottime", "1000000", "--"])
            .arg(std::env::current_exe().unwrap())
            .args([name, "--exact", "--nocapture"])
            .env(READS, "1")
            .output();
        let Some(output) = output.ok().filter(|output| output.status.success()) else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no time namespace is to be had, and in CI this has to be tested"
            );
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let read = text.split_once("now ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
        let ahead = read.unwrap() - now().as_nanos() / 1_000_000_000;
        assert!((999_990..=1_000_000).contains(&ahead), "{ahead}");
    }

    #[test]
    fn a_stamp_keeps_its_value_on_the_wire() {
        let stamp = Stamp { sec: -1, nanosec: 5 };
        assert_eq!(from_wire(&to_wire(stamp)), stamp);
        assert_eq!(from_wire(&Time { sec: 1, nanosec: u32::MAX }).nanosec, 999_999_999);
    }
}
