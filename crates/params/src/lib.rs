//! Parameters that describe themselves.
//!
//! Each parameter is written once, as an entry of [`params!`]. From it come the field that it is read into, the ROS descriptor,
//! the check of a value and the commented YAML file in `config/`. A node's parameters together are its [`Specification`]; the values
//! in force are a [`Set`], which only holds values that passed every check.
#![forbid(unsafe_code)]

pub mod file;
pub mod tree;

mod choice;
mod declaration;
mod declared;
mod document;
mod refusal;
mod set;
mod specification;
mod topic;
mod value;
mod yaml;

pub use choice::Choice;
pub use declaration::{Change, Declaration, Kind, NumberOrName, Parameter};
pub use document::{owners_yaml, yaml};
pub use refusal::Refusal;
pub use set::{Set, nearest};
pub use specification::{AUTOSTART, Fixed, Group, Preset, PresetValue, Specification};
pub use topic::check_topic;
pub use value::{Value, quoted};
