use core::time::Duration;

use crate::robot::transmission::command;
use crate::robot::{Actuator, Joint};

/// One actuator that moves one joint by a belt, which stretches: the joint is estimated from the motor, and the motor's
/// vibrations against the belt are damped.
///
/// In units of the joint, with the motor's position p, the measured effort f, the compliance c = 1 / k_belt and
/// τ = √(mass_motor · c):
///
/// * The first estimate is p through a critically damped filter with the bandwidth lambda_joint, as the belt filters it.
/// * The second is p without the belt's stretch: c · f through a critically damped filter with the time constant τ.
/// * The joint is the first at high and the second at low frequencies, with the cross-over lambda_combined; 0 for the first alone.
/// * The command gets -kd_motor · (the motor's speed above lambda_motor); 0 for its whole speed. Their sum is within the joint's limit
///   of effort.
///
/// Filters are integrated by the trapezoidal rule, no faster than the samples allow.
/// # Source
/// `pr2_mechanism_model` 1.8.21, `PR2BeltCompensatorTransmission`; own: the first sample has no time step, a sample that is
/// not finite passes to the joint without spoiling the filters, and the damping keeps the limit of effort.
#[derive(Clone, Debug, PartialEq)]
pub struct Belt {
    /// The index of the actuator.
    pub actuator: usize,
    /// The index of the joint.
    pub joint: usize,
    /// Turns of the actuator for one of the joint, finite and not 0.
    pub reduction: f64,
    /// The belt and the filters.
    pub compensator: Compensator,
    /// The filters' state.
    pub(crate) state: State,
}

/// The belt, the motor behind it and the bandwidths of a [`Belt`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compensator {
    /// The belt's stiffness, 0 for a rigid one \[Nm/rad\].
    pub k_belt: f64,
    /// The motor's inertia \[kg m²\], 0 or more.
    pub mass_motor: f64,
    /// The damping of the motor \[Nms/rad\], 0 or more.
    pub kd_motor: f64,
    /// The frequency above which the motor is damped \[rad/s\], 0 or more.
    pub lambda_motor: f64,
    /// The bandwidth of the belt with the joint \[rad/s\], greater than 0.
    pub lambda_joint: f64,
    /// The cross-over of the two estimates \[rad/s\], 0 or more.
    pub lambda_combined: f64,
}

/// A critically damped second-order filter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Filter {
    position: f64,
    velocity: f64,
    acceleration: f64,
}

impl Filter {
    /// The state `dt` \[s\] later, pulled towards a target that moves, with the time constant `tau` \[s\], at least half of `dt`.
    fn step(self, target: f64, target_velocity: f64, tau: f64, dt: f64) -> Self {
        let (tau, half) = (tau.max(dt / 2.0), dt / 2.0);
        // Predicted without an acceleration, then corrected by the one that follows.
        let velocity = self.velocity + half * self.acceleration;
        let position = self.position + half * (velocity + self.velocity);
        let acceleration = (target - position - 2.0 * tau * (velocity - target_velocity))
            / (tau * tau + 2.0 * tau * half + half * half);
        let velocity = self.velocity + half * (acceleration + self.acceleration);
        Self { position: self.position + half * (velocity + self.velocity), velocity, acceleration }
    }
}

/// State of a [`Belt`] between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    sampled: Option<Duration>,
    dt: f64,
    motor_position: f64,
    motor_velocity: f64,
    /// By how much the motor's speed changed in the last step.
    motor_change: f64,
    damping: f64,
    by_belt: Filter,
    stretch: Filter,
    joint_position: f64,
    joint_velocity: f64,
    simulation: Simulation,
}

/// The motor behind a simulated belt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Simulation {
    sampled: Option<Duration>,
    dt: f64,
    motor: Filter,
    joint_position: f64,
    joint_velocity: f64,
    effort: f64,
}

fn step_of(sampled: &mut Option<Duration>, now: Duration) -> f64 {
    let last = sampled.replace(now).unwrap_or(now);
    now.saturating_sub(last).as_secs_f64()
}

impl Belt {
    /// A belt at rest.
    pub fn new(actuator: usize, joint: usize, reduction: f64, compensator: Compensator) -> Self {
        Self { actuator, joint, reduction, compensator, state: State::default() }
    }

    fn compliance(&self) -> f64 {
        if self.compensator.k_belt > 0.0 { 1.0 / self.compensator.k_belt } else { 0.0 }
    }

    /// τ; 0 for a rigid belt or a motor without inertia.
    fn time_constant(&self) -> f64 {
        (self.compensator.mass_motor * self.compliance()).sqrt()
    }

    pub(super) fn actuators_to_joints(&mut self, actuators: &[Actuator], joints: &mut [Joint]) {
        let (compliance, tau) = (self.compliance(), self.time_constant());
        let (Compensator { lambda_joint, lambda_combined, .. }, state) = (self.compensator, &mut self.state);
        let Some((actuator, joint)) = actuators.get(self.actuator).zip(joints.get_mut(self.joint)) else {
            return;
        };
        let motor = actuator.state.position / self.reduction;
        let effort = actuator.state.last_measured_effort * self.reduction;
        joint.measured_effort = effort;
        if !motor.is_finite() || !effort.is_finite() {
            (joint.position, joint.velocity) = (f64::NAN, f64::NAN);
            // No damping of a speed that is not known.
            (state.motor_change, state.motor_velocity, state.damping) = (0.0, 0.0, 0.0);
            return;
        }
        let dt = step_of(&mut state.sampled, actuator.state.sample_time);
        state.dt = dt;
        let velocity = if dt > 0.0 { (motor - state.motor_position) / dt } else { 0.0 };
        state.by_belt = state.by_belt.step(motor, 0.0, 1.0 / lambda_joint, dt);
        let stretch = if tau > 0.0 {
            state.stretch = state.stretch.step(compliance * effort, 0.0, tau, dt);
            state.stretch.position
        } else {
            compliance * effort
        };
        if lambda_combined == 0.0 {
            (state.joint_position, state.joint_velocity) = (state.by_belt.position, state.by_belt.velocity);
        } else {
            let lambda = if dt * lambda_combined < 2.0 { lambda_combined } else { 2.0 / dt };
            let (old, old_velocity, half) = (state.joint_position, state.joint_velocity, dt / 2.0);
            let predicted = old + half * old_velocity;
            state.joint_velocity =
                (state.by_belt.velocity + lambda * (motor - stretch - predicted)) / (1.0 + half * lambda);
            state.joint_position = old + half * (state.joint_velocity + old_velocity);
        }
        joint.position = state.joint_position + joint.reference_position;
        joint.velocity = state.joint_velocity;
        state.motor_change = velocity - state.motor_velocity;
        (state.motor_position, state.motor_velocity) = (motor, velocity);
    }

    pub(super) fn efforts_to_actuators(&mut self, joints: &[Joint], actuators: &mut [Actuator]) {
        let (Compensator { kd_motor, lambda_motor, .. }, state) = (self.compensator, &mut self.state);
        let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(self.joint)) else {
            return;
        };
        let damping = if lambda_motor == 0.0 {
            -kd_motor * state.motor_velocity
        } else {
            let half = (state.dt * lambda_motor).min(2.0) / 2.0;
            ((1.0 - half) * state.damping - kd_motor * state.motor_change) / (1.0 + half)
        };
        state.damping = if damping.is_finite() { damping } else { 0.0 };
        // The damping comes after the limits of the joint's command.
        command(actuator, joint.admitted_effort(joint.commanded_effort + state.damping) / self.reduction);
    }

    /// The first half of a simulated step: the belt's force on the joint, while the joint goes on as it did.
    pub(super) fn efforts_to_joints(&mut self, actuators: &[Actuator], joints: &mut [Joint]) {
        let (compliance, tau) = (self.compliance(), self.time_constant());
        let simulation = &mut self.state.simulation;
        let Some((actuator, joint)) = actuators.get(self.actuator).zip(joints.get_mut(self.joint)) else {
            return;
        };
        let dt = step_of(&mut simulation.sampled, actuator.state.sample_time);
        let effort = actuator.command.effort * self.reduction;
        (simulation.dt, simulation.effort) = (dt, effort);
        joint.commanded_effort = effort;
        if tau > 0.0 {
            let velocity = simulation.joint_velocity;
            let position = simulation.joint_position + dt * velocity;
            let motor = simulation.motor.step(position + compliance * effort, velocity, tau, dt);
            let damped = 2.0 * tau.max(dt / 2.0) * (motor.velocity - velocity);
            joint.commanded_effort = (damped + motor.position - position) / compliance;
        }
    }

    /// The second half: the motor behind the belt, after the joint was moved.
    pub(super) fn joints_to_actuators(&mut self, joints: &[Joint], actuators: &mut [Actuator]) {
        let (compliance, tau) = (self.compliance(), self.time_constant());
        let simulation = &mut self.state.simulation;
        let Some((actuator, joint)) = actuators.get_mut(self.actuator).zip(joints.get(self.joint)) else {
            return;
        };
        let (position, velocity) = (joint.position - joint.reference_position, joint.velocity);
        simulation.motor = if tau > 0.0 {
            let target = position + compliance * simulation.effort;
            simulation.motor.step(target, velocity, tau, simulation.dt)
        } else {
            Filter { position, velocity, acceleration: 0.0 }
        };
        (simulation.joint_position, simulation.joint_velocity) = (position, velocity);
        actuator.state.position = simulation.motor.position * self.reduction;
        actuator.state.velocity = simulation.motor.velocity * self.reduction;
        actuator.state.last_measured_effort = simulation.effort / self.reduction;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::{JointKind, JointLimits};

    const RIGID: Compensator = Compensator {
        k_belt: 0.0,
        mass_motor: 0.05,
        kd_motor: 2.0,
        lambda_motor: 60.0,
        lambda_joint: 50.0,
        lambda_combined: 0.0,
    };
    const STRETCHING: Compensator = Compensator { k_belt: 400.0, lambda_combined: 1.0, ..RIGID };
    const PERIOD: Duration = Duration::from_millis(1);

    struct Rig {
        belt: Belt,
        actuators: Vec<Actuator>,
        joints: Vec<Joint>,
    }

    fn rig(compensator: Compensator) -> Rig {
        let belt = Belt::new(0, 0, 2.0, compensator);
        Rig { belt, actuators: vec![Actuator::new("m")], joints: vec![Joint::new("j", JointKind::Revolute)] }
    }

    impl Rig {
        /// A sample one period later; position and effort of the motor in units of the joint.
        fn sample(&mut self, position: f64, effort: f64) {
            let state = &mut self.actuators[0].state;
            state.sample_time += PERIOD;
            (state.position, state.last_measured_effort) = (2.0 * position, effort / 2.0);
            self.belt.actuators_to_joints(&self.actuators, &mut self.joints);
        }

        /// The commanded effort, in units of the joint.
        fn command(&mut self, effort: f64) -> f64 {
            self.joints[0].commanded_effort = effort;
            self.belt.efforts_to_actuators(&self.joints, &mut self.actuators);
            2.0 * self.actuators[0].command.effort
        }
    }

    #[test]
    fn without_a_cross_over_the_joint_follows_by_a_critically_damped_filter() {
        let mut rig = rig(RIGID);
        rig.sample(0.0, 0.0);
        (0..40).for_each(|_| rig.sample(1.0, 0.0));
        // 1 - (1 + λt) e^(-λt) at λt = 50 · 0.04 = 2, but for the steps of 1 ms.
        let expected = 1.0 - 3.0 * (-2.0_f64).exp();
        assert!((rig.joints[0].position - expected).abs() < 0.01, "{}", rig.joints[0].position);
        // Its derivative λ² t e^(-λt).
        let speed = 2500.0 * 0.04 * (-2.0_f64).exp();
        assert!((rig.joints[0].velocity - speed).abs() < 0.3, "{} {speed}", rig.joints[0].velocity);
        (0..1000).for_each(|_| rig.sample(1.0, 0.0));
        assert!((rig.joints[0].position - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_load_stretches_the_belt() {
        let mut rig = rig(STRETCHING);
        rig.joints[0].reference_position = 0.5;
        (0..20_000).for_each(|_| rig.sample(1.0, 8.0));
        // 8 / 400 = 0.02 behind the motor.
        assert!((rig.joints[0].position - (0.5 + 1.0 - 0.02)).abs() < 1e-6, "{}", rig.joints[0].position);
        assert!(rig.joints[0].velocity.abs() < 1e-6 && rig.joints[0].measured_effort == 8.0);
    }

    #[test]
    fn a_motor_without_inertia_stretches_the_belt_at_once() {
        let mut rig = rig(Compensator { mass_motor: 0.0, lambda_combined: 1e9, ..STRETCHING });
        (0..50).for_each(|_| rig.sample(0.0, 8.0));
        assert!((rig.joints[0].position + 0.02).abs() < 1e-6, "{}", rig.joints[0].position);
    }

    #[test]
    fn the_motor_is_damped_at_high_frequencies() {
        let mut rig = rig(RIGID);
        rig.sample(0.0, 0.0);
        rig.sample(0.0, 0.0);
        // A step of the speed to 1 rad/s: -kd · 1 / (1 + λ dt/2) at once, then it decays by (1 - λdt/2) / (1 + λdt/2).
        let half = 60.0 * 0.001 / 2.0;
        rig.sample(0.001, 0.0);
        let first = rig.command(5.0);
        assert!((first - (5.0 - 2.0 / (1.0 + half))).abs() < 1e-9, "{first}");
        rig.sample(0.002, 0.0);
        let second = rig.command(5.0);
        let decayed = 2.0 / (1.0 + half) * (1.0 - half) / (1.0 + half);
        assert!((second - (5.0 - decayed)).abs() < 1e-9, "{second}");
    }

    #[test]
    fn the_damping_does_not_exceed_the_effort_of_the_joint() {
        let mut rig = rig(RIGID);
        rig.joints[0].limits = Some(JointLimits { effort: 1.5, velocity: 1.0, ..JointLimits::default() });
        rig.sample(0.0, 0.0);
        rig.sample(0.0, 0.0);
        // The speed changes by -5 rad/s: a damping of nearly 10 beside the command.
        rig.sample(-0.005, 0.0);
        assert_eq!(rig.command(1.0), 1.5);
        assert_eq!(rig.command(f64::NAN), 0.0);
    }

    #[test]
    fn without_a_cut_off_the_motor_is_damped_at_all_frequencies() {
        let mut rig = rig(Compensator { lambda_motor: 0.0, ..RIGID });
        for index in 0..100 {
            rig.sample(0.003 * f64::from(index), 0.0);
            rig.command(0.0);
        }
        // -2 · 3 rad/s
        assert!((rig.command(0.0) + 6.0).abs() < 1e-9);
    }

    #[test]
    fn bandwidths_beyond_the_samples_stay_finite() {
        let wild = Compensator {
            lambda_motor: 1e9,
            lambda_joint: 1e9,
            lambda_combined: 1e9,
            mass_motor: 1e-12,
            ..STRETCHING
        };
        let mut rig = rig(wild);
        for index in 0..10_000 {
            rig.sample(f64::from(index % 7), f64::from(index % 5));
            assert!(rig.command(1.0).abs() < 1e6);
            assert!(rig.joints[0].position.abs() < 100.0);
        }
    }

    #[test]
    fn a_sample_that_is_not_finite_passes_and_does_not_stay() {
        let mut rig = rig(STRETCHING);
        (0..100).for_each(|_| rig.sample(1.0, 0.0));
        let before = rig.belt.state.by_belt;
        for (position, effort) in [(f64::NAN, 0.0), (1.0, f64::INFINITY)] {
            rig.sample(position, effort);
            assert!(rig.joints[0].position.is_nan() && rig.command(1.0).is_finite());
        }
        assert_eq!(rig.belt.state.by_belt, before);
        rig.sample(1.0, 0.0);
        assert!(rig.joints[0].position.is_finite() && rig.command(1.0).is_finite());
    }

    #[test]
    fn a_simulated_motor_stands_ahead_of_the_joint_that_holds_its_effort() {
        let mut rig = rig(STRETCHING);
        rig.actuators[0].command.effort = 4.0;
        for _ in 0..5000 {
            rig.belt.efforts_to_joints(&rig.actuators, &mut rig.joints);
            rig.belt.joints_to_actuators(&rig.joints, &mut rig.actuators);
            rig.actuators[0].state.sample_time += PERIOD;
        }
        // 4 · 2 = 8 Nm reach the joint, and the motor is 8 / 400 · 2 = 0.04 ahead.
        assert!((rig.joints[0].commanded_effort - 8.0).abs() < 1e-9, "{}", rig.joints[0].commanded_effort);
        let state = &rig.actuators[0].state;
        assert!(
            (state.position - 0.04).abs() < 1e-9 && state.last_measured_effort == 4.0,
            "{}",
            state.position
        );
    }

    #[test]
    fn a_simulated_rigid_belt_is_a_simple_transmission() {
        let mut rig = rig(RIGID);
        rig.actuators[0].command.effort = 4.0;
        (rig.joints[0].position, rig.joints[0].velocity) = (1.5, -0.5);
        rig.belt.efforts_to_joints(&rig.actuators, &mut rig.joints);
        rig.belt.joints_to_actuators(&rig.joints, &mut rig.actuators);
        let state = &rig.actuators[0].state;
        assert_eq!((rig.joints[0].commanded_effort, state.position, state.velocity), (8.0, 3.0, -1.0));
    }
}
