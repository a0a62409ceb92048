use core::fmt;
use core::ops::RangeInclusive;
use core::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Measures how long a stick event takes to /motor/port, at 200 events a second: in one process (steersman) and in
separate ones, each beside a bare r2r relay chain of as many messages. Prints a table in Markdown.

Usage: bench [--seconds N] [--rounds K]

  --seconds N  length of one measurement in seconds, 1 to 10, default 4
  --rounds K   how often each subject is measured, in turns, 1 to 100, default 3
  --help       prints this

Each measurement takes about four seconds more than N. The exit code is 0 if all could be measured, else 1.";

/// Longer ones would not fit the recorder's 2048 samples; more rounds say more anyway.
const SECONDS: RangeInclusive<u32> = 1..=10;
const ROUNDS: RangeInclusive<u32> = 1..=100;

/// What the user, or the bench that starts itself as a part of the bare chain, asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To read what there is to ask for.
    Help,
    /// To measure.
    Bench(Arguments),
    /// To publish on the topic `to`, `rate` times a second.
    Source {
        /// The topic.
        to: String,
        /// How often \[Hz].
        rate: u32,
    },
    /// To publish on `to` what comes on `from`.
    Relay {
        /// The topic to listen to.
        from: String,
        /// The topic to publish on.
        to: String,
    },
}

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// How long one measurement takes.
    pub window: Duration,
    /// How often each subject is measured.
    pub rounds: u32,
}

/// What cannot be understood of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misunderstood {
    /// There is no such option.
    Unknown(String),
    /// An option without a value.
    Missing(&'static str),
    /// An option with a value that it cannot have.
    Number {
        /// The option.
        option: &'static str,
        /// What stands behind it.
        value: String,
        /// What may stand there.
        range: RangeInclusive<u32>,
    },
}

impl fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(what) => write!(f, "there is no option '{what}'; --help lists them"),
            Self::Missing(option) => write!(f, "{option} needs a value behind it"),
            Self::Number { option, value, range } => {
                let (least, most) = (range.start(), range.end());
                write!(f, "{option} is '{value}', must be a whole number from {least} to {most}")
            }
        }
    }
}

/// Reads a command line without the program's name.
/// # Errors
/// [`Misunderstood`] tells the first thing that is none of the options.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Asked, Misunderstood> {
    let mut arguments = arguments.into_iter();
    let mut read = Arguments { window: Duration::from_secs(4), rounds: 3 };
    while let Some(argument) = arguments.next() {
        let mut value = |option| arguments.next().ok_or(Misunderstood::Missing(option));
        match argument.as_str() {
            "--help" | "-h" => return Ok(Asked::Help),
            "--seconds" => {
                let seconds = number("--seconds", value("--seconds")?, SECONDS)?;
                read.window = Duration::from_secs(seconds.into());
            }
            "--rounds" => read.rounds = number("--rounds", value("--rounds")?, ROUNDS)?,
            "source" => {
                let to = value("source")?;
                return Ok(Asked::Source { to, rate: number("source", value("source")?, 1..=1000)? });
            }
            "relay" => return Ok(Asked::Relay { from: value("relay")?, to: value("relay")? }),
            _ => return Err(Misunderstood::Unknown(argument)),
        }
    }
    Ok(Asked::Bench(read))
}

fn number(option: &'static str, value: String, range: RangeInclusive<u32>) -> Result<u32, Misunderstood> {
    match value.parse() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(Misunderstood::Number { option, value, range }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Asked, Misunderstood> {
        read(line.split_whitespace().map(str::to_owned))
    }

    fn bench(seconds: u64, rounds: u32) -> Result<Asked, Misunderstood> {
        Ok(Asked::Bench(Arguments { window: Duration::from_secs(seconds), rounds }))
    }

    #[test]
    fn options_come_in_any_order() {
        assert_eq!(read_line(""), bench(4, 3));
        assert_eq!(read_line("--rounds 5 --seconds 2"), bench(2, 5));
        assert_eq!(read_line("--rounds 5 --help"), Ok(Asked::Help));
    }

    #[test]
    fn a_part_of_the_chain_knows_its_topics() {
        assert_eq!(read_line("source /a 200"), Ok(Asked::Source { to: "/a".into(), rate: 200 }));
        assert_eq!(read_line("relay /a /b"), Ok(Asked::Relay { from: "/a".into(), to: "/b".into() }));
    }

    #[test]
    fn what_cannot_be_understood_is_told_in_one_sentence() {
        for (line, sentence) in [
            ("--fast", "there is no option '--fast'; --help lists them"),
            ("--seconds", "--seconds needs a value behind it"),
            ("--seconds 11", "--seconds is '11', must be a whole number from 1 to 10"),
            ("--rounds -1", "--rounds is '-1', must be a whole number from 1 to 100"),
            ("relay /a", "relay needs a value behind it"),
        ] {
            assert_eq!(read_line(line).unwrap_err().to_string(), sentence);
        }
    }
}
