use crate::robot::joint::{Joint, JointKind};

/// The efforts that a joint's safety controller admits at the joint's present position and speed.
///
/// With v and e the limits of speed and effort, k_p, k_v and the soft limits of the safety controller, and
/// clamp(x, m) = max(-m, min(m, x)):
///
/// ```text
/// revolute and prismatic, calibrated:  v_high = clamp(-k_p (position - upper), v),  v_low = clamp(-k_p (position - lower), v)
/// otherwise:                           v_high = v,  v_low = -v
/// e_high = clamp(-k_v (velocity - v_high), e),  e_low = clamp(-k_v (velocity - v_low), e)
/// ```
///
/// Beyond a soft limit or above the maximum speed the interval does not contain zero: an effort is injected although no
/// controller asks for it. k_v v < e means that full effort is not available at standstill. A calibrated joint with
/// k_p = 0 is only damped.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointState::enforceLimits`; own: a position or speed that is not finite admits only 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EffortInterval {
    low: f64,
    high: f64,
}

impl EffortInterval {
    /// The interval; `None` where every effort is admitted: without limits or without a safety controller, if the state is
    /// finite.
    pub(crate) fn of(joint: &Joint) -> Option<Self> {
        if !joint.position.is_finite() || !joint.velocity.is_finite() {
            return Some(Self { low: 0.0, high: 0.0 });
        }
        let (limits, safety) = joint.limits.zip(joint.safety)?;
        let has_position_limits = joint.is_calibrated && joint.kind != JointKind::Continuous;
        let [low, high] = if has_position_limits {
            [safety.soft_lower_limit, safety.soft_upper_limit]
                .map(|limit| clamp(-safety.k_position * (joint.position - limit), limits.velocity))
        } else {
            [-limits.velocity, limits.velocity]
        };
        let [low, high] =
            [low, high].map(|speed| clamp(-safety.k_velocity * (joint.velocity - speed), limits.effort));
        Some(Self { low, high })
    }

    /// The admitted effort nearest to `effort`; where the interval is empty, its upper end.
    pub(crate) fn clamp(self, effort: f64) -> f64 {
        effort.max(self.low).min(self.high)
    }
}

fn clamp(value: f64, most: f64) -> f64 {
    value.min(most).max(-most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::joint::{JointLimits, SafetyController};

    /// The pan joint of the specification: effort 2.645, velocity 6, k_p 100, k_v 1.5, soft limits -2.857 and 2.857.
    fn pan(position: f64, velocity: f64) -> Joint {
        let limits = JointLimits { effort: 2.645, velocity: 6.0, lower: -2.9, upper: 2.9 };
        let safety = SafetyController {
            k_position: 100.0,
            k_velocity: 1.5,
            soft_lower_limit: -2.857,
            soft_upper_limit: 2.857,
        };
        let mut joint = Joint::new("pan", JointKind::Revolute);
        (joint.limits, joint.safety, joint.is_calibrated) = (Some(limits), Some(safety), true);
        (joint.position, joint.velocity) = (position, velocity);
        joint
    }

    #[test]
    fn a_joint_without_a_safety_controller_gets_no_effort_while_its_state_is_not_finite() {
        for (position, velocity) in [(f64::NAN, 0.0), (0.0, f64::INFINITY)] {
            let mut joint = pan(position, velocity);
            joint.safety = None;
            assert_eq!(limited(joint, 1.0), 0.0);
        }
    }

    fn limited(mut joint: Joint, command: f64) -> f64 {
        joint.commanded_effort = command;
        joint.enforce_limits();
        joint.commanded_effort
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got}, not {expected}");
    }

    #[test]
    fn in_the_middle_only_the_effort_is_limited() {
        near(limited(pan(0.0, 0.0), 1.0), 1.0);
        near(limited(pan(0.0, 0.0), 100.0), 2.645);
        near(limited(pan(0.0, 0.0), -100.0), -2.645);
    }

    #[test]
    fn near_a_soft_limit_the_speed_and_so_the_effort_is_limited() {
        // 0.01 rad before the upper limit: v_high = 100 · 0.01 = 1; at 0.5 rad/s: e_high = 1.5 · (1 - 0.5) = 0.75.
        near(limited(pan(2.847, 0.5), 2.0), 0.75);
        // Away from the limit all is admitted.
        near(limited(pan(2.847, 0.5), -2.0), -2.0);
    }

    #[test]
    fn beyond_a_soft_limit_an_effort_returns_the_joint_without_a_controller() {
        // 0.01 rad beyond: v_high = -1; at rest e_high = -1.5.
        near(limited(pan(2.867, 0.0), 0.0), -1.5);
        // 0.01 rad below the lower one: v_low = 1, e_low = 1.5.
        near(limited(pan(-2.867, 0.0), 0.0), 1.5);
    }

    #[test]
    fn above_the_maximum_speed_an_effort_brakes() {
        // v_high = 6; at 7 rad/s: e_high = -1.5 · (7 - 6) = -1.5, while e_low = clamp(-1.5 · (7 + 6)) = -2.645.
        near(limited(pan(0.0, 7.0), 2.0), -1.5);
        near(limited(pan(0.0, -7.0), -2.0), 1.5);
    }

    #[test]
    fn an_uncalibrated_or_continuous_joint_has_no_position_limit() {
        let mut joint = pan(3.5, 0.0);
        joint.is_calibrated = false;
        near(limited(joint, 2.0), 2.0);
        let mut joint = pan(3.5, 0.0);
        joint.kind = JointKind::Continuous;
        near(limited(joint, 2.0), 2.0);
    }

    #[test]
    fn without_position_gain_a_calibrated_joint_is_only_damped() {
        let mut joint = pan(0.0, 0.4);
        joint.safety = joint.safety.map(|safety| SafetyController { k_position: 0.0, ..safety });
        // v_high = v_low = 0: e_high = e_low = -1.5 · 0.4.
        near(limited(joint.clone(), 2.0), -0.6);
        near(limited(joint, -2.0), -0.6);
    }

    #[test]
    fn without_limits_or_without_a_safety_controller_all_is_admitted() {
        let mut joint = pan(2.9, 0.0);
        joint.safety = None;
        near(limited(joint, 1e6), 1e6);
        let mut joint = pan(2.9, 0.0);
        joint.limits = None;
        near(limited(joint, 1e6), 1e6);
    }

    #[test]
    fn a_command_that_is_not_finite_is_zero_and_is_counted() {
        for command in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut joint = pan(0.0, 0.0);
            joint.commanded_effort = command;
            joint.enforce_limits();
            assert_eq!((joint.commanded_effort, joint.statistics.invalid_commands), (0.0, 1));
            // Without limits too.
            let mut joint = Joint::new("free", JointKind::Continuous);
            joint.commanded_effort = command;
            joint.enforce_limits();
            assert_eq!((joint.commanded_effort, joint.statistics.invalid_commands), (0.0, 1));
        }
    }

    #[test]
    fn a_state_that_is_not_finite_admits_no_effort() {
        assert_eq!(limited(pan(f64::NAN, 0.0), 1.0), 0.0);
        assert_eq!(limited(pan(0.0, f64::INFINITY), 1.0), 0.0);
    }

    #[test]
    fn the_limits_count_as_violated_only_if_they_changed_the_command() {
        let mut joint = pan(0.0, 0.0);
        joint.commanded_effort = 2.645;
        joint.enforce_limits();
        assert!(!joint.statistics.has_violated_limits);
        joint.commanded_effort = 2.7;
        joint.enforce_limits();
        assert!(joint.statistics.has_violated_limits);
    }
}
