//! Executable `luci_chair`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::interface::NAME, nodes::interface::run)
}
