use std::time::Duration;

use r2r::diagnostic_msgs::msg::DiagnosticStatus;
use ros::{Node, Publisher, Received, clock, qos};
use safety::Instant;
use why::{Code, Reason, SILENT};

/// The key of the time at which a message of `why` was published.
pub(crate) const AT: &str = "at";
/// The time within which an answer has to come.
const ANSWER: Duration = Duration::from_secs(2);
/// The time in which a node that publishes `why` may answer: the middleware repeats what it lost.
const LATE_ANSWER: Duration = Duration::from_secs(4);
/// The length of what is common to the endpoints of a process \[bytes].
const PARTICIPANT: usize = 12;
/// How long the answers of several nodes are awaited: each repeats its own once a second.
const SEVERAL: Duration = Duration::from_millis(1200);
/// The nodes whose stages are shown, from the hand.
const STAGES: [&str; 5] = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain", "chair"];

/// The value of this key.
pub(crate) fn value<'a>(status: &'a DiagnosticStatus, key: &str) -> Option<&'a str> {
    status.values.iter().find(|field| field.key == key).map(|field| field.value.as_str())
}

/// Why the vehicle stands or moves.
pub(crate) struct Answer {
    /// The messages, of several nodes if several publish `why`, the worst first; none if all are silent.
    pub(crate) found: Vec<DiagnosticStatus>,
    /// The reason in place of a message.
    pub(crate) silent: Reason,
    publishers: Vec<String>,
}

impl Answer {
    /// The exit code.
    pub(crate) fn code(&self) -> i32 {
        self.found.iter().map(code).max().unwrap_or(crate::NO_ANSWER)
    }

    /// The sentences of all answers, and what is wrong with their number.
    pub(crate) fn sentence(&self) -> String {
        let mut lines: Vec<String> = self.found.iter().map(|found| found.message.clone()).collect();
        if lines.is_empty() {
            lines.push(self.silent.sentence());
        }
        if self.publishers.len() > 1 {
            lines.push(format!(
                "{} publish why: end all but one, or name a namespace.",
                self.publishers.join(" and ")
            ));
        }
        lines.join("\n")
    }
}

fn code(status: &DiagnosticStatus) -> i32 {
    i32::from(value(status, "moves").is_none_or(|moves| moves == "no"))
}

/// The answer of one process.
struct Sender {
    at: Instant,
    message: DiagnosticStatus,
    /// Whether it was published just now; a message that was kept for late subscribers may be of a process that hangs.
    is_alive: bool,
}

/// The answers that were received.
pub(crate) struct Answers {
    messages: Received<DiagnosticStatus>,
    /// Before the names of the topics.
    place: String,
    stages: Vec<(Received<DiagnosticStatus>, Option<DiagnosticStatus>)>,
    /// The last message of each process.
    senders: Vec<Sender>,
    /// The executable of the gate that the graph showed last.
    gate: Option<String>,
    /// Since when an answer is awaited.
    since: Instant,
}

impl Answers {
    /// Subscribes to `why`, and if `all` to the stages.
    /// # Errors
    /// The middleware refuses a topic.
    pub(crate) fn new(node: &mut Node, namespace: &str, all: bool) -> Result<Self, ros::Error> {
        let place = match namespace.trim_matches('/') {
            "" => "/".to_owned(),
            namespace => format!("/{namespace}/"),
        };
        let mut subscribe = |topic: String| -> Result<Received<DiagnosticStatus>, ros::Error> {
            let messages = node.subscribe(&topic, qos::state());
            Ok(Box::pin(messages.map_err(ros::Error::ros(format!("subscribe to '{topic}'")))?))
        };
        let messages = subscribe(format!("{place}why"))?;
        let mut stages = Vec::new();
        for name in STAGES.into_iter().filter(|_| all) {
            stages.push((subscribe(format!("{place}{name}/stage"))?, None));
        }
        Ok(Self { messages, place, stages, senders: Vec::new(), gate: None, since: clock::now() })
    }

    /// The stages that were received, from the hand.
    pub(crate) fn stages(&self) -> impl Iterator<Item = &DiagnosticStatus> {
        self.stages.iter().filter_map(|(_, last)| last.as_ref())
    }

    /// Receives the stages.
    pub(crate) fn receive_stages(&mut self) {
        for (messages, last) in &mut self.stages {
            *last = ros::ready(messages).last().or_else(|| last.take());
        }
    }

    /// Receives what has come; returns an answer if there is one, or silence if it has lasted.
    pub(crate) fn receive(&mut self, node: &r2r::Node, now: Instant) -> Option<Answer> {
        self.receive_stages();
        for message in ros::ready(&mut self.messages) {
            let known =
                self.senders.iter().position(|sender| sender.message.hardware_id == message.hardware_id);
            let is_alive = known.map(|index| self.senders.remove(index)).is_some() || is_recent(&message);
            self.senders.push(Sender { at: now, message, is_alive });
        }
        let find = |topic: &str| ros::publishers(node, &format!("{}{topic}", self.place)).unwrap_or_default();
        let publishers = find("why");
        if let Some(gate) = publishers.first() {
            // Endpoints of one process begin alike: `steersman` holds the zones, too.
            let is_of_gate = |other: &Publisher| other.id.0[..PARTICIPANT] == gate.id.0[..PARTICIPANT];
            let is_composed = find("zone_scaler/stage").iter().any(is_of_gate);
            self.gate = Some(if is_composed { "steersman" } else { &gate.node }.to_owned());
        }
        let is_living = |sender: &&Sender| sender.is_alive && now.since(sender.at) < SILENT;
        let mut found: Vec<_> =
            self.senders.iter().filter(is_living).map(|sender| sender.message.clone()).collect();
        found.sort_by_key(|found| std::cmp::Reverse(code(found)));
        let waited = now.since(self.since);
        let was_alive = self.senders.iter().any(|sender| sender.is_alive);
        let is_over = waited >= if publishers.is_empty() { ANSWER } else { LATE_ANSWER };
        if found.is_empty() && !was_alive && !is_over || publishers.len() > 1 && waited < SEVERAL {
            return None; // another one answers within a second
        }
        // One that hangs is in the graph for 20 s, and is never found by who comes later.
        let silent = Reason::of(Code::GateSilent, self.gate.as_deref());
        let mut names = Vec::new();
        if found.len() > 1 {
            names.extend(publishers.into_iter().map(|publisher| publisher.full_name));
            names.sort();
        }
        Some(Answer { found, silent, publishers: names })
    }
}

/// Whether the message was published just now by this computer's clock; by another one it is not known.
fn is_recent(message: &DiagnosticStatus) -> bool {
    let at = value(message, AT).and_then(|at| at.parse::<f64>().ok());
    at.is_some_and(|at| (clock::wall().as_nanos() as f64 / 1e9 - at).abs() < SILENT.as_secs_f64())
}
