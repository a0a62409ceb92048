use safety::Coupling;

use crate::robot::transmission::command;
use crate::robot::{Actuator, Joint};

/// One actuator that moves several joints, as the motor of a finger does.
///
/// With the reduction n and the drive's angle d = actuator position / n, the first joint is at f(d) + reference position, and its
/// effort u becomes the actuator's f'(d) · u / n: the same power. The other joints follow at angles of their own couplings; nothing
/// commands them, and the actuator's effort is measured at the first joint only.
/// # Source
/// own: fingers of HAPTIX hands; pr2_mechanism has none.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupled {
    /// The index of the actuator.
    pub actuator: usize,
    /// Turns of the actuator for one of the drive, finite and not 0.
    pub reduction: f64,
    /// The index of the first joint, and its coupling, which is invertible.
    pub first: (usize, Coupling),
    /// The joints that follow.
    pub followers: Vec<(usize, Coupling)>,
}

impl Coupled {
    pub(super) fn actuators_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let Some(actuator) = actuators.get(self.actuator) else { return };
        let (first, coupling) = &self.first;
        let (drive, velocity) =
            (actuator.state.position / self.reduction, actuator.state.velocity / self.reduction);
        let is_calibrated = joints.get_mut(*first).is_some_and(|joint| {
            let slope = coupling.slope(drive);
            joint.position = coupling.angle(drive) + joint.reference_position;
            joint.velocity = slope * velocity;
            joint.measured_effort = actuator.state.last_measured_effort * self.reduction / slope;
            joint.is_calibrated
        });
        for (follower, coupling) in &self.followers {
            if let Some(joint) = joints.get_mut(*follower) {
                joint.position = coupling.angle(drive) + joint.reference_position;
                joint.velocity = coupling.slope(drive) * velocity;
                (joint.measured_effort, joint.is_calibrated) = (0.0, is_calibrated);
            }
        }
    }

    pub(super) fn efforts_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        let (first, _) = &self.first;
        if let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(*first)) {
            command(actuator, joint.commanded_effort * self.slope_at(joint) / self.reduction);
        }
    }

    pub(super) fn joints_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        let (first, _) = &self.first;
        if let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(*first)) {
            let slope = self.slope_at(joint);
            actuator.state.position = self.drive_at(joint) * self.reduction;
            actuator.state.velocity = joint.velocity / slope * self.reduction;
            actuator.state.last_measured_effort = joint.measured_effort * slope / self.reduction;
        }
    }

    pub(super) fn efforts_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let (first, _) = &self.first;
        if let Some((actuator, joint)) = actuators.get(self.actuator).zip(joints.get_mut(*first)) {
            joint.commanded_effort = actuator.command.effort * self.reduction / self.slope_at(joint);
        }
    }

    /// The drive's angle where the first joint is.
    fn drive_at(&self, joint: &Joint) -> f64 {
        self.first.1.drive(joint.position - joint.reference_position)
    }

    /// The first joint's way for one of the drive, where the joint is.
    fn slope_at(&self, joint: &Joint) -> f64 {
        self.first.1.slope(self.drive_at(joint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointKind;

    fn coupling(numbers: &[f64]) -> Coupling {
        Coupling::new(numbers).unwrap_or_default()
    }

    /// Motor shaft, two joints of a finger, gear 4: the first bends at once, the second from 0.384 rad on.
    fn finger() -> (Coupled, Vec<Actuator>, Vec<Joint>) {
        let coupled = Coupled {
            actuator: 0,
            reduction: 4.0,
            first: (0, coupling(&[1.0, 0.1745, 0.5])),
            followers: vec![(1, coupling(&[0.0, 0.384, 0.75]))],
        };
        let joints = ["one", "two"].map(|name| Joint::new(name, JointKind::Revolute));
        (coupled, vec![Actuator::new("motor")], joints.into())
    }

    #[test]
    fn joints_follow_their_own_couplings() {
        let (coupled, mut actuators, mut joints) = finger();
        joints[0].is_calibrated = true;
        let state = &mut actuators[0].state;
        (state.position, state.velocity, state.last_measured_effort) = (4.0 * 0.5745, 8.0, 0.25);
        coupled.actuators_to_joints(&actuators, &mut joints);
        // 0.1745 + 0.4 · 0.5 and 0.75 · (0.5745 - 0.384); 8 / 4 · 0.5 and · 0.75; 0.25 · 4 / 0.5.
        assert!(
            (joints[0].position - 0.3745).abs() < 1e-12 && (joints[1].position - 0.142_875).abs() < 1e-12
        );
        assert_eq!((joints[0].velocity, joints[1].velocity), (1.0, 1.5));
        assert_eq!((joints[0].measured_effort, joints[1].measured_effort), (2.0, 0.0));
        assert!(joints[1].is_calibrated);
    }

    #[test]
    fn the_actuator_has_the_power_of_the_first_joint_and_nothing_of_a_follower() {
        let (coupled, mut actuators, mut joints) = finger();
        (joints[0].position, joints[0].commanded_effort, joints[1].commanded_effort) = (0.3745, 2.0, 99.0);
        coupled.efforts_to_actuators(&joints, &mut actuators);
        // 2 · 0.5 / 4
        assert_eq!((actuators[0].command.effort, actuators[0].command.enable), (0.25, true));
        (joints[0].position, joints[0].commanded_effort) = (0.1, f64::NAN);
        coupled.efforts_to_actuators(&joints, &mut actuators);
        assert_eq!(actuators[0].command.effort, 0.0);
    }
}
