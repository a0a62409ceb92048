use core::fmt;
use core::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Drives a small simulated robot through the whole chain: stick, arbiter, zones, hindbrain, motors.

Usage: demo [--headless] [--seconds N] [--separate]

  --headless   no screen: drives the scripted course once, prints a table, and last `demo: ok` (exit code 0) or
               what failed (exit code 1)
  --seconds N  length of the scripted course in seconds, 12 to 3600, default 20
  --separate   runs each node as a process of its own instead of `steersman`, which runs them in one
  --help       prints this

A connected gamepad drives (left stick, while button 5 is held). Without one, and always with --headless, a virtual
stick stands in, moved by the keys or by the course; the course begins when no key was pressed for five seconds.
The demo and its nodes stay on this machine, in a ROS domain of their own; STEERSMAN_DOMAIN (0 to 232) chooses it.";

/// The course's lengths that make sense: below, a stop has no time to be seen.
const SECONDS: core::ops::RangeInclusive<u64> = 12..=3600;
const DEFAULT_SECONDS: u64 = 20;

/// What the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To read what there is to ask for.
    Help,
    /// To see the demo.
    Demo(Arguments),
}

/// How the demo runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// Without a screen, the course once.
    pub headless: bool,
    /// How long the course takes.
    pub length: Duration,
    /// Each node in a process of its own.
    pub separate: bool,
}

/// What cannot be understood of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misunderstood {
    /// There is no such option.
    Unknown(String),
    /// `--seconds` came last.
    NoSeconds,
    /// `--seconds` with something that is no length of a course.
    Seconds(String),
}

impl fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(what) => write!(f, "there is no option '{what}'; --help lists them"),
            Self::NoSeconds => f.write_str("--seconds needs a number behind it"),
            Self::Seconds(what) => {
                let (least, most) = (SECONDS.start(), SECONDS.end());
                write!(f, "--seconds is '{what}', must be a whole number from {least} to {most} s")
            }
        }
    }
}

/// Reads a command line without the program's name.
/// # Errors
/// [`Misunderstood`] tells the first thing that is none of the options.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Asked, Misunderstood> {
    let mut read =
        Arguments { headless: false, length: Duration::from_secs(DEFAULT_SECONDS), separate: false };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(Asked::Help),
            "--headless" => read.headless = true,
            "--separate" => read.separate = true,
            "--seconds" => {
                let value = arguments.next().ok_or(Misunderstood::NoSeconds)?;
                read.length = seconds(&value)?;
            }
            other => match other.strip_prefix("--seconds=") {
                Some(value) => read.length = seconds(value)?,
                None => return Err(Misunderstood::Unknown(argument)),
            },
        }
    }
    Ok(Asked::Demo(read))
}

fn seconds(value: &str) -> Result<Duration, Misunderstood> {
    match value.parse() {
        Ok(seconds) if SECONDS.contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => Err(Misunderstood::Seconds(value.into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Asked, Misunderstood> {
        read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn nothing_said_is_the_screen_with_a_course_of_twenty_seconds() {
        let length = Duration::from_secs(20);
        assert_eq!(read_line(""), Ok(Asked::Demo(Arguments { headless: false, length, separate: false })));
    }

    #[test]
    fn options_come_in_any_order_and_both_spellings() {
        let length = Duration::from_secs(30);
        let all = Ok(Asked::Demo(Arguments { headless: true, length, separate: true }));
        assert_eq!(read_line("--headless --seconds 30 --separate"), all);
        assert_eq!(read_line("--separate --seconds=30 --headless"), all);
        assert_eq!(read_line("--headless --help"), Ok(Asked::Help));
    }

    #[test]
    fn what_cannot_be_understood_is_told_in_one_sentence() {
        for (line, sentence) in [
            ("--fast", "there is no option '--fast'; --help lists them"),
            ("--seconds", "--seconds needs a number behind it"),
            ("--seconds 11", "--seconds is '11', must be a whole number from 12 to 3600 s"),
            ("--seconds=-1", "--seconds is '-1', must be a whole number from 12 to 3600 s"),
            ("--seconds 3601", "--seconds is '3601', must be a whole number from 12 to 3600 s"),
        ] {
            assert_eq!(read_line(line).unwrap_err().to_string(), sentence);
        }
    }
}
