//! The node `hindbrain` with a mistake in it: it panics when `~/panic` says so.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::hindbrain::NAME, |context, stop| {
        nodes::hindbrain::run_with(context, stop, fault::with_fault)
    })
}
