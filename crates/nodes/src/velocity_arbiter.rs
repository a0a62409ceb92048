//! Node `velocity_arbiter`: selects the source that drives.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use arbiter::{
    Active, Arbiter, Input, Invalid, Output, Params, SourceType, State, Verdict, Wiring, specification,
};
use joystick::PoseState;
use params::{Refusal, Set};
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use r2r::geometry_msgs::msg as geometry;
use r2r::or_pose_estimator::msg as or_pose;
use r2r::std_msgs::msg::Bool;
use ros::panics::lock;
use ros::{Candidate, Error, Names, Shell, Status, Stop, SubscriptionSpec, Topic, clock, qos};
use safety::{Command, Contains, Instant, NotFinite, PublisherCount, Stamp};

use crate::command_topic::CommandTopic;
use crate::messages;
use crate::start::{self, Member};
use crate::why::StageTopic;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "velocity_arbiter";
/// The topic of the node's command.
pub const COMMAND: &str = "cmd_vel_arbitrated";

/// Topics that the node publishes.
pub struct Topics {
    /// The command's topic, for its latency and [`CommandTopic::for_subscribers_only`].
    pub command: CommandTopic,
    active: Topic<DiagnosticStatus>,
    /// The parameters that name sources and locks; [`SharedParams::update`] is to be called when they change.
    pub shared_params: SharedParams,
    /// The log line, which may wait.
    pub line: StatusLine,
}

/// The parameters that the machine's outputs were made with, which name the sources and locks behind their indices. The topics of the
/// sources are those in the graph.
#[derive(Clone)]
pub struct SharedParams(Arc<Mutex<Params>>, Names);

impl SharedParams {
    /// Records that `set` is in force.
    pub fn update(&self, set: &Set) {
        // A set that cannot be read is not in force.
        if let Ok(params) = Params::read(set) {
            *self.lock() = resolved(params, &self.1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Params> {
        lock(&self.0)
    }
}

/// The log line that names the driving source and why the others do not drive. A change is logged at once or, soon after
/// another one, a little later; the last change is always logged.
#[derive(Clone, Default)]
pub struct StatusLine(Arc<Mutex<Pending>>);

#[derive(Default)]
struct Pending {
    text: Option<String>,
    last: String,
    next: Instant,
}

/// The least time between two lines; `~/active` reports every change.
const LINE_PERIOD: Duration = Duration::from_millis(500);

impl StatusLine {
    fn change(&self, text: String) {
        self.lock().text = Some(text);
        self.print();
    }

    /// Prints the waiting line, if it is time.
    pub fn print(&self) {
        let mut pending = self.lock();
        if pending.text.is_none() || clock::now() < pending.next {
            return;
        }
        if let Some(text) = pending.text.take().filter(|text| *text != pending.last) {
            log::info!(target: NAME, "{text}");
            pending.next = clock::now() + LINE_PERIOD;
            pending.last = text;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        lock(&self.0)
    }
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params, names: &Names) -> Result<Self, Error> {
        Ok(Self {
            command: CommandTopic::new(node, COMMAND, params.stamped)?,
            active: Topic::new(node, "~/active", qos::state())?,
            shared_params: SharedParams(Arc::new(Mutex::new(resolved(params.clone(), names))), names.clone()),
            line: StatusLine::default(),
        })
    }

    /// Carries out an output of the machine.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(command) => self.command.publish(&command),
            Output::PublishActive(active) => {
                let params = self.shared_params.lock().clone();
                self.line.change(line_of(&active, &params));
                self.active.publish(&active_message(&active, &params));
            }
        }
    }
}

fn resolved(mut params: Params, names: &Names) -> Params {
    params.sources.iter_mut().for_each(|source| source.topic = names.resolve(&source.topic));
    params.locks.iter_mut().for_each(|lock| lock.topic = names.resolve(&lock.topic));
    params
}

/// The name of the source that drives.
fn driving<'a>(active: &Active, params: &'a Params) -> Option<&'a str> {
    active.source.and_then(|index| params.sources.get(index)).map(|source| source.name.as_str())
}

/// Why a source drives or does not, and what is wrong with its publishers.
fn reason(verdict: Verdict, publishers: PublisherCount, params: &Params) -> String {
    let verdict = verdict.explain(params);
    if publishers.is_conflict() { format!("{verdict} ({publishers})") } else { verdict }
}

fn line_of(active: &Active, params: &Params) -> String {
    let mut line = format!("{} drives", driving(active, params).unwrap_or("no source"));
    let sources = params.sources.iter().zip(&active.verdicts).zip(&active.publishers);
    for ((source, verdict), publishers) in sources {
        if *verdict != Verdict::Drives || publishers.is_conflict() {
            let _ = write!(line, "; {} {}", source.name, reason(*verdict, *publishers, params));
            if matches!(verdict, Verdict::NeverReceived | Verdict::TimedOut) {
                let _ = write!(line, " on {}", source.topic);
            }
        }
    }
    for (lock, state) in params.locks.iter().zip(&active.locks) {
        let _ = write!(line, "; lock {} {state}", lock.name);
        if state.is_lost() {
            let _ = write!(line, " on {}", lock.topic);
        }
    }
    line
}

fn active_message(active: &Active, params: &Params) -> DiagnosticStatus {
    let value = |key: String, value: String| KeyValue { key, value };
    let Stamp { sec, nanosec } = active.stamp;
    // No source can have this name, since it contains a space.
    let since = value("active since".into(), format!("{sec}.{nanosec:09}"));
    let sources = params.sources.iter().zip(&active.verdicts).zip(&active.publishers);
    let sources = sources.map(|((source, verdict), publishers)| {
        value(source.name.clone(), reason(*verdict, *publishers, params))
    });
    let locks = params.locks.iter().zip(&active.locks);
    let locks = locks.map(|(lock, state)| value(format!("lock {}", lock.name), state.to_string()));
    DiagnosticStatus {
        name: NAME.into(),
        message: driving(active, params).unwrap_or("nobody").into(),
        hardware_id: "none".into(),
        values: [since].into_iter().chain(sources).chain(locks).collect(),
        ..Default::default()
    }
}

/// Waits up to a second for the publishers of the locks, so a lock on a topic of another type is refused at the start.
pub fn await_locks(node: &r2r::Node, names: &Names, params: &Params) {
    ros::wait_for_publishers(node, params.locks.iter().map(|lock| names.resolve(&lock.topic)));
}

/// The subscriptions of the parameters: locks first and then sources, except for the stick of the composed process, which
/// `wiring` names and the process feeds itself.
/// # Errors
/// A [`Refusal`] of what [`Params::read`] and [`Wiring::stick_of`] refuse.
pub fn subscriptions<M: Contains<Arbiter> + 'static>(
    set: &Set,
    names: &Names,
    wiring: &Wiring,
) -> Result<Vec<SubscriptionSpec<M>>, Refusal> {
    let params = Params::read(set)?;
    let stick = stick_of(set, &params, names, wiring)?;
    let mut specs = Vec::new();
    for (index, lock) in params.locks.iter().enumerate() {
        let convert =
            move |lock, message: Bool| Some(M::wrap(Input::LockReceived { lock, closed: message.data }));
        specs.push(SubscriptionSpec {
            parameter: format!("locks.{}.topic", lock.name),
            topic: lock.topic.clone(),
            index,
            candidate: Candidate::indexed(qos::edge(), convert),
            possible: LOCK_TYPES,
            count: Box::new(move |lock, publishers| {
                M::wrap(Input::LockPublishersCounted { lock, publishers })
            }),
        });
    }
    for (index, source) in params.sources.iter().enumerate().filter(|&(index, _)| stick != Some(index)) {
        specs.push(SubscriptionSpec {
            parameter: format!("sources.{}.topic", source.name),
            topic: source.topic.clone(),
            index,
            candidate: candidate(source.kind),
            possible: &SourceType::MESSAGES,
            count: Box::new(move |source, publishers| {
                M::wrap(Input::SourcePublishersCounted { source, publishers })
            }),
        });
    }
    Ok(specs)
}

/// The source among `params` that is the stick of the process.
/// # Errors
/// A [`Refusal`] of what [`Wiring::stick_of`] refuses.
pub fn stick_of(
    set: &Set,
    params: &Params,
    names: &Names,
    wiring: &Wiring,
) -> Result<Option<usize>, Refusal> {
    let stick = wiring.stick_of(params, |topic| names.resolve(topic));
    stick.map_err(|clash| set.refuse(&clash.parameter, clash.rule))
}

/// The types that a lock's topic can have.
const LOCK_TYPES: &[&str] = &["std_msgs/msg/Bool"];
/// The subscription of a source of this type.
fn candidate<M: Contains<Arbiter> + 'static>(kind: SourceType) -> Candidate<M> {
    let received = move |source: usize, command: Result<Command, NotFinite>| {
        Some(M::wrap(Input::CommandReceived { source, command: command.map_err(Invalid::NotFinite) }))
    };
    match kind {
        SourceType::Twist => Candidate::indexed(qos::commands(), move |source, message: geometry::Twist| {
            received(source, messages::unstamped(&message))
        }),
        SourceType::TwistStamped => {
            Candidate::indexed(qos::commands(), move |source, message: geometry::TwistStamped| {
                received(source, messages::command(&message))
            })
        }
        SourceType::PoseState => {
            Candidate::indexed(qos::commands(), move |source, message: or_pose::State| {
                let PoseState { stamp, intrinsic, vel, avel, acc, aacc, .. } = messages::reference(&message);
                let state = State { stamp, intrinsic, vel, avel, acc, aacc };
                Some(M::wrap(Input::StateReceived { source, state }))
            })
        }
    }
}

/// The node's diagnostics.
pub fn status(arbiter: &Arbiter) -> Status {
    Status::of(arbiter.health(), arbiter.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    await_locks(&member.node, member.inputs.names(), &member.params);
    let mut topics = Topics::new(&mut member.node, &member.params, member.inputs.names())?;
    let stage = StageTopic::new(&mut member.node, member.inputs.names(), NAME)?;
    let (command, latency) = (topics.command.topic.clone(), topics.command.latency.clone());
    let (shared_params, line, names) =
        (topics.shared_params.clone(), topics.line.clone(), member.inputs.names().clone());
    let wiring = Wiring { stick: None, own: vec![names.resolve(COMMAND)] };
    let shell = Shell::new(Arbiter::new(member.params.clone()), Some(Input::ClockRead), move |output| {
        topics.publish(output)
    });
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = runner
        .sleep_longer_at_rest()
        .status(move |machine| latency.report(status(machine)))
        .needs_subscriber(COMMAND, move || command.has_subscribers())
        .on_update(move |set| shared_params.update(set))
        .publishes_alone([COMMAND])
        .task(move |_| line.print())
        .task(stage.task::<Arbiter, _>(&shell))
        .subscribe(move |set| subscriptions(set, &names, &wiring))?
        .find_loops_of(COMMAND)?;
    start::run(runner, stop, &shell, [Input::Stopping])
}
