//! The node `chair` with a mistake in it: it panics when `~/panic` says so.

mod mistake;

use std::process::ExitCode;

fn main() -> ExitCode {
    nodes::start::main(nodes::chair::NAME, |context, stop| {
        nodes::chair::run_with(context, stop, mistake::with_mistake)
    })
}
