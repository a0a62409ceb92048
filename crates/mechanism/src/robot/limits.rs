use crate::robot::joint::{Joint, JointKind, JointLimits};

/// The speeds at which a joint may be moved at its present position \[rad/s or m/s\].
///
/// With v the limit of speed, k_p and the soft limits of the safety controller, and clamp(x, m) = max(-m, min(m, x)):
///
/// ```text
/// revolute and prismatic, calibrated:  high = clamp(-k_p (position - upper), v),  low = clamp(-k_p (position - lower), v)
/// otherwise:                           high = v,  low = -v
/// ```
///
/// Without a safety controller the limits are the end stops, and k_p is [`DEFAULT_K_POSITION`]. Beyond a limit both speeds lead back.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointState::enforceLimits`; own: a joint without a safety controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SpeedInterval {
    low: f64,
    high: f64,
}

/// The slope of the admitted speed before an end stop without a safety controller \[1/s\].
const DEFAULT_K_POSITION: f64 = 10.0;

impl SpeedInterval {
    /// The interval; `None` for a joint without limits.
    pub(crate) fn of(joint: &Joint) -> Option<Self> {
        let most = joint.limits?.velocity;
        let ends = match joint.safety {
            Some(safety) => Some((safety.k_position, [safety.soft_lower_limit, safety.soft_upper_limit])),
            None => joint.end_stops().map(|ends| (DEFAULT_K_POSITION, ends)),
        };
        let ends = ends.filter(|_| joint.is_calibrated && joint.kind != JointKind::Continuous);
        let [low, high] = ends.map_or([-most, most], |(slope, ends)| {
            ends.map(|limit| clamp(-slope * (joint.position - limit), most))
        });
        Some(Self { low, high })
    }

    /// The admitted speed nearest to `speed`. A joint at rest may stay so everywhere: beyond a limit no speed leads on, and none is
    /// asked for. What is not a number stays so.
    pub(crate) fn clamp(self, speed: f64) -> f64 {
        speed.clamp(self.low.min(0.0), self.high.max(0.0))
    }
}

/// The efforts that a joint's limits admit at its present position and speed \[Nm or N\].
///
/// With e the limit of effort, k_v of the safety controller, and the speeds of [`SpeedInterval`]:
///
/// ```text
/// with a safety controller:  brake = clamp(-k_v velocity, e)
///                            high = max(clamp(-k_v (velocity - high speed), e), min(0, brake))
///                            low = min(clamp(-k_v (velocity - low speed), e), max(0, brake))
/// without one:               high = e,  low = -e; the one that leads further beyond an end stop, or further above v, is 0
/// ```
///
/// **Limits accelerate no joint by themselves**: a command of 0 becomes an effort between 0 and the brake. So a joint that moves out beyond a soft
/// limit, or above the maximum speed, is braked although no controller asks for it, and one that rests there gets no effort until one leads it
/// back. k_v v < e means that full effort is not available at standstill. A calibrated joint with k_p = 0 is only damped. Without a safety
/// controller nothing brakes, and a limit of speed of 0 admits no effort. A joint without limits has any effort.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointState::enforceLimits`; own: there a joint beyond a soft limit is driven back, by a wrong position through
/// its end stop; a position or speed that is not finite admits only 0, and a joint without a safety controller has limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EffortInterval {
    low: f64,
    high: f64,
}

impl EffortInterval {
    /// The interval.
    pub(crate) fn of(joint: &Joint) -> Self {
        if !joint.position.is_finite() || !joint.velocity.is_finite() {
            return Self { low: 0.0, high: 0.0 };
        }
        let Some((limits, speeds)) = joint.limits.zip(SpeedInterval::of(joint)) else {
            return Self { low: f64::NEG_INFINITY, high: f64::INFINITY };
        };
        match joint.safety {
            Some(safety) => {
                let effort = |speed: f64| clamp(-safety.k_velocity * (joint.velocity - speed), limits.effort);
                let brake = effort(0.0);
                // Between soft limits low speed <= 0 <= high speed, so that this changes nothing.
                Self {
                    low: effort(speeds.low).min(brake.max(0.0)),
                    high: effort(speeds.high).max(brake.min(0.0)),
                }
            }
            None => Self::outward(joint, limits),
        }
    }

    /// The interval without a safety controller.
    fn outward(joint: &Joint, limits: JointLimits) -> Self {
        let ends = joint.end_stops().filter(|_| joint.is_calibrated);
        let [lower, upper] = ends.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let stands = limits.velocity == 0.0;
        let is_too_far = joint.position > upper || joint.velocity > limits.velocity || stands;
        let is_too_low = joint.position < lower || joint.velocity < -limits.velocity || stands;
        let effort = |is_excluded: bool| if is_excluded { 0.0 } else { limits.effort };
        Self { low: -effort(is_too_low), high: effort(is_too_far) }
    }

    /// The admitted effort nearest to `effort`; where the interval is empty, its upper end.
    pub(crate) fn clamp(self, effort: f64) -> f64 {
        effort.max(self.low).min(self.high)
    }

    /// The greatest effort that it admits in both directions; 0 or less if there is none.
    fn strength(self) -> f64 {
        self.high.min(-self.low)
    }
}

/// The greatest effort that the limits of `joint` admit in both directions at rest \[Nm or N\], once it is calibrated, where in its
/// range that is greatest. With 0 or less no controller can move it as it wants; infinite without limits.
pub(crate) fn strength(joint: &Joint) -> f64 {
    let soft = joint.safety.map(|safety| [safety.soft_lower_limit, safety.soft_upper_limit]);
    let middle = soft.or_else(|| joint.end_stops()).map_or(0.0, |[lower, upper]| lower / 2.0 + upper / 2.0);
    let position = joint.end_stops().map_or(middle, |[lower, upper]| middle.clamp(lower, upper));
    // Both efforts fall with the position, and the lesser of their amounts is greatest in the middle.
    EffortInterval::of(&Joint { position, velocity: 0.0, is_calibrated: true, ..joint.clone() }).strength()
}

fn clamp(value: f64, most: f64) -> f64 {
    value.min(most).max(-most)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

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
    fn beyond_a_soft_limit_a_joint_at_rest_gets_no_effort_but_one_that_leads_back() {
        for sign in [1.0, -1.0] {
            for (command, expected) in [(0.0, 0.0), (2.0, 0.0), (-2.0, -2.0), (-100.0, -2.645)] {
                near(limited(pan(sign * 2.867, 0.0), sign * command), sign * expected);
                // One turn off.
                near(limited(pan(sign * 9.15, 0.0), sign * command), sign * expected);
            }
            // On its way out it is braked, by 1.5 · 0.4, whatever is asked for; on its way back nothing brakes it.
            near(limited(pan(sign * 2.867, sign * 0.4), 0.0), sign * -0.6);
            near(limited(pan(sign * 2.867, sign * 0.4), sign * 2.0), sign * -0.6);
            near(limited(pan(sign * 2.867, sign * -0.4), 0.0), 0.0);
        }
    }

    /// The admitted effort as in PR2: without the brake as the least that is admitted.
    fn original(joint: &Joint) -> f64 {
        let (limits, safety) = (joint.limits.unwrap(), joint.safety.unwrap());
        let [low, high] = [safety.soft_lower_limit, safety.soft_upper_limit].map(|limit| {
            let within = |value: f64, most: f64| value.clamp(-most, most);
            let speed = within(-safety.k_position * (joint.position - limit), limits.velocity);
            within(-safety.k_velocity * (joint.velocity - speed), limits.effort)
        });
        joint.commanded_effort.max(low).min(high)
    }

    /// The joint, in the range of its soft limits and beyond it, with a command.
    fn any() -> impl Strategy<Value = Joint> {
        let gains = (0.0..200.0, 0.0..20.0, 0.0..50.0, 0.0..8.0);
        let state = (-10.0..10.0, -10.0..10.0, -60.0..60.0, -3.0..3.0, -3.0..3.0);
        (gains, state).prop_map(|((slope, gain, effort, most), (position, velocity, command, one, other))| {
            let mut joint = pan(position, velocity);
            joint.limits = joint.limits.map(|limits| JointLimits { effort, velocity: most, ..limits });
            let (soft_lower_limit, soft_upper_limit) = (f64::min(one, other), f64::max(one, other));
            let (k_position, k_velocity) = (slope, gain);
            joint.safety =
                Some(SafetyController { k_position, k_velocity, soft_lower_limit, soft_upper_limit });
            joint.commanded_effort = command;
            joint
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_command_of_zero_only_brakes_and_within_the_soft_limits_all_is_as_in_the_pr2(joint in any()) {
            let idle = limited(joint.clone(), 0.0);
            let most = joint.safety.unwrap().k_velocity * joint.velocity.abs();
            prop_assert!(idle * joint.velocity <= 0.0 && idle.abs() <= most, "{idle} for {joint:?}");
            let soft = joint.safety.unwrap();
            let command = joint.commanded_effort;
            let (outward, got) = (joint.position - joint.position.clamp(soft.soft_lower_limit, soft.soft_upper_limit), limited(joint.clone(), command));
            if outward == 0.0 {
                prop_assert_eq!(got, original(&joint));
            } else {
                prop_assert!(got * outward <= 0.0 || got * joint.velocity <= 0.0, "{got} drives {joint:?} out");
            }
        }

        /// Without gravity, at a step and an inertia at which the brake itself does not overshoot.
        #[test]
        fn no_speed_grows_by_the_limits_alone(mut joint in any(), inertia in 0.1..10.0_f64) {
            for _ in 0..100 {
                let before = joint.velocity;
                joint.commanded_effort = 0.0;
                joint.enforce_limits();
                joint.velocity += joint.commanded_effort / inertia * 0.001;
                joint.position += joint.velocity * 0.001;
                prop_assert!(joint.velocity.abs() <= before.abs() && joint.velocity * before >= 0.0, "{joint:?}");
            }
        }
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

    /// The pan joint without its safety controller.
    fn bare(position: f64, velocity: f64) -> Joint {
        Joint { safety: None, ..pan(position, velocity) }
    }

    #[test]
    fn without_a_safety_controller_the_effort_is_within_its_limit() {
        for (command, expected) in [(1e6, 2.645), (-1e6, -2.645), (1.0, 1.0), (f64::MAX, 2.645)] {
            near(limited(bare(0.0, 0.0), command), expected);
            near(limited(bare(2.9, 6.0), command), expected);
        }
        let none = JointLimits { effort: 0.0, ..JointLimits::default() };
        near(limited(Joint { limits: Some(none), ..bare(0.0, 0.0) }, 1.0), 0.0);
    }

    #[test]
    fn without_a_safety_controller_no_effort_leads_further_beyond_an_end_stop_and_none_comes_by_itself() {
        for (position, command, expected) in
            [(2.901, 1.0, 0.0), (2.901, -1.0, -1.0), (-2.901, -1.0, 0.0), (-2.901, 1.0, 1.0)]
        {
            near(limited(bare(position, 0.0), command), expected);
            near(limited(bare(position, 0.0), 0.0), 0.0);
        }
        let (mut uncalibrated, mut continuous) = (bare(3.5, 0.0), bare(3.5, 0.0));
        uncalibrated.is_calibrated = false;
        continuous.kind = JointKind::Continuous;
        near(limited(uncalibrated, 1.0), 1.0);
        near(limited(continuous, 1.0), 1.0);
        let mut joint = bare(0.5, 0.0);
        joint.limits = joint.limits.map(|limits| JointLimits { lower: 0.0, upper: 0.0, ..limits });
        near(limited(joint, 1.0), 1.0); // the same number twice is no range
    }

    #[test]
    fn without_a_safety_controller_no_effort_drives_a_joint_faster_that_is_too_fast() {
        for (velocity, command, expected) in
            [(6.1, 1.0, 0.0), (6.1, -1.0, -1.0), (-6.1, -1.0, 0.0), (-6.1, 1.0, 1.0), (6.1, 0.0, 0.0)]
        {
            near(limited(bare(0.0, velocity), command), expected);
        }
        let stands = JointLimits { effort: 1.0, ..JointLimits::default() };
        near(limited(Joint { limits: Some(stands), ..bare(0.0, 0.0) }, 1.0), 0.0);
    }

    #[test]
    fn a_speed_is_admitted_as_far_as_the_joint_is_from_its_limits() {
        let speed = |joint: Joint, wanted: f64| SpeedInterval::of(&joint).map(|speeds| speeds.clamp(wanted));
        // 0.057 before the soft limit: 100 · 0.057 = 5.7; 0.1 before the end stop: 10 · 0.1 = 1.
        for (joint, expected) in [(pan(2.8, 0.0), 5.7), (bare(2.8, 0.0), 1.0), (bare(0.0, 0.0), 6.0)] {
            near(speed(joint.clone(), 9.0).unwrap(), expected);
            near(speed(joint, -9.0).unwrap(), -6.0);
        }
        assert_eq!(speed(bare(2.95, 0.0), 1.0), Some(0.0), "beyond it no command leads on");
        assert_eq!(speed(bare(2.95, 0.0), 0.0), Some(0.0), "and nothing moves by itself");
        near(speed(bare(2.95, 0.0), -1.0).unwrap(), -1.0);
        assert!(speed(bare(0.0, 0.0), f64::NAN).unwrap().is_nan());
        assert_eq!(speed(Joint { limits: None, ..pan(0.0, 0.0) }, 9.0), None);
    }

    #[test]
    fn the_strength_of_a_joint_is_the_effort_that_it_has_in_both_directions_in_the_middle() {
        near(strength(&pan(2.85, 3.0)), 2.645);
        near(strength(&bare(5.0, 9.0)), 2.645);
        // 1.5 · 100 · 0.005, halfway between the soft limits.
        let narrow = |joint: Joint, change: fn(&mut SafetyController)| {
            let mut safety = joint.safety.unwrap();
            change(&mut safety);
            strength(&Joint { safety: Some(safety), ..joint })
        };
        near(narrow(pan(0.0, 0.0), |soft| soft.soft_lower_limit = 2.847), 0.75);
        for change in [
            (|soft| soft.k_velocity = 0.0) as fn(&mut SafetyController),
            |soft| soft.k_position = 0.0,
            |soft| soft.soft_lower_limit = soft.soft_upper_limit,
            |soft| (soft.soft_lower_limit, soft.soft_upper_limit) = (3.0, 4.0),
        ] {
            assert!(narrow(pan(0.0, 0.0), change) <= 0.0);
        }
        assert_eq!(strength(&Joint::new("free", JointKind::Continuous)), f64::INFINITY);
    }

    #[test]
    fn without_limits_all_is_admitted() {
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
