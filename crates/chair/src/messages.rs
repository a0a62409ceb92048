use safety::{ClockReading, Command, NotFinite, PublisherCount};

use crate::{BadJoystick, Joystick, RemoteParams, Service, Source};

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
