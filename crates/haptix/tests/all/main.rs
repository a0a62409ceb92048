//! The tests of `haptix` beside those in its source: one executable, since each further one would have to be linked.

mod allocation;
mod common;
mod conformance;
mod contacts;
mod device_faults;
mod device_loop;
mod devices;
mod directions;
mod fields;
mod hand;
mod imus;
mod node;
mod properties;
mod robot;
mod vehicle;
