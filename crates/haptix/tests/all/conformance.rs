//! The analytic hand does what every hand must do.

use crate::common;

hand_conformance::conformance!(common::make);
hand_conformance::grasping_conformance!(common::make);
