//! The tests of `luci_chair` beside those in its source: one executable, since each further one would have to be linked.

mod chair;
mod link;
mod remote;
mod world;
