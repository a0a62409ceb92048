use core::fmt;

use crate::mapping::REST;
use crate::{MOST, Printable, Unrest};

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
    /// The stick drives (true) or does not (false): then the reference is passed on, if there is one.
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
            Self::Active(false) => f.write_str("inactive: the stick does not drive"),
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
