//! The node `mechanism` with an injected fault, which becomes active on `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::mechanism::main(|context, stop| nodes::mechanism::run_with(context, stop, fault::with_fault))
}
