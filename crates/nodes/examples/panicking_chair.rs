//! The node `chair` with an injected fault, which becomes active on `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::chair::NAME, |context, stop| {
        nodes::chair::run_with(context, stop, fault::with_fault)
    })
}
