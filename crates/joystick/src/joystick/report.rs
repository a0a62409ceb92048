use crate::device::Device;
use crate::names::ButtonNumber;
use crate::{
    Dynamics, EnableButtons, Exception, Input, Joystick, Level, Mappings, Output, Printable, Report,
    RequestedMappings,
};

safety::counters! {
    /// Counts of ignored and refused inputs since the start.
    pub struct Counters {
        /// Events of a device that is not connected.
        unknown_device: "events of unknown devices",
        /// Events of an axis, button or hat that the device does not have or that lies beyond 64 axes and 128 buttons.
        beyond_limits: "events beyond limits",
        /// Connections under the id of a device that was still connected.
        duplicate_device: "duplicate connections",
        /// New names that no port can have, or that another device has.
        bad_names: "names refused",
        /// Cycles of the filter that were skipped because the machine was not polled in time.
        missed_cycles: "missed cycles",
        /// Takeovers that started from zero because the reference's velocity was old, from the future, in another frame,
        /// or invalid, or because the stick was not at rest yet.
        seeds_refused: "takeovers from zero",
        /// Takeovers that started slower than the reference, which was faster than the stick can command.
        seeds_limited: "takeovers slowed down",
    }
}

/// Whether the stick drives, or why not: from it follow the node's health and its part in `why`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// The node has ended.
    Stopped,
    /// No device can be read.
    ReadingLost,
    /// No device drives.
    NoDevice,
    /// The device lacks mapped inputs.
    MissingInputs,
    /// No axis is mapped.
    Unmapped,
    /// It is enabled, but has to be at rest first.
    WaitsForRest,
    /// It drives.
    Drives,
    /// It holds the vehicle at zero.
    Holds,
    /// It is pushed, was not at rest before, and is not enabled.
    PushedEarly,
    /// It is pushed while a button is held that does not enable it.
    Pushed {
        /// The button.
        button: usize,
    },
    /// It is not enabled, and the reference has to ask for zero first.
    ReferenceWaits,
    /// It is not enabled, and the reference is passed on.
    PassesReference,
    /// It is not enabled, and the reference is no longer sent.
    ReferenceOld,
    /// It is not enabled, and there is no reference.
    NoReference,
}

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
        let how = || self.how_to_drive();
        match self.judge() {
            Health::Stopped => (Level::Warn, "stopped".into()),
            Health::ReadingLost => (Level::Error, Report::ReadingLost(true).to_string()),
            Health::NoDevice => self.health_without_device(),
            Health::MissingInputs => {
                let name = self.controlled().unwrap_or_default().to_owned();
                let missing = Report::MissingInputs { name, parameters: self.missing.clone() };
                (Level::Warn, missing.to_string())
            }
            Health::Unmapped => (Level::Warn, Report::Unmapped.to_string()),
            Health::WaitsForRest => (Level::Warn, self.waiting().to_string()),
            Health::Drives => (Level::Ok, Report::Active(true).to_string()),
            Health::Holds => (Level::Warn, format!("{}; {}", Report::Holds, how())),
            Health::PushedEarly => (Level::Warn, format!("inactive: {}; {}", how(), self.waiting())),
            Health::Pushed { button } => {
                let text = format!("inactive: the stick is pushed with button {button} held; {}", how());
                (Level::Warn, text)
            }
            Health::ReferenceWaits => {
                (Level::Warn, format!("inactive: {}; {}", Report::ReferenceWaits(true), how()))
            }
            Health::PassesReference => {
                (Level::Ok, format!("inactive: the reference is passed on; {}", how()))
            }
            Health::ReferenceOld => (Level::Ok, format!("inactive: the reference is old; {}", how())),
            Health::NoReference => {
                (Level::Ok, format!("inactive: {}; there is no reference to pass on", how()))
            }
        }
    }

    /// Whether the stick, or else the reference, drives, as of the last call.
    pub(super) fn judge(&self) -> Health {
        if self.stopped {
            Health::Stopped
        } else if self.reading.is_lost() && !self.devices.is_virtual() {
            Health::ReadingLost
        } else if self.controlled().is_none() {
            Health::NoDevice
        } else if !self.missing.is_empty() {
            Health::MissingInputs
        } else {
            self.judge_stick()
        }
    }

    /// The part of [`judge`](Self::judge) for a connected stick, whether or not it has all inputs that are mapped.
    pub(super) fn judge_stick(&self) -> Health {
        if self.filter.claims() && !self.active() {
            return Health::Holds;
        }
        if !self.filter.has_axis() {
            return Health::Unmapped;
        }
        if self.active() {
            return if self.filter.waits() { Health::WaitsForRest } else { Health::Drives };
        }
        let stick = self.devices.stick();
        if self.filter.deflected_axis(stick).is_some() {
            if self.filter.waits() {
                return Health::PushedEarly;
            }
            if let Some(button) = self.devices.driving().and_then(Device::first_held) {
                return Health::Pushed { button };
            }
        }
        let reference = self.filter.reference();
        if reference.waits_for_zero() {
            Health::ReferenceWaits
        } else if reference.in_force().is_some() {
            Health::PassesReference
        } else if reference.was_received() {
            Health::ReferenceOld
        } else {
            Health::NoReference
        }
    }

    fn health_without_device(&self) -> (Level, String) {
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
        // A robot that never had a device needs none; one that was lost, or that is named, is missing.
        let is_missing = self.devices.awaited().is_some() || self.active();
        (if is_missing { Level::Warn } else { Level::Ok }, text)
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
            let button = ButtonNumber(button);
            Some(format!("{act} {}{button} ({name}){again}", sdl_name.unwrap_or_default()))
        });
        format!("{} to drive", ways.collect::<Vec<_>>().join(" or "))
    }
}

/// Reports that are made on a change only.
impl Joystick {
    /// Warns of mappings that limit what the stick can do, if they are new.
    pub(super) fn warn(&mut self, had_axis: bool, had_enable_button: bool) {
        if had_axis && !self.filter.has_axis() {
            self.emit(Report::Unmapped);
        }
        if had_enable_button && !self.filter.has_enable_button() {
            self.emit(Report::AlwaysActive);
        }
    }

    /// Warns of mapped inputs that the driving device does not have, if they are new.
    pub(super) fn report_missing(&mut self) {
        let missing = match self.devices.driving() {
            Some(device) => {
                self.filter.mappings().beyond(device.state().axes.len(), device.state().buttons.len())
            }
            None => Vec::new(),
        };
        if missing != self.missing && !missing.is_empty() {
            let name = self.controlled().unwrap_or_default().to_owned();
            self.emit(Report::MissingInputs { name, parameters: missing.clone() });
        }
        self.missing = missing;
    }

    /// Warns of devices that lack an input which the mappings name, if they are new.
    pub(super) fn report_refused(&mut self) {
        let refused: Vec<Report> = self
            .devices
            .unnamed()
            .map(|(name, unnamed)| Report::InputsUnnamed { name: name.to_owned(), unnamed: unnamed.to_vec() })
            .collect();
        for report in &refused {
            if !self.refused.contains(report) {
                self.queue.push_back(Output::Report(report.clone()));
            }
        }
        self.refused = refused;
    }

    pub(super) fn report_reference(&mut self) {
        let waits = self.filter.reference().waits_for_zero();
        let [_, reported] = &mut self.reported_to_wait;
        if core::mem::replace(reported, waits) != waits {
            self.emit(Report::ReferenceWaits(waits));
        }
    }

    /// A stick that is not at rest, with its axis.
    pub(super) fn waiting(&self) -> Report {
        Report::WaitsForRest(self.filter.deflected_axis(self.devices.stick()))
    }

    pub(super) fn report_waiting(&mut self) {
        let waits = self.filter.waits();
        let [reported, _] = &mut self.reported_to_wait;
        if !self.in_batch && core::mem::replace(reported, waits) != waits {
            self.emit(if waits { self.waiting() } else { Report::AtRest });
        }
    }
}

/// Answers of services. They change nothing: a change is returned as an input, which must be given to the same
/// machine before any other.
impl Joystick {
    /// The ports of the connected devices in the order of connection.
    ///
    /// # Source
    /// joystick-genom3 `device_list`.
    pub fn device_list(&self) -> Vec<String> {
        self.devices.names().map(str::to_owned).collect()
    }

    /// The input that renames the device with the port `name` to `newname`; `None` if it already has that name.
    ///
    /// Any character of `newname` other than an ASCII letter, digit or underscore is replaced, as in
    /// [`port_name`](crate::port_name).
    /// # Errors
    /// [`Exception::NoEntry`] if no device has that name; [`Exception::Sdl`] if no legal character of `newname` is
    /// left, or if another device has it.
    /// # Source
    /// joystick-genom3 `rename`; own: renaming a device to its own name is allowed.
    pub fn rename(&self, name: &str, newname: &str) -> Result<Option<Input>, Exception> {
        let renaming = self.devices.renaming(name, newname)?;
        Ok(renaming.map(|(id, name)| Input::DeviceRenamed { id, name }))
    }

    /// The dynamics in force.
    pub fn dynamics(&self) -> Dynamics {
        self.filter.dynamics()
    }

    /// The devices that may not drive since they lack inputs that parameters name.
    pub fn refused(&self) -> &[Report] {
        &self.refused
    }

    /// The mappings in force as numbers.
    ///
    /// # Errors
    /// [`Exception::Value`] if a parameter gives a name and no device drove yet: with -1 for a dead-man button, a client
    /// that writes back what it read would remove it.
    /// # Source
    /// joystick-genom3 `get_mappings`; its inputs have numbers only.
    pub fn numbered_mappings(&self) -> Result<RequestedMappings, Exception> {
        let mappings = self.mappings();
        match self.devices.mapped_names().given().next() {
            Some((parameter, name)) if mappings.has_unknown() => {
                let what = format!("'{name}' ({parameter}) has no number until a device drives");
                Err(Exception::Value { what })
            }
            _ => Ok(RequestedMappings::from(mappings)),
        }
    }

    /// The mappings in force.
    pub fn mappings(&self) -> &Mappings {
        self.filter.mappings()
    }
}
