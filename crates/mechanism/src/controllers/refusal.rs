use core::fmt;
use core::time::Duration;

use params::nearest;

use crate::controllers::{ControllerFailure, ScheduleError};

/// Why a request was refused; nothing changed, unless it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A controller of this name is loaded already.
    Loaded(String),
    /// The name cannot be that of a controller.
    Name(String),
    /// So many controllers are loaded already.
    Full(usize),
    /// The parameter `<name>.type` is missing or empty.
    NoType(String),
    /// No library has this type; with all that are known.
    UnknownType {
        /// The type found.
        found: String,
        /// The types of all libraries.
        known: Vec<String>,
    },
    /// The controller did not initialise.
    Init {
        /// Its name.
        name: String,
        /// Why.
        reason: String,
    },
    /// There is no order in which all dependencies hold.
    Schedule(ScheduleError),
    /// A loaded controller depends on the one that was to be unloaded.
    Needed {
        /// The one to be unloaded.
        name: String,
        /// The first that depends on it.
        by: String,
    },
    /// The controller runs; it has to be stopped first.
    Running(String),
    /// No controller of this name is loaded.
    NotLoaded(String),
    /// The strictness of a switch is none.
    Strictness(i32),
    /// A controller cannot start.
    NotStarted {
        /// Its name.
        name: String,
        /// Why.
        failure: ControllerFailure,
    },
    /// Controllers are loaded and may not be unloaded.
    ControllersLoaded(usize),
    /// The libraries were not loaded again.
    Libraries(String),
    /// The control loop did not step for this time; the change was taken back.
    LoopSilent(Duration),
    /// The control loop did not step for this time in a forced reload: the libraries are new, all controllers were stopped if the
    /// loop took that, and so many are still loaded.
    ReloadEnded {
        /// The time.
        time: Duration,
        /// How many controllers are still loaded.
        left: usize,
    },
    /// The control loop has hung in a step for this time; whether the change takes effect is not known.
    LoopHangs(Duration),
    /// A load or a reload takes longer than this time in a library; what it makes is discarded.
    Slow {
        /// What takes so long.
        what: String,
        /// The time.
        time: Duration,
    },
    /// An earlier load or reload has hung in a library for this time.
    Hangs {
        /// What hangs.
        what: String,
        /// The time.
        time: Duration,
    },
    /// The request may have waited for this long, since the process was held: its caller may have given up.
    Stale(Duration),
    /// The caller cancelled the request before it took effect.
    Cancelled,
    /// Too many requests wait.
    Busy(usize),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loaded(name) => write!(f, "controller '{name}' is loaded already"),
            Self::Name(name) => write!(
                f,
                "a controller cannot have the name '{name}': a name is words of letters, digits and _, each beginning with a \
                 letter, joined by /, 255 bytes at most"
            ),
            Self::Full(most) => write!(f, "{most} controllers can be loaded at most"),
            Self::NoType(name) => {
                write!(f, "parameter '{name}.type' is missing, must be the type of the controller")
            }
            Self::UnknownType { found, known } => {
                write!(f, "controller type '{found}' is unknown, ")?;
                if let Some(nearest) = nearest(found, known.iter().map(String::as_str)) {
                    write!(f, "did you mean '{nearest}'? It ")?;
                }
                write!(f, "must be one of {}", known.join(", "))
            }
            Self::Init { name, reason } => write!(f, "controller '{name}' does not initialise: {reason}"),
            Self::Schedule(error) => error.fmt(f),
            Self::Needed { name, by } => write!(f, "controller '{by}' depends on '{name}': unload it first"),
            Self::Running(name) => write!(f, "controller '{name}' runs: stop it first"),
            Self::NotLoaded(name) => write!(f, "no controller '{name}' is loaded"),
            Self::Strictness(found) => {
                write!(
                    f,
                    "strictness is {found}, must be 1 (best effort), 2 (strict), or 0, which counts as 1"
                )
            }
            Self::NotStarted { name, failure } => {
                write!(f, "controller '{name}' does not start: {failure}; nothing was changed")
            }
            Self::ControllersLoaded(count) => {
                write!(f, "{count} controllers are loaded: unload them first, or set force_kill")
            }
            Self::Libraries(reason) => write!(f, "the libraries were not loaded again: {reason}"),
            Self::LoopSilent(time) => {
                write!(f, "the control loop did not step for {time:?}; the change was taken back")
            }
            Self::ReloadEnded { time, left } => write!(
                f,
                "the libraries were loaded again, then the control loop did not step for {time:?}: {left} controllers are still \
                 loaded"
            ),
            Self::LoopHangs(time) => {
                write!(
                    f,
                    "the control loop hangs in a step for {time:?}; whether the change takes effect is not known"
                )
            }
            Self::Slow { what, time } => {
                write!(f, "{what} takes longer than {time:?}, so it is given up; nothing changed")
            }
            Self::Hangs { what, time } => write!(
                f,
                "{what} has taken {:.1} s, and before it ends no controller and no library can be loaded",
                time.as_secs_f64()
            ),
            Self::Stale(time) => {
                write!(
                    f,
                    "it may have waited for {time:?} while the node was held; nothing changed, request it again"
                )
            }
            Self::Cancelled => write!(f, "the request was cancelled by its caller; nothing changed"),
            Self::Busy(waiting) => write!(f, "{waiting} requests wait already"),
        }
    }
}

impl core::error::Error for Refusal {}
