use crate::device::{Device, Identity};
use crate::name::legal_name;

/// Which device shall drive: what `control_device` says, and what came of it.
///
/// A text names the device whose port, GUID, serial number or path it is, or a link to that, such as
/// `/dev/input/by-path/...`, and what SDL calls a device stands for the port that is made of it; without a
/// letter or digit of ASCII, of which no port can be made, for itself. Without a text the first device to connect drives, and after that only that one: the same
/// model (GUID), and the same serial number where it has one. Two devices of one model without serial numbers cannot be
/// told apart but by their paths.
///
/// # Source
/// own; the openrobots component does not say which device its mappings read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// As the user wrote it; empty: none is named.
    text: String,
    /// The port that the text may mean.
    port: String,
    /// Who drove, where none is named.
    settled: Option<Identity>,
}

impl Choice {
    pub(crate) fn new(control_device: &str) -> Self {
        let port = legal_name(control_device).unwrap_or_default();
        Self { text: control_device.into(), port, settled: None }
    }

    /// Whether `control_device` is the choice already.
    pub(crate) fn is(&self, control_device: &str) -> bool {
        self.text == control_device
    }

    /// Whether `device` may drive.
    pub(crate) fn allows(&self, device: &Device) -> bool {
        if self.text.is_empty() {
            self.settled.as_ref().is_none_or(|before| is_same(before, &device.identity))
        } else {
            self.names(device)
        }
    }

    /// Whether the text means `device`.
    pub(crate) fn names(&self, device: &Device) -> bool {
        let Identity { guid, serial, path, links, label } = &device.identity;
        !self.text.is_empty()
            && (self.port == device.name
                || (self.port.is_empty() && self.text == *label)
                || self.text.eq_ignore_ascii_case(guid)
                || self.text == *serial
                || self.text == *path
                || links.contains(&self.text))
    }

    /// `device` drives now.
    pub(crate) fn settle(&mut self, device: &Device) {
        if self.text.is_empty() {
            self.settled = Some(device.identity.clone());
        }
    }

    /// Who is waited for, in words for the user.
    pub(crate) fn awaited(&self) -> Option<&str> {
        if !self.text.is_empty() {
            return Some(&self.text);
        }
        let settled = self.settled.as_ref()?;
        Some(if settled.serial.is_empty() { &settled.guid } else { &settled.serial })
    }
}

/// Whether what is known of a device `now` is the same as `before`. The path does not count: a device may be plugged in
/// elsewhere.
pub(crate) fn is_same(before: &Identity, now: &Identity) -> bool {
    before.guid == now.guid && (before.serial == now.serial || now.serial.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceId;

    fn device(name: &str, guid: &str, serial: &str, path: &str) -> Device {
        let links = vec!["/dev/input/by-path/pci-usb-0:2".into(), "/dev/input/by-id/usb-pad".into()];
        let label = String::new();
        let identity = Identity { guid: guid.into(), serial: serial.into(), path: path.into(), links, label };
        Device::new(DeviceId(1), name.into(), identity, &[], &[], &[])
    }

    #[test]
    fn a_text_of_which_no_port_can_be_made_is_the_name_itself() {
        let mut pad = device("joystick", "", "", "");
        pad.identity.label = "日本".into();
        assert!(Choice::new("日本").names(&pad));
        assert!(!Choice::new("日本語").names(&pad) && !Choice::new("").names(&pad));
        assert!(Choice::new("joystick").names(&pad));
    }

    #[test]
    fn a_text_is_a_port_a_guid_a_serial_number_a_path_or_a_link() {
        let pad = device("Xbox_Pad", "030000005e04AB", "S/N 7", "/dev/input/event7");
        let names =
            ["Xbox_Pad", "Xbox Pad", "030000005e04ab", "030000005E04AB", "S/N 7", "/dev/input/event7"];
        for text in names.into_iter().chain(["/dev/input/by-path/pci-usb-0:2", "/dev/input/by-id/usb-pad"]) {
            assert!(Choice::new(text).allows(&pad) && Choice::new(text).names(&pad), "{text}");
        }
        for text in ["Pad", "Xbox_Pad_1", "030000005e04", "S/N 8", "event7"] {
            assert!(!Choice::new(text).allows(&pad), "{text}");
        }
    }

    #[test]
    fn what_a_device_does_not_tell_is_not_chosen_by() {
        let bare = device("Pad", "", "", "");
        assert!(Choice::new("").allows(&bare) && !Choice::new("").names(&bare));
        assert!(!Choice::new("x").allows(&bare));
    }

    #[test]
    fn the_first_stays_the_one_wherever_it_is_plugged_in() {
        let mut choice = Choice::new("");
        choice.settle(&device("Pad", "model", "7", "/a"));
        assert!(choice.allows(&device("Pad_1", "model", "7", "/b")));
        assert!(!choice.allows(&device("Pad", "model", "8", "/a")), "a twin");
        assert!(!choice.allows(&device("Pad", "other", "7", "/a")));
        assert!(choice.allows(&device("Pad", "model", "", "/a")), "who cannot be asked may be the same");
        assert_eq!(choice.awaited(), Some("7"));
    }

    #[test]
    fn the_first_without_a_serial_number_is_known_by_its_model() {
        let mut choice = Choice::new("");
        choice.settle(&device("Pad", "model", "", "/a"));
        assert!(choice.allows(&device("Pad", "model", "", "/b")));
        assert!(!choice.allows(&device("Pad", "model", "8", "/b")));
        assert_eq!(choice.awaited(), Some("model"));
    }
}
