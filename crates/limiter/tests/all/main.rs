//! The tests of `limiter` beside those in its source: one executable, since each further one would have to be linked.

mod common;
mod examples;
mod properties;
mod reference;
mod watch;
