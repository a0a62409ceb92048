//! The events that the sink receives.

use std::fmt;

use crate::details::{Battery, Capabilities, Details};

/// An event of the joysticks.
///
/// `id` is SDL's instance id: a device keeps it while it is connected and gets a new one at each connection. The
/// events of one `id` are always `Connected`, then changes, then `Disconnected`. Every event in between is a change
/// of the reported state; only measurements and `State` may repeat it. Indices count from 0 and are below the lengths
/// in `Connected`.
///
/// # Source
/// Joystick component, "Plug / unplug"; own: the state at the connection is the true one, and repetitions are
/// suppressed.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A device was connected, or already present at the start, and was opened.
    Connected {
        /// SDL's instance id.
        id: u32,
        /// SDL's name of the device, unchanged: any characters, not unique, possibly empty.
        name: String,
        /// SDL's GUID, 32 hexadecimal digits: the same for devices of one model that are read by the same driver. A
        /// virtual one starts with `ff00`.
        guid: String,
        /// Position of each axis at the connection, -32768 to 32767. A trigger at rest reads -32768.
        axes: Vec<i16>,
        /// Which buttons are held at the connection.
        buttons: Vec<bool>,
        /// Position of each hat at the connection.
        hats: Vec<Hat>,
        /// Serial number, path, capabilities and the like.
        details: Box<Details>,
    },
    /// A device could not be opened; the others continue. The next attempt is at its next connection.
    OpenFailed {
        /// SDL's name of the device, empty if SDL has none.
        name: String,
        /// The device's file, empty if SDL has none.
        path: String,
        /// SDL's message.
        reason: String,
    },
    /// A device was disconnected. The changes back to its rest state precede this event.
    Disconnected {
        /// SDL's instance id.
        id: u32,
    },
    /// An axis moved.
    Axis {
        /// SDL's instance id.
        id: u32,
        /// Index of the axis.
        axis: usize,
        /// New position, raw: -32768 (left, up) to 32767 (right, down).
        value: i16,
    },
    /// A button went down or up.
    Button {
        /// SDL's instance id.
        id: u32,
        /// Index of the button.
        button: usize,
        /// Whether it is down now.
        pressed: bool,
    },
    /// A hat moved.
    Hat {
        /// SDL's instance id.
        id: u32,
        /// Index of the hat.
        hat: usize,
        /// New position.
        state: Hat,
    },
    /// The complete state of the device, requested by [`request_states`](crate::Gamepads::request_states). The
    /// lengths are those of `Connected`.
    State {
        /// SDL's instance id.
        id: u32,
        /// Position of each axis, -32768 to 32767.
        axes: Vec<i16>,
        /// Which buttons are held.
        buttons: Vec<bool>,
        /// Position of each hat.
        hats: Vec<Hat>,
    },
    /// The charge of the battery changed.
    BatteryChanged {
        /// SDL's instance id.
        id: u32,
        /// The new charge.
        battery: Battery,
    },
    /// The capabilities changed: SDL may detect some late, such as a pad's sensors.
    CapabilitiesChanged {
        /// SDL's instance id.
        id: u32,
        /// The new capabilities.
        capabilities: Capabilities,
    },
    /// A measurement of the sensors, some hundred times a second; only after
    /// [`enable_sensors`](crate::Gamepads::enable_sensors).
    ///
    /// Axes as in REP-103, for a pad held in the usual way: x forward, away from the player, y to the left, z up out
    /// of the buttons. Always finite. `None`: the device has no such sensor, or it has not measured yet.
    SensorMoved {
        /// SDL's instance id.
        id: u32,
        /// Acceleration \[m/s²], including the reaction to gravity: at rest 9.81 upwards.
        acceleration: Option<[f32; 3]>,
        /// Angular velocity \[rad/s], counter-clockwise positive.
        angular_velocity: Option<[f32; 3]>,
    },
    /// A request, such as [`rumble`](crate::Gamepads::rumble), cannot be executed.
    Refused {
        /// The given id; there may be no such device.
        id: u32,
        /// The requested feature.
        feature: Feature,
        /// The reason: no such device, no such feature, or SDL's message.
        reason: String,
    },
    /// The devices were polled, with or without events. Arrives about every 50 ms while SDL does not hang, between
    /// batches. A user who drives by these events must treat its absence as a hang.
    Polled,
    /// All pending SDL events have been reported; follows every batch of at least one event.
    ///
    /// The place to publish each changed device once, with one stamp for the batch.
    BatchEnded,
}

/// A feature that can be requested from a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Its two motors.
    Rumble,
    /// Its light.
    Led,
    /// Its accelerometer and gyro.
    Sensors,
}

/// Formats the name for use in a sentence.
impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Feature::Rumble => "rumble",
            Feature::Led => "LED colour",
            Feature::Sensors => "sensors",
        })
    }
}

/// Position of a hat (the four-way switch that some pads have instead of, or behind, a cross).
///
/// Diagonals set two fields. Opposite directions are never reported together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hat {
    /// Pushed up, away from the user.
    pub up: bool,
    /// Pushed down, towards the user.
    pub down: bool,
    /// Pushed left.
    pub left: bool,
    /// Pushed right.
    pub right: bool,
}

// SDL's bits (SDL_HAT_UP and so on).
const UP: u8 = 1;
const RIGHT: u8 = 2;
const DOWN: u8 = 4;
const LEFT: u8 = 8;

impl Hat {
    /// The hat from SDL's bits; opposite directions cancel out.
    pub(crate) fn from_bits(bits: u8) -> Hat {
        let has = |bit| bits & bit != 0;
        Hat { up: has(UP), down: has(DOWN), left: has(LEFT), right: has(RIGHT) }.without_opposites()
    }

    /// SDL's bits; opposite directions cancel out.
    pub(crate) fn bits(self) -> u8 {
        let hat = self.without_opposites();
        let bit = |on, bit| if on { bit } else { 0 };
        bit(hat.up, UP) | bit(hat.right, RIGHT) | bit(hat.down, DOWN) | bit(hat.left, LEFT)
    }

    fn without_opposites(self) -> Hat {
        Hat {
            up: self.up && !self.down,
            down: self.down && !self.up,
            left: self.left && !self.right,
            right: self.right && !self.left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_preserved_except_that_opposites_cancel() {
        for bits in 0..16 {
            // Vertical part: 1 (up), 4 (down), or 5 which is neither; horizontal likewise with 2, 8 and 10.
            let vertical = if bits & 5 == 5 { 0 } else { bits & 5 };
            let horizontal = if bits & 10 == 10 { 0 } else { bits & 10 };
            assert_eq!(Hat::from_bits(bits).bits(), vertical | horizontal, "{bits}");
        }
        let right_up = Hat { up: true, right: true, ..Hat::default() };
        assert_eq!(right_up.bits(), 3); // SDL_HAT_RIGHTUP
    }

    #[test]
    fn bits_of_the_four_directions_are_those_of_sdl() {
        assert_eq!(Hat { up: true, ..Hat::default() }.bits(), 1);
        assert_eq!(Hat { right: true, ..Hat::default() }.bits(), 2);
        assert_eq!(Hat { down: true, ..Hat::default() }.bits(), 4);
        assert_eq!(Hat { left: true, ..Hat::default() }.bits(), 8);
    }
}
