//! The tool as a process: exit code and output.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

fn tool(arguments: &[&str]) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_steersman-joystick"));
    tool.args(arguments).stdin(Stdio::null());
    tool
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = tool(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_list_shows_the_devices_or_why_there_is_none() {
    let (code, out, error) = run(&["list"]);
    assert_eq!(error, "");
    if out.starts_with("NAME") {
        assert_eq!(code, Some(0)); // a real joystick is plugged in where this runs
    } else {
        assert_eq!(code, Some(1));
        assert!(out.starts_with("No joystick is connected that SDL 2."), "{out}");
        assert!(out.lines().count() >= 2, "{out}"); // at least one reason
    }
}

#[test]
fn a_command_line_that_is_not_understood_ends_with_2() {
    for arguments in [&[][..], &["plot"], &["list", "--output", "x"]] {
        let (code, out, error) = run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(error.starts_with("error: ") || error.contains("Usage: steersman-joystick"), "{error}");
    }
    let (code, out, _) = run(&["--help"]);
    assert!(code == Some(0) && out.contains("Usage: steersman-joystick"), "{out}");
}

#[test]
fn the_former_command_says_what_to_do_instead() {
    let (code, out, error) = run(&["map", "--device", "pad", "--output", "pad.yaml"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(error.contains("enable.on: rightshoulder") && error.contains("list --watch"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

#[test]
fn ctrl_c_ends_a_watch_at_once() {
    // The tests may run where SIGINT is ignored, as a shell does for background jobs.
    let mut watch = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_steersman-joystick"), "list", "--watch"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    // Kept to the end: a watch also ends when its reader is closed.
    let mut out = BufReader::new(watch.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    assert!(!first.is_empty());
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", watch.id())]).status().unwrap();
    assert!(kill.success());
    assert_eq!(watch.wait().unwrap().signal(), Some(2)); // SIGINT, and not SDL's quitting
}

#[test]
fn a_closed_reader_is_no_error() {
    let command = format!("{} --help | head -1", env!("CARGO_BIN_EXE_steersman-joystick"));
    let shell = Command::new("bash").args(["-c", &format!("set -o pipefail; {command}")]).output().unwrap();
    assert!(shell.status.success() && shell.stderr.is_empty(), "{shell:?}");
}
