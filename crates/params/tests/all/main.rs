//! The tests of `params` beside those in its source: one executable, since each one more is linked anew.

mod live;
mod open;
mod parameters;
