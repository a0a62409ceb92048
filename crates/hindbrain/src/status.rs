use units::Level;

use crate::core::{Cause, StopState};
use crate::{Hindbrain, Sensor};

/// What has come and gone since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commands that were accepted.
    pub commands: u64,
    /// Commands refused because they were not finite.
    pub invalid: u64,
    /// Commands refused because a newer one had come before, and stops that came too late to be commands.
    pub late: u64,
    /// Measurements of infra-red sensors that had the stamp of the one before.
    pub repeated: u64,
    /// Readings of infra-red sensors that are not fitted.
    pub unfitted: u64,
    /// Motor values that went out.
    pub drives: u64,
    /// Times that the emergency stop latched.
    pub estops: u64,
    /// Times that a fault latched.
    pub faults: u64,
    /// Resets that were obeyed.
    pub resets: u64,
    /// Times that somebody else had to stop the motors.
    pub unwatched: u64,
    /// Steps later than the overrun limit, moving or not.
    pub overruns: u64,
}

impl Hindbrain {
    /// How well the node is and why, as of the last call.
    ///
    /// A soft stop is a warning, a silent emergency stop or a fault an error; a pressed emergency stop is somebody's will
    /// and therefore a warning.
    pub fn health(&self) -> (Level, String) {
        let causes = self.causes();
        let level = match self.state() {
            StopState::Fault => Level::Error,
            StopState::Estop if causes.contains(Cause::EstopStale) => Level::Error,
            StopState::Ok if causes.is_empty() => return (Level::Ok, "OK".into()),
            StopState::Ok if causes.contains(Cause::CommandStale) => Level::Stale,
            StopState::Ok if causes.worst() == Some(Cause::NeutralWait) => Level::Ok,
            _ => Level::Warn,
        };
        (level, format!("{}: {causes}", self.state().as_str()))
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
            ("enabled", core.is_enabled().to_string()),
            ("e-stop", format!("{:?}", core.estop)),
        ];
        let fitted = self.params().core.infrared.fitted;
        for sensor in Sensor::ALL.into_iter().filter(|sensor| fitted[sensor.index()]) {
            let eye = core.eyes[sensor.index()];
            let reading = eye.reading().map_or("Silent".to_owned(), |reading| format!("{reading:?}"));
            report.push((
                sensor.frame_id(),
                format!("{reading}, {}", if eye.is_bad() { "stops" } else { "good" }),
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
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }
}
