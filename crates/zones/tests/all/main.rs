//! The tests of `zones` beside those in its source: one executable, since each one more is linked anew.

mod bench;
mod chair;
mod exhaustive;
mod losses;
mod profiles;
mod properties;
mod rise;
mod scaler;
mod way_out;
