//! The tests of `chair` beside those in its source: one executable, since each one more is linked anew.

mod bench;
mod chair;
mod life_cycle;
mod odometry;
mod parameters;
mod properties;
mod remote;
