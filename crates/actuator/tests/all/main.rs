//! The tests of `actuator` beside those in its source: one executable, since each one more is linked anew.

mod actuator;
mod common;
mod line;
mod maestro;
mod properties;
mod roboclaw;
