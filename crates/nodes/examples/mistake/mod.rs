//! A mistake to put into a node, for tests of what is left of it then.

use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;

/// Panics when `~/panic` says so, on the thread of its node.
#[allow(clippy::panic, clippy::expect_used)] // that is what it is for
pub fn mistake() -> impl FnMut(&mut r2r::Node) + Send + 'static {
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
