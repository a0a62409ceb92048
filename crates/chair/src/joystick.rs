use core::fmt;

use zones::{Boundaries, Stick, Zone};

/// The source that drives a chair, by LUCI's numbers.
///
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystick.input_source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Source {
    /// Help on a ramp.
    RampAssist = 0,
    /// A remote computer alone; the occupant's stick is disabled.
    AutonomousRemote = 1,
    /// A wheelchair digital interface.
    Wdi = 2,
    /// The chair itself.
    ChairVirtual = 3,
    /// The occupant's stick.
    ChairPhysical = 4,
    /// A remote computer that blends the occupant's stick.
    SharedRemote = 5,
}

/// A valid joystick message.
///
/// There is no default on purpose: all zero is not neutral but a forward zone from the ramp assistant. The unchecked
/// message is a [`zones::Joystick`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joystick {
    forward_back: i32,
    left_right: i32,
    zone: Zone,
    source: Source,
}

/// A field of a joystick message is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} is {value}, must be from {min} to {max}{unit}")]
pub struct BadJoystick {
    /// The field, in LUCI's names.
    pub field: &'static str,
    /// The value.
    pub value: i32,
    /// The minimum.
    pub min: i32,
    /// The maximum.
    pub max: i32,
    /// The unit of all three, after a space; empty for plain numbers.
    pub unit: &'static str,
}

impl Source {
    /// All sources, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::RampAssist,
        Self::AutonomousRemote,
        Self::Wdi,
        Self::ChairVirtual,
        Self::ChairPhysical,
        Self::SharedRemote,
    ];

    /// LUCI's number, 0 to 5.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The source with LUCI's `number`.
    /// # Errors
    /// [`BadJoystick`] for a number outside 0 to 5.
    pub fn numbered(number: i32) -> Result<Self, BadJoystick> {
        let found = usize::try_from(number).ok().and_then(|index| Self::ALL.get(index));
        found.copied().ok_or(BadJoystick { field: "input_source", value: number, min: 0, max: 5, unit: "" })
    }
}

impl Joystick {
    /// The centred stick from `source`: it requests rest.
    pub const fn neutral(source: Source) -> Self {
        Self { forward_back: 0, left_right: 0, zone: Zone::Origin, source }
    }

    /// A stick from `source`, with the zone from `boundaries`; both parts are cut to -100 to 100 \[percent\].
    pub fn new(forward_back: i32, left_right: i32, source: Source, boundaries: &Boundaries) -> Self {
        let (forward_back, left_right) = (forward_back.clamp(-100, 100), left_right.clamp(-100, 100));
        let stick = Stick { forward_back: forward_back.into(), left_right: left_right.into() };
        Self { forward_back, left_right, zone: boundaries.classify(stick), source }
    }

    /// Checks `fields`. The zone is used as received, since a chair may have its own boundaries.
    /// # Errors
    /// [`BadJoystick`] names the first field that is out of its range.
    pub fn parse(fields: zones::Joystick) -> Result<Self, BadJoystick> {
        let percent = |field, value: i32| {
            let bad = BadJoystick { field, value, min: -100, max: 100, unit: " percent" };
            (-100..=100).contains(&value).then_some(value).ok_or(bad)
        };
        Ok(Self {
            forward_back: percent("forward_back", fields.forward_back)?,
            left_right: percent("left_right", fields.left_right)?,
            zone: zone_numbered(fields.joystick_zone)?,
            source: Source::numbered(fields.input_source)?,
        })
    }

    /// The fields of the message.
    pub const fn fields(&self) -> zones::Joystick {
        zones::Joystick {
            forward_back: self.forward_back,
            left_right: self.left_right,
            joystick_zone: self.zone.number(),
            input_source: self.source.number(),
        }
    }

    /// Forward positive, -100 to 100 \[percent\].
    pub const fn forward_back(&self) -> i32 {
        self.forward_back
    }

    /// RIGHT positive, -100 to 100 \[percent\].
    pub const fn left_right(&self) -> i32 {
        self.left_right
    }

    /// The zone of the stick.
    pub const fn zone(&self) -> Zone {
        self.zone
    }

    /// The source.
    pub const fn source(&self) -> Source {
        self.source
    }

    /// Whether it requests rest.
    pub const fn is_neutral(&self) -> bool {
        self.forward_back == 0 && self.left_right == 0
    }
}

fn zone_numbered(number: i32) -> Result<Zone, BadJoystick> {
    let bad = BadJoystick { field: "joystick_zone", value: number, min: 0, max: 8, unit: "" };
    Zone::from_number(number).ok_or(bad)
}

impl Source {
    /// LUCI's name of the source.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RampAssist => "ramp assist",
            Self::AutonomousRemote => "autonomous remote",
            Self::Wdi => "WDI",
            Self::ChairVirtual => "chair virtual",
            Self::ChairPhysical => "chair physical",
            Self::SharedRemote => "shared remote",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_is_not_all_zero() {
        let fields = Joystick::neutral(Source::SharedRemote).fields();
        assert_eq!(
            (fields.forward_back, fields.left_right, fields.joystick_zone, fields.input_source),
            (0, 0, 8, 5)
        );
        assert!(Joystick::neutral(Source::AutonomousRemote).is_neutral());
    }

    #[test]
    fn the_zone_is_that_of_the_stick() {
        let zone = |fb, lr| Joystick::new(fb, lr, Source::SharedRemote, &Boundaries::default()).zone();
        // Back and to the left sweeps the rear right corner.
        assert_eq!(
            (zone(0, 0), zone(50, 0), zone(0, -50), zone(-60, -60)),
            (Zone::Origin, Zone::Front, Zone::Left, Zone::BackRight)
        );
    }

    #[test]
    fn what_goes_out_is_cut_to_full_throw() {
        let stick = Joystick::new(i32::MAX, i32::MIN, Source::Wdi, &Boundaries::default());
        assert_eq!((stick.forward_back(), stick.left_right()), (100, -100));
    }

    #[test]
    fn a_field_out_of_range_is_named() {
        let good = zones::Joystick { forward_back: -100, left_right: 100, joystick_zone: 8, input_source: 5 };
        assert_eq!(Joystick::parse(good).map(|joystick| joystick.fields()), Ok(good));
        let text = |fields| Joystick::parse(fields).unwrap_err().to_string();
        assert_eq!(
            text(zones::Joystick { forward_back: 101, ..good }),
            "forward_back is 101, must be from -100 to 100 percent"
        );
        assert_eq!(
            text(zones::Joystick { left_right: -101, ..good }),
            "left_right is -101, must be from -100 to 100 percent"
        );
        assert_eq!(
            text(zones::Joystick { joystick_zone: 9, ..good }),
            "joystick_zone is 9, must be from 0 to 8"
        );
        assert_eq!(
            text(zones::Joystick { input_source: -1, ..good }),
            "input_source is -1, must be from 0 to 5"
        );
    }

    #[test]
    fn numbers_are_those_of_the_message() {
        for (number, source) in (0..).zip(Source::ALL) {
            assert_eq!((source.number(), Source::numbered(number)), (number, Ok(source)));
        }
        for (number, zone) in (0..).zip(Zone::AROUND) {
            assert_eq!(zone_numbered(number), Ok(zone));
        }
    }
}
