use core::time::Duration;
use std::collections::VecDeque;

use safety::{Backlog, Clock, Instant, Machine, PublisherCount, PublisherId, earliest};

use crate::monitor::Monitor;
use crate::{Invalid, Params, Silence};

/// A process or thread that did nothing for longer than this was held: of a source that must repeat, nothing from before counts, and what
/// was to be sent before is not sent.
pub const PAUSE: Duration = Duration::from_millis(250);

/// The time from the first latched message of a publisher until its word is published: a publisher may keep several, and sends them in
/// their order.
pub const SETTLING: Duration = Duration::from_millis(100);

/// Everything that can happen to the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// A message of a switch's source was received.
    StateReceived {
        /// Index of the switch in [`Params::switches`].
        switch: usize,
        /// The state before it is inverted, or why there is none.
        state: Result<bool, Invalid>,
    },
    /// The publishers of a switch's source were counted. Expected every 0.1 s, and before messages are delivered.
    PublishersCounted {
        /// Index of the switch in [`Params::switches`].
        switch: usize,
        /// The publishers.
        publishers: PublisherCount,
        /// The only one that can be received.
        publisher: Option<PublisherId>,
    },
    /// Parameters to use from now on; the switches are the same, only the rate may differ.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node is about to end.
    Stopping,
}

/// Everything that the node can request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Publish the state of a switch.
    Publish {
        /// Index of the switch in [`Params::switches`].
        switch: usize,
        /// The state.
        on: bool,
        /// The time after which it must not be sent, since it may not be true any more.
        until: Instant,
    },
}

impl Output {
    /// Whether it may be sent at `now`.
    pub fn is_current(&self, now: Instant) -> bool {
        let Self::Publish { until, .. } = self;
        now <= *until
    }
}

/// Repeats the last word of each source, or is silent.
///
/// * A word is published by the call that received it if it differs from the one before, and again at the rate.
/// * **Nothing is published for a switch** while its source has not exactly one publisher that can be received, while nothing was received
///   from this publisher, after a message that says nothing, and with a timeout when the last message is as old.
/// * A publisher that takes the place of another, and one that returns, begin without a word.
/// * The publishers must be counted within [`PAUSE`]: a word without a known publisher is none.
/// * Of a source with a timeout nothing from before a hold of more than [`PAUSE`] counts, nor from before the node became active. The word
///   of a source that publishes on change only stays its word.
/// # Real-time
/// Messages allocate nothing; a call takes time by the number of switches.
/// # Source
/// own
#[derive(Clone, Debug)]
pub struct SwitchRelay {
    pub(crate) params: Params,
    pub(crate) clock: Clock,
    is_started: bool,
    pub(crate) monitors: Vec<Monitor>,
    /// The state of each switch that is published now, and when it is repeated.
    sent: Vec<Option<(bool, Instant)>>,
    pub(crate) is_active: bool,
    pub(crate) stopping: bool,
    queue: VecDeque<Output>,
}

/// The capacity for outputs, more than are ever pending.
const QUEUE: usize = 256;

impl SwitchRelay {
    /// A relay that received nothing.
    pub fn new(params: Params) -> Self {
        let count = params.switches.len();
        Self {
            clock: Clock::default(),
            is_started: false,
            monitors: vec![Monitor::default(); count],
            sent: vec![None; count],
            is_active: true,
            stopping: false,
            queue: VecDeque::with_capacity(QUEUE),
            params,
        }
    }

    /// The state that is published for a switch, as of the last call.
    /// # Errors
    /// Why nothing is.
    pub fn state(&self, switch: usize) -> Result<bool, Silence> {
        self.judge(switch).map(|(on, _)| on)
    }

    fn judge(&self, switch: usize) -> Result<(bool, Instant), Silence> {
        match (self.monitors.get(switch), self.params.switches.get(switch)) {
            (Some(monitor), Some(spec)) if self.is_active && !self.stopping => {
                monitor.state(self.clock.now(), spec)
            }
            _ => Err(Silence::Inactive),
        }
    }

    /// Lets time pass; a call that is later than it was due by more than [`PAUSE`] was held.
    fn pass_to(&mut self, now: Instant) {
        let due = self.deadline().filter(|_| self.is_started);
        self.is_started = true;
        self.clock.pass_to(now, due);
        let now = self.clock.now();
        if due.is_some_and(|due| now.since(due) > PAUSE) {
            self.forget(Silence::Held);
        }
        for (monitor, switch) in self.monitors.iter_mut().zip(&self.params.switches) {
            monitor.expire(now, switch.timeout);
        }
    }

    fn forget(&mut self, reason: Silence) {
        for (monitor, switch) in self.monitors.iter_mut().zip(&self.params.switches) {
            monitor.forget(switch.timeout, reason);
        }
    }

    /// Publishes what has changed or is to be repeated.
    fn update(&mut self) {
        let now = self.clock.now();
        for switch in 0..self.sent.len() {
            let state = self.judge(switch);
            let Some(sent) = self.sent.get_mut(switch) else { continue };
            let Ok((on, until)) = state else {
                *sent = None;
                continue;
            };
            if sent.is_none_or(|(before, next)| before != on || next <= now) {
                *sent = Some((on, now + self.params.period));
                if self.queue.len() >= QUEUE {
                    self.queue.pop_front();
                }
                self.queue.push_back(Output::Publish { switch, on, until });
            }
        }
    }
}

impl Machine for SwitchRelay {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        match input {
            Input::StateReceived { switch, state } => {
                if let (Some(monitor), Some(spec)) =
                    (self.monitors.get_mut(switch), self.params.switches.get(switch))
                {
                    monitor.receive(&self.clock, state, spec.timeout);
                }
            }
            Input::PublishersCounted { switch, publishers, publisher } => {
                if let Some(monitor) = self.monitors.get_mut(switch) {
                    monitor.count(self.clock.now(), publishers, publisher);
                }
            }
            Input::ParametersChanged(Params { period, .. }) => self.params.period = period,
            Input::ActivityChanged(is_active) => {
                self.is_active = is_active;
                self.forget(Silence::NotReceived);
            }
            Input::Stopping => self.stopping = true,
        }
        self.update();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        self.update();
        self.queue.pop_front()
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
        if self.clock.now().since(due) > PAUSE {
            self.forget(Silence::Held);
        }
    }

    /// A latched switch permits motion for as long as it stands, so its publishers are always counted.
    fn may_move(&self) -> bool {
        !self.monitors.is_empty()
    }

    fn backlog(_: &Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() {
            return Some(self.clock.now());
        }
        let repeated = self.sent.iter().flatten().map(|&(_, next)| next).min();
        let settled = self.monitors.iter().zip(&self.params.switches).zip(&self.sent);
        let settled = settled.filter(|(_, sent)| sent.is_none());
        let settled = settled.filter_map(|((monitor, switch), _)| monitor.settles(switch));
        earliest(repeated, settled.filter(|&at| self.clock.now() < at).min())
    }
}
