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
