use safety::Level;

use crate::{Hindbrain, Sensor, Source};

safety::counters! {
    /// Counters since the start.
    pub struct Counters {
        /// Commands that were accepted.
        commands: "commands",
        /// Commands refused because they were not finite, implausible, too old or from the future.
        invalid: "invalid",
        /// Commands refused because a newer one was received before, and stops that were too late to be commands.
        late: "late",
        /// Measurements of infra-red sensors that were late, or repeated the stamp of one that had timed out.
        repeated: "repeated measurements",
        /// Readings of infra-red sensors that are not fitted.
        unfitted: "unfitted",
        /// Motor values that were sent.
        drives: "drives",
        /// Times that the emergency stop latched.
        estops: "estops",
        /// Times that a fault latched.
        faults: "faults",
        /// Resets that cleared a latch.
        resets: "resets",
        /// Steps later than the overrun limit, moving or not.
        overruns: "overruns",
        /// Times that the supervising thread had to stop the motors.
        unwatched: "unwatched",
        /// Times that the motor values were interrupted while something moved or could.
        gaps: "motor gaps",
    }
}

impl Hindbrain {
    /// The level and message for `/diagnostics`, as of the last call: the level of the most severe cause, or an error if any
    /// cause is one. Without a cause a part of the command that is not followed is a warning.
    pub fn health(&self) -> (Level, String) {
        let causes = self.causes();
        let state = self.state().as_str();
        match self.dropped() {
            _ if !causes.is_empty() => (causes.level(), format!("{state}: {causes}")),
            Some(part) => (Level::Warn, format!("{state}: only linear.x and angular.z are followed: {part}")),
            None => (Level::Ok, state.into()),
        }
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
            ("e-stop", self.last_value(Source::Estop).to_owned()),
        ];
        let infrared = self.params().core.infrared;
        for sensor in Sensor::ALL.into_iter().filter(|sensor| infrared.fitted[sensor.index()]) {
            let state = core.sensors[sensor.index()];
            let reading = self.last_value(Source::Ir(sensor));
            report.push((
                sensor.frame_id(),
                format!(
                    "{reading}, {}",
                    if state.is_blocking(infrared.timeout) { "blocks" } else { "clear" }
                ),
            ));
        }
        report.extend(self.counters().report());
        report
    }
}
