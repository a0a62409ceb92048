//! Executable `velocity_arbiter`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main_with_helpers(nodes::velocity_arbiter::NAME, nodes::velocity_arbiter::run)
}
