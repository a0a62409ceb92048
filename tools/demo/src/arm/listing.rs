use r2r::builtin_interfaces::msg::Duration as WireDuration;

use crate::arm::client::Arm;
use crate::arm::robot::{Controller, Joint, Quantity};
use crate::words::number;

/// The node's values of its loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopTiming {
    /// Steps since the start.
    pub steps: u64,
    /// Steps that were left out.
    pub left_out: u64,
    /// The greatest lateness \[µs\].
    pub greatest_lateness: u64,
    /// The longest step \[µs\].
    pub longest_step: u64,
    /// How many steps were how late: no later than each of [`BOUNDS`], and later.
    pub lateness: [u64; BOUNDS.len() + 1],
}

/// Bounds of the lateness \[µs\].
pub const BOUNDS: [u64; 7] = [10, 20, 50, 100, 200, 500, 1000];

impl LoopTiming {
    /// The timing in the values of the node's status; what is missing there is 0.
    pub fn read(values: &[(String, String)]) -> Self {
        let text =
            |name: &str| values.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
        let number = |name: &str| text(name).parse().unwrap_or_default();
        let mut lateness = [0; BOUNDS.len() + 1];
        for (nanos, count) in
            text("lateness (ns:steps)").split_whitespace().filter_map(|word| word.split_once(':'))
        {
            if let (Ok(nanos), Ok(count)) = (nanos.parse::<u64>(), count.parse::<u64>()) {
                lateness[BOUNDS.partition_point(|bound| bound * 1000 < nanos)] += count;
            }
        }
        Self {
            steps: number("steps"),
            left_out: number("steps left out"),
            greatest_lateness: number("greatest lateness (us)"),
            longest_step: number("longest step (us)"),
            lateness,
        }
    }

    fn lines(&self) -> Vec<String> {
        let Self { steps, left_out, greatest_lateness, longest_step, lateness } = self;
        let mut lines = vec![format!(
            "{steps} steps of the loop, {left_out} left out, at most {greatest_lateness} us late, the longest took {longest_step} us"
        )];
        let total = lateness.iter().sum::<u64>();
        if total > 0 {
            let mut passed = 0;
            let parts = BOUNDS.iter().zip(lateness).map(|(bound, count)| {
                passed += count;
                format!("{bound} us {:.1} %", 100.0 * passed as f64 / total as f64)
            });
            lines.push(format!("no later than {}", parts.collect::<Vec<_>>().join(", ")));
        }
        lines
    }
}

/// The values of the joints, and the state of motors and cable.
pub fn motion(arm: &Arm) -> Vec<String> {
    let mut lines: Vec<String> = Joint::ALL.map(|joint| position(arm, joint)).into();
    let motors = match arm.is_halted {
        Some(true) => "HALTED",
        Some(false) => "on",
        None => "silent",
    };
    let cable = if arm.is_pulled { "PULLED" } else { "plugged in" };
    lines.push(format!("motors {motors}, cable {cable}"));
    lines
}

/// All values of the arm: joints, motors and cable, controllers, the loop.
pub fn listing(arm: &Arm) -> Vec<String> {
    let mut lines = motion(arm);
    lines.push(String::new());
    lines.push(format!(
        "{:<18}{:<8}{:>10}{:>10}{:>10}",
        "  controller", "", "mean [us]", "max [us]", "overruns"
    ));
    lines.extend(Controller::ALL.iter().enumerate().map(|(index, one)| controller(arm, index + 1, *one)));
    lines.push(String::new());
    lines.extend(arm.timing.iter().flat_map(LoopTiming::lines));
    lines
}

/// The controlled quantity of a joint, its position if nothing controls it.
fn position(arm: &Arm, joint: Joint) -> String {
    let quantity = arm.mover(joint).map_or(Quantity::Position, Controller::quantity);
    let (name, unit) = quantity.words();
    let command =
        arm.commanded(joint).map_or(String::new(), |value| format!(", command {}", number(value, 2)));
    format!("{} {name} {} {unit}{command}", joint.name(), number(arm.joint(joint).of(quantity), 2))
}

/// State and times of a controller, which the key `digit` starts and stops.
fn controller(arm: &Arm, digit: usize, controller: Controller) -> String {
    let listed = arm.list.iter().find(|listed| listed.name == controller.name());
    let state = listed.map_or("-", |listed| if listed.is_running { "running" } else { "stopped" });
    let row = arm.statistics.iter().flatten().find(|row| row.name == controller.name());
    let times = row.map_or(String::new(), |row| {
        let [mean, max] = [&row.mean_time, &row.max_time].map(micros);
        format!("{mean:>10.2}{max:>10.1}{:>10}", row.num_control_loop_overruns)
    });
    format!("{digit} {:<16}{state:<8}{times}", controller.name())
}

/// A time in µs.
fn micros(time: &WireDuration) -> f64 {
    f64::from(time.sec) * 1e6 + f64::from(time.nanosec) / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_the_status_are_read() {
        let value = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let values = [
            value("steps", "1234"),
            value("greatest lateness (us)", "1560"),
            value("longest step (us)", "41"),
            value("lateness (ns:steps)", "0:3 10000:4 10240:5 999424:6 1000448:7 x"),
        ];
        let timing = LoopTiming::read(&values);
        assert_eq!((timing.steps, timing.left_out, timing.greatest_lateness), (1234, 0, 1560));
        assert_eq!(timing.lateness, [7, 5, 0, 0, 0, 0, 6, 7]);
        assert_eq!(LoopTiming::read(&[]), LoopTiming::default());
    }
}
