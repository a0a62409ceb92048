use core::mem::{Discriminant, discriminant};
use core::time::Duration;

use safety::{Instant, Machine, Stamp};

use crate::{Message, Needs, Parameters, Process, Seen, Topic, Vehicle};

/// Inputs and outputs of a machine, for a test bed.
pub trait Adapter: Sized {
    /// The machine.
    type Machine: Machine;

    /// Input with which the machine reads the wall clock.
    fn clock_read(stamp: Stamp) -> Input<Self>;
    /// Input of a message with this stamp, if it has one; `None` if no part of the machine receives it.
    fn input(&mut self, machine: &Self::Machine, message: Message, stamp: Stamp) -> Option<Input<Self>>;
    /// Inputs that set parameters of a node, as text in YAML, and whether they are accepted.
    fn set(&mut self, machine: &Self::Machine, node: Process, set: Parameters) -> (Vec<Input<Self>>, bool);
    /// The motor levels, if the output sets them.
    fn levels(output: <Self::Machine as Machine>::Output) -> Option<[i16; 2]>;
    /// The names of the causes of a stop.
    fn causes(machine: &Self::Machine) -> Vec<&'static str>;

    /// Whether the machine subscribes to a topic; a second publisher of another one is not received.
    fn subscribes(_: Topic) -> bool {
        true
    }

    /// Whether a message comes by another way than a topic, so it does not wait for a held process but is lost.
    fn is_direct(&self, _: &Message) -> bool {
        false
    }

    /// Delivers such a message.
    fn deliver(&mut self, _: &mut Self::Machine, _: Instant, _: Message) {}
}

/// Input of an adapter's machine.
pub type Input<A> = <<A as Adapter>::Machine as Machine>::Input;

/// A machine alone as a vehicle, which is called exactly at its deadlines.
pub struct Simulated<A: Adapter> {
    /// The machine.
    pub machine: A::Machine,
    now: Instant,
    inbox: Inbox<Input<A>>,
    seen: Vec<Seen>,
    /// The stamps of the last command, of the last reference, and of the last measurement of each sensor.
    stamps: [Stamp; 4],
    adapter: A,
}

/// The time of its start \[ms\].
const START: u64 = 1_000;
/// The wall clock at the origin of the time \[ns\].
const EPOCH: i64 = 1_700_000_000_000_000_000;

impl<A: Adapter> Simulated<A> {
    /// A machine that was just started.
    pub fn new(machine: A::Machine, adapter: A) -> Self {
        let (now, inbox) = (Instant::from_millis(START), Inbox::default());
        Self { machine, now, inbox, seen: Vec::new(), stamps: [Stamp::ZERO; 4], adapter }
    }

    /// The wall clock less `behind` milliseconds.
    fn stamp(&self, behind: i32) -> Stamp {
        let nanos = EPOCH + self.now.as_nanos() as i64 - i64::from(behind) * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    /// The stamp of a message, which may be that of the one before.
    fn stamp_of(&mut self, message: &Message) -> Stamp {
        let (stream, behind) = match *message {
            Message::Command { behind, .. } => (0, behind),
            Message::Reference { behind, .. } => (1, behind),
            Message::Infrared { starboard, repeated, .. } => {
                (2 + usize::from(starboard), (!repeated).then_some(0))
            }
            _ => return Stamp::ZERO,
        };
        if let Some(behind) = behind {
            self.stamps[stream] = self.stamp(behind);
        }
        self.stamps[stream]
    }

    fn read_clock(&mut self) {
        self.machine.handle(self.now, A::clock_read(self.stamp(0)));
    }

    fn handle(&mut self, input: Input<A>) {
        self.read_clock();
        self.machine.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            if let Some(levels) = A::levels(output) {
                self.seen.push((self.now.as_nanos() / 1_000_000 - START, levels));
            }
        }
    }
}

impl<A: Adapter> Vehicle for Simulated<A> {
    fn receive(&mut self, message: Message) {
        if let Message::Held { on, .. } = message {
            let waited = self.inbox.hold(on);
            if !on {
                self.drain();
            }
            return waited.into_iter().for_each(|input| self.handle(input));
        }
        if matches!(message, Message::Second { topic, .. } if !A::subscribes(topic)) {
            return;
        }
        let Some(message) = message.received() else { return };
        if self.adapter.is_direct(&message) {
            if !self.inbox.is_held {
                self.read_clock();
                self.adapter.deliver(&mut self.machine, self.now, message);
                self.drain();
            }
            return;
        }
        let stamp = self.stamp_of(&message);
        if let Some(input) = self.adapter.input(&self.machine, message, stamp)
            && let Some(input) = self.inbox.take(&message, input)
        {
            self.handle(input);
        }
    }

    fn set(&mut self, node: Process, set: Parameters) -> bool {
        let (inputs, accepts) = self.adapter.set(&self.machine, node, set);
        inputs.into_iter().for_each(|input| self.handle(input));
        accepts
    }

    fn pass(&mut self, millis: u64) -> u64 {
        let end = self.now + Duration::from_millis(millis);
        while let Some(at) = self.machine.deadline().filter(|&at| at <= end && !self.inbox.is_held) {
            self.now = at.max(self.now);
            self.drain();
        }
        self.now = end;
        millis
    }

    fn seen(&mut self) -> Vec<Seen> {
        core::mem::take(&mut self.seen)
    }

    fn waits_for(&self) -> Needs {
        Needs::of_causes(A::causes(&self.machine))
    }
}

/// The inputs of a process, which wait while it is held.
struct Inbox<I> {
    is_held: bool,
    waiting: Vec<(Discriminant<Message>, I)>,
}

impl<I> Default for Inbox<I> {
    fn default() -> Self {
        Self { is_held: false, waiting: Vec::new() }
    }
}

impl<I> Inbox<I> {
    /// Holds the process or lets it continue; returns the inputs that waited, oldest first.
    fn hold(&mut self, on: bool) -> Vec<I> {
        self.is_held = on;
        core::mem::take(&mut self.waiting).into_iter().map(|(_, input)| input).collect()
    }

    /// The input of `message`, unless it has to wait.
    fn take(&mut self, message: &Message, input: I) -> Option<I> {
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
