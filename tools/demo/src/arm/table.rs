use std::time::Duration;

use crate::arm::machine::{Operator, Pilot};
use crate::arm::observed::{BOUNDS, LoopTiming};
use crate::arm::robot::Joint;
use crate::verdict;

/// A line of progress.
pub fn line(operator: &Operator) -> String {
    let [pan, tilt] = operator.observed().joints.unwrap_or_default();
    let movers = Joint::ALL.map(|joint| operator.mover(joint).map_or("-", |controller| controller.name()));
    let text = match (operator.pilot(), operator.episode()) {
        (Pilot::Script(_), Some(episode)) => episode.act.text(),
        _ => String::new(),
    };
    format!(
        "pan {:>5.2} {:<14}  tilt {:>5.2} {:<14}  {text}",
        pan.position, movers[0], tilt.position, movers[1]
    )
}

/// The results of the script.
pub fn table(operator: &Operator) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.extend(verdict::table(operator.outcomes()));
    lines.push(String::new());
    lines.push(format!("{:<16}{:>11}{:>11}{:>10}", "controller", "mean [us]", "max [us]", "overruns"));
    for row in operator.times() {
        let (mean, max) = (micros(row.mean), micros(row.max));
        lines.push(format!("{:<16}{mean:>11.2}{max:>11.1}{:>10}", row.name, row.overruns));
    }
    lines.push(String::new());
    lines.extend(operator.observed().timing.iter().flat_map(timing));
    lines
}

/// The loop's figures, and its lateness as a line for each bar.
fn timing(timing: &LoopTiming) -> Vec<String> {
    let LoopTiming { steps, left_out, greatest_lateness, longest_step, lateness } = timing;
    let mut lines = vec![format!(
        "{steps} steps of the loop, {left_out} left out, at most {greatest_lateness} us late, the longest took {longest_step} us"
    )];
    let total = lateness.iter().sum::<u64>();
    if total > 0 {
        let share = |count: u64| 100.0 * count as f64 / total as f64;
        let mut passed = 0;
        let parts = BOUNDS.iter().zip(lateness).map(|(bound, count)| {
            passed += count;
            format!("{bound} us {:.1} %", share(passed))
        });
        lines.push(format!("no later than {}", parts.collect::<Vec<_>>().join(", ")));
    }
    lines
}

/// A time in µs.
pub fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The steps whose outcome is not the expected one, one sentence each.
pub fn failures(operator: &Operator) -> Vec<String> {
    verdict::failures(operator.outcomes(), operator.script().count())
}
