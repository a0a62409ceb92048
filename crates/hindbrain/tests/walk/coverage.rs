//! Coverage of a walk: causes, states, transitions, the longest recoveries; and whether the key is complete.

use std::collections::BTreeMap;

use hindbrain::{Cause, StopState};

use crate::act::Edge;
use crate::books::Ns;
use crate::liveness::Ways;
use crate::models::Model;
use crate::pair::Pair;
use crate::random::Random;
use crate::walker::{ByPrint, Print, Visitor};

/// The name of a state.
pub fn name(state: StopState) -> &'static str {
    match state {
        StopState::Ok => "OK",
        StopState::SoftRos => "ROS",
        StopState::SoftIr => "IR",
        StopState::SoftBoth => "BOTH",
        StopState::Estop => "ESTOP",
        StopState::Fault => "FAULT",
    }
}

/// Results of a walk.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Transitions by the states before and after, with the most severe causes of the state that was entered.
    pub transitions: BTreeMap<(&'static str, &'static str), BTreeMap<Cause, usize>>,
    pub causes: BTreeMap<Cause, usize>,
    pub full_speed: [bool; 2],
    pub longest_way_back: Ns,
    pub longest_silence: Ns,
    pub continued: usize,
}

impl Seen {
    pub fn add(&mut self, other: &Self) {
        for (arrow, causes) in &other.transitions {
            for (&cause, number) in causes {
                *self.transitions.entry(*arrow).or_default().entry(cause).or_default() += number;
            }
        }
        for (&cause, number) in &other.causes {
            *self.causes.entry(cause).or_default() += number;
        }
        for (all, other) in self.full_speed.iter_mut().zip(other.full_speed) {
            *all |= other;
        }
        self.longest_way_back = self.longest_way_back.max(other.longest_way_back);
        self.longest_silence = self.longest_silence.max(other.longest_silence);
        self.continued += other.continued;
    }
}

/// Observes a walk through a model.
pub struct Coverage<'a> {
    model: &'a Model,
    pub seen: Seen,
    /// One machine of each of some keys, with its print.
    keys: ByPrint<(u128, Pair)>,
    random: Random,
    ways: Ways,
    /// Recoveries are tested from one in this many states.
    every: u64,
}

/// This many machines are kept to be compared with others of their key.
const KEPT: usize = 300;

impl<'a> Coverage<'a> {
    pub fn new(model: &'a Model, every: u64) -> Self {
        let (seen, keys, ways) = Default::default();
        Self { model, seen, keys, random: Random::new(1), ways, every }
    }

    /// Checks that two machines of one key behave alike for later events.
    fn continues_alike(&mut self, mut one: Pair, mut other: Pair) -> Result<(), String> {
        self.seen.continued += 1;
        let mut way: Vec<Edge> = Vec::new();
        for _ in 0..12 {
            let edge = self.model.edges[self.random.below(self.model.edges.len())];
            way.push(edge);
            let on = |pair: &mut Pair| pair.go(edge, &self.model.alternatives);
            on(&mut one).and_then(|()| on(&mut other)).map_err(|what| format!("{what} after {way:?}"))?;
            // When a fraction is sent as one count more is not part of the key.
            let levels = one.machine.core().levels();
            let is_sent = |pair: &Pair| {
                let sent = pair.levels().into_iter().zip(levels);
                sent.into_iter()
                    .all(|(sent, level)| sent == level || level != 0 && sent == level + level.signum())
            };
            if levels != other.machine.core().levels()
                || !is_sent(&one)
                || !is_sent(&other)
                || one.state() != other.state()
                || one.causes() != other.causes()
            {
                let describe =
                    |pair: &Pair| format!("{:?} {:?} {}", pair.levels(), pair.state(), pair.causes());
                return Err(format!(
                    "equal keys, but {} and {} after {way:?}",
                    describe(&one),
                    describe(&other)
                ));
            }
        }
        Ok(())
    }
}

fn key_of(pair: &Pair) -> u128 {
    // The last values sent do not affect later outputs.
    Print::of_all(&(pair.machine.key(), pair.causes()))
}

impl Visitor for Coverage<'_> {
    fn edge(&mut self, before: &Pair, after: &Pair) -> Result<(), String> {
        let (from, to) = (before.state(), after.state());
        if from != to && !after.oracle.is_ending() {
            let worst = after.causes().worst().or(before.causes().worst()).unwrap_or(Cause::CommandInvalid);
            let causes = self.seen.transitions.entry((name(from), name(to))).or_default();
            *causes.entry(worst).or_default() += 1;
        }
        Ok(())
    }

    fn state(&mut self, pair: &Pair, print: u128) -> Result<(), String> {
        for cause in pair.causes().iter() {
            *self.seen.causes.entry(cause).or_default() += 1;
        }
        let full = pair.oracle.params.core.full;
        self.seen.full_speed[0] |= pair.levels() == [full; 2];
        self.seen.full_speed[1] |= pair.levels() == [-full; 2];
        if (print as u64).is_multiple_of(self.every) {
            let back = self.ways.recovers(pair.clone(), self.model)?;
            self.seen.longest_way_back = self.seen.longest_way_back.max(back);
            if pair.levels() != [0, 0] || pair.oracle.may_move() {
                let silence = self.ways.silence_ends_motion(pair.clone(), self.model)?;
                self.seen.longest_silence = self.seen.longest_silence.max(silence);
            }
        }
        let key = key_of(pair);
        match self.keys.get(&key) {
            Some((other, kept)) if *other != print => {
                let kept = kept.clone();
                self.continues_alike(kept, pair.clone())?;
            }
            None if self.keys.len() < KEPT && key.is_multiple_of(4) => {
                self.keys.insert(key, (print, pair.clone()));
            }
            _ => {}
        }
        Ok(())
    }

    fn again(&mut self, pair: &Pair, print: u128) -> Result<(), String> {
        // The same state by another path, at another time: both continue alike.
        if !(print as u64).is_multiple_of(64) {
            return Ok(());
        }
        let Some((_, kept)) = self.keys.get(&key_of(pair)) else { return Ok(()) };
        let kept = kept.clone();
        self.continues_alike(kept, pair.clone())
    }
}
