//! The events of the machine, each with the time that passed before it.

use hindbrain::{Input, Params, Publishers, Sensor, SoleTopic};
use safety::{ClockReading, Command, NotFinite, PublisherCount, Stamp, Velocity};

use crate::books::{MS, Ns};

/// The stamp of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No stamp.
    Unstamped,
    /// This long ago; negative is ahead.
    Ago(Ns),
    /// Newest stamp that was accepted, once more.
    Same,
    /// This long before the newest one.
    Before(Ns),
    /// The stamp of a node that knows no time: one nanosecond.
    Unknown,
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// Only a call.
    Nothing,
    /// A velocity [mm/s, mrad/s].
    Command(i32, i32, When),
    /// A zero behind which motion is withheld.
    Withheld(When),
    /// 0.5 m/s to the left, which moves no wheel and is not a zero.
    Sideways(When),
    NotFinite,
    Enable(bool),
    Estop(bool),
    Reset(bool),
    Ir(Sensor, Option<f64>, When),
    /// The publishers of one topic, all others unchanged.
    Count(SoleTopic, PublisherCount),
    CountAll(PublisherCount),
    /// The usual case without an e-stop: one publisher of each other topic.
    CountUsual,
    /// The publishers of one topic, and the usual ones of each other.
    CountAlone(SoleTopic, PublisherCount),
    DeviceOpened,
    DeviceLost,
    /// The node becomes active, or leaves that state.
    Active(bool),
    Unwatched,
    Interrupted,
    /// The parameters of this number in the model.
    Change(usize),
    /// A thread reads again after this time; it was due a tick after its last read.
    Away(Ns),
    /// The clock of stamps jumps by this time.
    Jump(Ns),
    /// The clock of stamps becomes reliable, or unreliable.
    Clock(bool),
    Stopping,
}

pub const ONE: PublisherCount = PublisherCount::of(1);
const NONE: PublisherCount = PublisherCount::NONE;
/// In the order of the topics: commands, enable, e-stop, reset, motors.
const USUAL: [PublisherCount; 5] = [ONE, ONE, NONE, ONE, ONE];
pub const TWO: PublisherCount = PublisherCount::of(2);
pub const UNFIT: PublisherCount = PublisherCount::Known { compatible: 0, incompatible: 1 };

/// How much time passes before it, and whether the machine is called meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It is called at each of its deadlines.
    Served(Ns),
    /// It is not called.
    Alone(Ns),
}

/// A time that passes and the event after it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge(pub Wait, pub Act);

/// The context of the events: the clocks, and the messages that were sent before.
#[derive(Clone, Copy, Debug)]
pub struct World {
    pub now: Ns,
    /// The wall clock less the monotonic one.
    pub offset: Ns,
    pub is_clock_reliable: bool,
    counts: [PublisherCount; 5],
    /// Older messages are not sent again.
    cap: Ns,
}

impl World {
    pub fn new(now: Ns, cap: Ns) -> Self {
        Self { now, offset: 1_000_000 * MS, is_clock_reliable: true, counts: USUAL, cap }
    }

    pub fn reading(&self) -> ClockReading {
        ClockReading { stamp: stamp(self.now + self.offset), is_reliable: self.is_clock_reliable }
    }

    /// The message for `act`, and whether the wall clock is to be read before it.
    pub fn input(
        &mut self,
        act: Act,
        alternatives: &[Params],
        newest: [Option<Ns>; 5],
    ) -> Option<(Input, bool)> {
        let plain = |input| Some((input, false));
        match act {
            Act::Nothing | Act::Away(_) | Act::Jump(_) | Act::Clock(_) => None,
            Act::Command(linear, angular, when) => {
                let stamp = self.stamp(when, newest[0]);
                let parts = [linear, angular].map(|part| f64::from(part) / 1000.0);
                let velocity = Velocity::planar(parts[0], parts[1]).ok()?;
                Some((Input::CommandReceived(Ok(Command::new(velocity, stamp))), when != When::Unstamped))
            }
            Act::Withheld(when) => {
                let stamp = self.stamp(when, newest[0]);
                let command = Command { withheld: true, ..Command::new(Velocity::ZERO, stamp) };
                Some((Input::CommandReceived(Ok(command)), when != When::Unstamped))
            }
            Act::Sideways(when) => {
                let stamp = self.stamp(when, newest[0]);
                let velocity = Velocity::new([0.0, 0.5, 0.0], [0.0; 3]).ok()?;
                Some((Input::CommandReceived(Ok(Command::new(velocity, stamp))), when != When::Unstamped))
            }
            Act::NotFinite => {
                plain(Input::CommandReceived(Err(NotFinite { part: "linear.y", value: f64::NAN })))
            }
            Act::Enable(on) => plain(Input::EnableReceived(on)),
            Act::Estop(pressed) => plain(Input::EstopReceived(pressed)),
            Act::Reset(down) => plain(Input::ResetReceived(down)),
            Act::Ir(sensor, distance, when) => {
                let stamp = self.stamp(when, newest[1 + sensor as usize]);
                Some((Input::IrReceived { sensor, distance, stamp }, when != When::Unstamped))
            }
            Act::Count(topic, count) => {
                self.counts[topic as usize] = count;
                plain(self.counted())
            }
            Act::CountAll(count) => {
                self.counts = [count; 5];
                plain(self.counted())
            }
            Act::CountUsual => {
                self.counts = USUAL;
                plain(self.counted())
            }
            Act::CountAlone(topic, count) => {
                self.counts = USUAL;
                self.counts[topic as usize] = count;
                plain(self.counted())
            }
            Act::DeviceOpened => plain(Input::DeviceOpened),
            Act::DeviceLost => plain(Input::DeviceLost),
            Act::Active(active) => plain(Input::ActivityChanged(active)),
            Act::Unwatched => plain(Input::Unwatched),
            Act::Interrupted => plain(Input::Interrupted),
            Act::Change(index) => plain(Input::ParametersChanged(*alternatives.get(index)?)),
            Act::Stopping => plain(Input::Stopping),
        }
    }

    fn counted(&self) -> Input {
        let all = SoleTopic::ALL.into_iter().zip(self.counts);
        Input::PublishersCounted(all.fold(Publishers::default(), |p, (topic, count)| p.with(topic, count)))
    }

    fn stamp(&self, when: When, newest: Option<Ns>) -> Stamp {
        let wall = self.now + self.offset;
        stamp(match when {
            When::Unstamped => 0,
            When::Ago(ago) => wall - ago,
            When::Same => newest.unwrap_or(wall).max(wall - self.cap),
            When::Unknown => 1,
            When::Before(by) => newest.unwrap_or(wall).max(wall - self.cap) - by,
        })
    }

    /// The last counts of publishers.
    pub fn counts(&self) -> u16 {
        let code = |count| match count {
            PublisherCount::Unknown | PublisherCount::Loop => 0, // hindbrain passes nothing on, so it has no loop
            PublisherCount::Known { incompatible: 1.., .. } => 1,
            PublisherCount::Known { compatible, .. } => 2 + compatible.min(2) as u16,
        };
        self.counts.into_iter().fold(0, |sum, count| sum * 5 + code(count))
    }
}

fn stamp(nanos: Ns) -> Stamp {
    let sec = i32::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i32::MAX);
    Stamp { sec, nanosec: nanos.rem_euclid(1_000_000_000) as u32 }
}
