//! The identity of a device: which one it is when it comes back, and what has to happen before it commands again.
//!
//! A device is what it says of itself, its model and its serial number. Its place (a port, a path, the number of a terminal) says
//! only where it is looked for: a device may come back at another one, and something else may have taken the old one.
//!
//! | it is | pad (`joystick`) | motor controller (`actuator`) |
//! |---|---|---|
//! | model | SDL's GUID | the ids and the interface of its USB adapter, and its own answer: version, protocol |
//! | serial number | its own, or a Bluetooth address | the adapter's |
//!
//! | [`Likeness`] of what appears to what is known | what follows |
//! |---|---|
//! | [`Same`](Likeness::Same) | It is that device, and its earlier appearance is lost, even if that is still listed. It takes its place, wherever it is. |
//! | [`Indistinguishable`](Likeness::Indistinguishable) | It is another device while the known one is connected. It may take its place when that is gone, but it is not looked for at other places. |
//! | [`Other`](Likeness::Other) | It never takes the place of the known one. Nothing is sent to it. A person selects it: by `control_device`, or by a start of the node. |
//!
//! Nothing that comes back commands by itself, whatever its likeness. First it proves to be at rest (a stick at its centre; motors
//! that confirm a stop), and then a person acts on purpose, after that (a press of the dead-man; a full reset and an enable).
//! Whatever was held, latched or sent before the loss does not count.

/// The model and the serial number that a device reports.
///
/// # Source
/// own; cockpit 2863 has the pad that comes back while its former device stays listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity<'a> {
    /// Its model; two models are equal if their texts are.
    pub model: &'a str,
    /// Its serial number; empty if it reports none.
    pub serial: &'a str,
}

/// Likeness of a device that appears to a known one; more alike is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Another model, or a serial number that the known one does not have.
    Other,
    /// A device of that model, which reports no serial number.
    Indistinguishable,
    /// Model and serial number are equal.
    Same,
}

impl Identity<'_> {
    /// Compares the device that appears, `found`, with this known one.
    ///
    /// A device that reports no serial number may be a known one that has one: reading it may fail. The contrary is another
    /// device.
    pub fn likeness(self, found: Identity<'_>) -> Likeness {
        if self.model != found.model {
            Likeness::Other
        } else if found.serial.is_empty() {
            Likeness::Indistinguishable
        } else if self.serial == found.serial {
            Likeness::Same
        } else {
            Likeness::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_serial_number_makes_a_device_the_same() {
        let of = |model, serial| Identity { model, serial };
        let table = [
            (of("pad", "7"), of("pad", "7"), Likeness::Same),
            (of("pad", "7"), of("pad", "8"), Likeness::Other),
            (of("pad", "7"), of("stick", "7"), Likeness::Other),
            (of("pad", ""), of("pad", ""), Likeness::Indistinguishable),
            (of("pad", "7"), of("pad", ""), Likeness::Indistinguishable),
            (of("pad", ""), of("pad", "7"), Likeness::Other),
            (of("", ""), of("pad", ""), Likeness::Other),
        ];
        for (known, found, likeness) in table {
            assert_eq!(known.likeness(found), likeness, "{known:?} {found:?}");
        }
        assert!(
            Likeness::Same > Likeness::Indistinguishable && Likeness::Indistinguishable > Likeness::Other
        );
    }
}
