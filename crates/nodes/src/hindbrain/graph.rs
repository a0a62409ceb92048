use std::sync::{Arc, Mutex};

use hindbrain::{CommandType, Hindbrain, Input, Publishers as Counted, SoleTopic, Source};
use ros::panics::lock;
use ros::{Names, Publisher, Runner};
use safety::{Contains, PublisherCount};

use super::inputs::EnableQueue;
use super::{INFRARED, NAME};
use crate::zone_scaler;

/// The names of the nodes that publish the subscribed topics, as far as the graph shows them.
#[derive(Clone, Default)]
pub struct Publishers(Arc<Mutex<[Vec<String>; Source::COUNT]>>);

impl Publishers {
    /// The nodes that publish `source`.
    pub fn of(&self, source: Source) -> Vec<String> {
        let names = lock(&self.0);
        Source::ALL.iter().position(|&s| s == source).map(|index| names[index].clone()).unwrap_or_default()
    }

    /// Describes a source that is not in the graph.
    pub fn describe(&self, source: Source, text: String) {
        self.set(source, vec![text]);
    }

    fn set(&self, source: Source, found: Vec<String>) {
        let mut names = lock(&self.0);
        if let Some(index) = Source::ALL.iter().position(|&s| s == source) {
            names[index] = found;
        }
    }
}

/// Counts the publishers of the topics that must have one.
pub struct Counter {
    publishers: Publishers,
    names: Names,
    /// The type of `cmd_vel`; `None` in the composed process, which does not subscribe to it, and where any publisher but its
    /// own is one too many.
    commands: Option<CommandType>,
    /// The topics of this node that move the vehicle.
    drives: &'static [&'static str],
    /// The publishers of each topic that were logged last.
    logged: [Vec<String>; SoleTopic::ALL.len()],
    /// Whether they were counted since the last messages were delivered.
    is_fresh: bool,
}

impl Counter {
    /// A counter for the node of `names`.
    pub fn new(
        publishers: Publishers,
        names: Names,
        commands: Option<CommandType>,
        drives: &'static [&'static str],
    ) -> Self {
        Self { publishers, names, commands, drives, logged: Default::default(), is_fresh: false }
    }

    /// Lets `runner` count when it is due, and before each message of `hind/enable` is delivered. A false is delivered twice, once
    /// without waiting for the second kind of count. So a true is a rise only if its publisher is alone in the same turn of the runner.
    pub fn add_to<M: Contains<Hindbrain, Input: Send> + Send + 'static>(
        self,
        runner: Runner<M>,
        enables: EnableQueue,
    ) -> Runner<M> {
        let (shell, counter) = (runner.shell().clone(), Arc::new(Mutex::new(self)));
        let (to, due) = (shell.clone(), Arc::clone(&counter));
        let runner = runner.count(move |node| {
            let mut due = lock(&due);
            to.deliver(M::wrap(Input::PublishersCounted(due.count(node))));
            due.find_sensor_publishers(node);
            due.is_fresh = true;
        });
        runner.task(move |node| {
            let (mut counter, waiting) = (lock(&counter), enables.take());
            let is_fresh = std::mem::take(&mut counter.is_fresh);
            if !waiting.is_empty() {
                let counted = (!is_fresh).then(|| Input::PublishersCounted(counter.count(node)));
                let enables = waiting.into_iter().map(Input::EnableReceived);
                shell.deliver_all(counted.into_iter().chain(enables).map(M::wrap));
            }
        })
    }

    fn count(&mut self, node: &r2r::Node) -> Counted {
        SoleTopic::ALL
            .into_iter()
            .fold(Counted::default(), |counted, topic| counted.with(topic, self.count_of(node, topic)))
    }

    fn count_of(&mut self, node: &r2r::Node, topic: SoleTopic) -> PublisherCount {
        let find = |topic| ros::publishers(node, &self.names.resolve(topic));
        let (found, wanted) = match topic {
            SoleTopic::Command => (find(zone_scaler::COMMAND), self.command_type()),
            SoleTopic::Enable => (find(Source::Enable.name()), Some(BOOL)),
            SoleTopic::Estop => (find(Source::Estop.name()), Some(BOOL)),
            SoleTopic::Reset => (find(Source::Reset.name()), Some(BOOL)),
            // Each topic has one publisher of this node; a second stack in the same namespace adds one to each.
            SoleTopic::Motors => {
                let all: Option<Vec<_>> = self.drives.iter().map(|topic| find(topic)).collect();
                (all.and_then(|all| all.into_iter().max_by_key(Vec::len)), None)
            }
        };
        let is_compatible =
            |one: &Publisher| wanted.is_none_or(|wanted| one.mismatch(wanted, true).is_none());
        let count = ros::count(found.as_deref(), is_compatible);
        if let Some(found) = found {
            self.report(topic, count, &found);
            if let Some(source) = source_of(topic) {
                self.publishers.set(source, names(found));
            }
        }
        count
    }

    fn command_type(&self) -> Option<&'static str> {
        self.commands.map(|command_type| match command_type {
            CommandType::Twist => "geometry_msgs/msg/Twist",
            CommandType::TwistStamped => "geometry_msgs/msg/TwistStamped",
        })
    }

    /// Logs a conflict with the names of the publishers, once while they stay the same.
    fn report(&mut self, topic: SoleTopic, count: PublisherCount, found: &[Publisher]) {
        let nodes = names(found.to_vec());
        let logged = &mut self.logged[topic as usize];
        if !count.is_conflict() {
            logged.clear();
        } else if *logged != nodes && !found.iter().any(Publisher::is_nameless) {
            logged.clone_from(&nodes);
            let resolve = |topic: &str| self.names.resolve(topic);
            let of = |source: Source| resolve(source.name());
            let (name, wanted) = match topic {
                SoleTopic::Command => (
                    resolve(zone_scaler::COMMAND),
                    "one publisher, of the type that cmd_vel_type says, reliable: other commands belong in a source of velocity_arbiter",
                ),
                SoleTopic::Enable => (of(Source::Enable), "one publisher of std_msgs/Bool, reliable"),
                SoleTopic::Estop => (
                    of(Source::Estop),
                    "one publisher of std_msgs/Bool, reliable: let one node join all buttons",
                ),
                SoleTopic::Reset => (of(Source::Reset), "one publisher of std_msgs/Bool, reliable"),
                SoleTopic::Motors => (
                    self.drives.iter().map(|topic| resolve(topic)).collect::<Vec<_>>().join("' or '"),
                    "this node alone: end the other one, or start it in a namespace of its own",
                ),
            };
            let effect = if topic == SoleTopic::Reset { "no reset counts" } else { "the vehicle is stopped" };
            log::error!(target: NAME, "{effect}: '{name}' is published by {}, must be {wanted}", list(&nodes));
        }
    }

    /// Finds the publishers of the infra-red sensors, which are only reported in the details.
    fn find_sensor_publishers(&self, node: &r2r::Node) {
        let nodes = names(ros::publishers(node, &self.names.resolve(INFRARED)).unwrap_or_default());
        for sensor in hindbrain::Sensor::ALL {
            self.publishers.set(Source::Ir(sensor), nodes.clone());
        }
    }
}

const BOOL: &str = "std_msgs/msg/Bool";

fn source_of(topic: SoleTopic) -> Option<Source> {
    match topic {
        SoleTopic::Command => Some(Source::Command),
        SoleTopic::Enable => Some(Source::Enable),
        SoleTopic::Estop => Some(Source::Estop),
        SoleTopic::Reset => Some(Source::Reset),
        SoleTopic::Motors => None,
    }
}

/// The full names of the publishers' nodes.
fn names(publishers: Vec<Publisher>) -> Vec<String> {
    publishers.into_iter().map(|publisher| publisher.full_name).collect()
}

/// Each name once, with its number of occurrences.
pub fn list(nodes: &[String]) -> String {
    let mut names: Vec<&String> = nodes.iter().collect();
    names.sort();
    names.dedup();
    let count = |name: &String| nodes.iter().filter(|node| *node == name).count();
    let texts = names.into_iter().map(|name| match count(name) {
        1 => name.clone(),
        times => format!("{name} ({times} times)"),
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_one_name_are_counted() {
        let nodes = ["/b", "/a", "/b"].map(str::to_owned);
        assert_eq!(list(&nodes), "/a, /b (2 times)");
    }
}
