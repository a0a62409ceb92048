use core::mem::{Discriminant, discriminant};

use crate::{Message, Needs, Parameters, Process};

/// The levels of both motors, and when they were told, in milliseconds since the vehicle was started.
pub type Seen = (u64, [i16; 2]);

/// A machine with motors, as a world of [`Message`]s sees it.
pub trait Vehicle {
    /// What a bound may be missed by, in milliseconds: the wire, and who looks.
    const SLACK: u64 = 0;
    /// How long its parts take to find one another, in milliseconds.
    const START: u64 = 700;
    /// How long it takes until hindbrain has said what it waits for, in milliseconds.
    const NEWS: u64 = 0;

    /// The message comes now; one that a machine has no input for means nothing to it.
    fn receive(&mut self, message: Message);
    /// Sets parameters of a node now, as text in YAML; without one the entry is deleted. Whether they are accepted.
    fn set(&mut self, node: Process, set: Parameters) -> bool;
    /// Lets so many milliseconds pass, and whatever is due happen; how many have passed.
    fn pass(&mut self, millis: u64) -> u64;
    /// What the motors were told since this was asked last.
    fn seen(&mut self) -> Vec<Seen>;
    /// What hindbrain says that it waits for.
    fn waits_for(&self) -> Needs;
    /// Whether its motor controller is there.
    fn is_ready(&self) -> bool {
        true
    }
}

/// So many messages of a topic wait for a process that is held; what is newer is lost.
const WAITING: usize = 10;

/// What comes to a process, and waits while that is held.
#[derive(Debug)]
pub struct Inbox<I> {
    is_held: bool,
    waiting: Vec<(Discriminant<Message>, I)>,
}

impl<I> Default for Inbox<I> {
    fn default() -> Self {
        Self { is_held: false, waiting: Vec::new() }
    }
}

impl<I> Inbox<I> {
    /// Whether the process is held.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// The process is held, or goes on; what waited for it, oldest first.
    pub fn hold(&mut self, on: bool) -> Vec<I> {
        self.is_held = on;
        core::mem::take(&mut self.waiting).into_iter().map(|(_, input)| input).collect()
    }

    /// What `message` is to the process, unless it waits.
    pub fn take(&mut self, message: &Message, input: I) -> Option<I> {
        if !self.is_held {
            return Some(input);
        }
        // The graph and the motor controller have no queue.
        let is_told = matches!(message, Message::Publishers { .. } | Message::Device(_));
        let topic = discriminant(message);
        let count = self.waiting.iter().filter(|(other, _)| *other == topic).count();
        if is_told || count < WAITING {
            self.waiting.push((topic, input));
        }
        None
    }
}
