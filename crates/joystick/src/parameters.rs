use params::{NumberOrName, Refusal, Set};

use self::declared::{Coords, Declared, Enable, Frame};

use crate::mapping::COORDINATES;
use crate::names::{Names, UNKNOWN};

mod declared;
mod mappings;

pub use self::declared::specification;
pub use self::mappings::{AxisMapping, Dynamics, EnableButtons, FrameButtons, JoyParams, Mappings, Shape};

/// The node's parameters as values of their own types.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// How often the filter runs \[Hz], 1 to 1000; read at start only.
    pub rate: u32,
    /// The device that drives: its SDL name, port, GUID, serial number, path or a link to the path; empty: the first to
    /// connect.
    pub control_device: String,
    /// Name of the virtual device; empty: none; read at start only.
    pub virtual_device: String,
    /// The topic that moves it, in place of `~/virtual_device`; empty: none; read at start only.
    pub joy_input: String,
    /// Whether velocities are in the vehicle's own frame, until a button selects the other one.
    ///
    /// # Source
    /// own: the siblings of the openrobots component begin with `false`. A stick on a vehicle commands in the
    /// vehicle's frame, and the next node refuses velocities in the world frame, since it has no attitude to rotate them.
    pub intrinsic: bool,
    /// Conversion of the command to a velocity.
    pub dynamics: Dynamics,
    /// Conversion of axes and buttons to command and mode. An input that is given by name has no number here yet.
    pub mappings: Mappings,
    /// The inputs that are given by SDL's names.
    pub names: Names,
    /// How `joy` is published.
    pub joy: JoyParams,
}

const NO_NAMES: &str = "must be a number, since a sensor_msgs/Joy has no names for the inputs of 'joy_input'";

impl Params {
    /// The values in force in `set`.
    /// # Errors
    /// A centre that does not lie between its minimum and maximum, a button with two functions, or a speed that does not fit the
    /// drag or the top speed, or a name for an input of `joy_input`; the specification's ranges refuse everything else.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let Declared { rate, mut control_device, mut virtual_device, joy_input } = Declared::get(set);
        if !joy_input.is_empty() {
            if virtual_device.is_empty() {
                virtual_device = "joy".into();
            }
            if control_device.is_empty() {
                control_device.clone_from(&virtual_device);
            }
        }
        let Frame { intrinsic } = Frame::get(set);
        let [x, y, z, ax, ay, az] = declared::axes(set)?;
        let (enable, [on, slow, toggle]) = enable(set)?;
        let (coords, [intrinsic_name, world, frame]) = coords(set)?;
        let names = Names([x.1, y.1, z.1, ax.1, ay.1, az.1, on, slow, toggle, intrinsic_name, world, frame]);
        let is_elsewhere = !joy_input.is_empty() && control_device == virtual_device;
        if let Some((parameter, _)) = names.given().next().filter(|_| is_elsewhere) {
            return Err(set.refuse(parameter, NO_NAMES));
        }
        let (linear, angular) = ([x.0, y.0, z.0], [ax.0, ay.0, az.0]);
        let dynamics = Dynamics::get(set);
        let Dynamics { drag, amax, awmax, .. } = dynamics;
        let most = [amax, amax, amax, awmax, awmax, awmax];
        for ((mapping, name), most) in linear.iter().chain(&angular).zip(COORDINATES).zip(most) {
            declared::check_speeds(set, name, mapping, most, drag)?;
        }
        Ok(Self {
            rate: u32::try_from(rate).map_err(|_| set.refuse("rate", "must be from 1 to 1000 Hz"))?,
            control_device,
            virtual_device,
            joy_input,
            intrinsic,
            dynamics,
            mappings: Mappings { linear, angular, enable, coords },
            names,
            joy: JoyParams::get(set),
        })
    }
}

/// The names of three buttons.
type ButtonNames = [Option<&'static str>; 3];

fn enable(set: &Set) -> Result<(EnableButtons, ButtonNames), Refusal> {
    let Enable { on, slow, toggle } = Enable::get(set);
    refuse_shared_buttons(set, [("enable.on", on), ("enable.slow", slow), ("enable.toggle", toggle)])?;
    let buttons = EnableButtons { on: number(on), slow: number(slow), toggle: number(toggle) };
    Ok((buttons, [on, slow, toggle].map(name)))
}

fn coords(set: &Set) -> Result<(FrameButtons, ButtonNames), Refusal> {
    let Coords { intrinsic, world, toggle } = Coords::get(set);
    refuse_shared_buttons(
        set,
        [("coords.intrinsic", intrinsic), ("coords.world", world), ("coords.toggle", toggle)],
    )?;
    let buttons = FrameButtons { intrinsic: number(intrinsic), world: number(world), toggle: number(toggle) };
    Ok((buttons, [intrinsic, world, toggle].map(name)))
}

/// Refuses a button with two functions: a dead-man that also toggles would continue to drive after its release.
fn refuse_shared_buttons(set: &Set, buttons: [(&str, NumberOrName); 3]) -> Result<(), Refusal> {
    for (count, (name, button)) in buttons.iter().enumerate() {
        let same = |(_, first): &&(&str, NumberOrName)| first == button && number(*button).is_some();
        if let Some((first, _)) = buttons.iter().take(count).find(same) {
            return Err(set.refuse(name, format!("must be another button than '{first}'")));
        }
    }
    Ok(())
}

/// The number of an axis or button; negative means none.
fn number(input: NumberOrName) -> Option<usize> {
    match input {
        NumberOrName::Number(number) => usize::try_from(number).ok(),
        NumberOrName::Name(_) => Some(UNKNOWN),
    }
}

/// The name of an axis or button, if it is given by name.
fn name(input: NumberOrName) -> Option<&'static str> {
    match input {
        NumberOrName::Number(_) => None,
        NumberOrName::Name(name) => Some(name),
    }
}

/// The defaults of the specification.
impl Default for Params {
    fn default() -> Self {
        Self {
            rate: 200,
            control_device: String::new(),
            virtual_device: String::new(),
            joy_input: String::new(),
            intrinsic: true,
            dynamics: Dynamics::default(),
            mappings: Mappings::default(),
            names: Names::default(),
            joy: JoyParams::default(),
        }
    }
}
