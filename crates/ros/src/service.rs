use params::Value;
use r2r::WrappedServiceTypeSupport;
use safety::Machine;

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
    /// Answers the received requests, as far as they can be answered now.
    fn serve(&mut self, context: &mut ServiceContext<'_, M>);
}

pub(crate) struct Service<S: WrappedServiceTypeSupport, A> {
    requests: Requests<S>,
    /// Received but not answerable yet. The requests behind it wait.
    pending: Option<r2r::ServiceRequest<S>>,
    answer: A,
}

impl<S: WrappedServiceTypeSupport + 'static, A> Service<S, A> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, answer: A) -> Result<Self, Error> {
        let requests =
            Requests::new(node, name, qos::requests()).map_err(Error::ros(format!("serve '{name}'")))?;
        Ok(Self { requests, pending: None, answer })
    }
}

impl<S, A, M> Serve<M> for Service<S, A>
where
    S: WrappedServiceTypeSupport + 'static,
    M: Machine,
    A: FnMut(&S::Request, &mut ServiceContext<'_, M>) -> Option<S::Response>,
{
    fn receive(&mut self) -> usize {
        self.requests.receive()
    }

    fn serve(&mut self, context: &mut ServiceContext<'_, M>) {
        while let Some(request) = self.pending.take().or_else(|| self.requests.next()) {
            match (self.answer)(&request.message, context) {
                Some(response) => respond(request, response),
                None => {
                    self.pending = Some(request);
                    return;
                }
            }
        }
    }
}

/// Answers one request, from any thread and at any time.
pub struct Reply<S: WrappedServiceTypeSupport>(r2r::ServiceRequest<S>);

impl<S: WrappedServiceTypeSupport + 'static> Reply<S> {
    /// Sends the response.
    pub fn send(self, response: S::Response) {
        respond(self.0, response);
    }
}

/// A service whose requests are answered later, in any order.
pub(crate) struct Deferred<S: WrappedServiceTypeSupport, A> {
    requests: Requests<S>,
    accept: A,
}

impl<S: WrappedServiceTypeSupport + 'static, A> Deferred<S, A> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, accept: A) -> Result<Self, Error> {
        let requests =
            Requests::new(node, name, qos::requests()).map_err(Error::ros(format!("serve '{name}'")))?;
        Ok(Self { requests, accept })
    }
}

impl<S, A, M> Serve<M> for Deferred<S, A>
where
    S: WrappedServiceTypeSupport + 'static,
    S::Request: Clone,
    M: Machine,
    A: FnMut(S::Request, Reply<S>, &Shell<M>),
{
    fn receive(&mut self) -> usize {
        self.requests.receive()
    }

    fn serve(&mut self, context: &mut ServiceContext<'_, M>) {
        // While a send hangs no more is accepted than can be answered: requests wait as they came.
        while !context.shell.is_full()
            && let Some(request) = self.requests.next()
        {
            (self.accept)(request.message.clone(), Reply(request), context.shell);
        }
    }
}
