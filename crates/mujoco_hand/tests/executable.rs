//! MuJoCo's hand as the node has it: in the process of its executable, from which the same is demanded.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Stdio};
use std::time::Duration;

use haptix::{Device, Model};
use remote_hand::RemoteHand;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mujoco_hand"))
}

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    let model = Model::parse(description).unwrap();
    // A busy machine may let the other process wait.
    let hand = RemoteHand::start_with(program(), model, description, seed, Duration::from_secs(20));
    Box::new(hand.unwrap())
}

hand_conformance::conformance!(make);

#[test]
fn a_wrong_description_is_refused_with_its_line() {
    let model = Model::builtin("two_finger").unwrap();
    let error = RemoteHand::start(program(), model, "model: 3\n", 1).unwrap_err();
    assert_eq!(error.to_string(), "line 1: 'update_rate' is missing");
}

#[test]
fn without_a_node_the_executable_explains_itself() {
    for arguments in [&[][..], &["--fast"], &["--bench", "x"]] {
        let output = program().args(arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("is started by the node haptix"));
    }
}

/// The bench reads these lines.
#[test]
fn the_measurement_has_a_line_for_each_device_without_and_with_an_object() {
    let output = program().arg("--bench").output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    for (line, (device, objects)) in
        lines.iter().zip([("mpl", "free"), ("mpl", "ball"), ("two_finger", "free"), ("two_finger", "ball")])
    {
        let mut pairs = line.split(' ').map(|pair| pair.split_once('=').unwrap());
        assert_eq!((pairs.next(), pairs.next()), (Some(("device", device)), Some(("objects", objects))));
        let names: Vec<&str> = pairs
            .map(|(name, value)| {
                assert!(value.parse::<f64>().unwrap() > 0.0, "{name}");
                name
            })
            .collect();
        let expected =
            ["step_p50_us", "step_p99_us", "mj_step_p50_us", "mj_step_p99_us", "read_p50_us", "read_p99_us"];
        assert_eq!(names, expected);
    }
}
