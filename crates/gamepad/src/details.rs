//! What is known of a device beyond its axes, buttons and hats.

use std::fmt;

/// What a device is and can do, as told once with [`Event::Connected`](crate::Event::Connected).
///
/// # Source
/// Own: what SDL 2 knows of a device and a joystick node needs to choose one and to answer `set_feedback`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The device's serial number or Bluetooth address, or its receiver's; empty if it has none. Of two identical pads
    /// it tells which is which, wherever they are plugged in.
    pub serial: String,
    /// The device's file, such as `/dev/input/event7` or `/dev/hidraw2`; empty for a virtual one.
    pub path: String,
    /// Links to the device's file in `/dev/input/by-path` and `/dev/input/by-id`, in this order, as udev had made them at
    /// the plug. Those by path name the port that it is plugged into, and are the same after a restart, which `path` is
    /// not. Of a device read through hidraw they are the links to what the kernel makes of it besides. Empty without udev.
    pub links: Vec<String>,
    /// Which of its axes are triggers, which rest at their end; `None` for what SDL does not know as a gamepad, such as
    /// a flight stick, of which nobody knows.
    pub triggers: Option<Vec<usize>>,
    /// Which part of SDL reads the device: the numbering of axes and buttons depends on it.
    pub driver: Driver,
    /// What the device can do besides being moved.
    pub capabilities: Capabilities,
    /// The battery at the plug; [`Battery::Unknown`] for a device, or a driver, that does not say.
    pub battery: Battery,
}

/// What a device can do besides being moved.
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

/// Which part of SDL reads a device.
///
/// The same pad has other axis and button numbers with another driver, and another GUID: SDL takes hidraw where it may
/// read it and knows the device, and evdev otherwise, so that a permission decides.
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

/// How full a battery is, as roughly as SDL tells it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Battery {
    /// Nothing is known, or there is no battery.
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

// SDL's letters for its drivers, the last but one byte of a GUID.
const HIDAPI: u8 = b'h';
const VIRTUAL: u8 = b'v';

impl Driver {
    /// Of the 16 bytes of a device's GUID.
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
    /// Of SDL's number for it; what SDL does not define is unknown.
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

/// The words of the list that `steersman-joystick` prints.
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

/// One word in lower case.
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
    fn a_guid_tells_the_driver() {
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
