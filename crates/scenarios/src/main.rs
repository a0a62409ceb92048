//! `scenarios play SEED COUNT SETUP [FIRST] [SECONDS]` plays `COUNT` episodes from number `FIRST` on, for `SECONDS` at most, to
//! the vehicle of the parent process, see [`wire`]. `scenarios cuts SEED COUNT` prints the durations of `COUNT` cuts of a link
//! in seconds.

mod wire;

use std::io::Write;
use std::process::ExitCode;

use scenarios::{Dice, Fault, Setup, World};

use crate::wire::Wire;

/// How often in total an episode is repeated that failed because the parent process was late.
const MAX_REPEATS: u32 = 5;

const USAGE: &str = "usage: scenarios play SEED COUNT hindbrain|together|apart [FIRST] [SECONDS], or scenarios cuts SEED COUNT";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |index: usize| words.get(index).and_then(|word| word.parse::<usize>().ok());
    let seed = words.get(1).and_then(|word| word.parse::<u64>().ok());
    let done = match (words.first(), seed, number(2)) {
        (Some(&"play"), Some(seed), Some(count)) => match words.get(3).map(|word| word.parse::<Setup>()) {
            Some(Ok(setup)) => {
                play(seed, count, setup, number(4).unwrap_or(0), number(5).unwrap_or(usize::MAX))
            }
            _ => Err(USAGE.into()),
        },
        (Some(&"cuts"), Some(seed), Some(count)) => cuts(seed, count),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}

fn play(seed: u64, count: usize, setup: Setup, first: usize, seconds: usize) -> Result<(), String> {
    let mut world = World::new(Wire::default(), setup);
    let mut again = 0;
    while let Err(what) = world.start() {
        repeat(&mut world, &mut again, what)?;
    }
    for (number, episode) in Dice::new(seed, setup).enumerate().skip(first).take(count) {
        if world.millis() / 1000 >= seconds as u64 {
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
    let cuts = Dice::new(seed, Setup::Hindbrain)
        .filter(|one| one.faults.len() == 1 && one.faults.iter().any(|one| one.fault == Fault::LinkCut));
    let mut out = std::io::stdout().lock();
    cuts.take(count).try_for_each(|one| writeln!(out, "{:.3}", one.lasts)).map_err(|error| error.to_string())
}
