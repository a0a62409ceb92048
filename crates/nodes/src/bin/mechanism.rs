//! Executable `mechanism`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::mechanism::main(nodes::mechanism::run)
}
