//! The tests of `drive_chain` beside those in its source: one executable, since each further one would have to be linked.

mod allocation;
mod backlog;
mod common;
mod curves;
mod driven;
mod episodes;
mod events;
mod faults;
mod held;
mod holes;
mod machine;
mod mismatches;
mod operator;
mod reasons;
mod reference;
mod rest;
mod stages;
mod timeouts;
