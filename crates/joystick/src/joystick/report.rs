use crate::{EnableButtons, Joystick, Level, Printable, Report};

impl Joystick {
    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let reference = self.filter.reference();
        let age = match reference.age(self.now) {
            Some(age) => format!("{:.3}", age.as_secs_f64()),
            None if reference.was_received() => "not fresh".into(),
            None => "never received".into(),
        };
        let mut report = vec![
            ("devices", self.devices.len().to_string()),
            ("controlled device", self.controlled().unwrap_or("none").to_owned()),
            ("active", self.active().to_string()),
            ("waits for the stick at rest", self.filter.waits().to_string()),
            ("toggled", self.filter.latched().to_string()),
            ("divisor", self.filter.divisor().to_string()),
            ("intrinsic", self.intrinsic().to_string()),
            ("reference age [s]", age),
            ("reference waits for zero", reference.waits_for_zero().to_string()),
            ("devices are read", (!self.reading.is_lost()).to_string()),
        ];
        report.extend(self.counters().report());
        report
    }

    /// The health of the node, and the reason.
    pub fn health(&self) -> (Level, String) {
        if self.stopped {
            return (Level::Warn, "stopped".into());
        }
        if self.reading.is_lost() {
            return (Level::Error, Report::ReadingLost(true).to_string());
        }
        if self.controlled().is_none() {
            if let Some(refused) = self.refused.first() {
                return (Level::Warn, refused.to_string());
            }
            let mut text = match self.devices.awaited() {
                Some(name) => {
                    format!("waiting for the device {}; control_device selects another", Printable(name))
                }
                None => "no device is connected".into(),
            };
            text += match (self.active(), self.filter.reference().in_force()) {
                (true, _) => "; until it is back a takeover by enable.toggle commands zero",
                (false, Some(_)) => "; the reference is passed on",
                (false, None) => "; nothing is claimed",
            };
            return (Level::Warn, text);
        }
        if !self.missing.is_empty() {
            let name = self.controlled().unwrap_or_default().to_owned();
            return (
                Level::Warn,
                Report::MissingInputs { name, parameters: self.missing.clone() }.to_string(),
            );
        }
        if !self.filter.has_axis() {
            return (Level::Warn, Report::Unmapped.to_string());
        }
        if self.active() {
            return if self.filter.waits() {
                let deflected_axis = self.filter.deflected_axis(self.devices.stick());
                (Level::Warn, Report::WaitsForRest(deflected_axis).to_string())
            } else {
                (Level::Ok, Report::Active(true).to_string())
            };
        }
        let how = self.how_to_drive();
        let reference = self.filter.reference();
        if reference.waits_for_zero() {
            (Level::Warn, format!("inactive: {}; {how}", Report::ReferenceWaits(true)))
        } else if reference.in_force().is_some() {
            (Level::Ok, format!("inactive: the reference is passed on; {how}"))
        } else if reference.was_received() {
            (Level::Ok, format!("inactive: the reference is old; {how}"))
        } else {
            (Level::Ok, format!("inactive: {how}; there is no reference to pass on"))
        }
    }

    /// Instruction for the user: buttons to hold or press to drive with the stick.
    fn how_to_drive(&self) -> String {
        let EnableButtons { on, slow, toggle } = self.filter.mappings().enable;
        let ways =
            [("hold", "enable.on", on), ("hold", "enable.slow", slow), ("press", "enable.toggle", toggle)];
        let ways = ways.iter().filter_map(|(act, name, button)| {
            let button = (*button)?;
            let again = if self.devices.must_be_released(button) { " (release it first)" } else { "" };
            let sdl_name = self.devices.mapped_names().of(name).map(|name| format!("{name}, "));
            Some(format!("{act} {}button {button} ({name}){again}", sdl_name.unwrap_or_default()))
        });
        format!("{} to drive", ways.collect::<Vec<_>>().join(" or "))
    }
}
