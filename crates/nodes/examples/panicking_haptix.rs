//! The node `haptix` with an injected fault, which becomes active on `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::haptix::NAME, |context, stop| {
        nodes::haptix::run_with(context, stop, fault::with_fault)
    })
}
