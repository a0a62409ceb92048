use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{ControllerInput, ControllerOutput, Message, Report};

/// Computes the efforts of some joints from their state, once in each control step.
///
/// It is created outside the control loop; all methods are called by the loop.
/// # Real-time
/// No method may allocate, lock, block or take longer than a small part of the period.
/// # Source
/// `pr2_controller_interface` 1.8.21, `Controller`; own: `can_start`, and `update` can fail.
pub trait Controller: Send {
    /// The inputs that it has, always the same.
    fn inputs(&self) -> &'static [ControllerInput] {
        &[]
    }

    /// The outputs that it has, always the same.
    fn outputs(&self) -> &'static [ControllerOutput] {
        &[]
    }

    /// Whether the message for this input asks the joints to stay as they are, where `robot` is now. After a halt of the motors only
    /// that begins a stream of commands. A controller that does not know says no, and has to be started anew; the velocity of a vehicle has its own zero before motion.
    fn is_rest(&self, input: usize, message: &Message, robot: &Robot) -> bool {
        let _ = (input, robot);
        matches!(message, Message::Velocity(..))
    }

    /// Called after an update until it returns `None`: the index of an output, and what is published there.
    fn report(&mut self) -> Option<(usize, Report)> {
        None
    }

    /// Called before a step with a message that arrived on its input `input`, also while it is stopped.
    fn receive(&mut self, input: usize, message: &mut Message, now: Instant) {
        let _ = (input, message, now);
    }

    /// Asked before [`starting`](Self::starting). A strict switch asks all that it starts before it changes anything.
    /// # Errors
    /// The controller cannot start.
    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        let _ = robot;
        Ok(())
    }

    /// Called before the first [`update`](Self::update) after a start, and after a halt of the motors has ended: it begins anew.
    fn starting(&mut self, step: &mut Step<'_>) {
        let _ = step;
    }

    /// Reads the joints' state and writes their commanded efforts, which are zero at the start of each step.
    ///
    /// Controllers that run later see what earlier ones wrote, and may replace it or add to it.
    /// # Errors
    /// This controller is stopped; the commands that it wrote in this step are taken back.
    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure>;

    /// Called after the last [`update`](Self::update), by a stop and at the end of a halt of the motors.
    fn stopping(&mut self, step: &mut Step<'_>) {
        let _ = step;
    }
}

/// Input of a controller in one control step: the time, and the robot's joints and actuators.
#[derive(Debug)]
pub struct Step<'a> {
    /// The time of this step.
    pub now: Instant,
    /// The time since the previous step.
    pub period: Duration,
    /// The joints, and the actuators for calibration.
    pub robot: &'a mut Robot,
}

/// Why a controller failed, in a few words without a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ControllerFailure(pub &'static str);
