//! `scenarios SEED COUNT SETUP`: so many episodes, one a line, for tests in other languages.

use std::io::Write;
use std::process::ExitCode;

use scenarios::{Dice, Setup};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match &arguments[..] {
        [seed, count, setup] => {
            seed.parse::<u64>().ok().zip(count.parse().ok()).zip(setup.parse::<Setup>().ok())
        }
        _ => None,
    };
    let Some(((seed, count), setup)) = parsed else {
        eprintln!(
            "usage: scenarios SEED COUNT hindbrain|together|apart, two whole numbers and what there is of the chain"
        );
        return ExitCode::from(2);
    };
    let mut out = std::io::stdout().lock();
    for episode in Dice::new(seed, setup).take(count) {
        if writeln!(out, "{episode}").is_err() {
            return ExitCode::FAILURE; // nobody reads any more
        }
    }
    ExitCode::SUCCESS
}
