//! The tests of `hindbrain` beside those in its source: one executable, since each one more is linked anew.

mod commands;
mod common;
mod core;
mod detail;
mod episodes;
mod faults;
mod hindbrain;
mod holes;
mod parameters;
mod properties;
mod reception;
mod seed;
