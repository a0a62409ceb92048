use std::collections::VecDeque;

use units::{Clock, Command, Instant, Machine, Stamp, Velocity, earliest};

use crate::bolt::Bolt;
use crate::heard::Heard;
use crate::ramp::Ramp;
use crate::tally::Tally;
use crate::{Active, Counters, Input, Invalid, Output, Params, Refused, Verdict};

/// Lets one of several velocity sources drive.
///
/// * A source drives while it is fresh, valid, not locked and of the highest priority among those. Its command goes
///   out from the call that brought it, stamp unchanged.
/// * Fresh is what came within the timeout and whose stamp lies no further behind the wall clock than `max_age`, nor
///   further ahead than `skew`. A stamp makes a command older, never fresher. A driving source that sends one which is
///   too old or from the future is lost at once, as one that sends NaN; a late one (older than the last) is passed over.
///   A zero of the source that drives is never late: it stops, and keeps nothing alive.
/// * A message of a higher source takes over at once. When the driving source is lost (silent, too old, invalid,
///   locked) a zero goes out at once, and the next source drives from its *next* message on: what it said before was
///   said while somebody else drove.
/// * While nobody drives a zero goes out every heartbeat. The arbiter's own zeros have no stamp, for they go back to no
///   stick event: they are of now, and nobody further on takes one for late or old. The first command of another source whose stamps are older
///   goes on without one too.
/// * With any limit on, what goes out is on the way to the command, from the velocity that is driven now, also when
///   another source takes over; and it goes out again at the instants of a grid until it is there. All of that carries
///   the stamp of the command aimed at, so that nobody takes a step of the way for a newer wish. The zero of a loss
///   is no such way: it is zero at once. With all limits off commands pass bit for bit.
/// # Real-time
/// Commands and zeros allocate nothing; a new [`Active`] does, after the command is out. Time grows with sources times
/// locks.
/// # Source
/// twist_mux 4.4.0 for priorities, timeouts and locks; own where that falls silent: a zero with the reason instead.
#[derive(Clone, Debug)]
pub struct Arbiter {
    pub(crate) params: Params,
    pub(crate) now: Instant,
    clock: Clock,
    /// What is known of each source and lock, in the order of the parameters.
    pub(crate) seats: Vec<Seat>,
    pub(crate) bolts: Vec<Bolt>,
    pub(crate) driving: Option<usize>,
    ramp: Ramp,
    /// The stamp of the last command that a source drove with.
    last_stamp: Stamp,
    /// When the next zero is due; `None` while somebody drives.
    next_zero: Option<Instant>,
    pub(crate) stopping: bool,
    queue: VecDeque<Command>,
    pub(crate) active: Active,
    announced: Option<Active>,
    /// Whether indices mean others than when that was announced.
    renamed: bool,
    last_invalid: Option<(usize, Invalid)>,
    counters: Counters,
}

/// One source as it was heard.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seat {
    pub(crate) heard: Heard,
    pub(crate) tally: Tally,
}

/// More than one drain ever leaves; beyond it the oldest output goes, since the newest is the one that counts.
const QUEUE: usize = 64;

impl Arbiter {
    /// An arbiter that has heard of nobody: its first output is a zero.
    pub fn new(params: Params) -> Self {
        let mut arbiter = Self {
            now: Instant::ZERO,
            clock: Clock::default(),
            seats: vec![Seat::default(); params.sources.len()],
            bolts: vec![Bolt::default(); params.locks.len()],
            driving: None,
            ramp: Ramp::new(&params),
            last_stamp: Stamp::ZERO,
            next_zero: Some(Instant::ZERO),
            stopping: false,
            queue: VecDeque::with_capacity(QUEUE),
            active: Active::default(),
            announced: None,
            renamed: false,
            last_invalid: None,
            counters: Counters::default(),
            params,
        };
        arbiter.settle();
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

    /// What has come and gone since the start, also of sources that are gone.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The last message that was not a command: index of its source, and why.
    pub fn last_invalid(&self) -> Option<(usize, Invalid)> {
        self.last_invalid
    }

    fn receive(&mut self, source: usize, velocity: Result<Velocity, Invalid>, stamp: Stamp) {
        let (Some(spec), Some(seat)) = (self.params.sources.get(source), self.seats.get_mut(source)) else {
            self.counters.unknown += 1;
            return;
        };
        let emergency = spec.emergency;
        self.counters.commands += 1;
        seat.tally.receive(self.now);
        if !seat.heard.receive(self.now, self.clock.at(self.now), spec, stamp, velocity.is_ok()) {
            if self.driving == Some(source) && velocity == Ok(Velocity::ZERO) {
                let command = self.ramp.aim(self.now, Command::STOP, emergency);
                self.push(command);
            }
            return self.refuse(source, Refused::Late);
        }
        let velocity = match velocity {
            Ok(velocity) => velocity,
            Err(invalid) => {
                self.last_invalid = Some((source, invalid));
                return self.refuse(source, Refused::Invalid);
            }
        };
        let winner = self.judge();
        if !self.stopping && winner == Some(source) {
            self.counters.taken_over += u64::from(self.driving.is_some_and(|other| other != source));
            self.counters.driven += 1;
            self.driving = Some(source);
            self.next_zero = None;
            if let Some(seat) = self.seats.get_mut(source) {
                seat.tally.driven += 1;
            }
            let stamp = self.in_order(stamp);
            let command = self.ramp.aim(self.now, Command { velocity, stamp }, emergency);
            return self.push(command);
        }
        self.rank(winner);
        match self.active.verdicts.get(source) {
            Some(Verdict::TimedOut) => self.refuse(source, Refused::Repeated),
            Some(Verdict::TooOld) => self.refuse(source, Refused::TooOld),
            Some(Verdict::FromFuture) => self.refuse(source, Refused::FromFuture),
            Some(Verdict::Locked { .. }) => self.refuse(source, Refused::Locked),
            Some(Verdict::Outranked { .. }) => self.refuse(source, Refused::Outranked),
            _ => {}
        }
    }

    /// `stamp` as the stages further on take it after the last one, which may have been another source's: they pass over
    /// what is older than that, as if it had been late. So the first one that goes back goes on without a stamp.
    fn in_order(&mut self, stamp: Stamp) -> Stamp {
        let last = core::mem::replace(&mut self.last_stamp, stamp);
        if stamp < last { Stamp::ZERO } else { stamp }
    }

    fn refuse(&mut self, source: usize, reason: Refused) {
        self.counters.refused.count(reason);
        if let Some(seat) = self.seats.get_mut(source) {
            seat.tally.refused.count(reason);
        }
    }

    /// Takes other parameters; who is still there keeps what was heard of him, and drives on if he did.
    fn adopt(&mut self, params: Params) {
        let old = core::mem::replace(&mut self.params, params);
        let (sources, locks) = (&self.params.sources, &self.params.locks);
        self.renamed =
            !sources.iter().map(|source| &source.name).eq(old.sources.iter().map(|source| &source.name))
                || !locks.iter().map(|lock| &lock.name).eq(old.locks.iter().map(|lock| &lock.name));
        let moved = |index: usize| {
            let before = old.sources.get(index)?;
            sources.iter().position(|source| source.is_same(before))
        };
        let (driving, last_invalid) = (
            self.driving.and_then(moved),
            self.last_invalid.and_then(|(index, invalid)| Some((moved(index)?, invalid))),
        );
        let seat = |source: &crate::Source| {
            let index = old.sources.iter().position(|before| before.is_same(source))?;
            let mut seat = self.seats.get(index).copied()?;
            seat.heard.adopt(self.now, old.sources.get(index)?, source);
            Some(seat)
        };
        let bolt = |lock: &crate::Lock| {
            let index = old.locks.iter().position(|before| before.is_same(lock))?;
            self.bolts.get(index).copied()
        };
        let seats = sources.iter().map(|source| seat(source).unwrap_or_default()).collect();
        let bolts = locks.iter().map(|lock| bolt(lock).unwrap_or_default()).collect();
        (self.seats, self.bolts, self.last_invalid) = (seats, bolts, last_invalid);
        if self.active.source == self.driving && driving.is_some() {
            self.active.source = driving; // the same one under another index: it drives since it did
        }
        let drove = core::mem::replace(&mut self.driving, driving);
        if drove.is_some() && driving.is_none() {
            self.lose();
        }
        let next = self.now + self.params.heartbeat;
        self.next_zero = self.next_zero.map(|at| at.min(next));
        self.settle(); // whoever may not drive any more is not asked where he is on his way
        if let Some(command) = self.ramp.configure(self.now, &self.params) {
            self.push(command);
        }
    }

    /// Brings who drives in line with time, messages and locks; a driving source that may not any more is replaced by
    /// a zero, not by the next one's old command.
    fn settle(&mut self) {
        let winner = self.judge();
        if self.driving.is_some() && (self.stopping || self.driving != winner) {
            self.lose();
        }
        // Until somebody was told of it nobody drives since now: the origin of time means nothing.
        if self.active.source != self.driving || self.announced.is_none() && self.driving.is_none() {
            self.active.source = self.driving;
            self.active.since = self.now;
            self.active.stamp = self.clock.at(self.now);
        }
        self.rank(winner);
    }

    fn is_news(&self) -> bool {
        self.renamed || self.announced.as_ref() != Some(&self.active)
    }

    fn lose(&mut self) {
        self.driving = None;
        self.counters.lost += 1;
        self.stop();
    }

    fn stop(&mut self) {
        self.ramp.stop(self.now);
        self.next_zero = (!self.stopping).then(|| self.now + self.params.heartbeat);
        self.push(Command::STOP);
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
        if let Input::ClockRead(stamp) = input {
            return self.clock.read(self.now.max(now), stamp); // nothing that is known by now changes by it
        }
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
            Input::Stopping | Input::ClockRead(_) => {}
        }
        self.settle();
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        self.settle();
        if self.next_zero.is_some_and(|at| at <= self.now) {
            self.stop();
        }
        if let Some(command) = self.ramp.due(self.now) {
            self.push(command);
        }
        if let Some(command) = self.queue.pop_front() {
            return Some(Output::Drive(command));
        }
        if self.is_news() {
            self.renamed = false;
            self.announced = Some(self.active.clone());
            return Some(Output::PublishActive(self.active.clone()));
        }
        None
    }

    fn deadline(&self) -> Option<Instant> {
        if !self.queue.is_empty() || self.is_news() {
            return Some(self.now);
        }
        if self.stopping {
            return None;
        }
        let sources = self.params.sources.iter().zip(&self.seats);
        let sources = sources.filter_map(|(source, seat)| seat.heard.expiry(self.now, source)).min();
        let locks = self.params.locks.iter().zip(&self.bolts);
        let locks = locks.filter_map(|(lock, bolt)| bolt.expiry(self.now, lock.timeout)).min();
        earliest(earliest(self.next_zero, self.ramp.deadline()), earliest(sources, locks))
    }
}
