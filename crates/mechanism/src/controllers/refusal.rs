use core::time::Duration;

use params::nearest;

use crate::controllers::{ControllerFailure, ScheduleError};

/// Why a request was refused; nothing changed, unless it says so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A controller of this name is loaded already.
    #[error("controller '{0}' is loaded already")]
    Loaded(String),
    /// The name cannot be that of a controller.
    #[error(
        "a controller cannot have the name '{0}': a name is words of letters, digits and _, each beginning with a \
                 letter, joined by /, 255 bytes at most"
    )]
    Name(String),
    /// The limit, this many loaded controllers, is reached.
    #[error("{0} controllers can be loaded at most")]
    Full(usize),
    /// The parameter `<name>.type` is missing or empty.
    #[error("parameter '{0}.type' is missing, must be the type of the controller")]
    NoType(String),
    /// No library has this type; with all that are known.
    #[error("controller type '{found}' is unknown, {}must be one of {}", suggestion(.found, .known), .known.join(", "))]
    UnknownType {
        /// The type found.
        found: String,
        /// The types of all libraries.
        known: Vec<String>,
    },
    /// The controller did not initialise.
    #[error("controller '{name}' does not initialise: {reason}")]
    Init {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// There is no order in which all dependencies hold.
    #[error("{0}")]
    Schedule(ScheduleError),
    /// A loaded controller depends on the one that was to be unloaded.
    #[error("controller '{by}' depends on '{name}': unload it first")]
    Needed {
        /// The one to be unloaded.
        name: String,
        /// The first that depends on it.
        by: String,
    },
    /// The controller runs; it has to be stopped first.
    #[error("controller '{0}' runs: stop it first")]
    Running(String),
    /// No controller of this name is loaded.
    #[error("no controller '{0}' is loaded")]
    NotLoaded(String),
    /// The strictness of a switch is not 0, 1 or 2.
    #[error("strictness is {0}, must be 1 (best effort), 2 (strict), or 0, which counts as 1")]
    Strictness(i32),
    /// A controller cannot start.
    #[error("controller '{name}' does not start: {failure}; nothing was changed")]
    NotStarted {
        /// Its name.
        name: String,
        /// Why.
        failure: ControllerFailure,
    },
    /// Controllers are loaded and may not be unloaded.
    #[error("{0} controllers are loaded: unload them first, or set force_kill")]
    ControllersLoaded(usize),
    /// The libraries were not loaded again.
    #[error("the libraries were not loaded again: {0}")]
    Libraries(String),
    /// The control loop did not step for this time; the change was taken back.
    #[error("the control loop did not step for {0:?}; the change was taken back")]
    LoopSilent(Duration),
    /// The control loop did not step for this time in a forced reload: the libraries are new, all controllers were stopped if the
    /// loop took that, and so many are still loaded.
    #[error(
        "the libraries were loaded again, then the control loop did not step for {time:?}: {left} controllers are still \
                 loaded"
    )]
    ReloadEnded {
        /// The time.
        time: Duration,
        /// How many controllers are still loaded.
        left: usize,
    },
    /// The control loop has hung in a step for this time; whether the change takes effect is not known.
    #[error("the control loop hangs in a step for {0:?}; whether the change takes effect is not known")]
    LoopHangs(Duration),
    /// A load or a reload takes longer than this time in a library; what it makes is discarded.
    #[error("{what} takes longer than {time:?}, so it is given up; nothing changed")]
    Slow {
        /// The load or reload that takes so long.
        what: String,
        /// The time.
        time: Duration,
    },
    /// An earlier load or reload has hung in a library for this time.
    #[error("{what} has taken {:.1} s, and before it ends no controller and no library can be loaded", .time.as_secs_f64())]
    Hangs {
        /// The load or reload that hangs.
        what: String,
        /// The time.
        time: Duration,
    },
    /// The request may have waited for this long, since the process was held: its caller may have given up.
    #[error("it may have waited for {0:?} while the node was held; nothing changed, request it again")]
    Stale(Duration),
    /// The caller cancelled the request before it took effect.
    #[error("the request was cancelled by its caller; nothing changed")]
    Cancelled,
    /// Too many requests wait.
    #[error("{0} requests wait already")]
    Busy(usize),
}

/// The known type that is nearest to `found`, as a part of a sentence.
fn suggestion(found: &str, known: &[String]) -> String {
    let nearest = nearest(found, known.iter().map(String::as_str));
    nearest.map_or(String::new(), |nearest| format!("did you mean '{nearest}'? It "))
}
