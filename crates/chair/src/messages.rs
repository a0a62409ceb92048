use units::{Command, NotFinite, Stamp};

use crate::{BadJoystick, Joystick, RemoteParams, Service, Source};

/// All that can happen to the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // inputs are handed over one by one, never stored
pub enum Input {
    /// Somebody wants to drive: the mode shall be entered.
    Activated,
    /// Nobody wants to drive any more: the mode shall be left.
    Deactivated,
    /// A command came.
    CommandReceived(Command),
    /// A message came that was no command and could not be taken for one.
    CommandRefused(NotFinite),
    /// So many publish commands, of whatever type; [`usize::MAX`] if the graph cannot tell. More than one is a conflict.
    PublishersCounted(usize),
    /// So many publish sticks for the chair, this node included, counted likewise.
    DriversCounted(usize),
    /// So many publish the `luci/joystick_position` by which the chair shows itself, counted likewise.
    PositionPublishersCounted(usize),
    /// So many publish its `luci/joystick_scaling`, counted likewise.
    ScalingPublishersCounted(usize),
    /// So many publish `luci/chair_profile`, counted likewise, see [`ReportedProfile`](zones::ReportedProfile).
    ProfilePublishersCounted(usize),
    /// The wall clock shows this: commands' stamps are judged by it.
    ClockRead(Stamp),
    /// The chair told its profile on `luci/chair_profile`. The speed setting is another thing.
    ProfileReceived(i32),
    /// A `luci/joystick_position` came.
    PositionReceived(Joystick),
    /// A `luci/joystick_scaling` came, with this source.
    ScalingReceived(Source),
    /// One of the two came and made no sense.
    FeedbackRefused(BadJoystick),
    /// A service answered.
    ServiceAnswered(Service),
    /// The parameters in force are these from now on. The mode stays what it is.
    ParametersChanged(RemoteParams),
    /// The node is about to end. Ask [`Remote::is_finished`](crate::Remote::is_finished) when it may.
    Stopping,
}

/// All that the node can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Publish this on `luci/remote_joystick`.
    PublishJoystick(Joystick),
    /// Call this service, without waiting for it.
    Call(Service),
}

/// Where the node is between not driving and driving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The chair is not ours; nothing is published.
    Inactive,
    /// The service that enters the mode was called; neutral is published.
    Activating,
    /// The chair shows our source, but there is no command to follow; neutral is published.
    Confirmed,
    /// The chair shows our source and follows the commands.
    Active,
    /// The chair was ours and no longer shows it in time; neutral is published until it does, or, if it showed
    /// another source, until somebody activates again. The mode is not taken back from whoever ended it.
    Lost,
    /// Neutral was published, then the service that leaves the mode was called.
    Deactivating,
}

impl State {
    /// As it is told on `~/state`.
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
