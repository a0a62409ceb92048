//! The tests of `fake_chair` beside those in its source: one executable, since each one more is linked anew.

mod chair;
mod link;
mod remote;
mod world;
