use chair::{CameraMatrices, ChairOutput, Estimate, Imu, Joystick, Output, Params, Side, State};
use r2r::geometry_msgs::msg as geometry;
use r2r::luci_messages::msg::LuciJoystick;
use r2r::nav_msgs::msg::Odometry;
use r2r::sensor_msgs::msg as sensor;
use r2r::std_msgs::msg::String as Text;
use r2r::tf2_msgs::msg::TFMessage;
use ros::clock::to_wire;
use ros::{Error, Topic, qos};
use safety::Stamp;

use super::NAME;
use crate::command_topic::CommandTopic;
use crate::messages;

/// The topic that drives the chair.
pub const REMOTE: &str = "luci/remote_joystick";

/// Topics that the node publishes.
pub struct Topics {
    remote: Topic<LuciJoystick>,
    state: Topic<Text>,
    occupant: CommandTopic,
    odometry: Topic<Odometry>,
    transforms: Option<Topic<TFMessage>>,
    imu: Topic<sensor::Imu>,
    /// Topics of the cameras, in the order of [`Side::ALL`].
    cameras: [Topic<sensor::CameraInfo>; 3],
    frames: Frames,
}

struct Frames {
    base: String,
    odom: String,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        let remote = Topic::new(node, REMOTE, qos::command())?;
        let mut camera =
            |side: Side| Topic::new(node, &format!("~/{}_camera_info", side.name()), qos::edge());
        let cameras = [camera(Side::Left)?, camera(Side::Right)?, camera(Side::Rear)?];
        let transforms = params.node.transform.then(|| Topic::new(node, "/tf", qos::edge())).transpose()?;
        Ok(Self {
            remote,
            state: Topic::new(node, "~/state", qos::state())?,
            occupant: CommandTopic::new(node, "~/occupant", params.node.stamped)?,
            odometry: Topic::new(node, "odom", qos::command())?,
            transforms,
            imu: Topic::new(node, "~/imu", qos::edge())?,
            cameras,
            frames: Frames { base: params.node.base_frame.clone(), odom: params.node.odom_frame.clone() },
        })
    }

    /// A publisher that drives the chair when the machine can no longer be used.
    pub fn remote(&self) -> r2r::Publisher<LuciJoystick> {
        self.remote.share()
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: ChairOutput) {
        match output {
            ChairOutput::Remote(Output::PublishJoystick(joystick)) => self.remote.publish(&wire(&joystick)),
            ChairOutput::Remote(Output::Call(_)) => {} // carried out as a service call, not here
            ChairOutput::PublishState(state) => self.publish_state(state),
            ChairOutput::PublishOccupant(command) => self.occupant.publish(&command),
            ChairOutput::PublishOdometry(estimate) => self.publish_odometry(&estimate),
            ChairOutput::PublishImu(imu, stamp) => {
                let frame = &self.frames.base;
                self.imu.publish_if_subscribed(|| imu_message(&imu, stamp, frame));
            }
            ChairOutput::PublishCamera { side, stamp, frame, matrices } => {
                if let Some(topic) = self.cameras.get_mut(side as usize) {
                    topic.publish_if_subscribed(|| camera_message(&matrices, stamp, frame));
                }
            }
        }
    }

    fn publish_state(&mut self, state: State) {
        log::info!(target: NAME, "the chair is {}", state.as_str());
        self.state.publish(&Text { data: state.as_str().into() });
    }

    fn publish_odometry(&mut self, estimate: &Estimate) {
        let Frames { base, odom } = &self.frames;
        let pose = [estimate.x, estimate.y, estimate.heading];
        let mut message =
            messages::odometry(pose, [estimate.forward, estimate.turn], estimate.stamp, [odom, base]);
        message.pose.covariance = estimate.pose_covariance.to_vec();
        message.twist.covariance = estimate.twist_covariance.to_vec();
        self.odometry.publish(&message);
        if let Some(transforms) = &mut self.transforms {
            transforms.publish(&messages::transform(&message));
        }
    }
}

/// The only place that makes a `LuciJoystick`: from a stick with its zone and its source.
pub fn wire(joystick: &Joystick) -> LuciJoystick {
    messages::luci_joystick(joystick.fields())
}

fn imu_message(imu: &Imu, stamp: Stamp, frame: &str) -> sensor::Imu {
    let vector = |[x, y, z]: [f64; 3]| geometry::Vector3 { x, y, z };
    let [x, y, z, w] = imu.orientation;
    let mut message = sensor::Imu {
        orientation: geometry::Quaternion { x, y, z, w },
        orientation_covariance: imu.orientation_covariance.to_vec(),
        angular_velocity: vector(imu.angular_velocity),
        angular_velocity_covariance: imu.angular_velocity_covariance.to_vec(),
        linear_acceleration: vector(imu.linear_acceleration),
        linear_acceleration_covariance: imu.linear_acceleration_covariance.to_vec(),
        ..Default::default()
    };
    message.header.stamp = to_wire(stamp);
    message.header.frame_id = frame.into();
    message
}

fn camera_message(matrices: &CameraMatrices, stamp: Stamp, frame: String) -> sensor::CameraInfo {
    let CameraMatrices { k, r, p } = matrices;
    let mut message =
        sensor::CameraInfo { k: k.to_vec(), r: r.to_vec(), p: p.to_vec(), ..Default::default() };
    message.header.stamp = to_wire(stamp);
    message.header.frame_id = frame;
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_on_the_wire_is_not_a_default_message() {
        let message = wire(&Joystick::neutral(chair::Source::SharedRemote));
        let LuciJoystick { forward_back, left_right, joystick_zone, input_source } = message;
        assert_eq!([forward_back, left_right, joystick_zone, input_source], [0, 0, 8, 5]);
    }
}
