//! The tests of `chair` beside those in its source: one executable, since each further one would have to be linked.

mod bench;
mod chair;
mod explain;
mod life_cycle;
mod odometry;
mod parameters;
mod properties;
mod remote;
