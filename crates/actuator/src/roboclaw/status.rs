//! The status bits of a RoboClaw.

/// The answer to command 90: errors, for which the controller stops its motors, and warnings.
/// # Source
/// 32 bits: RoboClaw User Manual, "90 - Read Status"; firmware 4.1.29 answers four bytes, the warnings first (vendor's forum,
/// topic 806, which also names bits 14 and 15). 16 bits: an older manual (USB RoboClaw 2x120A HV), same section. A bit
/// without a name is an error, or a warning among the upper sixteen of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The bits as the controller numbers them.
    pub bits: u32,
    /// Whether there are 32 of them instead of 16.
    pub wide: bool,
}

const WIDE_WARNINGS: u32 = 0xFFFF_0000;
const NARROW_WARNINGS: u32 = 0xFC03;

const WIDE_NAMES: [&str; 26] = [
    "e-stop",
    "temperature error",
    "temperature 2 error",
    "main voltage high error",
    "logic voltage high error",
    "logic voltage low error",
    "M1 driver fault",
    "M2 driver fault",
    "M1 speed error",
    "M2 speed error",
    "M1 position error",
    "M2 position error",
    "M1 current error",
    "M2 current error",
    "main voltage low",
    "main voltage high",
    "M1 over-current warning",
    "M2 over-current warning",
    "main voltage high warning",
    "main voltage low warning",
    "temperature warning",
    "temperature 2 warning",
    "S4 signal",
    "S5 signal",
    "speed error limit warning",
    "position error limit warning",
];

const NARROW_NAMES: [&str; 16] = [
    "M1 over-current warning",
    "M2 over-current warning",
    "e-stop",
    "temperature error",
    "temperature 2 error",
    "main battery high error",
    "logic battery high error",
    "logic battery low error",
    "M1 driver fault",
    "M2 driver fault",
    "main battery high warning",
    "main battery low warning",
    "temperature warning",
    "temperature 2 warning",
    "M1 home",
    "M2 home",
];

impl Status {
    /// The status in the four bytes of a newer firmware.
    pub fn wide(bytes: [u8; 4]) -> Status {
        Status { bits: u32::from_be_bytes(bytes), wide: true }
    }

    /// The status in the two bytes of an older firmware.
    pub fn narrow(bytes: [u8; 2]) -> Status {
        Status { bits: u16::from_be_bytes(bytes).into(), wide: false }
    }

    /// The bits that are errors.
    pub fn errors(self) -> u32 {
        self.bits & !if self.wide { WIDE_WARNINGS } else { NARROW_WARNINGS }
    }

    /// The bits that are warnings.
    pub fn warnings(self) -> u32 {
        self.bits & !self.errors()
    }

    /// The names of these bits, separated by commas, or `nothing`; a bit without a name by its number.
    pub fn names(self, bits: u32) -> String {
        let table: &[&str] = if self.wide { &WIDE_NAMES } else { &NARROW_NAMES };
        let set = (0..32_usize).filter(|bit| bits >> bit & 1 == 1);
        let name = |bit: usize| table.get(bit).map_or_else(|| format!("bit {bit}"), ToString::to_string);
        let names: Vec<_> = set.map(name).collect();
        if names.is_empty() { "nothing".into() } else { names.join(", ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_and_warnings_of_newer_firmware_are_distinguished() {
        // 0x0001 e-stop, 0x0040 M1 driver fault; 0x0001_0000 M1 over-current, 0x0200_0000 position error limit.
        let status = Status::wide([0x02, 0x01, 0x00, 0x41]);
        assert_eq!((status.errors(), status.warnings()), (0x41, 0x0201_0000));
        assert_eq!(status.names(status.errors()), "e-stop, M1 driver fault");
        assert_eq!(status.names(status.warnings()), "M1 over-current warning, position error limit warning");
        assert_eq!(Status::wide([0x80, 0, 0, 0]).names(0x8000_0000), "bit 31");
    }

    #[test]
    fn errors_and_warnings_of_older_firmware_are_distinguished() {
        // 0x0004 e-stop, 0x0200 M2 driver fault; 0x0800 main battery low, 0x0001 M1 over-current.
        let status = Status::narrow([0x0A, 0x05]);
        assert_eq!((status.errors(), status.warnings()), (0x0204, 0x0801));
        assert_eq!(status.names(status.errors()), "e-stop, M2 driver fault");
        assert_eq!(Status::narrow([0, 0]).names(0), "nothing");
    }
}
