use core::time::Duration;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use futures::FutureExt;
use r2r::{Client, Node, QosProfile, WrappedServiceTypeSupport};
use ros::Error;
use units::Instant;

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
pub fn take<T>(pending: &mut Option<Pending<T>>) -> Option<T> {
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
