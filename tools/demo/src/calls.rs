use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;
use std::future::ready;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};
use ros::panics::lock;
use ros::{Error, Shell};
use safety::{Instant, Machine};

/// How long an answer may take.
pub const CALL_TIME: Duration = Duration::from_secs(5);

/// An answer that is on its way.
pub type Pending<T> = BoxFuture<'static, T>;

/// Calls that are made one after the other: each waits for the answer to the one before.
#[derive(Clone, Debug)]
pub struct CallQueue<C> {
    waiting: VecDeque<C>,
    /// The call that waits for its answer, and until when.
    open: Option<(C, Instant)>,
}

impl<C> Default for CallQueue<C> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), open: None }
    }
}

impl<C: Clone> CallQueue<C> {
    /// Adds calls that are to be made.
    pub fn extend(&mut self, calls: impl IntoIterator<Item = C>) {
        self.waiting.extend(calls);
    }

    /// Whether no call waits, and none is on its way.
    pub fn is_idle(&self) -> bool {
        self.open.is_none() && self.waiting.is_empty()
    }

    /// The call whose answer came.
    pub fn answered(&mut self) -> Option<C> {
        self.open.take().map(|(call, _)| call)
    }

    /// Whether the answer has not come in time.
    pub fn is_late(&self, now: Instant) -> bool {
        self.open.as_ref().is_some_and(|(_, until)| now >= *until)
    }

    /// The next call, once the one before is answered.
    pub fn next(&mut self, now: Instant) -> Option<C> {
        if self.open.is_some() {
            return None;
        }
        let call = self.waiting.pop_front()?;
        self.open = Some((call.clone(), now + CALL_TIME));
        Some(call)
    }

    /// When the present call is given up.
    pub fn deadline(&self) -> Option<Instant> {
        self.open.as_ref().map(|(_, until)| *until)
    }
}

/// Answer to a call: a value, or why there is none.
pub type Answer<T> = Result<T, Failure>;

/// Why a call has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The node refused it, for this reason.
    Refused(String),
    /// It was not answered.
    Silent,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(why) => write!(f, "was refused: {why}"),
            Self::Silent => f.write_str("was not answered"),
        }
    }
}

/// The clients of a node's services.
pub trait Services: Send + 'static {
    /// A call of one of them.
    type Call;
    /// Value of an answer.
    type Value: Send + 'static;

    /// Makes a call.
    /// # Errors
    /// The middleware refuses it.
    fn request(&self, call: Self::Call) -> r2r::Result<Pending<Answer<Self::Value>>>;
}

/// Calls services of `S`. Calls do not block; answers are collected later.
pub struct Caller<S: Services>(Arc<Mutex<State<S>>>);

struct State<S: Services> {
    services: S,
    /// Completes when every service is there.
    missing: Option<Pending<()>>,
    /// The last call. An earlier one whose answer was given up is forgotten.
    open: Option<Pending<Answer<S::Value>>>,
}

impl<S: Services> Clone for Caller<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Services> Caller<S> {
    /// A caller of the services that `make` names, in the namespace of `node`.
    /// # Errors
    /// The middleware refuses a client.
    pub fn new(
        node: &mut Node,
        make: impl FnOnce(&mut Clients<'_>) -> Result<S, Error>,
    ) -> Result<Self, Error> {
        let mut clients = Clients { node, found: Vec::new() };
        let services = make(&mut clients)?;
        let missing = Some(join_all(clients.found).map(|_| ()).boxed());
        Ok(Self(Arc::new(Mutex::new(State { services, missing, open: None }))))
    }

    /// Calls a service and returns at once.
    pub fn call(&self, call: S::Call) {
        let mut state = lock(&self.0);
        let answer = state.services.request(call).unwrap_or_else(|_| ready(Err(Failure::Silent)).boxed());
        state.open = Some(answer);
    }

    /// A task that delivers to `shell` that the services were `found`, and answers when they arrive.
    pub fn answers<M: Machine + Send + 'static>(
        &self,
        shell: Shell<M>,
        found: impl Fn() -> M::Input + Send + 'static,
        answered: impl Fn(Answer<S::Value>) -> M::Input + Send + 'static,
    ) -> impl FnMut(&mut Node) + Send + 'static {
        let state = Arc::clone(&self.0);
        move |_| {
            // Each with a lock of its own: the machine may call again when it receives this.
            if take(&mut lock(&state).missing).is_some() {
                shell.deliver(found());
            }
            let answer = take(&mut lock(&state).open);
            if let Some(answer) = answer {
                shell.deliver(answered(answer));
            }
        }
    }
}

/// Makes the clients of services, and looks for these.
pub struct Clients<'a> {
    node: &'a mut Node,
    /// Each completes when its service is there.
    found: Vec<Pending<()>>,
}

impl Clients<'_> {
    /// A client of the service `name`.
    /// # Errors
    /// The middleware refuses it, or cannot look for the service.
    pub fn of<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Client<S>, Error> {
        let client = self.node.create_client(name, QosProfile::services_default());
        let client = client.map_err(Error::ros(format!("call '{name}'")))?;
        let found = Node::is_available(&client).map_err(Error::ros("look for services"))?;
        self.found.push(found.map(|_| ()).boxed());
        Ok(client)
    }
}

/// Makes a request; `read` makes an answer of the response.
/// # Errors
/// The middleware refuses it.
pub fn ask<S, T>(
    client: &Client<S>,
    request: &S::Request,
    read: impl FnOnce(S::Response) -> Answer<T> + Send + 'static,
) -> r2r::Result<Pending<Answer<T>>>
where
    S: WrappedServiceTypeSupport<Response: Send> + 'static,
{
    let response = client.request(request)?;
    Ok(response.map(|response| response.map_or(Err(Failure::Silent), read)).boxed())
}

/// The result, once it is there.
fn take<T>(pending: &mut Option<Pending<T>>) -> Option<T> {
    let result = pending.as_mut()?.as_mut().now_or_never()?;
    *pending = None;
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_waits_for_the_answer_to_the_one_before() {
        let mut calls = CallQueue::default();
        calls.extend(["load", "start"]);
        let at = Instant::from_millis;
        assert_eq!((calls.next(at(10)), calls.next(at(20)), calls.is_idle()), (Some("load"), None, false));
        assert_eq!(
            (calls.deadline(), calls.is_late(at(5009)), calls.is_late(at(5010))),
            (Some(at(5010)), false, true)
        );
        assert_eq!((calls.answered(), calls.answered()), (Some("load"), None));
        assert_eq!(
            (calls.next(at(30)), calls.answered(), calls.is_idle()),
            (Some("start"), Some("start"), true)
        );
    }
}
