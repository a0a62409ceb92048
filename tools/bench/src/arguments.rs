use core::time::Duration;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum, value_parser};

/// Measures what the nodes cost and how quick they are, most of it over DDS beside bare r2r processes, and prints a table in Markdown
/// for each measurement.
///
/// The exit code is 0 if all could be measured, whatever the figures; otherwise 1, for example when the motors never stop.
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "bench")]
pub struct Arguments {
    /// The only measurement to make; without it all are made.
    #[arg(long, value_enum)]
    pub only: Option<Subject>,
    /// Length of one measurement of `chain` and of each step of a pure crate in seconds.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u64).range(1..=10))]
    pub seconds: u64,
    /// How often each subject of `chain` is measured, in turns.
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = value_parser!(u32).range(1..=100))]
    pub rounds: u32,
    /// How often each reaction is tried, in turns; 200 trials of all five take a quarter of an hour.
    #[arg(long, value_name = "M", default_value_t = 200, value_parser = value_parser!(u32).range(1..=10_000))]
    pub reactions: u32,
    /// A document in which the cells of the tables between `<!-- bench: NAME -->` and `<!-- end -->` are renewed; it chooses tables,
    /// rows and columns.
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

/// Subject of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// How long a stick event takes to /motor/port, and what it costs: in one process and in four, each beside a bare chain of as many
    /// messages.
    Chain,
    /// How long hindbrain takes to stop both motors from full speed, for each of five reasons.
    Reactions,
    /// Cost of the nodes while nothing moves, beside a bare relay and a bare loop.
    Idle,
    /// A stick scaled, a scan and a cloud turned into a zone scaling, without DDS.
    Zones,
    /// The control loop of `mechanism`: its steps, how late it wakes up beside a bare loop, at rest and under calls, how long calls
    /// take, and what the node costs.
    Loop,
    /// A HAPTIX hand: a step of the analytic hand, an update and a command over DDS beside a bare node, the jitter of its loop beside a
    /// bare loop, and MuJoCo's step beside MuJoCo's own.
    Hand,
    /// A command through the arbiter, and a stick event to the motor value inside the crate `drive_chain`, without DDS.
    Drive,
    /// How long a process takes from its start to its first message, beside a bare one.
    Start,
}

/// A process that is a part of what is measured: the bench starts itself as one.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
#[command(name = "bench", about = "A part of what is measured.")]
pub enum Part {
    /// Publishes each stick state of the topic `from` on `to`, as a TwistStamped with the time of its receipt.
    Stamp { from: String, to: String },
    /// Publishes each message of `from` on `to`, unchanged and at once.
    Relay { from: String, to: String },
    /// Wakes up so many times a second and publishes a zero on each of `topics`.
    Loop {
        #[arg(value_parser = value_parser!(u32).range(1..=1000))]
        rate: u32,
        topics: Vec<String>,
    },
    /// Answers one service at once, as a controller manager would.
    Service,
    /// Answers each HAPTIX command at once with a reading, as a node without a hand.
    BareHand,
}

/// Measures the nodes and machines, and prints tables; the subcommands are the processes that it starts for that.
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(flatten)]
    pub bench: Arguments,
    #[command(subcommand)]
    pub part: Option<Part>,
}

impl Arguments {
    /// Whether `subject` is to be measured.
    pub fn asks_for(&self, subject: Subject) -> bool {
        self.only.is_none_or(|only| only == subject)
    }

    /// Length of one measurement.
    pub fn window(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn read(line: &str) -> Result<CommandLine, String> {
        CommandLine::try_parse_from(["bench"].into_iter().chain(line.split_whitespace()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_declaration_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn one_can_be_measured_alone() {
        let all = read("--rounds 5").unwrap().bench;
        assert!(Subject::value_variants().iter().all(|&subject| all.asks_for(subject)));
        assert_eq!((all.rounds, all.window()), (5, Duration::from_secs(4)));
        let one = read("--reactions 7 --only reactions").unwrap().bench;
        assert!(one.asks_for(Subject::Reactions) && !one.asks_for(Subject::Chain));
        assert_eq!(one.reactions, 7);
    }

    #[test]
    fn a_part_knows_its_topics() {
        let relay = Part::Relay { from: "/a".into(), to: "/b".into() };
        assert_eq!(read("relay /a /b").unwrap().part, Some(relay));
        assert_eq!(read("loop 50").unwrap().part, Some(Part::Loop { rate: 50, topics: Vec::new() }));
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_name_and_range() {
        for (line, part) in [
            ("--seconds 11", "11 is not in 1..=10"),
            ("--only motors", "possible values: chain, reactions, idle, zones, loop, hand, drive, start"),
            ("--fast", "--fast"),
            ("relay /a", "<TO>"),
            ("loop 1001", "1001 is not in 1..=1000"),
        ] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}
