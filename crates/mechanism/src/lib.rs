//! The joints, transmissions and controllers of a robot, stepped together, as pr2_mechanism does.
#![forbid(unsafe_code)]

pub mod robot;

pub use robot::{Actuator, Joint, Robot};
