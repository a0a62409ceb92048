//! The node `hindbrain` with an injected fault, which becomes active on `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::hindbrain::NAME, |context, stop| {
        nodes::hindbrain::run_with(context, stop, fault::with_fault)
    })
}
