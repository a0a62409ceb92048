use crate::takeover::STALE;
use crate::{Counters, Joystick, Level, Printable, Report};

impl Joystick {
    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let Counters {
            unknown_device,
            beyond_limits,
            duplicate_device,
            bad_names,
            missed_cycles,
            seeds_refused,
            seeds_limited,
        } = self.counters();
        let age = self.filter.reference_age(self.now);
        vec![
            ("devices", self.devices.len().to_string()),
            ("controlled device", self.controlled().unwrap_or("none").to_owned()),
            ("active", self.active().to_string()),
            ("waits for the stick at rest", self.filter.waits().to_string()),
            ("toggled", self.filter.latched().to_string()),
            ("divisor", self.filter.divisor().to_string()),
            ("intrinsic", self.intrinsic().to_string()),
            (
                "reference age [s]",
                age.map_or_else(|| "never received".into(), |a| format!("{:.3}", a.as_secs_f64())),
            ),
            ("events of unknown devices", unknown_device.to_string()),
            ("events beyond limits", beyond_limits.to_string()),
            ("duplicate connections", duplicate_device.to_string()),
            ("names refused", bad_names.to_string()),
            ("missed cycles", missed_cycles.to_string()),
            ("takeovers from zero", seeds_refused.to_string()),
            ("takeovers slowed down", seeds_limited.to_string()),
        ]
    }

    /// How the node is, and why.
    pub fn health(&self) -> (Level, String) {
        if self.stopped {
            return (Level::Stale, "stopped".into());
        }
        if self.controlled().is_none() {
            let text = match self.devices.awaited() {
                Some(name) => {
                    format!("waiting for the device {}; control_device selects another", Printable(name))
                }
                None => "no device is connected".into(),
            };
            return (Level::Warn, text);
        }
        match (self.active(), self.filter.reference_age(self.now)) {
            (true, _) if !self.filter.has_axis() => (Level::Warn, Report::Unmapped.to_string()),
            (true, _) if self.filter.waits() => (Level::Warn, Report::WaitsForRest(true).to_string()),
            (true, _) => (Level::Ok, Report::Active(true).to_string()),
            (false, None) => (Level::Ok, "inactive: no reference was ever received".into()),
            (false, Some(age)) if age >= STALE => (Level::Stale, "inactive: the reference is old".into()),
            (false, Some(_)) => (Level::Ok, Report::Active(false).to_string()),
        }
    }
}
