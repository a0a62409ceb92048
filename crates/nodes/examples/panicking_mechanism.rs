//! The node `mechanism` with an injected fault, which becomes active on `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::mechanism::NAME, |context, stop| {
        nodes::mechanism::run_with(context, stop, fault::with_fault)
    })
}
