//! Types that cross the border between a library and the program: C types only, so that both may be built by different compilers.
//!
//! A change of any of these types is a change of [`VERSION`].
//! # Source
//! own; every pointer is valid during the call that it is passed to, unless it says more.

use core::ffi::c_void;

/// The version of this border.
pub const VERSION: u32 = 3;

/// The symbol that a library exports: a [`Entry`].
pub const SYMBOL: &[u8] = b"steersman_controllers\0";

/// Returns the library's table, which lives as long as the library.
pub type Entry = unsafe extern "C" fn() -> *const Library;

/// UTF-8 text that the other side owns.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    /// Its first byte; it may be anything if the length is 0.
    pub data: *const u8,
    /// Its length in bytes.
    pub length: usize,
}

impl Text {
    /// `text` as it crosses the border, valid as long as it.
    pub const fn new(text: &str) -> Self {
        Self { data: text.as_ptr(), length: text.len() }
    }
}

/// Some values in a row that the other side owns.
#[derive(Debug)]
#[repr(C)]
pub struct Slice<T> {
    /// The first; it may be anything if the length is 0.
    pub data: *const T,
    /// How many there are.
    pub length: usize,
}

impl<T> Slice<T> {
    /// `values` as they cross the border, valid as long as they.
    pub const fn new(values: &[T]) -> Self {
        Self { data: values.as_ptr(), length: values.len() }
    }
}

/// The kinds of parameters and of joints.
pub mod kind {
    /// A parameter: a boolean.
    pub const BOOL: u32 = 0;
    /// A parameter: an integer.
    pub const INTEGER: u32 = 1;
    /// A parameter: a double.
    pub const DOUBLE: u32 = 2;
    /// A parameter: a string.
    pub const TEXT: u32 = 3;
    /// A parameter: a boolean array.
    pub const BOOLS: u32 = 4;
    /// A parameter: an integer array.
    pub const INTEGERS: u32 = 5;
    /// A parameter: a double array.
    pub const DOUBLES: u32 = 6;
    /// A parameter: a string array.
    pub const TEXTS: u32 = 7;
    /// A joint that turns between end stops.
    pub const REVOLUTE: u32 = 0;
    /// A joint that turns without end.
    pub const CONTINUOUS: u32 = 1;
    /// A joint that slides.
    pub const PRISMATIC: u32 = 2;
}

/// A library's controllers.
#[derive(Debug)]
#[repr(C)]
pub struct Library {
    /// [`VERSION`], which is read before anything else.
    pub version: u32,
    /// The size of [`Type`] in bytes.
    pub type_size: u32,
    /// The types of controllers, which live as long as the library.
    pub types: Slice<Type>,
}

/// A type of controller. No function unwinds. The texts that they return live as long as the library.
#[derive(Debug)]
#[repr(C)]
pub struct Type {
    /// Its name: `package/Class`.
    pub name: Text,
    /// The name of an input; empty after the last.
    pub input: unsafe extern "C" fn(index: usize) -> Text,
    /// The name of an output; empty after the last.
    pub output: unsafe extern "C" fn(index: usize) -> Text,
    /// Creates a controller; null if it does not initialise, after `fail` was called with the reason.
    pub create: unsafe extern "C" fn(setup: *const Setup) -> *mut c_void,
    /// Destroys one that `create` returned; it is not used afterwards.
    pub destroy: unsafe extern "C" fn(controller: *mut c_void),
    /// A number came on an input, at this time in nanoseconds.
    pub receive: unsafe extern "C" fn(controller: *mut c_void, input: usize, value: f64, now: u64),
    /// Returns an empty text, or why the controller cannot start; it changes nothing.
    pub can_start: unsafe extern "C" fn(controller: *mut c_void, joints: Slice<Joint>) -> Text,
    /// Called before the first update.
    pub starting: unsafe extern "C" fn(controller: *mut c_void, step: *mut Step),
    /// Returns an empty text, or why the controller has failed.
    pub update: unsafe extern "C" fn(controller: *mut c_void, step: *mut Step) -> Text,
    /// Called after the last update.
    pub stopping: unsafe extern "C" fn(controller: *mut c_void, step: *mut Step),
    /// Sets the index of an output and its value, and returns 1; returns 0 if there is nothing to publish.
    pub report: unsafe extern "C" fn(controller: *mut c_void, output: *mut usize, value: *mut f64) -> u8,
}

/// Arguments for the creation of a controller.
#[derive(Debug)]
#[repr(C)]
pub struct Setup {
    /// Its parameters, by their names without the controller's.
    pub parameters: Slice<Parameter>,
    /// The robot's joints, in the order of a step.
    pub joints: Slice<JointInfo>,
    /// Takes the reason of a failure.
    pub fail: unsafe extern "C" fn(context: *mut c_void, reason: Text),
    /// Context to pass to `fail`.
    pub context: *mut c_void,
}

/// A parameter. Only the field of its kind counts.
#[derive(Debug)]
#[repr(C)]
pub struct Parameter {
    /// Its name.
    pub name: Text,
    /// One of [`kind`].
    pub kind: u32,
    /// 0 or 1 for a boolean; an integer.
    pub integer: i64,
    /// A double.
    pub double: f64,
    /// A string.
    pub text: Text,
    /// A boolean array (0 or 1), an integer array.
    pub integers: Slice<i64>,
    /// A double array.
    pub doubles: Slice<f64>,
    /// A string array.
    pub texts: Slice<Text>,
}

/// Constant properties of a joint.
#[derive(Debug)]
#[repr(C)]
pub struct JointInfo {
    /// Its name.
    pub name: Text,
    /// [`kind::REVOLUTE`], [`kind::CONTINUOUS`] or [`kind::PRISMATIC`].
    pub kind: u32,
    /// Whether it has limits: 0 or 1.
    pub has_limits: u32,
    /// \[rad or m\]
    pub lower: f64,
    /// \[rad or m\]
    pub upper: f64,
    /// \[rad/s or m/s\]
    pub velocity: f64,
    /// \[Nm or N\]
    pub effort: f64,
    /// Why no controller can move it, in a few words; empty if one can.
    pub obstacle: Text,
}

/// A step of the control loop.
#[derive(Debug)]
#[repr(C)]
pub struct Step {
    /// The time in nanoseconds, which never goes back.
    pub now: u64,
    /// The time since the previous step in nanoseconds.
    pub period: u64,
    /// The robot's joints.
    pub joints: *mut Joint,
    /// How many there are.
    pub count: usize,
}

/// The state of a joint, and its command.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Joint {
    /// \[rad or m\]
    pub position: f64,
    /// \[rad/s or m/s\]
    pub velocity: f64,
    /// The measured effort \[Nm or N\].
    pub measured_effort: f64,
    /// The commanded effort \[Nm or N\]: 0 at the start of each step, then what the controllers before this one wrote.
    pub commanded_effort: f64,
    /// Whether the position is absolute: 0 or 1; see [`is_calibrated`](Self::is_calibrated).
    pub calibrated: u32,
    /// Nothing.
    pub reserved: u32,
}

impl Joint {
    /// Whether the position is absolute.
    pub const fn is_calibrated(&self) -> bool {
        self.calibrated != 0
    }
}
