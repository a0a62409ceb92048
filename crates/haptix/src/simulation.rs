use nalgebra::Vector3;

use crate::wire::{Description, MAX};

/// The most objects around a hand.
pub const MAX_OBJECTS: usize = 16;
/// The longest delay of a reading \[ticks\].
pub const MAX_DELAY: usize = 50;

/// Objects, noise, delay and faults of a simulated hand. By default there are none.
/// # Source
/// own
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Simulation {
    /// The objects that the hand can touch.
    pub objects: [Option<Object>; MAX_OBJECTS],
    /// Noise that is added to the readings.
    pub noise: Noise,
    /// How many ticks old a reading is, at most [`MAX_DELAY`].
    pub delay: usize,
    /// Parts that are broken.
    pub faults: Faults,
}

/// An object that does not move and gives way as a spring with a damper.
///
/// force = max(0, stiffness · depth + damping · d(depth)/dt) while depth > 0, without friction. Hands come to rest on it whatever its
/// stiffness up to 1e5 N/m, its damping up to 1e4 N·s/m and the step. A contact sensor that sank in by half its radius presses on from
/// the same side: no finger passes through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Object {
    /// Its shape and place.
    pub shape: Shape,
    /// \[N/m\], at least 0.
    pub stiffness: f64,
    /// \[N·s/m\], at least 0.
    pub damping: f64,
}

/// The shape and the place of an [`Object`], in the frame of the hand's base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// \[m\]
        center: Vector3<f64>,
        /// \[m\], at least 0.
        radius: f64,
    },
    /// Everything behind a plane.
    Plane {
        /// A point of it \[m\].
        point: Vector3<f64>,
        /// Unit vector out of the object.
        normal: Vector3<f64>,
    },
    /// Something that one contact sensor touches when the joint of its link turns beyond `angle`: the depth is the distance of the
    /// sensor from the joint's axis times the angle beyond it.
    Stop {
        /// Index of the contact sensor; nothing happens if its link has no joint.
        contact: usize,
        /// \[rad\]
        angle: f64,
    },
}

/// Standard deviations of normally distributed noise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Noise of joint positions; at motors times their gears \[rad\].
    pub position: f64,
    /// Noise of joint velocities; at motors times their gears \[rad/s\].
    pub velocity: f64,
    /// Noise of the motors' torques, at the joint side of their gears \[N·m\].
    pub torque: f64,
    /// Noise of contact forces \[N\]; a force stays at least 0.
    pub contact: f64,
    /// Noise of each component of an acceleration \[m/s²\].
    pub acceleration: f64,
    /// Noise of each component of an angular velocity \[rad/s\].
    pub angular_velocity: f64,
}

/// Parts that are broken, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Motors that do not move whatever their torque.
    pub stuck_motors: [bool; MAX],
    /// Motors whose readings are all 0.
    pub dead_motors: [bool; MAX],
    /// Joints whose readings are all 0.
    pub dead_joints: [bool; MAX],
    /// Contact sensors whose reading is 0.
    pub dead_contacts: [bool; MAX],
    /// Inertial units whose readings are all 0, the orientation too.
    pub dead_imus: [bool; MAX],
    /// The whole device neither moves nor answers.
    pub is_silent: bool,
}

/// Marks the place of `name` among `names`.
pub(crate) fn mark(marks: &mut [bool; MAX], name: &str, names: &[String]) -> Result<(), String> {
    let index = names.iter().position(|known| known == name);
    match index.and_then(|index| marks.get_mut(index)) {
        Some(mark) => *mark = true,
        None => return Err(format!("and '{name}' in it must be one of: {}", names.join(", "))),
    }
    Ok(())
}

/// Marks what `sensor` names, as motor/ with its name.
pub(crate) fn dead(faults: &mut Faults, sensor: &str, description: &Description) -> Result<(), String> {
    match sensor.split_once('/') {
        Some(("motor", name)) => mark(&mut faults.dead_motors, name, &description.motor_names),
        Some(("joint", name)) => mark(&mut faults.dead_joints, name, &description.joint_names),
        Some(("contact", name)) => mark(&mut faults.dead_contacts, name, &description.contact_names),
        Some(("imu", name)) => mark(&mut faults.dead_imus, name, &description.imu_names),
        _ => Err(format!("and '{sensor}' in it must be motor/, joint/, contact/ or imu/ with a name")),
    }
}
