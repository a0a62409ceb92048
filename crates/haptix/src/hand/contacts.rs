use nalgebra::Vector3;

use crate::hand::kinematics::{Angle, JointFrame, Link, Mount, link};
use crate::hand::servo::Load;
use crate::simulation::{Object, Shape};
use crate::wire::MAX;

/// A contact sensor: a small ball on a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pad {
    /// Its center.
    pub mount: Mount,
    /// \[m\]
    pub radius: f64,
}

/// What is known of the hand at an instant.
pub(crate) struct Posture<'a> {
    pub joints: &'a [JointFrame],
    pub angles: &'a [Angle],
    pub links: &'a [Link],
    /// The motor of each joint, and the derivative of the joint's angle by the motor's.
    pub drives: &'a [(usize, f64)],
}

/// One pad that is near one object.
struct Touch {
    /// How deep it is; negative outside \[m\].
    depth: f64,
    /// Out of the object; zero for a stop, whose force has no direction in space.
    normal: Vector3<f64>,
    /// The derivative of the depth by each joint's angle \[m/rad\].
    jacobian: [f64; MAX],
    /// The derivative of the depth by the time \[m/s\].
    rate: f64,
}

impl Posture<'_> {
    fn touch(&self, index: usize, pad: &Pad, object: &Object) -> Option<Touch> {
        let mut jacobian = [0.0; MAX];
        let at = link(self.links, pad.mount.link).point(pad.mount.position);
        let (depth, normal) = match object.shape {
            Shape::Stop { contact, angle } => {
                let joint = pad.mount.link.filter(|_| contact == index)?;
                let (link, turned) = (self.links.get(joint)?, self.angles.get(joint)?);
                let lever = link.axis.cross(&(at - link.origin)).norm();
                *jacobian.get_mut(joint)? = lever;
                (lever * (turned.position - angle), Vector3::zeros())
            }
            Shape::Sphere { center, radius } => {
                let out = at - center;
                let distance = out.norm();
                // At the very center every direction is out.
                let normal = if distance > 1e-12 { out / distance } else { Vector3::z() };
                (radius + pad.radius - distance, normal)
            }
            Shape::Plane { point, normal } => (pad.radius - (at - point).dot(&normal), normal),
        };
        // Far away: the finger tips do not reach 1 m within a step.
        if depth < -1.0 {
            return None;
        }
        if normal != Vector3::zeros() {
            let mut on = pad.mount.link;
            while let Some(joint) = on {
                let (link, frame) = (self.links.get(joint)?, self.joints.get(joint)?);
                *jacobian.get_mut(joint)? = -normal.dot(&link.axis.cross(&(at - link.origin)));
                on = frame.parent;
            }
        }
        let rates = self.angles.iter().zip(&jacobian).map(|(angle, part)| angle.velocity * part);
        Some(Touch { depth, normal, rate: rates.sum(), jacobian })
    }

    /// Adds what `objects` do to each motor in a step of `dt` \[s\].
    ///
    /// The force is that at the end of the step if the velocities stayed: k·(δ + dt·δ') + c·δ', at least 0. By how much it falls with a
    /// change of the velocities is a matrix over the motors, (k·dt² + c·dt)·JᵀJ; its rows' sums of absolute values take its place,
    /// which lie above it, so motors that push the same pad can be solved one by one and stay stable.
    pub(crate) fn load(&self, pads: &[Pad], objects: &[Option<Object>], dt: f64, loads: &mut [Load; MAX]) {
        for object in objects.iter().flatten() {
            for (index, pad) in pads.iter().enumerate() {
                let Some(touch) = self.touch(index, pad, object) else { continue };
                let depth = touch.depth + dt * touch.rate;
                let force = object.stiffness * depth + object.damping * touch.rate;
                if depth <= 0.0 || force <= 0.0 {
                    continue;
                }
                let mut levers = [0.0; MAX];
                for (&(motor, slope), part) in self.drives.iter().zip(&touch.jacobian) {
                    if let Some(lever) = levers.get_mut(motor) {
                        *lever += slope * part;
                    }
                }
                let sum: f64 = levers.iter().map(|lever| lever.abs()).sum();
                let hardness = object.stiffness * dt * dt + object.damping * dt;
                for (load, lever) in loads.iter_mut().zip(&levers) {
                    load.torque -= force * lever;
                    load.resistance += hardness * lever.abs() * sum;
                }
            }
        }
    }

    /// The force on the pad `index` \[N\]: the magnitude of the sum of the objects' normal forces, plus those of stops.
    pub(crate) fn force(&self, index: usize, pad: &Pad, objects: &[Option<Object>]) -> f64 {
        let (mut total, mut stops) = (Vector3::zeros(), 0.0);
        for object in objects.iter().flatten() {
            let Some(touch) = self.touch(index, pad, object).filter(|touch| touch.depth > 0.0) else {
                continue;
            };
            let force = (object.stiffness * touch.depth + object.damping * touch.rate).max(0.0);
            total += touch.normal * force;
            stops += if touch.normal == Vector3::zeros() { force } else { 0.0 };
        }
        total.norm() + stops
    }
}
