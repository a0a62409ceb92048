use core::fmt;

use crate::decision::Decision;
use crate::{Stick, Zone};

/// What was done to the last command or stick, for `LuciJoystickScaling` and for displays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Applied {
    /// What it was done to.
    pub channel: Channel,
    /// What was asked for, before scaling.
    pub asked: Stick,
    /// What is left, forward positive, -100 to 100 \[percent\], rounded toward zero so that it never exceeds a limit.
    pub forward_back: i32,
    /// What is left, RIGHT positive, -100 to 100 \[percent\], rounded toward zero.
    pub left_right: i32,
    /// Zone of the stick BEFORE scaling, whose factors were used; what is left may point elsewhere.
    pub zone: Zone,
    /// LUCI's number of the input source, 0 to 5: the stick's own or the parameter's.
    pub input_source: i32,
    /// Factor that bounds `forward_back`, 0 to 1, to the last bit; 0 while the stick is centred.
    pub forward_back_scaling: f32,
    /// Factor that bounds `left_right`, 0 to 1, to the last bit; 0 while the stick is centred.
    pub left_right_scaling: f32,
    /// The zone whose factors took something away; with hysteresis it may be one that the stick has just left. `None`
    /// if nothing was taken, and while no scaling counts.
    pub limited_by: Option<Zone>,
    /// Why it is so.
    pub reason: Reason,
}

/// What asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A velocity, which is commanded on.
    Velocity,
    /// A `LuciJoystick`, of which only is told what would be left.
    Joystick,
}

/// Why the output is what it is. Where several reasons hold the greatest one is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Scaled by what the zone's sensors allow.
    Scaled,
    /// As [`Reason::Scaled`], but only told: nothing is commanded.
    Predicted,
    /// Not scaled, as the parameter `mode` asks.
    PassedThrough,
    /// Zero: no command has come in time, or none at all.
    CommandStale,
    /// Zero: a command that asked for motion was lost, and none for standing still has come since.
    WaitsForZero,
    /// Zero: the last message was not a command.
    CommandInvalid,
    /// Zero: more than one publishes commands, or the graph cannot tell.
    CommandRivals,
    /// Zero: profiles are described, and the chair is in none of them or has not told its own.
    ProfileUnknown,
    /// Zero: the last scaling is too old.
    ScalingStale,
    /// Zero: no scaling has come yet.
    ScalingMissing,
    /// Zero: more than one publishes scalings, or the graph cannot tell.
    ScalingRivals,
    /// Zero: the node is stopping.
    Stopping,
}

impl Reason {
    /// Whether no scaling counts.
    pub const fn is_of_scaling(self) -> bool {
        matches!(self, Self::ScalingStale | Self::ScalingMissing | Self::ScalingRivals)
    }
}

impl Applied {
    pub(crate) fn new(decision: &Decision, channel: Channel, input_source: i32) -> Self {
        let Decision { input, output, zone, limited_by, factors, reason } = *decision;
        Self {
            channel,
            asked: input,
            // Both parts lie within ±100, and `as` rounds toward zero.
            forward_back: output.forward_back as i32,
            left_right: output.left_right as i32,
            zone,
            input_source,
            // The factors in force are numbers that an `f32` holds.
            forward_back_scaling: factors.forward_back.get() as f32,
            left_right_scaling: factors.left_right.get() as f32,
            limited_by,
            reason,
        }
    }

    /// Standing still for `reason`.
    pub(crate) const fn stop(reason: Reason, channel: Channel, input_source: i32) -> Self {
        Self {
            channel,
            asked: Stick::ORIGIN,
            forward_back: 0,
            left_right: 0,
            zone: Zone::Origin,
            input_source,
            forward_back_scaling: 0.0,
            left_right_scaling: 0.0,
            limited_by: None,
            reason,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scaled => "scaled",
            Self::Predicted => "predicted, nothing is commanded",
            Self::PassedThrough => "passed through unscaled",
            Self::CommandStale => "no command in time, standing still",
            Self::WaitsForZero => "waits for a zero command, with which motion begins",
            Self::CommandInvalid => "invalid command, standing still",
            Self::CommandRivals => "more than one publisher of commands, standing still",
            Self::ProfileUnknown => "the chair's profile is not known or not described, standing still",
            Self::ScalingStale => "scaling is stale, standing still",
            Self::ScalingMissing => "no scaling yet, standing still",
            Self::ScalingRivals => "more than one publisher of the scaling, standing still",
            Self::Stopping => "stopping",
        })
    }
}
