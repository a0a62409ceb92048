//! Injects a fault into a node, for tests of how its process ends.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::std_msgs::msg::Bool;
use ros::{FaultPlace, Runner};
use safety::Machine;

/// Whether the fault is active.
static ACTIVE: AtomicBool = AtomicBool::new(false);

/// A runner whose fault becomes active on `~/panic`. The environment variable `FAULT` selects it:
///
/// | `FAULT` | effect |
/// |---|---|
/// | unset | the node's thread panics once |
/// | `always` | the machine panics at every call |
/// | `publish` | the function that publishes the machine's outputs panics at every one |
/// | `hang` | that function hangs, and the node's thread panics |
/// | `stalls` | that function hangs on every thread but the node's own, as in a send that waits for the network |
/// | `twice` | the node's thread panics, and again while it unwinds, which aborts the process |
/// | `thread` | another thread panics, which no thread joins |
/// | `storm` | another thread logs more than the log can write |
/// | `supervisor` | hindbrain's supervising thread panics |
#[allow(clippy::panic, clippy::expect_used)] // the purpose of this module
pub fn with_fault<M: Machine + 'static>(runner: Runner<M>) -> Runner<M> {
    let kind = std::env::var("FAULT").unwrap_or_default();
    let broken = match kind.as_str() {
        "always" => Some(FaultPlace::Machine),
        "publish" | "hang" | "stalls" => Some(FaultPlace::Publish),
        _ => None,
    };
    let (hangs, stalls) = (kind == "hang", kind == "stalls");
    let node = thread::current().id();
    if kind == "supervisor" {
        nodes::hindbrain::add_fault(|| {
            assert!(!ACTIVE.load(Ordering::SeqCst), "the injected panic");
        });
    }
    runner.shell().add_fault(move |place| {
        if ACTIVE.load(Ordering::SeqCst) && broken == Some(place) {
            if stalls && thread::current().id() == node {
                return;
            }
            if hangs || stalls {
                loop {
                    thread::park();
                }
            }
            panic!("the injected panic");
        }
    });
    let mut stream: Option<Box<dyn Stream<Item = Bool> + Send + Unpin>> = None;
    runner.task(move |node| {
        let stream = stream.get_or_insert_with(|| {
            Box::new(node.subscribe("~/panic", QosProfile::default()).expect("a topic"))
        });
        if let Some(Some(Bool { data: true })) = stream.next().now_or_never() {
            ACTIVE.store(true, Ordering::SeqCst);
            match kind.as_str() {
                "always" | "publish" | "stalls" | "supervisor" => {}
                "thread" => drop(thread::Builder::new().spawn(|| panic!("the injected panic"))),
                "storm" => drop(thread::Builder::new().spawn(|| {
                    for line in 1.. {
                        log::warn!(target: "hindbrain", "line {line} of the storm");
                        if line % 1500 == 0 {
                            thread::park_timeout(Duration::from_millis(50));
                        }
                    }
                })),
                "twice" => {
                    let _again = PanicsAgain;
                    panic!("the injected panic");
                }
                "hang" => {
                    thread::park_timeout(Duration::from_millis(50)); // the others hang by then
                    panic!("the injected panic");
                }
                _ => panic!("the injected panic"),
            }
        }
    })
}

/// Panics when it is dropped.
struct PanicsAgain;

impl Drop for PanicsAgain {
    #[allow(clippy::panic)]
    fn drop(&mut self) {
        panic!("a second injected panic");
    }
}
