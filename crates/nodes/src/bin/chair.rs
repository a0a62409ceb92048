//! Executable `chair`.

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::chair::NAME, nodes::chair::run)
}
