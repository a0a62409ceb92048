//! The tests of `arbiter` beside those in its source: one executable, since each further one would have to be linked.

mod allocation;
mod arbiter;
mod changes;
mod common;
mod conflicts;
mod freshness;
mod limits;
mod losses;
mod model;
mod properties;
mod scenarios;
