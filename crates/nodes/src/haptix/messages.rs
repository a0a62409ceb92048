//! Conversion between messages and the machine's types. r2r panics at a fixed array of another length than the message's, at a
//! bounded one that is too long, and at a text with a zero in it: here is the only place that makes such messages.

use haptix::{Command, Description, Frame, GraspValue, Limit, MAX, RobotInfo, Sensor};
use r2r::builtin_interfaces::msg::Time;
use r2r::geometry_msgs::msg as geometry;
use r2r::haptix_msgs::msg as wire;
use r2r::sensor_msgs::msg::{Imu, JointState};
use r2r::tf2_msgs::msg::TFMessage;
use ros::clock::to_wire;
use safety::Stamp;

/// A reading.
pub(super) fn sensor(sensor: &Sensor) -> wire::Sensor {
    let vector = |[x, y, z]: [f32; 3]| wire::Vector3f { x, y, z };
    let quaternion = |[w, x, y, z]: [f32; 4]| wire::Quaternionf { w, x, y, z };
    wire::Sensor {
        time_stamp: Time { sec: sensor.time_stamp.sec, nanosec: sensor.time_stamp.nanosec },
        motor_pos: sensor.motor_pos.into(),
        motor_vel: sensor.motor_vel.into(),
        motor_torque: sensor.motor_torque.into(),
        joint_pos: sensor.joint_pos.into(),
        joint_vel: sensor.joint_vel.into(),
        contact: sensor.contact.into(),
        imu_linear_acc: sensor.imu_linear_acc.map(vector).into(),
        imu_angular_vel: sensor.imu_angular_vel.map(vector).into(),
        imu_orientation: sensor.imu_orientation.map(quaternion).into(),
    }
}

/// A command as it was received.
pub(super) fn command(message: &wire::Command) -> Command {
    let group = |is_given: bool, values: &[f32]| is_given.then(|| padded(values));
    Command {
        ref_pos: group(message.ref_pos_enabled, &message.ref_pos),
        ref_vel: group(message.ref_vel_enabled, &message.ref_vel),
        ref_vel_max: group(message.ref_vel_max_enabled, &message.ref_vel_max),
        gain_pos: group(message.gain_pos_enabled, &message.gain_pos),
        gain_vel: group(message.gain_vel_enabled, &message.gain_vel),
    }
}

/// A command as a message; a group that is not given is 0.
pub(super) fn command_message(command: &Command) -> wire::Command {
    let values = |group: &Option<[f32; MAX]>| group.unwrap_or_default().to_vec();
    wire::Command {
        ref_pos: values(&command.ref_pos),
        ref_pos_enabled: command.ref_pos.is_some(),
        ref_vel: values(&command.ref_vel),
        ref_vel_enabled: command.ref_vel.is_some(),
        ref_vel_max: values(&command.ref_vel_max),
        ref_vel_max_enabled: command.ref_vel_max.is_some(),
        gain_pos: values(&command.gain_pos),
        gain_pos_enabled: command.gain_pos.is_some(),
        gain_vel: values(&command.gain_vel),
        gain_vel_enabled: command.gain_vel.is_some(),
    }
}

fn padded(values: &[f32]) -> [f32; MAX] {
    let mut padded = [0.0; MAX];
    padded.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
    padded
}

/// The message that describes the hand: numbers of motors, joints and sensors, limits, and update rate.
pub(super) fn robot_info(info: &RobotInfo) -> wire::RobotInfo {
    let count = |count: usize| i32::try_from(count.min(MAX)).unwrap_or(0);
    let limit = |limit: Limit| wire::Limit { minimum: limit.minimum, maximum: limit.maximum };
    wire::RobotInfo {
        motor_count: count(info.motor_count),
        joint_count: count(info.joint_count),
        contact_sensor_count: count(info.contact_sensor_count),
        imu_count: count(info.imu_count),
        motor_limit: info.motor_limit.map(limit).into(),
        joint_limit: info.joint_limit.map(limit).into(),
        update_rate: info.update_rate,
    }
}

/// The names of its parts; the frames have `prefix`.
pub(super) fn robot_description(description: &Description, prefix: &str) -> wire::RobotDescription {
    let names = |names: &[String]| names.iter().take(MAX).map(|name| text(name)).collect();
    let frames = description.imu_frames.iter().take(MAX);
    wire::RobotDescription {
        model_name: text(&description.model_name),
        motor_names: names(&description.motor_names),
        joint_names: names(&description.joint_names),
        contact_names: names(&description.contact_names),
        imu_names: names(&description.imu_names),
        imu_frames: frames.map(|frame| text(&[prefix, frame].concat())).collect(),
        gear_ratio: description.gear_ratio.iter().take(MAX).copied().collect(),
    }
}

/// A text as ROS carries it.
pub(super) fn text(text: &str) -> String {
    text.replace('\0', "")
}

/// How a call ended.
pub(super) fn result<T>(outcome: &Result<T, String>) -> wire::Result {
    match outcome {
        Ok(_) => wire::Result { code: wire::Result::OK as u8, message: String::new() },
        Err(error) => wire::Result { code: wire::Result::ERROR as u8, message: text(error) },
    }
}

/// A grasp as it was received.
pub(super) fn grasp(message: wire::GraspValue) -> GraspValue {
    GraspValue { name: message.name, value: message.value }
}

/// The joints of a reading.
pub(super) fn joint_states(names: &[String], sensor: &Sensor, stamp: Stamp) -> JointState {
    let values =
        |values: &[f32; MAX]| values.iter().take(names.len()).map(|value| f64::from(*value)).collect();
    let mut message = JointState {
        name: names.iter().map(|name| text(name)).collect(),
        position: values(&sensor.joint_pos),
        velocity: values(&sensor.joint_vel),
        ..JointState::default()
    };
    message.header.stamp = to_wire(stamp);
    message
}

/// The inertial unit `index` of a reading. HAPTIX has no estimate of the orientation where that is (1, 0, 0, 0), which ROS marks by
/// a covariance of -1.
pub(super) fn imu(sensor: &Sensor, index: usize, frame: &str, stamp: Stamp) -> Imu {
    let at = |of: &[[f32; 3]; MAX]| of.get(index).copied().unwrap_or_default().map(f64::from);
    let vector = |[x, y, z]: [f64; 3]| geometry::Vector3 { x, y, z };
    let orientation = sensor.imu_orientation.get(index).copied().unwrap_or_default();
    let is_estimated = ![[1.0, 0.0, 0.0, 0.0], [0.0; 4]].contains(&orientation);
    let [w, x, y, z] = orientation.map(f64::from);
    let mut message = Imu {
        orientation: geometry::Quaternion { x, y, z, w },
        angular_velocity: vector(at(&sensor.imu_angular_vel)),
        linear_acceleration: vector(at(&sensor.imu_linear_acc)),
        ..Imu::default()
    };
    if !is_estimated && let Some(covariance) = message.orientation_covariance.first_mut() {
        *covariance = -1.0;
    }
    message.header.stamp = to_wire(stamp);
    message.header.frame_id = frame.into();
    message
}

/// Frames as tf has them, with `prefix` before their names.
pub(super) fn transforms<'a>(
    frames: impl Iterator<Item = Frame<'a>>,
    prefix: &str,
    stamp: Stamp,
) -> TFMessage {
    let transforms = frames.map(|frame| {
        let ([x, y, z], [qx, qy, qz, qw]) = (frame.translation, frame.rotation);
        let mut message = geometry::TransformStamped {
            child_frame_id: text(&[prefix, frame.name].concat()),
            transform: geometry::Transform {
                translation: geometry::Vector3 { x, y, z },
                rotation: geometry::Quaternion { x: qx, y: qy, z: qz, w: qw },
            },
            ..geometry::TransformStamped::default()
        };
        message.header.stamp = to_wire(stamp);
        message.header.frame_id = text(&[prefix, frame.parent].concat());
        message
    });
    TFMessage { transforms: transforms.collect() }
}

#[cfg(test)]
mod tests {
    use haptix::{Device, DummyDevice};

    use super::*;

    #[test]
    fn a_command_of_any_length_is_one_of_32() {
        for length in [0, 4, 32, 40] {
            let message = wire::Command {
                ref_pos: (0..length).map(|index| index as f32).collect(),
                ref_pos_enabled: true,
                ..wire::Command::default()
            };
            let received = command(&message);
            let expected = std::array::from_fn(|index| if index < length { index as f32 } else { 0.0 });
            assert_eq!(received, Command { ref_pos: Some(expected), ..Command::default() });
            assert_eq!(command(&command_message(&received)), received);
        }
    }

    #[test]
    fn an_orientation_is_an_estimate_unless_it_is_that_of_none() {
        let mut reading = Sensor::default();
        DummyDevice::default().read(&mut reading).unwrap();
        let message = imu(&reading, 2, "f", Stamp { sec: 1, nanosec: 2 });
        assert_eq!(message.orientation, geometry::Quaternion { x: 8.0, y: 9.0, z: 10.0, w: 11.0 });
        assert_eq!(message.linear_acceleration, geometry::Vector3 { x: 2.0, y: 3.0, z: 4.0 });
        assert_eq!(message.angular_velocity, geometry::Vector3 { x: 5.0, y: 6.0, z: 7.0 });
        assert_eq!((message.orientation_covariance[0], message.header.frame_id.as_str()), (0.0, "f"));
        reading.imu_orientation[2] = [1.0, 0.0, 0.0, 0.0];
        assert_eq!(imu(&reading, 2, "f", Stamp::ZERO).orientation_covariance[0], -1.0);
        reading.imu_orientation[2] = [0.0; 4];
        assert_eq!(imu(&reading, 2, "f", Stamp::ZERO).orientation_covariance[0], -1.0);
    }

    #[test]
    fn names_beyond_32_and_zeros_in_them_do_not_reach_the_wire() {
        let description = Description { joint_names: vec!["a\0b".into(); 40], ..Description::default() };
        assert_eq!(robot_description(&description, "").joint_names, vec!["ab".to_owned(); 32]);
    }
}
