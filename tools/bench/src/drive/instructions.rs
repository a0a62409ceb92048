//! The instructions of a step, counted by valgrind, which needs no hardware counter: most virtual machines
//! have none.

use std::hint::black_box;
use std::io;
use std::process::Command;

use ros::Error;

use super::case::CASES;

/// Enough to average over periodic work.
const STEPS: u32 = 5000;
/// Steps before the counted ones, by which every buffer has its final size.
const REHEARSED: u32 = 500;

/// The instructions of one step of the case `index`: those of [`counted`], in this executable as a process of its own.
/// # Errors
/// Why they cannot be counted.
pub fn of(index: usize) -> Result<f64, String> {
    let path = std::env::current_exe().map_err(|error| format!("the bench does not find itself: {error}"))?;
    let valgrind = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*::counted*"])
        .arg(path)
        .args(["steps", &index.to_string(), &STEPS.to_string()])
        .output();
    let output = match valgrind {
        Ok(output) => output,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err("there is no valgrind".into()),
        Err(error) => return Err(format!("valgrind cannot be started: {error}")),
    };
    let text = String::from_utf8_lossy(&output.stderr);
    match collected(&text) {
        Some(0) => Err("valgrind finds no symbols in the bench".into()),
        Some(count) if output.status.success() => Ok(count as f64 / f64::from(STEPS)),
        _ => Err(format!("valgrind failed: {}", text.lines().last().unwrap_or("(no output)"))),
    }
}

/// The total count in the last lines of callgrind.
fn collected(output: &str) -> Option<u64> {
    let (_, count) = output.lines().find_map(|line| line.split_once("Collected :"))?;
    count.trim().parse().ok()
}

/// Does the case `index`, `count` times.
/// # Errors
/// There is no such case, or it does not do what it should.
pub fn run(index: u32, count: u32) -> Result<(), Error> {
    let case = CASES.get(index as usize).ok_or_else(|| Error::Start(format!("there is no case {index}")))?;
    let mut work = (case.work)()?;
    for number in 0..REHEARSED + count {
        work.before();
        match number < REHEARSED {
            true => work.once(),
            false => counted(|| work.once()),
        }
        work.after();
    }
    work.check()
}

/// A function of its own by whose name callgrind knows what to count.
#[inline(never)]
fn counted(run: impl FnOnce()) {
    run();
    black_box(()); // else it might be left before its end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_what_callgrind_says() {
        let output = "==12== Events    : Ir\n==12== Collected : 125082257\n==12== \n==12== I   refs:      125,082,257\n";
        assert_eq!(collected(output), Some(125_082_257));
        assert_eq!(collected("valgrind: bench: command not found\n"), None);
    }

    #[test]
    fn a_case_that_is_not_there_is_told() {
        assert_eq!(run(99, 1).unwrap_err().to_string(), "there is no case 99");
        assert!(run(0, 10).is_ok());
    }
}
