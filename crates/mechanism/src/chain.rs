use nalgebra::{Isometry3, Matrix6xX, Translation3, UnitQuaternion, Vector3};

use crate::description::{Description, JointDescription};
use crate::robot::{JointKind, Robot};

/// The joints between two links of a robot, from `root` to `tip`, up and down the tree of links.
///
/// # Real-time
/// After construction no method but [`jacobian`](Self::jacobian) with a matrix of another size allocates.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `Chain`; kinematics are own.
#[derive(Clone, Debug)]
pub struct Chain {
    segments: Vec<Segment>,
}

/// A joint of the description on the way.
#[derive(Clone, Debug)]
struct Segment {
    description: JointDescription,
    /// The index of the robot's joint; `None` for one that does not move.
    joint: Option<usize>,
    /// Whether the way leads from its parent to its child.
    is_forward: bool,
}

/// Why there is no chain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// The description has no such link.
    #[error("link '{0}' is not in the description")]
    Link(String),
    /// A joint on the way moves, and no transmission moves it.
    #[error("joint '{0}' lies between the links, and no transmission moves it")]
    Joint(String),
}

impl Chain {
    /// The joints on the way from the link `root` to the link `tip`. There are none between a link and itself.
    /// # Errors
    /// A link that is unknown, or a joint on the way that moves and that the robot does not have.
    pub fn new(description: &Description, robot: &Robot, root: &str, tip: &str) -> Result<Self, ChainError> {
        let link = |name: &str| description.link(name).ok_or_else(|| ChainError::Link(name.to_owned()));
        let (mut up, mut down) = (ancestors(description, link(root)?), ancestors(description, link(tip)?));
        while up.last().is_some() && up.last() == down.last() {
            up.pop();
            down.pop();
        }
        let ways = up
            .into_iter()
            .map(|joint| (joint, false))
            .chain(down.into_iter().rev().map(|joint| (joint, true)));
        let mut segments = Vec::new();
        for (index, is_forward) in ways {
            let Some(description) = description.joints.get(index) else { continue };
            let joint = robot.joint(&description.name);
            if joint.is_none() && description.kind.is_some() {
                return Err(ChainError::Joint(description.name.clone()));
            }
            segments.push(Segment { description: description.clone(), joint, is_forward });
        }
        Ok(Self { segments })
    }

    /// The indices of the robot's joints on the way.
    pub fn joints(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().filter_map(|segment| segment.joint)
    }

    /// Whether all of its joints are calibrated.
    pub fn is_calibrated(&self, robot: &Robot) -> bool {
        self.joints().filter_map(|index| robot.joints().get(index)).all(|joint| joint.is_calibrated)
    }

    /// Adds `efforts` to the commanded efforts of its joints, in the order of the way \[Nm or N\].
    pub fn add_efforts(&self, robot: &mut Robot, efforts: &[f64]) {
        for (index, effort) in self.joints().zip(efforts) {
            if let Some(joint) = robot.joints_mut().get_mut(index) {
                joint.commanded_effort += effort;
            }
        }
    }

    /// The pose of the tip in the frame of the root at the joints' present positions \[m\].
    pub fn pose(&self, robot: &Robot) -> Isometry3<f64> {
        self.segments.iter().fold(Isometry3::identity(), |pose, segment| pose * segment.pose(robot))
    }

    /// Sets `jacobian` to the tip's speeds in the frame of the root for one unit of each joint's speed: three rows of linear
    /// \[m/s\] and three of angular speed \[rad/s\], a column for each joint.
    pub fn jacobian(&self, robot: &Robot, jacobian: &mut Matrix6xX<f64>) {
        if jacobian.ncols() != self.joints().count() {
            *jacobian = Matrix6xX::zeros(self.joints().count());
        }
        let tip = self.pose(robot).translation.vector;
        let mut pose = Isometry3::identity();
        let mut columns = jacobian.column_iter_mut();
        for segment in &self.segments {
            let next = pose * segment.pose(robot);
            if segment.joint.is_some()
                && let Some(mut column) = columns.next()
            {
                // The joint's frame lies at the end of a way down and at the beginning of a way up, where it moves the other way.
                let (frame, sign) = if segment.is_forward { (next, 1.0) } else { (pose, -1.0) };
                let axis = frame.rotation * segment.description.axis.into_inner() * sign;
                let (linear, angular) = match segment.description.kind {
                    Some(JointKind::Prismatic) => (axis, Vector3::zeros()),
                    _ => (axis.cross(&(tip - frame.translation.vector)), axis),
                };
                column.fixed_rows_mut::<3>(0).copy_from(&linear);
                column.fixed_rows_mut::<3>(3).copy_from(&angular);
            }
            pose = next;
        }
    }
}

impl Segment {
    fn pose(&self, robot: &Robot) -> Isometry3<f64> {
        let joint = self.joint.and_then(|index| robot.joints().get(index));
        let position = joint.map_or(0.0, |joint| joint.position);
        let axis = &self.description.axis;
        let motion = match self.description.kind {
            Some(JointKind::Prismatic) => Translation3::from(axis.into_inner() * position).into(),
            Some(_) => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(axis, position),
            ),
            None => Isometry3::identity(),
        };
        let pose: Isometry3<f64> = self.description.origin * motion;
        if self.is_forward { pose } else { pose.inverse() }
    }
}

/// The joints from `link` up to the root of the tree.
fn ancestors(description: &Description, mut link: usize) -> Vec<usize> {
    let mut joints = Vec::new();
    while let Some(index) = description.joints.iter().position(|joint| joint.child == link) {
        joints.push(index);
        link = description.joints[index].parent;
    }
    joints
}
