use core::time::Duration;

use safety::{ClockReading, PublisherCount};

use crate::{
    DeviceId, DeviceState, Feedback, Hat, JoyState, LogRow, Params, PoseState, Report, UnusableJoy,
    VirtualState,
};

/// Inputs of the joystick node.
///
/// Device events are collected until [`Input::BatchEnded`]; their effect on the filter is immediate.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a box would allocate for each reference
pub enum Input {
    /// A device was opened. The values are read right after opening, since SDL sends no event for them.
    DeviceConnected {
        /// SDL's instance id; a device that has the same id is replaced.
        id: DeviceId,
        /// SDL's name of the device, any text.
        name: String,
        /// SDL's GUID of the device's model, as text.
        guid: String,
        /// The serial number; empty if the device reports none.
        serial: String,
        /// The path, such as `/dev/input/event7`; empty if unknown.
        path: String,
        /// Links to the path, such as `/dev/input/by-path/...`, any number of them.
        links: Vec<String>,
        /// SDL's mapping of it as a game controller, which names its inputs; empty if SDL has none.
        mapping: String,
        /// The axes at the time of opening, any number of them.
        axes: Vec<i16>,
        /// The buttons, any number of them.
        buttons: Vec<bool>,
        /// The hats, any number of them.
        hats: Vec<Hat>,
    },
    /// Reports which axes of a device are triggers, which rest at an end. All other axes rest at their centre,
    /// whatever their position at the connection. Without this input an axis at its end counts as a trigger.
    TriggersKnown {
        /// The device.
        id: DeviceId,
        /// Indices of the axes; indices that the device does not have are ignored.
        axes: Vec<usize>,
    },
    /// A device was disconnected.
    DeviceDisconnected {
        /// The device.
        id: DeviceId,
    },
    /// A device gets another port; made by [`Joystick::rename`](crate::Joystick::rename).
    DeviceRenamed {
        /// The device.
        id: DeviceId,
        /// The port. A name that is illegal or in use has no effect.
        name: String,
    },
    /// An axis has a new value.
    AxisMoved {
        /// The device.
        id: DeviceId,
        /// The index of the axis, from 0; hats do not count.
        axis: usize,
        /// SDL's raw value.
        value: i16,
    },
    /// A button went down or up.
    ButtonChanged {
        /// The device.
        id: DeviceId,
        /// The index of the button, from 0.
        button: usize,
        /// Whether it is down.
        pressed: bool,
    },
    /// A hat changed its direction.
    HatMoved {
        /// The device.
        id: DeviceId,
        /// The index of the hat, from 0.
        hat: usize,
        /// The new direction.
        state: Hat,
    },
    /// The devices were polled, even if no event was pending. After the first one this input must arrive repeatedly:
    /// 250 ms without it are [`Input::ReadingLost`].
    DevicesPolled,
    /// The devices are no longer read: all of them count as released, and their state is unknown. Must be in a batch
    /// of its own.
    ReadingLost,
    /// A device is read again after that and has these values; see
    /// [`Joystick::needs_reading`](crate::Joystick::needs_reading). Missing or additional entries are ignored.
    DeviceRead {
        /// The device.
        id: DeviceId,
        /// The axes.
        axes: Vec<i16>,
        /// The buttons; one that is down counts as held only if it was pressed after the reading was lost.
        buttons: Vec<bool>,
        /// The hats.
        hats: Vec<Hat>,
    },
    /// All events of one wake-up were delivered.
    BatchEnded,
    /// A new state of the virtual device. The device is connected if necessary, and disconnected after 500 ms without
    /// a state, or at once by one that is not usable.
    VirtualDeviceMoved(Result<VirtualState, UnusableJoy>),
    /// A feedback for the driving device was received.
    FeedbackReceived(Feedback),
    /// The clock of stamps at this `now`. Expected before the events of the same `now`, and before each timed poll.
    ClockRead(ClockReading),
    /// A state was received on `reference`.
    ReferenceReceived(PoseState),
    /// The publishers of `reference` were counted. With several no reference is accepted.
    ReferencePublishersCounted(PublisherCount),
    /// The publishers of the virtual device's states were counted. Several disconnect the device. One that takes the place of another
    /// counts beside it, once ([`Succession`](safety::Succession)).
    VirtualPublishersCounted(PublisherCount),
    /// New parameters, applied all or none; those read only at start are ignored.
    ParametersChanged(Params),
    /// The vehicle's own frame (true) or the world frame (false) was requested, whatever the buttons selected before.
    FrameSelected(bool),
    /// The parameter `intrinsic` was updated to the value that a button selected; nothing else changes.
    FrameParameterUpdated(bool),
    /// The number of subscribers of `joy`; 0 before the first of these.
    JoySubscribersCounted(usize),
    /// A log was opened (true) or closed.
    LogSwitched(bool),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down; later inputs are ignored.
    Stopping,
}

impl Input {
    /// Whether it is a device event, which belongs to a batch.
    pub(crate) const fn is_of_device(&self) -> bool {
        matches!(
            self,
            Self::DeviceConnected { .. }
                | Self::DeviceDisconnected { .. }
                | Self::ReadingLost
                | Self::DeviceRead { .. }
                | Self::AxisMoved { .. }
                | Self::ButtonChanged { .. }
                | Self::HatMoved { .. }
        )
    }
}

/// Outputs of the joystick node.
///
/// # Real-time
/// [`Output::PublishDesired`] is made without allocation. [`Output::PublishDevice`] and [`Output::PublishJoy`] clone
/// vectors of at most 128 entries and a name; they are polled after it.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate for each desired state
pub enum Output {
    /// Create the port `~/device/<name>`.
    OpenDevice {
        /// The port: a valid and unused ROS name of at most [`MAX_NAME_LENGTH`](crate::MAX_NAME_LENGTH) bytes.
        name: String,
    },
    /// Publish on the port `~/device/<name>`.
    PublishDevice {
        /// The port.
        name: String,
        /// The state.
        state: DeviceState,
    },
    /// Remove the port `~/device/<name>`.
    CloseDevice {
        /// The port.
        name: String,
    },
    /// Publish on `~/desired`.
    PublishDesired(PoseState),
    /// Publish on `joy`.
    PublishJoy(JoyState),
    /// Publish on `~/connected`: whether a device drives.
    PublishConnected(bool),
    /// Give a device's user a feedback.
    Feedback {
        /// Which device.
        device: DeviceId,
        /// Its effect.
        effect: Effect,
    },
    /// Append the row of this cycle to the log file.
    LogRow(LogRow),
    /// Write a line to the ROS log.
    Report(Report),
}

/// An effect that the user of a device feels or sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The motors run, each with a strength of 0 to 65535.
    Rumble {
        /// The strong motor.
        low: u16,
        /// The weak motor.
        high: u16,
        /// The duration.
        time: Duration,
    },
    /// The light has this colour: red, green, blue.
    Light([u8; 3]),
}
