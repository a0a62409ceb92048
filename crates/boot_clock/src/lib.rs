//! The clock of all time-outs, read only here.
#![forbid(unsafe_code)]

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The time since this computer was booted, including suspend.
///
/// # Source
/// Own: `std::time::Instant` stands still while Linux is suspended, so an old command would still be fresh when the computer
/// wakes up.
pub fn now() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    // Neither part is negative.
    let part = |part: i64| u64::try_from(part).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_does_not_go_back() {
        let (a, b) = (now(), now());
        assert!(b >= a);
    }

    /// Set for the test below when it runs itself in another time namespace.
    const READS: &str = "STEERSMAN_TEST_READS_CLOCK";

    /// The test cannot suspend the computer. It simulates a suspend of 10^6 s: a time namespace whose boot time is ahead of the
    /// monotonic one by that.
    #[test]
    fn time_advances_while_the_computer_is_suspended() {
        if std::env::var_os(READS).is_some() {
            return println!("now {} ", now().as_secs());
        }
        let output = std::process::Command::new("unshare")
            .args(["--user", "--map-root-user", "--time", "--boottime", "1000000", "--"])
            .arg(std::env::current_exe().unwrap())
            .args(["tests::time_advances_while_the_computer_is_suspended", "--exact", "--nocapture"])
            .env(READS, "1")
            .output();
        let Some(output) = output.ok().filter(|output| output.status.success()) else {
            assert!(
                std::env::var_os("CI").is_none(),
                "no time namespace is available, but CI has to test this"
            );
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let read = text.split_once("now ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
        let ahead = read.unwrap() - now().as_secs();
        assert!((999_990..=1_000_000).contains(&ahead), "{ahead}");
    }
}
