//! The node `chair` with a mistake in it: it panics when `~/panic` says so. For tests of what is left of it then.

use std::process::ExitCode;

use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;

/// Panics when the topic says so.
#[allow(clippy::panic, clippy::expect_used)] // that is what it is for
fn mistake() -> impl FnMut(&mut r2r::Node) + Send + 'static {
    let mut stream: Option<Box<dyn Stream<Item = Bool> + Send + Unpin>> = None;
    move |node| {
        let stream = stream.get_or_insert_with(|| {
            Box::new(node.subscribe("~/panic", QosProfile::default()).expect("a topic"))
        });
        if let Some(Some(Bool { data: true })) = stream.next().now_or_never() {
            panic!("the mistake that it was asked for");
        }
    }
}

fn main() -> ExitCode {
    nodes::start::main(nodes::chair::NAME, |context, stop| {
        nodes::chair::run_with(context, stop, |runner| runner.chore(mistake()))
    })
}
