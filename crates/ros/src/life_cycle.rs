use std::mem::{replace, take};
use std::time::Duration;

use params::{AUTOSTART, Set, Value, quoted};
use r2r::QosProfile;
use r2r::lifecycle_msgs::{msg, srv};
use safety::freshness::STALE;
use safety::{Instant, Level};

use crate::qos_overrides::{Endpoint, overridden};
use crate::requests::{Requests, respond};
use crate::{Error, Status, clock, qos};

/// The life cycle of a managed node: the five services of `lifecycle_msgs` and the topic `~/transition_event`.
///
/// Only an active node lets something move. In each other state it runs, answers its services and gives no command but stop, as a node that
/// shuts down does. Activation is no permission to move: whatever has to happen after a loss has to happen after it.
///
/// # Source
/// `lifecycle_msgs` and `rclcpp_lifecycle` (ROS 2 Jazzy): the same names, numbers and events; a label of a request comes before its number.
pub(crate) struct LifeCycle {
    name: String,
    state: Primary,
    change: Requests<srv::ChangeState::Service>,
    get: Requests<srv::GetState::Service>,
    states: Requests<srv::GetAvailableStates::Service>,
    available: Requests<srv::GetAvailableTransitions::Service>,
    graph: Requests<srv::GetAvailableTransitions::Service>,
    events: r2r::Publisher<msg::TransitionEvent>,
    /// When requests were read last.
    read_at: Instant,
    /// The last hold of the node, and until when a request may be from that time.
    held: (Duration, Instant),
    /// For how long requests that were read since the last answers may have waited.
    waited: Duration,
}

/// How long after a hold the middleware may still pass on what came during it: its threads were held, too.
const CATCHES_UP: Duration = Duration::from_millis(250);

/// A state in which a node stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Primary {
    Unconfigured,
    Inactive,
    Active,
    Finalized,
}

/// A state by its number and its label.
type State = (u8, &'static str);

impl Primary {
    fn state(self) -> State {
        match self {
            Self::Unconfigured => (1, "unconfigured"),
            Self::Inactive => (2, "inactive"),
            Self::Active => (3, "active"),
            Self::Finalized => (4, "finalized"),
        }
    }
}

/// A transition that a client may request. It succeeds at once: nothing in it can fail.
struct Request {
    number: u8,
    label: &'static str,
    from: Primary,
    /// The state that is reported between the two; the node is in it for no time.
    through: State,
    to: Primary,
    /// The number of the transition from `through` after a success; those after a failure and an error follow it.
    success: u8,
}

const CONFIGURING: State = (10, "configuring");
const CLEANING_UP: State = (11, "cleaningup");
const SHUTTING_DOWN: State = (12, "shuttingdown");
const ACTIVATING: State = (13, "activating");
const DEACTIVATING: State = (14, "deactivating");
const ERROR_PROCESSING: State = (15, "errorprocessing");

const REQUESTS: [Request; 7] = {
    use Primary::{Active, Finalized, Inactive, Unconfigured};
    [
        request(1, "configure", Unconfigured, CONFIGURING, Inactive, 10),
        request(2, "cleanup", Inactive, CLEANING_UP, Unconfigured, 20),
        request(3, "activate", Inactive, ACTIVATING, Active, 30),
        request(4, "deactivate", Active, DEACTIVATING, Inactive, 40),
        request(5, "shutdown", Unconfigured, SHUTTING_DOWN, Finalized, 50),
        request(6, "shutdown", Inactive, SHUTTING_DOWN, Finalized, 50),
        request(7, "shutdown", Active, SHUTTING_DOWN, Finalized, 50),
    ]
};

const fn request(
    number: u8,
    label: &'static str,
    from: Primary,
    through: State,
    to: Primary,
    success: u8,
) -> Request {
    Request { number, label, from, through, to, success }
}

const SUCCESS: &str = "transition_success";
const FAILURE: &str = "transition_failure";
const ERROR: &str = "transition_error";

/// The transition that a request with this number and label means in `state`; an empty label leaves it to the number.
fn requested(state: Primary, number: u8, label: &str) -> Option<&'static Request> {
    let is_meant =
        |request: &&Request| if label.is_empty() { request.number == number } else { request.label == label };
    REQUESTS.iter().filter(|request| request.from == state).find(is_meant)
}

impl LifeCycle {
    /// Serves the life cycle of `node`: active at once, or as `autostart` in `parameters` says.
    /// # Errors
    /// The middleware refuses a service or the topic.
    pub(crate) fn new(node: &mut r2r::Node, name: &str, parameters: &Set) -> Result<Self, Error> {
        let what = || Error::ros(format!("serve the life cycle of '{name}'"));
        let is_active = parameters.value(AUTOSTART) != Some(&Value::Bool(false));
        let waits =
            if is_active { "" } else { "; inactive, so nothing moves until its life cycle is activated" };
        log::info!(target: name, "Steersman {}{waits}", env!("CARGO_PKG_VERSION"));
        let events = "~/transition_event";
        let qos = overridden(node, Endpoint::Publisher, events, QosProfile::default());
        let qos = qos.map_err(Error::refused(node))?;
        let events = node.create_publisher(events, qos).map_err(what())?;
        Ok(Self {
            name: name.into(),
            state: if is_active { Primary::Active } else { Primary::Unconfigured },
            change: Requests::new(node, "~/change_state", qos::requests()).map_err(what())?,
            get: Requests::new(node, "~/get_state", qos::requests()).map_err(what())?,
            states: Requests::new(node, "~/get_available_states", qos::requests()).map_err(what())?,
            available: Requests::new(node, "~/get_available_transitions", qos::requests()).map_err(what())?,
            graph: Requests::new(node, "~/get_transition_graph", qos::requests()).map_err(what())?,
            events,
            read_at: clock::now(),
            held: (Duration::ZERO, Instant::ZERO),
            waited: Duration::ZERO,
        })
    }

    /// Whether the node is active.
    pub(crate) fn is_active(&self) -> bool {
        self.state == Primary::Active
    }

    /// Receives the requests that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        let now = clock::now();
        let gap = now.since(replace(&mut self.read_at, now));
        if gap >= STALE {
            self.held = (gap, now + CATCHES_UP);
        }
        if now < self.held.1 {
            self.waited = self.held.0;
        }
        let Self { change, get, states, available, graph, .. } = self;
        change.receive() + get.receive() + states.receive() + available.receive() + graph.receive()
    }

    /// Makes the requested transitions, in their order; `deactivate` puts the end of an activity in force. Returns whether an activation
    /// is left to be put in force.
    pub(crate) fn change_state(&mut self, mut deactivate: impl FnMut()) -> bool {
        let mut is_activated = false;
        let mut set_active = |is_active| {
            is_activated = is_active;
            if !is_active {
                deactivate();
            }
        };
        let waited = take(&mut self.waited);
        while let Some(request) = self.change.next() {
            let msg::Transition { id, label } = &request.message.transition;
            let success = self.change(*id, label, waited, &mut set_active);
            respond(request, srv::ChangeState::Response { success });
        }
        is_activated
    }

    /// Says in `status` that the node is not active, unless the node says so itself.
    pub(crate) fn report(&self, status: &mut Status) {
        if !self.is_active() && !status.message.contains("not active") {
            status.worsen(Level::Warn, "the node is not active");
        }
    }

    /// Answers one request that changes nothing, and returns whether there was one.
    pub(crate) fn answer_one(&mut self) -> bool {
        if let Some(request) = self.get.next() {
            respond(request, srv::GetState::Response { current_state: state(self.state.state()) });
        } else if let Some(request) = self.states.next() {
            let available_states = STATES.into_iter().map(state).collect();
            respond(request, srv::GetAvailableStates::Response { available_states });
        } else if let Some(request) = self.available.next() {
            let possible = REQUESTS.iter().filter(|one| one.from == self.state);
            let available_transitions = possible.map(Request::begin).collect();
            respond(request, srv::GetAvailableTransitions::Response { available_transitions });
        } else if let Some(request) = self.graph.next() {
            let available_transitions = transition_graph();
            respond(request, srv::GetAvailableTransitions::Response { available_transitions });
        } else {
            return false;
        }
        true
    }

    /// Makes the requested transition; returns whether it is possible from the present state.
    fn change(
        &mut self,
        number: u8,
        label: &str,
        waited: Duration,
        set_active: &mut impl FnMut(bool),
    ) -> bool {
        let Some(request) = requested(self.state, number, label) else {
            let (_, state) = self.state.state();
            let possible: Vec<_> =
                REQUESTS.iter().filter(|one| one.from == self.state).map(|one| one.label).collect();
            let asked = if label.is_empty() { number.to_string() } else { label.to_owned() };
            log::warn!(
                target: &self.name,
                "life cycle: transition '{}' is not possible, the state is {state}; possible: {}",
                quoted(&asked),
                if possible.is_empty() { "none".into() } else { possible.join(", ") }
            );
            return false;
        };
        if request.to == Primary::Active && waited >= STALE {
            log::warn!(
                target: &self.name,
                "life cycle: the request to activate may have waited for {waited:?} while the node was held; request it again"
            );
            return false;
        }
        let was_active = self.is_active();
        self.state = request.to;
        if was_active != self.is_active() {
            set_active(self.is_active()); // before anything is sent
        }
        self.publish(request.begin());
        self.publish(request.end());
        let (_, state) = self.state.state();
        log::info!(target: &self.name, "life cycle: {state}{}", if self.is_active() { "" } else { ", so nothing moves" });
        true
    }

    fn publish(&self, description: msg::TransitionDescription) {
        let msg::TransitionDescription { transition, start_state, goal_state } = description;
        let timestamp = clock::stamp().as_nanos().try_into().unwrap_or_default();
        let event = msg::TransitionEvent { timestamp, transition, start_state, goal_state };
        if let Err(error) = self.events.publish(&event) {
            log::warn!(target: &self.name, "could not publish a transition event: {error}");
        }
    }
}

/// All states, in the order of rcl.
const STATES: [State; 11] = [
    (0, "unknown"),
    (1, "unconfigured"),
    (2, "inactive"),
    (3, "active"),
    (4, "finalized"),
    CONFIGURING,
    CLEANING_UP,
    SHUTTING_DOWN,
    ACTIVATING,
    DEACTIVATING,
    ERROR_PROCESSING,
];

impl Request {
    /// The first half of the transition.
    fn begin(&self) -> msg::TransitionDescription {
        description((self.number, self.label), self.from.state(), self.through)
    }

    /// The second half, which follows at once: nothing in it can fail.
    fn end(&self) -> msg::TransitionDescription {
        description((self.success, SUCCESS), self.through, self.to.state())
    }
}

/// All transitions, in the order of rcl, those that never happen here included: a failure and an error.
fn transition_graph() -> Vec<msg::TransitionDescription> {
    let mut graph = Vec::new();
    for (index, request) in REQUESTS.iter().enumerate() {
        graph.push(request.begin());
        if REQUESTS.get(index + 1).is_some_and(|next| next.through == request.through) {
            continue; // the three that shut down end by the same transitions
        }
        let failed = if request.to == Primary::Finalized { request.to } else { request.from };
        graph.push(request.end());
        graph.push(description((request.success + 1, FAILURE), request.through, failed.state()));
        graph.push(description((request.success + 2, ERROR), request.through, ERROR_PROCESSING));
    }
    let ends = [
        (60, SUCCESS, Primary::Unconfigured),
        (61, FAILURE, Primary::Finalized),
        (62, ERROR, Primary::Finalized),
    ];
    graph.extend(ends.map(|(number, label, to)| description((number, label), ERROR_PROCESSING, to.state())));
    graph
}

fn description((id, label): (u8, &str), from: State, to: State) -> msg::TransitionDescription {
    let transition = msg::Transition { id, label: label.into() };
    msg::TransitionDescription { transition, start_state: state(from), goal_state: state(to) }
}

fn state((id, label): State) -> msg::State {
    msg::State { id, label: label.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(state: Primary, number: u8, label: &str) -> Option<Primary> {
        requested(state, number, label).map(|request| request.to)
    }

    #[test]
    fn a_label_comes_before_a_number_and_each_needs_its_state() {
        use Primary::{Active, Finalized, Inactive, Unconfigured};
        assert_eq!(to(Unconfigured, 1, ""), Some(Inactive));
        assert_eq!(to(Unconfigured, 0, "configure"), Some(Inactive));
        assert_eq!(to(Inactive, 4, "activate"), Some(Active));
        assert_eq!((to(Unconfigured, 3, ""), to(Unconfigured, 1, "activate")), (None, None));
        for (state, number) in [(Unconfigured, 5), (Inactive, 6), (Active, 7)] {
            assert_eq!(to(state, number, ""), Some(Finalized));
            assert_eq!(to(state, 0, "shutdown"), Some(Finalized));
        }
        assert!((0..=255).all(|number| to(Finalized, number, "").is_none()), "nothing follows the end");
    }
}
