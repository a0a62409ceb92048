use core::time::Duration;

use crate::abi;

/// A step of the control loop, as a controller sees it.
pub struct Step<'a> {
    /// The time, which never goes back.
    pub now: Duration,
    /// The time since the previous step.
    pub period: Duration,
    /// The robot's joints, with the indices of [`Setup::joint`](crate::Setup::joint).
    pub joints: &'a mut [abi::Joint],
}
