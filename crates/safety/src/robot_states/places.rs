use core::fmt;

use crate::ActuatorSample;

/// A robot that knows where its joints can be.
pub trait Places: fmt::Debug + Send + Sync {
    /// Why these states, one for each actuator in their order, are no measurement, if they put a joint where it cannot be: as for an encoder that is one
    /// turn off. It names the joint, the position and the range.
    fn misplaced(&self, actuators: &[ActuatorSample]) -> Option<String>;
}
