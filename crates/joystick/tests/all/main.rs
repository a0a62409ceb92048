//! The tests of `joystick` beside those in its source: one executable, since each further one would have to be linked.

mod authority;
mod bounds;
mod common;
mod devices;
mod early_buttons;
mod filter;
mod health;
mod identity;
mod joy;
mod joy_input;
mod joy_properties;
mod names;
mod parameters;
mod properties;
mod releases;
mod rest;
mod services;
mod speeds;
mod takeover;
mod triggers;
mod virtual_device;
