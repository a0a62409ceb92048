use crate::{Joystick, Output, Report};

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

    pub(super) fn report_waiting(&mut self) {
        let waits = self.filter.waits();
        let [reported, _] = &mut self.reported_to_wait;
        if !self.in_batch && core::mem::replace(reported, waits) != waits {
            let deflected_axis = self.filter.deflected_axis(self.devices.stick());
            self.emit(if waits { Report::WaitsForRest(deflected_axis) } else { Report::AtRest });
        }
    }
}
