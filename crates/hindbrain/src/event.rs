use safety::{ClockReading, Command, Implausible, NotFinite, PublisherCount, Stamp};

use crate::core::SoleTopic;
use crate::{Detail, Motors, Params, Refused, Report, Sensor, StopState};

/// Everything that can happen to the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // parameters rarely change, and no input is stored
pub enum Input {
    /// A command was received, or one that is not finite.
    CommandReceived(Result<Command, NotFinite>),
    /// The software switch was received: whether the vehicle may drive.
    EnableReceived(bool),
    /// The emergency stop was received: whether it is pressed.
    EstopReceived(bool),
    /// The reset button was received: whether it is down.
    ResetReceived(bool),
    /// An infra-red sensor measured.
    IrReceived {
        /// The sensor.
        sensor: Sensor,
        /// The distance \[m\]; `None` and NaN are no measurement, infinity is nothing in reach.
        distance: Option<f64>,
        /// The time of the measurement, zero if unknown.
        stamp: Stamp,
    },
    /// The publishers in the graph were counted; expected before an [`EnableReceived`](Self::EnableReceived).
    PublishersCounted(Publishers),
    /// The clock of stamps at this `now`; expected before the events that happen at it.
    ClockRead(ClockReading),
    /// The motor controller was opened and answers.
    DeviceOpened,
    /// The motor controller is gone, or does not answer as it should.
    DeviceLost,
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The supervising thread had to stop the motors, because this machine was not called in time.
    Unwatched,
    /// The motor values did not reach the motors in time, which therefore stopped by themselves.
    Interrupted,
    /// Parameters to use from now on; ignored while something moves, see
    /// [`accepts_parameters`](crate::Hindbrain::accepts_parameters).
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

/// Everything that the node can request.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // few are stored
pub enum Output {
    /// Send these values to the motors.
    Drive(Motors),
    /// Publish the state.
    PublishState(StopState),
    /// Publish the state in all detail.
    PublishDetail(Detail),
    /// Report a refused command to the user, at most once a second.
    Refuse(Refused),
    /// Report the part of a command that two driven sides cannot follow, at most once a second.
    Drop(Implausible),
    /// Report to the user that the state or its causes changed.
    Report(Report),
}

/// The publishers of the topics on which one is expected. Each endpoint counts, whatever its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Publishers {
    counts: [PublisherCount; SoleTopic::ALL.len()],
}

impl Publishers {
    /// With this `count` for `topic`.
    #[must_use]
    pub const fn with(mut self, topic: SoleTopic, count: PublisherCount) -> Self {
        self.counts[topic as usize] = count;
        self
    }

    /// The publishers of `topic`.
    pub const fn of(&self, topic: SoleTopic) -> PublisherCount {
        self.counts[topic as usize]
    }
}
