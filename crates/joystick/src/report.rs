use core::fmt::{self, Write};

use crate::mapping::REST;
use crate::names::Unnamed;
use crate::{DeflectedAxis, MAX_PUBLISHED, UnusableJoy, VirtualSource};

/// An event for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// A device was opened.
    Connected {
        /// The port.
        name: String,
        /// SDL's name of the device.
        sdl_name: String,
        /// The GUID of the model.
        guid: String,
        /// The serial number, may be empty.
        serial: String,
        /// The path, may be empty.
        path: String,
        /// Links to the path.
        links: Vec<String>,
        /// The number of axes, hats as two.
        axes: usize,
        /// The number of buttons.
        buttons: usize,
    },
    /// A device was disconnected.
    Disconnected {
        /// The port.
        name: String,
    },
    /// A device has the model and the serial number of one that is still listed: it is that one.
    CameBack {
        /// The port of its earlier appearance, which counts as lost.
        former: String,
        /// Its port.
        name: String,
    },
    /// Another device, or none, drives.
    Controlled {
        /// The port of the device that drives now.
        name: Option<String>,
    },
    /// No axis is mapped: while active, the desired velocity is zero.
    Unmapped,
    /// No enable button is mapped: the stick always drives and `reference` is never passed on.
    AlwaysActive,
    /// The driving device commands nothing because its stick is not at rest; with the axis, if known.
    WaitsForRest(Option<DeflectedAxis>),
    /// The stick was at rest and commands from now on.
    AtRest,
    /// The driving device does not have mapped inputs: the parameters, each with its value.
    MissingInputs {
        /// The port.
        name: String,
        /// Such as `linear.x.axis` and 5.
        parameters: Vec<(String, usize)>,
    },
    /// A device may not drive, since it lacks inputs that parameters name.
    InputsUnnamed {
        /// The port.
        name: String,
        /// The parameters.
        unnamed: Vec<Unnamed>,
    },
    /// The reference was lost in motion and is passed on only after it requests a stop (true), or it did so now
    /// (false).
    ReferenceWaits(bool),
    /// The devices are no longer read (true), or read again (false).
    ReadingLost(bool),
    /// A state of the virtual device was received, but no name is configured for it.
    VirtualUnnamed,
    /// A state of the virtual device has more axes or buttons than the device.
    VirtualTooBig {
        /// Where the states come from.
        source: VirtualSource,
        /// The number of axes.
        axes: usize,
        /// The number of buttons.
        buttons: usize,
    },
    /// The stamps of the virtual device's states are old, from the future, or repeated.
    VirtualStale(VirtualSource),
    /// No state of the virtual device was received for too long.
    VirtualSilent(VirtualSource),
    /// The virtual device's states are already old when they are received.
    VirtualBehind {
        /// Where the states come from.
        source: VirtualSource,
        /// The age of the last one \[ms].
        millis: u128,
    },
    /// A state of the virtual device is not one of a pad: the device is unplugged.
    VirtualUnusable(UnusableJoy),
    /// A feedback has no effect.
    FeedbackRefused {
        /// The consequence and the reason.
        what: String,
    },
    /// The stick holds the vehicle at zero: a button that enables it was down before it counted, or the release of a stick elsewhere
    /// does not count yet.
    Holds,
    /// The stick drives (true) or does not (false). If not, the reference is passed on if there is one.
    Active(bool),
    /// Velocities are in the vehicle's frame (true) or in the world frame (false).
    Intrinsic(bool),
}

impl Report {
    /// Whether the user should act on it.
    pub const fn is_warning(&self) -> bool {
        matches!(
            self,
            Self::Unmapped
                | Self::AlwaysActive
                | Self::CameBack { .. }
                | Self::Controlled { name: None }
                | Self::WaitsForRest(_)
                | Self::MissingInputs { .. }
                | Self::InputsUnnamed { .. }
                | Self::ReferenceWaits(true)
                | Self::ReadingLost(_)
                | Self::VirtualUnnamed
                | Self::VirtualTooBig { .. }
                | Self::VirtualStale(_)
                | Self::VirtualSilent(_)
                | Self::VirtualBehind { .. }
                | Self::VirtualUnusable(_)
                | Self::FeedbackRefused { .. }
                | Self::Holds
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
                if (*axes).max(*buttons) > MAX_PUBLISHED {
                    write!(f, "; its port and the mappings use the first {MAX_PUBLISHED} of each")?;
                }
                Ok(())
            }
            Self::Disconnected { name } => write!(f, "{name} disconnected"),
            Self::CameBack { former, name } => {
                write!(f, "{name} has model and serial number of {former}: it is that device, and {former} counts as lost")
            }
            Self::Controlled { name: Some(name) } => write!(f, "{name} drives"),
            Self::Controlled { name: None } => f.write_str("no device drives: its buttons count as up"),
            Self::Unmapped => f.write_str("no axis is mapped: the stick can only command zero velocity"),
            Self::AlwaysActive => f.write_str(
                "no enable button is mapped: while a stick is connected it always drives, and the reference is masked",
            ),
            Self::WaitsForRest(deflected_axis) => {
                f.write_str("waits for the stick at rest: until all mapped axes are released together it commands nothing")?;
                let most = REST * 100.0;
                match deflected_axis {
                    Some(DeflectedAxis { coordinate, axis, percent }) => {
                        write!(f, "; axis {axis} ({coordinate}) is {percent} % of its range off rest, must be at most {most:.0} %")
                    }
                    None => Ok(()),
                }
            }
            Self::AtRest => f.write_str("the stick is at rest: it commands from now on"),
            Self::MissingInputs { name, parameters } => {
                write!(f, "{name} lacks mapped inputs, which command nothing:")?;
                let mut separator = " ";
                for (parameter, number) in parameters {
                    write!(f, "{separator}{parameter} {number}")?;
                    separator = ", ";
                }
                Ok(())
            }
            Self::InputsUnnamed { name, unnamed } => {
                write!(f, "{name} may not drive:")?;
                for unnamed in unnamed {
                    write!(f, " {unnamed};")?;
                }
                f.write_str(" give numbers instead, which `steersman-joystick list --watch` shows")
            }
            Self::ReferenceWaits(true) => f.write_str(
                "the reference was lost in motion: it is passed on only after it asks for zero velocity once",
            ),
            Self::ReferenceWaits(false) => f.write_str("the reference asked for zero: it is passed on again"),
            Self::ReadingLost(true) => {
                f.write_str("SDL hangs: for 250 ms no joystick was read; all of them count as released")
            }
            Self::ReadingLost(false) => {
                f.write_str("joysticks are read again; release sticks and press buttons again")
            }
            Self::VirtualUnnamed => f.write_str(
                "'~/virtual_device' is ignored: parameter 'virtual_device' names no virtual device",
            ),
            Self::VirtualTooBig { source: VirtualSource::Component, axes, buttons } => write!(
                f,
                "'~/virtual_device' is ignored: it has {axes} axes and {buttons} buttons, must have at most 8 (six, and a hat \
                 as two) and 11"
            ),
            Self::VirtualTooBig { source: VirtualSource::Joy, axes, buttons } => write!(
                f,
                "'joy_input' is ignored: it has {axes} axes and {buttons} buttons, must have at most 64 and 128"
            ),
            Self::VirtualStale(source) => write!(
                f,
                "'{source}' is ignored: its stamps are old, from the future or repeated; zero means now. Compare the clocks"
            ),
            Self::VirtualSilent(source) => {
                write!(f, "'{source}' is silent for 500 ms: the device is unplugged")
            }
            Self::VirtualBehind { source, millis } => write!(
                f,
                "'{source}' is stamped {millis} ms before its receipt, must be at most 250 ms to connect: the clocks differ, or the \
                 link is slow"
            ),
            Self::VirtualUnusable(why) => write!(f, "'joy_input' {why}: the device is unplugged"),
            Self::FeedbackRefused { what } => write!(f, "'joy/set_feedback' {what}"),
            Self::Holds => f.write_str("the stick does not drive, and holds the vehicle at zero until its button counts as released"),
            Self::Active(true) => f.write_str("active: the stick drives"),
            Self::Active(false) => f.write_str("inactive: the stick does not drive"),
            Self::Intrinsic(true) => f.write_str("velocities are in the vehicle's frame"),
            Self::Intrinsic(false) => f.write_str("velocities are in the world frame"),
        }
    }
}

/// An untrusted text, such as a device's name or a path, on one line: invisible characters are replaced by their
/// escapes, and letters of all languages are kept.
///
/// Control characters, separators of lines and paragraphs, characters that change the writing direction, and the
/// backslash are escaped, so no text looks like the escape of another.
///
/// # Source
/// own: the name of a device could otherwise write its own lines into the log or to a terminal that shows it.
#[derive(Clone, Copy, Debug)]
pub struct Printable<'a>(pub &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\\' => f.write_str("\\\\"),
            c if c.is_control() || is_invisible(c) => write!(f, "{}", c.escape_default()),
            c => f.write_char(c),
        })
    }
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_of_a_device_has_everything_that_can_select_it() {
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
    fn a_devices_name_cannot_add_lines_to_the_log() {
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
    fn a_device_with_too_many_inputs_is_reported() {
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
        assert!(report(17).to_string().ends_with("; its port and the mappings use the first 16 of each"));
    }

    #[test]
    fn a_text_stays_on_its_line() {
        for (text, escaped) in [
            ("Pad", "Pad"),
            ("日本 ü 'x' \"y\"", "日本 ü 'x' \"y\""),
            ("a\nb\r\t", "a\\nb\\r\\t"),
            ("\u{1b}[2J\u{7f}\u{85}", "\\u{1b}[2J\\u{7f}\\u{85}"),
            ("\u{202e}dap\u{2028}", "\\u{202e}dap\\u{2028}"),
            ("a\\nb", "a\\\\nb"),
        ] {
            assert_eq!(Printable(text).to_string(), escaped);
        }
    }
}
