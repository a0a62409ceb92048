use std::time::Duration;

use r2r::geometry_msgs::msg::TwistStamped;
use r2r::std_msgs::msg::{Int16, String as Text};
use ros::{Error, Stop, clock, qos};
use units::Stamp;

use crate::incoming::Incoming;
use crate::pairing::Pairing;
use crate::subject::{Kind, SUBJECTS};

/// The motors' value for standing, and what hindbrain says when it may leave it.
const STANDS: i16 = 90;
const OK: &str = "OK";
/// How long what an ended process has sent may still arrive.
const SILENCE: Duration = Duration::from_millis(100);
/// How long a wait may last: the wish to end must be seen.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);

/// Hears what arrives, of every subject with the same node and the same topics, so that it costs each one the same.
pub struct Sink {
    node: r2r::Node,
    stop: Stop,
    port: Incoming<Int16>,
    applied: Incoming<TwistStamped>,
    state: Incoming<Text>,
    chains: Vec<Incoming<TwistStamped>>,
    heard: Heard,
}

/// What was heard.
#[derive(Debug, Default)]
pub struct Heard {
    /// The events that arrived.
    pub pairing: Pairing,
    port: Option<i16>,
    state: Option<String>,
}

impl Heard {
    /// Whether hindbrain lets commands pass.
    pub fn is_enabled(&self) -> bool {
        self.state.as_deref() == Some(OK)
    }

    /// Whether the port motor turns.
    pub fn moves(&self) -> bool {
        self.port.is_some_and(|port| port != STANDS)
    }

    /// For the user when nothing arrives.
    pub fn summary(&self) -> String {
        let said = |what: Option<String>| what.unwrap_or_else(|| "nothing yet".into());
        format!(
            "/motor/port said {}, /hind/state {}",
            said(self.port.map(|port| port.to_string())),
            said(self.state.clone())
        )
    }
}

impl Sink {
    /// Listens with `node` to the motors and to the ends of the bare chains.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(mut node: r2r::Node, stop: Stop) -> Result<Self, Error> {
        let port = Incoming::new(&mut node, "/motor/port", qos::command())?;
        let applied = Incoming::new(&mut node, "/hind/applied", qos::command())?;
        let state = Incoming::new(&mut node, "/hind/state", qos::state())?;
        let ends = SUBJECTS.iter().filter_map(|subject| match subject.kind {
            Kind::Bare(end) => Some(end),
            Kind::Nodes(_) => None,
        });
        let chains =
            ends.map(|end| Incoming::new(&mut node, end, qos::command())).collect::<Result<_, _>>()?;
        Ok(Self { node, stop, port, applied, state, chains, heard: Heard::default() })
    }

    /// Forgets what was heard, for a new subject, once the one before has fallen silent.
    pub fn forget(&mut self) {
        self.listen(SILENCE, |_| false);
        self.heard = Heard::default();
    }

    /// Begins to count anew.
    pub fn clear(&mut self) {
        self.heard.pairing.clear();
    }

    /// What was heard.
    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    /// Whether somebody wishes to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Listens for `time`, or until it is `enough` or somebody wishes to end; tells whether it was enough.
    pub fn listen(&mut self, time: Duration, enough: impl Fn(&Heard) -> bool) -> bool {
        let end = clock::now() + time;
        loop {
            let left = end.since(clock::now());
            if left.is_zero() || self.stop.is_set() {
                return false;
            }
            self.node.spin_once(left.min(LONGEST_SLEEP));
            self.read();
            if enough(&self.heard) {
                return true;
            }
        }
    }

    /// Takes what has come; all of it came now.
    fn read(&mut self) {
        let now: Stamp = clock::stamp();
        while let Some(message) = self.port.take() {
            self.heard.port = Some(message.data);
            self.heard.pairing.motor(now);
        }
        while let Some(message) = self.applied.take() {
            self.heard.pairing.applied(clock::from_wire(&message.header.stamp));
        }
        while let Some(message) = self.state.take() {
            self.heard.state = Some(message.data);
        }
        for chain in &mut self.chains {
            while let Some(message) = chain.take() {
                let number = message.twist.linear.x as u64;
                self.heard.pairing.bare(clock::from_wire(&message.header.stamp), number, now);
            }
        }
    }
}
