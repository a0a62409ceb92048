//! The tests of `actuator` beside those in its source: one executable, since each further one would have to be linked.

mod actuator;
mod common;
mod line;
mod maestro;
mod port;
mod properties;
mod roboclaw;
