//! Executable `switch_relay`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::switch_relay::NAME, nodes::switch_relay::run)
}
