use units::{Command, NotFinite, Stamp};

use crate::{Detail, Motors, Params, Publishers, Refused, Report, Sensor, StopState};

/// All that can happen to the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // parameters change seldom, and no input is stored
pub enum Input {
    /// A command came, or what was to be one and is not finite.
    CommandReceived(Result<Command, NotFinite>),
    /// The software switch says whether the vehicle may drive.
    EnableReceived(bool),
    /// The emergency stop says whether it is pressed.
    EstopReceived(bool),
    /// The reset button says whether it is down.
    ResetReceived(bool),
    /// An infra-red sensor measured.
    IrReceived {
        /// Which one.
        sensor: Sensor,
        /// The distance \[m\]; `None` and NaN are no measurement, infinity is nothing in reach.
        distance: Option<f64>,
        /// When it was measured, zero if nobody knows.
        stamp: Stamp,
    },
    /// The publishers in the graph were counted; expected before an [`EnableReceived`](Self::EnableReceived).
    PublishersCounted(Publishers),
    /// The wall clock at this `now`; expected before the events that happen at it.
    ClockRead(Stamp),
    /// The motor controller was opened and answers.
    DeviceOpened,
    /// The motor controller is gone, or does not answer as it should.
    DeviceLost,
    /// Somebody else had to stop the motors, because this machine was not called in time.
    Unwatched,
    /// The parameters in force are these from now on, unless something moves, see
    /// [`accepts_parameters`](crate::Hindbrain::accepts_parameters).
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

/// All that the node can ask for.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // it is never stored in numbers
pub enum Output {
    /// Send these values to the motors.
    Drive(Motors),
    /// Publish the state.
    PublishState(StopState),
    /// Publish the state in all detail.
    PublishDetail(Detail),
    /// Tell the user of a command that was refused; said once a second if they keep coming.
    Refuse(Refused),
    /// Tell the user that the state or its causes changed.
    Report(Report),
}
