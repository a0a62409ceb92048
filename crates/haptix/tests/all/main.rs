//! The tests of `haptix` beside those in its source: one executable, since each one more is linked anew.

mod allocation;
mod common;
mod conformance;
mod contacts;
mod device_faults;
mod device_loop;
mod devices;
mod fields;
mod hand;
mod imus;
mod node;
mod properties;
mod robot;
