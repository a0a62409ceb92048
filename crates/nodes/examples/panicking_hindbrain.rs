//! The node `hindbrain` with a mistake in it: it panics when `~/panic` says so.

mod mistake;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::hindbrain::NAME, |context, stop| {
        nodes::hindbrain::run_with(context, stop, mistake::with_mistake)
    })
}
