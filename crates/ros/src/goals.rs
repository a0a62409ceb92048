//! The goals of one action: which states they pass through, and who waits for what.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use safety::{Instant, Stamp};

/// The identity of a goal, which its client chooses.
pub(crate) type GoalId = [u8; 16];

/// The state of an accepted goal, with its number in `action_msgs/GoalStatus`.
///
/// # Source
/// design.ros2.org, "Actions", section "Goal states". A goal executes from its acceptance on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub(crate) enum GoalState {
    Executing = 2,
    Canceling = 3,
    Succeeded = 4,
    Canceled = 5,
    Aborted = 6,
}

/// The number of a goal that the server does not know: `STATUS_UNKNOWN`.
pub(crate) const UNKNOWN: i8 = 0;

/// The outcome of a request to cancel goals, with its number in `action_msgs/srv/CancelGoal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i8)]
pub(crate) enum CancelCode {
    /// Every selected goal that could be cancelled was, or there was none to select.
    None = 0,
    /// None of the selected goals was cancelled.
    Rejected = 1,
    UnknownGoal = 2,
    GoalTerminated = 3,
}

/// The goals that a request wants to be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    One(GoalId),
    /// All goals that were accepted at or before this time.
    Until(Stamp),
    /// All goals that were accepted at or before this time, and this one.
    UntilAnd(Stamp, GoalId),
}

impl Selection {
    /// The selection of a request, whose zeros mean that nothing is asked for.
    pub(crate) fn new(id: GoalId, until: Stamp) -> Self {
        match (id == GoalId::default(), until == Stamp::default()) {
            (true, true) => Self::All,
            (false, true) => Self::One(id),
            (true, false) => Self::Until(until),
            (false, false) => Self::UntilAnd(until, id),
        }
    }

    fn has(self, id: GoalId, accepted: Stamp) -> bool {
        match self {
            Self::All => true,
            Self::One(one) => one == id,
            Self::Until(until) => accepted <= until,
            Self::UntilAnd(until, one) => accepted <= until || one == id,
        }
    }
}

/// Why a goal is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotAccepted {
    /// There is, or was until a moment ago, a goal of this id.
    Known,
    /// [`MOST_OPEN`] goals are open.
    Full,
}

/// A message that has to be sent; they are sent in the order of their making.
///
/// `R` is a result; `Q` and `C` are the requests for a result and for a cancellation, which are answered once.
#[derive(Debug, PartialEq)]
pub(crate) enum Output<R, Q, C> {
    /// The states of all known goals, oldest first.
    Status(Vec<(GoalId, Stamp, GoalState)>),
    /// The result of a goal, and its state; `None` if it is not known.
    Result(Q, Option<(GoalState, R)>),
    /// The goals that were cancelled.
    Cancelled(C, CancelCode, Vec<(GoalId, Stamp)>),
}

/// The goals of one action that are open, or ended a short time ago. A machine in the style of `safety::Machine`: calls report what
/// happened, and [`poll`](Self::poll) returns what has to be sent.
#[derive(Debug)]
pub(crate) struct Goals<R, Q, C> {
    goals: Vec<Entry<R, Q>>,
    cancels: Vec<Cancel<C>>,
    outputs: VecDeque<Output<R, Q, C>>,
}

#[derive(Debug)]
struct Entry<R, Q> {
    id: GoalId,
    accepted: Stamp,
    state: GoalState,
    /// How many requests to cancel it were not taken yet. While the goal is open.
    cancels: Option<Arc<AtomicUsize>>,
    /// The requests for its result.
    waiting: Vec<Q>,
    /// Its result, and until when it is kept.
    ended: Option<(R, Instant)>,
}

/// A request that waits until the goals that it selected have ended.
#[derive(Debug)]
struct Cancel<C> {
    request: C,
    open: Vec<GoalId>,
    cancelled: Vec<(GoalId, Stamp)>,
}

/// The most goals that may be open at once.
pub(crate) const MOST_OPEN: usize = 100;
/// The most ended goals whose results are kept.
const MOST_ENDED: usize = 100;
/// How long the result of a goal is kept after its end.
///
/// # Source
/// The default of `rcl_action` of ROS 2 Jazzy.
const RESULT_KEPT: Duration = Duration::from_secs(10);
/// The most requests that may wait for one goal, and the most answers that may wait for the middleware. Further ones are dropped, since a
/// client that asks without end would fill the memory.
const MOST_WAITING: usize = 1000;

impl<R: Clone, Q, C> Goals<R, Q, C> {
    pub(crate) const fn new() -> Self {
        Self { goals: Vec::new(), cancels: Vec::new(), outputs: VecDeque::new() }
    }

    /// A goal is to be accepted at `stamp`. Returns the number of requests to cancel it, which lives until it ends.
    pub(crate) fn accept(&mut self, id: GoalId, stamp: Stamp) -> Result<Weak<AtomicUsize>, NotAccepted> {
        if self.goals.iter().any(|goal| goal.id == id) {
            return Err(NotAccepted::Known);
        }
        if self.goals.iter().filter(|goal| goal.ended.is_none()).count() >= MOST_OPEN {
            return Err(NotAccepted::Full);
        }
        let cancels = Arc::<AtomicUsize>::default();
        let count = Arc::downgrade(&cancels);
        let (state, cancels) = (GoalState::Executing, Some(cancels));
        self.goals.push(Entry { id, accepted: stamp, state, cancels, waiting: Vec::new(), ended: None });
        self.publish();
        Ok(count)
    }

    /// An open goal ended at `now` in a final `state`: those that wait for it are answered.
    pub(crate) fn end(&mut self, id: GoalId, state: GoalState, result: R, now: Instant) {
        let is_open = |goal: &&mut Entry<R, Q>| goal.id == id && goal.ended.is_none();
        let Some(goal) = self.goals.iter_mut().find(is_open) else { return };
        let accepted = goal.accepted;
        goal.cancels = None;
        if state == GoalState::Canceled {
            goal.state = GoalState::Canceling;
            self.publish();
        }
        self.answer_cancels(id, (state == GoalState::Canceled).then_some(accepted));
        let Some(goal) = self.goals.iter_mut().find(|goal| goal.id == id) else { return };
        goal.state = state;
        let waiting = std::mem::take(&mut goal.waiting);
        goal.ended = Some((result.clone(), now + RESULT_KEPT));
        self.publish();
        for request in waiting {
            self.push(Output::Result(request, Some((state, result.clone()))));
        }
        if self.goals.iter().filter(|goal| goal.ended.is_some()).count() > MOST_ENDED {
            let oldest =
                self.goals.iter().filter_map(|goal| goal.ended.as_ref()).map(|(_, until)| *until).min();
            self.expire(|until| Some(until) == oldest);
        }
    }

    /// A client asks for the result of a goal.
    pub(crate) fn ask_result(&mut self, id: GoalId, request: Q) {
        match self.goals.iter_mut().find(|goal| goal.id == id) {
            None => self.push(Output::Result(request, None)),
            Some(Entry { ended: Some((result, _)), state, .. }) => {
                let answer = Some((*state, result.clone()));
                self.push(Output::Result(request, answer));
            }
            Some(goal) if goal.waiting.len() < MOST_WAITING => goal.waiting.push(request),
            Some(_) => {}
        }
    }

    /// A client wants goals to be cancelled. It is answered when they have ended, so it learns which ones really were.
    pub(crate) fn ask_cancel(&mut self, selection: Selection, request: C) {
        let selected = self.goals.iter().filter(|goal| selection.has(goal.id, goal.accepted));
        let open: Vec<&Entry<R, Q>> = selected.clone().filter(|goal| goal.ended.is_none()).collect();
        if open.is_empty() {
            let code = match selection {
                Selection::One(_) if selected.count() > 0 => CancelCode::GoalTerminated,
                Selection::One(_) => CancelCode::UnknownGoal,
                _ => CancelCode::None,
            };
            self.push(Output::Cancelled(request, code, Vec::new()));
            return;
        }
        for cancels in open.iter().filter_map(|goal| goal.cancels.as_ref()) {
            cancels.fetch_add(1, Ordering::SeqCst);
        }
        let open = open.iter().map(|goal| goal.id).collect();
        // A request that finds no place is not answered, but it is obeyed.
        if self.cancels.len() < MOST_WAITING {
            self.cancels.push(Cancel { request, open, cancelled: Vec::new() });
        }
    }

    /// Forgets the results that were kept until `now`.
    pub(crate) fn forget(&mut self, now: Instant) {
        self.expire(|until| until <= now);
    }

    /// The next thing that has to be sent.
    pub(crate) fn poll(&mut self) -> Option<Output<R, Q, C>> {
        self.outputs.pop_front()
    }

    /// Whether something has to be sent.
    pub(crate) fn has_output(&self) -> bool {
        !self.outputs.is_empty()
    }

    fn expire(&mut self, is_over: impl Fn(Instant) -> bool) {
        let before = self.goals.len();
        self.goals.retain(|goal| goal.ended.as_ref().is_none_or(|(_, until)| !is_over(*until)));
        if self.goals.len() < before {
            self.publish();
        }
    }

    /// Answers the requests that waited for this goal alone; `cancelled` is when it was accepted, if it was cancelled.
    fn answer_cancels(&mut self, id: GoalId, cancelled: Option<Stamp>) {
        for mut cancel in std::mem::take(&mut self.cancels) {
            if let Some(place) = cancel.open.iter().position(|open| *open == id) {
                cancel.open.swap_remove(place);
                cancel.cancelled.extend(cancelled.map(|accepted| (id, accepted)));
            }
            if !cancel.open.is_empty() {
                self.cancels.push(cancel);
                continue;
            }
            let code = if cancel.cancelled.is_empty() { CancelCode::Rejected } else { CancelCode::None };
            self.push(Output::Cancelled(cancel.request, code, cancel.cancelled));
        }
    }

    /// The states of all goals; they take the place of those that no answer follows.
    fn publish(&mut self) {
        let states = self.goals.iter().map(|goal| (goal.id, goal.accepted, goal.state)).collect();
        let status = Output::Status(states);
        match self.outputs.back_mut() {
            Some(last @ Output::Status(_)) => *last = status,
            _ => self.outputs.push_back(status),
        }
    }

    fn push(&mut self, answer: Output<R, Q, C>) {
        if self.outputs.len() < MOST_WAITING {
            self.outputs.push_back(answer);
        }
    }
}

#[cfg(test)]
mod tests;
