//! Executable `surround`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::surround::NAME, nodes::surround::run)
}
