use core::fmt::Write;

use safety::Level;

use crate::arbiter::Arbiter;
use crate::{Active, Refusals, Refused, Traffic, Verdict};

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages of known sources.
    pub commands: u64,
    /// Commands that were sent.
    pub driven: u64,
    /// Messages that moved nothing, by reason.
    pub refused: Refusals,
    /// Messages of a source or lock that does not exist: a fault of the caller.
    pub unknown: u64,
    /// How often another source took over from the one that drove.
    pub taken_over: u64,
    /// How often the driving source was lost, locked or invalid, and a zero was sent.
    pub lost: u64,
    /// Outputs that were dropped because they were not polled: a fault of the caller.
    pub dropped: u64,
}

impl Arbiter {
    /// The level and message for `/diagnostics`, as of the last call: every problem, the worst first.
    pub fn health(&self) -> (Level, String) {
        if self.stopping {
            return (Level::Warn, "stopping".into());
        }
        if !self.is_active {
            return (Level::Warn, "the node is not active, no source drives".into());
        }
        let Active { source, verdicts, publishers, locks, .. } = self.active();
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        for (spec, verdict) in self.params().sources.iter().zip(verdicts) {
            let text = || format!("{} {}", spec.name, verdict.explain(self.params()));
            match verdict {
                // While another source drives, this is only a warning.
                Verdict::Invalid | Verdict::FromFuture | Verdict::TooOld if source.is_none() => {
                    errors.push(text());
                }
                Verdict::Invalid | Verdict::FromFuture | Verdict::TooOld | Verdict::WaitsForZero(_) => {
                    warnings.push(text());
                }
                _ => {}
            }
        }
        for (lock, state) in self.params().locks.iter().zip(locks) {
            if state.is_lost() {
                warnings.push(format!("lock {} {state}", lock.name));
            }
        }
        for (spec, publishers) in self.params().sources.iter().zip(publishers) {
            if publishers.is_conflict() {
                warnings.push(format!("source {}: {publishers}", spec.name));
            }
        }
        let driver = match source.and_then(|index| self.params().sources.get(index)) {
            Some(source) => format!("{} drives", source.name),
            None => "no source drives".into(),
        };
        let level = match (errors.is_empty(), warnings.is_empty()) {
            (false, _) => Level::Error,
            (_, false) => Level::Warn,
            _ => Level::Ok,
        };
        errors.extend(warnings);
        errors.push(driver);
        let silent = self.params().sources.iter().zip(verdicts);
        let silent = silent.filter(|(_, verdict)| source.is_none() && **verdict == Verdict::TimedOut);
        errors.extend(
            silent.map(|(spec, verdict)| format!("{} {}", spec.name, verdict.explain(self.params()))),
        );
        (level, errors.join("; "))
    }

    /// Keys and values for `/diagnostics`.
    pub fn report(&self) -> Vec<(&'static str, String)> {
        let sources = &self.params().sources;
        let name = |index: usize| sources.get(index).map_or("?", |source| source.name.as_str());
        let verdicts = sources.iter().zip(&self.active().verdicts);
        let verdicts: Vec<String> =
            verdicts.map(|(source, v)| format!("{} {}", source.name, v.explain(self.params()))).collect();
        let locks = self.params().locks.iter().zip(&self.active().locks);
        let locks: Vec<String> = locks.map(|(lock, state)| format!("{} {state}", lock.name)).collect();
        let counters = self.counters();
        let mut report = vec![
            ("active", self.active().source.map_or("nobody", name).to_owned()),
            ("active for", format!("{:.1} s", self.active_for().as_secs_f64())),
            ("verdicts", verdicts.join("; ")),
            ("locks", locks.join("; ")),
        ];
        for (key, of) in [("rates", rate as fn(&Traffic) -> String), ("ages", age), ("refusals", refusals)] {
            let texts = sources
                .iter()
                .enumerate()
                .filter_map(|(index, source)| Some(format!("{} {}", source.name, of(&self.traffic(index)?))));
            report.push((key, texts.collect::<Vec<_>>().join("; ")));
        }
        if let Some((source, invalid)) = self.last_invalid() {
            report.push(("last invalid", format!("{}: {invalid}", name(source))));
        }
        report.extend([("commands", counters.commands), ("driven", counters.driven)].map(text));
        report.extend(Refused::ALL.map(|reason| text((reason.name(), counters.refused.of(reason)))));
        let others = [
            ("unknown", counters.unknown),
            ("taken over", counters.taken_over),
            ("lost", counters.lost),
            ("dropped", counters.dropped),
        ];
        report.extend(others.map(text));
        report
    }
}

fn text((key, count): (&'static str, u64)) -> (&'static str, String) {
    (key, count.to_string())
}

fn rate(traffic: &Traffic) -> String {
    format!("{} Hz", traffic.rate)
}

fn age(traffic: &Traffic) -> String {
    traffic.age.map_or("never received".into(), |age| format!("{:.3} s", age.as_secs_f64()))
}

/// The reasons for which any of its messages was refused.
fn refusals(traffic: &Traffic) -> String {
    let mut out = String::new();
    for reason in Refused::ALL {
        let count = traffic.refused.of(reason);
        if count > 0 {
            let comma = if out.is_empty() { "" } else { ", " };
            let _ = write!(out, "{comma}{count} {}", reason.name());
        }
    }
    if out.is_empty() { "none".into() } else { out }
}
