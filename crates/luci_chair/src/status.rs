use safety::Level;

use crate::LuciChair;

safety::counters! {
    /// Counts since the start, which a real chair does not report.
    pub struct Counters {
        /// Received remote joysticks.
        remotes: "remote joysticks",
        /// Ignored ones: from a source that does not drive.
        ignored: "ignored",
        /// Ones with a part outside -100 to 100, which was cut.
        outside: "outside",
        /// How often the brakes engaged because the remote was too slow, or had not sent anything yet in its mode.
        brakes: "brakes",
        /// Called services.
        services: "services",
        /// Invalid profiles and measured speeds.
        invalid: "invalid",
        /// Outputs that were dropped because they were not polled: a fault of the caller.
        dropped: "dropped",
    }
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
        let [left, right] = self.wheel_speeds();
        let mut report = vec![
            ("source", self.source().to_string()),
            ("profile", self.profile().to_string()),
            ("left wheel [m/s]", format!("{left:.3}")),
            ("right wheel [m/s]", format!("{right:.3}")),
        ];
        report.extend(self.counters().report());
        report
    }
}
