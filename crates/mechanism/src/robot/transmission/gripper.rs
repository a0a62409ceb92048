use core::f64::consts::TAU;

use crate::robot::transmission::{command, rest};
use crate::robot::{Actuator, Joint};

/// One actuator that opens and closes a gripper by a screw and a four-bar linkage.
///
/// The joint is the gap between the finger tips \[m\]. The fingers are passive joints, whose angle follows the gap. Joints
/// that only a simulator has are at rest.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `PR2GripperTransmission`, with its half-gap model.
#[derive(Clone, Debug, PartialEq)]
pub struct Gripper {
    /// The index of the actuator.
    pub actuator: usize,
    /// The index of the gap.
    pub gap: usize,
    /// The indices of the fingers.
    pub fingers: Vec<usize>,
    /// The indices of joints that only a simulator has.
    pub simulated: Vec<usize>,
    /// The measures of screw and linkage.
    pub geometry: GripperGeometry,
}

/// The measures of a gripper.
///
/// With MR the motor's turns beside the screw, u = clip((a² + b² - h² - (L0 + MR s/g)²) / (2ab), ±1) and
/// θ = theta0 - phi0 + acos u, half the gap is t0 + r (sin θ - sin theta0).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripperGeometry {
    /// n: turns of the motor for one of the gears' input, not 0.
    pub reduction: f64,
    /// g: the ratio of the gears, not 0.
    pub gear_ratio: f64,
    /// s: the screw's way for one turn \[m\], not 0.
    pub screw_reduction: f64,
    /// a: a side of the linkage \[m\], greater than 0.
    pub a: f64,
    /// b: another side of the linkage \[m\], greater than 0.
    pub b: f64,
    /// h: the offset of the screw's axis \[m\].
    pub h: f64,
    /// L0: the screw's length where the motor is at 0 \[m\].
    pub length: f64,
    /// r: the length of a finger \[m\], greater than 0.
    pub radius: f64,
    /// t0: half the gap at theta0 \[m\].
    pub half_gap: f64,
    /// theta0: the finger's angle where the motor is at 0 \[rad\].
    pub theta: f64,
    /// phi0: the linkage's angle where the motor is at 0 \[rad\].
    pub phi: f64,
}

/// No square below this appears under a root, so that no speed or effort becomes infinite.
const LEAST: f64 = 1e-5;

impl GripperGeometry {
    /// The finger's angle \[rad\] after `turns` of the motor.
    fn angle(&self, turns: f64) -> f64 {
        let screw = self.length + turns * self.screw_reduction / self.gear_ratio;
        let u =
            (self.a * self.a + self.b * self.b - self.h * self.h - screw * screw) / (2.0 * self.a * self.b);
        self.theta - self.phi + u.clamp(-1.0, 1.0).acos()
    }

    /// Half the gap \[m\] at the finger's angle `angle`.
    fn half_gap(&self, angle: f64) -> f64 {
        self.half_gap + self.radius * (angle.sin() - self.theta.sin())
    }

    /// The finger's angle \[rad\] at half the gap `half_gap`.
    fn angle_at(&self, half_gap: f64) -> f64 {
        ((half_gap - self.half_gap) / self.radius + self.theta.sin()).clamp(-1.0, 1.0).asin()
    }

    /// The square of the screw's length \[m²\] at the finger's angle `angle`.
    fn screw_squared(&self, angle: f64) -> f64 {
        let angle = angle - self.theta + self.phi;
        self.a * self.a + self.b * self.b - self.h * self.h - 2.0 * self.a * self.b * angle.cos()
    }

    /// The motor's turns at half the gap `half_gap`.
    fn turns_at(&self, half_gap: f64) -> f64 {
        let screw = self.screw_squared(self.angle_at(half_gap)).max(0.0).sqrt();
        (screw - self.length) * self.gear_ratio / self.screw_reduction
    }

    /// The way of half the gap for one turn of the motor \[m\], after `turns`. Below zero turns it is that at zero.
    fn half_gap_per_turn(&self, turns: f64) -> f64 {
        let (turns, sides) = (turns.max(0.0), self.a * self.b);
        let ratio = self.screw_reduction / self.gear_ratio;
        let screw = self.length + turns * ratio;
        let u = (self.a * self.a + self.b * self.b - self.h * self.h - screw * screw) / (2.0 * sides);
        let du = -self.length * ratio / sides - turns / sides * ratio * ratio;
        let per_turn = -du / (1.0 - u * u).max(LEAST).sqrt();
        self.radius * self.angle(turns).cos() * per_turn
    }

    /// The motor's turns for a metre of half the gap, at half the gap `half_gap`, by the inverse formulas; 0 where the linkage
    /// cannot be.
    fn turns_per_half_gap(&self, half_gap: f64) -> f64 {
        let angle = self.angle_at(half_gap);
        let squared = self.screw_squared(angle);
        if squared <= 0.0 {
            return 0.0;
        }
        let per_angle = self.gear_ratio / (2.0 * self.screw_reduction * squared.sqrt())
            * (2.0 * self.a * self.b * (angle + self.phi - self.theta).sin());
        let sine = angle.sin();
        per_angle.abs() / (self.radius * (1.0 - sine * sine).max(LEAST).sqrt())
    }
}

impl Gripper {
    pub(super) fn actuators_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        let Some(actuator) = actuators.get(self.actuator) else { return };
        let geometry = &self.geometry;
        let turns = actuator.state.position / TAU / geometry.reduction;
        let (angle, per_turn) = (geometry.angle(turns), geometry.half_gap_per_turn(turns));
        let gap_velocity = 2.0 * (actuator.state.velocity / TAU / geometry.reduction) * per_turn;
        let finger_velocity = gap_velocity / (2.0 * geometry.radius * angle.cos());
        let torque = actuator.state.last_measured_effort / geometry.reduction;
        let effort = torque / (per_turn / TAU) / 2.0;
        let finger_effort = torque / (per_turn / TAU / (geometry.radius * angle.cos()));
        if let Some(gap) = joints.get_mut(self.gap) {
            gap.position = 2.0 * geometry.half_gap(angle);
            gap.velocity = gap_velocity;
            gap.measured_effort = effort;
        }
        for &finger in &self.fingers {
            if let Some(finger) = joints.get_mut(finger) {
                finger.position = angle - geometry.theta;
                finger.velocity = finger_velocity;
                finger.measured_effort = finger_effort;
                finger.is_calibrated = true;
            }
        }
        self.simulated.iter().for_each(|&joint| rest(joints, joint));
    }

    pub(super) fn efforts_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        if let Some((actuator, gap)) = actuators.get_mut(self.actuator).zip(joints.get(self.gap)) {
            let per_half_gap = self.geometry.turns_per_half_gap(gap.position / 2.0);
            // Where the linkage cannot be, no effort reaches the motor.
            let effort = 2.0 * gap.commanded_effort / TAU * self.geometry.reduction / per_half_gap;
            command(actuator, if per_half_gap > 0.0 { effort } else { 0.0 });
        }
    }

    pub(super) fn joints_to_actuators(&self, joints: &[Joint], actuators: &mut [Actuator]) {
        if let Some((actuator, gap)) = actuators.get_mut(self.actuator).zip(joints.get(self.gap)) {
            let geometry = &self.geometry;
            let turns = geometry.turns_at(gap.position / 2.0);
            let per_turn = geometry.half_gap_per_turn(turns);
            actuator.state.position = turns * TAU * geometry.reduction;
            actuator.state.velocity = gap.velocity / (2.0 * per_turn) * TAU * geometry.reduction;
            actuator.state.last_measured_effort =
                gap.measured_effort * 2.0 * (per_turn / TAU) * geometry.reduction;
        }
    }

    pub(super) fn efforts_to_joints(&self, actuators: &[Actuator], joints: &mut [Joint]) {
        if let Some((actuator, gap)) = actuators.get(self.actuator).zip(joints.get_mut(self.gap)) {
            let per_half_gap = self.geometry.turns_per_half_gap(gap.position / 2.0);
            gap.commanded_effort =
                actuator.command.effort * per_half_gap * TAU / (2.0 * self.geometry.reduction);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::robot::JointKind;

    /// The sample coefficients of the original's header, as the specification quotes them.
    pub(crate) const SAMPLE: GripperGeometry = GripperGeometry {
        reduction: 1.0,
        gear_ratio: 40.095,
        screw_reduction: 0.004,
        a: 0.068_369_8,
        b: 0.043_384_9,
        h: 0.0,
        length: 0.037_552_8,
        radius: 0.0915,
        half_gap: -0.000_191_4,
        theta: 0.062_882_467_620_1,
        phi: 0.518_518_122_146,
    };

    fn gripper() -> (Gripper, Vec<Actuator>, Vec<Joint>) {
        let gripper =
            Gripper { actuator: 0, gap: 0, fingers: vec![1, 2], simulated: vec![3], geometry: SAMPLE };
        let joints = ["gap", "left", "right", "screw"].map(|name| Joint::new(name, JointKind::Prismatic));
        (gripper, vec![Actuator::new("motor")], joints.into())
    }

    #[test]
    fn the_vector_of_the_specification() {
        let (gripper, mut actuators, mut joints) = gripper();
        let state = &mut actuators[0].state;
        (state.position, state.velocity, state.last_measured_effort) = (100.0 * TAU, 1.0, 0.01);
        gripper.actuators_to_joints(&actuators, &mut joints);
        let gap = &joints[0];
        assert!((gap.position - 0.043_061_541_7).abs() < 1e-9, "{}", gap.position);
        assert!((gap.velocity - 6.442_41e-5).abs() < 1e-9, "{}", gap.velocity);
        assert!((gap.measured_effort - 155.2214).abs() < 1e-3, "{}", gap.measured_effort);
    }

    #[test]
    fn a_screw_beside_the_plane_of_the_linkage_has_its_inverse() {
        let geometry = GripperGeometry { h: 0.02, ..SAMPLE };
        for turns in [0.0, 50.0, 100.0] {
            let half_gap = geometry.half_gap(geometry.angle(turns));
            assert!((geometry.turns_at(half_gap) - turns).abs() < 1e-6, "{turns}");
            let product = geometry.half_gap_per_turn(turns) * geometry.turns_per_half_gap(half_gap);
            assert!((product - 1.0).abs() < 1e-6, "{turns}: {product}");
        }
    }

    #[test]
    fn the_fingers_follow_and_the_screw_of_the_simulator_rests() {
        let (gripper, mut actuators, mut joints) = gripper();
        (actuators[0].state.position, actuators[0].state.last_measured_effort) = (100.0 * TAU, 0.01);
        joints[3].position = 1.0;
        gripper.actuators_to_joints(&actuators, &mut joints);
        // sin θ = (half the gap - t0) / r + sin theta0; the finger's position is θ - theta0.
        let sine = (0.043_061_541_7 / 2.0 + 0.000_191_4) / 0.0915 + 0.062_882_467_620_1_f64.sin();
        let expected = sine.asin() - 0.062_882_467_620_1;
        assert!((joints[1].position - expected).abs() < 1e-7 && joints[1].position == joints[2].position);
        // The gap opens by 2 r cos θ for each radian, so the torque is its force, 155.2214, times that.
        let torque = 155.2214 * 2.0 * 0.0915 * (expected + 0.062_882_467_620_1).cos();
        assert!((joints[1].measured_effort - torque).abs() < 1e-3, "{}", joints[1].measured_effort);
        assert!(joints[1].is_calibrated && joints[3].is_calibrated && joints[3].position == 0.0);
    }

    #[test]
    fn an_effort_that_closes_closes_and_none_is_infinite() {
        let (gripper, mut actuators, mut joints) = gripper();
        for position in [-1.0, 0.0, 0.02, 0.08, 1.0, f64::NAN] {
            for effort in [10.0, -10.0, f64::NAN] {
                (joints[0].position, joints[0].commanded_effort) = (position, effort);
                gripper.efforts_to_actuators(&joints, &mut actuators);
                assert!(actuators[0].command.effort.is_finite());
                assert!(actuators[0].command.effort * effort >= 0.0 || effort.is_nan());
            }
        }
    }
}
