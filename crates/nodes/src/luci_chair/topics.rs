use luci_chair::{EncoderFields, ImuMessage, JoystickScaling, Output, Params, servo};
use r2r::luci_messages::msg as luci;
use r2r::nav_msgs::msg::Odometry;
use r2r::std_msgs::msg::{Header, Int16, Int32};
use ros::{Error, Topic, clock, qos};

use super::surroundings::Surroundings;
use crate::hindbrain::MOTORS;
use crate::messages;

/// Topics that the node publishes: LUCI's under their absolute names, and the base's motors.
pub struct Topics {
    position: Topic<luci::LuciJoystick>,
    joystick_scaling: Topic<luci::LuciJoystickScaling>,
    scaling: Topic<luci::LuciZoneScaling>,
    encoders: Topic<luci::LuciEncoders>,
    imu: Topic<luci::LuciImu>,
    odometry: Topic<Odometry>,
    profile: Topic<Int32>,
    speed: Topic<Int32>,
    override_button: Topic<Int32>,
    override_count: Topic<Int32>,
    surroundings: Surroundings,
    port: Topic<Int16>,
    starboard: Topic<Int16>,
    wheel_speed: f64,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            position: Topic::new(node, "luci/joystick_position", qos::command())?,
            joystick_scaling: Topic::new(node, "luci/joystick_scaling", qos::command())?,
            scaling: Topic::new(node, "luci/scaling", qos::command())?,
            encoders: Topic::new(node, "luci/encoders", qos::command())?,
            imu: Topic::new(node, "luci/imu", qos::command())?,
            odometry: Topic::new(node, "luci/odom", qos::command())?,
            profile: Topic::new(node, "luci/chair_profile", qos::state())?,
            speed: Topic::new(node, "luci/speed_setting", qos::state())?,
            override_button: Topic::new(node, "luci/override_button_data", qos::state())?,
            override_count: Topic::new(node, "luci/override_button_press_count_data", qos::state())?,
            surroundings: Surroundings::new(node, params.camera_ticks.is_some())?,
            port: Topic::new(node, MOTORS[0], qos::command())?,
            starboard: Topic::new(node, MOTORS[1], qos::command())?,
            wheel_speed: params.wheel_speed,
        })
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::PublishPosition(joystick) => self.position.publish(&messages::luci_joystick(joystick)),
            Output::PublishScaling(scaling) => self.joystick_scaling.publish(&joystick_scaling(&scaling)),
            Output::PublishZoneScaling(fields) => self.scaling.publish(&messages::zone_scaling(&fields)),
            Output::PublishEncoders(fields) => self.encoders.publish(&encoders(fields)),
            Output::PublishImu(imu) => self.imu.publish_if_subscribed(|| imu_message(&imu)),
            Output::PublishOdometry(forward, turn) => {
                self.odometry.publish_if_subscribed(|| odometry(forward, turn));
            }
            Output::PublishSurroundings => self.surroundings.publish_seen(),
            Output::PublishCameras => self.surroundings.publish_cameras(),
            Output::PublishProfile(data) => self.profile.publish(&Int32 { data }),
            Output::PublishSpeedSetting(data) => self.speed.publish(&Int32 { data }),
            Output::PublishOverride(data) => self.override_button.publish(&Int32 { data }),
            Output::PublishOverrideCount(data) => self.override_count.publish(&Int32 { data }),
            Output::Answer(_) => {} // the service handler answers the caller
            Output::TurnWheels(left, right) => {
                self.port.publish(&Int16 { data: servo(left, self.wheel_speed) });
                self.starboard.publish(&Int16 { data: servo(right, self.wheel_speed) });
            }
        }
    }
}

/// LUCI's node stamps when it receives something from the chair.
pub(super) fn header(frame_id: &str) -> Header {
    Header { stamp: clock::to_wire(clock::stamp()), frame_id: frame_id.into() }
}

fn joystick_scaling(scaling: &JoystickScaling) -> luci::LuciJoystickScaling {
    let zones::Joystick { forward_back, left_right, joystick_zone, input_source } = scaling.joystick;
    luci::LuciJoystickScaling {
        forward_back,
        left_right,
        joystick_zone,
        input_source,
        forward_back_scaling: scaling.forward_back_scaling,
        left_right_scaling: scaling.left_right_scaling,
    }
}

fn encoders(fields: EncoderFields) -> luci::LuciEncoders {
    let EncoderFields { left_angle, right_angle, edge_timestamp } = fields;
    let header = header("base_link");
    luci::LuciEncoders { header, left_angle, right_angle, edge_timestamp, ..Default::default() }
}

fn imu_message(imu: &ImuMessage) -> luci::LuciImu {
    let [quaternion_x, quaternion_y, quaternion_z, quaternion_w] = imu.quaternion;
    let [accelerometer_x, accelerometer_y, accelerometer_z] = imu.accelerometer;
    let [gyro_x, gyro_y, gyro_z] = imu.gyro;
    let [cal_system, cal_gyroscope, cal_accelerometer, cal_magnetometer] = imu.calibration;
    luci::LuciImu {
        header: header("base_link"),
        quaternion_x,
        quaternion_y,
        quaternion_z,
        quaternion_w,
        accelerometer_x,
        accelerometer_y,
        accelerometer_z,
        gyro_x,
        gyro_y,
        gyro_z,
        cal_system,
        cal_gyroscope,
        cal_accelerometer,
        cal_magnetometer,
        source: imu.source,
        edge_timestamp: imu.edge_timestamp,
        ..Default::default()
    }
}

/// As LUCI's: no pose, no covariance, both frames the same, y forward.
fn odometry(forward: f64, turn: f64) -> Odometry {
    let mut message =
        Odometry { header: header("base_link"), child_frame_id: "base_link".into(), ..Default::default() };
    message.twist.twist.linear.y = forward;
    message.twist.twist.angular.z = turn;
    message
}
