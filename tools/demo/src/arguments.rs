use core::time::Duration;

use clap::{Parser, value_parser};

/// Drives a small simulated robot through the whole chain: stick, arbiter, zones, hindbrain, motors.
///
/// A connected gamepad drives (left stick, while button 5 is held). Without one, and always with --headless, a virtual stick stands
/// in, moved by the keys or by a script; the script begins when no key was pressed for five seconds. The demo and its nodes stay on
/// this machine, in a ROS domain of their own; STEERSMAN_DOMAIN (0 to 232) chooses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Parser)]
#[command(name = "demo")]
pub struct Arguments {
    /// No screen: plays the script once, prints a table, and last `demo: ok` (exit code 0) or what failed (exit code 1).
    #[arg(long)]
    pub headless: bool,
    /// Length of the script in seconds; in a shorter one than 12 s a stop has no time to be seen.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = value_parser!(u64).range(12..=3600))]
    pub seconds: u64,
    /// Shows the controller manager instead: a simulated arm of two joints, whose controllers are loaded, switched and unloaded.
    #[arg(long, conflicts_with = "separate")]
    pub arm: bool,
    /// Shows a hand with a HAPTIX interface instead: it grasps a ball, and its contact sensors feel it.
    #[arg(long, conflicts_with_all = ["separate", "arm"])]
    pub hand: bool,
    /// Runs each node as a process of its own instead of `steersman`, which runs them in one.
    #[arg(long)]
    pub separate: bool,
}

impl Arguments {
    /// Length of the script.
    pub fn length(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::try_parse_from(["demo"].into_iter().chain(line.split_whitespace()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn options_come_in_any_order_and_both_spellings() {
        let none = Arguments { headless: false, seconds: 20, arm: false, hand: false, separate: false };
        assert_eq!(read(""), Ok(none));
        let all = Ok(Arguments { headless: true, seconds: 30, separate: true, ..none });
        assert_eq!(read("--headless --seconds 30 --separate"), all);
        assert_eq!(read("--separate --seconds=30 --headless"), all);
        assert_eq!(read("--arm --headless"), Ok(Arguments { headless: true, arm: true, ..none }));
        assert_eq!(read("--headless --hand"), Ok(Arguments { headless: true, hand: true, ..none }));
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_its_range() {
        for (line, part) in [
            ("--fast", "--fast"),
            ("--seconds 11", "11 is not in 12..=3600"),
            ("--seconds", "<N>"),
            ("--arm --separate", "--separate"),
            ("--hand --separate", "--separate"),
            ("--hand --arm", "--arm"),
        ] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}
