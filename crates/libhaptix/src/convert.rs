use core::ffi::c_int;

use r2r::haptix_msgs::msg as wire;

use crate::abi::{Command, Flag, MAX, RobotInfo, Sensor, Time};

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

/// Converts the counts and ranges of the hand's parts, and its update rate, to C; no count is beyond the arrays.
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

/// A command as a message. A group without its flag, which programs leave uninitialised, is sent as 0.
pub fn command(command: &Command) -> wire::Command {
    let group = |values: &[f32; MAX], flag: Flag| {
        (if flag.is_set() { values.to_vec() } else { vec![0.0; MAX] }, flag.is_set())
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
    fn only_a_flag_of_one_is_set_and_a_group_without_it_is_not_sent() {
        for flag in [0, 1, 2, 3, 255, 256, 257, 32767, 0x0100_0000, c_int::MAX, -1, c_int::MIN] {
            let (is_set, values, enabled) = (flag == 1, [2.0; MAX], Flag(flag));
            let message = command(&Command {
                ref_pos: values,
                ref_pos_enabled: enabled,
                ref_vel: values,
                ref_vel_enabled: enabled,
                ref_vel_max: values,
                ref_vel_max_enabled: enabled,
                gain_pos: values,
                gain_pos_enabled: enabled,
                gain_vel: values,
                gain_vel_enabled: enabled,
            });
            for (name, found, sent) in [
                ("ref_pos", message.ref_pos_enabled, message.ref_pos),
                ("ref_vel", message.ref_vel_enabled, message.ref_vel),
                ("ref_vel_max", message.ref_vel_max_enabled, message.ref_vel_max),
                ("gain_pos", message.gain_pos_enabled, message.gain_pos),
                ("gain_vel", message.gain_vel_enabled, message.gain_vel),
            ] {
                assert_eq!(found, is_set, "{name} by {flag}");
                assert_eq!(sent, vec![if is_set { 2.0 } else { 0.0 }; MAX], "{name} by {flag}");
            }
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
