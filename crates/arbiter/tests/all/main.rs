//! The tests of `arbiter` beside those in its source: one executable, since each one more is linked anew.

mod allocation;
mod arbiter;
mod changes;
mod common;
mod freshness;
mod limits;
mod losses;
mod model;
mod properties;
mod scenarios;
