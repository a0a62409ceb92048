//! The parameters of the node `haptix`.

use core::time::Duration;

use nalgebra::Vector3;
use params::{Group, LoopThread, Parameter, Refusal, Set, Specification};

use crate::device_loop::Settings;
use crate::robot::{LEAST_RATE, RobotTopics};
use crate::simulation::{Faults, MAX_DELAY, MAX_OBJECTS, Noise, Object, Shape, Simulation, dead, mark};
use crate::wire::{Description, MAX};

/// The words of `shape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShapeKind {
    Sphere,
    Plane,
    Stop,
}

params::choices! { ShapeKind: Sphere = "sphere", Plane = "plane", Stop = "stop" }

params::params! {
    /// The parameters of the node itself; objects have their own.
    struct Declared {
        /// The hand: mpl (joint radians), mpl_gazebo (the same at the motors' shafts), two_finger, the path of a YAML file
        /// that describes another one, topics for a robot elsewhere, which topics.robot describes, or dummy, whose values
        /// are constant and known, for tests of clients. With mujoco: before its name, as in mujoco:mpl, MuJoCo simulates
        /// the hand in a process of its own.
        device: String = Parameter::string("device", "mpl").at_start(),
        /// The path of the YAML file that describes the robot, with device topics.
        robot: String = Parameter::string("topics.robot", "").at_start(),
        /// The states of the robot's joints (sensor_msgs/JointState). One publisher only.
        states: String = Parameter::string("topics.states", "joint_states").at_start(),
        /// The robot's commands (trajectory_msgs/JointTrajectory). One publisher only, which is this node.
        commands: String = Parameter::string("topics.commands", "joint_trajectory_controller/joint_trajectory").at_start(),
        /// When the last states are this old, the robot is lost: it is sent nothing. When they return, it is commanded to
        /// stay, and it follows the next command after that.
        timeout: Duration = Parameter::seconds("topics.timeout", 0.1, 0.005, 10.0).at_start(),
        /// How often the device is stepped.
        step_rate: i64 = Parameter::integer("step_rate", 1000, 50, 1000).unit("Hz").at_start(),
        /// How often the device takes commands and renews its reading: 0 for the device's own rate, otherwise 2 Hz or more
        /// (4 Hz with device topics) and at most step_rate.
        update_rate: f64 = Parameter::float("update_rate", 0.0, 0.0, 1000.0).unit("Hz").at_start(),
        /// Without a command for this long the device holds its position with reduced gains until the next one; 0 for
        /// never, else a period of the update rate or more.
        command_timeout: Duration = Parameter::seconds("command_timeout", 1.0, 0.0, 60.0),
        /// The part of the gains of its start with which the device holds its position, whatever the gains of the commands
        /// were.
        hold_gain: f64 = Parameter::float("hold_gain", 0.3, 0.0, 1.0),
        /// A topic like hind/state (std_msgs/String). ESTOP halts the hand, which then holds its position, until its
        /// publisher says another state, and repeats it. When the state is silent for 1.5 s, or its publisher ends or
        /// changes, the hand is halted until ~/reset_motors is called. Only a command after the end moves it, and a stream
        /// once it asks for where the hand is. Empty for none.
        halt_on: String = Parameter::string("halt_on", "").at_start(),
        /// Whether the frames of the hand's links go to /tf, those of its inertial units to /tf_static, and its URDF to
        /// robot_description.
        publish_tf: bool = Parameter::bool("publish_tf", true).at_start(),
        /// The prefix of each frame's name, such as left_ or right/.
        frame_prefix: String = Parameter::string("frame_prefix", "").at_start(),
        /// The seed of the noise; the same one gives the same noise.
        seed: i64 = Parameter::integer("simulation.seed", 1, 0, i64::MAX).at_start(),
        /// By how many periods of the update rate the readings are delayed.
        delay: i64 = Parameter::integer("simulation.delay", 0, 0, MAX_DELAY as i64).unit("ticks"),
        /// Standard deviation of the noise of joint positions; times the gear for motors.
        position: f64 = Parameter::float("simulation.noise.position", 0.0, 0.0, 1.0).unit("rad"),
        /// Standard deviation of the noise of joint velocities; times the gear for motors.
        velocity: f64 = Parameter::float("simulation.noise.velocity", 0.0, 0.0, 10.0).unit("rad/s"),
        /// Standard deviation of the noise of torques at the joint; divided by the gear for motors.
        torque: f64 = Parameter::float("simulation.noise.torque", 0.0, 0.0, 100.0).unit("N·m"),
        /// Standard deviation of the noise of contact forces, which stay at least 0.
        contact: f64 = Parameter::float("simulation.noise.contact", 0.0, 0.0, 100.0).unit("N"),
        /// Standard deviation of the noise of accelerations.
        acceleration: f64 = Parameter::float("simulation.noise.acceleration", 0.0, 0.0, 100.0).unit("m/s²"),
        /// Standard deviation of the noise of angular velocities.
        angular_velocity: f64 = Parameter::float("simulation.noise.angular_velocity", 0.0, 0.0, 10.0).unit("rad/s"),
        /// Motors that do not move.
        stuck_motors: Vec<String> = Parameter::strings("simulation.stuck_motors", &[], &[], MAX),
        /// Sensors that read 0: motor/<name>, joint/<name>, contact/<name> or imu/<name>.
        dead_sensors: Vec<String> = Parameter::strings("simulation.dead_sensors", &[], &[], 4 * MAX),
        /// Whether the device neither moves nor answers.
        is_silent: bool = Parameter::bool("simulation.is_silent", false),
    }
}

params::params! {
    /// An object around the hand.
    struct Members {
        /// A ball, everything behind a plane, or a stop that one contact sensor touches. Setting any parameter of a new
        /// name adds an object; deleting this one removes the object with all its parameters.
        shape: ShapeKind = Parameter::choice("shape", "sphere"),
        /// Sphere: its center; plane: a point of it. x, y and z in the frame of the hand's base.
        position: Vec<f64> = Parameter::floats("position", &[0.0, 0.0, 0.0], -10.0, 10.0, 3).unit("m"),
        /// Sphere: its radius.
        radius: f64 = Parameter::float("radius", 0.03, 0.0, 10.0).unit("m"),
        /// Plane: a direction out of it, in the frame of the hand's base.
        normal: Vec<f64> = Parameter::floats("normal", &[0.0, 0.0, 1.0], -1.0, 1.0, 3),
        /// Stop: the contact sensor that touches it.
        contact: String = Parameter::string("contact", ""),
        /// Stop: the angle of the sensor's joint beyond which it touches.
        angle: f64 = Parameter::float("angle", 0.0, -100.0, 100.0).unit("rad"),
        /// Force per depth.
        stiffness: f64 = Parameter::float("stiffness", 1000.0, 0.0, 1e5).unit("N/m"),
        /// Force per speed into the object.
        damping: f64 = Parameter::float("damping", 1.0, 0.0, 1e4).unit("N·s/m"),
    }
}

const OBJECTS: &str = "objects";

/// The device that is a robot elsewhere.
pub const TOPICS: &str = "topics";

/// The parameters of the node.
pub fn specification() -> Specification {
    Specification::new("haptix", "A HAPTIX hand: takes its commands and publishes its sensors.")
        .managed()
        .with_all(Declared::declarations())
        .with_all(LoopThread::declarations())
        .with_live_group(
            Group {
                prefix: OBJECTS,
                text: "The objects around a simulated hand, none by default: objects.<name>.shape and where it is.",
                members: Members::declarations(),
                presets: &[],
            },
            "shape",
        )
        .with_protections(&["halt_on"])
}

/// The name of the device, or the path of its description.
pub fn device(set: &Set) -> String {
    Declared::get(set).device
}

/// The path of the description of the robot elsewhere.
pub fn robot(set: &Set) -> String {
    Declared::get(set).robot
}

/// The parameters in force, parsed for a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The time between two steps.
    pub step: Duration,
    /// How often the device takes commands and renews its reading \[Hz\]; `None` for its own rate.
    pub update_rate: Option<f64>,
    /// The topic whose `ESTOP` halts the hand, if there is one.
    pub halt_on: Option<String>,
    /// The thread of the device.
    pub thread: LoopThread,
    /// Whether frames are published.
    pub publish_tf: bool,
    /// Prefix of the name of each frame.
    pub frame_prefix: String,
    /// The seed of the noise.
    pub seed: u64,
    /// The topics of a robot elsewhere, with the device that is one.
    pub topics: RobotTopics,
    /// Settings that may change while the node runs.
    pub settings: Settings,
}

impl Params {
    /// Reads the parameters in force for the device that `description` names and whose own update rate is `device_rate` \[Hz\].
    /// # Errors
    /// An update rate above the step rate, a name that the device does not have, or an object that is none.
    pub fn read(set: &Set, description: &Description, device_rate: f32) -> Result<Self, Refusal> {
        params::values! { Declared {
            device, robot: _, states, commands, timeout, step_rate, update_rate, command_timeout, hold_gain,
            halt_on, publish_tf, frame_prefix, seed, delay, position, velocity, torque, contact, acceleration,
            angular_velocity, stuck_motors, dead_sensors, is_silent,
        } = Declared::get(set) }
        if update_rate > 0.0 && update_rate < 2.0 {
            return Err(set.refuse("update_rate", "must be 0 or from 2 to 1000 Hz"));
        }
        if device == TOPICS && update_rate > 0.0 && update_rate < LEAST_RATE {
            let rule = format!("must be 0 or from {LEAST_RATE} to 1000 Hz with the device {TOPICS}");
            return Err(set.refuse("update_rate", rule));
        }
        let update_rate = (update_rate > 0.0).then_some(update_rate);
        if update_rate.unwrap_or(device_rate.into()) > step_rate as f64 {
            let rule =
                format!("must be at least the update rate, {} Hz", update_rate.unwrap_or(device_rate.into()));
            return Err(set.refuse("step_rate", rule));
        }
        let period = 1.0 / update_rate.unwrap_or(device_rate.into());
        if !command_timeout.is_zero() && command_timeout.as_secs_f64() < period {
            let rule = format!("must be 0 or at least a period of the update rate, {period:.4} s");
            return Err(set.refuse("command_timeout", rule));
        }
        let mut faults = Faults { is_silent, ..Faults::default() };
        for name in &stuck_motors {
            mark(&mut faults.stuck_motors, name, &description.motor_names)
                .map_err(|rule| set.refuse("simulation.stuck_motors", rule))?;
        }
        for sensor in &dead_sensors {
            dead(&mut faults, sensor, description)
                .map_err(|rule| set.refuse("simulation.dead_sensors", rule))?;
        }
        let noise = Noise { position, velocity, torque, contact, acceleration, angular_velocity };
        let delay = usize::try_from(delay).unwrap_or(0);
        let simulation = Simulation { objects: objects(set, description)?, noise, delay, faults };
        Ok(Self {
            step: Duration::from_secs(1) / u32::try_from(step_rate).unwrap_or(1000).max(1),
            update_rate,
            halt_on: Some(halt_on).filter(|topic| !topic.is_empty()),
            thread: LoopThread::get(set),
            publish_tf,
            frame_prefix,
            seed: u64::try_from(seed).unwrap_or(0),
            topics: RobotTopics { states, commands, timeout },
            settings: Settings {
                command_timeout: (!command_timeout.is_zero()).then_some(command_timeout),
                hold_gain,
                simulation,
            },
        })
    }
}

fn objects(set: &Set, description: &Description) -> Result<[Option<Object>; MAX_OBJECTS], Refusal> {
    let mut objects = [None; MAX_OBJECTS];
    for (index, name) in set.group(OBJECTS).into_iter().enumerate() {
        let full = |member: &str| format!("{OBJECTS}.{name}.{member}");
        let Some(place) = objects.get_mut(index) else {
            return Err(
                set.refuse(&full("shape"), format!("and is one too many: at most {MAX_OBJECTS} are allowed"))
            );
        };
        let Members { shape, position, radius, normal, contact, angle, stiffness, damping } =
            Members::get_entry(set, OBJECTS, name);
        let vector = |numbers: &[f64], member: &str| match *numbers {
            [x, y, z] => Ok(Vector3::new(x, y, z)),
            _ => Err(set.refuse(&full(member), "must have three numbers: x, y, z")),
        };
        let (position, normal) = (vector(&position, "position")?, vector(&normal, "normal")?);
        let shape = match shape {
            ShapeKind::Plane => Shape::Plane {
                point: position,
                normal: normal
                    .try_normalize(1e-6)
                    .ok_or_else(|| set.refuse(&full("normal"), "must be a direction, which has a length"))?,
            },
            ShapeKind::Stop => {
                let names = &description.contact_names;
                let found = names.iter().position(|known| *known == contact);
                let rule = || format!("must be one of: {}", names.join(", "));
                Shape::Stop { contact: found.ok_or_else(|| set.refuse(&full("contact"), rule()))?, angle }
            }
            ShapeKind::Sphere => Shape::Sphere { center: position, radius },
        };
        *place = Some(Object { shape, stiffness, damping });
    }
    Ok(objects)
}

#[cfg(test)]
mod tests;
