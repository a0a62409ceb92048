//! A mistake to put into a node, for tests of what is left of it then.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;
use ros::{Place, Runner};
use units::Machine;

/// Whether the mistake is made from now on.
static MADE: AtomicBool = AtomicBool::new(false);

/// A runner that makes a mistake when `~/panic` says so. The environment's `MISTAKE` says which:
///
/// | `MISTAKE` | what |
/// |---|---|
/// | none | the node's thread panics once |
/// | `always` | the machine panics at every call |
/// | `publish` | whatever publishes the machine's outputs panics at every one |
/// | `hang` | the same hangs, and the node's thread panics |
/// | `twice` | the node's thread panics, and again while it unwinds, which aborts the process |
/// | `thread` | another thread panics, which nothing waits for |
/// | `supervisor` | hindbrain's supervising thread panics |
#[allow(clippy::panic, clippy::expect_used)] // that is what it is for
pub fn with_mistake<M: Machine + 'static>(runner: Runner<M>) -> Runner<M> {
    let kind = std::env::var("MISTAKE").unwrap_or_default();
    let broken = match kind.as_str() {
        "always" => Some(Place::Machine),
        "publish" | "hang" => Some(Place::Publish),
        _ => None,
    };
    let hangs = kind == "hang";
    if kind == "supervisor" {
        nodes::hindbrain::add_mistake(|| {
            assert!(!MADE.load(Ordering::SeqCst), "the mistake that it was asked for");
        });
    }
    runner.shell().add_mistake(move |place| {
        if MADE.load(Ordering::SeqCst) && broken == Some(place) {
            if hangs {
                loop {
                    thread::park();
                }
            }
            panic!("the mistake that it was asked for");
        }
    });
    let mut stream: Option<Box<dyn Stream<Item = Bool> + Send + Unpin>> = None;
    runner.chore(move |node| {
        let stream = stream.get_or_insert_with(|| {
            Box::new(node.subscribe("~/panic", QosProfile::default()).expect("a topic"))
        });
        if let Some(Some(Bool { data: true })) = stream.next().now_or_never() {
            MADE.store(true, Ordering::SeqCst);
            match kind.as_str() {
                "always" | "publish" | "supervisor" => {}
                "thread" => {
                    drop(thread::Builder::new().spawn(|| panic!("the mistake that it was asked for")))
                }
                "twice" => {
                    let _again = PanicsAgain;
                    panic!("the mistake that it was asked for");
                }
                "hang" => {
                    thread::park_timeout(Duration::from_millis(50)); // the others hang by then
                    panic!("the mistake that it was asked for");
                }
                _ => panic!("the mistake that it was asked for"),
            }
        }
    })
}

/// Panics when it is dropped.
struct PanicsAgain;

impl Drop for PanicsAgain {
    #[allow(clippy::panic)]
    fn drop(&mut self) {
        panic!("and the mistake after it");
    }
}
