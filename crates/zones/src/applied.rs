use core::fmt;

use crate::decision::Decision;
use crate::{Stick, Zone};

/// The result of scaling the last command or stick, for `LuciJoystickScaling` and for displays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Applied {
    /// The channel of the input.
    pub channel: Channel,
    /// The input before scaling.
    pub requested: Stick,
    /// The output, forward positive, -100 to 100 \[percent\], rounded toward zero so it never exceeds a limit.
    pub forward_back: i32,
    /// The output, RIGHT positive, -100 to 100 \[percent\], rounded toward zero.
    pub left_right: i32,
    /// Zone of the stick BEFORE scaling, whose factors were used; the output may point elsewhere.
    pub zone: Zone,
    /// LUCI's number of the input source, 0 to 5: the stick's own or the parameter's.
    pub input_source: i32,
    /// Factor that bounds `forward_back`, 0 to 1, to the last bit; 0 while the stick is centred.
    pub forward_back_scaling: f32,
    /// Factor that bounds `left_right`, 0 to 1, to the last bit; 0 while the stick is centred.
    pub left_right_scaling: f32,
    /// The zone whose factors reduced the input; with hysteresis it may be one that the stick has just left. `None`
    /// if nothing was reduced, and while no scaling is in force.
    pub limited_by: Option<Zone>,
    /// The reason for this result.
    pub reason: Reason,
}

/// The source of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A velocity, which is scaled and commanded.
    Velocity,
    /// A `LuciJoystick`, for which the result is only reported.
    Joystick,
}

/// The reason for an output. If several reasons hold, the greatest one is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Scaled by what the zone's sensors allow.
    Scaled,
    /// As [`Reason::Scaled`], but only reported: nothing is commanded.
    Predicted,
    /// Not scaled, because of the parameter `mode`.
    PassedThrough,
    /// Zero: no command was received in time, or none at all.
    CommandStale,
    /// Zero: a command with motion was lost, and no zero command was received since.
    WaitsForZero,
    /// Zero: the last message was not a command.
    CommandInvalid,
    /// Zero: the last command has parts that no zone judges: sideways, up, roll or pitch.
    CommandUnjudged,
    /// Zero: there are several publishers of commands, or the graph cannot report their number.
    CommandConflict,
    /// Zero: profiles are configured, and the chair's profile is none of them or was not reported.
    ProfileUnknown,
    /// Zero: the last scaling is too old.
    ScalingStale,
    /// Zero: no scaling was received yet.
    ScalingMissing,
    /// Zero: there are several publishers of scalings, or the graph cannot report their number.
    ScalingConflict,
    /// Zero: the node's life cycle is in another state than active.
    Inactive,
    /// Zero: the node is stopping.
    Stopping,
}

impl Reason {
    /// Whether the reason is a missing scaling.
    pub const fn is_of_scaling(self) -> bool {
        matches!(self, Self::ScalingStale | Self::ScalingMissing | Self::ScalingConflict)
    }
}

impl Applied {
    pub(crate) fn new(decision: &Decision, channel: Channel, input_source: i32) -> Self {
        let Decision { input, output, zone, limited_by, factors, reason } = *decision;
        Self {
            channel,
            requested: input,
            // Both parts are within ±100, and `as` rounds toward zero.
            forward_back: output.forward_back as i32,
            left_right: output.left_right as i32,
            zone,
            input_source,
            // The factors in force are exact in `f32`.
            forward_back_scaling: factors.forward_back.get() as f32,
            left_right_scaling: factors.left_right.get() as f32,
            limited_by,
            reason,
        }
    }

    /// A stop for `reason`.
    pub(crate) const fn stop(reason: Reason, channel: Channel, input_source: i32) -> Self {
        Self {
            channel,
            requested: Stick::ORIGIN,
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
            Self::CommandUnjudged => "a command with a part that no zone judges, standing still",
            Self::CommandConflict => "more than one publisher of commands, standing still",
            Self::ProfileUnknown => "the chair's profile is not known or not described, standing still",
            Self::ScalingStale => "scaling is stale, standing still",
            Self::ScalingMissing => "no scaling yet, standing still; without zones set mode to passthrough",
            Self::ScalingConflict => "more than one publisher of the scaling, standing still",
            Self::Inactive => "the node is not active, standing still",
            Self::Stopping => "stopping",
        })
    }
}
