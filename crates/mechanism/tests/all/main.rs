//! The tests of `mechanism` beside those in its source: one executable, since each further one would have to be linked.

mod allocation;
mod builtin;
mod calibration_search;
mod chain;
mod closed_forms;
mod common;
mod control_step;
mod description;
mod gripper_and_calibration;
mod halts;
mod joints;
mod late_trajectories;
mod life_cycle;
mod limits;
mod limits_at_random;
mod manager;
mod node;
mod random;
mod remote;
mod reports;
mod services;
mod simulation;
mod standard;
mod step_order;
mod transmissions;
mod vehicle;
