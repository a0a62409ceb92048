//! Breadth first through every state of a model, of machine and oracle together.

use std::collections::{HashMap, VecDeque};
use std::hash::Hasher;

use crate::act::{Edge, Wait};
use crate::books::Ns;
use crate::models::{Model, TICK};
use crate::pair::Pair;

/// A hash of 128 bits: among some millions of states a collision has a probability of 1 in 10^24.
#[derive(Clone, Copy)]
pub struct Print {
    halves: (u64, u64),
    /// The oldest stamp, from now on, that differs from older ones.
    oldest: Ns,
}

impl Print {
    pub fn of(pair: &Pair, model: &Model) -> u128 {
        let mut print =
            Self { halves: (0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f), oldest: -model.cap - TICK };
        pair.print(model.cap, &mut print);
        print.mix(0x1656_67b1_9e37_79f9);
        u128::from(print.halves.0) << 64 | u128::from(print.halves.1)
    }

    fn mix(&mut self, word: u64) {
        let folded = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let (one, other) = self.halves;
        self.halves = (
            folded(one ^ word, 0x9fb2_1c65_1e98_df25).rotate_left(29) ^ other,
            folded(other.wrapping_add(word), 0xd6e8_feb8_6659_fd93).rotate_left(31).wrapping_add(one),
        );
    }
}

impl Hasher for Print {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    /// Only stamps are signed, relative to now: those older than every time-out are equivalent, as no clock jumps here.
    fn write_i64(&mut self, word: i64) {
        self.mix(word.max(self.oldest) as u64);
    }

    fn finish(&self) -> u64 {
        self.halves.0
    }
}

/// The result of a walk.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    pub states: usize,
    pub edges: usize,
    /// The walk ended before it reached every state.
    pub cut: bool,
}

/// Inspects each edge and each state.
pub trait Visitor {
    /// # Errors
    /// A description of the error.
    fn edge(&mut self, before: &Pair, after: &Pair) -> Result<(), String>;
    /// # Errors
    /// A description of the error.
    fn state(&mut self, pair: &Pair) -> Result<(), String>;
    /// Another path to the same state.
    /// # Errors
    /// A description of the error.
    fn again(&mut self, pair: &Pair, print: u128) -> Result<(), String>;
}

/// Walks through `model`, through no more than `most` states.
/// # Errors
/// The shortest path to the error.
pub fn walk(model: &Model, most: usize, visitor: &mut impl Visitor) -> Result<Walk, String> {
    let start = Pair::new(model.params, model.cap)?;
    let mut known: HashMap<u128, u32> = HashMap::new();
    let mut parents: Vec<(u32, u16)> = vec![(0, 0)];
    let mut queue = VecDeque::new();
    known.insert(Print::of(&start, model), 0);
    queue.push_back((0_u32, start));
    let mut walk = Walk { states: 1, ..Walk::default() };
    while let Some((index, pair)) = queue.pop_front() {
        let describe = |what: String, last: Option<u16>| story(model, &parents, index, last, &what);
        visitor.state(&pair).map_err(|what| describe(what, None))?;
        for (number, &edge) in model.edges.iter().enumerate() {
            let number = number as u16;
            // Everything received then is older than any time-out by now: a longer hold adds nothing.
            if matches!(edge.0, Wait::Alone(time) if time > TICK)
                && pair.oracle.waited(pair.world.now) > model.cap
            {
                continue;
            }
            let mut next = pair.clone();
            let result = next.go(edge, &model.alternatives).and_then(|()| visitor.edge(&pair, &next));
            if let Err(what) = result {
                return Err(story(model, &parents, index, Some(number), &what));
            }
            walk.edges += 1;
            let print = Print::of(&next, model);
            if known.contains_key(&print) {
                visitor
                    .again(&next, print)
                    .map_err(|what| story(model, &parents, index, Some(number), &what))?;
            } else if known.len() < most {
                let new = known.len() as u32;
                known.insert(print, new);
                parents.push((index, number));
                queue.push_back((new, next));
            } else {
                walk.cut = true;
            }
        }
    }
    walk.states = known.len();
    Ok(walk)
}

/// Describes the path to the error.
fn story(model: &Model, parents: &[(u32, u16)], mut index: u32, last: Option<u16>, what: &str) -> String {
    let mut way: Vec<Edge> = last.into_iter().map(|last| model.edges[usize::from(last)]).collect();
    while index != 0 {
        let (parent, number) = parents[index as usize];
        way.push(model.edges[usize::from(number)]);
        index = parent;
    }
    way.reverse();
    format!("{}\n{}", model.name, describe(model, &way, what))
}

/// Describes what the machine does on the path `way`, which ends with the error `what`.
pub fn describe(model: &Model, way: &[Edge], what: &str) -> String {
    let mut text = String::new();
    let Ok(mut pair) = Pair::new(model.params, model.cap) else { return what.to_owned() };
    for &edge in way {
        let end = pair.go(edge, &model.alternatives);
        let (state, causes, levels) = (pair.state(), pair.causes(), pair.levels());
        let names: Vec<_> = causes.iter().map(|cause| cause.code()).collect();
        text += &format!("  {edge:?}\n      {state:?} {} {levels:?}\n", names.join(" "));
        if let Err(error) = end {
            text += &format!("  {error}\n");
        }
    }
    text + what
}
