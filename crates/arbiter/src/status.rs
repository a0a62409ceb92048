use units::Level;

use units::Instant;

use crate::arbiter::Arbiter;
use crate::{Active, Verdict};

/// What has come and gone since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of known sources.
    pub commands: u64,
    /// Commands that went out.
    pub driven: u64,
    /// Messages that were not a command.
    pub invalid: u64,
    /// Commands refused because a newer one of the same source had come before.
    pub late: u64,
    /// Commands refused because their stamp had been repeated for longer than the timeout.
    pub repeated: u64,
    /// Commands refused because a lock was closed.
    pub locked: u64,
    /// Commands refused because a source of higher priority was there.
    pub outranked: u64,
    /// Messages of a source or lock that does not exist: a fault of the caller.
    pub unknown: u64,
    /// How often another source took over from the one that drove.
    pub taken_over: u64,
    /// How often the driving source was lost, locked or invalid, and a zero went out.
    pub lost: u64,
    /// Outputs that were thrown away because nobody took them: a fault of the caller.
    pub dropped: u64,
}

impl Arbiter {
    /// How well the node is and why, as of the last call.
    pub fn health(&self) -> (Level, String) {
        let names = |verdict: Verdict| {
            let with = self.params().sources.iter().zip(&self.active().verdicts);
            with.filter(|(_, v)| **v == verdict).map(|(s, _)| s.name.as_str()).collect::<Vec<_>>().join(", ")
        };
        let Active { source, verdicts } = self.active();
        if self.is_stopping() {
            return (Level::Warn, "stopping".into());
        }
        if verdicts.contains(&Verdict::Invalid) {
            // As long as another source drives, the vehicle still does what somebody wants.
            let level = if source.is_some() { Level::Warn } else { Level::Error };
            return (level, format!("{} sent an invalid message", names(Verdict::Invalid)));
        }
        let silent: Vec<&str> = self.silent_locks().collect();
        if !silent.is_empty() {
            return (Level::Warn, format!("silent lock counts as closed: {}", silent.join(", ")));
        }
        match source.and_then(|index| self.params().sources.get(index)) {
            Some(source) => (Level::Ok, format!("{} drives", source.name)),
            None => (Level::Stale, "nobody drives".into()),
        }
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let sources = &self.params().sources;
        let name = |index: usize| sources.get(index).map_or("?", |source| source.name.as_str());
        let verdicts = sources.iter().zip(&self.active().verdicts);
        let verdicts: Vec<String> =
            verdicts.map(|(source, v)| format!("{} {}", source.name, v.explain(self.params()))).collect();
        let counters = self.counters();
        let mut report = vec![
            ("active", self.active().source.map_or("nobody", name).to_owned()),
            ("verdicts", verdicts.join("; ")),
        ];
        if let Some((source, invalid)) = self.last_invalid() {
            report.push(("last invalid", format!("{}: {invalid}", name(source))));
        }
        let numbers = [
            ("commands", counters.commands),
            ("driven", counters.driven),
            ("invalid", counters.invalid),
            ("late", counters.late),
            ("repeated", counters.repeated),
            ("locked", counters.locked),
            ("outranked", counters.outranked),
            ("unknown", counters.unknown),
            ("taken over", counters.taken_over),
            ("lost", counters.lost),
            ("dropped", counters.dropped),
        ];
        report.extend(numbers.map(|(key, count)| (key, count.to_string())));
        report
    }

    fn silent_locks(&self) -> impl Iterator<Item = &str> {
        let now: Instant = self.now();
        let locks = self.params().locks.iter().zip(self.bolts());
        locks
            .filter(move |(lock, bolt)| bolt.is_silent(now, lock.timeout))
            .map(|(lock, _)| lock.name.as_str())
    }
}
