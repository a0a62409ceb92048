//! The robot as controllers see it: joints, and the actuators that move them.

mod actuator;
mod joint;
mod limits;
mod statistics;
pub mod transmission;

pub use actuator::{Actuator, ActuatorCommand, ActuatorState};
pub use joint::{CalibrationEdges, Joint, JointKind, JointLimits, SafetyController};
pub use statistics::JointStatistics;
use transmission::Transmission;

/// Joints and actuators, with the transmissions between them.
///
/// # Real-time
/// No method allocates, locks, blocks or panics.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    joints: Vec<Joint>,
    actuators: Vec<Actuator>,
    transmissions: Vec<Transmission>,
}

impl Robot {
    /// A robot of these parts; transmissions name joints and actuators by their index.
    pub fn from_parts(joints: Vec<Joint>, actuators: Vec<Actuator>, transmissions: Vec<Transmission>) -> Self {
        Self { joints, actuators, transmissions }
    }

    /// The joints: transmissions in the order of the description, and the joints in the order of each transmission.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joints, for controllers.
    pub fn joints_mut(&mut self) -> &mut [Joint] {
        &mut self.joints
    }

    /// All actuators of the hardware, sorted by name.
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    /// The actuators, for the hardware.
    pub fn actuators_mut(&mut self) -> &mut [Actuator] {
        &mut self.actuators
    }

    /// The index of the joint `name`.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Sets the joints' positions, speeds and measured efforts from the actuators, and adds them to the joints' statistics.
    pub fn read_actuators(&mut self) {
        for transmission in &self.transmissions {
            transmission.actuators_to_joints(&self.actuators, &mut self.joints);
        }
        for joint in &mut self.joints {
            let Joint { position, velocity, measured_effort, .. } = *joint;
            joint.statistics.add(position, velocity, measured_effort);
        }
    }

    /// Sets the commanded effort of every joint to zero.
    pub fn zero_commands(&mut self) {
        self.joints.iter_mut().for_each(|joint| joint.commanded_effort = 0.0);
    }

    /// Whether an actuator of a transmission is halted.
    pub fn is_halted(&self) -> bool {
        let used = self.transmissions.iter().flat_map(Transmission::actuators);
        used.filter_map(|&index| self.actuators.get(index)).any(|actuator| actuator.state.is_halted)
    }

    /// Limits the commanded effort of every joint.
    pub fn enforce_limits(&mut self) {
        self.joints.iter_mut().for_each(Joint::enforce_limits);
    }

    /// Sets the actuators' commanded efforts from the joints'.
    pub fn write_actuators(&mut self) {
        for transmission in &self.transmissions {
            transmission.efforts_to_actuators(&self.joints, &mut self.actuators);
        }
    }

    /// The inverse of [`read_actuators`](Self::read_actuators) for a simulated robot: sets the actuators' positions, speeds and
    /// measured efforts from the joints'.
    pub fn simulate_actuators(&mut self) {
        for transmission in &self.transmissions {
            transmission.joints_to_actuators(&self.joints, &mut self.actuators);
        }
    }

    /// The inverse of [`write_actuators`](Self::write_actuators) for a simulated robot: sets the joints' commanded efforts from
    /// the actuators'.
    pub fn simulate_efforts(&mut self) {
        for transmission in &self.transmissions {
            transmission.efforts_to_joints(&self.actuators, &mut self.joints);
        }
    }
}
