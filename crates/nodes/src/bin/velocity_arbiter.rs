//! Executable `velocity_arbiter`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::velocity_arbiter::NAME, nodes::velocity_arbiter::run)
}
