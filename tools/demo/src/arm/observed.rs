use core::time::Duration;
use std::collections::VecDeque;

use safety::Instant;

use crate::arm::robot::{Controller, Joint, JointState, Quantity};

/// The state that the demo has received on the topics.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Whether the services are there.
    pub has_services: bool,
    /// The last state of pan and tilt.
    pub joints: Option<[JointState; 2]>,
    /// The loaded controllers, from `mechanism_statistics`.
    pub controllers: Option<Vec<ControllerRow>>,
    /// Whether any motor is halted.
    pub is_halted: Option<bool>,
    /// How well the loop keeps its time.
    pub timing: Option<LoopTiming>,
    /// The last seconds.
    pub history: VecDeque<Sample>,
}

/// A loaded controller and the times of its updates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControllerRow {
    /// Its name.
    pub name: String,
    /// Whether it runs.
    pub is_running: bool,
    /// The mean over all steps since it was loaded.
    pub mean: Duration,
    /// The longest.
    pub max: Duration,
    /// How many took longer than a millisecond.
    pub overruns: i32,
}

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

/// Bounds of the histogram's bars \[µs\].
pub const BOUNDS: [u64; 7] = [10, 20, 50, 100, 200, 500, 1000];

/// Sample of the curves at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub at: Instant,
    /// The measured state of pan and tilt.
    pub joints: [JointState; 2],
    /// Command to each joint, if there is one.
    pub commands: [Option<(Quantity, f64)>; 2],
}

/// How much of the past is drawn.
pub const WINDOW: Duration = Duration::from_secs(8);

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
}

impl Observed {
    /// The topics and services that nothing was received from yet.
    pub fn missing(&self) -> Vec<&'static str> {
        [
            (self.has_services, "pr2_controller_manager/*"),
            (self.joints.is_some(), "joint_states"),
            (self.controllers.is_some(), "mechanism_statistics"),
            // The motors are halted until the node has reset them.
            (self.is_halted == Some(false), "motors_halted"),
        ]
        .into_iter()
        .filter_map(|(observed, topic)| (!observed).then_some(topic))
        .collect()
    }

    /// The position of pan \[rad\].
    pub fn pan(&self) -> f64 {
        self.joints.map_or(0.0, |joints| joints[Joint::Pan as usize].position)
    }

    /// The row of a controller, if it is loaded.
    pub fn row(&self, controller: Controller) -> Option<&ControllerRow> {
        self.controllers.iter().flatten().find(|row| row.name == controller.name())
    }

    /// Adds a moment to what is drawn.
    pub fn add(&mut self, sample: Sample) {
        while self.history.front().is_some_and(|first| sample.at.since(first.at) > WINDOW) {
            self.history.pop_front();
        }
        self.history.push_back(sample);
    }
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

    #[test]
    fn halted_motors_are_waited_for() {
        let mut observed = Observed::default();
        assert_eq!(observed.missing().len(), 4);
        observed.is_halted = Some(true);
        assert!(observed.missing().contains(&"motors_halted"));
        observed.is_halted = Some(false);
        assert!(!observed.missing().contains(&"motors_halted"));
    }

    #[test]
    fn only_the_last_seconds_are_drawn() {
        let mut observed = Observed::default();
        for millis in (0..20_000).step_by(1000) {
            let at = Instant::from_millis(millis);
            observed.add(Sample { at, joints: Default::default(), commands: [None; 2] });
        }
        assert_eq!(observed.history.front().map(|sample| sample.at), Some(Instant::from_millis(11_000)));
        assert_eq!(observed.history.len(), 9);
    }
}
