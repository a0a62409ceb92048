//! Controllers from libraries that are loaded at run time: the program's side of [`controller_plugin::abi`].
//!
//! A library that was loaded stays mapped until the process ends, so nothing can be called that is not there any more; a rebuilt one
//! is loaded beside it, from a copy, since the system gives the old one for the same file. Loading a library runs its code with the
//! rights of the process: load only what you trust.
#![allow(unsafe_code)] // a library is reached through pointers only

mod controller;
mod library;

/// Where a controller panicked in the control loop; the program's own controllers use it too.
pub use controller_plugin::place as panic_place;
pub use library::{PluginType, Plugins, PluginsError, open};
