//! The server of an action, on three services and two topics.
//!
//! # Source
//! design.ros2.org, "Actions", and `rcl_action` of ROS 2 Jazzy. Own, since the server of r2r 0.9.7 never forgets a goal, so that every wait
//! of its node returns at once 10 s after a goal's end, and answers a request for the result of an unknown goal from freed memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};

use r2r::action_msgs::msg::{GoalInfo, GoalStatus, GoalStatusArray};
use r2r::action_msgs::srv::CancelGoal;
use r2r::unique_identifier_msgs::msg::UUID;
use r2r::{Publisher, QosProfile, ServiceRequest, WrappedActionTypeSupport, WrappedServiceTypeSupport};
use safety::{Machine, Stamp};

use crate::goals::{GoalId, GoalState, Goals, MOST_OPEN, NotAccepted, Output, Selection, UNKNOWN};
use crate::panics::lock;
use crate::requests::{Requests, respond_at_once};
use crate::service::Serve;
use crate::turns::send_in_turn;
use crate::{Error, ServiceContext, Shell, Topic, clock, qos};

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

type SendGoal<A> = <A as WrappedActionTypeSupport>::SendGoal;
type GetResult<A> = <A as WrappedActionTypeSupport>::GetResult;
type Cancel = CancelGoal::Service;
type Book<A> =
    Goals<<A as WrappedActionTypeSupport>::Result, ServiceRequest<GetResult<A>>, ServiceRequest<Cancel>>;

/// Receives the goals of one action, which a task of the node accepts or rejects one by one. It stays until its node ends.
///
/// The result of a goal is kept for 10 s after its end, or until a hundred goals have ended after it.
pub struct ActionServer<A: WrappedActionTypeSupport> {
    goals: Requests<SendGoal<A>>,
    results: Requests<GetResult<A>>,
    cancels: Requests<Cancel>,
    feedback: Publisher<A::FeedbackMessage>,
    shared: Arc<Shared<A>>,
}

/// The state that the threads share that end goals.
struct Shared<A: WrappedActionTypeSupport> {
    name: String,
    book: Mutex<Book<A>>,
    /// Locked while something is sent, so that it is sent in order.
    status: Mutex<Topic<GoalStatusArray>>,
}

/// A goal that is neither accepted nor rejected yet. One that is dropped is rejected.
pub struct GoalRequest<A: WrappedActionTypeSupport + 'static> {
    id: GoalId,
    /// The goal that the client requests.
    pub goal: A::Goal,
    request: Option<ServiceRequest<SendGoal<A>>>,
    feedback: Publisher<A::FeedbackMessage>,
    shared: Arc<Shared<A>>,
}

/// An accepted goal, which is ended once, from any thread and at any time. One that is dropped is aborted.
pub struct Goal<A: WrappedActionTypeSupport + 'static> {
    id: GoalId,
    is_open: bool,
    feedback: Publisher<A::FeedbackMessage>,
    shared: Arc<Shared<A>>,
}

/// The requests of clients to cancel one goal.
pub struct CancelRequests(Weak<AtomicUsize>);

impl<A: WrappedActionTypeSupport + 'static> ActionServer<A> {
    /// Serves the action `name`.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(node: &mut r2r::Node, name: &str) -> Result<Self, Error> {
        let what = || Error::ros(format!("serve the action '{name}'"));
        let full = |part: &str| format!("{name}/_action/{part}");
        let status = Topic::new(node, &full("status"), qos::state())?;
        Ok(Self {
            goals: Requests::new(node, &full("send_goal"), qos::requests()).map_err(what())?,
            results: Requests::new(node, &full("get_result"), qos::requests()).map_err(what())?,
            cancels: Requests::new(node, &full("cancel_goal"), qos::requests()).map_err(what())?,
            feedback: node.create_publisher(&full("feedback"), QosProfile::default()).map_err(what())?,
            shared: Arc::new(Shared {
                name: name.to_owned(),
                book: Mutex::new(Goals::new()),
                status: Mutex::new(status),
            }),
        })
    }

    /// Receives the requests that r2r has and returns their number.
    pub fn receive(&mut self) -> usize {
        // A goal is received before a request to cancel it.
        self.cancels.receive() + self.results.receive() + self.goals.receive()
    }

    /// The next goal that was received. After the last one the requests for results and cancellations that were received with them are
    /// considered, so that a goal is cancelled although its request and that came together.
    pub fn next_goal(&mut self) -> Option<GoalRequest<A>> {
        self.receive();
        if let Some(request) = self.goals.next() {
            let (id, goal) = A::destructure_goal_request_msg(request.message.clone());
            let (feedback, shared) = (self.feedback.clone(), Arc::clone(&self.shared));
            return Some(GoalRequest { id: id_of(&id), goal, request: Some(request), feedback, shared });
        }
        let mut book = lock(&self.shared.book);
        while let Some(request) = self.results.next() {
            let id = A::destructure_result_request_msg(request.message.clone());
            book.ask_result(id_of(&id), request);
        }
        while let Some(request) = self.cancels.next() {
            let GoalInfo { goal_id, stamp } = &request.message.goal_info;
            // Not `from_wire`: it is compared, whatever it is.
            let until = Stamp { sec: stamp.sec, nanosec: stamp.nanosec };
            book.ask_cancel(Selection::new(id_of(goal_id), until), request);
        }
        book.forget(clock::now());
        drop(book);
        self.shared.send();
        None
    }
}

impl<A: WrappedActionTypeSupport + 'static> Shared<A> {
    /// Sends what has to be sent, or leaves it to the thread that is sending: nobody waits for a send that hangs.
    fn send(&self) {
        send_in_turn(&self.status, |status| self.send_all(status), || lock(&self.book).has_output());
    }

    fn send_all(&self, status: &Topic<GoalStatusArray>) {
        loop {
            let output = lock(&self.book).poll(); // the lock ends here
            match output {
                Some(Output::Status(goals)) => status.publish(&status_message(goals)),
                Some(Output::Result(request, answer)) => respond_at_once(request, result::<A>(answer)),
                Some(Output::Cancelled(request, code, goals)) => {
                    let goals_canceling =
                        goals.into_iter().map(|(id, accepted)| info(id, accepted)).collect();
                    respond_at_once(
                        request,
                        CancelGoal::Response { return_code: code as i8, goals_canceling },
                    );
                }
                None => return,
            }
        }
    }
}

impl<A: WrappedActionTypeSupport + 'static> GoalRequest<A> {
    /// Rejects it. The client learns no reason, since ROS 2 has no place for one: log it.
    pub fn reject(self) {
        drop(self);
    }

    /// Accepts it; `None` if there is, or was a moment ago, a goal of its id, or if too many are open: it is rejected then.
    pub fn accept(mut self) -> Option<(Goal<A>, CancelRequests)> {
        let stamp = clock::stamp();
        let cancels = match lock(&self.shared.book).accept(self.id, stamp) {
            Ok(cancels) => CancelRequests(cancels),
            Err(reason) => {
                let name = &self.shared.name;
                match reason {
                    NotAccepted::Known => {
                        log::warn!("a goal for '{name}' is rejected: its id is that of a goal before it");
                    }
                    NotAccepted::Full => {
                        log::warn!("a goal for '{name}' is rejected: {MOST_OPEN} are open");
                    }
                }
                return None;
            }
        };
        self.answer(true, stamp);
        self.shared.send();
        let goal = Goal {
            id: self.id,
            is_open: true,
            feedback: self.feedback.clone(),
            shared: Arc::clone(&self.shared),
        };
        Some((goal, cancels))
    }

    fn answer(&mut self, is_accepted: bool, stamp: Stamp) {
        if let Some(request) = self.request.take() {
            respond_at_once(request, A::make_goal_response_msg(is_accepted, clock::to_wire(stamp)));
        }
    }
}

impl<A: WrappedActionTypeSupport + 'static> Drop for GoalRequest<A> {
    fn drop(&mut self) {
        self.answer(false, Stamp::default());
    }
}

impl<A: WrappedActionTypeSupport + 'static> Goal<A> {
    /// Reports to the client how it goes, once that is called: where nothing is locked.
    pub fn feedback(&self, feedback: A::Feedback) -> impl FnOnce() + use<A> {
        let (publisher, message) = (self.feedback.clone(), A::make_feedback_msg(uuid(self.id), feedback));
        move || {
            if let Err(error) = publisher.publish(&message) {
                log::debug!("the feedback of a goal could not be published: {error}");
            }
        }
    }

    /// Ends it. The clients that asked to cancel it are answered whether it was.
    pub fn end(mut self, end: GoalEnd, result: A::Result) {
        let state = match end {
            GoalEnd::Succeeded => GoalState::Succeeded,
            GoalEnd::Aborted => GoalState::Aborted,
            GoalEnd::Cancelled => GoalState::Canceled,
        };
        self.finish(state, result);
    }

    fn finish(&mut self, state: GoalState, result: A::Result) {
        self.is_open = false;
        lock(&self.shared.book).end(self.id, state, result, clock::now());
        self.shared.send();
    }
}

impl<A: WrappedActionTypeSupport + 'static> Drop for Goal<A> {
    fn drop(&mut self) {
        if self.is_open {
            self.finish(GoalState::Aborted, A::Result::default());
        }
    }
}

impl CancelRequests {
    /// The number of requests since the last call; they are answered at the goal's end. `None` if the goal has ended.
    pub fn receive(&mut self) -> Option<usize> {
        Some(self.0.upgrade()?.swap(0, Ordering::SeqCst))
    }
}

fn id_of(uuid: &UUID) -> GoalId {
    uuid.uuid.as_slice().try_into().unwrap_or_default()
}

fn uuid(id: GoalId) -> UUID {
    UUID { uuid: id.to_vec() }
}

fn info(id: GoalId, accepted: Stamp) -> GoalInfo {
    GoalInfo { goal_id: uuid(id), stamp: clock::to_wire(accepted) }
}

fn status_message(goals: Vec<(GoalId, Stamp, GoalState)>) -> GoalStatusArray {
    let status = |(id, accepted, state)| GoalStatus { goal_info: info(id, accepted), status: state as i8 };
    GoalStatusArray { status_list: goals.into_iter().map(status).collect() }
}

/// The response to a request for a result.
fn result<A: WrappedActionTypeSupport>(
    answer: Option<(GoalState, A::Result)>,
) -> <GetResult<A> as WrappedServiceTypeSupport>::Response {
    match answer {
        Some((state, result)) => A::make_result_response_msg(state as i8, result),
        None => A::make_result_response_msg(UNKNOWN, A::Result::default()),
    }
}

/// Accepts the goals of one action, and passes on the requests to cancel one.
pub(crate) struct Action<A: WrappedActionTypeSupport, F, C> {
    server: ActionServer<A>,
    active: Vec<Active>,
    accept: F,
    cancel: C,
}

struct Active {
    id: u64,
    requests: CancelRequests,
}

impl<A: WrappedActionTypeSupport + 'static, F, C> Action<A, F, C> {
    pub(crate) fn new(node: &mut r2r::Node, name: &str, accept: F, cancel: C) -> Result<Self, Error> {
        let server = ActionServer::new(node, name)?;
        Ok(Self { server, active: Vec::new(), accept, cancel })
    }
}

impl<A, F, C, M> Serve<M> for Action<A, F, C>
where
    A: WrappedActionTypeSupport + 'static,
    A::Result: Send,
    M: Machine + 'static,
    F: FnMut(A::Goal, Goal<A>, &Shell<M>) -> u64,
    C: FnMut(u64, &Shell<M>),
{
    fn receive(&mut self) -> usize {
        self.server.receive()
    }

    fn serve_one(&mut self, context: &mut ServiceContext<'_, M>) -> bool {
        let Self { server, active, accept, cancel } = self;
        while let Some(request) = server.next_goal() {
            let goal = request.goal.clone();
            let Some((handle, requests)) = request.accept() else { continue };
            let id = accept(goal, handle, context.shell());
            active.push(Active { id, requests });
        }
        active.retain_mut(|active| {
            let requests = active.requests.receive();
            if requests.is_some_and(|count| count > 0) {
                cancel(active.id, context.shell());
            }
            requests.is_some()
        });
        false
    }
}
