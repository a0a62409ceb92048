use std::time::Duration;

use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::pr2_mechanism_msgs::msg::MechanismStatistics;
use r2r::sensor_msgs::msg::JointState as WireJoints;
use r2r::std_msgs::msg::{Bool, Float64};
use r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};
use ros::{Error, Inputs, Topic, qos};

use crate::arm::client::{Arm, Command, Message};
use crate::arm::listing::LoopTiming;
use crate::arm::robot::{Controller, Joint, JointState};
use crate::client::{Input, Operator};

/// Topics that the operator publishes.
pub struct Topics {
    commands: Vec<(Controller, Topic<Float64>)>,
    trajectory: Topic<JointTrajectory>,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        let mut commands = Vec::new();
        for controller in Controller::ALL.into_iter().filter(|one| *one != Controller::ArmTrajectory) {
            commands.push((controller, Topic::new(node, &format!("{controller}/command"), qos::command())?));
        }
        let name = format!("{}/joint_trajectory", Controller::ArmTrajectory);
        Ok(Self { commands, trajectory: Topic::new(node, &name, qos::command())? })
    }

    /// Publishes a command.
    pub fn publish(&mut self, command: Command) {
        match command {
            Command::Value(controller, data) => {
                if let Some((_, topic)) = self.commands.iter_mut().find(|(own, _)| *own == controller) {
                    topic.publish(&Float64 { data });
                }
            }
            Command::Follow(motion) => self.trajectory.publish(&JointTrajectory {
                joint_names: Joint::ALL.map(|joint| joint.name().to_owned()).into(),
                points: motion.iter().map(point).collect(),
                ..Default::default()
            }),
        }
    }
}

fn point((time, positions): &(Duration, [f64; 2])) -> JointTrajectoryPoint {
    JointTrajectoryPoint {
        positions: positions.to_vec(),
        velocities: vec![0.0; positions.len()],
        time_from_start: WireDuration {
            sec: i32::try_from(time.as_secs()).unwrap_or(i32::MAX),
            nanosec: time.subsec_nanos(),
        },
        ..Default::default()
    }
}

/// Subscribes to all topics of the node that the demo shows.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(inputs: &mut Inputs<Operator<Arm>>, node: &mut r2r::Node) -> Result<(), Error> {
    let received = |message| Some(Input::Received(message));
    inputs
        .subscribe::<Bool>(node, "motors_halted", qos::state(), move |m| received(Message::Halted(m.data)))?;
    inputs.subscribe::<WireJoints>(node, "joint_states", qos::edge(), move |m| {
        received(Message::Joints(joints(&m)?))
    })?;
    inputs.subscribe::<MechanismStatistics>(node, "mechanism_statistics", qos::edge(), move |m| {
        received(Message::Controllers(m.controller_statistics))
    })?;
    inputs.subscribe::<DiagnosticArray>(node, "/diagnostics", qos::edge(), move |m| {
        let own = m.status.into_iter().find(|status| status.name == nodes::mechanism::NAME)?;
        let values: Vec<_> = own.values.into_iter().map(|pair| (pair.key, pair.value)).collect();
        received(Message::Timing(LoopTiming::read(&values)))
    })
}

/// The state of both joints; nothing if one is missing.
fn joints(message: &WireJoints) -> Option<[JointState; 2]> {
    let state = |joint: Joint| {
        let index = message.name.iter().position(|name| name == joint.name())?;
        let value = |values: &[f64]| values.get(index).copied();
        Some(JointState {
            position: value(&message.position)?,
            velocity: value(&message.velocity)?,
            effort: value(&message.effort)?,
        })
    };
    Some([state(Joint::Pan)?, state(Joint::Tilt)?])
}
