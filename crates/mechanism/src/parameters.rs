use core::time::Duration;

use params::{LoopThread, Parameter, Refusal, Set, Specification};

use crate::robot::JointDynamics;

/// The words of `hardware`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hardware {
    Simulated,
    Topics,
    Base,
    Hand,
}

params::choices! { Hardware: Simulated = "simulated", Topics = "topics", Base = "base", Hand = "hand" }

params::params! {
    /// The parameters of the node itself; controllers have their own.
    struct Declared {
        /// The URDF of the robot, or the path of its file. Empty with hardware hand for that of the hand.
        robot_description: String = Parameter::string("robot_description", "").at_start(),
        hardware: Hardware = Parameter::choice("hardware", "simulated").at_start()
            .text("What the efforts move: a simulation of the robot; a robot that publishes its states on topics.states and follows \
                the efforts on topics.commands; the two motors of a base, by motor/port and motor/starboard; or the simulated hand of \
                hand.device."),
        /// The states of the robot's actuators (sensor_msgs/JointState), with hardware topics or base. One publisher only.
        topic_states: String = Parameter::string("topics.states", "hardware/joint_states").at_start(),
        /// The efforts of the robot's actuators (sensor_msgs/JointState), with hardware topics.
        topic_commands: String = Parameter::string("topics.commands", "hardware/joint_commands").at_start(),
        /// When the last states are this old, the robot is lost: the motors are halted until reset_motors.
        topic_timeout: Duration = Parameter::seconds("topics.timeout", 0.1, 0.005, 10.0).at_start(),
        /// How often the efforts are published; the rate of the loop if that is lower.
        topic_rate: f64 = Parameter::float("topics.rate", 1000.0, 1.0, 10_000.0).unit("Hz").at_start(),
        /// The effort of port_motor and starboard_motor that is the full motor value, with hardware base.
        full_effort: f64 = Parameter::float("topics.full_effort", 10.0, 1e-6, 1e6).unit("Nm").at_start(),
        /// With hardware hand: mpl, mpl_gazebo, two_finger or the path of a YAML file, as the device of the node haptix.
        hand_device: String = Parameter::string("hand.device", "mpl").at_start(),
        /// How often the control loop steps.
        rate: i64 = Parameter::integer("rate", 1000, 10, 10_000).unit("Hz").at_start(),
        /// How often joint_states is published; 0 or less for practically never.
        joint_state_publish_rate: f64 =
            Parameter::float("joint_state_publish_rate", 100.0, -1e6, 1e6).unit("Hz").at_start(),
        /// How often mechanism_statistics is published; 0 or less for practically never.
        mechanism_statistics_publish_rate: f64 =
            Parameter::float("mechanism_statistics_publish_rate", 1.0, -1e6, 1e6).unit("Hz").at_start(),
        /// How long a service call waits for the control loop, and a load for its library; it then fails and changes
        /// nothing.
        call_timeout: Duration = Parameter::seconds("call_timeout", 2.0, 0.05, 60.0).at_start(),
        /// Whether /diagnostics leaves out that a controller took too long: for a simulation on a busy computer.
        disable_controller_warnings: bool = Parameter::bool("disable_controller_warnings", false).at_start(),
        /// A topic like hind/state (std_msgs/String). ESTOP halts the motors until its publisher says another state, and
        /// repeats it. When the state is silent for 1.5 s, or its publisher ends or changes, they are halted until
        /// reset_motors is called. Empty for none.
        halt_on: String = Parameter::string("halt_on", "").at_start(),
        /// Folders with libraries of controllers (*.so), see docs/write_a_controller.md. Their code runs as that of the
        /// node.
        plugin_folders: Vec<String> = Parameter::strings("plugin_folders", &[], &[], 32).at_start(),
        /// Whether the simulated joints know their positions at the start, as with absolute encoders.
        is_calibrated: bool = Parameter::bool("simulation.is_calibrated", true).at_start(),
    }
}

/// The parameters in force, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// The URDF, or the path of its file; empty for that of the hand.
    pub robot_description: String,
    /// The time between two steps.
    pub period: Duration,
    /// \[Hz\]
    pub joint_state_rate: f64,
    /// \[Hz\]
    pub statistics_rate: f64,
    /// How long a call waits for the loop.
    pub call_timeout: Duration,
    /// Whether the statuses leave out overruns.
    pub ignores_overruns: bool,
    /// The topic whose `ESTOP` halts the motors, if there is one.
    pub halt_on: Option<String>,
    /// The thread of the loop.
    pub thread: LoopThread,
    /// Whether simulated joints are calibrated at the start.
    pub is_calibrated: bool,
    /// The folders with libraries of controllers.
    pub plugin_folders: Vec<String>,
    /// How simulated joints resist.
    pub dynamics: JointDynamics,
    /// The robot elsewhere, if it is not simulated.
    pub remote: Option<RemoteParams>,
    /// The hand that the robot is, if it is one: a built-in device, or the path of its description.
    pub hand: Option<String>,
}

/// A robot elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteParams {
    /// The topic of its states.
    pub states: String,
    /// How long they count.
    pub timeout: Duration,
    /// How it is sent its efforts.
    pub commands: RemoteCommands,
    /// How often \[Hz\].
    pub rate: f64,
}

/// How a robot elsewhere is sent its efforts.
#[derive(Clone, Debug, PartialEq)]
pub enum RemoteCommands {
    /// All together on this topic.
    Joints(String),
    /// As the values of two motors.
    Motors {
        /// The effort that is the full value \[Nm\].
        full_effort: f64,
    },
}

impl Params {
    /// Reads the parameters in force.
    /// # Errors
    /// There is no robot description, and the robot is no hand.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        params::values! { Declared {
            robot_description, hardware, topic_states, topic_commands, topic_timeout, topic_rate, full_effort,
            hand_device, rate, joint_state_publish_rate, mechanism_statistics_publish_rate, call_timeout,
            disable_controller_warnings, halt_on, plugin_folders, is_calibrated,
        } = Declared::get(set) }
        let hand = (hardware == Hardware::Hand).then_some(hand_device);
        if robot_description.trim().is_empty() && hand.is_none() {
            return Err(set.refuse("robot_description", "must be a URDF or the path of its file"));
        }
        let commands = match hardware {
            Hardware::Topics => Some(RemoteCommands::Joints(topic_commands)),
            Hardware::Base => Some(RemoteCommands::Motors { full_effort }),
            Hardware::Simulated | Hardware::Hand => None,
        };
        let remote = |commands| RemoteParams {
            states: topic_states,
            timeout: topic_timeout,
            commands,
            rate: topic_rate,
        };
        Ok(Self {
            robot_description,
            period: Duration::from_secs(1) / u32::try_from(rate).unwrap_or(1000),
            joint_state_rate: joint_state_publish_rate,
            statistics_rate: mechanism_statistics_publish_rate,
            call_timeout,
            ignores_overruns: disable_controller_warnings,
            halt_on: Some(halt_on).filter(|topic| !topic.is_empty()),
            thread: LoopThread::get(set),
            plugin_folders,
            is_calibrated,
            dynamics: JointDynamics::get(set),
            remote: commands.map(remote),
            hand,
        })
    }
}

/// The parameters of the node.
pub fn specification() -> Specification {
    Specification::new("mechanism", "Runs the controllers of a robot's joints in a real-time loop, as pr2_mechanism does.")
        .managed()
        .with_all(Declared::declarations())
        .with_all(JointDynamics::declarations())
        .with_all(LoopThread::declarations())
        .with_open(
            "A parameter of a controller, <controller>.type or what its type has; it is checked when the controller is loaded.",
        )
        .with_protections(&["halt_on"])
}
