use crate::controllers::{ControllerFailure, ControllerList, ControllerSlot};

/// A change that the control loop makes between two steps or at the end of one.
///
/// Everything that it needs was allocated by the caller, and everything that is left over goes back with it.
/// # Real-time
/// The loop neither allocates nor frees, and takes a time that grows with the number of controllers.
#[derive(Debug)]
pub enum Change {
    /// Appends `slot`, and puts `list` in force, which has the capacity and the schedule for it. At the start of a step.
    Add {
        /// The new controller; `None` once it was added.
        slot: Option<Box<ControllerSlot>>,
        /// The new list without its slots; afterwards the old one.
        list: ControllerList,
    },
    /// Removes the controller `index`, and puts `list` in force. At the start of a step.
    Remove {
        /// The index in the order of loading.
        index: usize,
        /// The new list without its slots; afterwards the old one, whose one slot is the removed controller.
        list: ControllerList,
    },
    /// Stops and starts controllers at the end of a step, so that no step sees a mixture.
    Switch {
        /// Stopped first, in this order.
        stop: Vec<SwitchEntry>,
        /// Then started, in this order.
        start: Vec<SwitchEntry>,
        /// If one cannot start, nothing changes.
        is_strict: bool,
    },
}

/// A controller in a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchEntry {
    /// The index in the order of loading.
    pub index: usize,
    /// Whether it runs after the switch; the loop sets it.
    pub is_running: bool,
    /// Why it cannot start; the loop sets it.
    pub failure: Option<ControllerFailure>,
}

impl SwitchEntry {
    pub(crate) fn new(index: usize) -> Self {
        Self { index, is_running: false, failure: None }
    }
}
