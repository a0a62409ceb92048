//! Reachable states in 40 bytes each: every part of a state is numbered as it comes up, and a state is its numbers.
//!
//! Equal keys are equal states: nothing is hashed away.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use hindbrain::core::{Device, EstopLine, Eye, HeldCommand, Mode, ResetButton, State, Wheel};

/// All states that were found, in the order in which they were.
pub struct States {
    parts: Parts,
    keys: Vec<u128>,
    /// Numbers of states plus one at the places that their keys' hashes say; 0 is free.
    table: Vec<u32>,
    /// The last state that was asked for, with its key's parts: most parts of its successors are the same.
    last: (State, [u32; 9]),
}

impl States {
    /// Only `first`.
    pub fn new(first: &State) -> Self {
        let mut parts = Parts::default();
        let numbers = parts.numbers(first, None);
        let mut states = Self { parts, keys: Vec::new(), table: vec![0; 1 << 10], last: (*first, numbers) };
        states.insert(first);
        states
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The state with this number; what is inserted from then on is expected to be like it.
    pub fn look_at(&mut self, number: usize) -> State {
        let numbers = unpack(self.keys[number]);
        let state = self.parts.state(&numbers);
        self.last = (state, numbers);
        state
    }

    pub fn get(&self, number: usize) -> State {
        self.parts.state(&unpack(self.keys[number]))
    }

    /// The number of `state`, and whether it is new.
    pub fn insert(&mut self, state: &State) -> (usize, bool) {
        let key = pack(self.parts.numbers(state, Some(&self.last)));
        let mut place = self.place(key);
        while let Some(number) = (self.table[place] as usize).checked_sub(1) {
            if self.keys[number] == key {
                return (number, false);
            }
            place = (place + 1) % self.table.len();
        }
        let number = self.keys.len();
        self.keys.push(key);
        self.table[place] = u32::try_from(number + 1).expect("fewer than 4 billion states");
        if self.keys.len() * 2 > self.table.len() {
            self.grow();
        }
        (number, true)
    }

    fn place(&self, key: u128) -> usize {
        let mut hasher = Quick::default();
        hasher.write_u64(key as u64);
        hasher.write_u64((key >> 64) as u64);
        (hasher.finish() >> 20) as usize % self.table.len()
    }

    fn grow(&mut self) {
        self.table = vec![0; self.table.len() * 2];
        for number in 0..self.keys.len() {
            let mut place = self.place(self.keys[number]);
            while self.table[place] != 0 {
                place = (place + 1) % self.table.len();
            }
            self.table[place] = number as u32 + 1;
        }
    }
}

/// How many bits each part has.
const BITS: [u32; 9] = [16, 14, 12, 12, 12, 12, 18, 16, 16];

fn pack(numbers: [u32; 9]) -> u128 {
    numbers.into_iter().zip(BITS).fold(0, |key, (number, bits)| {
        assert!(number >> bits == 0, "a part has too many values for its {bits} bits");
        key << bits | u128::from(number)
    })
}

fn unpack(mut key: u128) -> [u32; 9] {
    let mut numbers = [0; 9];
    for (number, bits) in numbers.iter_mut().zip(BITS).rev() {
        *number = (key & ((1 << bits) - 1)) as u32;
        key >>= bits;
    }
    numbers
}

/// Mode, enabled, armed, neutral, rivals, overrun, reset button, motor controller.
type Flags = (Mode, Option<bool>, [bool; 4], ResetButton, Device);

#[derive(Default)]
struct Parts {
    flags: Numbers<Flags>,
    lines: Numbers<(EstopLine, u64)>,
    eyes: Numbers<Eye>,
    commands: Numbers<HeldCommand>,
    wheels: Numbers<Wheel>,
}

impl Parts {
    fn numbers(&mut self, state: &State, like: Option<&(State, [u32; 9])>) -> [u32; 9] {
        // A part that is added to the state does not compile here until it has its place.
        let State {
            mode,
            enabled,
            armed,
            neutral,
            lease_age,
            estop,
            reset,
            eyes,
            command,
            rivals,
            device,
            overrun,
            wheels,
        } = *state;
        let flags = (mode, enabled, [armed, neutral, rivals, overrun], reset, device);
        let known = |place: usize, same: bool| like.filter(|_| same).map(|(_, numbers)| numbers[place]);
        let is = |same: &dyn Fn(&State) -> bool| like.is_some_and(|(state, _)| same(state));
        let mut numbers = [0; 9];
        numbers[0] = self.flags.of(flags);
        numbers[1] = self.lines.of((estop, lease_age));
        for (place, eye) in eyes.into_iter().enumerate() {
            let number = known(2 + place, is(&|like| like.eyes[place] == eye));
            numbers[2 + place] = number.unwrap_or_else(|| self.eyes.of(eye));
        }
        numbers[6] = self.commands.of(command);
        for (place, wheel) in wheels.into_iter().enumerate() {
            let number = known(7 + place, is(&|like| like.wheels[place] == wheel));
            numbers[7 + place] = number.unwrap_or_else(|| self.wheels.of(wheel));
        }
        numbers
    }

    fn state(&self, numbers: &[u32; 9]) -> State {
        let (mode, enabled, [armed, neutral, rivals, overrun], reset, device) = self.flags.with(numbers[0]);
        let (estop, lease_age) = self.lines.with(numbers[1]);
        State {
            mode,
            enabled,
            armed,
            neutral,
            lease_age,
            estop,
            reset,
            eyes: [2, 3, 4, 5].map(|place| self.eyes.with(numbers[place])),
            command: self.commands.with(numbers[6]),
            rivals,
            device,
            overrun,
            wheels: [7, 8].map(|place| self.wheels.with(numbers[place])),
        }
    }
}

/// Numbers values in the order in which they come up.
struct Numbers<V> {
    numbers: HashMap<V, u32, BuildHasherDefault<Quick>>,
    values: Vec<V>,
}

impl<V> Default for Numbers<V> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), values: Vec::new() }
    }
}

impl<V: Copy + Eq + Hash> Numbers<V> {
    fn of(&mut self, value: V) -> u32 {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() as u32 - 1
        })
    }

    fn with(&self, number: u32) -> V {
        self.values[number as usize]
    }
}

/// A hash that is quick, for keys that nobody chooses to collide.
#[derive(Default)]
struct Quick(u64);

impl Quick {
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.add(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }
}
