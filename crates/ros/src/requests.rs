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

    /// Whether a received request waits for its answer.
    pub(crate) fn are_waiting(&self) -> bool {
        !self.received.is_empty()
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

/// Sends `response`. A client that has gone meanwhile is not a fault of this node.
pub(crate) fn respond<S: WrappedServiceTypeSupport + 'static>(
    request: ServiceRequest<S>,
    response: S::Response,
) {
    if let Err(error) = request.respond(response) {
        log::debug!("a client did not receive its answer: {error}");
    }
}
