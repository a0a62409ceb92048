use std::time::Duration;

use r2r::geometry_msgs::msg::TwistStamped;
use r2r::std_msgs::msg::{Int16, String as Text};
use ros::{Error, Stop, clock, qos};
use safety::Stamp;

use crate::incoming::Incoming;
use crate::pairing::Pairing;
use crate::subject::{Kind, SUBJECTS};

/// The motors' value for standing, and what hindbrain publishes while it lets commands pass.
const STANDS: i16 = 90;
const OK: &str = "OK";
/// How long messages of an ended process may still arrive.
const SILENCE: Duration = Duration::from_millis(100);
/// The longest wait: a request to end must be noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);

/// Topics that are subscribed to besides the motors and the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listens {
    /// Nothing, as on a robot.
    ToMotors,
    /// `hind/applied`, which has the stamp of each motor value's stick event, and costs hindbrain one more message.
    ToStampsToo,
}

/// Receives what arrives, with the same node and topics for every subject, so the cost is the same for each.
pub struct Sink {
    node: r2r::Node,
    stop: Stop,
    port: Incoming<Int16>,
    starboard: Incoming<Int16>,
    applied: Option<Incoming<TwistStamped>>,
    state: Incoming<Text>,
    chains: Vec<Incoming<TwistStamped>>,
    received: Received,
}

/// Messages that arrived.
#[derive(Debug, Default)]
pub struct Received {
    /// The events that arrived.
    pub pairing: Pairing,
    /// How many values of the port motor.
    pub values: u64,
    /// How many messages of a bare chain.
    pub passed: u64,
    port: Option<i16>,
    state: Option<String>,
}

impl Received {
    /// Whether hindbrain lets commands pass.
    pub fn is_enabled(&self) -> bool {
        self.state.as_deref() == Some(OK)
    }

    /// Whether the port motor turns.
    pub fn moves(&self) -> bool {
        self.port.is_some_and(|port| port != STANDS)
    }

    /// Shown to the user when nothing arrives.
    pub fn summary(&self) -> String {
        let or_nothing = |what: Option<String>| what.unwrap_or_else(|| "nothing yet".into());
        format!(
            "/motor/port published {}, /hind/state {}",
            or_nothing(self.port.map(|port| port.to_string())),
            or_nothing(self.state.clone())
        )
    }
}

impl Sink {
    /// Subscribes to the motors and to the ends of the bare chains.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(context: &r2r::Context, listens: Listens, stop: Stop) -> Result<Self, Error> {
        let mut node = r2r::Node::create(context.clone(), "bench_sink", "")
            .map_err(Error::ros("make the node 'bench_sink'"))?;
        let port = Incoming::new(&mut node, "/motor/port", qos::command())?;
        let starboard = Incoming::new(&mut node, "/motor/starboard", qos::command())?;
        let stamps = listens == Listens::ToStampsToo;
        let applied =
            stamps.then(|| Incoming::new(&mut node, "/hind/applied", qos::command())).transpose()?;
        let state = Incoming::new(&mut node, "/hind/state", qos::state())?;
        let ends = SUBJECTS.iter().filter_map(|subject| match subject.kind {
            Kind::Bare(end) => Some(end),
            Kind::Nodes(_) => None,
        });
        let chains =
            ends.map(|end| Incoming::new(&mut node, end, qos::command())).collect::<Result<_, _>>()?;
        Ok(Self { node, stop, port, starboard, applied, state, chains, received: Received::default() })
    }

    /// Forgets what arrived, for a new subject, once the one before has fallen silent.
    pub fn forget(&mut self) {
        self.listen(SILENCE, |_| false);
        self.received = Received::default();
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

    /// Whether the user interrupted the measurement.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Receives for `time`, or until it is `enough` or the user interrupts; returns whether it was enough.
    pub fn listen(&mut self, time: Duration, enough: impl Fn(&Received) -> bool) -> bool {
        let end = clock::now() + time;
        loop {
            let left = end.since(clock::now());
            if left.is_zero() || self.stop.is_set() {
                return false;
            }
            self.node.spin_once(left.min(LONGEST_SLEEP));
            self.read();
            if enough(&self.received) {
                return true;
            }
        }
    }

    /// Records the received messages as of now.
    fn read(&mut self) {
        let now: Stamp = clock::stamp();
        while let Some(message) = self.port.take() {
            self.received.port = Some(message.data);
            self.received.values += 1;
            self.received.pairing.motor(now);
        }
        while self.starboard.take().is_some() {}
        while let Some(message) = self.applied.as_mut().and_then(Incoming::take) {
            self.received.pairing.applied(clock::from_wire(&message.header.stamp));
        }
        while let Some(message) = self.state.take() {
            self.received.state = Some(message.data);
        }
        for chain in &mut self.chains {
            while let Some(message) = chain.take() {
                self.received.passed += 1;
                self.received.pairing.bare(clock::from_wire(&message.header.stamp), now);
            }
        }
    }
}
