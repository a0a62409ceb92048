use nalgebra::Vector3;

use crate::hand::kinematics::{Angle, JointFrame, Link, Mount, link};
use crate::simulation::{MAX_OBJECTS, Object, Shape};
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
#[derive(Clone, Copy)]
struct Touch {
    /// How deep it is; negative outside \[m\].
    depth: f64,
    /// Out of the object; zero for a stop, whose force has no direction in space.
    normal: Vector3<f64>,
    /// The derivative of the depth by each joint's angle \[m/rad\].
    jacobian: [f64; MAX],
}

/// How the depth of a pad that sank into an object follows the joints: as it did when the pad had sunk in by half of its radius.
///
/// δ = δ₀ + J₀·(q - q₀). A joint that presses presses on, however far it turns, so no pad comes out on the other side of an object. It
/// ends when the pad has come back to where it began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sunk {
    /// δ₀ - J₀·q₀ \[m\]
    offset: f64,
    normal: Vector3<f64>,
    jacobian: [f64; MAX],
}

/// The memory of a hand's contacts, for each pair of an object and a pad.
#[derive(Clone, Debug)]
pub(crate) struct Contacts {
    pads: usize,
    sunk: Box<[Option<Sunk>]>,
    /// Room for the contacts of a step, of which the first `count` count.
    pressing: Box<[Pressing]>,
    count: usize,
}

/// A contact within a step.
#[derive(Clone, Copy, Debug, Default)]
struct Pressing {
    /// At the begin of the step \[m\].
    depth: f64,
    /// The derivative of the depth by the position of each motor \[m/rad\].
    levers: [f64; MAX],
    stiffness: f64,
    damping: f64,
    /// An upper bound of how much the speed into the object falls with the force \[m/s/N\].
    yielding: f64,
    /// \[N\]
    force: f64,
}

/// A pad that is farther from an object than this cannot touch it within a step \[m\].
const REACH: f64 = 0.05;
/// Sweeps over the contacts of a step at most.
const SWEEPS: usize = 50;
/// A change of the speed into an object that ends the sweeps \[m/s\].
const STILL: f64 = 1e-9;

impl Contacts {
    pub(crate) fn new(pads: usize) -> Self {
        let pairs = pads * MAX_OBJECTS;
        Self {
            pads,
            sunk: vec![None; pairs].into_boxed_slice(),
            pressing: vec![Pressing::default(); pairs].into_boxed_slice(),
            count: 0,
        }
    }

    /// Forgets what it knew of `object`.
    pub(crate) fn forget(&mut self, object: usize) {
        for sunk in self.sunk.iter_mut().skip(object * self.pads).take(self.pads) {
            *sunk = None;
        }
        self.count = 0;
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.sunk.fill(None);
        self.count = 0;
    }

    /// Finds the contacts of a step. `mobility` is by how much the velocity of each motor rises with a torque for that step,
    /// at most \[rad/s/(N·m)\].
    pub(crate) fn find(
        &mut self,
        posture: &Posture<'_>,
        pads: &[Pad],
        objects: &[Option<Object>],
        mobility: &[f64; MAX],
    ) {
        self.count = 0;
        for (place, object) in objects.iter().enumerate() {
            let Some(object) = object else { continue };
            for (index, pad) in pads.iter().enumerate() {
                let pair = place * self.pads + index;
                let (Some(sunk), Some(touch)) = (self.sunk.get_mut(pair), posture.touch(index, pad, object))
                else {
                    continue;
                };
                let touch = follow(sunk, touch, pad, posture.angles);
                if touch.depth < -REACH {
                    continue;
                }
                let Some(pressing) = self.pressing.get_mut(self.count) else { continue };
                let mut levers = [0.0; MAX];
                for (&(motor, slope), part) in posture.drives.iter().zip(&touch.jacobian) {
                    if let Some(lever) = levers.get_mut(motor) {
                        *lever += slope * part;
                    }
                }
                let yielding = levers.iter().zip(mobility).map(|(lever, mobility)| lever * lever * mobility);
                *pressing = Pressing {
                    depth: touch.depth,
                    levers,
                    stiffness: object.stiffness,
                    damping: object.damping,
                    yielding: yielding.sum(),
                    force: 0.0,
                };
                self.count += 1;
            }
        }
    }

    /// The torques of the contacts on the motors \[N·m\] in a step of `dt` \[s\], where `velocity` is that of a motor at the end of the
    /// step under a torque.
    ///
    /// All forces are those at the end of the step, when the depth is δ' = δ + dt·u with the speed u into the object: k·δ' + c·u, at least
    /// 0, if δ' > 0, and at δ' = 0 what keeps it there. Forces never fall with u, and velocities never rise with forces: there is one
    /// solution, which no stiffness, damping or step makes unstable. One contact after the other takes its force, until none changes.
    /// # Real-time
    /// Allocates nothing; at most [`SWEEPS`] times the number of contacts.
    pub(crate) fn solve(&mut self, dt: f64, velocity: impl Fn(usize, f64) -> f64) -> [f64; MAX] {
        let mut torques = [0.0; MAX];
        let mut velocities = [0.0; MAX];
        for (motor, to) in velocities.iter_mut().enumerate() {
            *to = velocity(motor, 0.0);
        }
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for pressing in self.pressing.iter_mut().take(self.count) {
                let speed: f64 = pressing.levers.iter().zip(&velocities).map(|(l, v)| l * v).sum();
                let force = pressing.force_at(speed, dt);
                let more = force - pressing.force;
                if more == 0.0 {
                    continue;
                }
                pressing.force = force;
                change = change.max(more.abs() * pressing.yielding);
                for (motor, lever) in pressing.levers.iter().enumerate() {
                    if *lever != 0.0 {
                        torques[motor] -= more * lever;
                        velocities[motor] = velocity(motor, torques[motor]);
                    }
                }
            }
            if change < STILL {
                break;
            }
        }
        torques
    }

    /// The force on the pad `index` \[N\]: the magnitude of the sum of the objects' normal forces, plus those of stops.
    pub(crate) fn force(
        &self,
        posture: &Posture<'_>,
        index: usize,
        pad: &Pad,
        objects: &[Option<Object>],
    ) -> f64 {
        let (mut total, mut stops) = (Vector3::zeros(), 0.0);
        for (place, object) in objects.iter().enumerate() {
            let Some(object) = object else { continue };
            let Some(mut touch) = posture.touch(index, pad, object) else { continue };
            if let Some(Some(sunk)) = self.sunk.get(place * self.pads + index) {
                touch = sunk.touch(posture.angles);
            }
            if touch.depth <= 0.0 {
                continue;
            }
            let rate: f64 =
                posture.angles.iter().zip(&touch.jacobian).map(|(angle, part)| angle.velocity * part).sum();
            let force = (object.stiffness * touch.depth + object.damping * rate).max(0.0);
            total += touch.normal * force;
            stops += if touch.normal == Vector3::zeros() { force } else { 0.0 };
        }
        total.norm() + stops
    }
}

impl Pressing {
    /// The force, if the speed into the object was `speed` \[m/s\] with the force so far.
    fn force_at(&self, speed: f64, dt: f64) -> f64 {
        // The speed without this contact, and the one that leaves the pad on the surface.
        let (free, touching) = (speed + self.yielding * self.force, -self.depth / dt);
        if free <= touching {
            return 0.0;
        }
        let hardness = self.stiffness * dt + self.damping;
        let force = (self.stiffness * self.depth + hardness * free) / (1.0 + hardness * self.yielding);
        if free - self.yielding * force >= touching {
            force.max(0.0)
        } else {
            (free - touching) / self.yielding
        }
    }
}

impl Sunk {
    fn touch(&self, angles: &[Angle]) -> Touch {
        let turned: f64 = angles.iter().zip(&self.jacobian).map(|(angle, part)| angle.position * part).sum();
        Touch { depth: self.offset + turned, normal: self.normal, jacobian: self.jacobian }
    }
}

/// The contact of a pad that is at `touch`, after what is remembered in `sunk`.
fn follow(sunk: &mut Option<Sunk>, touch: Touch, pad: &Pad, angles: &[Angle]) -> Touch {
    let begin = pad.radius / 2.0;
    if let Some(known) = sunk {
        let known = known.touch(angles);
        if known.depth > begin {
            return known;
        }
        *sunk = None;
    }
    // A stop is linear by itself.
    if touch.depth > begin && touch.normal != Vector3::zeros() {
        let turned: f64 = angles.iter().zip(&touch.jacobian).map(|(angle, part)| angle.position * part).sum();
        *sunk = Some(Sunk { offset: touch.depth - turned, normal: touch.normal, jacobian: touch.jacobian });
    }
    touch
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
        if normal != Vector3::zeros() {
            let mut on = pad.mount.link;
            while let Some(joint) = on {
                let (link, frame) = (self.links.get(joint)?, self.joints.get(joint)?);
                *jacobian.get_mut(joint)? = -normal.dot(&link.axis.cross(&(at - link.origin)));
                on = frame.parent;
            }
        }
        Some(Touch { depth, normal, jacobian })
    }
}
