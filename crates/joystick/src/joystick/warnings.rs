use crate::{Joystick, Report};

/// What is reported when it becomes so, and no longer when it stays so.
impl Joystick {
    /// Warns of mappings with which little can be done, where that is news.
    pub(super) fn warn(&mut self, had_axis: bool, had_enable_button: bool) {
        if had_axis && !self.filter.has_axis() {
            self.tell(Report::Unmapped);
        }
        if had_enable_button && !self.filter.has_enable_button() {
            self.tell(Report::AlwaysActive);
        }
    }

    /// Warns of what is mapped and the device that drives does not have, where that is news.
    pub(super) fn report_lacks(&mut self) {
        let lacks = match self.devices.driving() {
            Some(device) => {
                self.filter.mappings().beyond(device.state().axes.len(), device.state().buttons.len())
            }
            None => Vec::new(),
        };
        if lacks != self.lacks && !lacks.is_empty() {
            let name = self.controlled().unwrap_or_default().to_owned();
            self.tell(Report::Lacks { name, parameters: lacks.clone() });
        }
        self.lacks = lacks;
    }

    pub(super) fn report_reference(&mut self) {
        let waits = self.filter.reference().waits_for_zero();
        let [_, reported] = &mut self.reported_to_wait;
        if core::mem::replace(reported, waits) != waits {
            self.tell(Report::ReferenceWaits(waits));
        }
    }

    pub(super) fn report_waiting(&mut self) {
        let waits = self.filter.waits();
        let [reported, _] = &mut self.reported_to_wait;
        if !self.in_batch && core::mem::replace(reported, waits) != waits {
            let unrest = self.filter.unrest(self.devices.stick());
            self.tell(if waits { Report::WaitsForRest(unrest) } else { Report::AtRest });
        }
    }
}
