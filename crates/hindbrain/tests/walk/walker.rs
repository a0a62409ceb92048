//! Walks through every state of the core that a set of inputs can reach, and through every input in each.
#![allow(clippy::panic)] // a refusal has to end the test with the way there

use std::collections::HashMap;

use hindbrain::core::{CoreParams, Inputs, InvalidCommand, Outputs, Reading, State, Wish, step};

pub const T: u64 = 20_000_000;

/// What may come, each independently of the others.
#[derive(Clone)]
pub struct Alphabet {
    pub dt: Vec<u64>,
    pub estop: Vec<Option<bool>>,
    pub reset: Vec<Option<bool>>,
    pub enable: Vec<Option<bool>>,
    pub front: Vec<Option<Reading>>,
    pub back: Vec<Option<Reading>>,
    pub command: Vec<Option<Result<Wish, InvalidCommand>>>,
}

/// Nothing, false, true.
pub const LEVELS: [Option<bool>; 3] = [None, Some(false), Some(true)];

impl Alphabet {
    /// Only time passes.
    pub fn new() -> Self {
        Self {
            dt: vec![T],
            estop: vec![None],
            reset: vec![None],
            enable: vec![None],
            front: vec![None],
            back: vec![None],
            command: vec![None],
        }
    }

    /// Commands with these parts besides none.
    pub fn commands(mut self, wishes: &[(i16, i16)]) -> Self {
        self.command.extend(wishes.iter().map(|&(linear, angular)| Some(Ok(Wish::new(linear, angular)))));
        self
    }

    /// Every combination. The front reading goes to the front port sensor, the back one to the back starboard one.
    pub fn inputs(&self) -> Vec<Inputs> {
        let mut inputs = vec![Inputs::default()];
        let mut vary =
            |change: &dyn Fn(&Inputs) -> Vec<Inputs>| inputs = inputs.iter().flat_map(change).collect();
        vary(&|i| self.dt.iter().map(|&dt| Inputs { dt, ..*i }).collect());
        vary(&|i| self.estop.iter().map(|&estop| Inputs { estop, ..*i }).collect());
        vary(&|i| self.reset.iter().map(|&reset| Inputs { reset, ..*i }).collect());
        vary(&|i| self.enable.iter().map(|&enable| Inputs { enable, ..*i }).collect());
        vary(&|i| self.command.iter().map(|&command| Inputs { command, ..*i }).collect());
        vary(&|i| {
            let pairs = self.front.iter().flat_map(|&front| self.back.iter().map(move |&back| (front, back)));
            pairs.map(|(front, back)| Inputs { infrared: [front, None, None, back], ..*i }).collect()
        });
        inputs
    }
}

/// One step of the walk.
pub struct Edge<'a> {
    pub params: &'a CoreParams,
    pub before: &'a State,
    pub inputs: &'a Inputs,
    pub after: &'a State,
    pub outputs: &'a Outputs,
}

/// Walks from the state at start, breadth first, and asks `check` on every edge; gives all reachable states.
///
/// A refusal panics with the shortest way there.
pub fn walk(
    params: &CoreParams,
    inputs: &[Inputs],
    check: impl Fn(&Edge) -> Result<(), String>,
) -> Vec<State> {
    let boot = State::boot(params);
    let (mut states, mut from) = (vec![boot], vec![(0, 0)]);
    let mut seen = HashMap::from([(boot, ())]);
    let mut index = 0;
    while index < states.len() {
        let before = states[index];
        for (number, input) in inputs.iter().enumerate() {
            let (after, outputs) = step(&before, input, params);
            let edge = Edge { params, before: &before, inputs: input, after: &after, outputs: &outputs };
            if let Err(broken) = check(&edge) {
                let mut way = vec![number];
                let mut at = index;
                while at != 0 {
                    let (previous, number) = from[at];
                    way.push(number);
                    at = previous;
                }
                let way: Vec<_> = way.iter().rev().map(|&number| format!("{:?}", inputs[number])).collect();
                panic!("{broken}\nbefore {before:?}\nafter {after:?}\n{outputs:?}\nby\n{}", way.join("\n"));
            }
            if seen.insert(after, ()).is_none() {
                states.push(after);
                from.push((index, number));
            }
        }
        index += 1;
    }
    println!("{} states, {} inputs, {} edges", states.len(), inputs.len(), states.len() * inputs.len());
    states
}

/// How many ticks of silence it takes from `state` until both wheels stand and stay so.
pub fn ticks_to_rest(mut state: State, params: &CoreParams, patience: usize) -> usize {
    let mut last_moving = 0;
    for tick in 1..=patience {
        let (next, outputs) = step(&state, &Inputs::after(T), params);
        state = next;
        if outputs.levels != [0, 0] {
            last_moving = tick;
        }
    }
    last_moving + 1
}
