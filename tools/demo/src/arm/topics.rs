use std::time::Duration;

use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use r2r::pr2_mechanism_msgs::msg::{ControllerStatistics, MechanismStatistics};
use r2r::sensor_msgs::msg::JointState as WireJoints;
use r2r::std_msgs::msg::{Bool, Float64};
use r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};
use ros::{Error, Inputs, Topic, qos};

use crate::arm::machine::{Input, Operator};
use crate::arm::motion::Motion;
use crate::arm::observed::{ControllerRow, LoopTiming};
use crate::arm::robot::{Controller, Joint, JointState};

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

    /// Publishes a command for a controller of one joint.
    pub fn command(&mut self, controller: Controller, data: f64) {
        if let Some((_, topic)) = self.commands.iter_mut().find(|(own, _)| *own == controller) {
            topic.publish(&Float64 { data });
        }
    }

    /// Publishes a trajectory.
    pub fn follow(&mut self, motion: &Motion) {
        let point = |(time, positions): &(Duration, [f64; 2])| JointTrajectoryPoint {
            positions: positions.to_vec(),
            velocities: vec![0.0; positions.len()],
            time_from_start: WireDuration {
                sec: i32::try_from(time.as_secs()).unwrap_or(i32::MAX),
                nanosec: time.subsec_nanos(),
            },
            ..Default::default()
        };
        self.trajectory.publish(&JointTrajectory {
            joint_names: Joint::ALL.map(|joint| joint.name().to_owned()).into(),
            points: motion.points.iter().map(point).collect(),
            ..Default::default()
        });
    }
}

/// Subscribes to all topics of the node that the demo shows.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(inputs: &mut Inputs<Operator>, node: &mut r2r::Node) -> Result<(), Error> {
    inputs.subscribe::<Bool>(node, "motors_halted", qos::state(), |m| Some(Input::HaltReported(m.data)))?;
    inputs
        .subscribe::<WireJoints>(node, "joint_states", qos::edge(), |m| joints(&m).map(Input::JointsMoved))?;
    inputs.subscribe::<MechanismStatistics>(node, "mechanism_statistics", qos::edge(), |m| {
        Some(Input::ControllersReported(m.controller_statistics.into_iter().map(row).collect()))
    })?;
    inputs.subscribe::<DiagnosticArray>(node, "/diagnostics", qos::edge(), |m| {
        m.status.into_iter().find(|status| status.name == nodes::mechanism::NAME).map(timing)
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

fn row(message: ControllerStatistics) -> ControllerRow {
    ControllerRow {
        name: message.name,
        is_running: message.running,
        mean: duration(&message.mean_time),
        max: duration(&message.max_time),
        overruns: message.num_control_loop_overruns,
    }
}

fn duration(wire: &WireDuration) -> Duration {
    Duration::new(u64::try_from(wire.sec).unwrap_or_default(), wire.nanosec)
}

fn timing(status: DiagnosticStatus) -> Input {
    let values: Vec<(String, String)> =
        status.values.into_iter().map(|pair| (pair.key, pair.value)).collect();
    Input::LoopReported(LoopTiming::read(&values))
}
