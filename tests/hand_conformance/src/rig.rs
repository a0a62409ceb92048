use core::time::Duration;

use haptix::{
    BUILTIN, Command, Device, DeviceError, Limit, MAX, Model, Object, Sensor, Setpoints, Shape, Simulation,
};

use crate::Make;

/// The step with which devices are tested.
pub const STEP: Duration = Duration::from_millis(1);

/// How often a step is repeated: some seconds.
const ATTEMPTS: usize = 10_000;

/// A device with the meaning of commands in front of it, without ticks.
pub struct Rig {
    /// The device under test.
    pub device: Box<dyn Device>,
    /// Model of the device, from its description.
    pub model: Model,
    /// All commands so far.
    pub setpoints: Setpoints,
}

impl Rig {
    /// The built-in device `name`.
    pub fn new(make: &Make, name: &str) -> Self {
        let (_, description) = BUILTIN.iter().find(|(known, _)| *known == name).unwrap();
        Self::of(make, description)
    }

    /// The device of `description`.
    pub fn of(make: &Make, description: &str) -> Self {
        let device = make(description, 1);
        Self { setpoints: device.constants().start, device, model: Model::parse(description).unwrap() }
    }

    /// The ranges of its motors.
    pub fn limits(&self) -> Vec<Limit> {
        self.device.constants().info.motor_limits().to_vec()
    }

    /// The index of the motor `name`.
    pub fn motor(&self, name: &str) -> usize {
        self.model.constants.description.motor_names.iter().position(|known| known == name).unwrap()
    }

    /// The index of the contact sensor `name`.
    pub fn contact(&self, name: &str) -> usize {
        self.model.constants.description.contact_names.iter().position(|known| known == name).unwrap()
    }

    /// Gives a command.
    pub fn command(&mut self, command: &Command) {
        self.setpoints.take(command, &self.limits(), &[false; MAX]).unwrap();
        self.device.command(&self.setpoints).unwrap();
    }

    /// Commands the position of one motor \[rad\].
    pub fn turn(&mut self, motor: usize, position: f64) {
        self.setpoints.ref_pos[motor] = position;
        self.device.command(&self.setpoints).unwrap();
    }

    /// Passes one step. A device elsewhere, which is given its steps without pauses, refuses those for which it has no room yet, and
    /// they are repeated.
    /// # Errors
    /// Error of the device.
    pub fn try_step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        for _ in 0..ATTEMPTS {
            match self.device.step(dt) {
                Err(DeviceError::NoAnswer) => std::thread::park_timeout(Duration::from_millis(1)),
                outcome => return outcome,
            }
        }
        Err(DeviceError::NoAnswer)
    }

    /// Passes one step.
    pub fn step(&mut self, dt: Duration) {
        self.try_step(dt).unwrap();
    }

    /// Passes `time` \[s\] in steps of 1 ms.
    pub fn run(&mut self, time: f64) {
        for _ in 0..(time / STEP.as_secs_f64()).round() as usize {
            self.step(STEP);
        }
    }

    /// Passes a second in steps of so many milliseconds, each of which is passed to `look`; returns the greatest speed \[rad/s\].
    pub fn second(&mut self, millis: u64, mut look: impl FnMut(&Sensor)) -> f32 {
        (0..1000 / millis).fold(0.0, |fastest, _| {
            self.step(Duration::from_millis(millis));
            let sensor = self.read();
            look(&sensor);
            sensor.motor_vel.iter().fold(fastest, |most, speed| most.max(speed.abs()))
        })
    }

    /// Fails if a motor or a joint is outside of its limits.
    #[track_caller]
    pub fn assert_within_limits(&self, sensor: &Sensor) {
        let info = &self.device.constants().info;
        let motors = sensor.motor_pos.iter().zip(info.motor_limits());
        for (position, limit) in motors.chain(sensor.joint_pos.iter().zip(info.joint_limits())) {
            assert!((limit.minimum..=limit.maximum).contains(position), "{position} {limit:?}");
        }
    }

    /// Its reading.
    pub fn read(&mut self) -> Sensor {
        let mut sensor = Sensor::default();
        self.device.read(&mut sensor).unwrap();
        sensor
    }

    /// Places `objects` around it, and nothing else.
    pub fn place(&mut self, objects: &[Object]) {
        self.simulate(|simulation| {
            for (place, object) in simulation.objects.iter_mut().zip(objects) {
                *place = Some(*object);
            }
        });
    }

    /// Changes what is simulated, from nothing.
    pub fn simulate(&mut self, change: impl FnOnce(&mut Simulation)) {
        let mut simulation = Simulation::default();
        change(&mut simulation);
        self.device.simulate(&simulation).unwrap();
    }
}

/// A ball of 1000 N/m \[m\].
pub fn sphere(center: [f64; 3], radius: f64) -> Object {
    Object { shape: Shape::Sphere { center: center.into(), radius }, stiffness: 1000.0, damping: 1.0 }
}

/// Fails unless `found` is `expected` within `tolerance`.
#[track_caller]
pub fn assert_near(found: f32, expected: f64, tolerance: f64, what: impl core::fmt::Display) {
    assert!(
        (f64::from(found) - expected).abs() <= tolerance,
        "{what}: {found}, must be {expected} within {tolerance}"
    );
}
