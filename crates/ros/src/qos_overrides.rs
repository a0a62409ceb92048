//! The parameters `qos_overrides.<topic>.<publisher|subscription>.<policy>`.
//!
//! # Source
//! `qos_parameters.hpp` of rclcpp 28 (Jazzy); own: what would make a stop or a command get lost is refused, as is what has no effect here.

use std::collections::BTreeMap;
use std::sync::Mutex;

use params::{Refusal, Value};
use r2r::QosProfile;
use r2r::qos::{DurabilityPolicy, ReliabilityPolicy};

use crate::Names;
use crate::candidate::is_reliable;
use crate::panics::lock;

/// The beginning of their names.
pub(crate) const PREFIX: &str = "qos_overrides.";

/// The largest depth.
const MOST_DEPTH: i64 = 10_000;

/// One side of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// The node publishes it.
    Publisher,
    /// The node subscribes to it.
    Subscription,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Policy {
    Depth(usize),
    Reliable(bool),
    /// Keep last, as everywhere.
    History,
    /// As the topic has it: who subscribes late to a state needs the last one, and to a command must not get it.
    Durable(bool),
}

/// One override.
#[derive(Clone, Debug, PartialEq)]
struct Override {
    name: String,
    value: Value,
    topic: String,
    endpoint: Endpoint,
    policy: Policy,
    is_used: bool,
}

/// The overrides of each node of this process, by the node's full name.
static OVERRIDES: Mutex<BTreeMap<String, Vec<Override>>> = Mutex::new(BTreeMap::new());

/// Takes the overrides out of the parameters of the node whose full name is `node`.
/// # Errors
/// All that are none.
pub(crate) fn take(node: &str, parameters: &mut Vec<(String, Value)>) -> Result<(), Vec<Refusal>> {
    let given: Vec<_> = parameters.extract_if(.., |(name, _)| name.starts_with(PREFIX)).collect();
    let (mut overrides, mut refusals) = (Vec::new(), Vec::new());
    for (name, value) in given {
        match Override::parse(name, value) {
            Ok(one) => overrides.push(one),
            Err(refusal) => refusals.push(refusal),
        }
    }
    if refusals.is_empty() {
        lock(&OVERRIDES).insert(node.into(), overrides);
        return Ok(());
    }
    Err(refusals)
}

/// The profile `qos` of one side of `topic`, with what the user overrides of it.
/// # Errors
/// An override that this side of this topic cannot have.
pub fn overridden(
    node: &r2r::Node,
    endpoint: Endpoint,
    topic: &str,
    qos: QosProfile,
) -> Result<QosProfile, Refusal> {
    let Ok((full_name, name, namespace)) =
        node.fully_qualified_name().and_then(|full_name| Ok((full_name, node.name()?, node.namespace()?)))
    else {
        return Ok(qos); // its creation fails as well
    };
    let mut overrides = lock(&OVERRIDES);
    let Some(overrides) = overrides.get_mut(&full_name).filter(|overrides| !overrides.is_empty()) else {
        return Ok(qos);
    };
    let full = Names::new(&name, &namespace, std::env::args()).resolve(topic);
    let mut all = overrides.iter_mut().filter(|one| one.topic == full && one.endpoint == endpoint);
    all.try_fold(qos, |qos, one| one.apply(qos))
}

/// The names of the overrides of the node whose full name is `node` that applied to none of its topics.
pub(crate) fn unused(node: &str) -> Vec<String> {
    let overrides = lock(&OVERRIDES);
    let unused = overrides.get(node).into_iter().flatten().filter(|one| !one.is_used);
    unused.map(|one| one.name.clone()).collect()
}

impl Override {
    fn parse(name: String, value: Value) -> Result<Self, Refusal> {
        let refuse = |name: String, rule: &str| Err(Refusal::of(&name, &value, rule));
        let mut parts = name.strip_prefix(PREFIX).unwrap_or_default().rsplitn(3, '.');
        let (policy, endpoint, topic) = (parts.next(), parts.next(), parts.next().unwrap_or_default());
        let endpoint = match endpoint {
            Some("publisher") => Endpoint::Publisher,
            Some("subscription") => Endpoint::Subscription,
            _ => return refuse(name, FORM),
        };
        if !topic.starts_with('/') {
            return refuse(name, FORM);
        }
        let policy = match (policy, &value) {
            (Some("depth"), Value::Integer(depth @ 1..=MOST_DEPTH)) => {
                Policy::Depth(usize::try_from(*depth).unwrap_or(1))
            }
            (Some("depth"), _) => return refuse(name, "must be a whole number from 1 to 10000"),
            (Some("reliability"), Value::Text(text)) if text == "reliable" => Policy::Reliable(true),
            (Some("reliability"), Value::Text(text)) if text == "best_effort" => Policy::Reliable(false),
            (Some("reliability"), _) => return refuse(name, "must be reliable or best_effort"),
            (Some("history"), Value::Text(text)) if text == "keep_last" => Policy::History,
            (Some("history"), _) => {
                return refuse(name, "must be keep_last: without a limit old commands would be kept");
            }
            (Some("durability"), Value::Text(text)) if text == "volatile" => Policy::Durable(false),
            (Some("durability"), Value::Text(text)) if text == "transient_local" => Policy::Durable(true),
            _ => {
                return refuse(
                    name,
                    "must be left out: depth and reliability can be overridden, no other policy",
                );
            }
        };
        let topic = topic.to_owned();
        Ok(Self { name, value, topic, endpoint, policy, is_used: false })
    }

    fn apply(&mut self, mut qos: QosProfile) -> Result<QosProfile, Refusal> {
        self.is_used = true;
        let is_input = self.endpoint == Endpoint::Subscription;
        let rule = match self.policy {
            Policy::Depth(depth) if is_input && depth < qos.depth => {
                format!(
                    "must be at least {}, as without it: a message that stops could be lost among others",
                    qos.depth
                )
            }
            Policy::Reliable(false) if is_input && is_reliable(&qos) => {
                "must be reliable: only of measurements may messages be lost".to_owned()
            }
            Policy::Depth(depth) => {
                qos.depth = depth;
                return Ok(qos);
            }
            Policy::Reliable(is_reliable) => {
                qos.reliability =
                    if is_reliable { ReliabilityPolicy::Reliable } else { ReliabilityPolicy::BestEffort };
                return Ok(qos);
            }
            Policy::Durable(is_durable)
                if is_durable != (qos.durability == DurabilityPolicy::TransientLocal) =>
            {
                "must be left out: it is another one than that of the topic".to_owned()
            }
            Policy::History | Policy::Durable(_) => return Ok(qos),
        };
        Err(Refusal::of(&self.name, &self.value, &rule))
    }
}

/// Rule of the name.
const FORM: &str = "and its name must be qos_overrides.TOPIC.publisher.POLICY or qos_overrides.TOPIC.subscription.POLICY, with the topic \
                    as in the graph: qos_overrides./cmd_vel.publisher.depth";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qos;

    fn parse(name: &str, value: Value) -> Result<Override, String> {
        Override::parse(format!("{PREFIX}{name}"), value).map_err(|refusal| refusal.to_string())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    fn applied(name: &str, value: Value, qos: QosProfile) -> Result<QosProfile, String> {
        parse(name, value)?.apply(qos).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn depth_and_reliability_of_an_output_are_the_users() {
        let name = "/r/cmd_vel.publisher";
        let deep = applied(&format!("{name}.depth"), Value::Integer(7), qos::command());
        assert_eq!(deep, Ok(qos::command().keep_last(7)));
        let lossy = applied(&format!("{name}.reliability"), text("best_effort"), qos::state());
        assert_eq!(lossy, Ok(qos::state().best_effort()));
        assert_eq!(applied(&format!("{name}.history"), text("keep_last"), qos::edge()), Ok(qos::edge()));
        assert_eq!(
            parse("/r/cmd_vel.publisher.depth", Value::Integer(7)).map(|one| one.topic),
            Ok("/r/cmd_vel".into())
        );
    }

    #[test]
    fn no_message_that_stops_may_be_lost() {
        let [depth, reliability] =
            ["depth", "reliability"].map(|policy| format!("/hind/estop.subscription.{policy}"));
        assert_eq!(applied(&depth, Value::Integer(2000), qos::edge()), Ok(qos::edge().keep_last(2000)));
        assert_eq!(
            applied(&depth, Value::Integer(999), qos::edge()).unwrap_err(),
            "parameter 'qos_overrides./hind/estop.subscription.depth' is 999, must be at least 1000, as without it: a message that stops \
             could be lost among others"
        );
        assert!(applied(&depth, Value::Integer(999), qos::heartbeat()).is_err(), "infra-red stops");
        assert_eq!(applied(&reliability, text("reliable"), qos::edge()), Ok(qos::edge()));
        assert!(
            applied(&reliability, text("best_effort"), qos::edge()).unwrap_err().contains("must be reliable")
        );
        assert_eq!(applied(&reliability, text("reliable"), qos::sensor()), Ok(qos::sensor().reliable()));
        assert_eq!(applied(&reliability, text("best_effort"), qos::sensor()), Ok(qos::sensor()));
        // As rclcpp declares it for its own topics, with the value that they have.
        let durability = "/hind/estop.subscription.durability";
        assert_eq!(applied(durability, text("volatile"), qos::edge()), Ok(qos::edge()));
        assert!(
            applied(durability, text("transient_local"), qos::edge()).unwrap_err().contains("another one")
        );
    }

    #[test]
    fn what_is_no_override_is_refused_with_a_sentence() {
        for (name, value, sentence) in [
            ("/a.publisher.depth", Value::Integer(0), "is 0, must be a whole number from 1 to 10000"),
            ("/a.publisher.depth", Value::Integer(10_001), "must be a whole number from 1 to 10000"),
            ("/a.publisher.depth", text("5"), "must be a whole number"),
            ("/a.publisher.reliability", text("system_default"), "must be reliable or best_effort"),
            ("/a.publisher.history", text("keep_all"), "must be keep_last"),
            ("/a.publisher.durability", text("persistent"), "must be left out"),
            ("/a.publisher.deadline", Value::Integer(5), "must be left out"),
            ("/a.publisher", Value::Integer(5), "and its name must be"),
            ("/a.publisher_x.depth", Value::Integer(5), "and its name must be"),
            ("a.publisher.depth", Value::Integer(5), "and its name must be"),
            ("", Value::Integer(5), "and its name must be"),
        ] {
            let refused = parse(name, value).unwrap_err();
            assert!(refused.contains(sentence), "{name}: {refused}");
        }
    }

    #[test]
    fn overrides_are_taken_out_of_the_parameters_and_known_as_unused() {
        let depth = ("qos_overrides./a.publisher.depth".to_owned(), Value::Integer(5));
        let other = ("accel".to_owned(), Value::Integer(5));
        let mut parameters = vec![depth.clone(), other.clone()];
        assert_eq!(take("/test/taken", &mut parameters), Ok(()));
        assert_eq!(
            (parameters, unused("/test/taken"), unused("/test/other")),
            (vec![other], vec![depth.0], vec![])
        );
        let wrong = |name: &str| (format!("{PREFIX}{name}"), Value::Bool(true));
        let refused = take("/test/refused", &mut vec![wrong("/a.publisher.depth"), wrong("a")]);
        assert_eq!(refused.map_err(|all| all.len()), Err(2));
    }
}
