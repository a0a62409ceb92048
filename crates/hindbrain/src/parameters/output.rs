//! The parameters of the motor controller.

use params::{Parameter, Refusal, Set};

const WIRING: &str = "vehicles differ in their wiring";

params::params! {
    /// What a person sets of the motor controller.
    pub(super) struct Declared {
        kind: String = Parameter::choice("driver.kind", "none", &["none", "pololu", "roboclaw"]).at_start()
            .text("The motor controller: none (hindbrain only publishes the motor topics), a Pololu Maestro servo controller \
                (compact protocol) or a RoboClaw (packet serial). Without an answer from it the state is a fault.")
            .needed_by("vehicles differ in their motor controller; both stop by themselves when the computer dies"),
        device: String = Parameter::string("driver.device", "").at_start()
            .text("The serial line, best a name in /dev/serial/by-id, which stays with the device.").needed_by(WIRING),
        baud: i64 = Parameter::integer("driver.baud", 115_200, 9_600, 460_800).unit("baud").at_start()
            .text("The serial line's speed, as the device is set to.").needed_by(WIRING),
        address: i64 = Parameter::integer("driver.address", 0x80, 0x80, 0x87).at_start().text("The RoboClaw's address.")
            .needed_by(WIRING),
        channels: Vec<i64> = Parameter::integers("driver.channels", &[], 0, 127, 2).at_start()
            .text("The port and the starboard motor's channel: 0 to 23 of a Maestro, 1 and 2 of a RoboClaw. Empty for the \
                first two.").needed_by(WIRING),
        invert_port: bool = Parameter::bool("driver.invert_port", false).at_start()
            .text("The port motor is mounted the other way round.").needed_by(WIRING),
        invert_starboard: bool = Parameter::bool("driver.invert_starboard", false).at_start()
            .text("The starboard motor is mounted the other way round.").needed_by(WIRING),
    }
}

/// Which motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverKind {
    /// Pololu Maestro, compact protocol.
    Pololu,
    /// RoboClaw, packet serial.
    RoboClaw,
}

/// The motor controller and how it is wired, both wheels in the order port, starboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Which one.
    pub kind: DriverKind,
    /// The serial line.
    pub device: String,
    /// The serial line's speed \[baud\].
    pub baud: u32,
    /// The RoboClaw's address.
    pub address: u8,
    /// The two motors' channels, which differ.
    pub channels: [u8; 2],
    /// Which motor is mounted the other way round.
    pub invert: [bool; 2],
}

impl Driver {
    /// The motor controller in `set`; `None` for none.
    /// # Errors
    /// A [`Refusal`] of a driver without a device, or of channels that are not two.
    pub fn read(set: &Set) -> Result<Option<Self>, Refusal> {
        let Declared { kind: named, device, baud, address, channels, invert_port, invert_starboard } =
            Declared::read(set);
        let kind = match named.as_str() {
            "pololu" => DriverKind::Pololu,
            "roboclaw" => DriverKind::RoboClaw,
            _ => return Ok(None),
        };
        if device.is_empty() {
            return Err(set.refuse("driver.device", format!("must name a device for driver '{named}'")));
        }
        // What the declarations allow fits; whether the device has it is for the driver to check.
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
