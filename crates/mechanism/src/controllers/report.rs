use crate::laws::GoalId;
use crate::standard::Goal;

/// A value that a controller publishes on an output.
///
/// It is a value without memory of its own, so that the control loop can pass it on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Report {
    /// One number.
    Float(f64),
    /// An event has happened, or a condition holds.
    Event,
    /// A state in a word.
    Word(&'static str),
    /// The state of one of the controller's joints; the message is sent with the last one.
    Joint {
        /// The index in the controller's list of joints.
        index: usize,
        /// \[rad or m\]
        position: f64,
        /// \[rad/s or m/s\]
        velocity: f64,
        /// The measured effort \[Nm or N\].
        effort: f64,
    },
    /// Where a vehicle is and how it moves.
    Odometry(Odometry),
    /// How one of the controller's joints follows its trajectory; the message is sent with the last one.
    Tracking {
        /// The index in the controller's list of joints.
        index: usize,
        /// Position, velocity and acceleration.
        desired: [f64; 3],
        /// Position and velocity.
        actual: [f64; 2],
        /// The distance to the desired position, the shorter way round \[rad or m\].
        error: f64,
    },
    /// Whether commands of motion on the controller's input `input` move nothing, since a zero has to come before them.
    WaitsForZero {
        /// The input's name.
        input: &'static str,
        /// Whether they wait.
        waits: bool,
    },
    /// Whether commands on the controller's input `input` move nothing, since they are a stream from before a halt of the motors.
    StreamWaits {
        /// The input's name.
        input: &'static str,
        /// Whether they wait.
        waits: bool,
    },
    /// A position is commanded that is beyond the range of the joint: its nearest end counts.
    CommandBeyond(Beyond),
    /// The commands that a joint approached slowly fell silent on the way: it is held where it is.
    ApproachLost,
    /// A goal ended with this result; [`Goal::None`] if the controller was started again.
    GoalEnded(GoalId, Goal),
    /// All goals up to `until` except `goal`, which is followed, were replaced by later commands.
    GoalsReplaced {
        /// The goal that is followed, if the motion fulfils one.
        goal: Option<GoalId>,
        /// The last goal that the controller received.
        until: GoalId,
    },
    /// A motion without a goal failed, or was refused.
    MotionFailed(Goal),
}

/// A position that is commanded beyond the range of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// The index of the joint in the robot.
    pub joint: usize,
    /// The command, in `unit`.
    pub command: f64,
    /// The range, in `unit`.
    pub range: [f64; 2],
    /// `rad` or `m`.
    pub unit: &'static str,
}

/// Where a vehicle is since its start, and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Odometry {
    /// \[m\]
    pub x: f64,
    /// \[m\]
    pub y: f64,
    /// Counted beyond a turn \[rad\].
    pub heading: f64,
    /// \[m/s\]
    pub linear: f64,
    /// \[rad/s\]
    pub angular: f64,
}

/// An output of a controller, which is published as a topic of its name in the controller's namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerOutput {
    /// Its name: `odom`.
    pub name: &'static str,
    /// The kind of its reports.
    pub kind: OutputKind,
}

/// The kind of an output's reports, and their message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputKind {
    /// [`Report::Float`], as `std_msgs/Float64`.
    Float,
    /// [`Report::Event`], as `std_msgs/Empty`.
    Event,
    /// [`Report::Word`], as `std_msgs/String`, latched.
    Word,
    /// [`Report::Joint`] of all joints, as `sensor_msgs/JointState`.
    Joints,
    /// [`Report::Odometry`], as `nav_msgs/Odometry`.
    Odometry,
    /// [`Report::Odometry`], as a transform on `/tf`, whatever the output's name is.
    Transform,
    /// [`Report::Tracking`] of all joints, [`Report::GoalEnded`], [`Report::GoalsReplaced`] and [`Report::MotionFailed`], as the action `control_msgs/FollowJointTrajectory`, whose
    /// trajectories come on the controller's only input.
    Follow,
}
