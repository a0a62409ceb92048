//! Breadth first through every state of a model, of machine and oracle together.
//!
//! stateright would replace this file alone, with some forty crates: states, oracle, key and recovery would stay, and its `eventually` does
//! not support the bounds of recovery, which are times.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use crate::act::{Edge, Wait};
use crate::books::Ns;
use crate::models::{Model, TICK};
use crate::pair::Pair;

/// A hash of 128 bits: among some millions of states a collision has a probability of 1 in 10^24.
pub struct Print {
    halves: (u64, u64),
    /// The last bits, fewer than a word, and their number.
    rest: u64,
    used: u32,
    /// The oldest stamp, from now on, that differs from older ones.
    oldest: Ns,
}

impl Print {
    pub fn of(pair: &Pair, model: &Model) -> u128 {
        let mut print = Self::new(-model.cap - TICK);
        pair.print(model.cap, &mut print);
        print.end()
    }

    /// The print of anything.
    pub fn of_all(what: &impl Hash) -> u128 {
        let mut print = Self::new(Ns::MIN);
        what.hash(&mut print);
        print.end()
    }

    fn new(oldest: Ns) -> Self {
        Self { halves: (0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f), rest: 0, used: 0, oldest }
    }

    fn end(mut self) -> u128 {
        self.mix(self.rest);
        self.mix(0x1656_67b1_9e37_79f9 ^ u64::from(self.used));
        u128::from(self.halves.0) << 64 | u128::from(self.halves.1)
    }

    #[inline(always)]
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

    /// Appends the lowest `bits` of `word`; the others are zero.
    #[inline(always)]
    fn append(&mut self, word: u64, bits: u32) {
        let (used, all) = (self.used, self.used.wrapping_add(bits));
        self.rest |= word.wrapping_shl(used);
        self.used = all & 63;
        if all >= 64 {
            self.mix(self.rest);
            // What did not fit: nothing if the word was empty before.
            self.rest = (word >> 1).wrapping_shr(63 ^ used);
        }
    }
}

impl Hasher for Print {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u8(byte);
        }
    }

    #[inline(always)]
    fn write_u8(&mut self, byte: u8) {
        self.append(byte.into(), 8);
    }

    #[inline(always)]
    fn write_u16(&mut self, word: u16) {
        self.append(word.into(), 16);
    }

    #[inline(always)]
    fn write_u32(&mut self, word: u32) {
        self.append(word.into(), 32);
    }

    /// Mostly a time of a few seconds at most: half a word.
    #[inline(always)]
    fn write_u64(&mut self, word: u64) {
        if word < u32::MAX.into() {
            self.append(word, 32);
        } else {
            self.append(u32::MAX.into(), 32);
            self.append(word, 64);
        }
    }

    /// Mostly the number of a variant: a byte.
    #[inline(always)]
    fn write_isize(&mut self, number: isize) {
        self.write_usize(number as usize);
    }

    #[inline(always)]
    fn write_usize(&mut self, number: usize) {
        if number < u8::MAX.into() {
            self.append(number as u64, 8);
        } else {
            self.append(u8::MAX.into(), 8);
            self.append(number as u64, 64);
        }
    }

    /// Only stamps are signed, relative to now: those older than every time-out are equivalent, as no clock jumps here.
    #[inline(always)]
    fn write_i64(&mut self, word: i64) {
        let word = word.max(self.oldest);
        // Small numbers of either sign are small without one.
        self.write_u64((word << 1 ^ word >> 63) as u64);
    }

    fn finish(&self) -> u64 {
        unreachable!("a print ends with all of its bits");
    }
}

/// The hash of a print, which is one already.
#[derive(Default)]
pub struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a print is an u128");
    }

    fn write_u128(&mut self, print: u128) {
        self.0 = print as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A map from prints.
pub type ByPrint<T> = HashMap<u128, T, BuildHasherDefault<AsItIs>>;

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
    fn state(&mut self, pair: &Pair, print: u128) -> Result<(), String>;
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
    let mut known: HashSet<u128, BuildHasherDefault<AsItIs>> = HashSet::default();
    let mut parents: Vec<(u32, u16)> = vec![(0, 0)];
    let mut queue = VecDeque::new();
    let print = Print::of(&start, model);
    known.insert(print);
    queue.push_back((0_u32, print, start));
    let mut walk = Walk { states: 1, ..Walk::default() };
    while let Some((index, print, pair)) = queue.pop_front() {
        visitor.state(&pair, print).map_err(|what| story(model, &parents, index, None, &what))?;
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
            if known.contains(&print) {
                visitor
                    .again(&next, print)
                    .map_err(|what| story(model, &parents, index, Some(number), &what))?;
            } else if known.len() < most {
                let new = known.len() as u32;
                known.insert(print);
                parents.push((index, number));
                queue.push_back((new, print, next));
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
