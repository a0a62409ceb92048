//! From the start of a process to the receipt of its first message, beside a bare loop that publishes at once.
//!
//! Each process has a namespace of its own, so no message is of an earlier one, and a subscription that was there before it. The time
//! includes the loading of the executable, and the discovery of one subscription.

use std::time::Duration;

use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Int16;
use ros::{clock, qos};

use crate::peer::Peer;
use crate::stage::{Result, Stage};
use crate::table::{Distribution, table};

const STARTS: usize = 30;
/// The example of two joints.
const ARM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml");
const URDF: &str = concat!("robot_description:=", env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf");

/// The name of each subject, its first topic, and the command without its namespace.
const SUBJECTS: [(&str, &str, &[&str]); 4] = [
    ("bare loop", "motor/port", &["bench", "loop", "50"]),
    ("hindbrain", "motor/port", &["hindbrain", "--ros-args"]),
    ("steersman", "motor/port", &["steersman", "--ros-args"]),
    ("mechanism", "joint_states", &["mechanism", "--ros-args", "--params-file", ARM, "-p", URDF]),
];

/// Starts all in turns; returns a table.
/// # Errors
/// A process does not start, or publishes nothing.
pub fn measure(stage: &Stage) -> Result<String> {
    let mut times = [const { Vec::new() }; SUBJECTS.len()];
    for round in 0..STARTS {
        eprintln!("bench: start: round {} of {STARTS}", round + 1);
        for (times, (name, topic, command)) in times.iter_mut().zip(SUBJECTS) {
            times.push(once(
                stage,
                &format!("/bench/start/{name}_{round}").replace(' ', "_"),
                topic,
                command,
            )?);
        }
    }
    let times = Distribution::all(times)?;
    let row = |((name, topic, _), one): (&(&str, &str, _), &Distribution)| {
        let to_bare = one.micros(0.5) / times[0].micros(0.5);
        format!("| {name}, `{topic}` | {} | {} | {to_bare:.2} |", one.count(), one.millis())
    };
    Ok(table(HEADER, SUBJECTS.iter().zip(&times).map(row)))
}

const HEADER: &str =
    "| from the start to | starts | min [ms] | p50 [ms] | p90 [ms] | p99 [ms] | max [ms] | p50 to bare |";

fn once(stage: &Stage, namespace: &str, topic: &str, command: &[&str]) -> Result<Duration> {
    let topic = format!("{namespace}/{topic}");
    let mut peer = Peer::new(stage, "bench_start")?;
    match topic.ends_with("joint_states") {
        true => peer.subscribe(&topic, qos::commands(), |_: JointState| ())?,
        false => peer.subscribe(&topic, qos::commands(), |_: Int16| ())?,
    }
    let namespace = format!("__ns:={namespace}");
    let last: &[&str] = if command.contains(&"--ros-args") { &["-r", &namespace] } else { &[&topic] };
    let began = clock::now();
    stage.with(command[0], &[&[command, last].concat()], |_| {
        peer.expect("it publishes nothing", |()| true)?;
        Ok(clock::now().since(began))
    })
}
