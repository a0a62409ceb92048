use core::time::Duration;

use haptix::{Constants, Device, DeviceError, Sensor, Setpoints, Simulation};

/// How often a step is repeated: some seconds.
const ATTEMPTS: usize = 10_000;

/// A device elsewhere that is given its steps without pauses: it refuses those for which it has no room yet, and they are repeated.
pub struct Patient<D>(pub D);

impl<D: Device> Device for Patient<D> {
    fn constants(&self) -> &Constants {
        self.0.constants()
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.0.command(setpoints)
    }

    fn hold(&mut self, gain: f64) -> Result<(), DeviceError> {
        self.0.hold(gain)
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        for _ in 0..ATTEMPTS {
            match self.0.step(dt) {
                Err(DeviceError::NoAnswer) => std::thread::park_timeout(Duration::from_millis(1)),
                outcome => return outcome,
            }
        }
        Err(DeviceError::NoAnswer)
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        self.0.read(sensor)
    }

    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), DeviceError> {
        self.0.reset(reset_limb_pose)
    }

    fn simulate(&mut self, simulation: &Simulation) -> Result<(), DeviceError> {
        self.0.simulate(simulation)
    }
}
