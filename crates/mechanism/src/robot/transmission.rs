//! How actuators move joints.
//!
//! Each transmission has four directions: positions, speeds and measured efforts from the actuators to the joints, commanded
//! efforts from the joints to the actuators, and, for a simulated robot, both the other way.

mod belt;
mod coupled;
mod gripper;
mod simple;
mod wrist;

pub use belt::{Belt, Compensator};
pub use coupled::Coupled;
pub use gripper::{Gripper, GripperGeometry};
pub use simple::Simple;
pub use wrist::{Wrist, WristRatios};

use crate::robot::{Actuator, Joint};

/// The mechanical connection between some actuators and some joints of a robot, which it names by their index.
///
/// # Real-time
/// No method allocates, blocks or panics. An index beyond the slice is ignored; [`Robot`](crate::Robot) makes none.
#[derive(Clone, Debug, PartialEq)]
pub enum Transmission {
    /// One actuator, one joint.
    Simple(Simple),
    /// Two actuators, two joints: the difference bends, the sum turns.
    Wrist(Wrist),
    /// One actuator, a gap and its fingers.
    Gripper(Box<Gripper>),
    /// One actuator, one joint behind a belt.
    Belt(Box<Belt>),
    /// One actuator, one joint that it moves, and joints that follow.
    Coupled(Box<Coupled>),
}

impl Transmission {
    /// Sets the joints' positions, speeds and measured efforts from those of the actuators.
    pub fn actuators_to_joints(&mut self, actuators: &[Actuator], joints: &mut [Joint]) {
        match self {
            Self::Simple(simple) => simple.actuators_to_joints(actuators, joints),
            Self::Wrist(wrist) => wrist.actuators_to_joints(actuators, joints),
            Self::Gripper(gripper) => gripper.actuators_to_joints(actuators, joints),
            Self::Belt(belt) => belt.actuators_to_joints(actuators, joints),
            Self::Coupled(coupled) => coupled.actuators_to_joints(actuators, joints),
        }
    }

    /// Sets the actuators' commanded efforts from those of the joints, and enables the actuators.
    pub fn efforts_to_actuators(&mut self, joints: &[Joint], actuators: &mut [Actuator]) {
        match self {
            Self::Simple(simple) => simple.efforts_to_actuators(joints, actuators),
            Self::Wrist(wrist) => wrist.efforts_to_actuators(joints, actuators),
            Self::Gripper(gripper) => gripper.efforts_to_actuators(joints, actuators),
            Self::Belt(belt) => belt.efforts_to_actuators(joints, actuators),
            Self::Coupled(coupled) => coupled.efforts_to_actuators(joints, actuators),
        }
    }

    /// Sets the actuators' positions, speeds and measured efforts from those of the joints: the inverse of
    /// [`actuators_to_joints`](Self::actuators_to_joints), for a simulated robot.
    pub fn joints_to_actuators(&mut self, joints: &[Joint], actuators: &mut [Actuator]) {
        match self {
            Self::Simple(simple) => simple.joints_to_actuators(joints, actuators),
            Self::Wrist(wrist) => wrist.joints_to_actuators(joints, actuators),
            Self::Gripper(gripper) => gripper.joints_to_actuators(joints, actuators),
            Self::Belt(belt) => belt.joints_to_actuators(joints, actuators),
            Self::Coupled(coupled) => coupled.joints_to_actuators(joints, actuators),
        }
    }

    /// Sets the joints' commanded efforts from those of the actuators: the inverse of
    /// [`efforts_to_actuators`](Self::efforts_to_actuators), for a simulated robot.
    pub fn efforts_to_joints(&mut self, actuators: &[Actuator], joints: &mut [Joint]) {
        match self {
            Self::Simple(simple) => simple.efforts_to_joints(actuators, joints),
            Self::Wrist(wrist) => wrist.efforts_to_joints(actuators, joints),
            Self::Gripper(gripper) => gripper.efforts_to_joints(actuators, joints),
            Self::Belt(belt) => belt.efforts_to_joints(actuators, joints),
            Self::Coupled(coupled) => coupled.efforts_to_joints(actuators, joints),
        }
    }

    /// The indices of the joints whose commanded efforts reach its actuators, one or more.
    pub fn commanded(&self) -> &[usize] {
        match self {
            Self::Simple(simple) => core::slice::from_ref(&simple.joint),
            Self::Wrist(wrist) => &wrist.joints,
            Self::Gripper(gripper) => core::slice::from_ref(&gripper.gap),
            Self::Belt(belt) => core::slice::from_ref(&belt.joint),
            Self::Coupled(coupled) => core::slice::from_ref(&coupled.first.0),
        }
    }

    /// The indices of its other joints, which follow: nothing commands them.
    pub fn followers(&self) -> Vec<usize> {
        match self {
            Self::Simple(simple) => simple.simulated.iter().map(|(joint, _)| *joint).collect(),
            Self::Wrist(_) | Self::Belt(_) => Vec::new(),
            Self::Gripper(gripper) => [gripper.fingers.as_slice(), &gripper.simulated].concat(),
            Self::Coupled(coupled) => coupled.followers.iter().map(|(joint, _)| *joint).collect(),
        }
    }

    /// The indices of its actuators.
    pub fn actuators(&self) -> &[usize] {
        match self {
            Self::Simple(simple) => core::slice::from_ref(&simple.actuator),
            Self::Wrist(wrist) => &wrist.actuators,
            Self::Gripper(gripper) => core::slice::from_ref(&gripper.actuator),
            Self::Belt(belt) => core::slice::from_ref(&belt.actuator),
            Self::Coupled(coupled) => core::slice::from_ref(&coupled.actuator),
        }
    }
}

/// Puts the effort `effort` on an actuator and enables it. What is not finite counts as zero.
fn command(actuator: &mut Actuator, effort: f64) {
    actuator.command.enable = true;
    actuator.command.effort = if effort.is_finite() { effort } else { 0.0 };
}

/// A joint that nothing measures and nothing moves, so that its position is known.
fn rest(joints: &mut [Joint], index: usize) {
    if let Some(joint) = joints.get_mut(index) {
        (joint.position, joint.velocity, joint.measured_effort, joint.is_calibrated) = (0.0, 0.0, 0.0, true);
    }
}
