use core::ffi::c_int;

use r2r::haptix_msgs::msg as wire;

use crate::abi::{Command, MAX, RobotInfo, Sensor, Time};

/// The first [`MAX`] of `values`, each by `convert`; the rest is the default.
fn filled<T, U: Copy + Default>(values: &[T], convert: impl Fn(&T) -> U) -> [U; MAX] {
    let mut filled = [U::default(); MAX];
    filled.iter_mut().zip(values).for_each(|(to, from)| *to = convert(from));
    filled
}

/// A reading as C has it.
pub fn sensor(message: &wire::Sensor) -> Sensor {
    let floats = |values: &[f32]| filled(values, |value| *value);
    let vectors = |values: &[wire::Vector3f]| filled(values, |v| [v.x, v.y, v.z]);
    Sensor {
        time_stamp: Time {
            sec: message.time_stamp.sec,
            nsec: c_int::try_from(message.time_stamp.nanosec).unwrap_or(0),
        },
        motor_pos: floats(&message.motor_pos),
        motor_vel: floats(&message.motor_vel),
        motor_torque: floats(&message.motor_torque),
        joint_pos: floats(&message.joint_pos),
        joint_vel: floats(&message.joint_vel),
        contact: floats(&message.contact),
        imu_linear_acc: vectors(&message.imu_linear_acc),
        imu_angular_vel: vectors(&message.imu_angular_vel),
        imu_orientation: filled(&message.imu_orientation, |q| [q.w, q.x, q.y, q.z]),
    }
}

/// What the hand consists of, as C has it; no count is beyond the arrays.
pub fn robot_info(message: &wire::RobotInfo) -> RobotInfo {
    let count = |count: i32| count.clamp(0, MAX as c_int);
    let limits = |limits: &[wire::Limit]| filled(limits, |limit| [limit.minimum, limit.maximum]);
    RobotInfo {
        motor_count: count(message.motor_count),
        joint_count: count(message.joint_count),
        contact_sensor_count: count(message.contact_sensor_count),
        imu_count: count(message.imu_count),
        motor_limit: limits(&message.motor_limit),
        joint_limit: limits(&message.joint_limit),
        update_rate: message.update_rate,
    }
}

/// A command as a message. A flag above 0 is set; a group without its flag, which programs leave uninitialised, is sent as 0.
pub fn command(command: &Command) -> wire::Command {
    let group = |values: &[f32; MAX], flag: c_int| {
        (if flag > 0 { values.to_vec() } else { vec![0.0; MAX] }, flag > 0)
    };
    let (ref_pos, ref_pos_enabled) = group(&command.ref_pos, command.ref_pos_enabled);
    let (ref_vel, ref_vel_enabled) = group(&command.ref_vel, command.ref_vel_enabled);
    let (ref_vel_max, ref_vel_max_enabled) = group(&command.ref_vel_max, command.ref_vel_max_enabled);
    let (gain_pos, gain_pos_enabled) = group(&command.gain_pos, command.gain_pos_enabled);
    let (gain_vel, gain_vel_enabled) = group(&command.gain_vel, command.gain_vel_enabled);
    wire::Command {
        ref_pos,
        ref_pos_enabled,
        ref_vel,
        ref_vel_enabled,
        ref_vel_max,
        ref_vel_max_enabled,
        gain_pos,
        gain_pos_enabled,
        gain_vel,
        gain_vel_enabled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_set_above_zero_and_a_group_without_it_is_not_sent() {
        for (flag, is_set) in
            [(0, false), (1, true), (2, true), (c_int::MAX, true), (-1, false), (c_int::MIN, false)]
        {
            let gains = Command { gain_pos: [2.0; MAX], gain_pos_enabled: flag, ..Command::default() };
            let message = command(&gains);
            assert_eq!(message.gain_pos_enabled, is_set, "{flag}");
            assert_eq!(message.gain_pos, vec![if is_set { 2.0 } else { 0.0 }; MAX]);
            assert_eq!(message.ref_pos.len(), MAX, "r2r panics at another length");
        }
    }

    #[test]
    fn messages_of_any_length_and_counts_of_any_size_stay_within_the_arrays() {
        let message = wire::RobotInfo {
            motor_count: 1000,
            joint_count: -1,
            motor_limit: vec![wire::Limit { minimum: -1.0, maximum: 1.0 }; 40],
            joint_limit: Vec::new(),
            ..wire::RobotInfo::default()
        };
        let info = robot_info(&message);
        assert_eq!((info.motor_count, info.joint_count), (32, 0));
        assert_eq!((info.motor_limit[31], info.joint_limit[0]), ([-1.0, 1.0], [0.0, 0.0]));
        let reading = sensor(&wire::Sensor { contact: vec![3.0; 2], ..wire::Sensor::default() });
        assert_eq!(reading.contact[..3], [3.0, 3.0, 0.0]);
    }
}
