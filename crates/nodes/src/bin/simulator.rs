//! Executable `simulator`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::simulator::NAME, nodes::simulator::run)
}
