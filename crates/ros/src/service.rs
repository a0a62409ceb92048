use params::Value;
use r2r::{ServiceRequest, WrappedServiceTypeSupport};
use safety::Machine;

use crate::life_cycle::LifeCycle;
use crate::parameter_update::ParameterUpdate;
use crate::requests::{Requests, respond};
use crate::{Error, Parameters, Shell, qos};

/// The machine and the node's parameters, for a service to use while it answers.
///
/// A service that changes a value sets a parameter, which passes the same check as `ros2 param set`; a value that a button changes is followed by
/// its parameter. So there is one source of truth, which `/parameter_events` reports. An outcome that depends on the machine is read and
/// acted on under one lock ([`Shell::decide`]).
pub struct ServiceContext<'a, M: Machine> {
    pub(crate) shell: &'a Shell<M>,
    pub(crate) parameters: &'a mut Parameters,
    pub(crate) update: &'a mut ParameterUpdate<M>,
    pub(crate) node: &'a mut r2r::Node,
}

impl<M: Machine + 'static> ServiceContext<'_, M> {
    /// The machine.
    pub fn shell(&self) -> &Shell<M> {
        self.shell
    }

    /// Changes parameters as `ros2 param set` would, all of them or none. They are in force when this returns, and
    /// `/parameter_events` reports those whose value changed.
    /// # Errors
    /// The reason for the first refusal: name, value and range.
    pub fn change(&mut self, changes: Vec<(String, Value)>) -> Result<(), String> {
        let Self { shell, parameters, update, node } = self;
        parameters
            .change_from_inside(changes, |before, after| update.put_in_force(shell, node, before, after))
    }
}

/// Answers the requests for one service, one after the other.
pub(crate) trait Serve<M: Machine> {
    /// Receives the requests that r2r has and returns their number.
    fn receive(&mut self) -> usize;

    /// Answers the first received request, if that is possible now; returns whether another one may be.
    fn serve_one(&mut self, context: &mut ServiceContext<'_, M>) -> bool;

    /// Answers the received requests, as far as they can be answered now.
    fn serve(&mut self, context: &mut ServiceContext<'_, M>) {
        while self.serve_one(context) {}
    }
}

/// Answers one request for parameters or of the life cycle, the services in `turn`: however many come, the node reads the stops in
/// between.
pub(crate) fn serve_in_turn<M: Machine>(
    services: &mut [Box<dyn Serve<M> + Send>],
    mut life_cycle: Option<&mut LifeCycle>,
    turn: &mut usize,
    context: &mut ServiceContext<'_, M>,
) {
    for _ in 0..=services.len() {
        *turn = (*turn + 1) % (services.len() + 1);
        let is_answered = match services.get_mut(*turn) {
            Some(service) => service.serve_one(context),
            None => life_cycle.as_mut().is_some_and(|life_cycle| life_cycle.answer_one()),
        };
        if is_answered {
            break;
        }
    }
}

/// A service whose `handle` answers a request, keeps it to answer it later, or returns it to be asked again: the requests behind it
/// wait then.
pub(crate) struct Service<S: WrappedServiceTypeSupport, H> {
    requests: Requests<S>,
    handle: H,
}

impl<S: WrappedServiceTypeSupport + 'static, H> Service<S, H> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, handle: H) -> Result<Self, Error> {
        let requests =
            Requests::new(node, name, qos::requests()).map_err(Error::ros(format!("serve '{name}'")))?;
        Ok(Self { requests, handle })
    }
}

impl<S, H, M> Serve<M> for Service<S, H>
where
    S: WrappedServiceTypeSupport + 'static,
    M: Machine,
    H: FnMut(ServiceRequest<S>, &mut ServiceContext<'_, M>) -> Option<ServiceRequest<S>>,
{
    fn receive(&mut self) -> usize {
        self.requests.receive()
    }

    fn serve_one(&mut self, context: &mut ServiceContext<'_, M>) -> bool {
        let Some(request) = self.requests.next() else { return false };
        match (self.handle)(request, context) {
            None => true,
            Some(kept) => {
                self.requests.put_back(kept);
                false
            }
        }
    }
}

/// Handles requests by `answer`, which returns `None` for one that cannot be answered yet.
pub(crate) fn answering<S: WrappedServiceTypeSupport + 'static, M: Machine>(
    mut answer: impl FnMut(&S::Request, &mut ServiceContext<'_, M>) -> Option<S::Response>,
) -> impl FnMut(ServiceRequest<S>, &mut ServiceContext<'_, M>) -> Option<ServiceRequest<S>> {
    move |request, context| match answer(&request.message, context) {
        Some(response) => {
            respond(request, response);
            None
        }
        None => Some(request),
    }
}

/// Handles requests by `accept`, which gets the way to answer each later, in any order.
pub(crate) fn deferring<S, M>(
    mut accept: impl FnMut(S::Request, Reply<S>, &Shell<M>),
) -> impl FnMut(ServiceRequest<S>, &mut ServiceContext<'_, M>) -> Option<ServiceRequest<S>>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone,
    M: Machine,
{
    move |request, context| {
        // While a send hangs no more is accepted than can be answered: requests wait as they came.
        if context.shell.is_full() {
            return Some(request);
        }
        accept(request.message.clone(), Reply(request), context.shell);
        None
    }
}

/// Answers one request, from any thread and at any time.
pub struct Reply<S: WrappedServiceTypeSupport>(ServiceRequest<S>);

impl<S: WrappedServiceTypeSupport + 'static> Reply<S> {
    /// Sends the response.
    pub fn send(self, response: S::Response) {
        respond(self.0, response);
    }
}
