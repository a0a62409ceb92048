//! `cargo xtask prove`: the stop machine's proof with the real constants, an obedient operator and robots at random; or hours of random
//! faults.

use crate::environment::cargo_without_ros;
use crate::process::require;
use crate::report::{Outcome, step};
use crate::root::Root;

const WALK: &str = "every_state_with_the_real_constants_keeps_every_invariant";
const SOAK: &str = "soak";
/// The operator does what `why` says, from so many states.
const OPERATOR: &str = "operator::an_obedient_operator_drives_within_eight_acts";
const STATES: &str = "10000";
/// Robots with random joints, limits and gains keep their limits.
const ROBOTS: &str = "limits_at_random";

/// Lets an operator do what `why` says from 10,000 states, commands as many random robots, and walks through every state of the stop
/// machine; with `soak` injects random faults into it for that many seconds instead.
///
/// It needs no ROS, two threads, half an hour and less than 3 GB of memory. Models of two parts that are too large are walked
/// partly, and named at the end.
///
/// # Errors
/// A sentence of `why` that does not help, with its seed. A joint beyond its limits, with its robot. A broken invariant; the shortest way to it, or the seed that leads to it, has been printed. Or a model of one part that was
/// not walked to the end.
pub fn run(root: &Root, soak: Option<u64>) -> Outcome<()> {
    if soak.is_none() {
        let arguments = ["test", "--quiet", "--release", "-p", "drive_chain", "--test", "all", "--"];
        let arguments = [&arguments[..], &[OPERATOR, "--exact", "--nocapture"]].concat();
        step("an operator who does what `why` says");
        let mut command = cargo_without_ros(root, &arguments);
        require(command.env("OPERATOR", STATES), "a sentence does not help: its state is printed above")?;
        step("robots with random joints, limits and gains");
        let arguments = ["test", "--quiet", "--release", "-p", "mechanism", "--test", "all", "--", ROBOTS];
        let mut command = cargo_without_ros(root, &arguments);
        require(
            command.env("PROPTEST_CASES", STATES),
            "a joint passed its limits: its robot is printed above",
        )?;
    }
    let test = if soak.is_some() { SOAK } else { WALK };
    // Release: half the time, and the workspace keeps its overflow checks there.
    let arguments = ["test", "--quiet", "--release", "-p", "hindbrain", "--test", "walk", "--"];
    let mut command =
        cargo_without_ros(root, &[&arguments[..], &[test, "--exact", "--ignored", "--nocapture"]].concat());
    if let Some(seconds) = soak {
        command.env("SOAK_SECONDS", seconds.to_string());
    }
    step("building the proof");
    require(&mut command, "not proved: the violation and the way to it are printed above")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With `--exact` a missing test would pass as no test.
    #[test]
    fn the_tests_that_it_runs_exist() {
        let walk = include_str!("../../../crates/hindbrain/tests/walk/main.rs");
        for name in [WALK, SOAK] {
            let ignored = walk.split("#[ignore").skip(1).any(|rest| {
                rest.split("#[test]").next().is_some_and(|test| test.contains(&format!("fn {name}()")))
            });
            assert!(ignored, "{name}");
        }
        let operator = include_str!("../../../crates/drive_chain/tests/all/operator.rs");
        assert!(OPERATOR.split("::").nth(1).is_some_and(|name| operator.contains(&format!("fn {name}()"))));
        let mechanism = include_str!("../../../crates/mechanism/tests/all/main.rs");
        assert!(mechanism.contains(&format!("mod {ROBOTS};")));
    }
}
