use safety::Level;

use crate::LuciChair;

/// Counts since the start, which a real chair does not report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Received remote joysticks.
    pub remotes: u64,
    /// Ignored ones: from a source that does not drive.
    pub ignored: u64,
    /// Ones with a part outside -100 to 100, which was cut.
    pub outside: u64,
    /// How often the brakes engaged because the remote was too slow, or had not sent anything yet in its mode.
    pub brakes: u64,
    /// Called services.
    pub services: u64,
    /// Invalid profiles and measured speeds.
    pub invalid: u64,
    /// Outputs that were dropped because they were not polled: a fault of the caller.
    pub dropped: u64,
}

impl LuciChair {
    /// The health of the chair and the reason, as of the last call.
    pub fn health(&self) -> (Level, String) {
        let source = self.source();
        if self.is_braked() {
            return (Level::Warn, format!("driven by '{source}', which is too slow: the brakes are engaged"));
        }
        (Level::Ok, format!("driven by '{source}'"))
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Counters { remotes, ignored, outside, brakes, services, invalid, dropped } = *self.counters();
        let [left, right] = self.wheel_speeds();
        let mut report = vec![
            ("source", self.source().to_string()),
            ("profile", self.profile().to_string()),
            ("left wheel [m/s]", format!("{left:.3}")),
            ("right wheel [m/s]", format!("{right:.3}")),
        ];
        let numbers = [
            ("remote joysticks", remotes),
            ("ignored", ignored),
            ("outside", outside),
            ("brakes", brakes),
            ("services", services),
            ("invalid", invalid),
            ("dropped", dropped),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }
}
