use nalgebra::{Rotation3, UnitQuaternion, Vector3};

use crate::hand::contacts;
use crate::hand::kinematics::{Angle, ImuMount, JointFrame, Link, Mount, link, pose};
use crate::model::Model;
use crate::wire::{MAX, Sensor};

/// The frame that the hand stands on. The other links have the names of the joints that move them.
pub const BASE: &str = "base";

/// Where the links, contact sensors and inertial units of a hand are, each in the frame of the link that carries it.
/// # Source
/// own
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joint_names: Vec<String>,
    joints: Vec<JointFrame>,
    contact_names: Vec<String>,
    pads: Vec<contacts::Pad>,
    imu_frames: Vec<String>,
    imus: Vec<ImuMount>,
}

/// A frame in the one that carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<'a> {
    /// Its name.
    pub name: &'a str,
    /// The name of the frame that carries it.
    pub parent: &'a str,
    /// Its origin \[m\].
    pub translation: [f64; 3],
    /// Its orientation, x y z w.
    pub rotation: [f64; 4],
}

/// A contact sensor, which is a small ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pad<'a> {
    /// Its name.
    pub name: &'a str,
    /// The frame of its link.
    pub frame: &'a str,
    /// Its center \[m\].
    pub position: [f64; 3],
    /// \[m\]
    pub radius: f64,
}

/// A hand in a posture, as lines and points in the frame of its base \[m\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posture {
    /// From the origin of a link to that of each link that it carries; on the last link of a finger to the middle of its sensors.
    pub bones: Vec<[[f64; 3]; 2]>,
    /// The centers of the contact sensors in their order.
    pub contacts: Vec<[f64; 3]>,
    /// The inertial units in their order.
    pub imus: Vec<[f64; 3]>,
}

impl Skeleton {
    /// The skeleton of the hand that `model` describes.
    pub fn new(model: &Model) -> Self {
        Self {
            joint_names: model.constants.description.joint_names.clone(),
            joints: model.frames.clone(),
            contact_names: model.constants.description.contact_names.clone(),
            pads: model.pads.clone(),
            imu_frames: model.constants.description.imu_frames.clone(),
            imus: model.imus.clone(),
        }
    }

    fn link(&self, joint: Option<usize>) -> &str {
        joint.and_then(|joint| self.joint_names.get(joint)).map_or(BASE, String::as_str)
    }

    /// The frames of the links at the joint positions of a reading, those that carry others first.
    pub fn links<'a>(&'a self, sensor: &'a Sensor) -> impl Iterator<Item = Frame<'a>> {
        let named = self.joint_names.iter().zip(&self.joints).zip(sensor.joint_pos);
        named.map(|((name, joint), position)| Frame {
            name,
            parent: self.link(joint.parent),
            translation: joint.origin.into(),
            rotation: wire(&Rotation3::from_axis_angle(&joint.axis, position.into())),
        })
    }

    /// The frames of the inertial units, which never move on their links.
    pub fn imus(&self) -> impl Iterator<Item = Frame<'_>> {
        self.imu_frames.iter().zip(&self.imus).take(MAX).map(|(name, imu)| Frame {
            name,
            parent: self.link(imu.mount.link),
            translation: imu.mount.position.into(),
            rotation: wire(&imu.rotation),
        })
    }

    /// The contact sensors in their order.
    pub fn pads(&self) -> impl Iterator<Item = Pad<'_>> {
        self.contact_names.iter().zip(&self.pads).map(|(name, pad)| Pad {
            name,
            frame: self.link(pad.mount.link),
            position: pad.mount.position.into(),
            radius: pad.radius,
        })
    }

    /// Where everything is at these joint positions \[rad\].
    pub fn posture(&self, joint_pos: &[f32; MAX]) -> Posture {
        let mut angles = [Angle::default(); MAX];
        for (angle, position) in angles.iter_mut().zip(joint_pos) {
            angle.position = f64::from(*position);
        }
        let mut links = vec![Link::base(); self.joints.len()];
        pose(&self.joints, &angles, &mut links);
        let at = |mount: &Mount| link(&links, mount.link).point(mount.position);
        let mut bones = Vec::new();
        for (index, joint) in self.joints.iter().enumerate() {
            let (from, to) = (link(&links, joint.parent).origin, link(&links, Some(index)).origin);
            if (to - from).norm() > 0.0 {
                bones.push([from.into(), to.into()]);
            }
            let mounts = self.pads.iter().map(|pad| &pad.mount).chain(self.imus.iter().map(|imu| &imu.mount));
            let own: Vec<Vector3<f64>> = mounts.filter(|mount| mount.link == Some(index)).map(at).collect();
            let is_last = !self.joints.iter().any(|other| other.parent == Some(index));
            if is_last && !own.is_empty() {
                bones.push([to.into(), (own.iter().sum::<Vector3<f64>>() / own.len() as f64).into()]);
            }
        }
        Posture {
            bones,
            contacts: self.pads.iter().map(|pad| at(&pad.mount).into()).collect(),
            imus: self.imus.iter().map(|imu| at(&imu.mount).into()).collect(),
        }
    }
}

fn wire(rotation: &Rotation3<f64>) -> [f64; 4] {
    let quaternion = UnitQuaternion::from_rotation_matrix(rotation);
    [quaternion.i, quaternion.j, quaternion.k, quaternion.w]
}

#[cfg(test)]
mod tests {
    use core::time::Duration;
    use std::collections::BTreeMap;

    use nalgebra::{Isometry3, Quaternion, Translation3, Vector3};

    use super::*;
    use crate::hand::AnalyticHand;
    use crate::{Device, Object, Shape, Simulation};

    fn isometry(frame: &Frame<'_>) -> Isometry3<f64> {
        let [x, y, z, w] = frame.rotation;
        Isometry3::from_parts(
            Translation3::from(frame.translation),
            UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)),
        )
    }

    /// The poses of all frames in the base, link by link as tf does it.
    fn poses<'a>(skeleton: &'a Skeleton, sensor: &'a Sensor) -> BTreeMap<&'a str, Isometry3<f64>> {
        let mut poses = BTreeMap::from([(BASE, Isometry3::identity())]);
        for frame in skeleton.links(sensor).chain(skeleton.imus()) {
            let pose = poses[frame.parent] * isometry(&frame);
            assert_eq!(poses.insert(frame.name, pose), None, "{}", frame.name);
        }
        poses
    }

    /// A bent hand, and its reading at rest.
    fn bent(objects: &[Object]) -> (Skeleton, Sensor) {
        let model = Model::builtin("mpl").unwrap();
        let skeleton = Skeleton::new(&model);
        let mut simulation = Simulation::default();
        for (place, object) in simulation.objects.iter_mut().zip(objects) {
            *place = Some(*object);
        }
        let mut setpoints = model.constants.start;
        let limits: Vec<_> = model.constants.info.motor_limits().to_vec();
        for (motor, limit) in limits.iter().enumerate() {
            setpoints.place(motor, f64::from(0.6 * limit.maximum + 0.4 * limit.minimum), limit);
        }
        let mut hand = AnalyticHand::new(model, 1);
        hand.command(&setpoints).unwrap();
        for _ in 0..5000 {
            hand.step(Duration::from_millis(1)).unwrap();
        }
        hand.simulate(&simulation).unwrap();
        let mut sensor = Sensor::default();
        hand.read(&mut sensor).unwrap();
        (skeleton, sensor)
    }

    #[test]
    fn an_inertial_unit_at_rest_sees_up_as_its_frame_does() {
        let (skeleton, sensor) = bent(&[]);
        let poses = poses(&skeleton, &sensor);
        for (index, imu) in skeleton.imus().enumerate() {
            let up = poses[imu.name].rotation.inverse() * Vector3::z() * 9.81;
            let [x, y, z] = sensor.imu_linear_acc[index].map(f64::from);
            assert!((up - Vector3::new(x, y, z)).norm() < 0.02, "{}: {up} {x} {y} {z}", imu.name);
        }
    }

    /// A ball whose surface lies 1 mm inside a contact sensor presses that sensor with 1 N at 1000 N/m.
    #[test]
    fn a_contact_sensor_is_touched_where_its_frame_has_it() {
        let (skeleton, sensor) = bent(&[]);
        let poses = poses(&skeleton, &sensor);
        for (index, pad) in skeleton.pads().enumerate() {
            let at = poses[pad.frame] * nalgebra::Point3::from(pad.position);
            let center = at.coords + Vector3::new(0.0, 0.0, pad.radius);
            let shape = Shape::Sphere { center, radius: 0.001 };
            let (_, touched) = bent(&[Object { shape, stiffness: 1000.0, damping: 0.0 }]);
            assert!(
                (touched.contact[index] - 1.0).abs() < 0.05,
                "{}: {} N",
                pad.name,
                touched.contact[index]
            );
        }
    }

    #[test]
    fn a_posture_is_where_the_frames_are() {
        let (skeleton, sensor) = bent(&[]);
        let poses = poses(&skeleton, &sensor);
        let posture = skeleton.posture(&sensor.joint_pos);
        let is_near = |a: [f64; 3], b: Vector3<f64>| (Vector3::from(a) - b).norm() < 1e-9;
        assert_eq!((posture.contacts.len(), posture.imus.len()), (19, 5));
        for (pad, at) in skeleton.pads().zip(&posture.contacts) {
            let expected = poses[pad.frame] * nalgebra::Point3::from(pad.position);
            assert!(is_near(*at, expected.coords), "{}", pad.name);
        }
        for (imu, at) in skeleton.imus().zip(&posture.imus) {
            assert!(is_near(*at, poses[imu.name].translation.vector), "{}", imu.name);
        }
        // 19 links lie elsewhere than the one that carries them, and each of five fingers has a tip.
        assert_eq!(posture.bones.len(), 24);
        for frame in skeleton.links(&sensor).filter(|frame| frame.translation != [0.0; 3]) {
            let ends = [frame.parent, frame.name].map(|name| poses[name].translation.vector);
            let bone =
                posture.bones.iter().find(|[from, to]| is_near(*from, ends[0]) && is_near(*to, ends[1]));
            assert!(bone.is_some(), "{}", frame.name);
        }
        let tip = poses["index3"] * nalgebra::Point3::new(-0.0005, 0.0, 0.0145);
        assert!(posture.bones.iter().any(|[_, to]| is_near(*to, tip.coords)), "between sensor and unit");
    }
}
