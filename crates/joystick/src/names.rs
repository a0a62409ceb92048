use core::fmt;

use crate::Mappings;
use crate::device::{BUTTONS as MOST_BUTTONS, as_button};

/// SDL's names of the axes of a game controller.
pub(crate) const AXES: &[&str] = &["leftx", "lefty", "rightx", "righty", "lefttrigger", "righttrigger"];

/// SDL's names of its buttons; the triggers of some pads are buttons too.
pub(crate) const BUTTONS: &[&str] = &[
    "a",
    "b",
    "x",
    "y",
    "back",
    "guide",
    "start",
    "leftstick",
    "rightstick",
    "leftshoulder",
    "rightshoulder",
    "dpup",
    "dpdown",
    "dpleft",
    "dpright",
    "misc1",
    "paddle1",
    "paddle2",
    "paddle3",
    "paddle4",
    "touchpad",
    "lefttrigger",
    "righttrigger",
];

/// The axes that are buttons, too.
const TRIGGERS: [&str; 2] = ["lefttrigger", "righttrigger"];

/// The parameters that select axes, in the order of the coordinates.
pub(crate) const AXIS_PARAMETERS: [&str; 6] =
    ["linear.x.axis", "linear.y.axis", "linear.z.axis", "angular.x.axis", "angular.y.axis", "angular.z.axis"];

/// The parameters that select buttons.
pub(crate) const BUTTON_PARAMETERS: [&str; 6] =
    ["enable.on", "enable.slow", "enable.toggle", "coords.intrinsic", "coords.world", "coords.toggle"];

/// The number of an input whose name has no number yet: no device has it, so the axis commands nothing and the button
/// is up, but counts as mapped.
pub(crate) const UNKNOWN: usize = usize::MAX;

/// An axis or a button to which SDL's mapping gives a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A whole axis.
    Axis {
        /// Its number.
        axis: usize,
        /// Whether SDL inverts it.
        inverted: bool,
    },
    /// A button, by its number.
    Button(usize),
    /// An input that is no single axis or button, in SDL's notation: a hat's direction, half an axis, two inputs.
    Other(String),
}

/// SDL's names for the inputs of one device, in the order of SDL's mapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings(Vec<(&'static str, Binding)>);

impl Bindings {
    /// Reads SDL's mapping of a game controller: `<GUID>,<name>,leftx:a0,lefty:a1~,a:b0,dpup:h0.1,...`. An empty text
    /// has no names; elements that are not inputs are skipped.
    ///
    /// # Source
    /// SDL 2.26.5 `SDL_PrivateGameControllerParseElement`: `+` or `-` before the name or the input means a half, `~`
    /// after it an inversion, and case does not matter in a name.
    pub fn read(mapping: &str) -> Self {
        let mut bindings = Self::default();
        for element in mapping.split(',').skip(2) {
            let element = element.replace(' ', "");
            let Some((output, input)) = element.split_once(':') else { continue };
            let name = output.trim_start_matches(['+', '-']);
            let Some(name) = AXES.iter().chain(BUTTONS).find(|known| known.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let is_whole = output.len() == name.len();
            let text = if is_whole { input } else { &element };
            let binding = whole(text).unwrap_or_else(|| Binding::Other(text.into()));
            match bindings.0.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = Binding::Other(format!("{known} and {text}")),
                None => bindings.0.push((name, binding)),
            }
        }
        bindings
    }

    /// These on a device with so many axes and buttons: a mapping that names more was made for another device, and what follows the axes are
    /// hats.
    pub(crate) fn within(mut self, axes: usize, buttons: usize) -> Self {
        for (_, binding) in &mut self.0 {
            let (number, count, kind) = match binding {
                Binding::Axis { axis, .. } => (*axis, axes, "axes"),
                Binding::Button(button) => (*button, buttons, "buttons"),
                Binding::Other(_) => continue,
            };
            if number >= count {
                *binding = Binding::Other(format!("{binding}, beyond its {count} {kind},"));
            }
        }
        self
    }

    /// The names with their inputs.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Binding)> {
        self.0.iter().map(|(name, binding)| (*name, binding))
    }

    fn get(&self, name: &str) -> Option<&Binding> {
        self.iter().find(|(known, _)| *known == name).map(|(_, binding)| binding)
    }

    /// The triggers that are whole axes: each axis, and whether it is inverted.
    pub(crate) fn triggers(&self) -> [Option<(usize, bool)>; 2] {
        TRIGGERS.map(|name| match self.get(name)? {
            Binding::Axis { axis, inverted } => Some((*axis, *inverted)),
            Binding::Button(_) | Binding::Other(_) => None,
        })
    }

    /// The number of the axis or button that `name` means for a parameter, and whether it is inverted.
    fn number(&self, name: &str, is_axis: bool) -> Result<(usize, bool), Reason> {
        match self.get(name) {
            None if self.0.is_empty() => Err(Reason::NoMapping),
            None => Err(Reason::Absent),
            Some(Binding::Axis { axis, inverted }) if is_axis => Ok((*axis, *inverted)),
            Some(Binding::Button(button)) if !is_axis => Ok((*button, false)),
            Some(Binding::Axis { axis, .. }) if TRIGGERS.contains(&name) => Ok((as_button(*axis), false)),
            Some(other) => Err(Reason::Other(other.clone())),
        }
    }
}

/// A button, or a trigger as one, in a sentence.
pub(crate) struct ButtonNumber(pub(crate) usize);

impl fmt::Display for ButtonNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.checked_sub(MOST_BUTTONS) {
            Some(axis) => write!(f, "axis {axis}"),
            None => write!(f, "button {}", self.0),
        }
    }
}

/// A whole axis or a button in SDL's notation.
fn whole(input: &str) -> Option<Binding> {
    let number = |digits: &str| digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?;
    match input.strip_prefix('b') {
        Some(button) => number(button).map(Binding::Button),
        None => {
            let axis = input.strip_prefix('a')?;
            let bare = axis.strip_suffix('~');
            let inverted = bare.is_some();
            number(bare.unwrap_or(axis)).map(|axis| Binding::Axis { axis, inverted })
        }
    }
}

/// Formats it as in the list that `steersman-joystick` prints.
impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Axis { axis, inverted } => {
                write!(f, "axis {axis}{}", if *inverted { " inverted" } else { "" })
            }
            Self::Button(button) => write!(f, "button {button}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// The names that parameters give instead of numbers: first the axes, then the buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names(pub(crate) [Option<&'static str>; 12]);

/// A parameter whose name means no input of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unnamed {
    /// The parameter, such as `enable.on`.
    pub parameter: &'static str,
    /// SDL's name, such as `rightshoulder`.
    pub name: &'static str,
    /// Why it has no number.
    pub reason: Reason,
}

/// Why a name means no input of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// SDL has no mapping of the device.
    NoMapping,
    /// The mapping does not have the name.
    Absent,
    /// The input cannot be given by one number, or is an axis where a button is needed or the reverse.
    Other(Binding),
    /// The button has another function already: that of this parameter.
    Shared(&'static str, usize),
}

impl fmt::Display for Unnamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, name, reason } = self;
        write!(f, "{parameter} is '{name}', ")?;
        match reason {
            Reason::NoMapping => f.write_str("and SDL has no mapping of this device"),
            Reason::Absent => f.write_str("which SDL's mapping of this device does not have"),
            Reason::Other(binding) => {
                let kind = if AXIS_PARAMETERS.contains(parameter) { "whole axis" } else { "button" };
                write!(f, "which is {binding} on this device and no {kind}")
            }
            Reason::Shared(first, button) => {
                write!(f, "which is {} on this device, as {first} is", ButtonNumber(*button))
            }
        }
    }
}

impl Names {
    /// The name that a parameter gives.
    pub(crate) fn of(&self, parameter: &str) -> Option<&'static str> {
        self.iter().find(|(known, _)| *known == parameter).and_then(|(_, name)| name)
    }

    fn iter(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        AXIS_PARAMETERS.into_iter().chain(BUTTON_PARAMETERS).zip(self.0)
    }

    /// The parameters that give a name, with the name.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.iter().filter_map(|(parameter, name)| Some((parameter, name?)))
    }

    /// The parameters whose name means no input of a device with these `bindings`.
    pub(crate) fn unnamed(&self, mappings: &Mappings, bindings: &Bindings) -> Vec<Unnamed> {
        self.resolve(mappings, bindings).err().unwrap_or_default()
    }

    /// `mappings` with the number that each name has on a device with these `bindings`.
    /// # Errors
    /// All parameters whose name has none.
    pub(crate) fn resolve(&self, mappings: &Mappings, bindings: &Bindings) -> Result<Mappings, Vec<Unnamed>> {
        let (mut resolved, mut unnamed) = (*mappings, Vec::new());
        if self.given().next().is_none() {
            return Ok(resolved);
        }
        let [axes @ .., _, _, _, _, _, _] = self.0;
        let coordinates = resolved.linear.iter_mut().chain(&mut resolved.angular);
        for ((mapping, parameter), name) in coordinates.zip(AXIS_PARAMETERS).zip(axes) {
            let Some(name) = name else { continue };
            match bindings.number(name, true) {
                Ok((axis, inverted)) => {
                    mapping.axis = Some(axis);
                    mapping.shape.invert ^= inverted;
                }
                Err(reason) => unnamed.push(Unnamed { parameter, name, reason }),
            }
        }
        let [_, _, _, _, _, _, buttons @ ..] = self.0;
        let mut taken: Vec<(usize, &'static str)> = Vec::new();
        for (place, ((button, parameter), name)) in
            resolved.buttons_mut().into_iter().zip(BUTTON_PARAMETERS).zip(buttons).enumerate()
        {
            if place == 3 {
                taken.clear(); // a button may enable and select a frame
            }
            if let Some(name) = name {
                match bindings.number(name, false) {
                    Ok((number, _)) => *button = Some(number),
                    Err(reason) => unnamed.push(Unnamed { parameter, name, reason }),
                }
            }
            let Some(number) = button.filter(|number| *number != UNKNOWN) else { continue };
            match taken.iter().find(|(other, _)| *other == number) {
                Some((_, first)) => {
                    let (parameter, first, name) = match (name, self.of(first)) {
                        (Some(name), _) => (parameter, *first, name),
                        (None, name) => (*first, parameter, name.unwrap_or_default()),
                    };
                    unnamed.push(Unnamed { parameter, name, reason: Reason::Shared(first, number) });
                }
                None => taken.push((number, parameter)),
            }
        }
        if unnamed.is_empty() { Ok(resolved) } else { Err(unnamed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XBOX: &str = "030000005e0400008e02000010010000,Xbox 360 Controller,a:b0,b:b1,rightshoulder:b5,dpup:h0.1,\
                        leftx:a0,lefty:a1,lefttrigger:a2,platform:Linux";

    fn names(given: &[(&'static str, &'static str)]) -> (Mappings, Names) {
        let (mut mappings, mut names) = (Mappings::default(), Names::default());
        for (place, parameter) in AXIS_PARAMETERS.into_iter().chain(BUTTON_PARAMETERS).enumerate() {
            names.0[place] = given.iter().find(|(known, _)| *known == parameter).map(|(_, name)| *name);
        }
        for (button, name) in mappings.buttons_mut().into_iter().zip(&names.0[6..]) {
            *button = name.map(|_| UNKNOWN);
        }
        (mappings, names)
    }

    fn refused(given: &[(&'static str, &'static str)], mapping: &str) -> Vec<String> {
        let (mappings, names) = names(given);
        let refused = names.resolve(&mappings, &Bindings::read(mapping)).unwrap_err();
        refused.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_has_the_number_that_sdl_gives_it_on_the_device() {
        let (mappings, names) =
            names(&[("linear.x.axis", "lefty"), ("angular.z.axis", "leftx"), ("enable.on", "rightshoulder")]);
        let numbers = |mapping: &str| {
            let resolved = names.resolve(&mappings, &Bindings::read(mapping)).unwrap();
            (resolved.linear[0].axis, resolved.angular[2].axis, resolved.enable.on)
        };
        assert_eq!(numbers(XBOX), (Some(1), Some(0), Some(5)));
        assert_eq!(numbers("g,n,RightShoulder:b10, leftx : a2,lefty:a3,"), (Some(3), Some(2), Some(10)));
    }

    #[test]
    fn an_inverted_axis_inverts_what_the_parameter_says() {
        let (mut mappings, names) = names(&[("linear.x.axis", "lefty"), ("angular.z.axis", "leftx")]);
        mappings.angular[2].shape.invert = true;
        let resolved = names.resolve(&mappings, &Bindings::read("g,n,leftx:a1~,lefty:a0~")).unwrap();
        let invert = |mapping: &crate::AxisMapping| (mapping.axis, mapping.shape.invert);
        assert_eq!(invert(&resolved.linear[0]), (Some(0), true));
        assert_eq!(invert(&resolved.angular[2]), (Some(1), false));
    }

    #[test]
    fn a_name_that_is_no_whole_axis_or_button_is_refused_with_its_input() {
        let of = |parameter, name, mapping| refused(&[(parameter, name)], mapping).remove(0);
        for (parameter, name, mapping, sentence) in [
            ("enable.on", "a", "", "enable.on is 'a', and SDL has no mapping of this device"),
            ("enable.on", "x", XBOX, "enable.on is 'x', which SDL's mapping of this device does not have"),
            ("enable.on", "dpup", XBOX, "enable.on is 'dpup', which is h0.1 on this device and no button"),
            (
                "enable.on",
                "righttrigger",
                "g,n,righttrigger:+a2",
                "enable.on is 'righttrigger', which is +a2 on this device and no button",
            ),
            (
                "linear.x.axis",
                "lefttrigger",
                "g,n,lefttrigger:+a2",
                "linear.x.axis is 'lefttrigger', which is +a2 on this device and no whole axis",
            ),
            (
                "linear.x.axis",
                "lefttrigger",
                "g,n,lefttrigger:b6",
                "linear.x.axis is 'lefttrigger', which is button 6 on this device and no whole axis",
            ),
            (
                "linear.x.axis",
                "leftx",
                "g,n,-leftx:h0.8,+leftx:h0.2",
                "linear.x.axis is 'leftx', which is -leftx:h0.8 and +leftx:h0.2 on this device and no whole axis",
            ),
            (
                "linear.x.axis",
                "leftx",
                "g,n,+leftx:a2",
                "linear.x.axis is 'leftx', which is +leftx:a2 on this device and no whole axis",
            ),
        ] {
            assert_eq!(of(parameter, name, mapping), sentence);
        }
        let two = refused(&[("linear.x.axis", "lefty"), ("enable.on", "a")], "");
        assert_eq!(two.len(), 2, "all of them are named: {two:?}");
    }

    #[test]
    fn what_is_no_number_is_no_axis_or_button() {
        for input in
            ["", "a", "b", "a-1", "a1~~", "b1~", "h0.1", "c1", "a99999999999999999999", "+a0", "a 1x"]
        {
            let read = Bindings::read(&format!("g,n,leftx:{input}"));
            assert_eq!(read.get("leftx"), Some(&Binding::Other(input.replace(' ', ""))), "{input}");
        }
        assert_eq!(Bindings::read("leftx:a0,leftx:a0"), Bindings::default(), "GUID and name are no inputs");
    }

    #[test]
    fn a_button_has_one_function_by_name_and_number_together() {
        let (mut mappings, names) = names(&[("enable.on", "rightshoulder")]);
        mappings.enable.toggle = Some(5);
        let refused = names.resolve(&mappings, &Bindings::read(XBOX)).unwrap_err();
        let sentence = "enable.on is 'rightshoulder', which is button 5 on this device, as enable.toggle is";
        assert_eq!(refused.iter().map(ToString::to_string).collect::<Vec<_>>(), [sentence]);
        mappings.enable.toggle = None;
        mappings.coords.toggle = Some(5);
        assert!(names.resolve(&mappings, &Bindings::read(XBOX)).is_ok(), "another group");
    }
}
