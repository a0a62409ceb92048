//! Properties of a device other than its axes, buttons and hats.

use std::fmt;

/// The identity and the capabilities of a device, reported once with [`Event::Connected`](crate::Event::Connected).
///
/// # Source
/// Own: the data of SDL 2 that a joystick node needs to select a device and to answer `set_feedback`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The serial number or Bluetooth address of the device, or of its receiver; empty if it has none. It
    /// distinguishes identical pads wherever they are plugged in.
    pub serial: String,
    /// The device's file, such as `/dev/input/event7` or `/dev/hidraw2`; empty for a virtual one.
    pub path: String,
    /// Links to the device's file in `/dev/input/by-path` and `/dev/input/by-id`, in this order, as udev had made
    /// them at the connection. Links by path name the port and stay the same after a restart, unlike `path`. For a
    /// device read through hidraw they are the links to the kernel's input devices of the same hardware. Empty
    /// without udev.
    pub links: Vec<String>,
    /// SDL's mapping of the device as a game controller, which names its axes and buttons: `<GUID>,<name>,leftx:a0,a:b0,...`.
    /// Empty for a device that SDL does not know as one. It is built into SDL; `SDL_GAMECONTROLLERCONFIG` adds to it.
    pub mapping: String,
    /// The axes that are triggers, which rest at their end; `None` for a device that SDL does not know as a gamepad,
    /// such as a flight stick, whose triggers are unknown.
    pub triggers: Option<Vec<usize>>,
    /// Which part of SDL reads the device: the numbering of axes and buttons depends on it.
    pub driver: Driver,
    /// Capabilities beyond reporting motion.
    pub capabilities: Capabilities,
    /// The battery at the connection; [`Battery::Unknown`] if the device or its driver does not report it.
    pub battery: Battery,
}

/// Capabilities of a device beyond reporting motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// It has the two motors of [`Gamepads::rumble`](crate::Gamepads::rumble).
    pub rumble: bool,
    /// It has a light whose colour can be set, see [`Gamepads::set_led`](crate::Gamepads::set_led).
    pub led: bool,
    /// It measures acceleration, see [`Gamepads::enable_sensors`](crate::Gamepads::enable_sensors).
    pub accelerometer: bool,
    /// It measures turning, see [`Gamepads::enable_sensors`](crate::Gamepads::enable_sensors).
    pub gyro: bool,
}

/// The part of SDL that reads a device.
///
/// A pad has other axis and button numbers, and another GUID, with each driver. SDL uses hidraw for devices that it knows
/// and may read, and evdev otherwise, so a file permission decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// The kernel's own driver, through `/dev/input/event*`: axes and buttons in the order of the kernel's codes.
    Evdev,
    /// SDL's own driver, through `/dev/hidraw*`: axes and buttons in the order of SDL's game controllers.
    Hidapi,
    /// A [`VirtualPad`](crate::VirtualPad).
    Virtual,
    /// Another one.
    Other,
}

/// The charge of a battery, with SDL's resolution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Battery {
    /// Unknown, or there is no battery.
    #[default]
    Unknown,
    /// 5 % or less.
    Empty,
    /// 20 % or less.
    Low,
    /// 70 % or less.
    Medium,
    /// More than 70 %.
    Full,
    /// Powered by its cable.
    Wired,
}

// SDL's letters for its drivers, in the last byte but one of a GUID.
const HIDAPI: u8 = b'h';
const VIRTUAL: u8 = b'v';

impl Driver {
    /// The driver from the 16 bytes of a device's GUID.
    pub(crate) fn of_guid(guid: &[u8; 16]) -> Driver {
        match guid[14] {
            0 => Driver::Evdev,
            HIDAPI => Driver::Hidapi,
            VIRTUAL => Driver::Virtual,
            _ => Driver::Other,
        }
    }
}

impl Battery {
    /// The battery from SDL's level; an undefined level is unknown.
    pub(crate) fn of_level(level: i32) -> Battery {
        match level {
            0 => Battery::Empty,
            1 => Battery::Low,
            2 => Battery::Medium,
            3 => Battery::Full,
            4 => Battery::Wired,
            _ => Battery::Unknown,
        }
    }
}

/// Formats it as in the list that `steersman-joystick` prints.
impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Driver::Evdev => "evdev",
            Driver::Hidapi => "hidapi",
            Driver::Virtual => "virtual",
            Driver::Other => "other",
        })
    }
}

/// Formats it as one word in lower case.
impl fmt::Display for Battery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Battery::Unknown => "unknown",
            Battery::Empty => "empty",
            Battery::Low => "low",
            Battery::Medium => "medium",
            Battery::Full => "full",
            Battery::Wired => "wired",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guid_contains_the_driver() {
        // 030000005e0400008e02000010010000 is a pad of the kernel's xpad; SDL puts its driver's letter into byte 14.
        let mut guid = [3, 0, 0, 0, 0x5e, 4, 0, 0, 0x8e, 2, 0, 0, 0x10, 1, 0, 0];
        assert_eq!(Driver::of_guid(&guid), Driver::Evdev);
        for (letter, driver) in [(b'h', Driver::Hidapi), (b'v', Driver::Virtual), (b'x', Driver::Other)] {
            guid[14] = letter;
            assert_eq!(Driver::of_guid(&guid), driver);
        }
    }

    #[test]
    fn a_level_that_sdl_does_not_define_is_unknown() {
        // SDL_JOYSTICK_POWER_UNKNOWN is -1, _MAX is 5.
        assert_eq!([-1, 5, 99, i32::MIN].map(Battery::of_level), [Battery::Unknown; 4]);
        let levels = [Battery::Empty, Battery::Low, Battery::Medium, Battery::Full, Battery::Wired];
        assert_eq!([0, 1, 2, 3, 4].map(Battery::of_level), levels);
    }
}
