use params::{Parameter, Refusal, Set};

use self::declared::*;

mod declared;
mod mappings;

pub use self::declared::specification;
pub use self::mappings::{AxisMapping, Dynamics, EnableButtons, FrameButtons, JoyParams, Mappings, Shape};

/// The node's parameters as values of their own types.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// How often the filter runs \[Hz], 1 to 1000; read at start only.
    pub rate: u32,
    /// The device that drives: what SDL calls it, its port, its GUID, serial number, path or a link to that; empty: the
    /// first to connect.
    pub control_device: String,
    /// Name of the virtual device; empty: none; read at start only.
    pub virtual_device: String,
    /// Whether velocities are told in the vehicle's own frame, until a button says otherwise.
    ///
    /// # Source
    /// own: the siblings of the openrobots component begin with `false`. A stick on a vehicle means the vehicle's
    /// frame, and what comes after this node refuses velocities in the world frame, having no attitude to turn them.
    pub intrinsic: bool,
    /// From command to velocity.
    pub dynamics: Dynamics,
    /// From axes and buttons to command and mode.
    pub mappings: Mappings,
    /// How `joy` is told.
    pub joy: JoyParams,
}

impl Params {
    /// The values in force in `set`.
    /// # Errors
    /// A centre that does not lie between its minimum and maximum, and one button for two things; all else the
    /// specification's own ranges refuse.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let rate =
            u32::try_from(RATE.get(set)).map_err(|_| set.refuse("rate", "must be from 1 to 1000 Hz"))?;
        each_its_own(&[&ENABLE_ON, &ENABLE_SLOW, &ENABLE_TOGGLE], set)?;
        each_its_own(&[&COORDS_INTRINSIC, &COORDS_WORLD, &COORDS_TOGGLE], set)?;
        let [x, y, z, ax, ay, az] = COORDINATES.each_ref().map(|coordinate| axis_mapping(coordinate, set));
        Ok(Self {
            rate,
            control_device: CONTROL_DEVICE.get(set),
            virtual_device: VIRTUAL_DEVICE.get(set),
            intrinsic: INTRINSIC.get(set),
            dynamics: Dynamics {
                drag: DRAG.get(set),
                amax: AMAX.get(set),
                awmax: AWMAX.get(set),
                slow: SLOW.get(set),
            },
            mappings: Mappings {
                linear: [x?, y?, z?],
                angular: [ax?, ay?, az?],
                enable: EnableButtons {
                    on: number(&ENABLE_ON, set),
                    slow: number(&ENABLE_SLOW, set),
                    toggle: number(&ENABLE_TOGGLE, set),
                },
                coords: FrameButtons {
                    intrinsic: number(&COORDS_INTRINSIC, set),
                    world: number(&COORDS_WORLD, set),
                    toggle: number(&COORDS_TOGGLE, set),
                },
            },
            joy: JoyParams {
                dead_zone: JOY_DEAD_ZONE.get(set),
                autorepeat_rate: JOY_AUTOREPEAT_RATE.get(set),
                coalesce_interval: JOY_COALESCE_INTERVAL.get(set),
            },
        })
    }
}

/// Refuses one button for two of these: a dead-man that also toggles would drive on after it is let go.
fn each_its_own(buttons: &[&Parameter<i64>], set: &Set) -> Result<(), Refusal> {
    for (count, second) in buttons.iter().enumerate() {
        let same =
            |first: &&&Parameter<i64>| first.get(set) == second.get(set) && number(second, set).is_some();
        if let Some(first) = buttons.iter().take(count).find(same) {
            let rule = format!("must be another button than '{}'", first.declaration().name);
            return Err(set.refuse(second.declaration().name, rule));
        }
    }
    Ok(())
}

fn axis_mapping(coordinate: &Coordinate, set: &Set) -> Result<AxisMapping, Refusal> {
    let counts = |parameter: &Parameter<i64>| {
        let name = parameter.declaration().name;
        i16::try_from(parameter.get(set)).map_err(|_| set.refuse(name, "must be from -32768 to 32767 counts"))
    };
    let (min, center, max) =
        (counts(&coordinate.min)?, counts(&coordinate.center)?, counts(&coordinate.max)?);
    if min >= max || !(min..=max).contains(&center) {
        let [min_name, center_name, max_name] =
            [&coordinate.min, &coordinate.center, &coordinate.max].map(|p| p.declaration().name);
        let rule = format!(
            "must lie from '{min_name}' ({min}) to '{max_name}' ({max}), of which the second must be greater"
        );
        return Err(set.refuse(center_name, rule));
    }
    Ok(AxisMapping {
        axis: number(&coordinate.axis, set),
        offset: coordinate.offset.get(set),
        scale: coordinate.scale.get(set),
        shape: Shape {
            min,
            center,
            max,
            invert: coordinate.invert.get(set),
            dead_zone: coordinate.dead_zone.get(set),
            curve: coordinate.curve.get(set),
        },
    })
}

/// The number of an axis or button; a negative one is none.
fn number(parameter: &Parameter<i64>, set: &Set) -> Option<usize> {
    usize::try_from(parameter.get(set)).ok()
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
