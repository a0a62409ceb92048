//! Plays the scenarios over DDS: the vehicle is the parent process, see [`wire`].

mod wire;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use scenarios::{Episodes, Fault, Setup, World};

use crate::wire::Wire;

/// How often in total an episode is repeated that failed because the parent process was late.
const MAX_REPEATS: u32 = 5;

/// Plays random faults to a vehicle, which is the parent process.
#[derive(Debug, PartialEq, Eq, Parser)]
#[command(name = "scenarios")]
enum Arguments {
    /// Plays episodes: messages go to the standard output, what the vehicle does comes from the standard input.
    Play {
        seed: u64,
        /// The number of episodes.
        count: usize,
        /// The parts of the chain.
        setup: Setup,
        /// The number of the first episode.
        #[arg(default_value_t = 0)]
        first: usize,
        /// Begin no episode after this many seconds.
        #[arg(default_value_t = u64::MAX)]
        seconds: u64,
    },
    /// Prints the durations of link cuts \[s].
    Cuts {
        seed: u64,
        /// The number of cuts.
        count: usize,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse() {
        Arguments::Play { seed, count, setup, first, seconds } => play(seed, count, setup, first, seconds),
        Arguments::Cuts { seed, count } => cuts(seed, count),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn play(seed: u64, count: usize, setup: Setup, first: usize, seconds: u64) -> Result<(), String> {
    let mut world = World::new(Wire::default(), setup);
    let mut again = 0;
    while let Err(what) = world.start() {
        repeat(&mut world, &mut again, what)?;
    }
    for (number, episode) in Episodes::new(seed, setup).enumerate().skip(first).take(count) {
        if world.millis() / 1000 >= seconds {
            break;
        }
        let which = format!("seed {seed}, {setup}, episode {number} ({episode})");
        world.vehicle_mut().send(&format!("episode {which}"));
        while let Err(what) = world.play(&episode) {
            repeat(&mut world, &mut again, format!("{which}: {what}"))?;
            while let Err(what) = world.restore(&episode) {
                repeat(&mut world, &mut again, format!("{which}, its end: {what}"))?;
            }
        }
        world.vehicle_mut().was_late();
    }
    Ok(())
}

/// Allows a repetition if the parent process was late, which is another fault by itself; otherwise returns the failure.
fn repeat(world: &mut World<Wire>, again: &mut u32, what: String) -> Result<(), String> {
    if !world.vehicle_mut().was_late() || *again == MAX_REPEATS {
        return Err(what);
    }
    *again += 1;
    eprintln!("late, once more: {what}");
    Ok(())
}

fn cuts(seed: u64, count: usize) -> Result<(), String> {
    let cuts = Episodes::new(seed, Setup::Hindbrain)
        .filter(|one| one.faults.len() == 1 && one.faults.iter().any(|one| one.fault == Fault::LinkCut));
    let mut out = std::io::stdout().lock();
    cuts.take(count).try_for_each(|one| writeln!(out, "{:.3}", one.lasts)).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_declaration_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_setup_is_read_or_refused() {
        let read = |line: &str| Arguments::try_parse_from(["scenarios"].into_iter().chain(line.split(' ')));
        let play = Arguments::Play { seed: 7, count: 3, setup: Setup::Apart, first: 0, seconds: u64::MAX };
        assert_eq!(read("play 7 3 apart").unwrap(), play);
        let refused = read("play 7 3 aside").unwrap_err().to_string();
        assert!(refused.contains("[possible values: hindbrain, together, apart]"), "{refused}");
    }
}
