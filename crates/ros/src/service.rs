use params::Value;
use r2r::WrappedServiceTypeSupport;
use units::Machine;

use crate::requests::{Requests, respond};
use crate::runner::Gate;
use crate::{Error, Parameters, Shell, qos};

/// What a service has at hand while it answers: the machine, and the node's parameters.
pub struct Desk<'a, M: Machine> {
    pub(crate) shell: &'a Shell<M>,
    pub(crate) parameters: &'a mut Parameters,
    pub(crate) gate: &'a mut Gate<M>,
    pub(crate) node: &'a mut r2r::Node,
}

impl<M: Machine + 'static> Desk<'_, M> {
    /// The machine.
    pub fn shell(&self) -> &Shell<M> {
        self.shell
    }

    /// Changes parameters just as `ros2 param set` would, all of them or none; they are in force afterwards, and
    /// `/parameter_events` tells those that have another value now.
    /// # Errors
    /// Why the first of them was refused: name, value and range.
    pub fn change(&mut self, changes: Vec<(String, Value)>) -> Result<(), String> {
        let Self { shell, parameters, gate, node } = self;
        parameters.change_from_inside(changes, |before, after| gate.pass(shell, node, before, after))
    }
}

/// Answers the requests for one service, one after the other.
pub(crate) trait Serve<M: Machine> {
    /// Takes the requests that r2r has; how many.
    fn take(&mut self) -> usize;
    /// Answers what has come, as far as it can be answered by now.
    fn serve(&mut self, desk: &mut Desk<'_, M>);
}

pub(crate) struct Service<S: WrappedServiceTypeSupport, A> {
    requests: Requests<S>,
    /// Came, and cannot be answered yet. Those behind it wait.
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
    A: FnMut(&S::Request, &mut Desk<'_, M>) -> Option<S::Response>,
{
    fn take(&mut self) -> usize {
        self.requests.take()
    }

    fn serve(&mut self, desk: &mut Desk<'_, M>) {
        while let Some(request) = self.pending.take().or_else(|| self.requests.next()) {
            match (self.answer)(&request.message, desk) {
                Some(response) => respond(request, response),
                None => {
                    self.pending = Some(request);
                    return;
                }
            }
        }
    }
}
