//! The node `chair` with a mistake in it: it panics when `~/panic` says so.

mod fault;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::chair::NAME, |context, stop| {
        nodes::chair::run_with(context, stop, fault::with_fault)
    })
}
