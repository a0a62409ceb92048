//! Why a vehicle stands, as one sentence: `What is. What to do next.`
//!
//! | file | idea |
//! |---|---|
//! | `code` | the table of reasons by rank |
//! | `name`, `reason` | a reason with its names, and its sentence |
//! | `stage` | what each stage was asked for, and what it passes |
//! | `choice` | the one reason that is shown, of all stages |
//! | `shown` | how long a reason must last before it is shown |
//! | `fields` | a stage as text, on a topic |
//!
//! Each machine on the way of a command makes its own [`Stage`] ([`Explain`]) by an exhaustive `match` of its causes, so a new cause does
//! not compile without a sentence.
#![forbid(unsafe_code)]

mod choice;
mod code;
mod fields;
mod name;
mod reason;
mod shown;
mod stage;

pub use choice::{choose, stage_of};
pub use code::{Act, Actor, Code, Row};
pub use fields::Unreadable;
pub use name::Name;
pub use reason::Reason;
pub use shown::{LASTS, Shown};
pub use stage::{Explain, Findings, Flow, Moves, Stage};

/// The time without a message after which a stage, or `why` itself, counts as silent.
pub const SILENT: core::time::Duration = core::time::Duration::from_millis(1500);
