use crate::robot::transmission::{command, rest};
use crate::robot::{Actuator, Joint};

/// One actuator that moves one joint by gears.
///
/// With the reduction n, which may be negative: position = actuator position / n + reference position,
/// velocity = actuator velocity / n, effort = actuator effort · n.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `SimpleTransmission`; the offset as in `transmission_interface` of ros_control, which adds it in the
/// same place.
#[derive(Clone, Debug, PartialEq)]
pub struct Simple {
    /// The index of the actuator.
    pub actuator: usize,
    /// The index of the joint.
    pub joint: usize,
    /// Turns of the actuator for one of the joint, finite and not 0.
    pub reduction: f64,
    /// A second joint, which only a simulator moves, and its own reduction: it receives the effort in place of `joint`.
    pub simulated: Option<(usize, f64)>,
}

impl Simple {
    pub(super) fn actuators_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        if let Some((actuator, joint)) = actuators.get(self.actuator).zip(joints.get_mut(self.joint)) {
            joint.position = actuator.state.position / self.reduction + joint.reference_position;
            joint.velocity = actuator.state.velocity / self.reduction;
            joint.measured_effort = actuator.state.last_measured_effort * self.reduction;
        }
        if let Some((simulated, _)) = self.simulated {
            rest(joints, simulated);
        }
    }

    pub(super) fn efforts_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        if let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(self.joint)) {
            command(actuator, joint.commanded_effort / self.reduction);
        }
    }

    pub(super) fn joints_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        if let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(self.joint)) {
            actuator.state.position = (joint.position - joint.reference_position) * self.reduction;
            actuator.state.velocity = joint.velocity * self.reduction;
            actuator.state.last_measured_effort = joint.measured_effort / self.reduction;
        }
    }

    pub(super) fn efforts_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let Some(actuator) = actuators.get(self.actuator) else { return };
        let effort = actuator.command.effort * self.reduction;
        let (index, effort) =
            self.simulated.map_or((self.joint, effort), |(joint, reduction)| (joint, effort / reduction));
        if let Some(joint) = joints.get_mut(index) {
            joint.commanded_effort = effort;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointKind;

    fn parts(joints: usize) -> (Vec<Actuator>, Vec<Joint>) {
        let joints = (0..joints).map(|index| Joint::new(format!("joint{index}"), JointKind::Continuous));
        (vec![Actuator::new("motor")], joints.collect())
    }

    #[test]
    fn a_negative_reduction_turns_all_signs() {
        let simple = Simple { actuator: 0, joint: 0, reduction: -4.0, simulated: None };
        let (mut actuators, mut joints) = parts(1);
        joints[0].reference_position = 0.5;
        let state = &mut actuators[0].state;
        (state.position, state.velocity, state.last_measured_effort) = (2.0, 8.0, 0.25);
        simple.actuators_to_joints(&actuators, &mut joints);
        // 2 / -4 + 0.5 = 0; 8 / -4 = -2; 0.25 · -4 = -1.
        assert_eq!((joints[0].position, joints[0].velocity, joints[0].measured_effort), (0.0, -2.0, -1.0));
        joints[0].commanded_effort = 6.0;
        simple.efforts_to_actuators(&joints, &mut actuators);
        assert_eq!((actuators[0].command.effort, actuators[0].command.enable), (-1.5, true));
    }

    #[test]
    fn a_simulated_joint_is_at_rest_and_receives_the_effort_of_the_simulator() {
        let simple = Simple { actuator: 0, joint: 0, reduction: 10.0, simulated: Some((1, 4.0)) };
        let (mut actuators, mut joints) = parts(2);
        joints[1].position = 3.0;
        simple.actuators_to_joints(&actuators, &mut joints);
        assert_eq!(
            (joints[1].position, joints[1].is_calibrated, joints[0].is_calibrated),
            (0.0, true, false)
        );
        actuators[0].command.effort = 2.0;
        simple.efforts_to_joints(&actuators, &mut joints);
        // 2 · 10 / 4 = 5 on the second joint, none on the first.
        assert_eq!((joints[0].commanded_effort, joints[1].commanded_effort), (0.0, 5.0));
    }

    #[test]
    fn an_effort_that_is_not_finite_never_reaches_an_actuator() {
        let simple = Simple { actuator: 0, joint: 0, reduction: 1e-300, simulated: None };
        let (mut actuators, mut joints) = parts(1);
        for effort in [f64::NAN, f64::INFINITY, 1e300] {
            joints[0].commanded_effort = effort;
            simple.efforts_to_actuators(&joints, &mut actuators);
            assert_eq!(actuators[0].command.effort, 0.0);
        }
    }
}
