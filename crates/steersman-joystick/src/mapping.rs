//! The result of the questions, and its parameter file.

use std::fmt::Write;

use crate::calibration::AxisMap;

/// The functions of axes and buttons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mapping {
    /// The axes in the order of the questions.
    pub axes: Vec<(Motion, AxisMap)>,
    /// The buttons, likewise.
    pub buttons: Vec<(Switch, usize)>,
}

/// A motion of the robot that an axis commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// Forward and backward.
    Drive,
    /// To the left and to the right in place.
    Turn,
    /// Sideways.
    Strafe,
    /// Upward and downward.
    Rise,
}

/// The function of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// The dead-man switch: the stick drives while it is held.
    On,
    /// The same in slow motion.
    Slow,
    /// Switches driving on, and off again.
    Toggle,
}

impl Motion {
    /// The prefix of its parameters. REP-103: forward, left and up are positive, and so is a turn to the left.
    pub fn key(self) -> &'static str {
        match self {
            Motion::Drive => "linear.x",
            Motion::Turn => "angular.z",
            Motion::Strafe => "linear.y",
            Motion::Rise => "linear.z",
        }
    }

    /// The verb for a question.
    pub fn verb(self) -> &'static str {
        match self {
            Motion::Drive => "drive",
            Motion::Turn => "turn",
            Motion::Strafe | Motion::Rise => "go",
        }
    }

    /// The directions of the positive and of the negative end.
    pub fn ends(self) -> [&'static str; 2] {
        match self {
            Motion::Drive => ["FORWARD", "BACKWARD"],
            Motion::Turn => ["LEFT", "RIGHT"],
            Motion::Strafe => ["SIDEWAYS to the LEFT", "SIDEWAYS to the RIGHT"],
            Motion::Rise => ["UP", "DOWN"],
        }
    }
}

impl Switch {
    /// The name of its parameter.
    pub fn key(self) -> &'static str {
        match self {
            Switch::On => "enable.on",
            Switch::Slow => "enable.slow",
            Switch::Toggle => "enable.toggle",
        }
    }

    /// The name in a question.
    pub fn name(self) -> &'static str {
        match self {
            Switch::On => "the DEAD-MAN button (the stick drives only while it is held)",
            Switch::Slow => "the SLOW button (held instead, the stick drives slowly)",
            Switch::Toggle => "the TOGGLE button (switches driving on, and off again)",
        }
    }
}

/// The device of the file.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    /// SDL's name.
    pub name: &'a str,
    /// SDL's GUID.
    pub guid: &'a str,
    /// The part of SDL that reads it.
    pub driver: &'a str,
    /// A text that identifies it among all connected devices.
    pub control_device: &'a str,
}

impl Mapping {
    /// A ROS 2 parameter file for node `joystick`.
    pub fn yaml(&self, model: Model<'_>) -> String {
        let Model { name, guid, driver, control_device } = model;
        let mut text = format!(
            "# Node joystick's mapping for {}, GUID {guid}, read by SDL through {driver}.\n\
             # Written by `steersman-joystick map`. Another device, or the same one through another driver, numbers its\n\
             # axes and buttons otherwise: control_device keeps it from driving.\n\
             joystick:\n  ros__parameters:\n    control_device: {}\n",
            quoted(name),
            quoted(control_device)
        );
        for (motion, map) in &self.axes {
            let (key, [positive, negative]) = (motion.key(), motion.ends());
            let AxisMap { axis, scale, min, center, max, dead_zone } = map;
            let one_way = if min == center || center == max { "one way only, " } else { "" };
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "    # {one_way}{} {positive}{}\n\
                 \x20   {key}.axis: {axis}\n    {key}.scale: {scale:.1}\n    {key}.offset: 0.0\n    {key}.min: {min}\n\
                 \x20   {key}.center: {center}\n    {key}.max: {max}\n    {key}.dead_zone: {dead_zone:.2}\n",
                motion.verb(),
                if one_way.is_empty() { format!(" and {negative}") } else { String::new() }
            );
        }
        for (switch, button) in &self.buttons {
            let _ = writeln!(text, "    # {}\n    {}: {button}", switch.name(), switch.key());
        }
        text
    }
}

/// A text in double quotes, valid in YAML and in a comment: control characters and quotes are escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // Also other line ends: YAML has three such characters that are not control characters.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping() -> Mapping {
        let stick = AxisMap { axis: 1, scale: -1.0, min: -32112, center: 100, max: 32112, dead_zone: 0.05 };
        let trigger =
            AxisMap { axis: 5, scale: 1.0, min: -32768, center: -32768, max: 31456, dead_zone: 0.03 };
        Mapping {
            axes: vec![(Motion::Drive, stick), (Motion::Rise, trigger)],
            buttons: vec![(Switch::On, 5), (Switch::Slow, 4)],
        }
    }

    #[test]
    fn the_file_holds_every_key_once() {
        let model = Model { name: "Pad", guid: "03ab", driver: "evdev", control_device: "03ab" };
        let text = mapping().yaml(model);
        let keys: Vec<_> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let expected = [
            "joystick:",
            "  ros__parameters:",
            "    control_device: \"03ab\"",
            "    linear.x.axis: 1",
            "    linear.x.scale: -1.0",
            "    linear.x.offset: 0.0",
            "    linear.x.min: -32112",
            "    linear.x.center: 100",
            "    linear.x.max: 32112",
            "    linear.x.dead_zone: 0.05",
            "    linear.z.axis: 5",
            "    linear.z.scale: 1.0",
            "    linear.z.offset: 0.0",
            "    linear.z.min: -32768",
            "    linear.z.center: -32768",
            "    linear.z.max: 31456",
            "    linear.z.dead_zone: 0.03",
            "    enable.on: 5",
            "    enable.slow: 4",
        ];
        assert_eq!(keys, expected);
        assert!(
            text.starts_with(
                "# Node joystick's mapping for \"Pad\", GUID 03ab, read by SDL through evdev.\n"
            )
        );
        assert!(text.contains("# drive FORWARD and BACKWARD\n") && text.contains("# one way only, go UP\n"));
    }

    #[test]
    fn a_name_cannot_break_out_of_its_line() {
        let name = "a\"b\\c\nlinear.x.axis: 3\u{2028}ü";
        let text = Mapping::default().yaml(Model { name, guid: "", driver: "", control_device: name });
        assert_eq!(text.lines().count(), 6, "{text}");
        let expected = r#"    control_device: "a\"b\\c\u000alinear.x.axis: 3\u2028ü""#;
        assert!(text.contains(expected), "{text}");
    }
}
