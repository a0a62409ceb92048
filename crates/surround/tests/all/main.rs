//! The tests of `surround` beside those in its source: one executable, since each one more is linked anew.

mod age;
mod allocation;
mod common;
mod messages;
mod parameters;
mod properties;
mod surround;
mod way_out;
