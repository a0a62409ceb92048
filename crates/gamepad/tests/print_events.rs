//! The example as a process: SDL must not handle the signals that end it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const SIGINT: u32 = 2;
const SIGTERM: u32 = 15;

/// Long enough for a loaded machine, short enough to see a failure.
const PATIENCE: Duration = Duration::from_secs(5);

/// The running example; killed when a test fails.
struct Example {
    child: Child,
    lines: Receiver<String>,
}

impl Example {
    fn spawn(arguments: &[&str], environment: &[(&str, &str)]) -> Example {
        // Test: <target>/<profile>/deps/print_events-<hash>; example: <target>/<profile>/examples/print_events.
        let deps = PathBuf::from(std::env::current_exe().unwrap().parent().unwrap());
        let example = deps.with_file_name("examples").join("print_events");
        assert!(example.exists(), "build {example:?} first: cargo build -p gamepad --examples");
        let mut child = Command::new(example)
            .args(arguments)
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = channel();
        // Ends with the child's output; `line()` waits with a time limit.
        let reader = std::thread::Builder::new();
        reader.spawn(move || output.lines().try_for_each(|text| line.send(text.unwrap()))).unwrap();
        let example = Example { child, lines };
        let started = example.line();
        assert!(started.starts_with("SDL 2."), "{started}");
        example
    }

    fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a further line of the example")
    }

    /// Whether the process handles this signal, according to the kernel.
    fn catches(&self, signal: u32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(mask, 16).unwrap() & (1 << (signal - 1)) != 0
    }

    /// Sends SIGTERM, waits for the end, and returns the signal that ended it.
    fn terminate(mut self) -> Option<i32> {
        let kill = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.child.id())]).status();
        assert!(kill.unwrap().success());
        // A process that ignores SIGTERM would keep this test waiting for ever.
        let (ended, end) = channel();
        let id = self.child.id();
        let guard = std::thread::Builder::new()
            .spawn(move || {
                if end.recv_timeout(PATIENCE).is_err() {
                    let _ = Command::new("sh").args(["-c", &format!("kill -KILL {id}")]).status();
                }
            })
            .unwrap();
        let status = self.child.wait().unwrap();
        let _ = ended.send(());
        guard.join().unwrap();
        status.signal()
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn sigterm_ends_a_process_that_has_started_sdl() {
    let example = Example::spawn(&[], &[]);
    assert!(!example.catches(SIGTERM) && !example.catches(SIGINT));
    assert_eq!(example.terminate(), Some(15)); // 9 would be this test's kill after PATIENCE
}

#[test]
fn an_environment_variable_cannot_give_the_signals_to_sdl() {
    let example = Example::spawn(&[], &[("SDL_NO_SIGNAL_HANDLERS", "0")]);
    assert!(!example.catches(SIGTERM) && !example.catches(SIGINT));
    assert_eq!(example.terminate(), Some(15));
}

#[test]
fn the_example_prints_the_events_of_its_virtual_joystick() {
    let example = Example::spawn(&["--virtual"], &[]);
    // A real joystick of this machine may be printed too; the virtual one is found by its name.
    let connected = loop {
        let line = example.line();
        if line.contains("connected \"Virtual joystick\"") {
            break line;
        }
    };
    let id = connected.split(':').next().unwrap().to_owned();
    let mut lines = Vec::new();
    while lines.len() < 9 {
        let line = example.line();
        if let Some(rest) = line.strip_prefix(&format!("{id}: ")) {
            lines.push(rest.to_owned());
        }
    }
    assert_eq!(lines[0], "axes [0, 0], 2 buttons, 1 hats");
    assert_eq!(lines[1..4], ["axis 0 16384", "axis 1 -32768", "button 0 down"]);
    assert!(lines[4].starts_with("hat 0 Hat { up: true"), "{}", lines[4]);
    assert_eq!(lines[5..8], ["axis 0 0", "axis 1 0", "button 0 up"]);
    assert!(lines[8].starts_with("hat 0 Hat { up: false"), "{}", lines[8]);
}
