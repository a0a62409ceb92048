//! From sticks and buttons to a reference velocity: the openrobots `joystick` component as a machine.
//!
//! The component has two tasks, and so has this crate. The *publish* task keeps the list of connected devices and
//! publishes each that changed once per batch of events. The *state* task filters a reference: while inactive it
//! passes it through bit for bit, while active it replaces it with a velocity integrated from the stick. The
//! [`Joystick`] composes both; its services are to come and will be inputs like any other.
//!
//! | file | one idea |
//! |---|---|
//! | `joystick` | the machine: [`Input`] to [`Output`], pace, order of outputs |
//! | `event` | [`Input`], [`Output`], [`Report`] |
//! | `state` | what goes over the wire: [`DeviceState`], [`PoseState`], [`JoyState`] |
//! | `devices`, `device`, `name` | publish task: connected devices, one device, the names of their ports |
//! | `filter` | state task: what is desired now |
//! | `mode`, `mapping`, `integrator` | when the stick drives, what it commands, what velocity comes of that |
//! | `clock` | wall-clock stamps without a wall clock |
//! | `health` | [`Counters`] for `/diagnostics` |
//! | `parameters` | [`specification`], [`Params`] |
//!
//! Deliberately absent: rotation between frames (the numbers are only labelled, see [`PoseState::intrinsic`]), dead
//! zones (the ports carry raw values) and merging of devices (one device drives, the others are only published).
#![forbid(unsafe_code)]

mod clock;
mod device;
mod devices;
mod event;
mod filter;
mod health;
mod integrator;
mod joystick;
mod mapping;
mod mode;
mod name;
mod parameters;
mod state;

pub use event::{Input, Output, Report};
pub use health::Counters;
pub use joystick::Joystick;
pub use name::{LONGEST_NAME, port_name};
pub use parameters::{AxisMapping, Dynamics, EnableButtons, FrameButtons, Mappings, Params, specification};
pub use state::{DeviceId, DeviceState, Hat, JoyState, MOST, PoseState};
pub use units::Level;
