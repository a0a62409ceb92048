/// The position and orientation of a sensor in the vehicle's frame.
///
/// A point p of the sensor is Rz(yaw) · Ry(pitch) · Rx(roll) · p + (x, y, z) in the vehicle's frame. All must be
/// finite.
/// # Source
/// REP-103, fixed axes; the same six numbers as in a URDF joint's origin. Roll is for scanners mounted upside down
/// and for the optical frames of cameras.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Forward \[m\].
    pub x: f64,
    /// To the left \[m\].
    pub y: f64,
    /// Above the floor \[m\].
    pub z: f64,
    /// About the x axis \[rad\].
    pub roll: f64,
    /// About the y axis \[rad\].
    pub pitch: f64,
    /// About the z axis, counter-clockwise \[rad\].
    pub yaw: f64,
}

/// A [`Pose`] prepared for many points. It has code of its own, since nalgebra's took 1.6 times as long for a cloud.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    rows: [[f64; 3]; 3],
    at: [f64; 3],
}

impl Transform {
    pub fn new(pose: &Pose) -> Self {
        let ((sr, cr), (sp, cp), (sy, cy)) = (pose.roll.sin_cos(), pose.pitch.sin_cos(), pose.yaw.sin_cos());
        Self {
            rows: [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ],
            at: [pose.x, pose.y, pose.z],
        }
    }

    /// A point of the sensor in the vehicle's frame \[m\].
    pub fn point(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.rows;
        [
            a * x + b * y + c * z + self.at[0],
            d * x + e * y + f * z + self.at[1],
            g * x + h * y + i * z + self.at[2],
        ]
    }

    /// The direction at `angle` \[rad\] in the sensor's plane, projected on the floor; shorter than 1 where it rises
    /// or falls.
    pub fn beam(&self, angle: f64) -> [f64; 2] {
        let (y, x) = angle.sin_cos();
        let [[a, b, _], [d, e, _], _] = self.rows;
        [a * x + b * y, d * x + e * y]
    }

    /// The position of the sensor on the floor \[m\].
    pub fn origin(&self) -> [f64; 2] {
        [self.at[0], self.at[1]]
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::{FRAC_PI_2, PI};

    use super::*;

    fn near<const N: usize>(got: [f64; N], expected: [f64; N]) {
        let is_near = got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(is_near, "{got:?}, not {expected:?}");
    }

    #[test]
    fn an_optical_frame_looks_along_its_z_axis() {
        // z forward, x right, y down.
        let pose = Pose { z: 1.0, roll: -FRAC_PI_2, yaw: -FRAC_PI_2, ..Pose::default() };
        near(Transform::new(&pose).point([0.5, 0.25, 2.0]), [2.0, -0.5, 0.75]);
    }

    #[test]
    fn a_scanner_upside_down_turns_the_other_way_round() {
        let pose = Pose { x: 0.5, roll: PI, ..Pose::default() };
        near(Transform::new(&pose).beam(0.3), [0.3f64.cos(), -(0.3f64.sin())]);
        let turned = Transform::new(&Pose { yaw: FRAC_PI_2, ..pose });
        near(turned.beam(0.0), [0.0, 1.0]);
        near(turned.point([1.0, 0.0, 0.0]), [0.5, 1.0, 0.0]);
        near(turned.origin(), [0.5, 0.0]);
    }

    #[test]
    fn a_pitched_beam_is_shorter_on_the_floor() {
        let pose = Pose { z: 1.0, pitch: PI / 3.0, ..Pose::default() };
        near(Transform::new(&pose).beam(0.0), [0.5, 0.0]);
        // Pitch turns the nose down: after 2 m along the beam the height is 1 - 2 sin 60°.
        near(Transform::new(&pose).point([2.0, 0.0, 0.0]), [1.0, 0.0, 1.0 - 3f64.sqrt()]);
    }
}
