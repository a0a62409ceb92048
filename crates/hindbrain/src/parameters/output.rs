//! The parameters of the motor controller.

use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};

const KIND: Parameter<String> =
    Parameter::choice("driver.kind", "none", &["none", "pololu", "roboclaw", "pwm"])
        .text(
            "The motor controller: none (the motor topics are all), a Pololu Maestro servo controller (compact \
             protocol), a RoboClaw (packet serial), or the servo outputs of Linux' PWM. Without an answer from it the \
             state is a fault.",
        )
        .at_start();
const DEVICE: Parameter<String> = Parameter::string("driver.device", "")
    .text(
        "The serial line (best a name in /dev/serial/by-id, which stays with the device), or the PWM chip's folder, \
         /sys/class/pwm/pwmchip0.",
    )
    .at_start();
const BAUD: Parameter<i64> = Parameter::integer("driver.baud", 115_200, 9_600, 460_800)
    .unit("baud")
    .text("The serial line's speed, as the device is set to.")
    .at_start();
const ADDRESS: Parameter<i64> =
    Parameter::integer("driver.address", 0x80, 0x80, 0x87).text("The RoboClaw's address.").at_start();
const CHANNELS: Parameter<Vec<i64>> = Parameter::integers("driver.channels", &[], 0, 127, 2)
    .text(
        "The port and the starboard motor's channel: 0 to 23 of a Maestro, 1 and 2 of a RoboClaw, 0 up of a PWM chip. \
         Empty for the first two.",
    )
    .at_start();
const INVERT_PORT: Parameter<bool> = Parameter::bool("driver.invert_port", false)
    .text("The port motor is mounted the other way round.")
    .at_start();
const INVERT_STARBOARD: Parameter<bool> = Parameter::bool("driver.invert_starboard", false)
    .text("The starboard motor is mounted the other way round.")
    .at_start();
const TIMEOUT: Parameter<f64> = Parameter::float("driver.timeout", 0.3, 0.2, 1.0)
    .unit("s")
    .text(
        "The device's own time-out, which stops the motors when this computer dies: a RoboClaw is told it (in tenths \
         of a second), for a Maestro it is set in its Control Center, PWM has none.",
    )
    .at_start();
const SILENCE: Parameter<f64> = Parameter::float("driver.silence", 0.25, 0.06, 2.0)
    .unit("s")
    .text("The driver's own thread stops the motors when the node gave no value for so long; it is a fault.")
    .at_start();
const REOPEN: Parameter<f64> = Parameter::float("driver.reopen", 1.0, 0.1, 60.0)
    .unit("s")
    .text("How often opening a device that is lost is tried again.")
    .at_start();

/// Which motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverKind {
    /// Pololu Maestro, compact protocol.
    Pololu,
    /// RoboClaw, packet serial.
    RoboClaw,
    /// Linux' PWM outputs.
    Pwm,
}

/// The motor controller and how it is wired, both wheels in the order port, starboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Which one.
    pub kind: DriverKind,
    /// The serial line or the PWM chip's folder.
    pub device: String,
    /// The serial line's speed \[baud\].
    pub baud: u32,
    /// The RoboClaw's address.
    pub address: u8,
    /// The two motors' channels, which differ.
    pub channels: [u8; 2],
    /// Which motor is mounted the other way round.
    pub invert: [bool; 2],
    /// The device's own time-out.
    pub timeout: Duration,
    /// Without a value for so long the driver's thread stops the motors by itself.
    pub silence: Duration,
    /// How often opening is tried again.
    pub reopen: Duration,
}

/// Adds the parameters to `specification`.
pub(super) fn declare(specification: Specification) -> Specification {
    specification
        .with(&KIND)
        .with(&DEVICE)
        .with(&BAUD)
        .with(&ADDRESS)
        .with(&CHANNELS)
        .with(&INVERT_PORT)
        .with(&INVERT_STARBOARD)
        .with(&TIMEOUT)
        .with(&SILENCE)
        .with(&REOPEN)
}

/// The motor controller in `set`; `None` for none.
pub(super) fn read(set: &Set) -> Result<Option<Driver>, Refusal> {
    let kind = match KIND.get(set).as_str() {
        "pololu" => DriverKind::Pololu,
        "roboclaw" => DriverKind::RoboClaw,
        "pwm" => DriverKind::Pwm,
        _ => return Ok(None),
    };
    let device = DEVICE.get(set);
    if device.is_empty() {
        return Err(set.refuse("driver.device", format!("must name a device for driver '{}'", KIND.get(set))));
    }
    // What the declarations allow fits; whether the device has it is for the driver to check.
    let small = |number: i64| u8::try_from(number).unwrap_or(u8::MAX);
    let channels = match CHANNELS.get(set).as_slice() {
        [] if kind == DriverKind::RoboClaw => [1, 2],
        [] => [0, 1],
        &[port, starboard] if port != starboard => [small(port), small(starboard)],
        _ => return Err(set.refuse("driver.channels", "must be two different channels, or none")),
    };
    Ok(Some(Driver {
        kind,
        device,
        baud: u32::try_from(BAUD.get(set)).unwrap_or(115_200),
        address: small(ADDRESS.get(set)),
        channels,
        invert: [INVERT_PORT.get(set), INVERT_STARBOARD.get(set)],
        timeout: TIMEOUT.time(set),
        silence: SILENCE.time(set),
        reopen: REOPEN.time(set),
    }))
}
