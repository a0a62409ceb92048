//! From sticks and buttons to a reference velocity: the openrobots `joystick` component as a machine.
//!
//! The component has two tasks, and so has this crate. The *publish* task keeps the list of connected devices and
//! publishes each that changed once per batch of events. The *state* task filters a reference: while inactive it
//! passes it through bit for bit, while active it replaces it with a velocity integrated from the stick. The
//! [`Joystick`] composes both and answers for its services; for the ROS world it tells `joy`.
//!
//! | file | one idea |
//! |---|---|
//! | `joystick` | the machine: [`Input`] to [`Output`], what time does, order of outputs, health, answers to services |
//! | `event`, `report` | [`Input`], [`Output`]; [`Report`], what is worth a line of the log |
//! | `state` | what goes over the wire: [`DeviceState`], [`PoseState`], [`JoyState`] |
//! | `devices`, `device`, `name`, `choice`, `guid` | publish task: connected devices, one device, its port, which one drives |
//! | `filter` | state task: what is desired now |
//! | `mode`, `mapping`, `integrator` | when the stick drives, what it commands, what velocity comes of that |
//! | `reference` | which reference is in force |
//! | `takeover` | which velocity of the reference a takeover begins with |
//! | `virtual_device`, `feedback` | the device of `~/virtual_device`; motors and light of the device that drives |
//! | `joy` | what the ROS world hears: dead zone, repeats, moves told as one, the neutral message |
//! | `log`, `g` | which cycles become rows of the log, and their text |
//! | `requests`, `exception` | services: what they ask of the parameters, why they refuse |
//! | `words` | names that others chose, fit for one line of a log |
//! | `health` | [`Counters`] for `/diagnostics` |
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
mod g;
mod guid;
mod health;
mod integrator;
mod joy;
mod joystick;
mod log;
mod mapping;
mod mode;
mod name;
mod parameters;
mod reference;
mod report;
mod requests;
mod state;
mod takeover;
mod virtual_device;
mod words;

pub use event::{Input, Output};
pub use exception::{Exception, RenameRefused};
pub use feedback::Feedback;
pub use guid::is_same_model;
pub use health::Counters;
pub use joystick::Joystick;
pub use log::{LOG_HEADER, LogLine, LogPace, LogRow};
pub use mapping::Unrest;
pub use name::{LONGEST_NAME, port_name};
pub use parameters::{
    AxisMapping, Dynamics, EnableButtons, FrameButtons, JoyParams, Mappings, Params, Shape, specification,
};
pub use report::Report;
pub use requests::{AskedAxis, AskedMappings, Changes, dynamics_changes, frame_change};
pub use state::{DeviceId, DeviceState, Hat, JoyState, MOST, PoseState};
pub use units::Level;
pub use virtual_device::VirtualState;
pub use words::Printable;
