use hindbrain::Source;
use nodes::hindbrain::MOTORS;
use nodes::luci_topics;
use nodes::messages;
use r2r::diagnostic_msgs::msg::DiagnosticStatus;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::luci_messages::msg::{LuciJoystickScaling, LuciZoneScaling};
use r2r::nav_msgs::msg::Odometry;
use r2r::or_joystick::msg::State as DeviceState;
use r2r::or_pose_estimator::msg::State as PoseState;
use r2r::sensor_msgs::msg::Joy;
use r2r::std_msgs::msg::{Bool, Int16, String as Text};
use ros::clock::from_wire;
use ros::{Error, Inputs, Topic, qos};
use zones::Zone;

use crate::vehicle::machine::{Input, Operator, Output};
use crate::vehicle::observed::{Applied, Pose};
use crate::vehicle::operator_input::Stick;
use crate::vehicle::stages::Stage;

/// The virtual stick's name.
pub const VIRTUAL: &str = "Demo_Pad";

/// Topics that the operator publishes.
pub struct Topics {
    enable: Topic<Bool>,
    reset: Topic<Bool>,
    estop: Topic<Bool>,
    stick: Topic<DeviceState>,
    navigation: Topic<TwistStamped>,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        Ok(Self {
            enable: Topic::new(node, Source::Enable.name(), qos::edge())?,
            reset: Topic::new(node, Source::Reset.name(), qos::edge())?,
            estop: Topic::new(node, "simulator/estop_button", qos::edge())?,
            stick: Topic::new(node, "joystick/virtual_device", qos::edge())?,
            navigation: Topic::new(node, "cmd_vel_smoothed", qos::command())?,
        })
    }

    /// Publishes an output of the operator.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Enable(data) => self.enable.publish(&Bool { data }),
            Output::Reset(data) => self.reset.publish(&Bool { data }),
            Output::Estop(data) => self.estop.publish(&Bool { data }),
            Output::Stick(stick) => {
                // Neither axes nor buttons: unplugged.
                let (axes, buttons) = stick.map_or_else(Default::default, |stick| stick.raw());
                self.stick.publish(&DeviceState { axes, buttons, ..Default::default() });
            }
            Output::Navigate(command) => self.navigation.publish(&messages::twist_stamped(&command)),
        }
    }
}

/// Subscribes to all topics that the demo shows. `steersman` publishes its inner topics only if they have a subscriber.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(
    inputs: &mut Inputs<Operator>,
    node: &mut r2r::Node,
    virtual_stick: bool,
) -> Result<(), Error> {
    // The motors first: the values to check must not wait behind those that are only shown. The queues are deep, since every
    // value counts here and not only the newest.
    inputs.subscribe::<Int16>(node, MOTORS[0], qos::edge(), |m| Some(Input::PortSent(m.data)))?;
    inputs.subscribe::<Int16>(node, MOTORS[1], qos::edge(), |m| Some(Input::StarboardSent(m.data)))?;
    inputs.subscribe::<Text>(node, "hind/state", qos::state(), |m| Some(Input::StateReceived(m.data)))?;
    for stage in [Stage::Hindbrain, Stage::ZoneScaler, Stage::VelocityArbiter] {
        inputs.subscribe::<TwistStamped>(node, stage.topic(), qos::edge(), move |m| {
            Some(Input::CommandSent(stage, messages::stamp(&m)))
        })?;
    }
    inputs.subscribe::<PoseState>(node, Stage::Joystick.topic(), qos::edge(), |m| {
        Some(Input::CommandSent(Stage::Joystick, from_wire(&m.ts)))
    })?;
    inputs.subscribe::<DiagnosticStatus>(node, "velocity_arbiter/active", qos::state(), |m| {
        Some(Input::SourceChanged(m.message))
    })?;
    if virtual_stick {
        let topic = format!("joystick/device/{VIRTUAL}");
        inputs.subscribe::<DeviceState>(node, &topic, qos::state(), |m| {
            Some(Input::StickMoved(Stick::from_raw(&m.axes, &m.buttons)))
        })?;
    } else {
        inputs.subscribe::<Joy>(node, "joy", qos::edge(), |m| Some(Input::StickMoved(stick(&m))))?;
    }
    inputs.subscribe::<Odometry>(node, "odom", qos::edge(), |m| Some(Input::RobotMoved(pose(&m))))?;
    inputs.subscribe::<LuciZoneScaling>(node, luci_topics::SCALING, qos::edge(), |m| {
        Some(Input::ScalingReceived(messages::zone_fields(&m)))
    })?;
    inputs.subscribe::<LuciJoystickScaling>(node, "zone_scaler/joystick_scaling", qos::edge(), |m| {
        Some(Input::ScalingApplied(Applied {
            zone: Zone::from_number(m.joystick_zone),
            forward_back: m.forward_back_scaling,
            left_right: m.left_right_scaling,
        }))
    })
}

/// A stick from `joy`: forward and left are positive there.
fn stick(message: &Joy) -> Stick {
    let axis = |index: usize| message.axes.get(index).copied().map_or(0.0, f64::from);
    Stick { forward: axis(1), left: axis(0), held: message.buttons.get(5).is_some_and(|&down| down != 0) }
}

fn pose(message: &Odometry) -> Pose {
    let (position, q) = (&message.pose.pose.position, &message.pose.pose.orientation);
    // The yaw of a quaternion that turns about z alone.
    Pose { point: [position.x, position.y], heading: 2.0 * q.z.atan2(q.w) }
}
