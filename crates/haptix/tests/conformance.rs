//! The analytic hand does what every hand must do.

mod common;

hand_conformance::conformance!(common::make);
