//! The tests of `params` beside those in its source: one executable, since each further one would have to be linked.

mod example;
mod live;
mod open;
mod parameters;
