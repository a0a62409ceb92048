//! Executable `hindbrain`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::hindbrain::NAME, nodes::hindbrain::run)
}
