use std::time::Duration;

use params::{Refusal, Set, Value};
use r2r::{WrappedActionTypeSupport, WrappedServiceTypeSupport};
use safety::{Instant, Level, Machine, PublisherCount, Succession};

use crate::action::{Action, Goal};
use crate::diagnostics::{Diagnostics, log_level};
use crate::late_devices::warn_of_late_devices;
use crate::life_cycle::LifeCycle;
use crate::parameter_update::{Extra, ParameterUpdate};
use crate::parameters::parameter_services;
use crate::publishers::{CountSchedule, publishers};
use crate::reader::Reader;
use crate::requests::{queue_answers, send_answer};
use crate::service::{Reply, Serve, Service, answering, deferring, serve_in_turn};
use crate::subscriptions::DynamicSubscriptions;
use crate::{Error, Inputs, Node, Parameters, ServiceContext, Shell, Status, Stop, SubscriptionSpec, clock};

/// The period of a node's housekeeping: diagnostics, wrong types on its topics.
const HOUSEKEEPING: Duration = Duration::from_secs(1);
/// The longest sleep of a thread that waits for messages: it must notice a request to end.
pub const LONGEST_SLEEP: Duration = Duration::from_millis(100);
/// The longest sleep of a thread whose node [sleeps longer](Runner::sleep_longer_at_rest) at rest.
pub const REST_SLEEP: Duration = Duration::from_millis(250);

/// The longest sleep of a node that only waits for an answer.
const SHORT_SLEEP: Duration = Duration::from_millis(10);

/// A task that runs with the node after each wake-up.
type Task = Box<dyn FnMut(&mut r2r::Node) + Send>;

/// Checks whether the machine changed the state behind a parameter: returns the parameter's new value, and the input that
/// confirms it to the machine.
type Follow<M> = Box<dyn FnMut(&M, &Set) -> Option<((String, Value), <M as Machine>::Input)> + Send>;

/// Adds to the status what the graph shows.
pub(crate) type Addition = Box<dyn FnMut(&r2r::Node, &mut Status) + Send>;

/// One thread for one ROS node: waits for messages, delivers them, and does the housekeeping.
pub struct Runner<M: Machine> {
    node: Node,
    name: String,
    shell: Shell<M>,
    pub(crate) inputs: Inputs<M>,
    parameters: Parameters,
    update: ParameterUpdate<M>,
    status: Box<dyn FnMut(&M) -> Status + Send>,
    watches: Vec<Task>,
    counts: Vec<Task>,
    pub(crate) reports: Vec<Addition>,
    tasks: Vec<Task>,
    receivers: Vec<Box<dyn FnMut() -> usize + Send>>,
    life_cycle: Option<(LifeCycle, ActivityInput<M>)>,
    urgent: Vec<Box<dyn Serve<M> + Send>>,
    services: Vec<Box<dyn Serve<M> + Send>>,
    parameter_services: Vec<Box<dyn Serve<M> + Send>>,
    /// The one of them that answered last.
    turn: usize,
    /// An answer was sent after the last wake-up.
    has_answered: bool,
    longest_sleep: Duration,
    wake_within: Box<dyn FnMut() -> Duration + Send>,
    follow: Option<Follow<M>>,
    diagnostics: Diagnostics,
    /// The level that was logged last, if changes of it are logged.
    logged: Option<Level>,
    reader: Reader,
    /// Whether a node of the same name was reported.
    has_namesake: bool,
    housekeeping_due: Instant,
    counting: CountSchedule,
}

/// Makes the input that reports whether the node is active.
type ActivityInput<M> = fn(bool) -> <M as Machine>::Input;

impl<M: Machine + 'static> Runner<M> {
    /// A runner of `node` for the machine in `shell`. `apply` makes the input that puts a set of parameters in force.
    /// # Errors
    /// The middleware refuses `/diagnostics`.
    pub fn new(
        mut node: Node,
        shell: Shell<M>,
        inputs: Inputs<M>,
        parameters: Parameters,
        apply: impl FnMut(&Set) -> Result<M::Input, Refusal> + Send + 'static,
    ) -> Result<Self, Error> {
        let name = node.name().map_err(Error::ros("read the node's name"))?;
        warn_of_late_devices(&name);
        let parameter_services = parameter_services(&mut node, &name)?;
        let diagnostics = Diagnostics::new(&mut node)?;
        Ok(Self {
            node,
            name,
            shell,
            inputs,
            parameters,
            update: ParameterUpdate { apply: Box::new(apply), on_update: None, extra: Extra::Nothing },
            status: Box::new(|_| Status::default()),
            watches: Vec::new(),
            counts: Vec::new(),
            reports: Vec::new(),
            tasks: Vec::new(),
            receivers: Vec::new(),
            life_cycle: None,
            urgent: Vec::new(),
            services: Vec::new(),
            parameter_services,
            turn: 0,
            has_answered: false,
            longest_sleep: LONGEST_SLEEP,
            wake_within: Box::new(|| Duration::MAX),
            follow: None,
            diagnostics,
            logged: None,
            reader: Reader::new(),
            has_namesake: false,
            housekeeping_due: clock::now() + HOUSEKEEPING,
            counting: CountSchedule::new(clock::now()),
        })
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The machine that it runs, with its outputs.
    pub fn shell(&self) -> &Shell<M> {
        &self.shell
    }

    /// Sets the function that makes the machine's diagnostics, which are published once a second.
    #[must_use]
    pub fn status(mut self, status: impl FnMut(&M) -> Status + Send + 'static) -> Self {
        self.status = Box::new(status);
        self
    }

    /// Logs the status when its level changes: for a node that cannot otherwise report on the console that it stops the
    /// vehicle.
    #[must_use]
    pub fn log_levels(mut self) -> Self {
        self.logged = Some(Level::Ok);
        self
    }

    /// Gives the node a life cycle; `input` reports whether it is active, at once if it does not start active, and at every change.
    /// # Errors
    /// The middleware refuses a service.
    pub fn managed(mut self, input: fn(bool) -> M::Input) -> Result<Self, Error> {
        let life_cycle = LifeCycle::new(&mut self.node, &self.name, self.parameters.set())?;
        self.shell.deliver_all((!life_cycle.is_active()).then(|| input(false)));
        self.life_cycle = Some((life_cycle, input));
        Ok(self)
    }

    /// Adds a task that runs after each wake-up and before any received message is delivered: for what the machine has to know
    /// first, for example that its motors were stopped meanwhile.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&mut r2r::Node) + Send + 'static) -> Self {
        self.watches.push(Box::new(watch));
        self
    }

    /// Adds a count of publishers, which runs when one is due: after the watches, before any received message is delivered.
    #[must_use]
    pub fn count(mut self, count: impl FnMut(&mut r2r::Node) + Send + 'static) -> Self {
        self.counts.push(Box::new(count));
        self
    }

    /// Counts the publishers of each of `topics`, subscribed to or not, and delivers `input` with the topic when the number changes.
    /// A publisher that takes the place of another counts beside it ([`Succession`]).
    #[must_use]
    pub fn count_publishers(
        mut self,
        topics: impl IntoIterator<Item: Into<String>>,
        input: fn(String, PublisherCount) -> M::Input,
    ) -> Self
    where
        M: Send,
    {
        for topic in topics {
            let (topic, shell, mut known) = (topic.into(), self.shell.clone(), None);
            let mut succession = Succession::default();
            let resolved = self.inputs.names().resolve(&topic);
            self = self.count(move |node| {
                let found = publishers(node, &resolved);
                let ids = found.map(|found| found.iter().map(|publisher| publisher.id).collect::<Vec<_>>());
                let count = succession.count(ids.as_deref());
                if known.replace(count) != Some(count) {
                    shell.deliver(input(topic.clone(), count));
                }
            });
        }
        self
    }

    /// Adds a task that runs after each wake-up, for example to open a topic.
    #[must_use]
    pub fn task(mut self, task: impl FnMut(&mut r2r::Node) + Send + 'static) -> Self {
        self.tasks.push(Box::new(task));
        self
    }

    /// Calls `receive` with each reading of the middleware. It takes from r2r what a task delivers later, and returns how much that was:
    /// r2r keeps ten messages of a topic, and drops the next.
    #[must_use]
    pub fn receive(mut self, receive: impl FnMut() -> usize + Send + 'static) -> Self {
        self.receivers.push(Box::new(receive));
        self
    }

    /// Answers the service `name`. If `answer` returns `None`, the request is tried again after the next wake-up, and the
    /// requests behind it wait: for work that takes time elsewhere, since nothing may block here.
    /// # Errors
    /// The middleware refuses the service.
    pub fn service<S: WrappedServiceTypeSupport + 'static>(
        mut self,
        name: &str,
        answer: impl FnMut(&S::Request, &mut ServiceContext<'_, M>) -> Option<S::Response> + Send + 'static,
    ) -> Result<Self, Error> {
        self.services.push(Box::new(Service::<S, _>::new(&mut self.node, name, answering(answer))?));
        Ok(self)
    }

    /// Answers the service `name` before anything else is done after a wake-up, in the order of these calls: for a stop, which
    /// waits for nothing.
    /// # Errors
    /// The middleware refuses the service.
    pub fn urgent_service<S: WrappedServiceTypeSupport + 'static>(
        mut self,
        name: &str,
        mut answer: impl FnMut(&S::Request, &Shell<M>) -> S::Response + Send + 'static,
    ) -> Result<Self, Error> {
        let answer = move |request: &S::Request, context: &mut ServiceContext<'_, M>| {
            Some(answer(request, context.shell))
        };
        self.urgent.push(Box::new(Service::<S, _>::new(&mut self.node, name, answering(answer))?));
        Ok(self)
    }

    /// Passes each request for the service `name` to `accept`, with the way to answer it later.
    /// # Errors
    /// The middleware refuses the service.
    pub fn deferred_service<S: WrappedServiceTypeSupport + 'static>(
        mut self,
        name: &str,
        accept: impl FnMut(S::Request, Reply<S>, &Shell<M>) + Send + 'static,
    ) -> Result<Self, Error>
    where
        S::Request: Clone,
    {
        self.services.push(Box::new(Service::<S, _>::new(&mut self.node, name, deferring(accept))?));
        Ok(self)
    }

    /// Passes each goal of the action `name` to `accept`, with the way to end it later; `accept` returns an id, which `cancel`
    /// is given when a client wants the goal to be cancelled. The goal is ended all the same, cancelled or not.
    /// # Errors
    /// The middleware refuses the action.
    pub fn action<A: WrappedActionTypeSupport + 'static>(
        mut self,
        name: &str,
        accept: impl FnMut(A::Goal, Goal<A>, &Shell<M>) -> u64 + Send + 'static,
        cancel: impl FnMut(u64, &Shell<M>) + Send + 'static,
    ) -> Result<Self, Error>
    where
        A::Result: Send,
    {
        self.services.push(Box::new(Action::<A, _, _>::new(&mut self.node, name, accept, cancel)?));
        Ok(self)
    }

    /// Wakes the node within the time that `time` returns, for tasks that have to read something else than messages.
    #[must_use]
    pub fn wake_within(mut self, time: impl FnMut() -> Duration + Send + 'static) -> Self {
        self.wake_within = Box::new(time);
        self
    }

    /// Lets the node sleep for [`REST_SLEEP`] when it received no message on a topic for a second: for one whose tasks can wait,
    /// which moves nothing without messages, and which is supervised by nobody.
    #[must_use]
    pub fn sleep_longer_at_rest(mut self) -> Self {
        self.longest_sleep = REST_SLEEP; // while it receives messages, the next count comes earlier
        self
    }

    /// Lets a parameter follow a state that the machine changes by itself.
    #[must_use]
    pub fn follow(
        mut self,
        follow: impl FnMut(&M, &Set) -> Option<((String, Value), M::Input)> + Send + 'static,
    ) -> Self {
        self.follow = Some(Box::new(follow));
        self
    }

    /// Calls `guard` when parameters are changed: whether the machine in its present state accepts the second set in place of
    /// the first. Not for a node that subscribes to topics that its parameters name.
    #[must_use]
    pub fn guard(
        mut self,
        guard: impl FnMut(&M, &Set, &Set) -> Result<(), Refusal> + Send + 'static,
    ) -> Self {
        debug_assert!(self.update.topics().is_none(), "{} subscribes by its parameters", self.name);
        self.update.extra = Extra::Guard(Box::new(guard));
        self
    }

    /// Subscribes to the topics that `plan` makes of the parameters, in that order, now and at every change.
    /// # Errors
    /// Why a topic of the parameters in force cannot be subscribed to.
    pub fn subscribe(
        mut self,
        plan: impl FnMut(&Set) -> Result<Vec<SubscriptionSpec<M>>, Refusal> + Send + 'static,
    ) -> Result<Self, Error> {
        let mut topics = DynamicSubscriptions::new(&self.name, self.inputs.names(), &self.shell, plan);
        topics
            .change(&mut self.node, self.parameters.set(), || {})
            .map_err(|refusal| Error::Parameters { node: self.name.clone(), refusals: vec![refusal] })?;
        debug_assert!(matches!(self.update.extra, Extra::Nothing), "{} is guarded", self.name);
        self.update.extra = Extra::Topics(Box::new(topics));
        Ok(self)
    }

    /// Reports each topic of [`subscribe`](Self::subscribe) that carries what a later stage makes of the node's own command on `topic`
    /// ([`declare_stage`](crate::declare_stage)) as [`safety::PublisherCount::Loop`].
    /// # Errors
    /// The middleware refuses the subscription to the stages.
    pub fn find_loops_of(mut self, topic: &str) -> Result<Self, Error> {
        if let Some(topics) = self.update.topics() {
            topics.find_loops_of(&mut self.node, topic)?;
            topics.check_publishers(&self.node);
        }
        Ok(self)
    }

    /// Calls `on_update` with each changed set of parameters, after the last output made with the old set and before the first
    /// with the new one. The machine's lock is held.
    #[must_use]
    pub fn on_update(mut self, on_update: impl FnMut(&Set) + Send + 'static) -> Self {
        self.update.on_update = Some(Box::new(on_update));
        self
    }

    /// Runs until `stop` is set. The node and its topics stay until the runner is dropped, for final messages.
    pub fn run(&mut self, stop: &Stop) {
        self.parameters.warn_of_unused_overrides();
        queue_answers(true);
        self.reader = Reader::new();
        while !stop.is_set() {
            self.spin_once();
        }
        queue_answers(false);
    }

    /// Continues after [`Runner::run`] until the machine is `finished`, for final messages that need an answer. Returns whether
    /// that was within `limit`.
    pub fn run_on(&mut self, limit: Duration, finished: impl Fn(&M) -> bool) -> bool {
        let end = clock::now() + limit;
        while !self.shell.inspect(&finished) {
            if clock::now() >= end {
                return false;
            }
            self.spin_once();
        }
        true
    }

    /// Lets messages be sent and answers be received until `done`, for `limit` at most, without using the machine: for the
    /// remaining work after a panic. Returns whether it was done.
    pub fn wait(&mut self, limit: Duration, mut done: impl FnMut() -> bool) -> bool {
        let end = clock::now() + limit;
        while !done() {
            if clock::now() >= end {
                return false;
            }
            self.node.spin_once(SHORT_SLEEP);
        }
        true
    }

    fn spin_once(&mut self) {
        let idle = if self.has_answered {
            Duration::ZERO // another request may wait
        } else {
            self.longest_sleep.min((self.wake_within)()).min(self.counting.due.since(clock::now()))
        };
        let mut received = 0;
        let Self { inputs, parameters, receivers, life_cycle, urgent, services, update, .. } = self;
        let parameter_services = &mut self.parameter_services;
        self.reader.wait_and_receive(&mut self.node, &self.shell, idle, || {
            let all = urgent.iter_mut().chain(&mut *services).chain(&mut *parameter_services);
            let requests: usize = all.map(|service| service.receive()).sum();
            let messages = inputs.receive() + update.topics().map_or(0, DynamicSubscriptions::receive);
            received += messages;
            let transitions = life_cycle.as_mut().map_or(0, |(life_cycle, _)| life_cycle.receive());
            let others: usize = receivers.iter_mut().map(|receive| receive()).sum();
            messages + parameters.receive() + transitions + requests + others
        });
        let Self { shell, node, parameters, update, life_cycle, urgent, .. } = self;
        let is_activated = life_cycle
            .as_mut()
            .is_some_and(|(life_cycle, input)| life_cycle.change_state(|| shell.deliver(input(false))));
        let mut context = ServiceContext { shell, parameters, update, node };
        urgent.iter_mut().for_each(|service| service.serve(&mut context));
        for watch in &mut self.watches {
            watch(&mut self.node);
        }
        if self.counting.is_due(clock::now(), received > 0, self.shell.inspect(M::may_move)) {
            for count in &mut self.counts {
                count(&mut self.node);
            }
            self.parameters.count_clocks(&self.node);
            self.inputs.check_publishers(&mut self.node, &self.name, &self.shell, true);
            self.update.topics().into_iter().for_each(|topics| topics.check_publishers(&self.node));
        }
        self.inputs.deliver(&mut self.node, &self.name, &self.shell);
        self.update.topics().into_iter().for_each(DynamicSubscriptions::deliver);
        for task in &mut self.tasks {
            task(&mut self.node);
        }
        if clock::now() >= self.housekeeping_due {
            self.housekeep();
        }
        self.answer(); // last: no stop waits for it
        // Whatever came with an activation may have been sent before it, and permits nothing after it.
        if let Some((_, input)) = self.life_cycle.as_ref().filter(|_| is_activated) {
            self.shell.deliver(input(true));
        }
    }

    fn answer(&mut self) {
        let (shell, update, node): (_, _, &mut r2r::Node) = (&self.shell, &mut self.update, &mut self.node);
        if let Some(follow) = &mut self.follow
            && let Some((change, input)) = shell.inspect(|machine| follow(machine, self.parameters.set()))
        {
            let outcome = self.parameters.change_from_inside(vec![change], |_, _| {
                shell.deliver(input);
                Ok(())
            });
            if let Err(reason) = outcome {
                log::warn!(target: &self.name, "{reason}");
            }
        }
        let mut context = ServiceContext { shell, parameters: &mut self.parameters, update, node };
        let life_cycle = self.life_cycle.as_mut().map(|(life_cycle, _)| life_cycle);
        serve_in_turn(&mut self.parameter_services, life_cycle, &mut self.turn, &mut context);
        self.services.iter_mut().for_each(|service| service.serve(&mut context));
        self.has_answered = send_answer();
    }

    fn housekeep(&mut self) {
        self.housekeeping_due = clock::now() + HOUSEKEEPING;
        warn_of_late_devices(&self.name);
        self.inputs.check_publishers(&mut self.node, &self.name, &self.shell, false);
        let has_namesake = self.parameters.have_namesake(&self.node);
        if has_namesake && !self.has_namesake {
            log::warn!(
                target: &self.name,
                "another node in the graph has this node's name: both take commands and calls that are meant for one; end one of them, or \
                 rename it with --ros-args -r __node:=NAME (a node that was killed stays in the graph for 20 s)"
            );
        }
        self.has_namesake = has_namesake;
        let mut status = self.shell.inspect(|machine| (self.status)(machine));
        self.life_cycle.iter().for_each(|(life_cycle, _)| life_cycle.report(&mut status));
        self.inputs.report(&mut status);
        self.reports.iter_mut().for_each(|report| report(&self.node, &mut status));
        self.update.topics().into_iter().for_each(|topics| topics.report(&mut status));
        if self.logged.is_some_and(|logged| logged != status.level) {
            self.logged = Some(status.level);
            log::log!(target: &self.name, log_level(status.level), "{}", status.message);
        }
        self.parameters.report_clock(&mut status);
        self.diagnostics.publish(status);
    }
}
