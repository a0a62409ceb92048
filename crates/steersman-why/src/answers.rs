use std::time::Duration;

use r2r::diagnostic_msgs::msg::DiagnosticStatus;
use ros::{Node, Received, clock, qos};
use safety::Instant;
use why::{Code, Reason, SILENT};

/// The key of the time at which a message of `why` was published.
pub(crate) const AT: &str = "at";
/// The time within which an answer has to come.
const ANSWER: Duration = Duration::from_secs(2);
/// The time in which a node that publishes `why` may answer: the middleware repeats what it lost.
const LATE_ANSWER: Duration = Duration::from_secs(4);
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
    silent: Reason,
    publishers: Vec<String>,
}

impl Answer {
    /// The exit code.
    pub(crate) fn code(&self) -> i32 {
        self.found.iter().map(code).max().unwrap_or(2)
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

/// The answers that were received.
pub(crate) struct Answers {
    messages: Received<DiagnosticStatus>,
    topic: String,
    stages: Vec<(Received<DiagnosticStatus>, Option<DiagnosticStatus>)>,
    /// The last message, and when it was received.
    last: Option<(Instant, DiagnosticStatus)>,
    found: Vec<DiagnosticStatus>,
    /// Since when an answer is awaited.
    since: Instant,
    /// Whether a message was received that was published just now; one that was kept for late subscribers may be old.
    is_alive: bool,
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
        let topic = format!("{place}why");
        let messages = subscribe(topic.clone())?;
        let mut stages = Vec::new();
        for name in STAGES.into_iter().filter(|_| all) {
            stages.push((subscribe(format!("{place}{name}/stage"))?, None));
        }
        let since = clock::now();
        Ok(Self { messages, topic, stages, last: None, found: Vec::new(), since, is_alive: false })
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
            // The first one may have been kept by a node that hangs.
            self.is_alive |= self.last.is_some() || is_recent(&message);
            self.found.retain(|found| found.message != message.message);
            self.found.push(message.clone());
            self.last = Some((now, message));
        }
        let publishers = ros::publishers(node, &self.topic).unwrap_or_default();
        let mut names: Vec<String> = publishers.into_iter().map(|publisher| publisher.full_name).collect();
        names.sort();
        let waited = now.since(self.since);
        let is_over = waited >= if names.is_empty() { ANSWER } else { LATE_ANSWER };
        let last = match &self.last {
            Some((at, last)) if self.is_alive && now.since(*at) < SILENT => last,
            Some((_, last)) if self.is_alive || is_over => {
                self.is_alive = false;
                return Some(silence(Some(&last.name)));
            }
            None if is_over => {
                let gate = names.first().and_then(|name| name.rsplit('/').next());
                return Some(silence(gate));
            }
            Some(_) | None => return None,
        };
        if names.len() <= 1 {
            let found = vec![last.clone()];
            self.found.clear();
            return Some(Answer { found, silent: Reason::new(Code::GateSilent), publishers: Vec::new() });
        }
        if waited < SEVERAL {
            return None; // the others answer within a second
        }
        let mut found = self.found.clone();
        found.sort_by_key(|found| std::cmp::Reverse(code(found)));
        Some(Answer { found, silent: Reason::new(Code::GateSilent), publishers: names })
    }
}

/// The answer in place of a gate that is silent.
fn silence(gate: Option<&str>) -> Answer {
    let silent = Reason::of(Code::GateSilent, gate);
    Answer { found: Vec::new(), silent, publishers: Vec::new() }
}

/// Whether the message was published just now by this computer's clock; by another clock it is not known.
fn is_recent(message: &DiagnosticStatus) -> bool {
    let at = value(message, AT).and_then(|at| at.parse::<f64>().ok());
    at.is_some_and(|at| (clock::stamp().as_nanos() as f64 / 1e9 - at).abs() < SILENT.as_secs_f64())
}
