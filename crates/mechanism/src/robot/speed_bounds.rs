use core::f64::consts::TAU;

use safety::SpeedBound;

use crate::Robot;
use crate::robot::joint::{Joint, JointKind};
use crate::robot::transmission::Transmission;

/// At how many places of its range the speed of a joint is turned into those of its actuators.
const PLACES: u32 = 64;

impl Robot {
    /// How fast each actuator moves while its joints keep their limits of speed, in the actuators' order; infinite if one has none.
    ///
    /// A transmission that is not linear is tried at 65 places of its joint's range. Joints that share actuators add up.
    pub fn speed_bounds(&self) -> Vec<SpeedBound> {
        let mut bounds = vec![SpeedBound { speed: 0.0, turn: None }; self.actuators.len()];
        for transmission in &self.transmissions {
            for &index in transmission.commanded() {
                let Some(joint) = self.joints.get(index) else { continue };
                let speeds = self.speeds(transmission, index, joint);
                for (&actuator, speed) in transmission.actuators().iter().zip(speeds) {
                    if let Some(bound) = bounds.get_mut(actuator) {
                        bound.speed += speed;
                    }
                }
                if let (Transmission::Simple(simple), JointKind::Continuous) = (transmission, joint.kind)
                    && let Some(bound) = bounds.get_mut(simple.actuator)
                {
                    bound.turn = Some(TAU * simple.reduction.abs());
                }
            }
        }
        for bound in &mut bounds {
            if bound.speed == 0.0 {
                bound.speed = f64::INFINITY;
            }
        }
        bounds
    }

    /// The greatest speed of each actuator of `transmission` while only this joint moves, at its limit.
    fn speeds(&self, transmission: &Transmission, index: usize, joint: &Joint) -> Vec<f64> {
        let limit = joint.limits.map_or(0.0, |limits| limits.velocity);
        let count = transmission.actuators().len();
        if limit <= 0.0 {
            return vec![f64::INFINITY; count];
        }
        if let Transmission::Belt(belt) = transmission {
            return vec![limit * belt.reduction.abs(); count]; // the motor is filtered there
        }
        let (mut transmission, mut joints) = (transmission.clone(), self.joints.clone());
        let mut actuators = self.actuators.clone();
        for joint in &mut joints {
            (joint.position, joint.velocity) = (0.0, 0.0);
        }
        let mut speeds = vec![0.0_f64; count];
        let [lower, upper] = joint.end_stops().unwrap_or_default();
        for place in 0..=PLACES {
            let share = f64::from(place) / f64::from(PLACES);
            if let Some(joint) = joints.get_mut(index) {
                (joint.position, joint.velocity) = (lower + (upper - lower) * share, limit);
            }
            transmission.joints_to_actuators(&joints, &mut actuators);
            for (speed, &actuator) in speeds.iter_mut().zip(transmission.actuators()) {
                let found = actuators.get(actuator).map_or(0.0, |actuator| actuator.state.velocity.abs());
                *speed = if found.is_finite() { speed.max(found) } else { f64::INFINITY };
            }
        }
        speeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::transmission::{Belt, Compensator, Simple, Wrist, WristRatios};
    use crate::robot::{Actuator, JointLimits};

    fn joint(name: &str, kind: JointKind, velocity: f64) -> Joint {
        let limits = JointLimits { velocity, effort: 1.0, lower: -1.0, upper: 1.0 };
        Joint { limits: Some(limits), ..Joint::new(name, kind) }
    }

    fn bounds(joints: Vec<Joint>, actuators: &[&str], transmission: Transmission) -> Vec<SpeedBound> {
        let actuators = actuators.iter().map(|name| Actuator::new(*name)).collect();
        Robot::from_parts(joints, actuators, vec![transmission]).speed_bounds()
    }

    #[test]
    fn an_actuator_is_as_fast_as_its_joint_with_its_reduction() {
        let simple = Simple { actuator: 0, joint: 0, reduction: -50.0, simulated: None };
        let of = |kind, velocity| {
            bounds(vec![joint("a", kind, velocity)], &["a"], Transmission::Simple(simple.clone()))
        };
        assert_eq!(of(JointKind::Revolute, 2.0), [SpeedBound { speed: 100.0, turn: None }]);
        let turn = Some(50.0 * TAU);
        assert_eq!(of(JointKind::Continuous, 2.0), [SpeedBound { speed: 100.0, turn }]);
        assert_eq!(of(JointKind::Revolute, 0.0), [SpeedBound { speed: f64::INFINITY, turn: None }]);
    }

    #[test]
    fn a_belt_counts_by_its_reduction_alone() {
        let compensator = Compensator {
            k_belt: 500.0,
            mass_motor: 0.05,
            kd_motor: 0.0,
            lambda_motor: 0.0,
            lambda_joint: 60.0,
            lambda_combined: 0.0,
        };
        let belt = Belt::new(0, 0, -50.0, compensator);
        let joint = joint("a", JointKind::Revolute, 2.0);
        let bounds = bounds(vec![joint], &["a"], Transmission::Belt(Box::new(belt)));
        assert_eq!(bounds, [SpeedBound { speed: 100.0, turn: None }]);
    }

    #[test]
    fn joints_that_share_actuators_add_up() {
        let ratios = WristRatios { actuators: [2.0, 2.0], joints: [1.0, 1.0], offsets: [0.0; 2] };
        let wrist = Wrist { actuators: [0, 1], joints: [0, 1], ratios };
        let joints = ["roll", "flex"].map(|name| joint(name, JointKind::Revolute, 1.0));
        let bounds = bounds(joints.into(), &["left", "right"], Transmission::Wrist(wrist));
        // Each joint alone moves each actuator at 2 rad/s.
        assert!(bounds.iter().all(|bound| (bound.speed - 4.0).abs() < 1e-9), "{bounds:?}");
    }
}
