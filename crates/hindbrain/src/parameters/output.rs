//! The parameters of the motor controller.

use params::{Choice, Parameter, Refusal, Set};

params::params! {
    /// The parameters of the motor controller.
    pub(super) struct Declared {
        /// The motor controller: none (hindbrain only publishes the motor topics), a Pololu Maestro servo controller (compact
        /// protocol) or a RoboClaw (packet serial). Without an answer from it the state is a fault.
        kind: Kind = Parameter::choice("driver.kind", "none").at_start(),
        /// The serial device, preferably a name in /dev/serial/by-id, which does not change.
        device: String = Parameter::string("driver.device", "").at_start(),
        /// Baud rate, as configured in the device.
        baud: i64 = Parameter::integer("driver.baud", 115_200, 9_600, 460_800).unit("baud").at_start(),
        /// The RoboClaw's address.
        address: i64 = Parameter::integer("driver.address", 0x80, 0x80, 0x87).at_start(),
        /// Channels of the port and the starboard motor: 0 to 23 of a Maestro, 1 and 2 of a RoboClaw. Empty: the first two.
        channels: Vec<i64> = Parameter::integers("driver.channels", &[], 0, 127, 2).at_start(),
        /// Inverts the port motor.
        invert_port: bool = Parameter::bool("driver.invert_port", false).at_start(),
        /// Inverts the starboard motor.
        invert_starboard: bool = Parameter::bool("driver.invert_starboard", false).at_start(),
    }
}

/// The words of `driver.kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    None,
    Pololu,
    RoboClaw,
}

params::choices! { Kind: None = "none", Pololu = "pololu", RoboClaw = "roboclaw" }

/// The type of the motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverKind {
    /// Pololu Maestro, compact protocol.
    Pololu,
    /// RoboClaw, packet serial.
    RoboClaw,
}

/// The motor controller and its wiring, both wheels in the order port, starboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Its type.
    pub kind: DriverKind,
    /// The serial line.
    pub device: String,
    /// The baud rate.
    pub baud: u32,
    /// The RoboClaw's address.
    pub address: u8,
    /// The channels of the two motors; they differ.
    pub channels: [u8; 2],
    /// Whether each motor is inverted.
    pub invert: [bool; 2],
}

impl Driver {
    /// The motor controller in `set`; `None` for none.
    /// # Errors
    /// A [`Refusal`] of a driver without a device, or of channels that are not two different ones.
    pub fn read(set: &Set) -> Result<Option<Self>, Refusal> {
        let Declared { kind: chosen, device, baud, address, channels, invert_port, invert_starboard } =
            Declared::get(set);
        let kind = match chosen {
            Kind::None => return Ok(None),
            Kind::Pololu => DriverKind::Pololu,
            Kind::RoboClaw => DriverKind::RoboClaw,
        };
        if device.is_empty() {
            return Err(
                set.refuse("driver.device", format!("must name a device for driver '{}'", chosen.name()))
            );
        }
        // The declared ranges fit; the driver checks whether the device has the channels.
        let small = |number: i64| u8::try_from(number).unwrap_or(u8::MAX);
        let channels = match channels.as_slice() {
            [] if kind == DriverKind::RoboClaw => [1, 2],
            [] => [0, 1],
            &[port, starboard] if port != starboard => [small(port), small(starboard)],
            _ => return Err(set.refuse("driver.channels", "must be two different channels, or none")),
        };
        Ok(Some(Self {
            kind,
            device,
            baud: u32::try_from(baud).unwrap_or(115_200),
            address: small(address),
            channels,
            invert: [invert_port, invert_starboard],
        }))
    }
}
