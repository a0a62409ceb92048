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
