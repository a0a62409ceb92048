use core::fmt;

use crate::Source;

/// The services of LUCI's interface node, all `std_srvs/srv/Empty`.
///
/// An answer says that the call was heard, not that the chair did anything: it comes also when the chair refused.
/// # Source
/// LUCI `luci-ros2-grpc` 2.0.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Hand the chair to [`Mode::Auto`].
    SetAuto,
    /// Take it back from there.
    RemoveAuto,
    /// Hand the chair to [`Mode::Shared`].
    SetShared,
    /// Take it back from there.
    RemoveShared,
    /// Publish all radar points.
    DisableRadarFilter,
    /// Publish the filtered radar points.
    EnableRadarFilter,
}

/// How a remote computer drives the chair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Alone: the occupant's stick is dead, and its topic silent.
    Auto,
    /// With the occupant's stick, which is published for blending.
    Shared,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::SetAuto,
        Self::RemoveAuto,
        Self::SetShared,
        Self::RemoveShared,
        Self::DisableRadarFilter,
        Self::EnableRadarFilter,
    ];

    /// Its name in ROS, relative.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SetAuto => "luci/set_auto_remote_input",
            Self::RemoveAuto => "luci/remove_auto_remote_input",
            Self::SetShared => "luci/set_shared_remote_input",
            Self::RemoveShared => "luci/remove_shared_remote_input",
            Self::DisableRadarFilter => "luci/disable_radar_filter",
            Self::EnableRadarFilter => "luci/enable_radar_filter",
        }
    }
}

impl Mode {
    /// The source that a command must name to be heard in this mode.
    pub const fn source(self) -> Source {
        match self {
            Self::Auto => Source::AutonomousRemote,
            Self::Shared => Source::SharedRemote,
        }
    }

    /// The service that enters the mode.
    pub const fn set(self) -> Service {
        match self {
            Self::Auto => Service::SetAuto,
            Self::Shared => Service::SetShared,
        }
    }

    /// The service that leaves the mode.
    pub const fn remove(self) -> Service {
        match self {
            Self::Auto => Service::RemoveAuto,
            Self::Shared => Service::RemoveShared,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Shared => "shared",
        })
    }
}
