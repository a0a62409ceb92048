//! Write a controller for the node `mechanism` in a library of its own: implement [`Controller`], and name the types in
//! [`controllers!`]. `docs/write_a_controller.md` goes through an example.
//!
//! The border to the program is a table of C functions ([`abi`]), so a library may be built with another compiler than the program.
//! A panic does not cross it: it becomes a failure of its controller.
#![allow(unsafe_code)] // the border is made of pointers; the code of a controller needs none

pub mod abi;
#[doc(hidden)]
pub mod glue;
#[doc(hidden)]
pub mod place;
mod setup;
mod step;

pub use abi::Joint;
pub use setup::{JointInfo, JointKind, Setup};
pub use step::Step;

/// A controller: it computes the efforts of some joints from their state, once in each control step.
///
/// `new` is called outside the control loop; the loop calls all else.
/// # Real-time
/// No method but `new` may allocate, lock, block or take longer than a small part of the period.
pub trait Controller: Send + Sized + 'static {
    /// The name of its type: `package/Class`.
    const TYPE: &'static str;
    /// The inputs: the topic `<controller>/<input>` (`std_msgs/Float64`) feeds each.
    const INPUTS: &'static [&'static str] = &[];
    /// The outputs: each is published as the topic `<controller>/<output>` (`std_msgs/Float64`).
    const OUTPUTS: &'static [&'static str] = &[];

    /// Creates a controller from its parameters.
    /// # Errors
    /// Why there cannot be one: the parameter by its name, its value, and what it must be. The caller of the load reads it in the log.
    fn new(setup: &Setup<'_>) -> Result<Self, String>;

    /// Called before a step with a number that came on an input, also while the controller is stopped. It is finite.
    fn receive(&mut self, input: usize, value: f64, now: core::time::Duration) {
        let _ = (input, value, now);
    }

    /// Asked before [`starting`](Self::starting): a strict switch asks all that it starts before it changes anything.
    /// # Errors
    /// The controller cannot start: why, in a few words without a full stop.
    fn can_start(&self, joints: &[Joint]) -> Result<(), &'static str> {
        let _ = joints;
        Ok(())
    }

    /// Called before the first [`update`](Self::update) after a start, and after a halt of the motors has ended: it begins anew.
    fn starting(&mut self, step: &mut Step<'_>) {
        let _ = step;
    }

    /// Reads the joints' state and writes their commanded efforts.
    /// # Errors
    /// This controller is stopped, and what it wrote in this step is taken back: why, in a few words without a full stop.
    fn update(&mut self, step: &mut Step<'_>) -> Result<(), &'static str>;

    /// Called after the last [`update`](Self::update).
    fn stopping(&mut self, step: &mut Step<'_>) {
        let _ = step;
    }

    /// Called after an update until it returns `None`: the index of an output, and its value.
    fn report(&mut self) -> Option<(usize, f64)> {
        None
    }
}

/// Exports the controllers of a library: `controller_plugin::controllers!(Sway, Balance);`, once.
#[macro_export]
macro_rules! controllers {
    ($($controller:ty),+ $(,)?) => {
        /// The library's controllers.
        #[unsafe(no_mangle)]
        pub extern "C" fn steersman_controllers() -> *const $crate::abi::Library {
            static TYPES: $crate::glue::Shared<[$crate::abi::Type; [$($crate::glue::name::<$controller>),+].len()]> =
                $crate::glue::Shared([$($crate::glue::table::<$controller>()),+]);
            static LIBRARY: $crate::glue::Shared<$crate::abi::Library> =
                $crate::glue::Shared($crate::glue::library(&TYPES.0));
            $crate::glue::silence_panics_in_the_loop();
            &raw const LIBRARY.0
        }
    };
}
