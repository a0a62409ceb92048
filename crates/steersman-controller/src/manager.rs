use std::fmt;
use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::time::Duration;

use futures::{FutureExt, StreamExt};
use r2r::diagnostic_msgs::msg::DiagnosticArray;
use r2r::pr2_mechanism_msgs::msg::MechanismStatistics;
use r2r::pr2_mechanism_msgs::srv::{
    ListControllerTypes, ListControllers, LoadController, ReloadControllerLibraries, SwitchController,
    UnloadController,
};
use r2r::std_msgs::msg::Bool;
use r2r::{Client, QosProfile, WrappedServiceTypeSupport};
use ros::{Names, Node, Publisher, Stop, clock, print_line, publishers, qos, wait_for_publishers};
use serde_json::{Value, json};

use crate::details::Details;
use crate::reasons::Reasons;

/// The constants of `SwitchController.srv`.
const BEST_EFFORT: i32 = 1;
const STRICT: i32 = 2;
/// How long the tool waits for messages at once.
const SLICE: Duration = Duration::from_millis(20);
/// How often the tool looks whether the manager is still there while it waits, and how long it looks.
const PRESENCE: Duration = Duration::from_millis(300);
/// After this long the tool reports that it still waits.
const LONG: Duration = Duration::from_secs(1);

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The manager refused a call, for these reasons.
    #[error("{0} failed{1}")]
    Refused(String, Reason),
    /// The manager is not there, or did not answer in time.
    #[error("{0}")]
    Silent(String),
    /// The manager was there, and has left the graph.
    #[error("{0}")]
    Gone(String),
    /// The manager has left the graph while its controllers were to be watched.
    #[error("the manager has ended, and its controllers with it")]
    Deserted,
    /// The user ended the tool.
    #[error("ended")]
    Ended,
    /// A failure that the user has seen, with its exit code.
    #[error("failed")]
    Reported(u8),
}

/// The lines of the manager's log about a refusal; empty if none arrived.
#[derive(Debug)]
pub(crate) struct Reason(Vec<String>);

impl Reason {
    /// The part of it about the controller `name`.
    pub(crate) fn about(&self, name: &str) -> Self {
        let quoted = format!("'{name}'");
        Self(self.0.iter().filter(|line| line.contains(&quoted)).cloned().collect())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("; the log of the manager says why");
        }
        write!(f, ": {}", self.0.join("; "))
    }
}

/// A loaded controller: its name, and `running` or `stopped`.
pub(crate) type Listed = (String, String);

/// Identifies a manager while it lives, and none that comes after it.
pub(crate) type Identity = [u8; 24];

/// A service, and its client, which is made once: r2r 0.9 keeps each client until its node ends.
struct Service<S: WrappedServiceTypeSupport> {
    name: String,
    client: Client<S>,
}

impl<S: WrappedServiceTypeSupport + 'static> Service<S> {
    fn new(node: &mut Node, namespace: &str, service: &str) -> Result<Self, ros::Error> {
        let name = format!("{namespace}pr2_controller_manager/{service}");
        let client = node.create_client(&name, QosProfile::services_default());
        let client = client.map_err(ros::Error::ros(format!("call '{name}'")))?;
        Ok(Self { name, client })
    }

    fn broken(&self, error: &r2r::Error) -> Failure {
        Failure::Silent(format!("service '{}' cannot be called: {error}", self.name))
    }
}

/// The services of a controller manager.
struct Services {
    list: Service<ListControllers::Service>,
    types: Service<ListControllerTypes::Service>,
    load: Service<LoadController::Service>,
    unload: Service<UnloadController::Service>,
    switch: Service<SwitchController::Service>,
    reload: Service<ReloadControllerLibraries::Service>,
}

impl Services {
    fn new(node: &mut Node, namespace: &str) -> Result<Self, ros::Error> {
        Ok(Self {
            list: Service::new(node, namespace, "list_controllers")?,
            types: Service::new(node, namespace, "list_controller_types")?,
            load: Service::new(node, namespace, "load_controller")?,
            unload: Service::new(node, namespace, "unload_controller")?,
            switch: Service::new(node, namespace, "switch_controller")?,
            reload: Service::new(node, namespace, "reload_controller_libraries")?,
        })
    }
}

/// The services of a controller manager, called one after the other.
pub(crate) struct Manager {
    node: Node,
    services: Services,
    reasons: Reasons,
    namespace: String,
    timeout: Duration,
    stop: Stop,
    is_reporting: bool,
    /// Whether a manager was waited for and is known: then it is noticed when it goes.
    is_found: bool,
}

impl Manager {
    pub(crate) fn new(
        context: &r2r::Context,
        namespace: &str,
        timeout: Duration,
        stop: Stop,
        is_reporting: bool,
    ) -> Result<Self, ros::Error> {
        let mut node = Node::new(context, &format!("steersman_controller_{}", std::process::id()))?;
        let namespace = match namespace.trim_matches('/') {
            "" => String::new(),
            namespace => format!("/{namespace}/"),
        };
        let services = Services::new(&mut node, &namespace)?;
        let reasons = Reasons::new(&mut node)?;
        Ok(Self { node, services, reasons, namespace, timeout, stop, is_reporting, is_found: false })
    }

    /// Outcome of a call that changes `what`, printed with what was `asked` if that is wanted.
    fn report(&mut self, ok: Result<bool, Failure>, what: String, mut asked: Value) -> Result<(), Failure> {
        let outcome = ok.and_then(|ok| if ok { Ok(()) } else { Err(Failure::Refused(what, self.reason())) });
        if self.is_reporting {
            asked["ok"] = outcome.is_ok().into();
            if let Err(failure) = &outcome {
                asked["error"] = failure.to_string().into();
            }
            print_out!("{asked}");
        }
        outcome
    }

    /// The warnings of the manager since the last call that changes something began.
    pub(crate) fn reason(&mut self) -> Reason {
        // A topic is known before the name of its node.
        const UNKNOWN: &str = "_NODE_NAME_UNKNOWN_";
        let end = clock::now() + LONG;
        while let Some(manager) = self.publisher() {
            if manager.node != UNKNOWN {
                let logger = manager.full_name.trim_matches('/').replace('/', ".");
                return Reason(self.reasons.since_asked(&mut self.node, &logger));
            }
            if clock::now() >= end {
                break;
            }
            self.node.spin_once(SLICE);
        }
        Reason(Vec::new())
    }

    /// Lets messages pass until `future` is ready, for `limit` at most; `None` if it is not, or the user ended the tool.
    fn wait<T>(&mut self, limit: Option<Duration>, future: impl Future<Output = T>) -> Option<T> {
        let end = limit.map(|limit| clock::now() + limit);
        let mut future = pin!(future);
        loop {
            if let Some(ready) = future.as_mut().now_or_never() {
                return Some(ready);
            }
            if self.stop.is_set() || end.is_some_and(|end| clock::now() >= end) {
                return None;
            }
            self.node.spin_once(SLICE);
        }
    }

    /// Waits for `future` like [`wait`](Self::wait), and fails as soon as a manager that was waited for has left the graph.
    fn wait_while_there<T>(
        &mut self,
        limit: Duration,
        future: impl Future<Output = T>,
    ) -> Result<Option<T>, Failure> {
        let end = clock::now() + limit;
        let mut future = pin!(future);
        loop {
            let left = end.since(clock::now());
            if let Some(ready) = self.wait(Some(left.min(PRESENCE)), future.as_mut()) {
                return Ok(Some(ready));
            }
            if self.stop.is_set() || clock::now() >= end {
                return Ok(None);
            }
            self.check_presence()?;
        }
    }

    fn check_presence(&mut self) -> Result<(), Failure> {
        if !self.is_found {
            return Ok(());
        }
        let is_there = match r2r::Node::is_available(&self.services.list.client) {
            Ok(available) => self.wait(Some(PRESENCE), available).is_some(),
            Err(_) => true, // the call itself says what is wrong
        };
        if is_there || self.stop.is_set() {
            return Ok(());
        }
        Err(Failure::Gone("the manager has left the graph".to_owned()))
    }

    fn silent(&self, what: String) -> Failure {
        if self.stop.is_set() { Failure::Ended } else { Failure::Silent(what) }
    }

    fn call<S: WrappedServiceTypeSupport + 'static>(
        &mut self,
        service: fn(&Services) -> &Service<S>,
        request: &S::Request,
    ) -> Result<S::Response, Failure> {
        let timeout = self.timeout;
        let known = service(&self.services);
        let available = r2r::Node::is_available(&known.client).map_err(|error| known.broken(&error))?;
        if self.wait_while_there(timeout, available)?.is_none() {
            let name = &service(&self.services).name;
            return Err(self.silent(format!(
                "service '{name}' is not there after {timeout:?}: is the node mechanism running, in this namespace and ROS domain?"
            )));
        }
        let known = service(&self.services);
        let answer = known.client.request(request).map_err(|error| known.broken(&error))?;
        let answer = self.wait_while_there(timeout, answer)?;
        let known = service(&self.services);
        match answer {
            Some(answer) => answer.map_err(|error| known.broken(&error)),
            None => Err(self.silent(format!("service '{}' did not answer within {timeout:?}", known.name))),
        }
    }

    pub(crate) fn list(&mut self) -> Result<Vec<Listed>, Failure> {
        let ListControllers::Response { controllers, state } =
            self.call(|services| &services.list, &ListControllers::Request {})?;
        Ok(controllers.into_iter().zip(state).collect())
    }

    /// The loaded controllers and what moves which joint, by the manager's diagnostics, which come once a second.
    pub(crate) fn details(&mut self) -> Result<Details, Failure> {
        const TOPIC: &str = "/diagnostics";
        let broken = |error: r2r::Error| Failure::Silent(format!("topic '{TOPIC}' cannot be read: {error}"));
        let mut messages = self.node.subscribe::<DiagnosticArray>(TOPIC, qos::edge()).map_err(broken)?;
        let list = self.list()?;
        let end = clock::now() + self.timeout;
        while let Some(message) = self.wait(Some(end.since(clock::now())), messages.next()).flatten() {
            // A publisher is found before the name of its node is.
            let manager = self.publisher().map(|manager| manager.full_name).unwrap_or_default();
            if let Some(details) = Details::read(manager.trim_start_matches('/'), &list, &message) {
                return Ok(details);
            }
        }
        Err(self.silent(format!("no statuses of the manager came on '{TOPIC}' within {:?}", self.timeout)))
    }

    pub(crate) fn types(&mut self) -> Result<Vec<String>, Failure> {
        let request = ListControllerTypes::Request {};
        Ok(self.call(|services| &services.types, &request)?.types)
    }

    pub(crate) fn load(&mut self, name: &str) -> Result<(), Failure> {
        let request = LoadController::Request { name: name.to_owned() };
        self.reasons.ask();
        let ok = self.call(|services| &services.load, &request).map(|answer| answer.ok);
        self.report(ok, format!("load '{name}'"), json!({ "call": "load", "name": name }))
    }

    pub(crate) fn unload(&mut self, name: &str) -> Result<(), Failure> {
        let request = UnloadController::Request { name: name.to_owned() };
        self.reasons.ask();
        let ok = self.call(|services| &services.unload, &request).map(|answer| answer.ok);
        self.report(ok, format!("unload '{name}'"), json!({ "call": "unload", "name": name }))
    }

    pub(crate) fn switch(
        &mut self,
        start: &[String],
        stop: &[String],
        is_strict: bool,
    ) -> Result<(), Failure> {
        let request = SwitchController::Request {
            start_controllers: start.to_vec(),
            stop_controllers: stop.to_vec(),
            strictness: if is_strict { STRICT } else { BEST_EFFORT },
        };
        self.reasons.ask();
        let ok = self.call(|services| &services.switch, &request).map(|answer| answer.ok);
        let what = format!("switch, start [{}], stop [{}],", start.join(", "), stop.join(", "));
        let asked = json!({ "call": "switch", "start": start, "stop": stop, "strict": is_strict });
        self.report(ok, what, asked)
    }

    pub(crate) fn reload(&mut self) -> Result<(), Failure> {
        let request = ReloadControllerLibraries::Request { force_kill: true };
        self.reasons.ask();
        let ok = self.call(|services| &services.reload, &request).map(|answer| answer.ok);
        self.report(ok, "reload the libraries".to_owned(), json!({ "call": "reload-libraries" }))
    }

    /// The names of the actuators and of the joints.
    pub(crate) fn joints(&mut self) -> Result<(Vec<String>, Vec<String>), Failure> {
        let topic = format!("{}mechanism_statistics", self.namespace);
        let broken = |error: r2r::Error| Failure::Silent(format!("topic '{topic}' cannot be read: {error}"));
        let mut messages =
            self.node.subscribe::<MechanismStatistics>(&topic, qos::command()).map_err(broken)?;
        let timeout = self.timeout;
        let message = self.wait(Some(timeout), messages.next()).flatten();
        let message =
            message.ok_or_else(|| self.silent(format!("nothing came on '{topic}' within {timeout:?}")))?;
        let actuators = message.actuator_statistics.into_iter().map(|one| one.name).collect();
        Ok((actuators, message.joint_statistics.into_iter().map(|one| one.name).collect()))
    }

    /// Waits without end until the manager's services are there; all appear at once.
    pub(crate) fn wait_for_manager(&mut self) -> Result<(), Failure> {
        let list = &self.services.list;
        let what = format!("service '{}'", list.name);
        let available = r2r::Node::is_available(&list.client).map_err(|error| list.broken(&error))?;
        self.wait_and_warn(available, &what)?.map_err(|error| self.services.list.broken(&error))?;
        self.is_found = true;
        Ok(())
    }

    /// The manager's identity: that of the only publisher of its latched topic, which is another one after a restart. `None` if there is
    /// none within a second, or another one beside it: of two managers nobody knows which one answers.
    pub(crate) fn identity(&self) -> Option<Identity> {
        self.publisher().map(|manager| manager.id.0)
    }

    /// The only publisher of the manager's latched topic.
    fn publisher(&self) -> Option<Publisher> {
        let (name, namespace) = (self.node.name().ok()?, self.node.namespace().ok()?);
        let names = Names::new(&name, &namespace, std::env::args());
        let topic = names.resolve(&format!("{}motors_halted", self.namespace));
        wait_for_publishers(&self.node, [topic.clone()]);
        let mut all = publishers(&self.node, &topic)?;
        if all.len() == 1 { all.pop() } else { None }
    }

    /// Waits without end until `topic` is true. It may be latched or not.
    pub(crate) fn wait_for(&mut self, topic: &str) -> Result<(), Failure> {
        let broken = |error: r2r::Error| Failure::Silent(format!("topic '{topic}' cannot be read: {error}"));
        let latched = self.node.subscribe::<Bool>(topic, qos::state()).map_err(broken)?;
        let messages = self.node.subscribe::<Bool>(topic, qos::command()).map_err(broken)?;
        let mut messages = futures::stream::select(latched, messages);
        loop {
            let next = messages.next();
            let message = self.wait_and_warn(next, &format!("topic '{topic}'"))?;
            if message.ok_or(Failure::Ended)?.data {
                return Ok(());
            }
        }
    }

    /// Waits without end for `future`, and reports once that nothing came for a while.
    fn wait_and_warn<T>(&mut self, future: impl Future<Output = T>, what: &str) -> Result<T, Failure> {
        let mut future = pin!(future);
        if let Some(ready) = self.wait(Some(LONG), future.as_mut()) {
            return Ok(ready);
        }
        if !self.is_ended() {
            print_line(format_args!("steersman-controller: still waits for {what} after {LONG:?}"));
        }
        self.wait(None, future).ok_or(Failure::Ended)
    }

    /// Lets messages pass for `time`, or until the user ends the tool.
    pub(crate) fn pause(&mut self, time: Duration) {
        let _ = self.wait(Some(time), futures::future::pending::<()>());
    }

    /// Whether Ctrl-C ended the tool.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.stop.is_interrupted()
    }

    /// Whether the user has ended the tool.
    pub(crate) fn is_ended(&self) -> bool {
        self.stop.is_set()
    }

    /// Waits until the user ends the tool.
    /// # Errors
    /// The manager has left the graph.
    pub(crate) fn wait_for_end(&mut self) -> Result<(), Failure> {
        while !self.is_ended() {
            self.pause(PRESENCE);
            self.check_presence().map_err(|_| Failure::Deserted)?;
        }
        Ok(())
    }

    /// From now on calls are made although the user has ended the tool.
    pub(crate) fn go_on(&mut self) {
        self.stop = Stop::new();
    }
}
