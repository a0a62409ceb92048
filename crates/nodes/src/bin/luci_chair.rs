//! Executable `luci_chair`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::luci_chair::NAME, nodes::luci_chair::run)
}
