//! The parameter `use_sim_time`, and the topic `/clock` that it makes the clock of stamps.
//!
//! Own, and not r2r's `TimeSource`: that one counts no publishers and believes every jump.

use std::mem::{Discriminant, discriminant};
use std::sync::Mutex;

use params::{Declaration, Parameter, Refusal, Value};
use r2r::QosProfile;
use r2r::rosgraph_msgs::msg::Clock;
use safety::{ClockAnomaly, Level, PublisherCount};

use crate::panics::lock;
use crate::qos_overrides::{Endpoint, overridden};
use crate::{Error, Names, Publisher, Received, Status, clock, publishers, ready};

/// The topic.
const CLOCK: &str = "/clock";

/// The parameter.
pub(crate) const NAME: &str = "use_sim_time";

const PARAMETER: Parameter<bool> = Parameter::bool(NAME, false).at_start().text(
    "Whether stamps and their ages follow the topic /clock, as all nodes must that exchange stamps. Time-outs follow the computer's own \
     clock in any case.",
);

/// The declaration of the parameter, which every node has.
pub(crate) fn declaration() -> Declaration {
    PARAMETER.declaration()
}

/// The node that decided whether this process has simulated time, and how.
static DECIDED: Mutex<Option<(String, bool)>> = Mutex::new(None);

/// The subscription to `/clock`: of one node, for all of its process.
pub(crate) struct ClockTopic {
    messages: Received<Clock>,
    node: String,
    full: String,
    conflict: Option<String>,
    reported: Option<Discriminant<ClockAnomaly>>,
}

impl ClockTopic {
    /// Subscribes `node` to `/clock` if it `is_simulated` and is the first of its process.
    /// # Errors
    /// Another node of the process has another kind of time, or the middleware refuses the subscription.
    pub(crate) fn open(node: &mut r2r::Node, is_simulated: bool) -> Result<Option<Self>, Error> {
        let name = node.name().map_err(Error::ros("read the node's name"))?;
        let is_first = decide(&mut lock(&DECIDED), &name, is_simulated)?;
        if !is_first || !is_simulated {
            return Ok(None);
        }
        let what = || Error::ros(format!("subscribe to '{CLOCK}'"));
        // As in rclcpp's `ClockQoS`: it matches any publisher.
        let qos = QosProfile::default().best_effort().volatile().keep_last(1);
        let qos = overridden(node, Endpoint::Subscription, CLOCK, qos).map_err(Error::refused(node))?;
        let messages = node.subscribe(CLOCK, qos).map_err(what())?;
        let namespace = node.namespace().map_err(what())?;
        let full = Names::new(&name, &namespace, std::env::args()).resolve(CLOCK);
        clock::simulate();
        Ok(Some(Self { messages: Box::pin(messages), node: name, full, conflict: None, reported: None }))
    }

    /// Receives what r2r has and returns the number of messages.
    pub(crate) fn receive(&mut self) -> usize {
        let mut count = 0;
        for message in ready(&mut self.messages) {
            count += 1;
            lock(clock::simulate()).receive(clock::now(), clock::from_wire(&message.clock));
        }
        if count > 0 {
            self.log();
        }
        count
    }

    /// Counts the publishers.
    pub(crate) fn count(&mut self, node: &r2r::Node) {
        let found = publishers(node, &self.full);
        let count = found.as_ref().map_or(PublisherCount::Unknown, |found| PublisherCount::of(found.len()));
        lock(clock::simulate()).count(clock::now(), count);
        let nodes: Vec<&str> = found.iter().flatten().map(|publisher| publisher.node.as_str()).collect();
        let is_named = !found.iter().flatten().any(Publisher::is_nameless);
        self.conflict = (nodes.len() > 1 && is_named).then(|| nodes.join(", "));
    }

    /// Logs it when the time becomes unreliable, or reliable again.
    pub(crate) fn log(&mut self) {
        let anomaly = clock::anomaly();
        if matches!(anomaly, Some(ClockAnomaly::Begins)) {
            return; // for half a second
        }
        if matches!(anomaly, Some(ClockAnomaly::Publishers(PublisherCount::Known { .. })))
            && self.conflict.is_none()
        {
            return; // until the names of all of them are known
        }
        if std::mem::replace(&mut self.reported, anomaly.as_ref().map(discriminant))
            == anomaly.as_ref().map(discriminant)
        {
            return;
        }
        match anomaly {
            Some(anomaly) => log::warn!(target: &self.node, "{}", self.sentence(&anomaly)),
            None => log::info!(target: &self.node, "'{}' advances: stamps count by it", self.full),
        }
    }

    fn sentence(&self, anomaly: &ClockAnomaly) -> String {
        let of = self.conflict.as_ref().map_or_else(String::new, |nodes| format!(": {nodes}"));
        let of = if matches!(anomaly, ClockAnomaly::Publishers(_)) { of } else { String::new() };
        sentence(&self.full, anomaly, &of)
    }
}

/// Adds to `status` why the clock of stamps is not reliable.
pub(crate) fn report(topic: Option<&ClockTopic>, status: &mut Status) {
    if let Some(anomaly) = clock::anomaly() {
        let text = topic.map_or_else(|| sentence(CLOCK, &anomaly, ""), |topic| topic.sentence(&anomaly));
        // It stands in any status: it is the reason for most of what an error says then.
        let (level, message) =
            (std::mem::replace(&mut status.level, Level::Warn), std::mem::replace(&mut status.message, text));
        status.worsen(level, message);
    }
}

fn sentence(topic: &str, anomaly: &ClockAnomaly, of: &str) -> String {
    format!("'{topic}' {anomaly}{of}: nothing that is stamped counts, since {NAME} is true")
}

/// Whether the node `name` is the first one of its process to decide.
fn decide(decided: &mut Option<(String, bool)>, name: &str, is_simulated: bool) -> Result<bool, Error> {
    let Some((first, decision)) = decided else {
        *decided = Some((name.into(), is_simulated));
        return Ok(true);
    };
    if *decision == is_simulated {
        return Ok(false);
    }
    let rule = format!(
        "must be {decision} as for '{first}', which is in the same process: give it to all nodes, without a node's name or under '/**'"
    );
    let refusal = Refusal::of(NAME, &Value::Bool(is_simulated), &rule);
    Err(Error::Parameters { node: name.into(), refusals: vec![refusal] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nodes_of_a_process_have_one_clock() {
        let mut decided = None;
        assert_eq!(decide(&mut decided, "joystick", true).ok(), Some(true));
        assert_eq!(decide(&mut decided, "zone_scaler", true).ok(), Some(false));
        let refused = decide(&mut decided, "hindbrain", false).unwrap_err().to_string();
        let sentence = "parameter 'use_sim_time' is false, must be true as for 'joystick', which is in the same process: give it to \
                        all nodes, without a node's name or under '/**'";
        assert!(refused.contains(sentence), "{refused}");
    }

    #[test]
    fn a_doubt_names_the_topic_and_the_parameter() {
        assert_eq!(
            sentence("/sim/clock", &ClockAnomaly::Publishers(PublisherCount::of(2)), ": a, b"),
            "'/sim/clock' has 2 publishers, must have one: a, b: nothing that is stamped counts, since use_sim_time is true"
        );
    }
}
