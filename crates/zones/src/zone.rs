use core::fmt;

/// The direction of the stick, by the part of the floor that the vehicle will sweep.
///
/// The numbers are LUCI's. Pulling the stick back and to the left swings the tail to the rear right: that is
/// [`Zone::BackRight`], see [`Boundaries`](crate::Boundaries).
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystick.joystick_zone`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Zone {
    /// Straight ahead.
    Front = 0,
    /// Ahead to the left.
    FrontLeft = 1,
    /// Ahead to the right.
    FrontRight = 2,
    /// Turning left.
    Left = 3,
    /// Turning right.
    Right = 4,
    /// The rear left corner, swept in reverse with the stick to the right.
    BackLeft = 5,
    /// The rear right corner, swept in reverse with the stick to the left.
    BackRight = 6,
    /// Straight back.
    Back = 7,
    /// The stick is centred.
    Origin = 8,
}

impl Zone {
    /// The zones that have factors, in the order of their numbers.
    pub const AROUND: [Self; 8] = [
        Self::Front,
        Self::FrontLeft,
        Self::FrontRight,
        Self::Left,
        Self::Right,
        Self::BackLeft,
        Self::BackRight,
        Self::Back,
    ];

    /// LUCI's number, 0 to 8.
    pub const fn number(self) -> i32 {
        self as i32
    }

    /// The zone with LUCI's number; `None` outside 0 to 8.
    pub const fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            0 => Self::Front,
            1 => Self::FrontLeft,
            2 => Self::FrontRight,
            3 => Self::Left,
            4 => Self::Right,
            5 => Self::BackLeft,
            6 => Self::BackRight,
            7 => Self::Back,
            8 => Self::Origin,
            _ => return None,
        })
    }

    /// Whether it lies ahead: [`Zone::Front`] and its corners.
    pub const fn is_ahead(self) -> bool {
        matches!(self, Self::Front | Self::FrontLeft | Self::FrontRight)
    }
}

impl Zone {
    /// The name of the zone.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::FrontLeft => "front left",
            Self::FrontRight => "front right",
            Self::Left => "left",
            Self::Right => "right",
            Self::BackLeft => "back left",
            Self::BackRight => "back right",
            Self::Back => "back",
            Self::Origin => "origin",
        }
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_zone_that_has_it() {
        for number in 0..=8 {
            assert_eq!(Zone::from_number(number).map(Zone::number), Some(number));
        }
        for number in [-1, 9, i32::MIN, i32::MAX] {
            assert_eq!(Zone::from_number(number), None);
        }
    }

    #[test]
    fn three_zones_lie_ahead() {
        let ahead = Zone::AROUND.into_iter().filter(|zone| zone.is_ahead());
        assert!(ahead.eq([Zone::Front, Zone::FrontLeft, Zone::FrontRight]));
        assert!(!Zone::Origin.is_ahead());
    }
}
