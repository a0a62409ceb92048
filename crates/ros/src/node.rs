use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::Error;
use crate::logger::between_lines;

/// A node in the graph, which goes in bounded time.
///
/// Dropping it takes it out of the graph, which usually takes some milliseconds. If the middleware hangs there, it is left
/// behind after a second, and [`Node::any_left`] says so from then on.
///
/// # Source
/// own: in Fast DDS 2.14 the end of a participant (`DomainParticipant::set_listener`) and the news that another one goes can
/// wait for each other for ever. Seen when several processes end together.
pub struct Node(Option<r2r::Node>);

/// How long a node may take to go.
const LONGEST: Duration = Duration::from_secs(1);

/// Whether a node was left behind.
static LEFT: AtomicBool = AtomicBool::new(false);

impl Node {
    /// Puts a node called `name` into the graph, unless the arguments of the process call it otherwise.
    /// # Errors
    /// The middleware refuses it, or the log is not written.
    pub fn new(context: &r2r::Context, name: &str) -> Result<Self, Error> {
        let _apart = between_lines().ok_or_else(|| {
            Error::Start(format!("the node '{name}' cannot come while nobody takes the lines of the log"))
        })?;
        let node = r2r::Node::create(context.clone(), name, "");
        node.map(|node| Self(Some(node))).map_err(Error::ros(format!("make the node '{name}'")))
    }

    /// Whether a node hung when it went. Its thread then holds what belongs to the middleware, so the process must end
    /// without the middleware's own end.
    pub fn any_left() -> bool {
        LEFT.load(Ordering::SeqCst)
    }
}

impl Deref for Node {
    type Target = r2r::Node;

    fn deref(&self) -> &r2r::Node {
        match &self.0 {
            Some(node) => node,
            None => std::process::abort(), // only `drop` takes it
        }
    }
}

impl DerefMut for Node {
    fn deref_mut(&mut self) -> &mut r2r::Node {
        match &mut self.0 {
            Some(node) => node,
            None => std::process::abort(), // only `drop` takes it
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let Some(node) = self.0.take() else { return };
        let goes = move || {
            let _apart = between_lines(); // if the log stands still the node goes all the same
            drop(node);
        };
        if !goes_in_time(goes, LONGEST) {
            LEFT.store(true, Ordering::SeqCst);
        }
    }
}

/// Does `what` on a thread of its own and says whether that ended within `longest`. Without a thread `what` is dropped here.
fn goes_in_time(what: impl FnOnce() + Send + 'static, longest: Duration) -> bool {
    let (gone, told) = channel::<()>();
    let started = thread::Builder::new().name("end".into()).spawn(move || {
        what();
        drop(gone);
    });
    started.is_err() || told.recv_timeout(longest) != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(millis: u64) -> impl FnOnce() + Send {
        move || thread::park_timeout(Duration::from_millis(millis))
    }

    #[test]
    fn what_hangs_is_left_behind() {
        assert!(goes_in_time(slow(1), Duration::from_secs(10)));
        assert!(!goes_in_time(slow(1_000_000), Duration::from_millis(10)));
    }
}
