use core::time::Duration;

use units::{Command, NotFinite, Stamp};

use crate::{Detail, Motors, Params, Refused, Report, Sensor, StopState};

/// All that can happen to the node.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // parameters change seldom, and no input is stored
pub enum Input {
    /// A command came, or what was to be one and is not finite.
    CommandReceived(Result<Command, NotFinite>),
    /// A command came that had been under way for a while, by its stamp.
    LateCommandReceived {
        /// What was wanted.
        command: Command,
        /// How old it was when it came.
        age: Duration,
    },
    /// A command came whose stamp lies in the future: nobody can say how old it is.
    FutureCommandReceived {
        /// What was wanted.
        command: Command,
        /// How far ahead of this machine's clock it is \[s\].
        ahead: f64,
    },
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
        /// When it was measured, zero if nobody knows: the same once more is no news.
        stamp: Stamp,
    },
    /// A scan stood in for all infra-red sensors.
    ScanReceived {
        /// A distance for each, as above.
        distances: [Option<f64>; 4],
        /// As above.
        stamp: Stamp,
    },
    /// So many nodes publish commands.
    PublishersCounted(usize),
    /// So many nodes publish the emergency stop.
    EstopsCounted(usize),
    /// The motor controller was opened and answers.
    DeviceOpened,
    /// The motor controller is gone, or does not answer as it should.
    DeviceLost,
    /// Somebody else had to stop the motors, because this machine was not called in time.
    Unwatched,
    /// The parameters in force are these from now on.
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
