//! The tests of `switches` beside those in its source: one executable, since each further one would have to be linked.

mod common;
mod properties;
mod relay;
