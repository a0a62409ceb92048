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

/// The nodes that need SDL, in the executable `steersman`.
pub const WITH_SDL: [(&str, Main); 2] = [
    (crate::steersman::NAME, || start::main(crate::steersman::NAME, crate::steersman::run)),
    (crate::joystick::NAME, || start::main(crate::joystick::NAME, crate::joystick::run)),
];

/// The others, in the executable `steersman-nodes`.
pub const OTHERS: [(&str, Main); 11] = [
    (crate::velocity_arbiter::NAME, || {
        start::main(crate::velocity_arbiter::NAME, crate::velocity_arbiter::run)
    }),
    (crate::switch_relay::NAME, || start::main(crate::switch_relay::NAME, crate::switch_relay::run)),
    (crate::zone_scaler::NAME, || start::main(crate::zone_scaler::NAME, crate::zone_scaler::run)),
    (crate::surround::NAME, || start::main(crate::surround::NAME, crate::surround::run)),
    (crate::hindbrain::NAME, || start::main(crate::hindbrain::NAME, crate::hindbrain::run)),
    (crate::mechanism::NAME, || crate::mechanism::main(crate::mechanism::run)),
    (crate::haptix::NAME, || start::main(crate::haptix::NAME, crate::haptix::run)),
    (crate::chair::NAME, || start::main(crate::chair::NAME, crate::chair::run)),
    (crate::simulator::NAME, || start::main(crate::simulator::NAME, crate::simulator::run)),
    (crate::luci_chair::NAME, || start::main(crate::luci_chair::NAME, crate::luci_chair::run)),
    (crate::marker_publisher::NAME, || {
        start::main(crate::marker_publisher::NAME, crate::marker_publisher::run)
    }),
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
