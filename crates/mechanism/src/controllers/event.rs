use core::any::Any;

use crate::controllers::{
    Change, Controller, ControllerFailure, ControllerId, Dependency, Refusal, Request, RequestId,
};

/// Everything that can happen to the manager.
#[derive(Debug)]
pub enum Input {
    /// A service was called.
    Requested(RequestId, Request),
    /// The caller does not want the request any more: it is cancelled if it has not taken effect, and answered in any case.
    Cancelled(RequestId),
    /// The answer to [`Output::Create`].
    Created(Result<NewController, Refusal>),
    /// The control loop made a change.
    Changed(Box<Change>),
    /// The answer to [`Output::Withdraw`]: the change, if the loop had not taken it yet.
    Withdrawn(Option<Box<Change>>),
    /// A controller stopped by itself: its index in the order of loading. It follows the change that was made before it.
    Failed(usize, ControllerFailure),
    /// The answer to [`Output::ReloadLibraries`].
    Reloaded(Result<(), Refusal>),
}

/// A controller that was created and initialised.
pub struct NewController {
    /// Its own, never used before.
    pub id: ControllerId,
    /// Its type, as its parameters name it.
    pub kind: String,
    /// The controller.
    pub controller: Box<dyn Controller>,
    /// Its dependencies on loaded controllers.
    pub dependencies: Vec<Dependency>,
    /// The joints that it moves, as far as that is known.
    pub moves: Vec<String>,
}

impl NewController {
    /// One of which neither type nor joints are known, and that depends on no other.
    pub fn new(id: ControllerId, controller: Box<dyn Controller>) -> Self {
        let (kind, dependencies, moves) = Default::default();
        Self { id, kind, controller, dependencies, moves }
    }
}

/// Everything that the manager can ask for.
#[derive(Debug)]
pub enum Output {
    /// Create and initialise the controller of this name, which prefixes its parameters, outside the control loop, and answer
    /// [`Input::Created`].
    Create(String),
    /// Pass this change to the control loop, and answer [`Input::Changed`] when it was made.
    Change(Box<Change>),
    /// Take the change back if the loop has not taken it yet, and answer [`Input::Withdrawn`].
    Withdraw,
    /// Load the controllers' libraries again, beside the old ones, in which controllers may still run. Answer
    /// [`Input::Reloaded`].
    ReloadLibraries,
    /// Drop this, outside the control loop and without any lock: a controller's end may take long.
    Discard(Box<dyn Any + Send>),
    /// The answer to a request.
    Answer(RequestId, Result<(), Refusal>),
    /// Something that users should know.
    Warn(String),
}

impl core::fmt::Debug for NewController {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "NewController {{ dependencies: {:?} }}", self.dependencies)
    }
}
