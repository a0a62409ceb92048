//! Executable `haptix`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::haptix::NAME, nodes::haptix::run)
}
