use core::fmt;

/// Where the stick points, by the part of the floor that the vehicle will sweep.
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
    /// The rear left corner, swept when driving back with the stick to the right.
    BackLeft = 5,
    /// The rear right corner, swept when driving back with the stick to the left.
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
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Front => "front",
            Self::FrontLeft => "front left",
            Self::FrontRight => "front right",
            Self::Left => "left",
            Self::Right => "right",
            Self::BackLeft => "back left",
            Self::BackRight => "back right",
            Self::Back => "back",
            Self::Origin => "origin",
        })
    }
}
