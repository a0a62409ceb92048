use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

/// A joint with the link that it moves. The frames of all links are parallel at zero angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// The joint whose link carries it; `None` for the base. It has a smaller index.
    pub parent: Option<usize>,
    /// Position in the frame of that link \[m\].
    pub origin: Vector3<f64>,
    /// Axis in the frame of that link.
    pub axis: Unit<Vector3<f64>>,
}

/// A place on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// The joint that moves the link; `None` for the base.
    pub link: Option<usize>,
    /// Position in the frame of the link \[m\].
    pub position: Vector3<f64>,
}

/// An inertial unit on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImuMount {
    /// Its origin.
    pub mount: Mount,
    /// From the unit's frame to the link's.
    pub rotation: Rotation3<f64>,
}

/// Where a link is and how it moves, in the frame of the base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Link {
    pub rotation: Matrix3<f64>,
    /// The origin of its joint \[m\].
    pub origin: Vector3<f64>,
    /// The axis of its joint.
    pub axis: Vector3<f64>,
    /// \[rad/s\]
    spin: Vector3<f64>,
    /// \[rad/s²\]
    spin_rate: Vector3<f64>,
    /// Acceleration of its origin \[m/s²\].
    acceleration: Vector3<f64>,
}

impl Link {
    /// The base: it does not move.
    pub(crate) fn base() -> Self {
        let zero = Vector3::zeros();
        Self {
            rotation: Matrix3::identity(),
            origin: zero,
            axis: zero,
            spin: zero,
            spin_rate: zero,
            acceleration: zero,
        }
    }

    pub(crate) fn point(&self, position: Vector3<f64>) -> Vector3<f64> {
        self.origin + self.rotation * position
    }
}

/// A joint's angle \[rad\] with its first \[rad/s\] and second derivative \[rad/s²\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Angle {
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

/// The links at these angles.
pub(crate) fn pose(joints: &[JointFrame], angles: &[Angle], links: &mut [Link]) {
    for (index, (joint, angle)) in joints.iter().zip(angles).enumerate() {
        let parent = link(links, joint.parent);
        let turned = Rotation3::from_axis_angle(&joint.axis, angle.position);
        if let Some(link) = links.get_mut(index) {
            link.rotation = parent.rotation * turned.matrix();
            link.origin = parent.point(joint.origin);
            link.axis = parent.rotation * joint.axis.into_inner();
        }
    }
}

/// The links' motion at these angles, after [`pose`]: the recursion from the base outward.
///
/// With r from the parent's origin to the link's and the joint's axis z: ω = ωₚ + z·q', α = αₚ + z·q'' + ωₚ × z·q',
/// a = aₚ + αₚ × r + ωₚ × (ωₚ × r).
pub(crate) fn motion(joints: &[JointFrame], angles: &[Angle], links: &mut [Link]) {
    for (index, (joint, angle)) in joints.iter().zip(angles).enumerate() {
        let parent = link(links, joint.parent);
        if let Some(link) = links.get_mut(index) {
            let turn = link.axis * angle.velocity;
            link.spin = parent.spin + turn;
            link.spin_rate = parent.spin_rate + link.axis * angle.acceleration + parent.spin.cross(&turn);
            link.acceleration = parent.accelerated(link.origin - parent.origin);
        }
    }
}

impl Link {
    /// The acceleration of the point that is `arm` \[m\] away from the origin.
    fn accelerated(&self, arm: Vector3<f64>) -> Vector3<f64> {
        self.acceleration + self.spin_rate.cross(&arm) + self.spin.cross(&self.spin.cross(&arm))
    }
}

/// Measures as an inertial unit does, after [`motion`]: the acceleration less gravity \[m/s²\] and the angular velocity \[rad/s\], both
/// in its own frame. `gravity` is in the frame of the base.
pub(crate) fn measure(imu: &ImuMount, links: &[Link], gravity: Vector3<f64>) -> [Vector3<f64>; 2] {
    let link = link(links, imu.mount.link);
    let acceleration = link.accelerated(link.rotation * imu.mount.position);
    let to_unit = |v: Vector3<f64>| imu.rotation.inverse_transform_vector(&link.rotation.tr_mul(&v));
    [to_unit(acceleration - gravity), to_unit(link.spin)]
}

/// The link of a joint; the base for `None`.
pub(crate) fn link(links: &[Link], index: Option<usize>) -> Link {
    index.and_then(|index| links.get(index)).copied().unwrap_or_else(Link::base)
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Translation3, UnitQuaternion};

    use super::*;

    /// Three joints at odd angles to each other, the last two on the first.
    fn joints() -> [JointFrame; 3] {
        let frame = |parent, origin: [f64; 3], axis: [f64; 3]| JointFrame {
            parent,
            origin: Vector3::from(origin),
            axis: Unit::new_normalize(Vector3::from(axis)),
        };
        [
            frame(None, [0.1, -0.2, 0.3], [1.0, 2.0, -0.5]),
            frame(Some(0), [0.0, 0.05, 0.2], [0.0, -1.0, 0.3]),
            frame(Some(1), [-0.1, 0.0, 0.15], [0.7, 0.1, 0.9]),
        ]
    }

    fn imu() -> ImuMount {
        let rotation = Rotation3::from_euler_angles(0.3, -1.1, 2.0);
        ImuMount { mount: Mount { link: Some(2), position: Vector3::new(0.02, 0.03, 0.08) }, rotation }
    }

    /// Angles that swing, with their derivatives.
    fn angles(time: f64) -> [Angle; 3] {
        [(0.8, 3.0, 0.1), (1.1, -2.0, 0.7), (0.5, 5.0, -0.4)].map(|(size, rate, phase)| {
            let (sin, cos) = f64::sin_cos(rate * time + phase);
            Angle {
                position: size * sin,
                velocity: size * rate * cos,
                acceleration: -size * rate * rate * sin,
            }
        })
    }

    /// The pose of the unit by quaternions, joint by joint: no line of the code under test.
    fn pose_of_unit(time: f64) -> Isometry3<f64> {
        let mut pose = Isometry3::identity();
        for (joint, angle) in joints().iter().zip(angles(time)) {
            let turn = UnitQuaternion::from_axis_angle(&joint.axis, angle.position);
            pose *= Isometry3::from_parts(Translation3::from(joint.origin), turn);
        }
        let imu = imu();
        let turn = UnitQuaternion::from_euler_angles(0.3, -1.1, 2.0);
        pose * Isometry3::from_parts(Translation3::from(imu.mount.position), turn)
    }

    #[test]
    fn a_moving_unit_measures_the_derivatives_of_its_pose() {
        let gravity = Vector3::new(1.0, -2.0, -9.0);
        for time in [0.0, 0.4, 1.3, 2.9] {
            let mut links = [Link::base(); 3];
            pose(&joints(), &angles(time), &mut links);
            motion(&joints(), &angles(time), &mut links);
            let [acceleration, spin] = measure(&imu(), &links, gravity);
            let step = 1e-4;
            let [before, at, after] = [-step, 0.0, step].map(|shift| pose_of_unit(time + shift));
            let place = |pose: &Isometry3<f64>| pose.translation.vector;
            let second = (place(&before) - place(&at) * 2.0 + place(&after)) / (step * step);
            let expected = at.rotation.inverse() * (second - gravity);
            assert!((acceleration - expected).norm() < 1e-4, "{time} s: {acceleration} {expected}");
            // The turn from before to after, in the frame of the unit.
            let expected = (before.rotation.inverse() * after.rotation).scaled_axis() / (2.0 * step);
            assert!((spin - expected).norm() < 1e-5, "{time} s: {spin} {expected}");
        }
    }

    #[test]
    fn a_unit_on_the_base_measures_gravity_alone() {
        let imu =
            ImuMount { mount: Mount { link: None, position: Vector3::x() }, rotation: Rotation3::identity() };
        let [acceleration, spin] = measure(&imu, &[], Vector3::new(0.0, 0.0, -9.81));
        assert_eq!((acceleration, spin), (Vector3::new(0.0, 0.0, 9.81), Vector3::zeros()));
    }
}
