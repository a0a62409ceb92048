//! Child processes: run, watched, and classified by how they end.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use crate::report::{Failure, Outcome};

/// How a child ended, and its output.
pub struct Ended {
    /// It returned 0.
    pub success: bool,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("could not start {}: {error}", name(command)))
}

/// Runs it to the end and returns its output.
///
/// # Errors
/// When it cannot be started.
pub fn capture(command: &mut Command) -> Outcome<Ended> {
    watch(command, |_| {})
}

/// Runs it to the end, returns its output, and passes each line of its standard output on as it arrives.
///
/// # Errors
/// When it cannot be started.
pub fn watch(command: &mut Command, mut line_came: impl FnMut(&str)) -> Outcome<Ended> {
    let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.map_err(|e| cannot_start(command, &e))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (mut out, mut err) = (String::new(), String::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut bytes = Vec::new();
            let _ = stderr.map(|mut pipe| pipe.read_to_end(&mut bytes)); // A broken pipe only ends the text.
            err = String::from_utf8_lossy(&bytes).into_owned();
        });
        for line in stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok) {
            line_came(&line);
            out.push_str(&line);
            out.push('\n');
        }
    });
    let status = child.wait().map_err(|e| cannot_start(command, &e))?;
    Ok(Ended { success: status.success(), out, err })
}

/// Runs it with this process's output and returns whether it returned 0.
///
/// # Errors
/// When it cannot be started.
pub fn succeeds(command: &mut Command) -> Outcome<bool> {
    let status = command.status().map_err(|e| cannot_start(command, &e))?;
    Ok(status.success())
}

/// Runs it with this process's output.
///
/// # Errors
/// When it cannot be started; `sentence` when it fails.
pub fn require(command: &mut Command, sentence: &str) -> Outcome<()> {
    if succeeds(command)? { Ok(()) } else { Err(Failure::new(sentence)) }
}

/// Whether it can be started and returns 0, without output: for checking whether a tool is installed.
pub fn answers(command: &mut Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

/// Runs it with all its output in the file `log`; on failure the error has the end of that file.
///
/// # Errors
/// When it fails: `what` and the last lines of the log.
pub fn logged(command: &mut Command, log: &Path, what: &str) -> Outcome<()> {
    let open =
        || File::options().create(true).append(true).open(log).map_err(|e| Failure::io("write", log, &e));
    let status = command.stdout(open()?).stderr(open()?).status().map_err(|e| cannot_start(command, &e))?;
    if status.success() {
        return Ok(());
    }
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    if text.contains("No space left on device") {
        return Err(Failure::disk_full(log));
    }
    let mut tail: Vec<&str> = text.lines().rev().filter(|line| !line.trim().is_empty()).take(15).collect();
    tail.reverse();
    Err(Failure::new(format!("{what} failed; the end of {}:\n  {}", log.display(), tail.join("\n  "))))
}

/// Replaces this process by that program; returns only on failure.
pub fn replace_process(command: &mut Command) -> Failure {
    let error = command.exec();
    cannot_start(command, &error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_outputs_are_kept_and_lines_are_handed_on() {
        let mut lines = Vec::new();
        let ended = watch(Command::new("sh").args(["-c", "echo a; echo b >&2; echo c; exit 3"]), |line| {
            lines.push(line.to_owned());
        });
        let ended = ended.unwrap();
        assert!(!ended.success);
        assert_eq!((ended.out.as_str(), ended.err.as_str()), ("a\nc\n", "b\n"));
        assert_eq!(lines, ["a", "c"]);
    }

    #[test]
    fn a_missing_tool_does_not_answer() {
        assert!(!answers(&mut Command::new("/nonexistent/tool")));
        assert!(answers(&mut Command::new("true")));
    }
}
