use core::fmt;

use crate::Source;

/// The services of LUCI's interface node, all `std_srvs/srv/Empty`.
///
/// An answer means that the call was received, not that the chair did anything: it is also sent if the chair refused.
/// # Source
/// LUCI `luci-ros2-grpc` 2.0.3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    /// Hands the chair to [`Mode::Auto`].
    SetAuto,
    /// Takes it back from there.
    RemoveAuto,
    /// Hands the chair to [`Mode::Shared`].
    SetShared,
    /// Takes it back from there.
    RemoveShared,
    /// Publishes all radar points.
    DisableRadarFilter,
    /// Publishes the filtered radar points.
    EnableRadarFilter,
}

/// How a remote computer drives the chair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The remote drives alone: the occupant's stick is disabled, and its topic silent.
    Auto,
    /// The remote drives with the occupant's stick, which is published for blending.
    Shared,
}

params::choices! { Mode: Auto = "auto", Shared = "shared" }

impl Service {
    /// All services.
    pub const ALL: [Self; 6] = [
        Self::SetAuto,
        Self::RemoveAuto,
        Self::SetShared,
        Self::RemoveShared,
        Self::DisableRadarFilter,
        Self::EnableRadarFilter,
    ];

    /// The relative name in ROS.
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
    /// The source that a command must carry to be accepted in this mode.
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
