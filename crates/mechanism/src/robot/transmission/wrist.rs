use crate::robot::transmission::command;
use crate::robot::{Actuator, Joint};

/// Two actuators that move two joints by a differential: their difference bends, their sum turns.
///
/// With x = actuator position / A for each actuator (0 right, 1 left) and J the joints' reductions (0 flex, 1 roll):
///
/// ```text
/// flex = (x0 - x1) / (2 J0) + reference + offset      measured: J0 (m0 A0 - m1 A1)
/// roll = (-x0 - x1) / (2 J1) + reference + offset     measured: J1 (-m0 A0 - m1 A1)
/// effort 0 = (flex / J0 - roll / J1) / (2 A0),  effort 1 = (-flex / J0 - roll / J1) / (2 A1)
/// ```
/// # Source
/// `pr2_mechanism_model` 1.8.21, `WristTransmission`.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrist {
    /// The indices of the right and the left actuator.
    pub actuators: [usize; 2],
    /// The indices of the flex and the roll joint.
    pub joints: [usize; 2],
    /// Reductions and offsets.
    pub ratios: WristRatios,
}

/// Reductions and offsets of a [`Wrist`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WristRatios {
    /// A: the reductions of the actuators, finite and not 0.
    pub actuators: [f64; 2],
    /// J: the reductions of the joints, finite and not 0.
    pub joints: [f64; 2],
    /// The joints' positions where both actuators are at 0, beside their reference position \[rad\].
    pub offsets: [f64; 2],
}

impl Wrist {
    pub(super) fn actuators_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let [Some(right), Some(left)] = self.actuators.map(|index| actuators.get(index)) else { return };
        let [a0, a1] = self.ratios.actuators;
        let positions = self.to_joints([right.state.position / a0, left.state.position / a1]);
        let velocities = self.to_joints([right.state.velocity / a0, left.state.velocity / a1]);
        let efforts = self.efforts([right.state.last_measured_effort, left.state.last_measured_effort]);
        for axis in 0..2 {
            if let Some(joint) = joints.get_mut(self.joints[axis]) {
                joint.position = positions[axis] + joint.reference_position + self.ratios.offsets[axis];
                joint.velocity = velocities[axis];
                joint.measured_effort = efforts[axis];
            }
        }
    }

    pub(super) fn efforts_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        let [Some(flex), Some(roll)] = self.joints.map(|index| joints.get(index)) else { return };
        let efforts = self.actuator_efforts([flex.commanded_effort, roll.commanded_effort]);
        for (index, effort) in self.actuators.into_iter().zip(efforts) {
            if let Some(actuator) = actuators.get_mut(index) {
                command(actuator, effort);
            }
        }
    }

    pub(super) fn joints_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        let [Some(flex), Some(roll)] = self.joints.map(|index| joints.get(index)) else { return };
        let offsets = self.ratios.offsets;
        let positions = self.to_actuators([
            flex.position - flex.reference_position - offsets[0],
            roll.position - roll.reference_position - offsets[1],
        ]);
        let velocities = self.to_actuators([flex.velocity, roll.velocity]);
        let efforts = self.actuator_efforts([flex.measured_effort, roll.measured_effort]);
        for side in 0..2 {
            if let Some(actuator) = actuators.get_mut(self.actuators[side]) {
                actuator.state.position = positions[side] * self.ratios.actuators[side];
                actuator.state.velocity = velocities[side] * self.ratios.actuators[side];
                actuator.state.last_measured_effort = efforts[side];
            }
        }
    }

    pub(super) fn efforts_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let [Some(right), Some(left)] = self.actuators.map(|index| actuators.get(index)) else { return };
        let efforts = self.efforts([right.command.effort, left.command.effort]);
        for (index, effort) in self.joints.into_iter().zip(efforts) {
            if let Some(joint) = joints.get_mut(index) {
                joint.commanded_effort = effort;
            }
        }
    }

    fn to_joints(&self, [x0, x1]: [f64; 2]) -> [f64; 2] {
        let [j0, j1] = self.ratios.joints;
        [(x0 - x1) / (2.0 * j0), (-x0 - x1) / (2.0 * j1)]
    }

    fn to_actuators(&self, [flex, roll]: [f64; 2]) -> [f64; 2] {
        let [j0, j1] = self.ratios.joints;
        [flex * j0 - roll * j1, -flex * j0 - roll * j1]
    }

    /// The efforts of the joints from those of the actuators.
    fn efforts(&self, [right, left]: [f64; 2]) -> [f64; 2] {
        let ([a0, a1], [j0, j1]) = (self.ratios.actuators, self.ratios.joints);
        [j0 * (right * a0 - left * a1), j1 * (-right * a0 - left * a1)]
    }

    /// The efforts of the actuators from those of the joints.
    fn actuator_efforts(&self, [flex, roll]: [f64; 2]) -> [f64; 2] {
        let ([a0, a1], [j0, j1]) = (self.ratios.actuators, self.ratios.joints);
        [(flex / j0 - roll / j1) / (2.0 * a0), (-flex / j0 - roll / j1) / (2.0 * a1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JointKind;

    #[test]
    fn the_difference_bends_and_the_sum_turns() {
        let ratios = WristRatios { actuators: [2.0, 4.0], joints: [5.0, 10.0], offsets: [0.1, 0.2] };
        let wrist = Wrist { actuators: [0, 1], joints: [0, 1], ratios };
        let mut actuators = vec![Actuator::new("right"), Actuator::new("left")];
        let mut joints =
            vec![Joint::new("flex", JointKind::Revolute), Joint::new("roll", JointKind::Continuous)];
        for (actuator, (position, effort)) in actuators.iter_mut().zip([(6.0, 1.0), (4.0, 0.5)]) {
            (actuator.state.position, actuator.state.last_measured_effort) = (position, effort);
            actuator.state.velocity = 2.0 * position;
        }
        joints[0].reference_position = 1.0;
        wrist.actuators_to_joints(&actuators, &mut joints);
        // x = 6/2 = 3 and 4/4 = 1: flex (3 - 1)/10 + 1 + 0.1 = 1.3, roll (-3 - 1)/20 + 0.2 = 0; speeds 0.4 and -0.4;
        // efforts 5 (1·2 - 0.5·4) = 0 and 10 (-2 - 2) = -40.
        let of = |joint: &Joint| (joint.position, joint.velocity, joint.measured_effort);
        let ((flex, flex_speed, flex_effort), (roll, roll_speed, roll_effort)) =
            (of(&joints[0]), of(&joints[1]));
        assert!((flex - 1.3).abs() < 1e-12 && roll.abs() < 1e-12, "{flex} {roll}");
        assert!((flex_speed - 0.4).abs() < 1e-12 && (roll_speed + 0.4).abs() < 1e-12);
        assert_eq!((flex_effort, roll_effort), (0.0, -40.0));
        // Flex 10 Nm and roll -20 Nm: (10/5 + 20/10)/4 = 1 and (-2 + 2)/8 = 0.
        (joints[0].commanded_effort, joints[1].commanded_effort) = (10.0, -20.0);
        wrist.efforts_to_actuators(&joints, &mut actuators);
        assert_eq!([actuators[0].command.effort, actuators[1].command.effort], [1.0, 0.0]);
    }
}
