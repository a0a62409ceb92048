//! Executable `marker_publisher`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::marker_publisher::NAME, nodes::marker_publisher::run)
}
