//! Executable `steersman-nodes`: each node without SDL, by the name with which it is started.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::executables::main(&nodes::executables::OTHERS)
}
