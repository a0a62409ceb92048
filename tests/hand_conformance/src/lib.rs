//! Requirements on every simulated HAPTIX hand, whatever computes it: the same tests for each device.
//!
//! A test file of a device has one line, [`conformance!`], with a function that makes the device of a description. No expected value
//! comes from a device: they are the description's own numbers, the closed form, or the statics of the hand.
#![allow(clippy::unwrap_used)] // these are tests
#![forbid(unsafe_code)]

mod rig;

pub mod contract;
pub mod grasping;
pub mod motion;
pub mod sensors;
pub mod simulated;

pub use rig::{Rig, STEP};

/// Makes the device of a description, which is YAML, and of a seed of its noise.
pub type Make = dyn Fn(&str, u64) -> Box<dyn haptix::Device>;

/// A test for each thing that a device must do; the argument is a function as [`Make`].
#[macro_export]
macro_rules! conformance {
    ($make:expr) => {
        $crate::conformance! { $make =>
            contract: names_have_the_order_of_the_description, entries_beyond_the_counts_are_zero,
                the_time_of_a_reading_is_the_time_that_passed, the_same_calls_give_the_same_readings,
                a_reset_returns_to_the_start_only_with_the_pose;
            motion: a_hand_without_a_command_stays_at_rest, each_motor_moves_as_its_equation_says,
                joints_follow_their_motors, commands_far_away_end_at_the_limits,
                extreme_gains_leave_everything_finite_and_within_limits,
                the_cap_on_the_speed_of_the_reference_holds, a_hold_stays_where_the_motors_are,
                motors_behind_gears_are_the_joints_times_their_gears, long_steps_are_as_good_as_short_ones;
            sensors: at_rest_each_unit_measures_gravity_upward, a_turning_hand_measures_its_turn,
                what_is_up_is_a_matter_of_the_description, an_object_presses_on_the_sensor_that_touches_it,
                the_force_on_a_sensor_is_the_torque_of_its_motor, a_sensor_of_the_base_feels_an_object,
                an_object_that_is_removed_presses_no_more, hard_objects_and_long_steps_stay_stable;
            simulated: a_stuck_motor_stays_and_the_others_move, a_dead_sensor_reads_zero,
                a_silent_device_answers_nothing_until_it_is_repaired, a_delayed_reading_is_an_earlier_one,
                noise_is_the_same_for_the_same_seed;
        }
    };
    ($make:expr => $($module:ident: $($name:ident),+;)+) => {
        $($(
            #[test]
            fn $name() {
                $crate::$module::$name(&$make);
            }
        )+)+
    };
}

/// Tests of grasps, for hands whose contacts are those of `haptix`: what an engine of rigid bodies does with soft objects is its own.
#[macro_export]
macro_rules! grasping_conformance {
    ($make:expr) => {
        $crate::conformance! { $make =>
            grasping: a_grasp_comes_to_rest_whatever_the_parameters_allow, pressing_further_never_lowers_the_force;
        }
    };
}
