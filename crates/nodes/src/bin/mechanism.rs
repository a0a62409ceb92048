//! Executable `mechanism`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::mechanism::NAME, nodes::mechanism::run)
}
