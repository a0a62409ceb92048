use core::time::Duration;

use units::Stamp;

use crate::{
    DeviceId, DeviceState, Feedback, Hat, JoyState, LogRow, Params, PoseState, Report, VirtualState,
};

/// All that can happen to the joystick node.
///
/// Events of a device are collected until [`Input::BatchEnded`]; what they mean for the filter acts at once.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the way of the reference
pub enum Input {
    /// A device was opened. The values are those read right after, for SDL sends no event for them.
    DeviceConnected {
        /// SDL's instance id; a known one replaces the device that had it.
        id: DeviceId,
        /// SDL's name of the device, any text.
        name: String,
        /// SDL's GUID of the device's model, as text.
        guid: String,
        /// The device's own serial number; empty if it tells none.
        serial: String,
        /// Where the system has it, such as `/dev/input/event7`; empty if that is not known.
        path: String,
        /// Links to that, such as `/dev/input/by-path/...`, any number of them.
        links: Vec<String>,
        /// Axes at rest, any number of them.
        axes: Vec<i16>,
        /// Buttons as they are, any number of them.
        buttons: Vec<bool>,
        /// Hats as they are, any number of them.
        hats: Vec<Hat>,
    },
    /// It is known which axes of a device are triggers, whose rest is an end: the others rest in their middle, wherever
    /// they were when the device was connected. Of a device of which nobody knows, an axis at its end counts as a trigger.
    TriggersKnown {
        /// Which.
        id: DeviceId,
        /// Their numbers; others than the device has mean nothing.
        axes: Vec<usize>,
    },
    /// A device was pulled out.
    DeviceDisconnected {
        /// Which.
        id: DeviceId,
    },
    /// A device shall have another port; see [`Joystick::rename`](crate::Joystick::rename), which makes it.
    DeviceRenamed {
        /// Which.
        id: DeviceId,
        /// The port: a legal name that no other device has, or nothing happens.
        name: String,
    },
    /// An axis has a new value.
    AxisMoved {
        /// Of which device.
        id: DeviceId,
        /// Which axis, from 0; hats do not count.
        axis: usize,
        /// SDL's raw value.
        value: i16,
    },
    /// A button went down or up.
    ButtonChanged {
        /// Of which device.
        id: DeviceId,
        /// Which button, from 0.
        button: usize,
        /// Down?
        pressed: bool,
    },
    /// A hat points elsewhere.
    HatMoved {
        /// Of which device.
        id: DeviceId,
        /// Which hat, from 0.
        hat: usize,
        /// Where to.
        state: Hat,
    },
    /// The devices were looked at, also if nothing happened to them. From the first time on it has to come again and again: when
    /// nobody looks for 250 ms, that is [`Input::ReadingLost`].
    DevicesLooked,
    /// Nobody reads the devices any more: all of them count as let go, and where they are nobody knows. Belongs to a batch
    /// of its own.
    ReadingLost,
    /// A device is read again after that, as [`Joystick::needs_reading`](crate::Joystick::needs_reading) asks for, and is like
    /// this; more or less of everything than it has means nothing.
    DeviceRead {
        /// Which.
        id: DeviceId,
        /// Its axes.
        axes: Vec<i16>,
        /// Its buttons; one that is down counts as held only if it went down since the reading was lost.
        buttons: Vec<bool>,
        /// Its hats.
        hats: Vec<Hat>,
    },
    /// All events of one wake-up were handed over.
    BatchEnded,
    /// The virtual device is held like this; it is plugged in if it is not, and unplugged when nothing comes for 500 ms.
    VirtualDeviceMoved(VirtualState),
    /// A feedback was asked of the device that drives.
    FeedbackReceived(Feedback),
    /// The wall clock at this `now`. Expected before the events that happen at it, and before each timed poll.
    ClockRead(Stamp),
    /// Somebody else's state came in on `reference`.
    ReferenceReceived(PoseState),
    /// So many publish `reference`, whatever their type; [`usize::MAX`] if the graph cannot tell. Of more than one none counts.
    ReferencePublishersCounted(usize),
    /// So many publish `virtual_device`, likewise; more than one unplug it.
    VirtualPublishersCounted(usize),
    /// Parameters were changed, all of them or none; those read only at start are ignored.
    ParametersChanged(Params),
    /// The vehicle's own frame was asked for (true) or the world's (false), whatever buttons did before.
    FrameSelected(bool),
    /// The parameter `intrinsic` follows what a button selected: it has this value now, and nothing else is new.
    FrameNoted(bool),
    /// A log was opened (true) or closed.
    LogSwitched(bool),
    /// The node shuts down; nothing is taken in after that.
    Stopping,
}

impl Input {
    /// Whether it is of the kind that a batch is made of.
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

/// All that the joystick node can ask for.
///
/// # Real-time
/// [`Output::PublishDesired`] is made without allocation. [`Output::PublishDevice`] and [`Output::PublishJoy`] clone
/// vectors of at most 128 entries and a name; they come after it.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the way of the desired state
pub enum Output {
    /// Make the port `~/device/<name>`.
    OpenDevice {
        /// The port: a valid ROS name of at most [`LONGEST_NAME`](crate::LONGEST_NAME) bytes, used by no other.
        name: String,
    },
    /// Publish on the port `~/device/<name>`.
    PublishDevice {
        /// The port.
        name: String,
        /// What.
        state: DeviceState,
    },
    /// Take the port `~/device/<name>` down.
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
    /// Let the motors of a device run: strong and weak, 0 to 65535, for so long.
    Rumble {
        /// Which device.
        device: DeviceId,
        /// The strong motor.
        low: u16,
        /// The weak motor.
        high: u16,
        /// For how long.
        time: Duration,
    },
    /// Give the light of a device a colour.
    Light {
        /// Which device.
        device: DeviceId,
        /// Red, green, blue.
        colour: [u8; 3],
    },
    /// Give the log this cycle's row.
    LogRow(LogRow),
    /// Tell the log.
    Report(Report),
}
