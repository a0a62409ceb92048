use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use units::Machine;

use crate::candidate::Read;
use crate::port::Port;
use crate::runner::Reader;
use crate::{Candidate, Error, Node, Shell, clock};

/// How long a listener's thread may sleep: it must see that it is not wanted any more.
const LONGEST_SLEEP: Duration = Duration::from_millis(20);

/// One subscription that can be taken back, on a hidden node and a thread of its own.
///
/// # Source
/// own: r2r 0.9 takes a subscription back when a message comes whose stream is gone, so never on a silent topic, or with its
/// whole node; and a wait is for one node.
pub(crate) struct Listener {
    /// Which of the ears is its own.
    pub(crate) id: u64,
    pub(crate) topic: String,
    pub(crate) type_name: String,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// What a listener's thread brought and nobody read yet, and how it is delivered.
pub(crate) struct Ear<M: Machine> {
    pub(crate) id: u64,
    /// The index that the topic has for the machine.
    pub(crate) index: usize,
    pub(crate) port: Port,
    pub(crate) read: Read<M>,
}

/// All ears of a node in the order they are read. What is not in here is not delivered, whatever was brought of it; who holds
/// the lock can thus change ears and machine as one.
pub(crate) struct Ears<M: Machine>(Arc<Mutex<Vec<Ear<M>>>>);

impl<M: Machine> Clone for Ears<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M: Machine> Default for Ears<M> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Vec::new())))
    }
}

impl<M: Machine> Ears<M> {
    /// After a panic the list is still a list.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Ear<M>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what r2r has of any listener; how many messages.
    fn take(&self) -> usize {
        self.lock().iter_mut().map(|ear| ear.read.take()).sum()
    }

    /// Delivers everything that was taken of any listener, so that what stops goes first, whichever thread woke up first.
    fn deliver(&self, shell: &Shell<M>) {
        for ear in self.lock().iter_mut() {
            ear.read.take();
            ear.port.received += ear.read.deliver(shell, ear.index);
        }
    }
}

impl Listener {
    /// Listens to `topic`, which is `full` in the graph, as `candidate` says. The ear that comes with it is to be put among
    /// `ears` for the messages to be delivered.
    pub(crate) fn start<M: Machine + Send + 'static>(
        (context, node_name, id): (&r2r::Context, &str, u64),
        (topic, full): (&str, &str),
        candidate: &mut Candidate<M>,
        ears: &Ears<M>,
        shell: &Shell<M>,
    ) -> Result<(Self, Ear<M>), Error> {
        let mut node = Node::new(context, node_name)?;
        let type_name = candidate.type_name().to_owned();
        let read = candidate
            .open(&mut node, topic)
            .map_err(Error::ros(format!("listen to '{full}' as {type_name}")))?;
        let port = Port::new(full.into(), type_name.clone(), candidate.is_reliable());
        let stop = Arc::new(AtomicBool::new(false));
        let (unwanted, ears, shell) = (Arc::clone(&stop), ears.clone(), shell.clone());
        let spin = move || {
            let mut reader = Reader::new();
            while !unwanted.load(Ordering::Relaxed) {
                // A thread that brought the machine's deadline forward sleeps no longer than to it.
                reader.wait_and_take(&mut node, &shell, shell.idle(LONGEST_SLEEP), || ears.take());
                ears.deliver(&shell);
                shell.poll();
            }
        };
        let thread = thread::Builder::new().name("listener".into()).spawn(spin);
        let thread = thread.map_err(|error| Error::Start(format!("no thread for '{full}': {error}")))?;
        Ok((Self { id, topic: full.into(), type_name, stop, thread }, Ear { id, index: 0, port, read }))
    }

    /// Begins to go.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether its thread has ended, and the subscription with it.
    pub(crate) fn is_gone(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits until it has gone, at most for `limit`; whether it has.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let end = clock::now() + limit;
        while !self.is_gone() && clock::now() < end {
            thread::park_timeout(Duration::from_millis(1));
        }
        self.is_gone()
    }

    /// Goes on with the panic of a thread that ended by one.
    pub(crate) fn end(self) {
        if let Err(panic) = self.thread.join() {
            std::panic::resume_unwind(panic);
        }
    }
}
