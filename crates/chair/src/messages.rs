use core::fmt;

use safety::{ClockReading, Command, NotFinite, PublisherCount};

use crate::{BadJoystick, Joystick, RemoteParams, Source};

/// Inputs of the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // inputs are passed one by one, never stored
pub enum Input {
    /// The mode shall be entered.
    Activated,
    /// The mode shall be left.
    Deactivated,
    /// A command was received.
    CommandReceived(Command),
    /// An invalid command was received.
    CommandRefused(NotFinite),
    /// The publishers of commands were counted. Several are a conflict, as on each of the following topics.
    PublishersCounted(PublisherCount),
    /// The publishers of sticks for the chair were counted, this node included.
    StickPublishersCounted(PublisherCount),
    /// The publishers of the chair's `luci/joystick_position` were counted.
    PositionPublishersCounted(PublisherCount),
    /// The publishers of its `luci/joystick_scaling` were counted.
    ScalingPublishersCounted(PublisherCount),
    /// The publishers of `luci/chair_profile` were counted, see [`ReportedProfile`](zones::ReportedProfile).
    ProfilePublishersCounted(PublisherCount),
    /// The clock of stamps; the stamps of commands are compared with it.
    ClockRead(ClockReading),
    /// The chair reported its profile on `luci/chair_profile`. The speed setting is separate.
    ProfileReceived(i32),
    /// A `luci/joystick_position` was received.
    PositionReceived(Joystick),
    /// A `luci/joystick_scaling` was received, with this source.
    ScalingReceived(Source),
    /// One of the two was invalid.
    FeedbackRefused(BadJoystick),
    /// A service answered.
    ServiceAnswered(Service),
    /// New parameters. The mode does not change.
    ParametersChanged(RemoteParams),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down. It may end when [`Remote::is_finished`](crate::Remote::is_finished) returns true.
    Stopping,
}

/// Outputs of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Publish this on `luci/remote_joystick`.
    PublishJoystick(Joystick),
    /// Call this service, without waiting for it.
    Call(Service),
}

/// The state of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The node does not control the chair and publishes nothing.
    Inactive,
    /// The service that enters the mode was called; neutral is published.
    Activating,
    /// The chair reports our source, but there is no valid command; neutral is published.
    Confirmed,
    /// The chair reports our source and follows the commands.
    Active,
    /// The node controlled the chair, which no longer reports it in time. Neutral is published until it does or, if
    /// it reported another source, until the next activation. The mode is not taken back from the source that ended
    /// it.
    Lost,
    /// Neutral was published, then the service that leaves the mode was called.
    Deactivating,
}

impl State {
    /// The name on `~/state`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Inactive => "inactive",
            Self::Activating => "activating",
            Self::Confirmed => "confirmed",
            Self::Active => "active",
            Self::Lost => "lost",
            Self::Deactivating => "deactivating",
        }
    }
}

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
