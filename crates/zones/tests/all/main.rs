//! The tests of `zones` beside those in its source: one executable, since each further one would have to be linked.

mod bench;
mod chair;
mod exhaustive;
mod losses;
mod profiles;
mod properties;
mod rise;
mod scaler;
mod way_out;
