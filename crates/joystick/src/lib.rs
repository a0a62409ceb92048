//! From sticks and buttons to a reference velocity: the openrobots `joystick` component as a machine.
//!
//! The component has two tasks, and so has this crate. The *publish* task keeps the list of connected devices and
//! publishes each that changed once per batch of events. The *state* task filters a reference: while inactive it
//! passes it through bit for bit, while active it replaces it with a velocity integrated from the stick. The
//! [`Joystick`] composes both, answers services and publishes `joy` for the ROS world.
//!
//! | file | one idea |
//! |---|---|
//! | `joystick` | the machine: [`Input`] to [`Output`], time, order of outputs, health, [`Counters`], answers to services |
//! | `event`, `report` | [`Input`], [`Output`]; [`Report`], a line of the log, with untrusted names escaped |
//! | `state` | the messages: [`DeviceState`], [`PoseState`], [`JoyState`] |
//! | `devices`, `device`, `name`, `choice` | publish task: connected devices, one device, its port, the selection of the driving device |
//! | `names` | SDL's names of axes and buttons: the number that each has on a device |
//! | `filter`, `stick`, `stop_sequence` | state task: the desired state, the stick as it reads it, the zeros after an end |
//! | `mode`, `mapping`, `integrator` | when the stick drives, its command, the resulting velocity |
//! | `reference` | which reference is in force, the initial velocity of a takeover from it |
//! | `virtual_device`, `feedback` | the device of `~/virtual_device`; motors and light of the driving device |
//! | `joy` | the `joy` messages: dead zone, repeats, coalesced moves, the neutral message |
//! | `log` | which cycles are logged, and the text of a row |
//! | `requests`, `exception` | services: the parameters they set, why they refuse |
//! | `parameters` | [`specification`], [`Params`] |
//!
//! Deliberately absent: rotation between frames (the numbers are only labelled, see [`PoseState::intrinsic`]), anything
//! done to the axes of the device ports (they carry raw values) and merging of devices (one device drives, the others
//! are only published).
#![forbid(unsafe_code)]

mod choice;
mod device;
mod devices;
mod event;
mod exception;
mod feedback;
mod filter;
mod integrator;
mod joy;
mod joystick;
mod log;
mod mapping;
mod mode;
mod name;
mod names;
mod parameters;
mod reference;
mod report;
mod requests;
mod state;
mod stick;
mod stop_sequence;
mod virtual_device;

pub use choice::is_same_model;
pub use event::{Effect, Input, Output};
pub use exception::{Exception, RenameRefused};
pub use feedback::Feedback;
pub use joystick::{Counters, Joystick};
pub use log::{LOG_HEADER, LogLine, LogPace, LogRow};
pub use mapping::DeflectedAxis;
pub use name::{MAX_NAME_LENGTH, port_name};
pub use names::{Binding, Bindings, Names, Reason, Unnamed};
pub use parameters::{
    AxisMapping, Dynamics, EnableButtons, FrameButtons, JoyParams, Mappings, Params, Shape, specification,
};
pub use report::{Printable, Report};
pub use requests::{Changes, RequestedAxis, RequestedMappings, dynamics_changes, frame_change};
pub use safety::Level;
pub use state::{DeviceId, DeviceState, Hat, JoyState, MAX_PUBLISHED, PoseState};
pub use virtual_device::{UnusableJoy, VirtualSource, VirtualState};
