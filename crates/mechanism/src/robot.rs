//! The robot as controllers see it: joints, and the actuators that move them.

mod actuator;
mod calibration;
mod effort_gate;
mod halt;
mod hardware;
mod joint;
mod limits;
mod places;
mod remote;
mod simulation;
mod speed_bounds;
mod statistics;
pub mod transmission;

pub use actuator::{Actuator, ActuatorCommand, ActuatorState};
pub use calibration::SimulatedSensor;
pub use effort_gate::EffortGate;
pub use halt::{HaltAction, HaltGate, MotorHalt, is_hold, step_time};
pub use hardware::Hardware;
pub use joint::{CalibrationEdges, Joint, JointKind, JointLimits, SafetyController};
pub(crate) use limits::strength;
pub use remote::RemoteRobot;
pub use simulation::{JointDynamics, SimulatedRobot};
pub use statistics::JointStatistics;
use transmission::{Belt, Coupled, Gripper, Simple, Transmission, Wrist};

use crate::description::{Description, JointDescription, Kind, TransmissionDescription};

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
    pub fn from_parts(
        joints: Vec<Joint>,
        actuators: Vec<Actuator>,
        transmissions: Vec<Transmission>,
    ) -> Self {
        Self { joints, actuators, transmissions }
    }

    /// The robot of a description, with the actuators that its transmissions name. Joints that no transmission moves have no state.
    pub fn new(description: &Description) -> Self {
        let transmissions = &description.transmissions;
        let mut names: Vec<&str> =
            transmissions.iter().flat_map(|one| one.actuators.iter().map(String::as_str)).collect();
        names.sort_unstable();
        names.dedup();
        let mut robot =
            Self { actuators: names.iter().map(|name| Actuator::new(*name)).collect(), ..Self::default() };
        for transmission in transmissions {
            robot.add(description, transmission);
        }
        robot
    }

    fn add(&mut self, description: &Description, transmission: &TransmissionDescription) {
        let first = self.joints.len();
        let joints = transmission.joints.iter().filter_map(|&index| description.joints.get(index));
        self.joints.extend(joints.filter_map(joint_of));
        let actuator = |number: usize| {
            let name = transmission.actuators.get(number);
            let index = self.actuators.iter().position(|actuator| Some(&actuator.name) == name);
            index.unwrap_or(usize::MAX) // unknown actuators are never read or written
        };
        let last = self.joints.len();
        if let Some(joint) = self.joints.get_mut(first) {
            joint.reference_position = transmission.kind.offset();
        }
        self.transmissions.push(match &transmission.kind {
            &Kind::Simple { reduction, simulated_reduction, .. } => Transmission::Simple(Simple {
                actuator: actuator(0),
                joint: first,
                reduction,
                simulated: simulated_reduction.map(|reduction| (first + 1, reduction)),
            }),
            &Kind::Belt { reduction, compensator } => {
                Transmission::Belt(Box::new(Belt::new(actuator(0), first, reduction, compensator)))
            }
            &Kind::Wrist(ratios) => Transmission::Wrist(Wrist {
                actuators: [actuator(0), actuator(1)],
                joints: [first, first + 1],
                ratios,
            }),
            Kind::Gripper { fingers, geometry } => Transmission::Gripper(Box::new(Gripper {
                actuator: actuator(0),
                gap: first,
                fingers: (first + 1..=first + fingers).collect(),
                simulated: (first + fingers + 1..last).collect(),
                geometry: **geometry,
            })),
            Kind::Coupled { reduction, couplings } => {
                let mut couplings = couplings.iter().enumerate().map(|(place, &it)| (first + place, it));
                Transmission::Coupled(Box::new(Coupled {
                    actuator: actuator(0),
                    reduction: *reduction,
                    first: couplings.next().unwrap_or_default(), // there is one, or the description left it out
                    followers: couplings.collect(),
                }))
            }
        });
    }

    /// The joints: transmissions in the order of the description, and the joints in the order of each transmission.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The joints, for controllers.
    pub fn joints_mut(&mut self) -> &mut [Joint] {
        &mut self.joints
    }

    /// All actuators, sorted by name.
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    /// The actuators, for the hardware.
    pub fn actuators_mut(&mut self) -> &mut [Actuator] {
        &mut self.actuators
    }

    /// Each actuator that reads the calibration sensor of a joint, and the index of that joint. In a wrist they are crossed:
    /// the right actuator reads that of the roll joint.
    pub fn calibration_sensors(&self) -> Vec<(usize, usize)> {
        let of = |transmission: &Transmission| match transmission {
            Transmission::Simple(simple) => vec![(simple.actuator, simple.joint)],
            Transmission::Wrist(wrist) => {
                vec![(wrist.actuators[1], wrist.joints[0]), (wrist.actuators[0], wrist.joints[1])]
            }
            Transmission::Belt(belt) => vec![(belt.actuator, belt.joint)],
            Transmission::Gripper(gripper) => vec![(gripper.actuator, gripper.gap)],
            Transmission::Coupled(coupled) => vec![(coupled.actuator, coupled.first.0)],
        };
        self.transmissions.iter().flat_map(of).collect()
    }

    /// Takes over which calibration sensors `hardware` reads, for the controllers that are created for this robot from now on.
    pub fn note_sensors(&mut self, hardware: &dyn Hardware) {
        for (index, actuator) in self.actuators.iter_mut().enumerate() {
            actuator.has_calibration_sensor = hardware.has_calibration_sensor(index);
        }
    }

    /// Whether the joint has an actuator of its own by a simple transmission.
    pub fn has_own_actuator(&self, joint: usize) -> bool {
        let is_simple = |transmission: &Transmission| matches!(transmission, Transmission::Simple(simple) if simple.joint == joint);
        self.transmissions.iter().any(is_simple)
    }

    /// The joints that controllers move.
    fn commanded(&self) -> impl Iterator<Item = &Joint> {
        let indices = self.transmissions.iter().flat_map(Transmission::commanded);
        indices.filter_map(|&joint| self.joints.get(joint))
    }

    /// The names of the joints that controllers move, and that no safety controller guards: nothing brakes them.
    pub fn unguarded_joints(&self) -> Vec<&str> {
        let unguarded = self.commanded().filter(|joint| joint.limits.is_none() || joint.safety.is_none());
        unguarded.map(|joint| joint.name.as_str()).collect()
    }

    /// The names of the joints that controllers move, and that have no limits at all.
    pub fn unlimited_joints(&self) -> Vec<&str> {
        let unlimited = self.commanded().filter(|joint| joint.limits.is_none());
        unlimited.map(|joint| joint.name.as_str()).collect()
    }

    /// The indices of the joints that follow others: no effort that is commanded to them reaches an actuator.
    pub fn followers(&self) -> Vec<usize> {
        self.transmissions.iter().flat_map(Transmission::followers).collect()
    }

    /// Why no controller can move the joint with this index, if none can: `it follows 'index1'`.
    pub fn obstacle(&self, joint: usize) -> Option<String> {
        let transmission = self.transmissions.iter().find(|one| one.followers().contains(&joint))?;
        let leader = transmission.commanded().first().and_then(|&leader| self.joints.get(leader))?;
        Some(format!("it follows '{}'", leader.name))
    }

    /// The index of the joint `name`.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Sets the joints' positions, speeds and measured efforts from the actuators, and adds them to the joints' statistics.
    pub fn read_actuators(&mut self) {
        for transmission in &mut self.transmissions {
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
        for transmission in &mut self.transmissions {
            transmission.efforts_to_actuators(&self.joints, &mut self.actuators);
        }
    }

    /// Lets each actuator move its joint also where a description names one more joint for a simulator with physics.
    pub(crate) fn drop_simulator_joints(&mut self) {
        for transmission in &mut self.transmissions {
            if let Transmission::Simple(simple) = transmission {
                simple.simulated = None;
            }
        }
    }

    /// The inverse of [`read_actuators`](Self::read_actuators) for a simulated robot: sets the actuators' positions, speeds and
    /// measured efforts from the joints'.
    pub fn simulate_actuators(&mut self) {
        for transmission in &mut self.transmissions {
            transmission.joints_to_actuators(&self.joints, &mut self.actuators);
        }
    }

    /// The inverse of [`write_actuators`](Self::write_actuators) for a simulated robot: sets the joints' commanded efforts from
    /// the actuators'.
    pub fn simulate_efforts(&mut self) {
        for transmission in &mut self.transmissions {
            transmission.efforts_to_joints(&self.actuators, &mut self.joints);
        }
    }
}

/// A joint of the description at zero; `None` for one that nothing moves.
pub(crate) fn joint_of(description: &JointDescription) -> Option<Joint> {
    let mut joint = Joint::new(&description.name, description.kind?);
    (joint.limits, joint.safety) = (description.limits, description.safety);
    joint.calibration = description.calibration;
    Some(joint)
}
