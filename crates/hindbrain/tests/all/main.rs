//! The tests of `hindbrain` beside those in its source: one executable, since each further one would have to be linked.

mod commands;
mod common;
mod core;
mod detail;
mod episodes;
mod faults;
mod fractions;
mod gaps;
mod hindbrain;
mod holes;
mod parameters;
mod properties;
mod reception;
mod seed;
