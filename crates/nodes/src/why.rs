//! Why the vehicle stands: each stage on a topic `<stage>/stage`, and the one sentence on `why`, by the node with the last gate.
//!
//! The topic of a stage is not the node's private one: a node with another name is found all the same.
//!
//! Both are `diagnostic_msgs/DiagnosticStatus`, which `ros2 topic echo` shows without messages of Steersman. They are no outputs of a
//! machine: a task of the runner copies the stages, as the zones' picture, and publishes without the machine's lock.

use std::sync::LazyLock;
use std::time::Duration;

use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use ros::{Error, Names, Publisher, Received, Shell, Topic, clock, qos};
use safety::{Contains, Instant, Level, Machine, Stamp};
use why::{Code, Explain, Moves, Name, Reason, SILENT, Shown, Stage};

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
/// How often the graph is asked at most who publishes what a stage does not receive.
const ASK_PERIOD: Duration = Duration::from_secs(1);

/// The stages before the last gate, from the hand.
const BEFORE: [&str; 3] = [joystick::NAME, velocity_arbiter::NAME, zone_scaler::NAME];

/// Tells this process from all others, also from the one before it: a node that was killed stays in the graph for 20 s.
static PROCESS: LazyLock<String> =
    LazyLock::new(|| format!("process {} of {}", std::process::id(), time(clock::wall())));

/// A stage on its topic.
pub struct StageTopic {
    topic: Topic<DiagnosticStatus>,
    names: Names,
    /// The node's name, which may be another one than the stage's.
    node: String,
    looked: Instant,
    published: Option<(Instant, Stage)>,
    missed: Missed,
}

impl StageTopic {
    /// Opens the topic of the stage called `name`.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, names: &Names, name: &str) -> Result<Self, Error> {
        Ok(Self {
            topic: Topic::new(node, &topic_of(name), qos::state())?,
            names: names.clone(),
            node: node.name().map_err(Error::ros("read the node's name"))?,
            looked: Instant::ZERO,
            published: None,
            missed: Missed::default(),
        })
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
        move |node| {
            let now = clock::now();
            if now >= self.looked + LOOK {
                self.looked = now;
                let mut stage = shell.inspect(|machine| machine.stage().explain());
                stage.call(&self.node);
                self.missed.name(now, &mut stage, |topic| ros::publishers(node, &self.names.resolve(topic)));
                self.publish(now, &stage);
            }
        }
    }

    fn publish(&mut self, now: Instant, stage: &Stage) {
        let is_due = self.published.is_none_or(|(at, last)| {
            let waited = now.since(at);
            let period = if last == *stage { STAGE_PERIOD } else { VELOCITIES };
            !last.is_alike(stage) || waited >= period && self.topic.has_subscribers()
        });
        if is_due {
            self.published = Some((now, *stage));
            let values = stage.fields().into_iter().map(|(key, value)| KeyValue { key, value }).collect();
            self.topic.publish(&DiagnosticStatus {
                name: stage.name.to_string(),
                message: stage.findings.first(|_| true).map_or_else(String::new, |reason| reason.sentence()),
                hardware_id: PROCESS.clone(),
                values,
                ..Default::default()
            });
        }
    }
}

/// The topic of the stage called `name`.
fn topic_of(name: &str) -> String {
    format!("{name}/stage")
}

/// The publishers of what a stage does not receive.
#[derive(Default)]
struct Missed {
    /// For each of [`Missed::CODES`] the last answer: when it was asked for, about which topic, and the only publisher's node.
    answers: [Option<(Instant, Name, Name)>; 4],
}

impl Missed {
    const CODES: [Code; 4] = [Code::CmdSilent, Code::CmdUnfit, Code::StickSilent, Code::SourceUnfit];

    /// Names the node that publishes what `stage` does not receive: it hangs, was killed a moment ago, or does not fit. The graph is
    /// asked about each at most once per [`ASK_PERIOD`].
    fn name(&mut self, now: Instant, stage: &mut Stage, ask: impl Fn(&str) -> Option<Vec<Publisher>>) {
        for (code, answer) in Self::CODES.into_iter().zip(&mut self.answers) {
            let found = stage.findings.first(|found| found.code == code);
            let Some([who, topic, _]) = found.map(|found| found.names) else { continue };
            let known = answer.filter(|&(at, of, _)| of == topic && now < at + ASK_PERIOD);
            let (.., publisher) = *answer.insert(known.unwrap_or_else(|| {
                let node = match ask(topic.as_str()).as_deref() {
                    Some([one]) if !one.is_nameless() => Name::from(one.node.as_str()),
                    _ => Name::NONE,
                };
                (now, topic, node)
            }));
            stage.findings.name(code, [who, topic, publisher].each_ref().map(Name::as_str));
        }
    }
}

/// A stage of other processes.
struct Reader {
    topic: String,
    messages: Received<DiagnosticStatus>,
    /// The last message of each process that is not silent.
    last: Vec<(String, Instant, Stage)>,
}

impl Reader {
    fn receive(&mut self, now: Instant) {
        self.last.retain(|(_, at, _)| now.since(*at) < SILENT);
        for message in ros::ready(&mut self.messages) {
            let fields = message.values.iter().map(|field| (field.key.as_str(), field.value.as_str()));
            match Stage::read(&message.name, fields) {
                Ok(stage) => {
                    self.last.retain(|(process, ..)| *process != message.hardware_id);
                    self.last.push((message.hardware_id, now, stage));
                }
                Err(error) => log::debug!("'{}' is ignored: {error}", self.topic),
            }
        }
    }

    /// The stage: of several that one which moves, is asked, has a device, or else reported last.
    fn stage(&self) -> Option<Stage> {
        let stages = self.last.iter().map(|(.., stage)| *stage);
        stages.max_by_key(|stage| (stage.passed.is_motion, stage.asked.is_motion, stage.has_device))
    }
}

/// The sentence on `why`, and the stage of the last gate.
pub struct Why {
    topic: Topic<DiagnosticStatus>,
    gate: StageTopic,
    /// The stages of other processes; none in the composed one.
    readers: Vec<Reader>,
    shown: Shown,
    looked: Instant,
    published: Option<Instant>,
    since: String,
}

impl Why {
    /// Opens the topics of the gate called `gate`. A process that holds all stages, `composed`, does not subscribe to them.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, names: &Names, gate: &str, composed: bool) -> Result<Self, Error> {
        let mut readers = Vec::new();
        for name in BEFORE.into_iter().filter(|_| !composed) {
            let topic = topic_of(name);
            let messages = node
                .subscribe(&topic, qos::state())
                .map_err(Error::ros(format!("subscribe to '{topic}'")))?;
            readers.push(Reader { topic, messages: Box::pin(messages), last: Vec::new() });
        }
        Ok(Self {
            topic: Topic::new(node, WHY, qos::state())?,
            gate: StageTopic::new(node, names, gate)?,
            readers,
            shown: Shown::default(),
            looked: Instant::ZERO,
            published: None,
            since: String::new(),
        })
    }

    /// A task that publishes the sentence. `explain` reads the stages of the machine in `shell`, the last gate last; `complete` adds to
    /// the gate what the graph shows.
    pub fn task<M: Machine + 'static, const N: usize>(
        mut self,
        shell: Shell<M>,
        explain: impl Fn(&M) -> [Stage; N] + Send,
        complete: impl Fn(&mut Stage) + Send,
    ) -> impl FnMut(&mut r2r::Node) + Send
    where
        Shell<M>: Send,
    {
        let mut missed: [Missed; N] = std::array::from_fn(|_| Missed::default());
        move |node| {
            let now = clock::now();
            self.readers.iter_mut().for_each(|reader| reader.receive(now));
            if now < self.looked + LOOK {
                return;
            }
            self.looked = now;
            let mut own = shell.inspect(&explain);
            if let Some(gate) = own.last_mut() {
                gate.call(&self.gate.node);
                complete(gate);
                if !clock::reading().is_reliable {
                    gate.find(Code::ClockStands, []);
                }
            }
            for (stage, missed) in own.iter_mut().zip(&mut missed) {
                missed.name(now, stage, |topic| ros::publishers(node, &self.gate.names.resolve(topic)));
            }
            if let Some(gate) = own.last() {
                self.gate.publish(now, gate);
            }
            let chain: Vec<Stage> = self.readers.iter().filter_map(Reader::stage).chain(own).collect();
            self.publish(now, &chain);
        }
    }

    fn publish(&mut self, now: Instant, chain: &[Stage]) {
        let Some((reason, is_new)) = self.shown.update(now, why::choose(chain)) else { return };
        if is_new {
            self.since = time(clock::wall());
        }
        if is_new || self.published.is_none_or(|at| now >= at + WHY_PERIOD) {
            self.published = Some(now);
            self.topic.publish(&message(reason, chain, &self.since));
        }
        if let Some(reason) = self.shown.to_log(now) {
            log::info!(target: &self.gate.node, "{}", reason.sentence());
        }
    }
}

/// A time by the wall clock \[s].
fn time(Stamp { sec, nanosec }: Stamp) -> String {
    format!("{sec}.{nanosec:09}")
}

fn message(reason: &Reason, chain: &[Stage], since: &str) -> DiagnosticStatus {
    let gate = chain.last().map(|stage| stage.name).unwrap_or_default();
    let stage = why::stage_of(reason, chain).map(|stage| stage.name).unwrap_or_default();
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
        ("at", time(clock::wall())),
        ("moves", moves.as_str().to_owned()),
        ("also", also.collect::<Vec<_>>().join(" ")),
    ];
    DiagnosticStatus {
        level: level as u8,
        name: gate.to_string(),
        message: reason.sentence(),
        hardware_id: PROCESS.clone(),
        values: values.map(|(key, value)| KeyValue { key: key.into(), value }).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_graph_is_asked_once_a_second_who_publishes_what_is_missed() {
        let asked = Cell::new(0);
        let ask = |_: &str| {
            asked.set(asked.get() + 1);
            let node = String::from("planner");
            let (full_name, type_name) = (format!("/{node}"), String::new());
            let id = safety::PublisherId([0; 24]);
            Some(vec![Publisher { id, node, full_name, type_name, is_best_effort: true, is_volatile: true }])
        };
        let mut missed = Missed::default();
        // Three seconds of looks, from 0 s to 3 s: four questions.
        for look in 0..=60 {
            let mut stage = Stage::new("hindbrain");
            stage.find(Code::CmdSilent, ["hindbrain", "cmd_vel"]);
            missed.name(Instant::ZERO + LOOK * look, &mut stage, ask);
            let found = stage.findings.first(|_| true).map(|found| found.sentence());
            assert_eq!(
                found.unwrap(),
                "hindbrain receives nothing on cmd_vel. End planner, and start it again."
            );
        }
        assert_eq!(asked.get(), 4);
    }
}
