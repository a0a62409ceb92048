//! The tests of `mechanism` beside those in its source: one executable, since each further one would have to be linked.
//!
//! Rules of `pr2_mechanism` 1.8.21, and of this crate where it differs on purpose, with their tests:
//!
//! * the services: `manager`, `services`, `random`, and `test_mechanism*.py` over DDS
//! * life and schedule of a controller: `life_cycle`, and `controllers/schedule.rs` in the source
//! * a control step: `control_step`, `step_order`, `allocation`, and `crates/mechanism_loop/tests`
//! * the reports: `reports`, and `controllers/period.rs` in the source
//! * joints, limits and transmissions: `description`, `joints`, `limits`, `limits_at_random`, `transmissions`, `chain`
//! * calibration: `calibration_search`, `gripper_and_calibration`, `builtin`
//! * the standard controllers, against closed forms: `closed_forms`, `late_trajectories`, `refusals`, `goal_ends`, `vehicle`
//! * halts: `halts`, `node`, `remote`, `streams`
//! * libraries and the tool: `test_plugins.py` and `test_controller_tool*.py` over DDS

mod allocation;
mod approach;
mod builtin;
mod calibration_search;
mod chain;
mod closed_forms;
mod common;
mod control_step;
mod description;
mod goal_ends;
mod gripper_and_calibration;
mod halts;
mod hung_send;
mod joints;
mod late_speeds;
mod late_trajectories;
mod life_cycle;
mod limits;
mod limits_at_random;
mod manager;
mod node;
mod plan;
mod random;
mod refusals;
mod remote;
mod reports;
mod services;
mod simulation;
mod skew;
mod standard;
mod step_order;
mod streams;
mod transmissions;
mod vehicle;
