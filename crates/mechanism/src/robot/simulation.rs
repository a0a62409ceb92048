use core::time::Duration;

use params::Parameter;

use crate::Robot;
use crate::robot::{Joint, JointKind, MotorHalt, SimulatedSensor};

/// A simulated robot behind a [`Robot`]: it obeys the actuators' commands and sets their states.
///
/// Each joint is a first-order system for its speed v, with the effort u that its actuators apply, within the limit of the
/// description: inertia · dv/dt = u - damping · v, solved exactly over a step with constant u. A joint is no faster than the
/// velocity limit of the description: there its actuators apply only what keeps the speed. Revolute and prismatic joints stop at
/// their end stops. A halted or disabled actuator applies nothing.
/// # Real-time
/// A step allocates nothing and blocks nowhere.
/// # Source
/// own; calibration sensors and halts as in pr2_mechanism.
#[derive(Clone, Debug)]
pub struct SimulatedRobot {
    /// True state of the simulated robot; its actuators are at raw positions.
    plant: Robot,
    dynamics: Vec<JointDynamics>,
    /// The joint whose calibration sensor each actuator reads.
    sensors: Vec<(usize, usize, SimulatedSensor)>,
    halt: MotorHalt,
    time: Duration,
}

params::params! {
    /// How a simulated joint resists.
    #[derive(Copy)]
    pub struct JointDynamics {
        /// The inertia of each simulated joint.
        inertia: f64 = Parameter::float("simulation.inertia", 0.1, 1e-6, 1e6).unit("kg m² or kg").at_start(),
        /// The damping of each simulated joint.
        damping: f64 = Parameter::float("simulation.damping", 0.5, 0.0, 1e6).unit("Nms/rad or Ns/m").at_start(),
    }
}

impl JointDynamics {
    /// Whether the damping counts, beside the rounding of a step.
    fn is_damped(self) -> bool {
        self.damping / self.inertia > 1e-6
    }

    /// The velocity after `dt` with a constant effort, and the way until then.
    fn advance(self, velocity: f64, effort: f64, dt: f64) -> (f64, f64) {
        if self.is_damped() {
            let rate = self.damping / self.inertia;
            let (end, gone) = (effort / self.damping, -(-rate * dt).exp_m1());
            (velocity + (end - velocity) * gone, end * dt + (velocity - end) * gone / rate)
        } else {
            let acceleration = effort / self.inertia;
            (velocity + acceleration * dt, velocity * dt + acceleration * dt * dt / 2.0)
        }
    }

    /// How long a constant effort takes to `limit`, which it passes.
    fn time_to(self, limit: f64, velocity: f64, effort: f64) -> f64 {
        if self.is_damped() {
            let end = effort / self.damping;
            ((velocity - end) / (limit - end)).ln() * self.inertia / self.damping
        } else {
            (limit - velocity) * self.inertia / effort
        }
    }
}

impl SimulatedRobot {
    /// A simulation of `robot` at rest at the joints' present positions, whose motors are halted and resetting, as at the start
    /// of a driver.
    pub fn new(robot: &Robot, dynamics: JointDynamics) -> Self {
        let mut plant = robot.clone();
        // There is no screw that would pass on what moves it: the efforts go to the joints themselves.
        plant.drop_simulator_joints();
        plant.simulate_actuators();
        let sensors = robot.calibration_sensors();
        let sensors = sensors
            .into_iter()
            .map(|(actuator, joint)| (actuator, joint, SimulatedSensor::default()))
            .collect();
        let (joints, actuators) = (robot.joints().len(), robot.actuators().len());
        Self {
            plant,
            dynamics: vec![dynamics; joints],
            sensors,
            halt: MotorHalt::new(actuators),
            time: Duration::ZERO,
        }
    }

    /// The joints as they really are.
    pub fn joints(&self) -> &[Joint] {
        self.plant.joints()
    }

    /// Halts all motors.
    pub fn halt(&mut self) {
        self.halt.halt();
    }

    /// Begins a reset of the motors.
    pub fn reset(&mut self) {
        self.halt.reset();
    }

    /// Whether an actuator has a calibration sensor: that of its joint, where the description places an edge.
    pub fn has_calibration_sensor(&self, actuator: usize) -> bool {
        let mut joints = self.sensors.iter().filter(|(of, ..)| *of == actuator).map(|(_, joint, _)| *joint);
        joints.any(|joint| {
            self.plant.joints().get(joint).is_some_and(|joint| joint.calibration.first().is_some())
        })
    }

    /// Whether any motor is halted.
    pub fn is_any_halted(&self) -> bool {
        self.halt.is_any_halted()
    }

    /// Advances by `period`: applies the commands of `robot`'s actuators, and sets their states.
    pub fn step(&mut self, robot: &mut Robot, period: Duration) {
        self.time += period;
        self.halt.step();
        for (index, (real, seen)) in
            self.plant.actuators_mut().iter_mut().zip(robot.actuators_mut()).enumerate()
        {
            seen.state.is_halted = self.halt.is_halted(index);
            seen.state.is_enabled = seen.command.enable && !seen.state.is_halted;
            (real.command, real.state.sample_time) = (seen.command, self.time);
            real.command.effort = seen.admitted_effort();
            seen.state.last_commanded_effort = seen.command.effort;
            seen.state.last_executed_effort = real.command.effort;
        }
        self.plant.zero_commands();
        self.plant.simulate_efforts();
        let dt = period.as_secs_f64();
        for (joint, dynamics) in self.plant.joints_mut().iter_mut().zip(&self.dynamics) {
            advance(joint, dynamics, dt);
        }
        self.plant.simulate_actuators();
        let actuators = self.plant.actuators().iter().zip(robot.actuators_mut());
        for (device, (real, seen)) in actuators.enumerate() {
            let real = &real.state;
            seen.measure(self.time, device, [real.position, real.velocity, real.last_measured_effort]);
        }
        for (actuator, joint, sensor) in &mut self.sensors {
            let joint = self.plant.joints().get(*joint);
            if let Some((joint, actuator)) = joint.zip(robot.actuators_mut().get_mut(*actuator)) {
                sensor.read(joint, actuator);
            }
        }
    }
}

fn advance(joint: &mut Joint, dynamics: &JointDynamics, dt: f64) {
    let most = joint.limits.map_or(f64::INFINITY, |limits| limits.effort);
    let effort =
        if joint.commanded_effort.is_finite() { joint.commanded_effort.clamp(-most, most) } else { 0.0 };
    joint.measured_effort = effort;
    let (mut velocity, mut way) = dynamics.advance(joint.velocity, effort, dt);
    let fastest = joint.limits.map_or(f64::INFINITY, |limits| limits.velocity);
    if velocity.abs() > fastest {
        let limit = fastest.copysign(velocity);
        let time = dynamics.time_to(limit, joint.velocity, effort).clamp(0.0, dt);
        (velocity, way) = (limit, dynamics.advance(joint.velocity, effort, time).1 + limit * (dt - time));
        joint.measured_effort = dynamics.damping * limit;
    }
    (joint.position, joint.velocity) = (joint.position + way, velocity);
    if let Some(limits) =
        joint.limits.filter(|limits| joint.kind != JointKind::Continuous && limits.lower < limits.upper)
    {
        let stopped = joint.position.clamp(limits.lower, limits.upper);
        if stopped != joint.position {
            (joint.position, joint.velocity) = (stopped, 0.0);
        }
    }
}
