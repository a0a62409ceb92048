use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hindbrain::{Input, Source};
use ros::{Names, Shell, Status, clock};
use units::{Instant, Level, Machine};

use super::NAME;

/// Part of what the middleware says of a node whose name it does not know yet.
const NAMELESS: &str = "_UNKNOWN_";
/// How often the graph is asked who publishes commands, and who the rest.
const LOOK: Duration = Duration::from_millis(200);

/// Which of its two types `cmd_vel` was heard as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Heard {
    /// None so far.
    Nothing,
    /// `geometry_msgs/Twist`.
    Twist,
    /// `geometry_msgs/TwistStamped`.
    TwistStamped,
}

/// Who publishes what the node listens to, as far as the graph knows.
#[derive(Clone, Default)]
pub struct Publishers {
    names: Arc<Mutex<[Vec<String>; Source::COUNT]>>,
    heard: Arc<AtomicU8>,
    /// How many tell the motors something, this node included.
    drivers: Arc<AtomicUsize>,
    /// How many nodes are the emergency stop.
    estops: Arc<AtomicUsize>,
}

impl Publishers {
    /// A command came, of that type.
    pub fn hear(&self, heard: Heard) {
        self.heard.store(heard as u8, Ordering::Relaxed);
    }

    /// The nodes that publish `source`.
    pub fn of(&self, source: Source) -> Vec<String> {
        let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        Source::ALL.iter().position(|&s| s == source).map(|index| names[index].clone()).unwrap_or_default()
    }

    /// Says `text` of a source that is not in the graph.
    pub fn describe(&self, source: Source, text: String) {
        self.set(source, vec![text]);
    }

    /// Adds to `status` that the motors hear others too.
    pub fn report(&self, status: &mut Status) {
        let drivers = self.drivers.load(Ordering::Relaxed);
        if drivers > 1 {
            status.worsen(Level::Error, format!("the motors are told by {drivers} nodes"));
        }
        let estops = self.estops.load(Ordering::Relaxed);
        if estops > 1 {
            status.worsen(Level::Error, format!("{estops} nodes are the e-stop, and one may hide the other"));
        }
    }

    /// A chore that keeps the names and tells the machine how many publish commands it hears. In the composed process
    /// nobody can, which `commands` says.
    pub fn watch<M: Machine + 'static>(
        self,
        shell: Shell<M>,
        names: Names,
        commands: bool,
        wrap: fn(Input) -> M::Input,
    ) -> impl FnMut(&mut r2r::Node) + Send + 'static
    where
        Shell<M>: Send,
    {
        let mut due = Instant::ZERO;
        let mut round = 0_usize;
        let mut counted = 0;
        let mut drivers_told = 1;
        let (mut told, mut estops_told) = (false, false);
        move |node| {
            if clock::now() < due {
                return;
            }
            due = clock::now() + LOOK;
            if commands {
                let count = self.look_for_commands(node, &names);
                if count != counted {
                    counted = count;
                    told = false;
                    shell.deliver(wrap(Input::PublishersCounted(count)));
                }
                let all = self.of(Source::Command);
                if count > 1 && !told && are_named(&all) {
                    told = true;
                    log::warn!(
                        target: NAME,
                        "{count} publishers of '{}': {}",
                        names.resolve(topic(Source::Command)),
                        all.join(", ")
                    );
                }
            }
            let estops = nodes(publishers(node, &names, topic(Source::Estop), None));
            if estops.len() != self.estops.swap(estops.len(), Ordering::Relaxed) {
                shell.deliver(wrap(Input::EstopsCounted(estops.len())));
                estops_told = false;
            }
            if estops.len() > 1 && !estops_told && are_named(&estops) {
                estops_told = true;
                log::error!(
                    target: NAME,
                    "{} nodes publish '{}', and one may hide the other: {}",
                    estops.len(),
                    names.resolve(topic(Source::Estop)),
                    estops.join(", ")
                );
            }
            // Whoever else tells the motors something fights with this node, and no state of it can say so.
            let others = ["motor/port", "motor/starboard"].map(|topic| publishers(node, &names, topic, None));
            let most = others.iter().map(Vec::len).max().unwrap_or(0);
            self.drivers.store(most, Ordering::Relaxed);
            let all = others.concat();
            if most <= 1 {
                drivers_told = 1;
            } else if most > drivers_told && are_named(&all) {
                drivers_told = most;
                log::error!(target: NAME, "the motors are told by more than this node: {}", all.join(", "));
            }
            // One other source a round: nobody waits for them.
            round = (round + 1) % Source::COUNT;
            let source = Source::ALL[round];
            if !matches!(source, Source::Command | Source::Device) {
                self.set(source, publishers(node, &names, topic(source), None));
            }
        }
    }

    fn look_for_commands(&self, node: &r2r::Node, names: &Names) -> usize {
        let heard = self.heard.load(Ordering::Relaxed);
        let wanted = match heard {
            _ if heard == Heard::Twist as u8 => "geometry_msgs/msg/Twist",
            _ if heard == Heard::TwistStamped as u8 => "geometry_msgs/msg/TwistStamped",
            _ => return 0,
        };
        let found = publishers(node, names, topic(Source::Command), Some(wanted));
        let count = found.len();
        self.set(Source::Command, found);
        count
    }

    fn set(&self, source: Source, found: Vec<String>) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = Source::ALL.iter().position(|&s| s == source) {
            names[index] = found;
        }
    }
}

/// Whether all of these nodes can be told by name: one that came just now is in the graph before its name is.
fn are_named(names: &[String]) -> bool {
    !names.iter().any(|name| name.contains(NAMELESS))
}

/// Each node once, however often it publishes.
fn nodes(mut publishers: Vec<String>) -> Vec<String> {
    publishers.sort();
    publishers.dedup();
    publishers
}

/// Where a source's messages come from.
fn topic(source: Source) -> &'static str {
    match source {
        Source::Ir(_) => "hind/ir",
        other => other.name(),
    }
}

/// The nodes that publish `topic`, each as often as it does.
fn publishers(node: &r2r::Node, names: &Names, topic: &str, wanted: Option<&str>) -> Vec<String> {
    let all = node.get_publishers_info_by_topic(&names.resolve(topic), false).unwrap_or_default();
    let fits = all.into_iter().filter(|p| wanted.is_none_or(|wanted| p.topic_type == wanted));
    fits.map(|p| format!("{}/{}", p.node_namespace.trim_end_matches('/'), p.node_name)).collect()
}
