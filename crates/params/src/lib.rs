//! Parameters that describe themselves.
//!
//! Each parameter is written once, as an entry of [`params!`]. From it come the field that it is read into, the ROS descriptor,
//! the check of a value and the commented YAML file in `config/`. A node's parameters together are its [`Specification`]; the values
//! in force are a [`Set`], which only holds values that passed every check.
#![forbid(unsafe_code)]

pub mod file;
pub mod tree;

mod declaration;
mod declared;
mod loop_thread;
mod set;
mod specification;
mod value;
mod yaml;

pub use declaration::{Change, Declaration, Kind, NumberOrName, Parameter};
pub use declared::Choice;
pub use loop_thread::LoopThread;
pub use set::{Set, nearest};
pub use specification::{AUTOSTART, Fixed, Group, Preset, PresetValue, Specification};
pub use value::{FOREIGN_PAGE, Foreign, Refusal, Value, check_topic, quoted};
