use core::time::Duration;

use crate::grasps::Grasps;
use crate::setpoints::Setpoints;
use crate::simulation::Simulation;
use crate::wire::{Description, RobotInfo, Sensor};

/// A hand: something with motors that takes setpoints and gives readings.
///
/// [`DeviceLoop`](crate::DeviceLoop) calls it, in one thread: `step` at the step rate; `read`, then `command`, `hold`, `reset` or
/// `simulate`, at the update rate. Commands come as [`Setpoints`], which are already checked and complete, so no device decides what
/// a [`Command`](crate::Command) means.
/// # Real-time
/// Except for errors no method allocates.
/// # Source
/// own
pub trait Device: Send {
    /// Constant properties of the hand.
    fn constants(&self) -> &Constants;

    /// Takes new setpoints; they replace a hold.
    /// # Errors
    /// The device does not answer, or failed.
    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError>;

    /// Holds the position at which the motors are, with `gain` (0 to 1) times the gains of its start, whatever the gains of the commands
    /// before were. The device decides where that is: its servos need no reading that may be late or wrong.
    /// # Errors
    /// The device does not answer, or failed.
    fn hold(&mut self, gain: f64) -> Result<(), DeviceError>;

    /// Advances by `dt`; a device that is not simulated may exchange its data.
    /// # Errors
    /// The device does not answer, or failed.
    fn step(&mut self, dt: Duration) -> Result<(), DeviceError>;

    /// Writes its present reading to `sensor`, which is all zero.
    /// # Errors
    /// The device does not answer, or failed.
    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError>;

    /// Brings it back to its start: the objects around it, and with `reset_limb_pose` also its pose and its setpoints.
    /// # Errors
    /// The device does not answer, or failed.
    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), DeviceError>;

    /// Changes what a simulated device simulates.
    /// # Errors
    /// The device is not simulated and `simulation` is not the default.
    fn simulate(&mut self, simulation: &Simulation) -> Result<(), DeviceError> {
        if *simulation == Simulation::default() {
            return Ok(());
        }
        Err(DeviceError::Failed(
            "the device is not simulated: it has no objects, noise, delay or faults".into(),
        ))
    }
}

/// Constant properties of a hand, which do not change while it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// Counts and ranges of its parts, and its update rate.
    pub info: RobotInfo,
    /// The names of its parts.
    pub description: Description,
    /// Its named grasps.
    pub grasps: Grasps,
    /// The setpoints at its start: its pose and its own gains.
    pub start: Setpoints,
}

/// Why a device did not do something.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It does not answer, so the reason is unknown.
    #[error("the device does not answer")]
    NoAnswer,
    /// It answered with a failure, in words.
    #[error("{0}")]
    Failed(String),
}
