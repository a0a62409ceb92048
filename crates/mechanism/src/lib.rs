//! The joints, transmissions and controllers of a robot, stepped together, as pr2_mechanism does.
#![forbid(unsafe_code)]

mod chain;
pub mod controllers;
pub mod description;
pub mod diagnostics;
pub mod laws;
pub mod robot;
pub mod standard;

pub use chain::{Chain, ChainError};
pub use description::{Description, DescriptionError};
pub use robot::{Actuator, Joint, Robot};
