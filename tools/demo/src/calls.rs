use core::time::Duration;
use std::collections::VecDeque;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};
use ros::panics::lock;
use ros::{Error, Shell};
use safety::{Instant, Machine};

/// How long an answer may take.
pub const CALL_TIME: Duration = Duration::from_secs(5);

/// An answer that is on its way.
pub type Pending<T> = Pin<Box<dyn Future<Output = T> + Send>>;

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

/// The clients of a node's services.
pub trait Services {
    /// A call of one of them.
    type Call;
    /// Answer to a call.
    type Answer;
    /// Value for a call that cannot be answered.
    const SILENT: Self::Answer;

    /// Makes a call.
    /// # Errors
    /// The middleware refuses it.
    fn request(&self, call: Self::Call) -> r2r::Result<Pending<Self::Answer>>;
}

/// Calls services of `S`. Calls do not block; answers are collected later.
pub struct Caller<S: Services>(Arc<Mutex<State<S>>>);

struct State<S: Services> {
    services: S,
    /// Completes when every service is there.
    missing: Option<Pending<()>>,
    /// The last call. An earlier one whose answer was given up is forgotten.
    open: Option<Pending<S::Answer>>,
}

impl<S: Services> Clone for Caller<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: Services + Send + 'static> Caller<S> {
    /// A caller of `services`, which are there when all of `found` complete.
    pub fn new(services: S, found: impl IntoIterator<Item = Pending<()>>) -> Self {
        let missing = Some(futures::future::join_all(found).map(|_| ()).boxed());
        Self(Arc::new(Mutex::new(State { services, missing, open: None })))
    }

    /// Calls a service and returns at once.
    pub fn call(&self, call: S::Call)
    where
        S::Answer: Send + 'static,
    {
        let mut state = lock(&self.0);
        let answer = state.services.request(call).unwrap_or_else(|_| Box::pin(ready(S::SILENT)));
        state.open = Some(answer);
    }

    /// A task that delivers to `shell` that the services were `found`, and answers when they arrive.
    pub fn answers<M: Machine + Send + 'static>(
        &self,
        shell: Shell<M>,
        mut found: impl FnMut() -> M::Input + Send + 'static,
        answered: impl Fn(S::Answer) -> M::Input + Send + 'static,
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

/// A client of the service `name`.
/// # Errors
/// The middleware refuses it.
pub fn client<S: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    name: &str,
) -> Result<Client<S>, Error> {
    node.create_client(name, QosProfile::services_default()).map_err(Error::ros(format!("call '{name}'")))
}

/// Completes when the service is there.
/// # Errors
/// The middleware cannot look for it.
pub fn found<S: WrappedServiceTypeSupport + 'static>(client: &Client<S>) -> Result<Pending<()>, Error> {
    let found = Node::is_available(client).map_err(Error::ros("look for services"))?;
    Ok(Box::pin(found.map(|_| ())))
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
