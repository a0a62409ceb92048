//! Walks through every state of the core that a set of inputs can reach, and through every input in each.

use std::collections::BTreeSet;
use std::fmt::Write;

use hindbrain::core::{CoreParams, Inputs, Rule, State, StopState, step};

use crate::alphabet::T;
use crate::invariants::{Edge, broken, lapses_in_time};
use crate::packed::States;
use crate::table::name;
use crate::witness::Witness;

/// What is walked through, and what must be found on the way, or the walk proves nothing.
pub struct Model {
    pub name: &'static str,
    /// What it is for, in the proof.
    pub text: &'static str,
    pub params: CoreParams,
    pub inputs: Vec<Inputs>,
    /// I13: levels that must be reached.
    pub reaches: Vec<[i16; 2]>,
}

/// What a walk found.
pub struct Found {
    pub states: usize,
    pub edges: usize,
    /// From one state to another: a bit for each rule that led there.
    moves: [[u16; 6]; 6],
    /// A bit for each rule that was applied, and for each state that was published.
    rules: u16,
    published: u16,
    /// The pairs that count as blocked and the levels, without repetition.
    pub blocked: BTreeSet<([bool; 2], [i16; 2])>,
    /// I14: how many ticks of silence it takes at most to stand; `None` where the model has no silence.
    pub rest: Option<usize>,
}

impl Model {
    /// Walks from the state at start, breadth first, with the invariants asked on every edge.
    ///
    /// What breaks one panics with the shortest way there.
    /// * `most`: more states than so many are taken for no end of them
    pub fn walk(&self, most: usize) -> Found {
        let Self { params, inputs, .. } = self;
        let boot = State::boot(params);
        assert_eq!(Witness::of(&boot, params), Witness::at_start(params), "{}: at start", self.name);
        let mut states = States::new(&boot);
        // Where each state was found from, by which input; and where silence leads it.
        let mut from: Vec<(u32, u32)> = vec![(0, 0)];
        let mut silence: Vec<u32> = Vec::new();
        let silent = inputs.iter().position(|&input| input == Inputs::after(T));
        let mut found = Found::nothing(&boot, params);
        while found.states < states.len() {
            let number = found.states;
            let before = states.look_at(number);
            if !lapses_in_time(&before, params) {
                self.refuse(LAPSES.1, &self.way(&from, number));
            }
            let witness = Witness::of(&before, params);
            for (input_number, input) in inputs.iter().enumerate() {
                let (after, outputs) = step(&before, input, params);
                let edge = Edge::new(params, witness, [&before, &after], input, &outputs);
                if let Some(broken) = broken(&edge) {
                    let mut way = self.way(&from, number);
                    way.push(input_number);
                    self.refuse(&format!("{} {}", broken.name, broken.text), &way);
                }
                found.see(&edge);
                let (to, is_new) = states.insert(&after);
                if is_new {
                    from.push((number as u32, input_number as u32));
                    found.meet(&edge);
                }
                if Some(input_number) == silent {
                    silence.push(to as u32);
                }
            }
            found.states += 1;
            assert!(states.len() <= most, "{}: more than {most} states, such as {before:?}", self.name);
        }
        found.edges = found.states * inputs.len();
        found.rest = silent.map(|_| self.rest(&states, &silence, &from));
        for levels in &self.reaches {
            let is_reached = found.blocked.iter().any(|(_, reached)| reached == levels);
            assert!(is_reached, "{}: I13 {levels:?} is never reached", self.name);
        }
        found
    }

    /// I14: the most ticks of silence until both wheels stand for good. The command lapses after its time-out; then it
    /// takes full over the slope of braking, one tick for the fraction and one for a change of sign that is under way.
    /// From each state silence leads to one other, so the ticks are counted along these ways, each state once.
    fn rest(&self, states: &States, silence: &[u32], from: &[(u32, u32)]) -> usize {
        let per_tick = self.params.slopes.decel * (T / 1_000) / 1_000_000;
        let braking = (self.params.full as u64 * 1_000).div_ceil(per_tick) + 2;
        let bound = self.params.command_timeout.div_ceil(T) + braking;
        const UNKNOWN: u16 = u16::MAX;
        const ON_THE_WAY: u16 = u16::MAX - 1;
        let is_rolling = |number: usize| states.get(number).is_rolling();
        let mut ticks = vec![UNKNOWN; silence.len()];
        let mut way = Vec::new();
        for start in 0..silence.len() {
            let mut at = start;
            while ticks[at] == UNKNOWN {
                ticks[at] = ON_THE_WAY;
                way.push(at);
                at = silence[at] as usize;
            }
            let mut after = ticks[at];
            if after == ON_THE_WAY {
                let circle = way.iter().position(|&on| on == at).unwrap_or(0);
                if way.drain(circle..).any(is_rolling) {
                    self.refuse("I14 silence does not end motion", &self.way(from, start));
                }
                after = 0;
                ticks[at] = 0;
            }
            for at in way.drain(..).rev() {
                let moves = after > 0 || is_rolling(silence[at] as usize);
                after += u16::from(moves);
                ticks[at] = after;
                if u64::from(after) > bound {
                    let what = format!("I14 {after} ticks of silence, at most {bound}");
                    self.refuse(&what, &self.way(from, at));
                }
            }
        }
        // The states on a circle stand.
        let known = ticks.into_iter().filter(|&ticks| ticks != ON_THE_WAY);
        // It stands one tick after the last in which it moved.
        usize::from(known.max().unwrap_or(0)) + 1
    }

    fn way(&self, from: &[(u32, u32)], mut at: usize) -> Vec<usize> {
        let mut way = Vec::new();
        while at != 0 {
            let (previous, input) = from[at];
            way.push(input as usize);
            at = previous as usize;
        }
        way.reverse();
        way
    }

    /// Ends the walk with the shortest way to what is wrong.
    fn refuse(&self, what: &str, way: &[usize]) -> ! {
        let mut text = format!("{}: {what}\nparameters {:?}\n", self.name, self.params);
        let mut state = State::boot(&self.params);
        for &number in way {
            let (next, outputs) = step(&state, &self.inputs[number], &self.params);
            let _ = writeln!(text, "{:?}\n    {outputs:?}", self.inputs[number]);
            state = next;
        }
        panic!("{text}to {state:?}");
    }
}

/// W4.
pub const LAPSES: (&str, &str) =
    ("W4", "silence changes what lapses by itself just when the core says that it will");

/// All states, in the order of their numbers.
const STATES: [StopState; 6] = [
    StopState::Ok,
    StopState::SoftRos,
    StopState::SoftIr,
    StopState::SoftBoth,
    StopState::Estop,
    StopState::Fault,
];

impl Found {
    fn nothing(boot: &State, params: &CoreParams) -> Self {
        Self {
            states: 0,
            edges: 0,
            moves: [[0; 6]; 6],
            rules: 0,
            published: 1 << StopState::from(boot.mode) as u16,
            blocked: BTreeSet::from([(boot.bad_pairs(params), boot.levels())]),
            rest: None,
        }
    }

    /// Takes down what is special about an edge.
    fn see(&mut self, edge: &Edge) {
        let Edge { before, heard, after, .. } = edge;
        if let Some(rule) = edge.outputs.rule {
            self.moves[before.state as usize][after.state as usize] |= 1 << rule as u16;
            self.rules |= 1 << rule as u16;
        }
        let mut applies = |rule: Rule, is: bool| self.rules |= u16::from(is) << rule as u16;
        applies(Rule::T5, after.armed && !before.armed);
        applies(Rule::T8, after.zero_seen && !before.zero_seen);
        applies(Rule::T9, before.wish.is_some() && heard.wish.is_none() && before.state == StopState::Ok);
    }

    /// Takes down what is special about a new state.
    fn meet(&mut self, edge: &Edge) {
        self.published |= 1 << edge.after.state as u16;
        self.blocked.insert((edge.after.bad, edge.after.levels));
    }

    /// What the state went through: from, by, to.
    pub fn moves(&self) -> BTreeSet<(&'static str, Rule, &'static str)> {
        let mut moves = BTreeSet::new();
        for (from, row) in STATES.into_iter().zip(self.moves) {
            for (to, rules) in STATES.into_iter().zip(row) {
                let by = Rule::ALL.into_iter().filter(|&rule| rules & 1 << rule as u16 != 0);
                moves.extend(by.map(|rule| (name(from), rule, name(to))));
            }
        }
        moves
    }

    /// The rules that were applied.
    pub fn rules(&self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(|&rule| self.rules & 1 << rule as u16 != 0)
    }

    /// The states that were published.
    pub fn published(&self) -> impl Iterator<Item = &'static str> {
        STATES.into_iter().filter(|&state| self.published & 1 << state as u16 != 0).map(name)
    }
}
