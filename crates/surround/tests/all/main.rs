//! The tests of `surround` beside those in its source: one executable, since each further one would have to be linked.

mod age;
mod allocation;
mod common;
mod messages;
mod parameters;
mod properties;
mod surround;
mod way_out;
