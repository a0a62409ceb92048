//! The reference model: which source drives and why the others do not, counted in ticks of 10 ms.
//!
//! It has no instants and no stamps: everything is an age that grows by one with each tick. It shares only the types of the
//! result with the machine.
#![allow(clippy::unwrap_used)] // helpers of tests

mod memory;

use arbiter::{LockState, Verdict, ZeroCause};
use safety::PublisherCount;

pub use self::memory::{Asks, Memory, Setting};
use self::memory::{Bar, Fault};

/// The wall clock at the beginning, in ticks; not near zero, which means no stamp.
const EPOCH: i64 = 100_000;
/// The interval of the zeros while no source drives.
const HEARTBEAT: i64 = 10;
/// How far ahead a stamp may lie.
const SKEW: i64 = 10;
/// A lock opens after this many ticks of only open.
const OPENING: i64 = 25;
/// A source that publishes within this many ticks of being added was publishing before.
const EARLY: i64 = 500;
/// For this many ticks after the machine was held, messages may have been queued.
const WET: i64 = 5;

/// See [`Model::before`].
pub struct Before {
    first: Option<usize>,
    ranks: Vec<(u8, i64)>,
}

#[derive(Debug)]
pub struct Model {
    pub setting: Setting,
    pub present: Vec<bool>,
    pub sources: Vec<Memory>,
    pub locks: Vec<Bar>,
    pub wall: i64,
    pub driving: Option<usize>,
    pub quiet: Option<i64>,
    /// How long ago the last hold began, and for how many ticks messages may still have been queued.
    pub held: (i64, i64),
    /// How long ago the last hold began.
    hold_began: i64,
    /// The newest stamp of a command that drove.
    pub last: i64,
    /// Source and stamp of the outputs, and whether they withhold motion; a source of `None` is a zero.
    pub out: Vec<(Option<usize>, i64, bool)>,
}

impl Model {
    pub fn new(setting: Setting) -> Self {
        let (sources, locks) = (setting.sources.len(), setting.locks.len());
        Self {
            present: vec![true; sources],
            sources: setting.sticks.iter().map(|&stick| Memory::new(stick)).collect(),
            setting,
            locks: vec![Bar::default(); locks],
            wall: EPOCH,
            driving: None,
            quiet: Some(0),
            held: (0, 0),
            hold_began: 0,
            last: 0,
            out: vec![(None, 0, false)],
        }
    }

    /// Why a source may not drive, without regard to locks and other sources.
    fn flaw(&self, source: usize) -> Option<Verdict> {
        let (memory, timeout) = (&self.sources[source], self.setting.sources[source].1);
        if memory.publishers > 1 {
            return Some(Verdict::Conflict);
        }
        let owes = Verdict::WaitsForZero(memory.owes.unwrap_or_default());
        match memory.fault {
            Some((Fault::TooOld, age)) if age < timeout => return Some(Verdict::TooOld),
            Some((Fault::Future, age)) if age < timeout => return Some(Verdict::FromFuture),
            Some((Fault::Nonsense, age)) if age < timeout => return Some(Verdict::Invalid),
            Some((Fault::Unasked, age)) if age < timeout => return Some(owes),
            _ => {}
        }
        if !memory.received {
            return Some(Verdict::NeverReceived);
        }
        if memory.obeyed.is_none() && memory.turn <= 0 {
            return Some(Verdict::TimedOut);
        }
        memory.owes.map(|_| owes)
    }

    fn lock_is_silent(&self, lock: usize) -> bool {
        self.locks[lock].last.is_none_or(|(_, age)| age >= self.setting.locks[lock].1)
    }

    pub fn lock_state(&self, lock: usize) -> LockState {
        let bar = self.locks[lock];
        if bar.publishers > 1 {
            return LockState::Conflict(PublisherCount::of(bar.publishers));
        }
        match bar.last {
            Some((closed, age)) if age < self.setting.locks[lock].1 => {
                if closed || bar.opens_in > 0 {
                    LockState::Closed
                } else {
                    LockState::Open
                }
            }
            _ => LockState::Silent,
        }
    }

    /// The closed locks above a source.
    fn closed_above(&self, source: usize) -> Vec<usize> {
        let above = |&lock: &usize| self.setting.locks[lock].0 > self.setting.sources[source].0;
        (0..self.locks.len()).filter(above).filter(|&lock| self.lock_state(lock) != LockState::Open).collect()
    }

    fn has_lost_lock_above(&self, source: usize) -> bool {
        self.closed_above(source).into_iter().any(|lock| self.lock_state(lock) != LockState::Closed)
    }

    fn best(&self) -> Option<usize> {
        let mut able: Vec<usize> = (0..self.sources.len())
            .filter(|&s| self.present[s] && self.flaw(s).is_none() && self.closed_above(s).is_empty())
            .collect();
        able.sort_by_key(|&source| self.setting.sources[source].0);
        able.pop()
    }

    pub fn halt(&mut self) {
        self.driving = None;
        self.quiet = Some(0);
        self.withhold();
    }

    /// The arbiter's own zero.
    fn withhold(&mut self) {
        let wanted = (0..self.sources.len()).any(|s| self.present[s] && self.sources[s].wants.is_some());
        self.out.push((None, 0, wanted));
    }

    /// Counts the publishers of the source.
    pub fn count(&mut self, source: usize, publishers: usize) {
        if self.sources[source].publishers > 1 || publishers > 1 {
            self.owe(source, ZeroCause::Conflict);
        }
        self.sources[source].publishers = publishers;
    }

    fn owe(&mut self, source: usize, why: ZeroCause) {
        let owes = &mut self.sources[source].owes;
        *owes = owes.or(Some(why));
    }

    /// Every source that is there has to begin again.
    fn begin_again(&mut self, which: impl Fn(usize) -> bool) {
        for source in (0..self.sources.len()).filter(|&source| which(source)) {
            if self.present[source] {
                self.owe(source, ZeroCause::OtherLost);
                self.sources[source].engaged = false;
            }
        }
    }

    /// Discards what is too old, and notices who was lost by that.
    fn discard(&mut self) {
        for source in 0..self.sources.len() {
            let timeout = self.setting.sources[source].1;
            let wants = &mut self.sources[source].wants;
            let wanted = wants.is_some();
            if wants.is_some_and(|age| age >= timeout) {
                *wants = None;
                self.owe(source, ZeroCause::Lost);
            }
            if let Some((motion, age)) = self.sources[source].obeyed
                && age >= timeout
            {
                self.sources[source].obeyed = None;
                if motion || self.setting.sticks[source] {
                    self.owe(source, if motion || wanted { ZeroCause::Lost } else { ZeroCause::Begins });
                }
            }
        }
        for source in 0..self.sources.len() {
            if self.present[source]
                && self.sources[source].wants.is_some()
                && self.has_lost_lock_above(source)
            {
                self.owe(source, ZeroCause::OtherLost);
            }
        }
        let lost: Vec<usize> = (0..self.sources.len())
            .filter(|&source| {
                self.present[source] && self.sources[source].engaged && self.flaw(source).is_some()
            })
            .collect();
        for &source in &lost {
            self.sources[source].engaged = false;
        }
        // A stream behind a lost one must not start when the way is free; one above it has nothing to do with it, unless it drove.
        let ranks = self.setting.sources.clone();
        let wants: Vec<bool> = self.sources.iter().map(|memory| memory.wants.is_some()).collect();
        let drove = self.driving.is_some_and(|driver| lost.contains(&driver));
        self.begin_again(|source| {
            drove || wants[source] && lost.iter().any(|&other| ranks[source].0 < ranks[other].0)
        });
    }

    /// Discards what is too old, and ends the turn of a source that may no longer drive.
    pub fn update(&mut self) {
        self.discard();
        if self.driving.is_some() && self.best() != self.driving {
            self.halt();
        }
    }

    /// Source with the highest priority of those able to drive, as if there were no locks.
    fn first(&self) -> Option<usize> {
        let able = (0..self.sources.len()).filter(|&s| self.present[s] && self.flaw(s).is_none());
        able.max_by_key(|&source| self.setting.sources[source].0)
    }

    /// State of the list of sources before it changes: the first source, and the ranks.
    pub fn before(&mut self) -> Before {
        self.update();
        Before { first: self.first(), ranks: self.setting.sources.clone() }
    }

    /// The list of sources changed: one left it, or their ranks are others.
    pub fn change(&mut self, before: &Before, removed: Option<usize>) {
        let was_engaged = removed.is_some_and(|source| std::mem::take(&mut self.sources[source].engaged));
        if self.driving.is_some() && self.driving == removed {
            self.halt();
        }
        self.discard();
        let first = self.first();
        if was_engaged || first.is_some() && first != before.first {
            self.begin_again(|_| true);
        }
        let passes = |source: usize, lock: usize| {
            let (rank, bar) = (self.setting.sources[source].0, self.setting.locks[lock].0);
            before.ranks[source].0 < bar && bar <= rank && self.lock_state(lock) != LockState::Open
        };
        let freed: Vec<bool> = (0..self.sources.len())
            .map(|s| self.sources[s].wants.is_some() && (0..self.locks.len()).any(|l| passes(s, l)))
            .collect();
        self.begin_again(|source| freed[source]);
        self.update();
    }

    fn age(&mut self, ticks: i64) {
        self.wall += ticks;
        for memory in &mut self.sources {
            memory.ticks_in_list += ticks;
            memory.turn -= ticks;
            memory.newest_age += ticks;
            memory.obeyed.iter_mut().for_each(|(_, age)| *age += ticks);
            memory.wants.iter_mut().for_each(|age| *age += ticks);
            memory.fault.iter_mut().for_each(|(_, age)| *age += ticks);
        }
        for bar in &mut self.locks {
            bar.last.iter_mut().for_each(|(_, age)| *age += ticks);
            bar.opens_in -= ticks;
        }
        self.quiet = self.quiet.map(|quiet| quiet + ticks);
        self.held = (self.held.0 + ticks, self.held.1 - ticks);
        self.hold_began += ticks;
        self.update();
        if self.quiet.is_some_and(|quiet| quiet >= HEARTBEAT) {
            self.quiet = Some(0);
            match self.driving {
                Some(driver) => self.out.push((None, 0, self.sources[driver].wants.is_some())),
                None => self.withhold(),
            }
        }
    }

    pub fn tick(&mut self) {
        self.age(1);
    }

    /// The machine is not called for this many ticks, which is beyond its deadline.
    pub fn hold(&mut self, ticks: i64) {
        // Messages queued in a hold just before may still be queued.
        let unread = self.held.1 > 0;
        self.age(ticks);
        self.held = (if unread { self.hold_began } else { ticks }, WET);
        self.hold_began = ticks;
    }

    fn waited(&self) -> i64 {
        if self.held.1 > 0 { self.held.0 } else { 0 }
    }

    /// The age of a message with this stamp, or its fault.
    fn judge(&mut self, source: usize, sent: i64) -> Result<i64, Option<Fault>> {
        let (waited, wall, timeout) = (self.waited(), self.wall, self.setting.sources[source].1);
        let memory = &mut self.sources[source];
        if sent == 0 {
            return if waited < timeout { Ok(waited) } else { Err(Some(Fault::TooOld)) };
        }
        if sent == memory.newest {
            return if memory.newest_age < timeout { Ok(memory.newest_age) } else { Err(None) };
        }
        if sent == memory.future || sent > wall + SKEW {
            memory.future = sent;
            return Err(Some(Fault::Future));
        }
        let reached = memory.newest <= wall + SKEW; // after the clock was set back, a stamp ahead of it makes no message late
        if sent < memory.newest && memory.newest_age < timeout && reached {
            return Err(None);
        }
        let age = waited.max(wall - sent).max(0);
        if age >= timeout {
            return Err(Some(Fault::TooOld));
        }
        (memory.newest, memory.newest_age, memory.future) = (sent, age, 0);
        Ok(age)
    }

    fn spoil(&mut self, source: usize, fault: Fault) {
        self.owe(source, ZeroCause::Lost);
        let memory = &mut self.sources[source];
        (memory.obeyed, memory.turn, memory.fault) = (None, 0, Some((fault, 0)));
    }

    /// Nothing of the source is in force any more, without a loss.
    fn silence(&mut self, source: usize) {
        if self.setting.sticks[source] {
            self.owe(source, ZeroCause::Begins);
        }
    }

    pub fn receive(&mut self, source: usize, sent: i64, asks: Asks) {
        if !self.sources[source].received && self.sources[source].ticks_in_list < EARLY {
            self.owe(source, ZeroCause::Begins);
        }
        self.sources[source].received = true;
        self.sources[source].sent = sent;
        if asks == Asks::Nonsense {
            return self.spoil(source, Fault::Nonsense);
        }
        let before = self.sources[source].obeyed;
        let timeout = self.setting.sources[source].1;
        // An overtaken message does not count; a repetition does.
        let repeats = sent != 0 && sent == self.sources[source].newest;
        let judged = self.judge(source, sent);
        match judged {
            Err(None) if !repeats => {}
            _ if asks.is_motion() => self.sources[source].wants = Some(0),
            Ok(_) => self.sources[source].wants = None,
            Err(_) => {}
        }
        match judged {
            Err(None) if asks == Asks::Go => {}
            Err(None) => {
                // A stop of the driving source is never too late.
                self.silence(source);
                let memory = &mut self.sources[source];
                if let Some((_, age)) = memory.obeyed.take() {
                    memory.turn = timeout - age;
                }
                if self.driving == Some(source) {
                    self.quiet = Some(0);
                    self.out.push((None, 0, self.sources[source].wants.is_some()));
                }
            }
            Err(Some(fault)) => {
                if asks.is_motion() || before.is_some_and(|(motion, _)| motion) {
                    self.spoil(source, fault);
                } else {
                    self.silence(source);
                    let memory = &mut self.sources[source];
                    (memory.obeyed, memory.fault) = (None, Some((fault, 0)));
                }
            }
            Ok(_) if asks.is_motion() && self.sources[source].owes.is_some() => {
                self.sources[source].fault = Some((Fault::Unasked, 0));
            }
            Ok(age) => {
                let memory = &mut self.sources[source];
                (memory.obeyed, memory.owes) = (Some((asks.is_motion(), age)), None);
                (memory.fault, memory.turn) = (None, 0);
                memory.engaged = asks != Asks::Stop && memory.publishers <= 1;
                if self.best() == Some(source) {
                    self.driving = Some(source);
                    self.quiet = (!asks.is_motion()).then_some(0);
                    if self.last > self.wall + SKEW {
                        self.last = 0;
                    }
                    let stamp = if sent < self.last { 0 } else { sent };
                    self.last = self.last.max(sent);
                    self.out.push(((asks == Asks::Go).then_some(source), stamp, asks == Asks::Pass));
                } else if asks.is_motion() && self.has_lost_lock_above(source) {
                    self.owe(source, ZeroCause::OtherLost);
                }
            }
        }
    }

    /// Messages of several publishers do not count.
    pub fn count_lock(&mut self, lock: usize, publishers: usize) {
        let bar = &mut self.locks[lock];
        if bar.publishers > 1 || publishers > 1 {
            bar.last = None;
        }
        bar.publishers = publishers;
    }

    pub fn lock(&mut self, lock: usize, closed: bool) {
        let waited = self.waited();
        if closed || self.lock_is_silent(lock) {
            self.locks[lock].opens_in = OPENING;
        }
        if waited < self.setting.locks[lock].1 {
            self.locks[lock].last = Some((closed, waited));
        } else if closed {
            self.locks[lock].last = Some((true, 0));
        }
    }

    /// The machine's verdict, with indices among the sources that are present.
    pub fn verdict(&self, source: usize) -> Verdict {
        let best = self.best();
        match self.flaw(source) {
            Some(flaw) if !matches!(flaw, Verdict::WaitsForZero(_)) => return flaw,
            _ => {}
        }
        let shut = self.closed_above(source);
        if let Some(highest) = shut.iter().map(|&lock| self.setting.locks[lock].0).max() {
            return Verdict::Locked {
                by: shut.into_iter().find(|&lock| self.setting.locks[lock].0 == highest).unwrap(),
            };
        }
        match self.flaw(source) {
            Some(flaw) => flaw,
            None if self.driving == Some(source) => Verdict::Drives,
            None if best == Some(source) => Verdict::Waits,
            None => Verdict::Outranked { by: self.index(best.unwrap()) },
        }
    }

    pub fn index(&self, source: usize) -> usize {
        (0..source).filter(|&other| self.present[other]).count()
    }
}
