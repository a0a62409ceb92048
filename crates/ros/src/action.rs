use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::{FutureExt, Stream, StreamExt};
use r2r::{ActionServerCancelRequest, ActionServerGoal, ActionServerGoalRequest, WrappedActionTypeSupport};
use units::Machine;

use crate::service::Serve;
use crate::{Error, ServiceContext, Shell};

/// How a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalEnd {
    /// It was reached.
    Succeeded,
    /// It was not reached.
    Aborted,
    /// Its client cancelled it.
    Cancelled,
}

/// The requests of clients to cancel one goal; they are answered when it ends.
type Cancels = Mutex<Vec<ActionServerCancelRequest>>;

/// An accepted goal, which is ended once, from any thread and at any time.
pub struct Goal<A: WrappedActionTypeSupport> {
    goal: ActionServerGoal<A>,
    cancels: Arc<Cancels>,
}

impl<A: WrappedActionTypeSupport + 'static> Goal<A> {
    /// Ends it. Whoever asked to cancel it learns whether it was.
    pub fn end(self, end: GoalEnd, result: A::Result) {
        let Self { mut goal, cancels } = self;
        for request in cancels.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if end == GoalEnd::Cancelled { request.accept() } else { request.reject() }
        }
        let ended = match end {
            GoalEnd::Succeeded => goal.succeed(result),
            GoalEnd::Aborted => goal.abort(result),
            GoalEnd::Cancelled => goal.cancel(result),
        };
        if let Err(error) = ended {
            log::debug!("the end of a goal could not be reported: {error}");
        }
    }
}

/// Accepts the goals of one action, and passes on the wish to cancel one.
pub(crate) struct Action<A: WrappedActionTypeSupport, F, C> {
    requests: Pin<Box<dyn Stream<Item = ActionServerGoalRequest<A>> + Send>>,
    received: VecDeque<ActionServerGoalRequest<A>>,
    active: Vec<Active>,
    accept: F,
    cancel: C,
}

struct Active {
    id: u64,
    requests: Pin<Box<dyn Stream<Item = ActionServerCancelRequest> + Send>>,
    cancels: Weak<Cancels>,
    is_cancelled: bool,
}

/// The most goals that may be open at once. Others are rejected.
const MOST_GOALS: usize = 100;

impl<A: WrappedActionTypeSupport + 'static, F, C> Action<A, F, C> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, accept: F, cancel: C) -> Result<Self, Error> {
        let requests =
            node.create_action_server::<A>(name).map_err(Error::ros(format!("serve the action '{name}'")))?;
        let (received, active) = Default::default();
        Ok(Self { requests: Box::pin(requests), received, active, accept, cancel })
    }
}

impl<A, F, C, M> Serve<M> for Action<A, F, C>
where
    A: WrappedActionTypeSupport + 'static,
    A::Goal: Clone,
    M: Machine + 'static,
    F: FnMut(A::Goal, Goal<A>, &Shell<M>) -> u64,
    C: FnMut(u64, &Shell<M>),
{
    fn receive(&mut self) -> usize {
        let mut count = 0;
        while let Some(Some(request)) = self.requests.next().now_or_never() {
            count += 1;
            self.received.push_back(request);
        }
        self.active.retain_mut(|active| {
            let Some(cancels) = active.cancels.upgrade() else { return false };
            while let Some(Some(request)) = active.requests.next().now_or_never() {
                count += 1;
                active.is_cancelled = true;
                cancels.lock().unwrap_or_else(PoisonError::into_inner).push(request);
            }
            true
        });
        count
    }

    fn serve(&mut self, context: &mut ServiceContext<'_, M>) {
        let Self { received, active, accept, cancel, .. } = self;
        while let Some(request) = received.pop_front() {
            if active.len() >= MOST_GOALS {
                log::warn!("a goal is rejected: {MOST_GOALS} are open");
                let _ = request.reject();
                continue;
            }
            let goal = request.goal.clone();
            let (handle, requests) = match request.accept() {
                Ok(accepted) => accepted,
                Err(error) => {
                    log::warn!("a goal could not be accepted: {error}");
                    continue;
                }
            };
            let cancels = Arc::new(Cancels::default());
            let weak = Arc::downgrade(&cancels);
            let id = accept(goal, Goal { goal: handle, cancels }, context.shell());
            active.push(Active { id, requests: Box::pin(requests), cancels: weak, is_cancelled: false });
        }
        for active in active.iter_mut().filter(|active| active.is_cancelled) {
            active.is_cancelled = false;
            cancel(active.id, context.shell());
        }
    }
}
