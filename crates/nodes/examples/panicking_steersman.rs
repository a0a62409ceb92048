//! `steersman` with an injected fault in each of its nodes, which becomes active on that node's `~/panic`.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::steersman::NAME, |context, stop| {
        nodes::steersman::run_with(context, stop, fault::with_fault)
    })
}
