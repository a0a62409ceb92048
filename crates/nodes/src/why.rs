//! Why the vehicle stands: each stage on its `~/stage`, and the one sentence on `why`, by the node with the last gate.
//!
//! Both are `diagnostic_msgs/DiagnosticStatus`, which `ros2 topic echo` shows without messages of Steersman. They are no outputs of a
//! machine: a task of the runner copies the stages, as the zones' picture, and publishes without the machine's lock.

use std::time::Duration;

use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use ros::{Error, Names, Received, Shell, Topic, clock, qos};
use safety::{Contains, Instant, Level, Machine, Stamp};
use why::{Explain, Moves, Reason, SILENT, Shown, Stage};

use crate::{joystick, velocity_arbiter, zone_scaler};

/// The topic of the sentence.
pub const WHY: &str = "why";
/// How often the stages are read at most.
const LOOK: Duration = Duration::from_millis(50);
/// How often a stage is published while only its velocities change.
const VELOCITIES: Duration = Duration::from_millis(100);
/// How often a stage is published that does not change, while it has a subscriber: three may be lost before it counts as silent.
const STAGE_PERIOD: Duration = Duration::from_millis(400);
/// How often the sentence is published that does not change.
const WHY_PERIOD: Duration = Duration::from_secs(1);
/// How often the publishers of the other stages are counted.
const COUNT_PERIOD: Duration = Duration::from_secs(1);

/// The stages before the last gate, from the hand.
const BEFORE: [&str; 3] = [joystick::NAME, velocity_arbiter::NAME, zone_scaler::NAME];

/// A stage on `~/stage`.
pub struct StageTopic {
    topic: Topic<DiagnosticStatus>,
    looked: Instant,
    published: Option<(Instant, Stage)>,
}

impl StageTopic {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        Ok(Self { topic: Topic::new(node, "~/stage", qos::state())?, looked: Instant::ZERO, published: None })
    }

    /// A task that publishes the stage `S` of the machine in `shell` when it is due.
    pub fn task<S: Machine + Explain, M: Contains<S> + 'static>(
        mut self,
        shell: &Shell<M>,
    ) -> impl FnMut(&mut r2r::Node) + Send + use<S, M>
    where
        Shell<M>: Send,
    {
        let shell = shell.clone();
        move |_| {
            let now = clock::now();
            if now >= self.looked + LOOK {
                self.looked = now;
                let stage = shell.inspect(|machine| machine.stage().explain());
                self.publish(now, &stage);
            }
        }
    }

    fn publish(&mut self, now: Instant, stage: &Stage) {
        let is_due = self.published.is_none_or(|(at, last)| {
            let waited = now.since(at);
            !last.is_alike(stage)
                || waited >= VELOCITIES && last != *stage
                || waited >= STAGE_PERIOD && self.topic.has_subscribers()
        });
        if is_due {
            self.published = Some((now, *stage));
            let values = stage.fields().into_iter().map(|(key, value)| KeyValue { key, value }).collect();
            self.topic.publish(&DiagnosticStatus {
                name: stage.name.to_string(),
                message: stage.findings.first(|_| true).map_or_else(String::new, |reason| reason.sentence()),
                hardware_id: "none".into(),
                values,
                ..Default::default()
            });
        }
    }
}

/// A stage of another process.
struct Reader {
    name: &'static str,
    /// The topic's name in the graph.
    topic: String,
    messages: Received<DiagnosticStatus>,
    last: Option<(Instant, Stage)>,
    /// Whether several nodes publish it: it is not known which one is on the way of the command.
    is_double: bool,
}

impl Reader {
    fn receive(&mut self, now: Instant) {
        for message in ros::ready(&mut self.messages) {
            let fields = message.values.iter().map(|field| (field.key.as_str(), field.value.as_str()));
            match Stage::read(self.name, fields) {
                Ok(stage) => self.last = Some((now, stage)),
                Err(error) => log::debug!("'{}' is ignored: {error}", self.topic),
            }
        }
    }

    /// The stage, unless it is silent or several nodes publish it.
    fn stage(&self, now: Instant) -> Option<Stage> {
        let fresh = self.last.filter(|(at, _)| now.since(*at) < SILENT && !self.is_double);
        fresh.map(|(_, stage)| stage)
    }
}

/// The sentence on `why`, and the stage of the last gate.
pub struct Why {
    topic: Topic<DiagnosticStatus>,
    gate: StageTopic,
    /// The stages of other processes; none in the composed one.
    readers: Vec<Reader>,
    node: String,
    shown: Shown,
    looked: Instant,
    counted: Instant,
    published: Option<Instant>,
    since: String,
}

impl Why {
    /// Opens the topics. A process that holds all stages, `composed`, does not subscribe to them.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, names: &Names, composed: bool) -> Result<Self, Error> {
        let mut readers = Vec::new();
        for name in BEFORE.into_iter().filter(|_| !composed) {
            let topic = format!("{name}/stage");
            let messages = node
                .subscribe(&topic, qos::state())
                .map_err(Error::ros(format!("subscribe to '{topic}'")))?;
            let topic = names.resolve(&topic);
            readers.push(Reader { name, topic, messages: Box::pin(messages), last: None, is_double: false });
        }
        Ok(Self {
            topic: Topic::new(node, WHY, qos::state())?,
            gate: StageTopic::new(node)?,
            readers,
            node: node.name().map_err(Error::ros("read the node's name"))?,
            shown: Shown::default(),
            looked: Instant::ZERO,
            counted: Instant::ZERO,
            published: None,
            since: String::new(),
        })
    }

    /// A task that publishes the sentence. `explain` reads the stages of the machine in `shell`, the last gate last; `complete` adds to
    /// the gate what the graph shows.
    pub fn task<M: Machine + 'static, const N: usize>(
        mut self,
        shell: Shell<M>,
        explain: fn(&M) -> [Stage; N],
        complete: impl Fn(&mut Stage) + Send,
    ) -> impl FnMut(&mut r2r::Node) + Send
    where
        Shell<M>: Send,
    {
        move |node| {
            let now = clock::now();
            self.readers.iter_mut().for_each(|reader| reader.receive(now));
            if now < self.looked + LOOK {
                return;
            }
            self.looked = now;
            if now >= self.counted + COUNT_PERIOD {
                self.counted = now;
                for reader in &mut self.readers {
                    reader.is_double =
                        ros::publishers(node, &reader.topic).is_none_or(|found| found.len() > 1);
                }
            }
            let mut own = shell.inspect(explain);
            if let Some(gate) = own.last_mut() {
                complete(gate);
                self.gate.publish(now, gate);
            }
            let chain: Vec<Stage> =
                self.readers.iter().filter_map(|reader| reader.stage(now)).chain(own).collect();
            self.publish(now, &chain);
        }
    }

    fn publish(&mut self, now: Instant, chain: &[Stage]) {
        let Some((reason, is_new)) = self.shown.update(now, why::choose(chain)) else { return };
        if is_new {
            log::info!(target: &self.node, "{}", reason.sentence());
            self.since = time(clock::stamp());
        }
        if is_new || self.published.is_none_or(|at| now >= at + WHY_PERIOD) {
            self.published = Some(now);
            self.topic.publish(&message(reason, chain, &self.since));
        }
    }
}

/// A time by the wall clock \[s].
fn time(Stamp { sec, nanosec }: Stamp) -> String {
    format!("{sec}.{nanosec:09}")
}

fn message(reason: &Reason, chain: &[Stage], since: &str) -> DiagnosticStatus {
    let gate = chain.last().map(|stage| stage.name).unwrap_or_default();
    let stage =
        chain.iter().find(|stage| stage.findings.contain(reason.code)).map_or(gate, |stage| stage.name);
    let driver = chain.iter().rev().map(|stage| stage.by).find(|by| !by.is_empty()).unwrap_or_default();
    let mut also: Vec<_> =
        chain.iter().flat_map(|stage| stage.findings.iter()).map(|reason| reason.code).collect();
    also.sort_unstable();
    also.dedup();
    let also = also.into_iter().filter(|code| *code != reason.code).map(|code| code.row().name);
    let moves = Moves::in_chain(reason, chain);
    let level = if moves == Moves::No { Level::Warn } else { Level::Ok };
    let values = [
        ("code", reason.row().name.to_owned()),
        ("act", reason.act().as_str().to_owned()),
        ("actor", reason.actor().as_str().to_owned()),
        ("stage", stage.to_string()),
        ("driver", driver.to_string()),
        ("since", since.to_owned()),
        ("at", time(clock::stamp())),
        ("moves", moves.as_str().to_owned()),
        ("also", also.collect::<Vec<_>>().join(" ")),
    ];
    DiagnosticStatus {
        level: level as u8,
        name: gate.to_string(),
        message: reason.sentence(),
        hardware_id: "none".into(),
        values: values.map(|(key, value)| KeyValue { key: key.into(), value }).into(),
    }
}
