use core::fmt;

use safety::StreamGate;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerTiming, Step};

/// Identifies a controller while it is loaded, and none that is loaded later.
pub type ControllerId = u64;

/// A loaded controller in the control loop.
pub struct ControllerSlot {
    pub(crate) id: ControllerId,
    pub(crate) controller: Box<dyn Controller>,
    /// Whether it runs.
    pub is_running: bool,
    /// One for each input.
    pub(crate) gates: Vec<StreamGate>,
    /// How long its updates took.
    pub timing: ControllerTiming,
    /// How many efforts it wrote that were not finite; each counted as zero.
    pub invalid_commands: u64,
    /// Why it was stopped by itself, until that is reported.
    pub(crate) failure: Option<ControllerFailure>,
}

impl ControllerSlot {
    /// A stopped controller with fresh statistics, to which messages for `id` are delivered.
    pub fn new(id: ControllerId, controller: Box<dyn Controller>) -> Self {
        let timing = ControllerTiming::default();
        let gates = vec![StreamGate::default(); controller.inputs().len()];
        Self { id, controller, is_running: false, gates, timing, invalid_commands: 0, failure: None }
    }

    /// Stops it, also if it is stopped already.
    pub(crate) fn stop(&mut self, step: &mut Step<'_>) {
        self.controller.stopping(step);
        self.is_running = false;
    }

    /// Why it cannot start, if it cannot.
    pub(crate) fn obstacle(&self, robot: &Robot) -> Option<ControllerFailure> {
        self.controller.can_start(robot).err()
    }

    /// Starts it, also if it runs already. A failure from before that was not reported is past.
    pub(crate) fn start(&mut self, step: &mut Step<'_>) {
        self.controller.starting(step);
        (self.is_running, self.failure) = (true, None);
    }
}

impl fmt::Debug for ControllerSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_running, timing, failure, .. } = self;
        write!(f, "ControllerSlot {{ is_running: {is_running}, timing: {timing:?}, failure: {failure:?} }}")
    }
}

/// The loaded controllers in the order of loading, and the order in which they run.
///
/// A list is made outside the control loop, with the capacity for its slots; the loop moves them in.
#[derive(Debug, Default)]
pub struct ControllerList {
    // Boxed, so moving one is one pointer.
    #[allow(clippy::vec_box)]
    pub(crate) slots: Vec<Box<ControllerSlot>>,
    pub(crate) schedule: Vec<usize>,
}

impl ControllerList {
    /// An empty list with the capacity for `schedule`: the indices of its future slots, each once.
    pub(crate) fn with_schedule(schedule: Vec<usize>) -> Self {
        Self { slots: Vec::with_capacity(schedule.len()), schedule }
    }
}
