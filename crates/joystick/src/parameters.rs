use params::{Refusal, Set};

use self::declared::{Coords, Declared, Enable, Frame};

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
    /// Whether velocities are in the vehicle's own frame, until a button selects the other one.
    ///
    /// # Source
    /// own: the siblings of the openrobots component begin with `false`. A stick on a vehicle commands in the
    /// vehicle's frame, and the next node refuses velocities in the world frame, since it has no attitude to rotate them.
    pub intrinsic: bool,
    /// Conversion of the command to a velocity.
    pub dynamics: Dynamics,
    /// Conversion of axes and buttons to command and mode.
    pub mappings: Mappings,
    /// How `joy` is published.
    pub joy: JoyParams,
}

impl Params {
    /// The values in force in `set`.
    /// # Errors
    /// A centre that does not lie between its minimum and maximum, or a button with two functions; the specification's
    /// ranges refuse everything else.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let Declared { rate, control_device, virtual_device } = Declared::read(set);
        let Frame { intrinsic } = Frame::read(set);
        let [linear, angular] = declared::axes(set)?;
        Ok(Self {
            rate: u32::try_from(rate).map_err(|_| set.refuse("rate", "must be from 1 to 1000 Hz"))?,
            control_device,
            virtual_device,
            intrinsic,
            dynamics: Dynamics::read(set),
            mappings: Mappings { linear, angular, enable: enable(set)?, coords: coords(set)? },
            joy: JoyParams::read(set),
        })
    }
}

fn enable(set: &Set) -> Result<EnableButtons, Refusal> {
    let Enable { on, slow, toggle } = Enable::read(set);
    refuse_shared_buttons(set, [("enable.on", on), ("enable.slow", slow), ("enable.toggle", toggle)])?;
    Ok(EnableButtons { on: number(on), slow: number(slow), toggle: number(toggle) })
}

fn coords(set: &Set) -> Result<FrameButtons, Refusal> {
    let Coords { intrinsic, world, toggle } = Coords::read(set);
    refuse_shared_buttons(
        set,
        [("coords.intrinsic", intrinsic), ("coords.world", world), ("coords.toggle", toggle)],
    )?;
    Ok(FrameButtons { intrinsic: number(intrinsic), world: number(world), toggle: number(toggle) })
}

/// Refuses a button with two functions: a dead-man that also toggles would continue to drive after its release.
fn refuse_shared_buttons(set: &Set, buttons: [(&str, i64); 3]) -> Result<(), Refusal> {
    for (count, (name, button)) in buttons.iter().enumerate() {
        let same = |(_, first): &&(&str, i64)| first == button && number(*button).is_some();
        if let Some((first, _)) = buttons.iter().take(count).find(same) {
            return Err(set.refuse(name, format!("must be another button than '{first}'")));
        }
    }
    Ok(())
}

/// The number of an axis or button; negative means none.
fn number(number: i64) -> Option<usize> {
    usize::try_from(number).ok()
}

/// The defaults of the specification.
impl Default for Params {
    fn default() -> Self {
        Self {
            rate: 200,
            control_device: String::new(),
            virtual_device: String::new(),
            intrinsic: true,
            dynamics: Dynamics::default(),
            mappings: Mappings::default(),
            joy: JoyParams::default(),
        }
    }
}
