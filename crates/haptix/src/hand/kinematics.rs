use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

/// A joint with the link that it moves. The frames of all links are parallel at zero angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JointFrame {
    /// The joint whose link carries it; `None` for the base. It has a smaller index.
    pub parent: Option<usize>,
    /// In the frame of that link \[m\].
    pub origin: Vector3<f64>,
    /// In the frame of that link.
    pub axis: Unit<Vector3<f64>>,
}

/// A place on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mount {
    /// The joint that moves the link; `None` for the base.
    pub link: Option<usize>,
    /// In the frame of the link \[m\].
    pub position: Vector3<f64>,
}

/// An inertial unit on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ImuMount {
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
    /// Of its origin \[m/s²\].
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

/// A joint's angle \[rad\] with its first and second derivative.
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

/// What an inertial unit measures after [`motion`]: the acceleration less gravity \[m/s²\] and the angular velocity \[rad/s\], both
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
