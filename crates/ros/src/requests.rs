use std::any::TypeId;
use std::cell::RefCell;
use std::collections::VecDeque;

use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};

use crate::{Received, ready};

/// The requests for one service in order of arrival.
///
/// r2r receives one request with each wake-up, keeps ten unread ones and drops the next, so they are received together with the
/// messages.
pub(crate) struct Requests<S: WrappedServiceTypeSupport> {
    stream: Received<ServiceRequest<S>>,
    received: VecDeque<ServiceRequest<S>>,
}

/// The most requests that may wait here. Further ones are dropped, since a client that sends without end would fill the memory.
const MAX_WAITING: usize = 1000;

impl<S: WrappedServiceTypeSupport + 'static> Requests<S> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, qos: QosProfile) -> r2r::Result<Self> {
        let stream = node.create_service::<S>(name, qos)?;
        Ok(Self { stream: Box::pin(stream), received: VecDeque::new() })
    }

    /// Receives the requests that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        let mut count = 0;
        for request in ready(&mut self.stream) {
            count += 1;
            if self.received.len() < MAX_WAITING {
                self.received.push_back(request);
            }
        }
        count
    }

    /// The next received request.
    pub(crate) fn next(&mut self) -> Option<ServiceRequest<S>> {
        self.received.pop_front()
    }

    /// Makes `request` the next one again.
    pub(crate) fn put_back(&mut self, request: ServiceRequest<S>) {
        self.received.push_front(request);
    }
}

/// The answers of one type that wait, each as the call that sends it.
type Queue = (TypeId, VecDeque<Box<dyn FnOnce()>>);

thread_local! {
    /// The types in their turn; `None` in a thread that runs no node.
    static ANSWERS: RefCell<Option<VecDeque<Queue>>> = const { RefCell::new(None) };
}

/// Lets the answers that this thread gives from now on wait for [`send_answer`], or no longer: what waits then is not sent.
pub(crate) fn queue_answers(is_wanted: bool) {
    ANSWERS.set(is_wanted.then(VecDeque::new));
}

/// Answers `request`, in a node's own thread in its turn, elsewhere at once.
pub(crate) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
) {
    let send = || respond_at_once(request, response);
    if ANSWERS.with_borrow(Option::is_none) {
        return send();
    }
    ANSWERS.with_borrow_mut(|answers| {
        let (queues, own) = (answers.get_or_insert_default(), TypeId::of::<S>());
        let index = queues.iter().position(|(id, _)| *id == own).unwrap_or_else(|| {
            queues.push_back((own, VecDeque::new()));
            queues.len() - 1
        });
        // A client that sends without end and receives nothing would fill the memory.
        if let Some((_, queue)) = queues.get_mut(index).filter(|(_, queue)| queue.len() < MAX_WAITING) {
            queue.push_back(Box::new(send));
        }
    });
}

/// Sends one answer of this thread, the types in turn: the middleware waits up to 0.1 s for a client that cannot receive it, and the node reads
/// the stops in between. Returns whether there was one.
pub(crate) fn send_answer() -> bool {
    let next = ANSWERS.with_borrow_mut(|answers| {
        let queues = answers.as_mut()?;
        let (id, mut queue) = queues.pop_front()?;
        let send = queue.pop_front();
        if !queue.is_empty() {
            queues.push_back((id, queue));
        }
        send
    });
    next.map(|send| send()).is_some()
}

/// Sends `response`. A client that has gone meanwhile is not a fault of this node.
pub(crate) fn respond_at_once<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
) {
    if let Err(error) = request.respond(response) {
        log::debug!("a client did not receive its answer: {error}");
    }
}
