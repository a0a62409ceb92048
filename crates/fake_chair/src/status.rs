use units::Level;

use crate::FakeChair;

/// What happened since the start; a real chair says nothing of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Remote joysticks that came.
    pub remotes: u64,
    /// Of these, the ignored ones: from a source that does not drive.
    pub ignored: u64,
    /// Of these, the ones with a part outside -100 to 100, which was cut.
    pub outside: u64,
    /// How often the brakes engaged because the remote was too slow, or had not spoken yet in its mode.
    pub brakes: u64,
    /// Services that were called.
    pub services: u64,
    /// Profiles and measured speeds that made no sense.
    pub invalid: u64,
    /// Outputs that were thrown away because nobody took them: a fault of the caller.
    pub dropped: u64,
}

impl FakeChair {
    /// How the chair is and why, as of the last call.
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
