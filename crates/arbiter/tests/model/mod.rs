//! The reference model: who drives and why not, counted in ticks of 10 ms.
//!
//! It knows no instants and no stamps: everything is an age that grows by one with each tick. It shares nothing with the
//! machine but the words of the answer.
#![allow(clippy::unwrap_used)] // helpers of tests

use arbiter::Verdict;

/// The wall clock at the beginning, in ticks; far from zero, which is no stamp.
const EPOCH: i64 = 100_000;
/// How often a zero goes out while nobody drives.
pub const HEARTBEAT: i64 = 7;

/// Times in ticks; `max_age` 0 is off.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    pub priority: u8,
    pub timeout: i64,
    pub max_age: i64,
    pub skew: i64,
}

#[derive(Clone, Debug)]
pub struct Setting {
    pub sources: Vec<Rank>,
    /// Priority and timeout.
    pub locks: Vec<(u8, i64)>,
}

/// What a message asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Said {
    Go,
    Stop,
    Nonsense,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    TooOld,
    Future,
    Nonsense,
}

/// What the model remembers of a source that was heard.
#[derive(Clone, Copy, Debug)]
pub struct Ear {
    /// Ticks since the last message came, or since it first came if it was repeated.
    pub silence: i64,
    /// How old that message is by its stamp, if that may be asked.
    pub age: Option<i64>,
    pub fault: Option<Fault>,
    /// The greatest lead over the clock that this stamp was ever seen with.
    pub lead: i64,
    /// Its stamp, 0 without.
    pub said: i64,
    /// The newest stamp that counts for lateness, 0 for none.
    pub newest: i64,
    /// Ticks since that came.
    pub newest_since: i64,
}

#[derive(Debug)]
pub struct Model {
    pub setting: Setting,
    pub present: Vec<bool>,
    pub ears: Vec<Option<Ear>>,
    /// Closed, and ticks since it was heard.
    pub locks: Vec<Option<(bool, i64)>>,
    pub wall: i64,
    pub driving: Option<usize>,
    pub quiet: Option<i64>,
    /// The stamp of the last command that drove.
    pub last: i64,
    /// Source and stamp of what went out; a source of `None` is a zero.
    pub out: Vec<(Option<usize>, i64)>,
}

impl Model {
    pub fn new(setting: Setting) -> Self {
        let (sources, locks) = (setting.sources.len(), setting.locks.len());
        Self {
            setting,
            present: vec![true; sources],
            ears: vec![None; sources],
            locks: vec![None; locks],
            wall: EPOCH,
            driving: None,
            quiet: Some(0),
            last: 0,
            out: vec![(None, 0)],
        }
    }

    /// Why not, in the model's own words; `None` if nothing but others is in the way.
    pub fn obstacle(&self, source: usize) -> Option<&'static str> {
        let rank = self.setting.sources[source];
        let Some(ear) = self.ears[source] else { return Some("unheard") };
        if ear.silence >= rank.timeout {
            return Some("silent");
        }
        match ear.fault {
            Some(Fault::Nonsense) => return Some("nonsense"),
            Some(Fault::Future) => return Some("future"),
            Some(Fault::TooOld) => return Some("old"),
            None => {}
        }
        if rank.max_age > 0 && ear.age.is_some_and(|age| age >= rank.max_age) {
            return Some("silent");
        }
        self.bar(rank.priority).map(|_| "barred")
    }

    /// The lock in the way of a priority.
    pub fn bar(&self, priority: u8) -> Option<usize> {
        let shut = |&lock: &usize| {
            let (rank, timeout) = self.setting.locks[lock];
            rank > priority && !matches!(self.locks[lock], Some((false, age)) if age < timeout)
        };
        let highest = (0..self.locks.len()).filter(shut).map(|lock| self.setting.locks[lock].0).max()?;
        (0..self.locks.len()).find(|lock| shut(lock) && self.setting.locks[*lock].0 == highest)
    }

    pub fn best(&self) -> Option<usize> {
        let mut able: Vec<usize> =
            (0..self.ears.len()).filter(|&s| self.present[s] && self.obstacle(s).is_none()).collect();
        able.sort_by_key(|&source| self.setting.sources[source].priority);
        able.pop()
    }

    pub fn halt(&mut self) {
        self.driving = None;
        self.quiet = Some(0);
        self.out.push((None, 0));
    }

    pub fn look(&mut self) {
        if self.driving.is_some() && self.driving != self.best() {
            self.halt();
        }
    }

    pub fn tick(&mut self) {
        self.wall += 1;
        for ear in self.ears.iter_mut().flatten() {
            ear.silence += 1;
            ear.newest_since += 1;
            ear.age = ear.age.map(|age| age + 1);
        }
        self.locks.iter_mut().flatten().for_each(|(_, age)| *age += 1);
        self.quiet = self.quiet.map(|ticks| ticks + 1);
        self.look();
        if self.quiet == Some(HEARTBEAT) {
            self.quiet = Some(0);
            self.out.push((None, 0));
        }
    }

    pub fn hear(&mut self, source: usize, said: i64, what: Said) {
        let valid = what != Said::Nonsense;
        let rank = self.setting.sources[source];
        let before = self.ears[source];
        let remembered = before.is_some_and(|ear| ear.newest_since < rank.timeout);
        let newest = before.map_or(0, |ear| ear.newest);
        // What the clock, set back, has yet to reach makes nobody late.
        let unreached = rank.max_age > 0 && newest > self.wall + rank.skew;
        let outdated = said != 0 && said < newest && remembered && !unreached;
        if outdated && valid {
            // A stop is never too late, for who drives.
            if what == Said::Stop && self.driving == Some(source) {
                self.out.push((None, 0));
            }
            return;
        }
        let ages = said != 0 && rank.max_age > 0;
        let mut ear =
            Ear { silence: 0, age: None, fault: None, lead: 0, said, newest: said, newest_since: 0 };
        let mut age = (self.wall - said).max(0);
        ear.lead = (said - self.wall).max(0);
        if let Some(old) = before
            && said != 0
            && (said == old.said || said == newest)
        {
            ear.silence = old.silence;
            age = age.max(old.silence);
            if said == old.said {
                age = age.max(old.age.unwrap_or(0));
                ear.lead = ear.lead.max(old.lead);
            }
        }
        if ages {
            ear.age = Some(age);
            let when_first_heard = age - ear.silence;
            if when_first_heard >= rank.max_age {
                ear.fault = Some(Fault::TooOld);
            }
            if ear.lead > rank.skew {
                ear.fault = Some(Fault::Future);
            }
        }
        if let Some(old) = before
            && (ear.fault == Some(Fault::Future) || said == 0 || said == newest || outdated)
        {
            (ear.newest, ear.newest_since) = (newest, old.newest_since);
        }
        if before.is_none() && ear.fault == Some(Fault::Future) {
            ear.newest = 0;
        }
        if !valid {
            ear.fault = Some(Fault::Nonsense);
        }
        self.ears[source] = Some(ear);
        if valid && self.best() == Some(source) {
            self.driving = Some(source);
            self.quiet = None;
            let told = if said < self.last { 0 } else { said };
            self.last = said;
            self.out.push(((what == Said::Go).then_some(source), told));
        }
    }

    /// As the machine words it, with indices among those that are present.
    pub fn verdict(&self, source: usize) -> Verdict {
        let best = self.best();
        match self.obstacle(source) {
            Some("unheard") => Verdict::NeverHeard,
            Some("silent") => Verdict::TimedOut,
            Some("old") => Verdict::TooOld,
            Some("future") => Verdict::FromFuture,
            Some("nonsense") => Verdict::Invalid,
            Some(_) => Verdict::Locked { by: self.bar(self.setting.sources[source].priority).unwrap() },
            None if self.driving == Some(source) => Verdict::Drives,
            None if best == Some(source) => Verdict::Waits,
            None => Verdict::Outranked { by: self.index(best.unwrap()) },
        }
    }

    pub fn index(&self, source: usize) -> usize {
        (0..source).filter(|&other| self.present[other]).count()
    }
}
