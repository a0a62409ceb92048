use safety::Likeness;

use crate::device::{Device, Identity};

/// Selects the device that drives, from the parameter `control_device` and the devices seen so far.
///
/// A non-empty `control_device` selects the device with exactly that SDL name, serial number, path, link to the path
/// (such as `/dev/input/by-path/...`) or model (GUID). It also selects a device by the exact name of its port. No
/// other text selects by port, since two names may map to one port. With an empty `control_device` the first device
/// to connect drives, and afterwards only that device: one that [`safety::identity`] does not call another one. Two
/// devices of one model without serial numbers can only be distinguished by their paths.
///
/// # Source
/// own; the openrobots component does not say which device its mappings read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// The parameter as the user wrote it; empty: no device is named.
    text: String,
    /// The first device that drove, recorded only if no device is named.
    first: Option<Identity>,
}

/// How well `control_device` matches a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// No match.
    None,
    /// The text is a GUID of the same model, in another version.
    Model,
    /// The text is the name of the device's port.
    Port,
    /// The text is the device's SDL name, GUID, serial number, path or a link.
    Exact,
    /// Both an exact match and the name of the port: the first of two identical devices.
    Both,
}

impl Choice {
    pub(crate) fn new(control_device: &str) -> Self {
        Self { text: control_device.into(), first: None }
    }

    /// Whether `control_device` equals the current selection.
    pub(crate) fn is(&self, control_device: &str) -> bool {
        self.text == control_device
    }

    /// Whether `device` may drive.
    pub(crate) fn allows(&self, device: &Device) -> bool {
        if self.text.is_empty() {
            let first = self.first.as_ref();
            first.is_none_or(|first| first.likeness(&device.identity) != Likeness::Other)
        } else {
            self.names(device) != Fit::None
        }
    }

    /// The best match among the devices that may drive; the first of several equal ones.
    pub(crate) fn best<'a>(&self, devices: impl Iterator<Item = &'a Device>) -> Option<&'a Device> {
        let mut best: Option<(Fit, &Device)> = None;
        for device in devices.filter(|device| self.allows(device)) {
            let fit = self.names(device);
            if best.is_none_or(|(other, _)| fit > other) {
                best = Some((fit, device));
            }
        }
        best.map(|(_, device)| device)
    }

    /// Whether the selection is exactly this device, and not only its port or its model.
    pub(crate) fn is_exact(&self, device: &Device) -> bool {
        self.names(device) >= Fit::Exact
    }

    /// How well the selection matches `device`.
    pub(crate) fn names(&self, device: &Device) -> Fit {
        let Identity { guid, serial, path, links, label } = &device.identity;
        let text = &self.text;
        let is_port = *text == device.name;
        let is_exact = [label, guid, serial, path].contains(&text) || links.contains(text);
        match (text.is_empty(), is_exact, is_port) {
            (true, ..) => Fit::None,
            (_, true, true) => Fit::Both,
            (_, true, false) => Fit::Exact,
            (_, false, true) => Fit::Port,
            (_, false, false) if is_same_model(text, guid) => Fit::Model,
            _ => Fit::None,
        }
    }

    /// Records `device` as the driving device. Only the first one counts: a device without a serial number that took its
    /// place does not become the one that is awaited.
    pub(crate) fn record_driver(&mut self, device: &Device) {
        if self.text.is_empty() {
            self.first.get_or_insert_with(|| device.identity.clone());
        }
    }

    /// The awaited device, as text for the user.
    pub(crate) fn awaited(&self) -> Option<&str> {
        if !self.text.is_empty() {
            return Some(&self.text);
        }
        let first = self.first.as_ref()?;
        Some(if first.serial.is_empty() { &first.guid } else { &first.serial })
    }
}

/// Whether two SDL GUIDs, 32 hexadecimal digits each, identify the same model read by the same driver.
///
/// | bytes | | counts |
/// |---|---|---|
/// | 0, 1 | bus: USB, Bluetooth | yes: the numbering of axes may differ |
/// | 2, 3 | SDL's checksum of the name; 0 in the community's database and before SDL 2.24 | no |
/// | 4 to 7, 8 to 11 | vendor and product, two bytes each and two zeros | yes |
/// | 12, 13 | version; a kernel may change it | no |
/// | 14, 15 | SDL's driver, and its data on the kind of device | yes |
///
/// The GUID of a device without a vendor has the start of its name from byte 4 on. There all bytes count, and the
/// checksum too if both have one. A text that is no GUID equals only itself, ignoring case.
///
/// # Source
/// SDL 2 `SDL_joystick.c`, `SDL_CreateJoystickGUID` and `SDL_GetJoystickGUIDInfo`; own: which bytes count.
pub fn is_same_model(one: &str, other: &str) -> bool {
    let (Some(a), Some(b)) = (bytes(one), bytes(other)) else { return one.eq_ignore_ascii_case(other) };
    let parts = |guid: [u8; 16]| {
        let [bus0, bus1, sum0, sum1, rest @ ..] = guid;
        ([bus0, bus1], [sum0, sum1], rest)
    };
    let ((bus, sum, rest), (other_bus, other_sum, other_rest)) = (parts(a), parts(b));
    let named = |rest: [u8; 12]| {
        let [v0, v1, z0, z1, p0, p1, z2, z3, _, _, d0, d1] = rest;
        ([z0, z1, z2, z3] == [0; 4] && [v0, v1] != [0; 2]).then_some([v0, v1, p0, p1, d0, d1])
    };
    bus == other_bus
        && match (named(rest), named(other_rest)) {
            (Some(model), Some(other)) => model == other,
            (None, None) => rest == other_rest && (sum == other_sum || sum == [0; 2] || other_sum == [0; 2]),
            _ => false,
        }
}

fn bytes(guid: &str) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    if guid.len() != 32 || !guid.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(guid.as_bytes().chunks(2)) {
        let digits = core::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
        *byte = u8::from_str_radix(digits, 16).ok()?;
    }
    Some(bytes)
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

    fn labelled(name: &str, label: &str) -> Device {
        let mut pad = device(name, "030000005e0400008e02000010010000", "", "");
        pad.identity.label = label.into();
        pad
    }

    #[test]
    fn two_names_that_share_a_port_are_distinguished() {
        let [stick, throttle] =
            ["Stick", "Throttle"].map(|part| format!("Saitek Pro Flight X-55 Rhino {part}"));
        let pads = [
            labelled("Saitek_Pro_Flight_X_55_Rhino_Th", &throttle),
            labelled("Saitek_Pro_Flight_X_55_Rhino__1", &stick),
        ];
        for (text, meant) in [(&throttle, 0), (&stick, 1)] {
            let choice = Choice::new(text);
            assert!(choice.allows(&pads[meant]) && !choice.allows(&pads[1 - meant]), "{text}");
        }
        assert!(Choice::new("Saitek_Pro_Flight_X_55_Rhino_Th").allows(&pads[0]), "a port's own name counts");
        assert!(!Choice::new("Saitek Pro Flight X-55 Rhino").allows(&pads[0]));
    }

    #[test]
    fn an_exact_name_has_precedence_over_a_port_and_the_first_of_two_identical_devices_over_the_second() {
        let pads = [labelled("Pad_X", "Pad X"), labelled("Pad_X_1", "Pad_X"), labelled("Pad_X_2", "Pad X")];
        let best = |text: &str| Choice::new(text).best(pads.iter()).map(|pad| pad.name.clone());
        assert_eq!(best("Pad_X").as_deref(), Some("Pad_X_1"));
        assert_eq!(best("Pad X").as_deref(), Some("Pad_X"));
        assert_eq!(best("Pad_X_2").as_deref(), Some("Pad_X_2"));
        let pads = [labelled("Pad_1", "Pad"), labelled("Pad", "Pad")];
        let first = Choice::new("Pad").best(pads.iter()).map(|pad| pad.name.clone());
        assert_eq!(first.as_deref(), Some("Pad"));
    }

    #[test]
    fn a_name_without_legal_characters_counts_too() {
        let pad = labelled("joystick", "日本");
        assert!(Choice::new("日本").allows(&pad));
        assert!(!Choice::new("日本語").allows(&pad));
        assert!(Choice::new("joystick").allows(&pad));
    }

    #[test]
    fn a_guid_of_another_kernel_or_of_the_database_selects_the_model() {
        let pad = device("Pad", "0300509d5e0400008e02000010010000", "", "");
        for text in ["030000005e0400008e02000010010000", "0300509D5E0400008E02000014010000"] {
            assert_eq!(Choice::new(text).names(&pad), Fit::Model, "{text}");
        }
        assert!(!Choice::new("030000005e0400008f02000010010000").allows(&pad));
    }

    #[test]
    fn a_device_is_selected_by_name_port_guid_serial_number_path_or_link() {
        let mut pad = device("Xbox_Pad", "030000005e04AB", "S/N 7", "/dev/input/event7");
        pad.identity.label = "Xbox Pad".into();
        let names =
            ["Xbox_Pad", "Xbox Pad", "030000005e04ab", "030000005E04AB", "S/N 7", "/dev/input/event7"];
        for text in names.into_iter().chain(["/dev/input/by-path/pci-usb-0:2", "/dev/input/by-id/usb-pad"]) {
            assert!(Choice::new(text).allows(&pad) && Choice::new(text).names(&pad) != Fit::None, "{text}");
        }
        for text in ["Pad", "Xbox_Pad_1", "xbox pad", "Xbox  Pad", "030000005e04", "S/N 8", "event7"] {
            assert!(!Choice::new(text).allows(&pad), "{text}");
        }
    }

    #[test]
    fn an_empty_property_selects_no_device() {
        let bare = device("Pad", "", "", "");
        assert!(Choice::new("").allows(&bare) && Choice::new("").names(&bare) == Fit::None);
        assert!(!Choice::new("x").allows(&bare));
    }

    #[test]
    fn the_first_device_is_recognized_at_any_port() {
        let mut choice = Choice::new("");
        choice.record_driver(&device("Pad", "model", "7", "/a"));
        assert!(choice.allows(&device("Pad_1", "model", "7", "/b")));
        assert!(!choice.allows(&device("Pad", "model", "8", "/a")), "another of the same model");
        assert!(!choice.allows(&device("Pad", "other", "7", "/a")));
        assert!(
            choice.allows(&device("Pad", "model", "", "/a")),
            "without a serial number it may be the same"
        );
        assert_eq!(choice.awaited(), Some("7"));
    }

    #[test]
    fn the_first_without_a_serial_number_is_recognized_by_its_model() {
        let mut choice = Choice::new("");
        choice.record_driver(&device("Pad", "model", "", "/a"));
        assert!(choice.allows(&device("Pad", "model", "", "/b")));
        assert!(!choice.allows(&device("Pad", "model", "8", "/b")));
        assert_eq!(choice.awaited(), Some("model"));
    }

    /// SDL's GUID of an Xbox 360 pad with the kernel's driver, with its checksum.
    const XBOX: &str = "0300509d5e0400008e02000010010000";

    #[test]
    fn neither_the_checksum_nor_the_version_counts() {
        for same in [
            "030000005e0400008e02000010010000", // gamecontrollerdb
            "030000005E0400008E02000014010000", // another kernel
            "0300ffff5e0400008e02000000000000",
        ] {
            assert!(is_same_model(XBOX, same) && is_same_model(same, XBOX), "{same}");
        }
    }

    #[test]
    fn bus_vendor_product_and_driver_count() {
        for other in [
            "0500509d5e0400008e02000010010000",
            "0300509d5f0400008e02000010010000",
            "0300509d5e0400008f02000010010000",
            "0300509d5e0400008e02000010016800",
            "0300509d5e0400008e02000010010001",
        ] {
            assert!(!is_same_model(XBOX, other), "{other}");
        }
    }

    #[test]
    fn without_a_vendor_the_name_counts() {
        let named = |sum: &str, name: &str| format!("ff00{sum}{name}7600");
        let (a, b) = (named("1111", "56697274756c20706164"), named("2222", "56697274756c20706164"));
        assert!(
            is_same_model(&a, &a) && !is_same_model(&a, &b),
            "the names differ after byte 15, so only the checksum differs"
        );
        assert!(is_same_model(&a, &named("0000", "56697274756c20706164")));
        assert!(!is_same_model(&a, &named("1111", "56697274756c20706165")));
    }

    #[test]
    fn an_invalid_guid_is_compared_as_text() {
        for text in
            ["guid", "", "030000005e0400008e0200001001000", "+30000005e0400008e02000010010000", "日本"]
        {
            assert!(is_same_model(text, text) && !is_same_model(text, XBOX), "{text}");
        }
        assert!(is_same_model("GUID", "guid"));
    }
}
