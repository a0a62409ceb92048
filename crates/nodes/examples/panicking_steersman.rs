//! `steersman` with a mistake in each of its nodes, which panics when that node's `~/panic` says so.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::steersman::NAME, |context, stop| {
        nodes::steersman::run_with(context, stop, fault::with_fault)
    })
}
