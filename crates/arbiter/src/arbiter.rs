use std::collections::VecDeque;

use safety::{
    Backlog, Clock, Command, HEARTBEAT, Instant, Machine, PublisherCount, Stamp, WATCHDOG_INTERVAL, earliest,
};

use crate::lock_monitor::LockMonitor;
use crate::ramp::Ramp;
use crate::source_monitor::SourceMonitor;
use crate::{Active, Counters, Input, Invalid, Output, Params, Refused, Verdict, ZeroCause};

/// Lets one of several velocity sources drive.
///
/// * A source drives while it has a command in force ([`CommandMonitor`](safety::CommandMonitor)), no lock above it is
///   closed, and no source of higher priority could drive. Its command is sent by the call that received it, stamp unchanged.
/// * A source is lost at once when it is silent, or when its message is too old, from the future or invalid. A late message (older
///   than the last) is ignored. A late zero of the source that drives still stops, but does not keep the source alive.
/// * A message of a higher source takes over at once. When the driving source is lost or locked a zero is sent at once,
///   and the next source drives from its *next* message on: its earlier messages were sent while another one drove.
/// * **Losing is a stop.** A source that was lost while it asked for motion drives again only after it sent a zero. If it drove, every
///   source has to send a zero first; otherwise those of lower priority that ask for motion. If a lock was lost, the sources below it that
///   ask for motion are lost. So nothing drives off by itself. The same holds if a stick was lost at rest before its
///   [release](crate::State), and if parameters remove such a source or let another one drive.
///   A source that is preempted, or masked by a lock that was closed and opened, needs no zero: a person did that.
///   A source that may have been sending before the arbiter subscribed begins with a zero, and so does a stick after any
///   silence.
/// * While no source drives, or the driving one sends zero, a zero is sent every 0.1 s: the later stages receive an unbroken stream.
///   While no source drives and one asks for motion that zero is marked as [withheld](Command::withheld), and no later stage treats it
///   as a released stick. The arbiter's own zeros have no stamp, since no stick event caused them: they are current, and no later
///   stage treats one as late or old. The commands of a source are also sent without a stamp while earlier ones of another source were
///   newer: their clocks differ.
/// * With any limit on, the output moves from the velocity that is driven now to the command, also when another source takes over,
///   and is sent again at the instants of a grid until it is there. All these outputs carry the stamp of the command, so none of them
///   looks like a newer command. The zero of a loss is not limited: it is zero at once. With all limits off commands pass bit for bit.
/// * While a command is in force the deadline is at most 50 ms away, so the machine detects when it was held.
/// # Real-time
/// Commands and zeros allocate nothing; a new [`Active`] does, after the command is sent. Time grows with sources times
/// locks.
/// # Source
/// twist_mux 4.4.0 for priorities, timeouts and locks. Own: where twist_mux stops publishing the arbiter sends a zero and the reason.
#[derive(Clone, Debug)]
pub struct Arbiter {
    pub(crate) params: Params,
    pub(crate) clock: Clock,
    /// Whether it was called before; if not, nothing was due.
    is_started: bool,
    /// The time of the last [`update`](Self::update), if nothing has happened since.
    updated: Option<Instant>,
    /// The state of each source and lock, in the order of the parameters.
    pub(crate) sources: Vec<SourceMonitor>,
    pub(crate) locks: Vec<LockMonitor>,
    pub(crate) driving: Option<usize>,
    ramp: Ramp,
    /// The newest stamp of a command that a source drove with.
    newest_stamp: Stamp,
    /// When the next zero is due; `None` while the source that drives sends another velocity.
    next_zero: Option<Instant>,
    /// Whether the node's life cycle is in the state active.
    pub(crate) is_active: bool,
    pub(crate) stopping: bool,
    queue: VecDeque<Command>,
    /// The last command that was queued.
    pub(crate) sent: Command,
    pub(crate) active: Active,
    announced: Option<Active>,
    /// Whether the indices have changed since then.
    renamed: bool,
    last_invalid: Option<(usize, Invalid)>,
    counters: Counters,
}

/// The capacity for outputs, more than are ever pending. When it is full the oldest output is dropped, since the newest counts.
const QUEUE: usize = 64;

impl Arbiter {
    /// An arbiter without messages: its first output is a zero.
    pub fn new(params: Params) -> Self {
        let active =
            Active { publishers: vec![PublisherCount::NONE; params.sources.len()], ..Active::default() };
        let mut arbiter = Self {
            clock: Clock::default(),
            is_started: false,
            updated: None,
            sources: vec![SourceMonitor::default(); params.sources.len()],
            locks: vec![LockMonitor::default(); params.locks.len()],
            driving: None,
            ramp: Ramp::new(&params),
            newest_stamp: Stamp::ZERO,
            next_zero: Some(Instant::ZERO),
            is_active: true,
            stopping: false,
            queue: VecDeque::with_capacity(QUEUE),
            sent: Command::STOP,
            active,
            announced: None,
            renamed: false,
            last_invalid: None,
            counters: Counters::default(),
            params,
        };
        arbiter.update();
        arbiter
    }

    /// The parameters in force.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The index of the source called `name`.
    pub fn source_index(&self, name: &str) -> Option<usize> {
        self.params.sources.iter().position(|source| source.name == name)
    }

    /// The source that drives, and why the others do not, as of the last call.
    pub fn active(&self) -> &Active {
        &self.active
    }

    /// The counters since the start, including sources that were removed.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The last invalid message: the index of its source and the reason.
    pub fn last_invalid(&self) -> Option<(usize, Invalid)> {
        self.last_invalid
    }

    /// Receives a message; `is_held` means that the stick was not released, even if it is a zero.
    fn receive(&mut self, source: usize, received: Result<Command, Invalid>, is_held: bool) {
        let in_conflict = self.in_conflict(source);
        let (Some(spec), Some(monitor)) = (self.params.sources.get(source), self.sources.get_mut(source))
        else {
            self.counters.unknown += 1;
            return;
        };
        self.counters.commands += 1;
        let command = match monitor.receive(&self.clock, received, spec.timeout) {
            Ok(command) => {
                monitor.is_unreleased = !in_conflict && (is_held || command.asks_for_motion());
                command
            }
            Err(reason) => {
                if let Err(invalid) = received {
                    self.last_invalid = Some((source, invalid));
                }
                if reason == Refused::Late
                    && self.driving == Some(source)
                    && received.is_ok_and(|command| command.velocity.is_neutral())
                {
                    let command = self.ramp.aim(self.clock.now(), monitor.zero());
                    self.next_zero = Some(self.clock.now() + HEARTBEAT);
                    self.push(command);
                }
                return self.refuse(source, reason);
            }
        };
        let winner = self.judge();
        if !self.stopping && winner == Some(source) {
            self.counters.taken_over += u64::from(self.driving.is_some_and(|other| other != source));
            self.counters.driven += 1;
            self.driving = Some(source);
            // A source that creeps below the neutral threshold continues to creep: no zero is sent between its messages.
            let is_zero = command.velocity.is_zero() && !command.withheld;
            self.next_zero = is_zero.then(|| self.clock.now() + HEARTBEAT);
            if let Some(monitor) = self.sources.get_mut(source) {
                monitor.stats.driven += 1;
            }
            let stamp = self.in_order(command.stamp);
            let command = self.ramp.aim(self.clock.now(), Command { stamp, ..command });
            return self.push(command);
        }
        self.rank(winner);
        match self.active.verdicts.get(source) {
            Some(Verdict::Locked { .. }) => self.refuse(source, Refused::Locked),
            Some(Verdict::Outranked { .. }) => self.refuse(source, Refused::Outranked),
            _ => {}
        }
    }

    /// The stamp to send. The later stages ignore a command older than the newest one as late, but the newest one may be of
    /// another source, whose clock is ahead. So an older command is sent without a stamp.
    fn in_order(&mut self, stamp: Stamp) -> Stamp {
        if stamp < self.newest_stamp && !safety::freshness::is_ahead(&self.clock, self.newest_stamp) {
            return Stamp::ZERO;
        }
        self.newest_stamp = stamp;
        stamp
    }

    fn refuse(&mut self, source: usize, reason: Refused) {
        self.counters.refused.count(reason);
        if let Some(monitor) = self.sources.get_mut(source) {
            monitor.stats.refused.count(reason);
        }
    }

    /// Adopts other parameters. A source or lock that is still there keeps its state, and continues to drive if it did. No other
    /// source starts to drive by the change, except below a lock that is removed or lowered, as if it had been opened.
    fn adopt(&mut self, params: Params) {
        let foremost = self.foremost();
        let old = core::mem::replace(&mut self.params, params);
        let (sources, locks) = (&self.params.sources, &self.params.locks);
        self.renamed =
            !sources.iter().map(|source| &source.name).eq(old.sources.iter().map(|source| &source.name))
                || !locks.iter().map(|lock| &lock.name).eq(old.locks.iter().map(|lock| &lock.name));
        // Where each source was before; none if it is new.
        let was = sources.iter().map(|source| old.sources.iter().position(|before| before.is_same(source)));
        let was: Vec<Option<usize>> = was.collect();
        let moved = |index: usize| was.iter().position(|&at| at == Some(index));
        let removed =
            |(index, monitor): (usize, &SourceMonitor)| monitor.is_unreleased && moved(index).is_none();
        let is_lost = self.sources.iter().enumerate().any(removed);
        let (foremost, driving) = (foremost.and_then(moved), self.driving.and_then(moved));
        self.last_invalid = self.last_invalid.and_then(|(index, invalid)| Some((moved(index)?, invalid)));
        let now = self.clock.now();
        let monitor = |(source, at): (&crate::Source, &Option<usize>)| {
            let kept = at.and_then(|at| self.sources.get(at).copied());
            kept.unwrap_or_else(|| SourceMonitor::new(now, source.kind))
        };
        let publishers = |at: &Option<usize>| {
            at.and_then(|at| self.active.publishers.get(at).copied()).unwrap_or_default()
        };
        let lock = |lock: &crate::Lock| {
            let index = old.locks.iter().position(|before| before.is_same(lock));
            index.and_then(|at| self.locks.get(at).copied()).unwrap_or_default()
        };
        self.sources = sources.iter().zip(&was).map(monitor).collect();
        self.active.publishers = was.iter().map(publishers).collect();
        self.locks = locks.iter().map(lock).collect();
        if self.active.source == self.driving && driving.is_some() {
            self.active.source = driving; // the same source under another index: its time does not restart
        }
        let drove = core::mem::replace(&mut self.driving, driving).is_some();
        if drove && driving.is_none() {
            self.end_turn();
        }
        self.expire();
        let now_foremost = self.foremost();
        if is_lost || now_foremost.is_some() && now_foremost != foremost {
            self.sources.iter_mut().for_each(SourceMonitor::lose_another);
        }
        for (index, source) in self.params.sources.iter().enumerate() {
            let before = was.get(index).and_then(|&at| old.sources.get(at?));
            // The lock was not opened for a source that is raised above it.
            if before.is_some_and(|before| self.is_a_lock_closed_between(before.priority, source.priority))
                && let Some(monitor) = self.sources.get_mut(index)
                && monitor.asks_for_motion()
            {
                monitor.lose_another();
            }
        }
        self.update(); // a source that may no longer drive sends no sample of its ramp
        if let Some(command) = self.ramp.configure(now, &self.params) {
            self.push(command);
        }
    }

    /// Lets time pass: `now` never goes back, and a late call means that the machine was held.
    fn pass_to(&mut self, now: Instant) {
        if !core::mem::replace(&mut self.is_started, true) {
            self.clock.pass_to(now, None);
            let now = self.clock.now();
            let sources = self.sources.iter_mut().zip(&self.params.sources);
            sources.for_each(|(monitor, source)| *monitor = SourceMonitor::new(now, source.kind));
        } else if now > self.clock.now() {
            self.clock.pass_to(now, self.deadline());
        }
    }

    /// Updates the driving source for the time, messages and locks. One that may no longer drive is replaced by a zero, not by
    /// an old command of the next one.
    fn update(&mut self) {
        let now = self.clock.now();
        self.expire();
        let winner = self.judge();
        if self.driving.is_some() && (self.stopping || winner != self.driving) {
            self.end_turn();
        }
        // Before the first publication the time without a driving source begins now, not at the origin of time.
        if self.active.source != self.driving || self.announced.is_none() && self.driving.is_none() {
            self.active.source = self.driving;
            self.active.since = now;
            self.active.stamp = self.clock.measured(now);
        }
        self.rank(winner);
        self.updated = Some(now);
    }

    /// Ends commands and locks that are too old. A source that is lost before its release requires a zero of every source if it drove,
    /// and otherwise of those below it that ask for motion: they must not drive when a lock opens or a higher source ends.
    fn expire(&mut self) {
        let now = self.clock.now();
        for (source, monitor) in self.params.sources.iter().zip(&mut self.sources) {
            monitor.expire(now, source.timeout);
        }
        for (lock, monitor) in self.params.locks.iter().zip(&mut self.locks) {
            monitor.expire(now, lock.timeout);
        }
        self.update_locks();
        let mut below = 0;
        for (index, (source, monitor)) in self.params.sources.iter().zip(&mut self.sources).enumerate() {
            if monitor.take_loss(now, source.timeout) {
                let drove = self.driving == Some(index);
                below = below.max(if drove { u16::MAX } else { source.priority.into() });
            }
        }
        let others = self.params.sources.iter().zip(&mut self.sources);
        others
            .filter(|(source, monitor)| {
                below == u16::MAX || u16::from(source.priority) < below && monitor.asks_for_motion()
            })
            .for_each(|(_, monitor)| monitor.lose_another());
    }

    /// Whether a closed lock masks a source of the priority `low`, and none of the priority `high`.
    fn is_a_lock_closed_between(&self, low: u8, high: u8) -> bool {
        let mut locks = self.params.locks.iter().zip(&self.active.locks);
        locks.any(|(lock, state)| state.is_closed() && low < lock.priority && lock.priority <= high)
    }

    /// Whether a lock masks `source` because it is silent or in conflict.
    pub(crate) fn is_lock_lost_above(&self, source: usize) -> bool {
        let priority = self.params.sources.get(source).map_or(0, |source| source.priority);
        let mut locks = self.params.locks.iter().zip(&self.active.locks);
        locks.any(|(lock, state)| lock.priority > priority && state.is_lost())
    }

    fn has_changed(&self) -> bool {
        self.renamed || self.announced.as_ref() != Some(&self.active)
    }

    /// Ends the turn of the driving source.
    fn end_turn(&mut self) {
        self.driving = None;
        self.counters.lost += 1;
        self.stop();
    }

    /// Repeats the zero: that of the driving source once its ramp is complete, or the arbiter's own.
    fn repeat_zero(&mut self) {
        let Some(driver) = self.driving else { return self.stop() };
        self.next_zero = Some(self.clock.now() + HEARTBEAT);
        if self.ramp.deadline().is_none()
            && let Some(monitor) = self.sources.get(driver)
        {
            self.push(monitor.zero());
        }
    }

    fn stop(&mut self) {
        let now = self.clock.now();
        self.ramp.stop(now);
        self.next_zero = (!self.stopping).then(|| now + HEARTBEAT);
        self.push(self.own_zero());
    }

    /// The arbiter's own zero. It withholds motion if any source asks for it.
    fn own_zero(&self) -> Command {
        let withheld = self.sources.iter().any(SourceMonitor::asks_for_motion);
        Command { withheld, ..Command::STOP }
    }

    fn push(&mut self, command: Command) {
        if self.queue.len() >= QUEUE {
            self.queue.pop_front();
            self.counters.dropped += 1;
        }
        self.sent = command;
        self.queue.push_back(command);
    }
}

impl Machine for Arbiter {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        if let Input::ClockRead(reading) = input {
            return self.clock.read(now, reading); // it does not affect earlier messages
        }
        if self.updated != Some(self.clock.now()) {
            self.update(); // time first: a source that is lost by now does not drive by this message
        }
        match input {
            Input::CommandReceived { source, command } => self.receive(source, command, false),
            Input::StateReceived { source, state } => {
                self.receive(source, state.command(), state.is_held());
            }
            Input::LockReceived { lock, closed } => {
                match (self.locks.get_mut(lock), self.params.locks.get(lock)) {
                    (Some(monitor), Some(lock)) => monitor.receive(&self.clock, closed, lock.timeout),
                    _ => self.counters.unknown += 1,
                }
            }
            Input::SourcePublishersCounted { source, publishers } => {
                match (self.active.publishers.get_mut(source), self.sources.get_mut(source)) {
                    (Some(known), Some(monitor)) => {
                        // Earlier messages of either publisher do not count, not even a zero.
                        if known.update(publishers) {
                            monitor.require_zero(ZeroCause::Conflict);
                        }
                    }
                    _ => self.counters.unknown += 1,
                }
            }
            Input::LockPublishersCounted { lock, publishers } => match self.locks.get_mut(lock) {
                Some(monitor) => monitor.count(publishers),
                None => self.counters.unknown += 1,
            },
            Input::ParametersChanged(params) => self.adopt(params),
            Input::ActivityChanged(is_active) => {
                self.is_active = is_active;
                let now = self.clock.now();
                let sources = self.sources.iter_mut().zip(&self.params.sources);
                sources.for_each(|(monitor, source)| monitor.begin_again(now, source.kind));
            }
            Input::Stopping if !self.stopping => {
                self.stopping = true;
                self.driving = None;
                self.stop();
            }
            Input::Stopping | Input::ClockRead(_) => {}
        }
        self.update();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        let now = self.clock.now();
        if self.updated != Some(now) {
            self.update();
        }
        if self.next_zero.is_some_and(|at| at <= now) {
            self.repeat_zero();
        }
        if let Some(command) = self.ramp.due(now) {
            self.push(command);
        }
        if let Some(command) = self.queue.pop_front() {
            return Some(Output::Drive(command));
        }
        if self.has_changed() {
            self.renamed = false;
            self.announced = Some(self.active.clone());
            return Some(Output::PublishActive(self.active.clone()));
        }
        None
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn asks_for_motion(input: &Input) -> bool {
        let command = match input {
            Input::CommandReceived { command, .. } => *command,
            Input::StateReceived { state, .. } => state.command(),
            _ => return false,
        };
        command.is_ok_and(|command| !command.velocity.is_neutral())
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        let now = self.clock.now();
        if !self.queue.is_empty() || self.has_changed() {
            return Some(now);
        }
        if self.stopping {
            return None;
        }
        let mut first = earliest(self.next_zero, self.ramp.deadline());
        for (source, monitor) in self.params.sources.iter().zip(&self.sources) {
            let pause = monitor.is_in_force().then(|| now + WATCHDOG_INTERVAL);
            first = earliest(first, earliest(pause, monitor.expiry(now, source.timeout)));
        }
        for (lock, monitor) in self.params.locks.iter().zip(&self.locks) {
            first = earliest(first, monitor.expiry(now, lock.timeout));
        }
        first
    }
}
