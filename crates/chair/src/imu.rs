use core::f64::consts::FRAC_PI_2;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// The used fields of a `LuciImu`: the others are raw, duplicates or undefined.
///
/// # Source
/// LUCI `luci_messages` 2.0.0; `luci-ros2-grpc` 2.0.3 leaves `gyro_y`, `gyro_z` and the `cal_*` fields uninitialised
/// and never fills `edge_timestamp`, so none of them is used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuFields {
    /// Orientation of the chair's axes (x right, y forward, z up): x, y, z, w.
    pub quaternion: [f32; 4],
    /// Acceleration including gravity, in the chair's axes, in a unit that LUCI does not document.
    pub accelerometer: [f32; 3],
}

/// The parts of a `sensor_msgs/msg/Imu` in axes with x forward.
///
/// Covariances are row by row; -1 in the first place means that the value is missing, all zero that it is present
/// with an unknown covariance.
/// # Source
/// REP-103, REP-145; `sensor_msgs/msg/Imu`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imu {
    /// Orientation of the chair (x forward, y left, z up): x, y, z, w.
    pub orientation: [f64; 4],
    /// -1 first if the quaternion was invalid.
    pub orientation_covariance: [f64; 9],
    /// Always 0: two of the three parts are undefined.
    pub angular_velocity: [f64; 3],
    /// Always -1 first.
    pub angular_velocity_covariance: [f64; 9],
    /// Acceleration, gravity included \[m/s²\].
    pub linear_acceleration: [f64; 3],
    /// -1 first if a part was not a number.
    pub linear_acceleration_covariance: [f64; 9],
}

const STATED_BY_NOBODY: [f64; 9] = [0.0; 9];
const NOT_THERE: [f64; 9] = [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// Converts `fields` to axes with x forward; one unit of the accelerometer is `unit` \[m/s²\].
///
/// A vector (x right, y forward) becomes (y, -x). An orientation q becomes q · (90 degrees about z), which rotates
/// the body frame and keeps the world frame.
/// * A quaternion that is not a number, or whose length differs from 1 by more than a hundredth, counts as missing.
/// # Source
/// LUCI's frames, `luci_transforms` 2.0.0: 90 degrees about z lie between them and `base_link`.
pub fn imu(fields: &ImuFields, unit: f64) -> Imu {
    let (orientation, orientation_covariance) = match turned(fields.quaternion.map(f64::from)) {
        Some(orientation) => (orientation, STATED_BY_NOBODY),
        None => ([0.0, 0.0, 0.0, 1.0], NOT_THERE),
    };
    let [x, y, z] = fields.accelerometer.map(|part| f64::from(part) * unit);
    let is_there = [x, y, z].iter().all(|part| part.is_finite());
    let (linear_acceleration, linear_acceleration_covariance) =
        if is_there { ([y, -x, z], STATED_BY_NOBODY) } else { ([0.0; 3], NOT_THERE) };
    Imu {
        orientation,
        orientation_covariance,
        angular_velocity: [0.0; 3],
        angular_velocity_covariance: NOT_THERE,
        linear_acceleration,
        linear_acceleration_covariance,
    }
}

fn turned(quaternion: [f64; 4]) -> Option<[f64; 4]> {
    let quaternion = Quaternion::from(quaternion);
    let is_unit = (0.99..=1.01).contains(&quaternion.norm());
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), FRAC_PI_2);
    is_unit.then(|| (UnitQuaternion::from_quaternion(quaternion) * quarter).coords.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotated(quaternion: [f64; 4], vector: [f64; 3]) -> [f64; 3] {
        (UnitQuaternion::from_quaternion(Quaternion::from(quaternion)) * Vector3::from(vector)).into()
    }

    fn near(a: [f64; 3], b: [f64; 3]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
    }

    #[test]
    fn forward_is_the_same_direction_in_the_world() {
        // Any attitude: LUCI's y axis and our x axis are both the chair's forward; its x and our -y both its right.
        for q in
            [[0.0, 0.0, 0.0, 1.0], [0.5, -0.5, 0.5, 0.5], [0.6, 0.0, 0.0, 0.8], [0.0, 0.28, 0.96, 0.0_f32]]
        {
            let fields = ImuFields { quaternion: q, accelerometer: [0.0; 3] };
            let (theirs, ours) = (q.map(f64::from), imu(&fields, 1.0).orientation);
            assert!(near(rotated(theirs, [0.0, 1.0, 0.0]), rotated(ours, [1.0, 0.0, 0.0])), "{q:?}");
            assert!(near(rotated(theirs, [1.0, 0.0, 0.0]), rotated(ours, [0.0, -1.0, 0.0])), "{q:?}");
            assert!(near(rotated(theirs, [0.0, 0.0, 1.0]), rotated(ours, [0.0, 0.0, 1.0])), "{q:?}");
        }
    }

    #[test]
    fn acceleration_is_turned_and_in_metres() {
        // Speeding up forward (y of LUCI) by 0.5 g, to the right by 0.25 g.
        let got = imu(&ImuFields { quaternion: [0.0, 0.0, 0.0, 1.0], accelerometer: [0.25, 0.5, 1.0] }, 9.8);
        assert!(near(got.linear_acceleration, [4.9, -2.45, 9.8]));
        assert_eq!(got.linear_acceleration_covariance[0], 0.0);
    }

    #[test]
    fn what_is_garbage_is_not_there() {
        let got = imu(&ImuFields { quaternion: [0.0; 4], accelerometer: [f32::NAN, 0.0, 9.8] }, 1.0);
        assert_eq!((got.angular_velocity, got.angular_velocity_covariance[0]), ([0.0; 3], -1.0));
        assert_eq!((got.orientation, got.orientation_covariance[0]), ([0.0, 0.0, 0.0, 1.0], -1.0));
        assert_eq!((got.linear_acceleration, got.linear_acceleration_covariance[0]), ([0.0; 3], -1.0));
        for bad in [[f32::NAN, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.1], [f32::INFINITY, 0.0, 0.0, 0.0]] {
            let got = imu(&ImuFields { quaternion: bad, accelerometer: [0.0; 3] }, 1.0);
            assert_eq!(got.orientation_covariance[0], -1.0, "{bad:?}");
        }
    }
}
