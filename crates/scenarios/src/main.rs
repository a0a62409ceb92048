//! `scenarios SEED COUNT`: so many episodes, one a line, for tests in other languages.

use std::io::Write;
use std::process::ExitCode;

use scenarios::Dice;

fn main() -> ExitCode {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let [seed, count] = numbers[..] else {
        eprintln!("usage: scenarios SEED COUNT, two whole numbers");
        return ExitCode::from(2);
    };
    let mut out = std::io::stdout().lock();
    for episode in Dice::new(seed).take(usize::try_from(count).unwrap_or(usize::MAX)) {
        if writeln!(out, "{episode}").is_err() {
            return ExitCode::FAILURE; // nobody reads any more
        }
    }
    ExitCode::SUCCESS
}
