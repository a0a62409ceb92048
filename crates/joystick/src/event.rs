use core::fmt;

use core::time::Duration;

use units::Stamp;

use crate::mapping::REST;
use crate::{
    DeviceId, DeviceState, Feedback, Hat, JoyState, LogRow, MOST, Params, PoseState, Printable, Unrest,
    VirtualState,
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

/// Something worth a line in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// A device was opened.
    Connected {
        /// Its port.
        name: String,
        /// What SDL calls it.
        sdl_name: String,
        /// The GUID of its model.
        guid: String,
        /// Its serial number, may be empty.
        serial: String,
        /// Where it is, may be empty.
        path: String,
        /// Links to that.
        links: Vec<String>,
        /// How many axes it has, hats as two.
        axes: usize,
        /// How many buttons it has.
        buttons: usize,
    },
    /// A device was pulled out.
    Disconnected {
        /// Its port.
        name: String,
    },
    /// Another device drives, or none does.
    Controlled {
        /// The port of the device that drives now.
        name: Option<String>,
    },
    /// No axis is mapped: while active, the desired velocity is zero.
    Unmapped,
    /// No enable button is mapped: the stick always drives and `reference` is never passed on.
    AlwaysActive,
    /// The device that drives commands nothing because its stick is not at rest; which axis, if that is known.
    WaitsForRest(Option<Unrest>),
    /// The stick was at rest, from now on it commands.
    AtRest,
    /// The device that drives does not have what is mapped: the parameters, each with its value.
    Lacks {
        /// Its port.
        name: String,
        /// Such as `linear.x.axis` and 5.
        parameters: Vec<(String, usize)>,
    },
    /// The reference was lost in motion, and nothing of it is passed on before it asks for a stop (true), or now it did.
    ReferenceWaits(bool),
    /// Nobody looks at the devices any more (true), or again.
    ReadingLost(bool),
    /// States of the virtual device came, and no name is given to it.
    VirtualUnnamed,
    /// A state of the virtual device has more than that has.
    VirtualTooBig {
        /// How many axes.
        axes: usize,
        /// How many buttons.
        buttons: usize,
    },
    /// The states of the virtual device are old or from the future by their stamps, or the same again and again.
    VirtualStale,
    /// No state of the virtual device came for too long.
    VirtualSilent,
    /// A feedback has no effect.
    FeedbackRefused {
        /// What becomes of it, and why.
        what: String,
    },
    /// The stick drives (true) or the reference is passed on (false).
    Active(bool),
    /// Velocities are told in the vehicle's frame (true) or in the world's (false).
    Intrinsic(bool),
}

impl Report {
    /// Whether a user should do something about it.
    pub const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Unmapped
                | Self::AlwaysActive
                | Self::Controlled { name: None }
                | Self::WaitsForRest(_)
                | Self::Lacks { .. }
                | Self::ReferenceWaits(true)
                | Self::ReadingLost(_)
                | Self::VirtualUnnamed
                | Self::VirtualTooBig { .. }
                | Self::VirtualStale
                | Self::VirtualSilent
                | Self::FeedbackRefused { .. }
        )
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected { name, sdl_name, guid, serial, path, links, axes, buttons } => {
                write!(f, "'{}' ({}", Printable(sdl_name), Printable(guid))?;
                if !serial.is_empty() {
                    write!(f, ", serial number {}", Printable(serial))?;
                }
                for place in core::iter::once(path).chain(links).filter(|place| !place.is_empty()) {
                    write!(f, ", {}", Printable(place))?;
                }
                write!(f, ") connected as {name}: {axes} axes, {buttons} buttons")?;
                if (*axes).max(*buttons) > MOST {
                    write!(f, "; its port and the mappings know the first {MOST} of each")?;
                }
                Ok(())
            }
            Self::Disconnected { name } => write!(f, "{name} disconnected"),
            Self::Controlled { name: Some(name) } => write!(f, "{name} drives"),
            Self::Controlled { name: None } => f.write_str("no device drives: its buttons count as up"),
            Self::Unmapped => f.write_str("no axis is mapped: the stick can only command zero velocity"),
            Self::AlwaysActive => f.write_str(
                "no enable button is mapped: while a stick is there it always drives, and the reference is masked",
            ),
            Self::WaitsForRest(unrest) => {
                f.write_str("waits for the stick at rest: until all mapped axes are let go together it commands nothing")?;
                let most = REST * 100.0;
                match unrest {
                    Some(Unrest { coordinate, axis, percent }) => {
                        write!(f, "; axis {axis} ({coordinate}) is {percent} % of its way off, must be at most {most:.0} %")
                    }
                    None => Ok(()),
                }
            }
            Self::AtRest => f.write_str("the stick is at rest: from now on it commands"),
            Self::Lacks { name, parameters } => {
                write!(f, "{name} does not have what is mapped, which commands nothing:")?;
                let mut separator = " ";
                for (parameter, number) in parameters {
                    write!(f, "{separator}{parameter} {number}")?;
                    separator = ", ";
                }
                Ok(())
            }
            Self::ReferenceWaits(true) => f.write_str(
                "the reference was lost in motion: nothing of it is passed on before it asks for zero velocity once",
            ),
            Self::ReferenceWaits(false) => f.write_str("the reference has asked for zero: it is passed on again"),
            Self::ReadingLost(true) => {
                f.write_str("SDL hangs: for 250 ms no joystick was read; all of them count as let go")
            }
            Self::ReadingLost(false) => {
                f.write_str("joysticks are read again; sticks must be let go and buttons pressed anew")
            }
            Self::VirtualUnnamed => f.write_str(
                "'~/virtual_device' is ignored: parameter 'virtual_device' names no virtual device",
            ),
            Self::VirtualTooBig { axes, buttons } => write!(
                f,
                "'~/virtual_device' is ignored: it has {axes} axes and {buttons} buttons, must have at most 8 (six, and a hat \
                 as two) and 11"
            ),
            Self::VirtualStale => f.write_str(
                "'~/virtual_device' is ignored: its stamps are old, from the future or always the same; zero means now",
            ),
            Self::VirtualSilent => {
                f.write_str("'~/virtual_device' is silent for 500 ms: the device is unplugged")
            }
            Self::FeedbackRefused { what } => write!(f, "'joy/set_feedback' {what}"),
            Self::Active(true) => f.write_str("active: the stick drives"),
            Self::Active(false) => f.write_str("inactive: the reference is passed on"),
            Self::Intrinsic(true) => f.write_str("velocities are told in the vehicle's frame"),
            Self::Intrinsic(false) => f.write_str("velocities are told in the world frame"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_told_with_all_that_it_can_be_chosen_by() {
        let report = Report::Connected {
            name: "pad".into(),
            sdl_name: "Pad!".into(),
            guid: "03".into(),
            serial: "7".into(),
            path: "/dev/x".into(),
            links: vec!["/dev/a".into(), "/dev/b".into()],
            axes: 1,
            buttons: 2,
        };
        let text = "'Pad!' (03, serial number 7, /dev/x, /dev/a, /dev/b) connected as pad: 1 axes, 2 buttons";
        assert_eq!(report.to_string(), text);
    }

    #[test]
    fn a_device_cannot_write_lines_of_its_own() {
        let report = Report::Connected {
            name: "pad".into(),
            sdl_name: "Pad\n[INFO] ü".into(),
            guid: "03".into(),
            serial: "\u{1b}c".into(),
            path: String::new(),
            links: vec!["/dev/\r".into()],
            axes: 1,
            buttons: 2,
        };
        let text =
            r"'Pad\n[INFO] ü' (03, serial number \u{1b}c, /dev/\r) connected as pad: 1 axes, 2 buttons";
        assert_eq!(report.to_string(), text);
    }

    #[test]
    fn a_device_too_big_is_told_so() {
        let report = |axes| Report::Connected {
            name: "pad".into(),
            sdl_name: "Pad!".into(),
            guid: "03".into(),
            serial: String::new(),
            path: String::new(),
            links: Vec::new(),
            axes,
            buttons: 2,
        };
        assert_eq!(report(16).to_string(), "'Pad!' (03) connected as pad: 16 axes, 2 buttons");
        assert!(report(17).to_string().ends_with("; its port and the mappings know the first 16 of each"));
    }
}
