use nalgebra::Vector3;

use crate::hand::kinematics::{Angle, JointFrame, Link, Mount, link};
use crate::hand::servo::Response;
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

/// Posture of the hand at an instant.
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
    /// The forces of the last step, from which the next one begins its search \[N\].
    forces: Box<[f64]>,
    /// Room for the contacts of a step, of which the first `count` count.
    pressing: Box<[Pressing]>,
    count: usize,
}

/// A contact within a step.
#[derive(Clone, Copy, Debug, Default)]
struct Pressing {
    /// Its place in what is remembered.
    pair: usize,
    /// At the begin of the step \[m\].
    depth: f64,
    /// The motors that move it, with the derivative of the depth by the position of each \[m/rad\]; the first `moving` count.
    levers: [(usize, f64); MAX],
    moving: usize,
    stiffness: f64,
    damping: f64,
    /// An upper bound of how much the speed into the object falls with the force \[m/s/N\].
    yielding: f64,
    /// \[N\]
    force: f64,
}

/// A pad that is farther from an object than this cannot touch it within a step, unless it is faster than 10 m/s \[m\].
const REACH: f64 = 0.01;
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
            forces: vec![0.0; pairs].into_boxed_slice(),
            pressing: vec![Pressing::default(); pairs].into_boxed_slice(),
            count: 0,
        }
    }

    /// Forgets what it knew of `object`.
    pub(crate) fn forget(&mut self, object: usize) {
        for (sunk, force) in
            self.sunk.iter_mut().zip(&mut self.forces).skip(object * self.pads).take(self.pads)
        {
            (*sunk, *force) = (None, 0.0);
        }
        self.count = 0;
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.sunk.fill(None);
        self.forces.fill(0.0);
        self.count = 0;
    }

    /// Finds the contacts of a step, in which the motors answer by `responses`.
    pub(crate) fn find(
        &mut self,
        posture: &Posture<'_>,
        pads: &[Pad],
        objects: &[Option<Object>],
        responses: &[Response; MAX],
    ) {
        self.count = 0;
        for (place, object) in objects.iter().enumerate() {
            let Some(object) = object else { continue };
            for (index, pad) in pads.iter().enumerate() {
                let pair = place * self.pads + index;
                let Some(touch) =
                    self.sunk.get_mut(pair).and_then(|sunk| posture.follow(sunk, index, pad, object))
                else {
                    continue;
                };
                let Some(pressing) = self.pressing.get_mut(self.count) else { continue };
                *pressing = Pressing {
                    pair,
                    force: self.forces.get(pair).copied().unwrap_or_default(),
                    depth: touch.depth,
                    stiffness: object.stiffness,
                    damping: object.damping,
                    ..Pressing::default()
                };
                pressing.pull(&touch.jacobian, posture.drives, responses);
                self.count += 1;
            }
        }
    }

    /// The torques of the contacts on the motors \[N·m\] in a step of `dt` \[s\], in which the motors answer by `responses`.
    ///
    /// All forces are those at the end of the step, when the depth is δ' = δ + dt·u with the speed u into the object: k·δ' + c·u, at least
    /// 0, if δ' > 0, and at δ' = 0 what keeps it there. Forces never fall with u, and velocities never rise with forces: there is one
    /// solution, which no stiffness, damping or step makes unstable. One contact after the other takes its force, until none changes.
    /// # Real-time
    /// Allocates nothing; at most [`SWEEPS`] times the number of contacts.
    pub(crate) fn solve(&mut self, dt: f64, responses: &[Response; MAX]) -> [f64; MAX] {
        let mut torques = [0.0; MAX];
        if self.count == 0 {
            return torques;
        }
        for pressing in self.pressing.iter().take(self.count) {
            for &(motor, lever) in pressing.levers() {
                torques[motor] -= pressing.force * lever;
            }
        }
        let mut velocities = [0.0; MAX];
        for (velocity, (response, torque)) in velocities.iter_mut().zip(responses.iter().zip(torques)) {
            *velocity = response.velocity(torque);
        }
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for pressing in self.pressing.iter_mut().take(self.count) {
                let speed: f64 =
                    pressing.levers().iter().map(|&(motor, lever)| lever * velocities[motor]).sum();
                let more = pressing.force_at(speed, dt) - pressing.force;
                if more == 0.0 {
                    continue;
                }
                for &(motor, lever) in pressing.levers() {
                    torques[motor] -= more * lever;
                    velocities[motor] = responses[motor].velocity(torques[motor]);
                }
                pressing.force += more;
                change = change.max(more.abs() * pressing.yielding);
            }
            if change < STILL {
                break;
            }
        }
        self.forces.fill(0.0);
        for pressing in self.pressing.iter().take(self.count) {
            if let Some(force) = self.forces.get_mut(pressing.pair) {
                *force = pressing.force;
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
            let touch = match self.sunk.get(place * self.pads + index) {
                Some(Some(sunk)) => Some(sunk.touch(posture.angles)),
                _ => posture.touch(index, pad, object),
            };
            let Some(touch) = touch.filter(|touch| touch.depth > 0.0) else { continue };
            let rate = along(&touch.jacobian, posture.angles, |angle| angle.velocity);
            let force = (object.stiffness * touch.depth + object.damping * rate).max(0.0);
            total += touch.normal * force;
            stops += if touch.normal == Vector3::zeros() { force } else { 0.0 };
        }
        total.norm() + stops
    }
}

impl Pressing {
    /// Sets what moves it: each joint of `drives` by its motor.
    fn pull(&mut self, jacobian: &[f64; MAX], drives: &[(usize, f64)], responses: &[Response; MAX]) {
        let mut levers = [0.0; MAX];
        for (&(motor, slope), part) in drives.iter().zip(jacobian) {
            levers[motor] += slope * part;
        }
        for (motor, lever) in levers.into_iter().enumerate().filter(|(_, lever)| *lever != 0.0) {
            self.levers[self.moving] = (motor, lever);
            self.moving += 1;
            self.yielding += lever * lever * responses[motor].mobility;
        }
    }

    fn levers(&self) -> &[(usize, f64)] {
        self.levers.get(..self.moving).unwrap_or(&[])
    }

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
        let turned = along(&self.jacobian, angles, |angle| angle.position);
        Touch { depth: self.offset + turned, normal: self.normal, jacobian: self.jacobian }
    }
}

/// How the depth follows `part` of the angles.
fn along(jacobian: &[f64; MAX], angles: &[Angle], part: impl Fn(&Angle) -> f64) -> f64 {
    angles.iter().zip(jacobian).map(|(angle, slope)| part(angle) * slope).sum()
}

impl Posture<'_> {
    /// The contact of a pad after what is remembered of it; `None` if it is out of reach.
    fn follow(&self, sunk: &mut Option<Sunk>, index: usize, pad: &Pad, object: &Object) -> Option<Touch> {
        let begin = pad.radius / 2.0;
        if let Some(known) = sunk {
            let known = known.touch(self.angles);
            if known.depth > begin {
                return Some(known);
            }
            *sunk = None;
        }
        let touch = self.touch(index, pad, object)?;
        // A stop is linear by itself.
        if touch.depth > begin && touch.normal != Vector3::zeros() {
            *sunk = Some(Sunk {
                offset: touch.depth - along(&touch.jacobian, self.angles, |angle| angle.position),
                normal: touch.normal,
                jacobian: touch.jacobian,
            });
        }
        Some(touch)
    }

    /// Where a pad is at an object; `None` if it is out of reach.
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
        if depth < -REACH {
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
        Some(Touch { depth, normal, jacobian })
    }
}
