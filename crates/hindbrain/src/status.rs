use safety::Level;

use crate::{Hindbrain, Sensor};

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commands that were accepted.
    pub commands: u64,
    /// Commands refused because they were not finite, implausible, too old or from the future.
    pub invalid: u64,
    /// Commands refused because a newer one was received before, and stops that were too late to be commands.
    pub late: u64,
    /// Measurements of infra-red sensors that were late, or repeated the stamp of one that had timed out.
    pub repeated: u64,
    /// Readings of infra-red sensors that are not fitted.
    pub unfitted: u64,
    /// Motor values that were sent.
    pub drives: u64,
    /// Times that the emergency stop latched.
    pub estops: u64,
    /// Times that a fault latched.
    pub faults: u64,
    /// Resets that cleared a latch.
    pub resets: u64,
    /// Times that the supervising thread had to stop the motors.
    pub unwatched: u64,
    /// Steps later than the overrun limit, moving or not.
    pub overruns: u64,
    /// Times that the motor values were interrupted while something moved or could.
    pub gaps: u64,
}

impl Hindbrain {
    /// The level and message for `/diagnostics`, as of the last call: the level of the most severe cause, or an error if any
    /// cause is one.
    pub fn health(&self) -> (Level, String) {
        let causes = self.causes();
        if causes.is_empty() {
            return (Level::Ok, self.state().as_str().into());
        }
        (causes.level(), format!("{}: {causes}", self.state().as_str()))
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let motors = self.motors();
        let core = self.core();
        let mut report = vec![
            ("state", self.state().as_str().to_owned()),
            ("causes", self.causes().to_string()),
            ("port", motors.port.to_string()),
            ("starboard", motors.starboard.to_string()),
            ("enabled", core.enable.is_on().to_string()),
            ("e-stop", format!("{:?}", core.estop)),
        ];
        let infrared = self.params().core.infrared;
        for sensor in Sensor::ALL.into_iter().filter(|sensor| infrared.fitted[sensor.index()]) {
            let state = core.sensors[sensor.index()];
            let reading = state.reading().map_or("Silent".to_owned(), |reading| format!("{reading:?}"));
            report.push((
                sensor.frame_id(),
                format!(
                    "{reading}, {}",
                    if state.is_blocking(infrared.timeout) { "blocks" } else { "clear" }
                ),
            ));
        }
        let counters = self.counters();
        let numbers = [
            ("commands", counters.commands),
            ("invalid", counters.invalid),
            ("late", counters.late),
            ("repeated measurements", counters.repeated),
            ("unfitted", counters.unfitted),
            ("drives", counters.drives),
            ("estops", counters.estops),
            ("faults", counters.faults),
            ("resets", counters.resets),
            ("overruns", counters.overruns),
            ("unwatched", counters.unwatched),
            ("motor gaps", counters.gaps),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }
}
