//! The tests of `limiter` beside those in its source: one executable, since each one more is linked anew.

mod common;
mod examples;
mod properties;
mod reference;
mod watch;
