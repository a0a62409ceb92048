//! Several nodes in one executable, which is installed once and linked by the name of each.
//!
//! Each node's own executable holds the same 2 MB of messages and middleware. Those that need SDL are in another one than the rest, so
//! hindbrain loads no library of a desktop.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::start;

/// The `main` of a node.
pub type Main = fn() -> ExitCode;

/// The name and the `main` of the node in the module of this name.
macro_rules! node {
    ($module:ident) => {
        (crate::$module::NAME, || start::main(crate::$module::NAME, crate::$module::run))
    };
}

/// The nodes that need SDL, in the executable `steersman`.
pub const WITH_SDL: [(&str, Main); 2] = [node!(steersman), node!(joystick)];

/// The others, in the executable `steersman-nodes`.
pub const OTHERS: [(&str, Main); 11] = [
    node!(velocity_arbiter),
    node!(switch_relay),
    node!(zone_scaler),
    node!(surround),
    node!(hindbrain),
    (crate::mechanism::NAME, || crate::mechanism::main(crate::mechanism::run)), // or a trial of a controller
    node!(haptix),
    node!(chair),
    node!(simulator),
    node!(luci_chair),
    node!(marker_publisher),
];

/// Runs the node of `nodes` by whose name this process was started.
pub fn main(nodes: &[(&str, Main)]) -> ExitCode {
    let called: OsString = std::env::args_os().next().unwrap_or_default();
    let called = Path::new(&called).file_name().unwrap_or_default().to_string_lossy();
    if let Some((_, main)) = nodes.iter().find(|(name, _)| *name == called) {
        return main();
    }
    let names: Vec<&str> = nodes.iter().map(|(name, _)| *name).collect();
    ros::print_line(format_args!("{called}: start it by the name of a node: {}", names.join(", ")));
    ExitCode::FAILURE
}
