use core::fmt;
use core::ops::RangeInclusive;
use core::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Measures six things, four of them over real DDS beside bare r2r processes, and prints a table in Markdown for each:

latencies  how long a stick event takes to /motor/port, at 200 events a second: in one process (steersman) and in
           separate ones, each beside a bare relay chain of as many messages
reactions  how long hindbrain takes to stop both motors from full speed: e-stop pressed, enable false, cmd_vel silent,
           infra-red blocked, e-stop silent; each against its bound and beside a bare relay
pads       the joystick node: stick event to each of its topics, beside a bare relay; from unplugging to all that is let
           go; what 0, 1 and 8 pads cost; a log at 1 kHz
idle       what the nodes cost while nothing moves, beside a bare relay and a bare loop
zones      a stick classified and scaled, a scan of 360 points and a cloud of 24,000 turned into a zone scaling, without
           DDS; each beside the least that has to be done with it
drive      a command through the arbiter, and a stick event to the motor value inside `drive`, without DDS: time beside
           the least that has to be done, allocations, and instructions where valgrind is installed

Usage: bench [--only latencies|reactions|pads|idle|zones|drive] [--seconds N] [--rounds K] [--reactions M] [--unplugs U]

  --only WHAT    measures one of the six
  --seconds N    length of one measurement of latencies and pads in seconds, 1 to 10, default 4
  --rounds K     how often each subject of latencies and pads is measured, in turns, 1 to 100, default 3
  --reactions M  how often each reaction is tried, in turns, 1 to 10000, default 200
  --unplugs U    how often a pad is unplugged, 1 to 10000, default 200
  --help         prints this

A measurement of latencies takes about four seconds more than N, a trial of all five reactions five: 200 take a quarter of
an hour. The exit code is 0 if all could be measured, whatever the figures; else, as when the motors never stop, 1.";

/// Longer ones would not fit the recorder's 2048 samples; more rounds say more anyway.
const SECONDS: RangeInclusive<u32> = 1..=10;
const ROUNDS: RangeInclusive<u32> = 1..=100;
const REACTIONS: RangeInclusive<u32> = 1..=10_000;
const UNPLUGS: RangeInclusive<u32> = 1..=10_000;
const STEPS: RangeInclusive<u32> = 1..=1_000_000;

/// What there is to measure.
const SUBJECTS: [&str; 6] = ["latencies", "reactions", "pads", "idle", "zones", "drive"];

/// What the user asks for, or the bench that starts itself as a part of what is measured.
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
    /// To wake up so many times a second and do nothing.
    Sleeper(u32),
    /// To be a joystick node with pads that move by themselves.
    Loaded {
        /// How many pads.
        pads: u32,
        /// How often each is moved \[Hz]; 0 never.
        rate: u32,
    },
    /// To do one of the things that `drive` measures, for somebody else to count.
    Steps {
        /// Which one, from 0.
        case: u32,
        /// How often.
        count: u32,
    },
}

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// How to measure latencies, if at all.
    pub latencies: Option<Latencies>,
    /// How often each reaction is tried, if at all.
    pub reactions: Option<u32>,
    /// How to measure the joystick node, if at all.
    pub pads: Option<Pads>,
    /// Whether to measure what the nodes cost at rest.
    pub idle: bool,
    /// Whether to measure what the zones cost.
    pub zones: bool,
    /// Whether to measure what the arbiter and the drive cost.
    pub drive: bool,
}

/// How to measure the joystick node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pads {
    /// How long one measurement takes.
    pub window: Duration,
    /// How often the way to the topics is measured.
    pub rounds: u32,
    /// How often a pad is unplugged.
    pub unplugs: u32,
}

/// How to measure latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
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
    /// There is nothing of this name to measure.
    Subject(String),
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
            Self::Subject(what) => {
                write!(f, "--only is '{what}', must be latencies, reactions, pads, idle, zones or drive")
            }
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
    let mut latencies = Latencies { window: Duration::from_secs(4), rounds: 3 };
    let (mut reactions, mut unplugs) = (200, 200);
    let mut only = None;
    while let Some(argument) = arguments.next() {
        let mut value = |option| arguments.next().ok_or(Misunderstood::Missing(option));
        match argument.as_str() {
            "--help" | "-h" => return Ok(Asked::Help),
            "--seconds" => {
                let seconds = number("--seconds", value("--seconds")?, SECONDS)?;
                latencies.window = Duration::from_secs(seconds.into());
            }
            "--rounds" => latencies.rounds = number("--rounds", value("--rounds")?, ROUNDS)?,
            "--reactions" => reactions = number("--reactions", value("--reactions")?, REACTIONS)?,
            "--unplugs" => unplugs = number("--unplugs", value("--unplugs")?, UNPLUGS)?,
            "--only" => only = Some(value("--only")?),
            "source" => {
                let to = value("source")?;
                return Ok(Asked::Source { to, rate: number("source", value("source")?, 1..=1000)? });
            }
            "relay" => return Ok(Asked::Relay { from: value("relay")?, to: value("relay")? }),
            "loop" => return Ok(Asked::Sleeper(number("loop", value("loop")?, 1..=1000)?)),
            "pads" => {
                let pads = number("pads", value("pads")?, 0..=100)?;
                return Ok(Asked::Loaded { pads, rate: number("pads", value("pads")?, 0..=1000)? });
            }
            "steps" => {
                let case = number("steps", value("steps")?, 0..=100)?;
                return Ok(Asked::Steps { case, count: number("steps", value("steps")?, STEPS)? });
            }
            _ => return Err(Misunderstood::Unknown(argument)),
        }
    }
    let pads = Pads { window: latencies.window, rounds: latencies.rounds, unplugs };
    let is_asked = |what| only.as_deref().is_none_or(|only| only == what);
    if let Some(other) = only.as_deref().filter(|only| !SUBJECTS.contains(only)) {
        return Err(Misunderstood::Subject(other.into()));
    }
    Ok(Asked::Bench(Arguments {
        latencies: is_asked("latencies").then_some(latencies),
        reactions: is_asked("reactions").then_some(reactions),
        pads: is_asked("pads").then_some(pads),
        idle: is_asked("idle"),
        zones: is_asked("zones"),
        drive: is_asked("drive"),
    }))
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

    fn latencies(seconds: u64, rounds: u32) -> Option<Latencies> {
        Some(Latencies { window: Duration::from_secs(seconds), rounds })
    }

    fn pads(seconds: u64, rounds: u32) -> Option<Pads> {
        Some(Pads { window: Duration::from_secs(seconds), rounds, unplugs: 200 })
    }

    fn bench(
        latencies: Option<Latencies>,
        reactions: Option<u32>,
        pads: Option<Pads>,
    ) -> Result<Asked, Misunderstood> {
        let all = latencies.is_some() && reactions.is_some();
        Ok(Asked::Bench(Arguments { latencies, reactions, pads, idle: all, zones: all, drive: all }))
    }

    #[test]
    fn options_come_in_any_order() {
        assert_eq!(read_line(""), bench(latencies(4, 3), Some(200), pads(4, 3)));
        assert_eq!(read_line("--rounds 5 --seconds 2"), bench(latencies(2, 5), Some(200), pads(2, 5)));
        assert_eq!(read_line("--reactions 20 --rounds 5"), bench(latencies(4, 5), Some(20), pads(4, 5)));
        assert_eq!(read_line("--rounds 5 --help"), Ok(Asked::Help));
    }

    #[test]
    fn one_can_be_measured_alone() {
        assert_eq!(read_line("--only reactions --reactions 7"), bench(None, Some(7), None));
        assert_eq!(read_line("--rounds 1 --only latencies"), bench(latencies(4, 1), None, None));
        let few = Pads { unplugs: 5, ..pads(4, 3).unwrap() };
        assert_eq!(read_line("--only pads --unplugs 5"), bench(None, None, Some(few)));
        let none = Arguments {
            latencies: None,
            reactions: None,
            pads: None,
            idle: false,
            zones: false,
            drive: false,
        };
        let zones = Arguments { zones: true, ..none };
        assert_eq!(read_line("--only zones"), Ok(Asked::Bench(zones)));
        assert_eq!(read_line("--only idle"), Ok(Asked::Bench(Arguments { idle: true, ..none })));
        let drive = Arguments { drive: true, ..none };
        assert_eq!(read_line("--only drive"), Ok(Asked::Bench(drive)));
        assert_eq!(read_line("pads 8 125 --ros-args"), Ok(Asked::Loaded { pads: 8, rate: 125 }));
    }

    #[test]
    fn steps_are_counted_by_somebody_else() {
        assert_eq!(read_line("steps 4 5000"), Ok(Asked::Steps { case: 4, count: 5000 }));
        let sentence = "steps is '0', must be a whole number from 1 to 1000000";
        assert_eq!(read_line("steps 4 0").unwrap_err().to_string(), sentence);
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
            ("--reactions 0", "--reactions is '0', must be a whole number from 1 to 10000"),
            ("--only motors", "--only is 'motors', must be latencies, reactions, pads, idle, zones or drive"),
            ("relay /a", "relay needs a value behind it"),
        ] {
            assert_eq!(read_line(line).unwrap_err().to_string(), sentence);
        }
    }
}
