//! The only place where a clock is read that time-outs are measured by.
#![forbid(unsafe_code)]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The time since this computer was booted, also that in which it was suspended.
///
/// # Source
/// Own: `std::time::Instant` stands still while Linux is suspended, so a command of before would be as fresh as ever when the
/// computer wakes up.
pub fn now() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative since the boot.
    let part = |part: i64| u64::try_from(part).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
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
            return println!("now {} ", now().as_secs());
        }
        let output = std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "--time", "--boottime", "1000000", "--"])
            .arg(std::env::current_exe().unwrap())
            .args(["tests::time_goes_on_while_the_computer_is_suspended", "--exact", "--nocapture"])
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
        let ahead = read.unwrap() - now().as_secs();
        assert!((999_990..=1_000_000).contains(&ahead), "{ahead}");
    }
}
