//! Node `velocity_arbiter`: who drives now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arbiter::{Active, Arbiter, Input, Invalid, Kind, Output, Params, specification};
use params::{Refusal, Set};
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use r2r::geometry_msgs::msg as geometry;
use r2r::or_pose_estimator::msg as or_pose;
use r2r::std_msgs::msg::Bool;
use ros::{Candidate, Error, Names, Shell, Status, Stop, Topic, Wish, clock, qos};
use units::{Instant, Machine, Stamp, Velocity};

use crate::command_topic::CommandTopic;
use crate::messages;
use crate::start::{self, Member};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "velocity_arbiter";
/// Where the node's command goes.
pub const COMMAND: &str = "cmd_vel_arbitrated";

/// What the node publishes.
pub struct Topics {
    command: CommandTopic,
    active: Topic<DiagnosticStatus>,
    known: Known,
    next_line: Instant,
}

/// How often the log says at most who drives; `~/active` says it each time.
const LINES: Duration = Duration::from_millis(100);

/// The parameters that the machine's outputs are made with, to name what they number.
#[derive(Clone)]
pub struct Known(Arc<Mutex<Params>>);

impl Known {
    /// Takes note that `set` is in force.
    pub fn note(&self, set: &Set) {
        // What does not read is not in force.
        if let Ok(params) = Params::read(set) {
            *self.lock() = params;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Params> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            command: CommandTopic::new(node, COMMAND, params.stamped)?,
            active: Topic::new(node, "~/active", qos::state())?,
            known: Known(Arc::new(Mutex::new(params.clone()))),
            next_line: Instant::ZERO,
        })
    }

    /// The parameters by which sources and locks are named; they must be told when they change.
    pub fn known(&self) -> Known {
        self.known.clone()
    }

    /// The command's topic, for its latency and to publish it for watchers only.
    pub fn command(&mut self) -> &mut CommandTopic {
        &mut self.command
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(command) => self.command.publish(&command),
            Output::PublishActive(active) => {
                let message = self.active_message(&active);
                if clock::now() >= self.next_line {
                    self.next_line = clock::now() + LINES;
                    log::info!(target: NAME, "{} drives", message.message);
                }
                self.active.publish(&message);
            }
        }
    }

    fn active_message(&self, active: &Active) -> DiagnosticStatus {
        let params = self.known.lock();
        let sources = &params.sources;
        let name = active.source.and_then(|index| sources.get(index)).map_or("nobody", |source| &source.name);
        let values = sources.iter().zip(&active.verdicts).map(|(source, verdict)| KeyValue {
            key: source.name.clone(),
            value: verdict.explain(&params).to_string(),
        });
        let Stamp { sec, nanosec } = active.stamp;
        // With a space no source can be called so.
        let since = KeyValue { key: "active since".into(), value: format!("{sec}.{nanosec:09}") };
        DiagnosticStatus {
            name: NAME.into(),
            message: name.into(),
            hardware_id: "steersman".into(),
            values: [since].into_iter().chain(values).collect(),
            ..Default::default()
        }
    }
}

/// Waits a while for the publishers of `locks`, so that a lock on a topic of another type is refused at the start.
pub fn await_locks(node: &r2r::Node, names: &Names, params: &Params) {
    ros::wait_for_publishers(node, params.locks.iter().map(|lock| names.resolve(&lock.topic)));
}

/// What the parameters ask to listen to: locks first and then sources, except for the source with the topic `inner`, which the
/// composed process feeds itself. `own` are topics that it publishes.
/// # Errors
/// A [`Refusal`] of what [`Params::read`] refuses, and of a source that is this node's own command.
pub fn wishes<M: Machine + 'static>(
    set: &Set,
    names: &Names,
    inner: Option<&str>,
    own: &[String],
    wrap: fn(Input) -> M::Input,
) -> Result<Vec<Wish<M>>, Refusal> {
    let params = Params::read(set)?;
    let mut stick: Option<&str> = None;
    let mut wishes = Vec::new();
    for (index, lock) in params.locks.iter().enumerate() {
        let heard = move |lock, message: Bool| Some(wrap(Input::LockReceived { lock, closed: message.data }));
        let parameter = format!("locks.{}.topic", lock.name);
        let candidates = vec![Candidate::indexed(qos::edge(), heard)];
        wishes.push(Wish {
            parameter,
            topic: lock.topic.clone(),
            index,
            candidates,
            possible: LOCK_TYPES,
            sole: true,
        });
    }
    for (index, source) in params.sources.iter().enumerate() {
        let full = names.resolve(&source.topic);
        let parameter = format!("sources.{}.topic", source.name);
        if full == names.resolve(COMMAND) || own.contains(&full) {
            return Err(set.refuse(&parameter, "must not be what this node publishes itself"));
        }
        if inner == Some(full.as_str()) {
            if let Some(other) = stick.replace(&source.name) {
                let rule = format!(
                    "must differ from the topic of source '{other}', which is the stick of this process"
                );
                return Err(set.refuse(&parameter, rule));
            }
            if !matches!(source.kind, Kind::PoseState | Kind::Auto) {
                let kind = format!("sources.{}.type", source.name);
                return Err(
                    set.refuse(&kind, "must be pose_state or auto: its topic is the stick of this process")
                );
            }
        } else {
            let candidates = candidates(source.kind, wrap);
            wishes.push(Wish {
                parameter,
                topic: source.topic.clone(),
                index,
                candidates,
                possible: SOURCE_TYPES,
                sole: false,
            });
        }
    }
    Ok(wishes)
}

/// All that a lock's topic can be.
const LOCK_TYPES: &[&str] = &["std_msgs/msg/Bool"];
/// All that a source's topic can be.
const SOURCE_TYPES: &[&str] =
    &["geometry_msgs/msg/Twist", "geometry_msgs/msg/TwistStamped", "or_pose_estimator/msg/State"];

/// How a source of this kind may be heard.
fn candidates<M: Machine + 'static>(kind: Kind, wrap: fn(Input) -> M::Input) -> Vec<Candidate<M>> {
    let heard = move |source: usize, velocity: Result<Velocity, Invalid>, stamp: Stamp| {
        Some(wrap(Input::CommandReceived { source, velocity, stamp }))
    };
    let twist = || {
        Candidate::indexed(qos::commands(), move |source, message: geometry::Twist| {
            heard(source, messages::velocity(&message).map_err(Invalid::NotFinite), Stamp::ZERO)
        })
    };
    let twist_stamped = || {
        Candidate::indexed(qos::commands(), move |source, message: geometry::TwistStamped| {
            let velocity = messages::velocity(&message.twist).map_err(Invalid::NotFinite);
            heard(source, velocity, messages::stamp(&message))
        })
    };
    let pose_state = || {
        Candidate::indexed(qos::commands(), move |source, message: or_pose::State| {
            let state = messages::reference(&message);
            heard(source, arbiter::velocity_of(state.intrinsic, state.vel, state.avel), state.stamp)
        })
    };
    match kind {
        Kind::Twist => vec![twist()],
        Kind::TwistStamped => vec![twist_stamped()],
        Kind::PoseState => vec![pose_state()],
        Kind::Auto => vec![twist_stamped(), twist(), pose_state()],
    }
}

/// What the node says of itself.
pub fn status(arbiter: &Arbiter) -> Status {
    Status::of(arbiter.health(), arbiter.report())
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    await_locks(&member.node, member.inputs.names(), &member.params);
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    let latency = topics.command().latency();
    let clock_read: fn(Stamp) -> Input = Input::ClockRead;
    let (known, names) = (topics.known(), member.inputs.names().clone());
    let shell = Shell::new(Arbiter::new(member.params.clone()), Some(clock_read), move |output| {
        topics.publish(output)
    });
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = runner
        .status(move |machine| latency.report(status(machine)))
        .note(move |set| known.note(set))
        .listen(context, move |set| wishes(set, &names, None, &[], |input| input))?;
    start::run(runner, stop, &shell, [Input::Stopping])
}
