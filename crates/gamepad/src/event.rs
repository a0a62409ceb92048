//! What the sink is told.

use std::fmt;

use crate::details::{Battery, Capabilities, Details};

/// One thing that happened to the joysticks.
///
/// `id` is SDL's instance id: a device keeps it while it is plugged in, and gets another one when it is plugged in
/// again. For one `id` the events are always `Connected`, then changes, then `Disconnected`; every event between is a
/// change of the state known so far, none repeats it (but measurements, which are told as they come, and `State`).
/// Indices count from 0 and are below the lengths in `Connected`.
///
/// # Source
/// Joystick component, "Plug / unplug"; own: the state at the plug is the true one, and repetitions are kept back.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A device was plugged in, or was there already at the start, and is open now.
    Connected {
        /// SDL's instance id.
        id: u32,
        /// SDL's name of the device, as given: any characters, not unique, possibly empty.
        name: String,
        /// SDL's GUID, 32 hexadecimal digits: the same for devices of one model that are read by the same driver. A
        /// virtual one starts with `ff00`.
        guid: String,
        /// Position of each axis at the plug, -32768 to 32767. A trigger at rest reads -32768.
        axes: Vec<i16>,
        /// Which buttons are held at the plug.
        buttons: Vec<bool>,
        /// Position of each hat at the plug.
        hats: Vec<Hat>,
        /// Serial number, path, what it can do, and the like.
        details: Box<Details>,
    },
    /// A device is there and cannot be opened; the others go on. It is tried again when it is plugged in again.
    OpenFailed {
        /// SDL's name of the device, empty if SDL has none.
        name: String,
        /// The device's file, empty if SDL has none.
        path: String,
        /// SDL's own words.
        reason: String,
    },
    /// A device was unplugged. The changes back to its rest state have come just before.
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
    /// Where everything of the device is, which was asked for by [`retell`](crate::Gamepads::retell). The lengths are those
    /// of `Connected`.
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
    /// The battery is fuller or emptier than last told.
    BatteryChanged {
        /// SDL's instance id.
        id: u32,
        /// How full it is now.
        battery: Battery,
    },
    /// The device can do something else than last told: SDL may find out late, as about a pad's sensors.
    CapabilitiesChanged {
        /// SDL's instance id.
        id: u32,
        /// What it can do now.
        capabilities: Capabilities,
    },
    /// The sensors measured, some hundred times a second; only after
    /// [`enable_sensors`](crate::Gamepads::enable_sensors).
    ///
    /// Axes as in REP-103, of a pad held as one plays: x forward, away from the player, y to the left, z up out of the
    /// buttons. Always finite. `None`: the device has no such sensor, or it has not measured yet.
    SensorMoved {
        /// SDL's instance id.
        id: u32,
        /// Acceleration \[m/s²], with what holds the pad against gravity: at rest 9.81 upwards.
        acceleration: Option<[f32; 3]>,
        /// Angular velocity \[rad/s], counter-clockwise positive.
        angular_velocity: Option<[f32; 3]>,
    },
    /// What was asked for by [`rumble`](crate::Gamepads::rumble) and its like cannot be done.
    Refused {
        /// The id that was given; there may be no such device.
        id: u32,
        /// What was asked for.
        feature: Feature,
        /// Why not: that there is no such device, that it has no such thing, or SDL's own words.
        reason: String,
    },
    /// The devices were looked at, whether something happened or not. Comes about every 50 ms while SDL does not hang, between batches;
    /// whoever steers by the events takes its absence for a hang.
    Looked,
    /// All that SDL had to say for now has been said; comes after every batch of at least one event.
    ///
    /// The place to publish each changed device once, with one stamp for the batch.
    BatchEnded,
}

/// What can be asked of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Its two motors.
    Rumble,
    /// Its light.
    Led,
    /// Its accelerometer and gyro.
    Sensors,
}

/// As it would be called in a sentence.
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
    /// Of SDL's bits; opposite directions cancel out.
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
    fn bits_come_back_except_that_opposites_cancel() {
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
