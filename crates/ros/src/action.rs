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

/// Receives the goals of one action, which a task of the node accepts or rejects one by one. It stays until its node ends.
pub struct ActionServer<A: WrappedActionTypeSupport> {
    requests: Pin<Box<dyn Stream<Item = ActionServerGoalRequest<A>> + Send>>,
}

/// A goal that is neither accepted nor rejected yet.
pub struct GoalRequest<A: WrappedActionTypeSupport>(ActionServerGoalRequest<A>);

/// An accepted goal, which is ended once, from any thread and at any time.
pub struct Goal<A: WrappedActionTypeSupport> {
    goal: ActionServerGoal<A>,
    cancels: Arc<Cancels>,
}

/// The requests of clients to cancel one goal.
pub struct CancelRequests {
    requests: Pin<Box<dyn Stream<Item = ActionServerCancelRequest> + Send>>,
    cancels: Weak<Cancels>,
}

impl<A: WrappedActionTypeSupport + 'static> ActionServer<A> {
    /// Serves the action `name`.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(node: &mut r2r::Node, name: &str) -> Result<Self, Error> {
        let requests =
            node.create_action_server::<A>(name).map_err(Error::ros(format!("serve the action '{name}'")))?;
        Ok(Self { requests: Box::pin(requests) })
    }

    /// The next goal that was received.
    pub fn next_goal(&mut self) -> Option<GoalRequest<A>> {
        self.requests.next().now_or_never().flatten().map(GoalRequest)
    }
}

impl<A: WrappedActionTypeSupport + 'static> GoalRequest<A> {
    /// What the client asks for.
    pub fn goal(&self) -> &A::Goal {
        &self.0.goal
    }

    /// Rejects it. The client learns no reason, since ROS 2 has no place for one: log it.
    pub fn reject(self) {
        if let Err(error) = self.0.reject() {
            log::debug!("the rejection of a goal could not be reported: {error}");
        }
    }

    /// Accepts it; `None` if the middleware refuses.
    pub fn accept(self) -> Option<(Goal<A>, CancelRequests)> {
        match self.0.accept() {
            Ok((goal, requests)) => {
                let cancels = Arc::new(Cancels::default());
                let weak = Arc::downgrade(&cancels);
                let requests = CancelRequests { requests: Box::pin(requests), cancels: weak };
                Some((Goal { goal, cancels }, requests))
            }
            Err(error) => {
                log::warn!("a goal could not be accepted: {error}");
                None
            }
        }
    }
}

impl<A: WrappedActionTypeSupport + 'static> Goal<A> {
    /// Reports to the client how it goes.
    pub fn feedback(&self, feedback: A::Feedback) {
        if let Err(error) = self.goal.publish_feedback(feedback) {
            log::debug!("the feedback of a goal could not be published: {error}");
        }
    }

    /// Ends it. The clients that asked to cancel it are answered whether it was.
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

impl CancelRequests {
    /// Receives the requests that r2r has, which are answered at the goal's end, and returns their number; `None` if the goal has
    /// ended.
    pub fn receive(&mut self) -> Option<usize> {
        let cancels = self.cancels.upgrade()?;
        let mut cancels = cancels.lock().unwrap_or_else(PoisonError::into_inner);
        let before = cancels.len();
        cancels.extend(std::iter::from_fn(|| self.requests.next().now_or_never().flatten()));
        Some(cancels.len() - before)
    }
}

/// Accepts the goals of one action, and passes on the requests to cancel one.
pub(crate) struct Action<A: WrappedActionTypeSupport, F, C> {
    server: ActionServer<A>,
    received: VecDeque<GoalRequest<A>>,
    active: Vec<Active>,
    accept: F,
    cancel: C,
}

struct Active {
    id: u64,
    requests: CancelRequests,
    is_cancelled: bool,
}

/// The most goals that may be open at once. Others are rejected.
const MOST_GOALS: usize = 100;

impl<A: WrappedActionTypeSupport + 'static, F, C> Action<A, F, C> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, accept: F, cancel: C) -> Result<Self, Error> {
        let server = ActionServer::new(node, name)?;
        let (received, active) = Default::default();
        Ok(Self { server, received, active, accept, cancel })
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
        let before = self.received.len();
        self.received.extend(std::iter::from_fn(|| self.server.next_goal()));
        let mut count = self.received.len() - before;
        self.active.retain_mut(|active| {
            let Some(cancels) = active.requests.receive() else { return false };
            count += cancels;
            active.is_cancelled |= cancels > 0;
            true
        });
        count
    }

    fn serve(&mut self, context: &mut ServiceContext<'_, M>) {
        let Self { received, active, accept, cancel, .. } = self;
        while let Some(request) = received.pop_front() {
            if active.len() >= MOST_GOALS {
                log::warn!("a goal is rejected: {MOST_GOALS} are open");
                request.reject();
                continue;
            }
            let goal = request.goal().clone();
            let Some((handle, requests)) = request.accept() else { continue };
            let id = accept(goal, handle, context.shell());
            active.push(Active { id, requests, is_cancelled: false });
        }
        for active in active.iter_mut().filter(|active| active.is_cancelled) {
            active.is_cancelled = false;
            cancel(active.id, context.shell());
        }
    }
}
