//! Executable `steersman`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::steersman::NAME, nodes::steersman::run)
}
