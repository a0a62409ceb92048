use core::mem::{Discriminant, discriminant};

use crate::{Message, Needs, Parameters, Process};

/// The levels of both motors, and the time at which they were published, in milliseconds since the vehicle was started.
pub type Seen = (u64, [i16; 2]);

/// A machine with motors, as the generator of [`Message`]s uses it.
pub trait Vehicle {
    /// The tolerance of a bound, in milliseconds: transport and observation.
    const SLACK: u64 = 0;
    /// How long its parts take to discover one another, in milliseconds.
    const START: u64 = 700;
    /// How long it takes until hindbrain has reported what it waits for, in milliseconds.
    const NEWS: u64 = 0;

    /// Delivers the message now; a message that the machine has no input for is ignored.
    fn receive(&mut self, message: Message);
    /// Sets parameters of a node now, as text in YAML; an empty text deletes the entry. Returns whether they are accepted.
    fn set(&mut self, node: Process, set: Parameters) -> bool;
    /// Lets `millis` pass and carries out what is due; returns how many have passed.
    fn pass(&mut self, millis: u64) -> u64;
    /// The motor levels since the last call.
    fn seen(&mut self) -> Vec<Seen>;
    /// The recovery steps that hindbrain reports as awaited.
    fn waits_for(&self) -> Needs;
    /// Whether its motor controller works.
    fn is_ready(&self) -> bool {
        true
    }
}

/// The inputs of a process, which wait while it is held.
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

    /// Holds the process or lets it continue; returns the inputs that waited, oldest first.
    pub fn hold(&mut self, on: bool) -> Vec<I> {
        self.is_held = on;
        core::mem::take(&mut self.waiting).into_iter().map(|(_, input)| input).collect()
    }

    /// The input of `message`, unless it has to wait.
    pub fn take(&mut self, message: &Message, input: I) -> Option<I> {
        if !self.is_held {
            return Some(input);
        }
        let topic = discriminant(message);
        let is_same = |(other, _): &(Discriminant<Message>, I)| *other == topic;
        if self.waiting.iter().filter(|one| is_same(one)).count() >= message.depth() {
            self.waiting.remove(self.waiting.iter().position(is_same).unwrap_or(0));
        }
        self.waiting.push((topic, input));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_messages_wait_as_many_as_their_topic_keeps() {
        let mut inbox = Inbox::default();
        inbox.hold(true);
        for number in 0..3 {
            let device = Message::Device(None);
            assert_eq!(inbox.take(&device, ('d', number)), None);
        }
        for number in 0..102 {
            assert_eq!(inbox.take(&Message::Dock { forward: 0.0 }, ('c', number)), None);
            assert_eq!(inbox.take(&Message::Profile(number), ('p', number)), None);
        }
        let waited = inbox.hold(false);
        let of = |topic| waited.iter().filter(|(one, _)| *one == topic).map(|(_, n)| *n).collect::<Vec<_>>();
        assert_eq!((of('d'), of('c'), of('p')), (vec![0, 1, 2], (2..102).collect(), vec![101]));
        assert_eq!(waited.last(), Some(&('p', 101)), "in the order in which they came");
    }
}
