use std::collections::VecDeque;
use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};
use r2r::{QosProfile, ServiceRequest, WrappedServiceTypeSupport};

/// The requests for one service in the order in which they came.
///
/// r2r takes one with each wake-up, keeps ten that are not read and drops the next; so they are taken out of it with the
/// messages.
pub(crate) struct Requests<S: WrappedServiceTypeSupport> {
    stream: Pin<Box<dyn Stream<Item = ServiceRequest<S>> + Send>>,
    taken: VecDeque<ServiceRequest<S>>,
}

/// How many may wait here; beyond that they are dropped, or a client that asks without end would fill the memory.
const MOST: usize = 1000;

impl<S: WrappedServiceTypeSupport + 'static> Requests<S> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, qos: QosProfile) -> r2r::Result<Self> {
        let stream = node.create_service::<S>(name, qos)?;
        Ok(Self { stream: Box::pin(stream), taken: VecDeque::new() })
    }

    /// Takes what r2r has; how many.
    pub(crate) fn take(&mut self) -> usize {
        let mut count = 0;
        while let Some(Some(request)) = self.stream.next().now_or_never() {
            count += 1;
            if self.taken.len() < MOST {
                self.taken.push_back(request);
            }
        }
        count
    }

    /// Whether one that was taken waits for its answer.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.taken.is_empty()
    }

    /// The next one that was taken.
    pub(crate) fn next(&mut self) -> Option<ServiceRequest<S>> {
        self.taken.pop_front()
    }
}

/// A client that has gone meanwhile is no fault of this node.
pub(crate) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
) {
    if let Err(error) = request.respond(response) {
        log::debug!("a client did not take its answer: {error}");
    }
}
