use core::fmt;

use crate::{Factors, Stick, Zone};

/// What was done to the last command, for `LuciJoystickScaling` and for displays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Applied {
    /// What is left, forward positive, -100 to 100 \[percent\], rounded toward zero so that it never exceeds a limit.
    pub forward_back: i32,
    /// What is left, RIGHT positive, -100 to 100 \[percent\], rounded toward zero.
    pub left_right: i32,
    /// Zone of the stick BEFORE scaling, whose factors were used; what is left may point elsewhere.
    pub zone: Zone,
    /// Factor used on `forward_back`, 0 to 1; 0 while the stick is centred.
    pub forward_back_scaling: f32,
    /// Factor used on `left_right`, 0 to 1; 0 while the stick is centred.
    pub left_right_scaling: f32,
    /// Why it is so.
    pub reason: Reason,
}

/// Why the output is what it is. Where several reasons hold the greatest one is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Scaled by what the zone's sensors allow.
    Scaled,
    /// Not scaled, as the parameter `mode` asks.
    PassedThrough,
    /// Scaled by the cautious factor: the last scaling is too old.
    ScalingStale,
    /// Scaled by the cautious factor: no scaling has come yet.
    ScalingMissing,
    /// Zero: no command has come in time, or none at all.
    CommandStale,
    /// Zero: the last message was not a command.
    CommandInvalid,
    /// Zero: the node is stopping.
    Stopping,
}

impl Applied {
    pub(crate) fn new(output: Stick, zone: Zone, factors: Factors, reason: Reason) -> Self {
        Self {
            // Both parts lie within ±100, and `as` rounds toward zero.
            forward_back: output.forward_back as i32,
            left_right: output.left_right as i32,
            zone,
            forward_back_scaling: factors.forward_back.get() as f32,
            left_right_scaling: factors.left_right.get() as f32,
            reason,
        }
    }

    /// Standing still for `reason`.
    pub(crate) fn stop(reason: Reason) -> Self {
        Self::new(Stick::ORIGIN, Zone::Origin, Factors::NONE, reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scaled => "scaled",
            Self::PassedThrough => "passed through unscaled",
            Self::ScalingStale => "scaling is stale, cautious factor",
            Self::ScalingMissing => "no scaling yet, cautious factor",
            Self::CommandStale => "no command in time, standing still",
            Self::CommandInvalid => "invalid command, standing still",
            Self::Stopping => "stopping",
        })
    }
}
