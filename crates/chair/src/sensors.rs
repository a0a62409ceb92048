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

/// The matrices of a `sensor_msgs/msg/CameraInfo`, row by row, for a single camera.
///
/// Its lens distortion is unknown: leave `distortion_model` and `d` empty.
/// # Source
/// `sensor_msgs/msg/CameraInfo`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraMatrices {
    /// Intrinsic: \[fx 0 cx; 0 fy cy; 0 0 1\] \[pixel\].
    pub k: [f64; 9],
    /// Rectification: none, the identity.
    pub r: [f64; 9],
    /// Projection: k beside a column of zero \[pixel\].
    pub p: [f64; 12],
}

/// An invalid intrinsic value of a camera.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{part} is {value} pixel, must be {}", self.rule())]
pub struct BadCamera {
    /// The name of the value.
    pub part: &'static str,
    /// The value \[pixel\].
    pub value: f32,
}

/// The matrices for the `intrinsics` fx, fy, ppx, ppy of a `LuciCameraInfo` \[pixel\].
/// # Errors
/// [`BadCamera`] for a focal length that is not above 0 and for values that are not finite.
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciCameraInfo`. Its extrinsic values are not used: LUCI already publishes its clouds
/// in one frame, and may send rotations in a unit that the message does not define.
pub fn camera(intrinsics: [f32; 4]) -> Result<CameraMatrices, BadCamera> {
    const PARTS: [&str; 4] = ["fx", "fy", "ppx", "ppy"];
    for (index, (value, part)) in intrinsics.into_iter().zip(PARTS).enumerate() {
        if !value.is_finite() || (index < 2 && value <= 0.0) {
            return Err(BadCamera { part, value });
        }
    }
    let [fx, fy, cx, cy] = intrinsics.map(f64::from);
    Ok(CameraMatrices {
        k: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
    })
}

impl BadCamera {
    fn rule(&self) -> &'static str {
        if self.part.starts_with('f') { "finite and above 0" } else { "finite" }
    }
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

    #[test]
    fn a_point_ahead_falls_on_the_principal_point() {
        let camera = camera([600.0, 500.0, 320.0, 240.0]).unwrap();
        // (x, y, z) = (0.1, 0.2, 2) falls on 600 · 0.05 + 320 and 500 · 0.1 + 240.
        let row = |row: usize, point: [f64; 3]| (0..3).map(|i| camera.k[row * 3 + i] * point[i]).sum::<f64>();
        let of = |point| (row(0, point) / row(2, point), row(1, point) / row(2, point));
        assert_eq!((of([0.0, 0.0, 2.0]), of([0.1, 0.2, 2.0])), ((320.0, 240.0), (350.0, 290.0)));
        let columns = |row: usize| &camera.p[row * 4..row * 4 + 4];
        for row in 0..3 {
            assert_eq!((&columns(row)[..3], columns(row)[3]), (&camera.k[row * 3..row * 3 + 3], 0.0));
        }
        assert_eq!(camera.r, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn a_camera_without_a_focal_length_is_refused() {
        let text = |intrinsics| camera(intrinsics).unwrap_err().to_string();
        assert_eq!(text([0.0, 1.0, 1.0, 1.0]), "fx is 0 pixel, must be finite and above 0");
        assert_eq!(text([1.0, -5.0, 1.0, 1.0]), "fy is -5 pixel, must be finite and above 0");
        assert_eq!(text([1.0, 1.0, f32::NAN, 1.0]), "ppx is NaN pixel, must be finite");
        assert!(camera([1.0, 1.0, 0.0, -3.0]).is_ok(), "the principal point may lie anywhere");
    }
}
