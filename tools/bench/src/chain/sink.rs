use std::time::Duration;

use r2r::geometry_msgs::msg::TwistStamped;
use r2r::std_msgs::msg::{Int16, String as Text};
use ros::{clock, qos};
use safety::Stamp;

use super::SUBJECTS;
use super::pairing::Pairing;
use crate::peer::Peer;
use crate::stage::{Result, START, Stage};
use crate::vehicle::Vehicle;

/// How long messages of an ended process may still arrive.
const SILENCE: Duration = Duration::from_millis(100);

/// Receives what arrives, with the same node and topics for every subject, so the cost is the same for each.
pub struct Sink {
    peer: Peer<Message>,
    received: Received,
}

/// A message that arrived.
enum Message {
    Port(i16),
    Starboard(i16),
    /// The stamp of the stick event of the port motor's value.
    Applied(Stamp),
    State(String),
    /// Of a bare chain.
    Bare(Stamp),
}

/// Messages that arrived.
#[derive(Debug, Default)]
pub struct Received {
    /// The events that arrived.
    pub pairing: Pairing,
    /// The last values of the vehicle.
    pub vehicle: Vehicle,
    /// How many values of the port motor.
    pub values: u64,
    /// How many messages of a bare chain.
    pub passed: u64,
}

impl Received {
    fn handle(&mut self, message: Message, now: Stamp) {
        match message {
            Message::Port(value) => {
                self.vehicle.port = Some(value);
                self.values += 1;
                self.pairing.motor(now);
            }
            Message::Starboard(value) => self.vehicle.starboard = Some(value),
            Message::Applied(stamp) => self.pairing.applied(stamp),
            Message::State(state) => self.vehicle.state = state,
            Message::Bare(stamp) => {
                self.passed += 1;
                self.pairing.bare(stamp, now);
            }
        }
    }
}

impl Sink {
    /// Subscribes to the motors, the state and the ends of the bare chains, as on a robot; `with_stamps` also to `hind/applied`, which
    /// has the stamp of each motor value's stick event, and costs hindbrain one more message.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(stage: &Stage, with_stamps: bool) -> Result<Self> {
        let mut peer = Peer::new(stage, "bench_sink")?;
        peer.subscribe("/motor/port", qos::command(), |message: Int16| Message::Port(message.data))?;
        peer.subscribe("/motor/starboard", qos::command(), |message: Int16| {
            Message::Starboard(message.data)
        })?;
        let stamp = |message: TwistStamped| clock::from_wire(&message.header.stamp);
        if with_stamps {
            peer.subscribe("/hind/applied", qos::command(), move |message| Message::Applied(stamp(message)))?;
        }
        peer.subscribe("/hind/state", qos::state(), |message: Text| Message::State(message.data))?;
        for end in SUBJECTS.iter().flatten().filter_map(|subject| subject.end) {
            peer.subscribe(end, qos::command(), move |message| Message::Bare(stamp(message)))?;
        }
        peer.pause(SILENCE)?;
        Ok(Self { peer, received: Received::default() })
    }

    /// Begins to count anew.
    pub fn clear(&mut self) {
        self.received.pairing.clear();
        (self.received.values, self.received.passed) = (0, 0);
    }

    /// Messages that arrived.
    pub fn received(&self) -> &Received {
        &self.received
    }

    /// Receives for `time`.
    /// # Errors
    /// The user has requested the end.
    pub fn listen(&mut self, time: Duration) -> Result<()> {
        self.listen_until(time, |_| false).map(drop)
    }

    /// Receives for `time`, or until it is `enough`; returns whether it was.
    /// # Errors
    /// The user has requested the end.
    pub fn listen_until(&mut self, time: Duration, enough: impl Fn(&Received) -> bool) -> Result<bool> {
        let received = &mut self.received;
        self.peer.listen(time, |message, now| {
            received.handle(message, now);
            enough(received)
        })
    }

    /// Receives until it is `enough`; otherwise `what` was to happen.
    /// # Errors
    /// It never is.
    pub fn wait(&mut self, what: &str, enough: impl Fn(&Received) -> bool) -> Result<()> {
        if self.listen_until(START, enough)? {
            return Ok(());
        }
        Err(format!("{what}; {}", self.received.vehicle).into())
    }
}
