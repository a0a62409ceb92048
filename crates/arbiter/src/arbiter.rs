use std::collections::VecDeque;

use units::{Command, Instant, Machine, Stamp, Velocity, earliest};

use crate::heard::{Bolt, Health, Heard};
use crate::{Active, Counters, Invalid, Params, Verdict};

/// All that can happen to the node.
#[derive(Clone, Debug)]
pub enum Input {
    /// A message of a source came.
    CommandReceived {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// What it asks for, or why it asks for nothing.
        velocity: Result<Velocity, Invalid>,
        /// Its stamp; [`Stamp::ZERO`] if it has none.
        stamp: Stamp,
    },
    /// A message of a lock came.
    LockReceived {
        /// Index of the lock in [`Params::locks`].
        lock: usize,
        /// Whether it is closed.
        closed: bool,
    },
    /// The parameters in force are these from now on.
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

/// All that the node can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Publish this command.
    Drive(Command),
    /// Publish who drives and why the others do not.
    PublishActive(Active),
}

/// Lets one of several velocity sources drive.
///
/// * A source drives while it is fresh, valid, not locked and of the highest priority among those. Its command goes
///   out from the call that brought it, stamp unchanged.
/// * A message of a higher source takes over at once. When the driving source is lost (silent, invalid, locked) a zero
///   goes out at once, and the next source drives from its *next* message on: what it said before was said while
///   somebody else drove.
/// * While nobody drives a zero goes out every heartbeat. Its stamp is that of the last command that went out, zero
///   before the first.
/// # Real-time
/// Commands and zeros allocate nothing; a new [`Active`] does, after the command is out. Time grows with sources times
/// locks.
/// # Source
/// twist_mux 4.4.0 for priorities, timeouts and locks; own where that falls silent: a zero with the reason instead.
#[derive(Clone, Debug)]
pub struct Arbiter {
    params: Params,
    now: Instant,
    heard: Vec<Heard>,
    bolts: Vec<Bolt>,
    driving: Option<usize>,
    /// The stamp of the last command that went out.
    last_stamp: Stamp,
    /// When the next zero is due; `None` while somebody drives.
    next_zero: Option<Instant>,
    stopping: bool,
    queue: VecDeque<Command>,
    active: Active,
    announced: Option<Active>,
    last_invalid: Option<(usize, Invalid)>,
    counters: Counters,
}

/// More than one drain ever leaves; beyond it the oldest output goes, since the newest is the one that counts.
const QUEUE: usize = 64;

impl Arbiter {
    /// An arbiter that has heard of nobody: its first output is a zero.
    pub fn new(params: Params) -> Self {
        let mut arbiter = Self {
            now: Instant::ZERO,
            heard: Vec::new(),
            bolts: Vec::new(),
            driving: None,
            last_stamp: Stamp::ZERO,
            next_zero: Some(Instant::ZERO),
            stopping: false,
            queue: VecDeque::with_capacity(QUEUE),
            active: Active::default(),
            announced: None,
            last_invalid: None,
            counters: Counters::default(),
            params,
        };
        arbiter.forget();
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

    /// Who drives and why the others do not, as of the last call.
    pub fn active(&self) -> &Active {
        &self.active
    }

    /// What has come and gone since the start.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The last message that was not a command: index of its source, and why.
    pub fn last_invalid(&self) -> Option<(usize, Invalid)> {
        self.last_invalid
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    pub(crate) fn bolts(&self) -> &[Bolt] {
        &self.bolts
    }

    fn receive(&mut self, source: usize, velocity: Result<Velocity, Invalid>, stamp: Stamp) {
        let (Some(spec), Some(heard)) = (self.params.sources.get(source), self.heard.get_mut(source)) else {
            self.counters.unknown += 1;
            return;
        };
        self.counters.commands += 1;
        if !heard.receive(self.now, spec.timeout, stamp, velocity.is_ok()) {
            self.counters.late += 1;
            return;
        }
        match velocity {
            Ok(velocity) if !self.stopping && self.winner() == Some(source) => {
                if self.driving.is_some_and(|other| other != source) {
                    self.counters.taken_over += 1;
                }
                self.driving = Some(source);
                self.next_zero = None;
                self.last_stamp = stamp;
                self.counters.driven += 1;
                self.push(Command { velocity, stamp });
            }
            Ok(_) => match self.verdict(source, self.winner()) {
                Verdict::TimedOut => self.counters.repeated += 1,
                Verdict::Locked { .. } => self.counters.locked += 1,
                Verdict::Outranked { .. } => self.counters.outranked += 1,
                _ => {}
            },
            Err(invalid) => {
                self.counters.invalid += 1;
                self.last_invalid = Some((source, invalid));
            }
        }
    }

    fn adopt(&mut self, params: Params) {
        let same = |a: &Params, b: &Params| {
            a.sources.iter().map(|s| &s.name).eq(b.sources.iter().map(|s| &s.name))
                && a.locks.iter().map(|l| &l.name).eq(b.locks.iter().map(|l| &l.name))
        };
        let known = same(&self.params, &params);
        self.params = params;
        if !known {
            self.forget();
        }
        let next = self.now + self.params.heartbeat;
        self.next_zero = self.next_zero.map(|at| at.min(next));
    }

    /// Starts over with nobody heard.
    fn forget(&mut self) {
        self.heard = vec![Heard::default(); self.params.sources.len()];
        self.bolts = vec![Bolt::default(); self.params.locks.len()];
        self.last_invalid = None;
        self.settle();
    }

    /// Brings who drives in line with time, messages and locks; a driving source that may not any more is replaced by
    /// a zero, not by the next one's old command.
    fn settle(&mut self) {
        let winner = self.winner();
        if self.driving.is_some() && (self.stopping || self.driving != winner) {
            self.driving = None;
            self.counters.lost += 1;
            self.stop();
        }
        self.active.source = self.driving;
        self.active.verdicts.clear();
        for source in 0..self.params.sources.len() {
            let verdict = self.verdict(source, winner);
            self.active.verdicts.push(verdict);
        }
    }

    /// The source whose next message drives, or that drives.
    fn winner(&self) -> Option<usize> {
        let mut winner: Option<(u8, usize)> = None;
        for (index, source) in self.params.sources.iter().enumerate() {
            if self.hindrance(index).is_none() && winner.is_none_or(|(highest, _)| source.priority > highest)
            {
                winner = Some((source.priority, index));
            }
        }
        winner.map(|(_, index)| index)
    }

    fn verdict(&self, source: usize, winner: Option<usize>) -> Verdict {
        match (self.hindrance(source), winner) {
            _ if self.stopping => Verdict::Stopping,
            (Some(hindrance), _) => hindrance,
            (None, Some(by)) if by != source => Verdict::Outranked { by },
            (None, _) if self.driving == Some(source) => Verdict::Drives,
            (None, _) => Verdict::Waits,
        }
    }

    /// What keeps `source` from driving, other sources apart.
    fn hindrance(&self, source: usize) -> Option<Verdict> {
        let (spec, heard) = (self.params.sources.get(source)?, self.heard.get(source)?);
        match heard.health(self.now, spec.timeout) {
            Health::NeverHeard => Some(Verdict::NeverHeard),
            Health::TimedOut => Some(Verdict::TimedOut),
            Health::Invalid => Some(Verdict::Invalid),
            Health::Valid => self.lock_above(spec.priority).map(|by| Verdict::Locked { by }),
        }
    }

    /// The closed lock of the highest priority, if that is higher than `priority`.
    fn lock_above(&self, priority: u8) -> Option<usize> {
        let mut found: Option<(u8, usize)> = None;
        for (index, (lock, bolt)) in self.params.locks.iter().zip(&self.bolts).enumerate() {
            if bolt.is_closed(self.now, lock.timeout)
                && lock.priority > priority
                && found.is_none_or(|(highest, _)| lock.priority > highest)
            {
                found = Some((lock.priority, index));
            }
        }
        found.map(|(_, index)| index)
    }

    fn stop(&mut self) {
        self.next_zero = (!self.stopping).then(|| self.now + self.params.heartbeat);
        self.push(Command::stop(self.last_stamp));
    }

    fn push(&mut self, command: Command) {
        if self.queue.len() >= QUEUE {
            self.queue.pop_front();
            self.counters.dropped += 1;
        }
        self.queue.push_back(command);
    }
}

impl Machine for Arbiter {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        self.settle(); // time first: a source that is lost by now does not drive because its message came late
        match input {
            Input::CommandReceived { source, velocity, stamp } => self.receive(source, velocity, stamp),
            Input::LockReceived { lock, closed } => match self.bolts.get_mut(lock) {
                Some(bolt) => bolt.receive(self.now, closed),
                None => self.counters.unknown += 1,
            },
            Input::ParametersChanged(params) => self.adopt(params),
            Input::Stopping if !self.stopping => {
                self.stopping = true;
                self.driving = None;
                self.stop();
            }
            Input::Stopping => {}
        }
        self.settle();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.settle();
        if self.next_zero.is_some_and(|at| at <= self.now) {
            self.stop();
        }
        if let Some(command) = self.queue.pop_front() {
            return Some(Output::Drive(command));
        }
        if self.announced.as_ref() != Some(&self.active) {
            self.announced = Some(self.active.clone());
            return Some(Output::PublishActive(self.active.clone()));
        }
        None
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() || self.announced.as_ref() != Some(&self.active) {
            return Some(self.now);
        }
        if self.stopping {
            return None;
        }
        let sources = self.params.sources.iter().zip(&self.heard);
        let sources = sources.filter_map(|(source, heard)| heard.expiry(self.now, source.timeout)).min();
        let locks = self.params.locks.iter().zip(&self.bolts);
        let locks = locks.filter_map(|(lock, bolt)| bolt.expiry(self.now, lock.timeout)).min();
        earliest(self.next_zero, earliest(sources, locks))
    }
}
