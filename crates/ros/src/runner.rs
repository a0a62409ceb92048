use std::convert::Infallible;
use std::panic;
use std::time::Duration;

use params::{Refusal, Set, Value};
use r2r::WrappedServiceTypeSupport;
use units::{Instant, Level, Machine};

use crate::diagnostics::Diagnostics;
use crate::service::{Serve, Service};
use crate::subscriptions::DynamicSubscriptions;
use crate::{
    COUNT_PERIOD, Desk, Error, Inputs, Node, Parameters, Shell, Status, Stop, SubscriptionSpec, clock,
};

/// How often a node keeps house: diagnostics, wrong types on its topics.
const HOUSEKEEPING: Duration = Duration::from_secs(1);
/// How long a thread that waits for messages sleeps at most when none comes: it must see the wish to end.
pub(crate) const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// How long a node may sleep that only waits for an answer.
const SHORT_SLEEP: Duration = Duration::from_millis(10);

/// How many wake-ups may follow one another before what they brought is delivered: enough for the longest queue of the
/// middleware, see [`qos::commands`](crate::qos::commands).
const ROUNDS: usize = 128;

/// How much later than it was due a wake-up may be before more than what it brought may wait.
const LATE: Duration = Duration::from_millis(5);

/// A wait that took so long slept: nothing was unread until it ended, and what ended it is one message of a topic.
const SLEPT: Duration = Duration::from_millis(1);

/// What a thread reads from the middleware, and since when nothing was left unread.
pub(crate) struct Reader {
    dry: Instant,
}

impl Reader {
    /// From now on.
    pub(crate) fn new() -> Self {
        Self { dry: clock::now() }
    }

    /// Waits for messages for `idle` at the most, and takes with `take` what the middleware has for `node`: after a sleep what ended it,
    /// else until nothing comes any more. The machine sees the time in between, and learns if this thread was held since it read before, here or elsewhere.
    pub(crate) fn wait_and_take<M: Machine>(
        &mut self,
        node: &mut r2r::Node,
        shell: &Shell<M>,
        idle: Duration,
        mut take: impl FnMut() -> usize,
    ) {
        let began = clock::now();
        node.spin_once(idle);
        let woke = clock::now();
        let slept = woke.since(began);
        let is_late = slept > idle + LATE;
        if is_late {
            // The process was held. The wait may have ended by time alone, and what came meanwhile has to go before what is due.
            node.spin_once(Duration::ZERO);
        }
        shell.read_again(self.dry, self.dry + idle);
        if SLEPT <= slept && !is_late {
            self.dry = woke;
            take();
            return;
        }
        for _ in 0..ROUNDS {
            if take() == 0 {
                self.dry = clock::now();
                return;
            }
            node.spin_once(Duration::ZERO);
        }
    }
}

/// The process's ROS context; arguments after `--ros-args` are read here.
/// # Errors
/// Arguments or a parameter file that ROS cannot read.
pub fn context() -> Result<r2r::Context, Error> {
    // r2r panics on a bad argument; the user shall read one sentence instead.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(r2r::Context::create);
    panic::set_hook(hook);
    match result {
        Ok(context) => context.map_err(Error::ros("start ROS")),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "unknown reason".into());
            Err(Error::Start(format!("ROS refuses the arguments: {text}")))
        }
    }
}

/// Something to do with the node after each wake-up.
type Chore = Box<dyn FnMut(&mut r2r::Node) + Send>;

/// Looks whether the machine changed what a parameter says: the parameter's new value, and the input that tells the
/// machine that it has it.
type Follow<M> = Box<dyn FnMut(&M, &Set) -> Option<((String, Value), <M as Machine>::Input)> + Send>;
/// Whether the machine may have the second set of parameters in place of the first.
type Guard<M> = Box<dyn FnMut(&M, &Set, &Set) -> Result<(), Refusal> + Send>;

/// Makes of a set of parameters the input that puts it in force.
type Apply<M> = Box<dyn FnMut(&Set) -> Result<<M as Machine>::Input, Refusal> + Send>;
/// Takes note of the parameters for those who carry out what the machine asks for.
type Note = Box<dyn FnMut(&Set) + Send>;

/// The one way of parameters to the machine, whoever changes them.
pub(crate) struct Gate<M: Machine> {
    apply: Apply<M>,
    note: Option<Note>,
    beside: Beside<M>,
}

/// What a change of parameters needs besides: one or the other, since topics that are listened to are not taken back in the
/// moment in which the machine refuses.
enum Beside<M: Machine> {
    Nothing,
    /// The machine's leave.
    Guard(Guard<M>),
    /// Topics that the parameters name.
    Topics(DynamicSubscriptions<M>),
}

impl<M: Machine + 'static> Gate<M> {
    /// Puts `after` in force in place of `before`: in the machine, and in what `node` listens to.
    pub(crate) fn pass(
        &mut self,
        shell: &Shell<M>,
        node: &mut r2r::Node,
        before: &Set,
        after: &Set,
    ) -> Result<(), Refusal> {
        let Self { apply, note, beside } = self;
        let input = apply(after)?;
        let note = || {
            if let Some(note) = note {
                note(after);
            }
        };
        match beside {
            Beside::Nothing => shell.deliver_checked(input, |_| Ok(()), note),
            // What is accepted takes effect: the machine is asked and told in one moment.
            Beside::Guard(guard) => {
                shell.deliver_checked(input, |machine| guard(machine, before, after), note)
            }
            Beside::Topics(topics) => topics.change(node, after, || {
                let Ok(()) = shell.deliver_checked(input, |_| Ok::<_, Infallible>(()), note);
            }),
        }
    }

    fn topics(&mut self) -> Option<&mut DynamicSubscriptions<M>> {
        match &mut self.beside {
            Beside::Topics(topics) => Some(topics),
            Beside::Nothing | Beside::Guard(_) => None,
        }
    }
}

/// One thread for one ROS node: waits for messages, delivers them, and keeps house.
pub struct Runner<M: Machine> {
    node: Node,
    name: String,
    shell: Shell<M>,
    inputs: Inputs<M>,
    parameters: Parameters,
    gate: Gate<M>,
    status: Box<dyn FnMut(&M) -> Status + Send>,
    watches: Vec<Chore>,
    chores: Vec<Chore>,
    services: Vec<Box<dyn Serve<M> + Send>>,
    follow: Option<Follow<M>>,
    diagnostics: Diagnostics,
    /// The level that was logged last, where changes of it are logged.
    logged: Option<Level>,
    reader: Reader,
    housekeeping_due: Instant,
    count_due: Instant,
}

impl<M: Machine + 'static> Runner<M> {
    /// Runs `node` for the machine in `shell`. `apply` makes of a set of parameters the input that puts it in force.
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
        let diagnostics = Diagnostics::new(&mut node).map_err(Error::ros("publish /diagnostics"))?;
        Ok(Self {
            node,
            name,
            shell,
            inputs,
            parameters,
            gate: Gate { apply: Box::new(apply), note: None, beside: Beside::Nothing },
            status: Box::new(|_| Status::default()),
            watches: Vec::new(),
            chores: Vec::new(),
            services: Vec::new(),
            follow: None,
            diagnostics,
            logged: None,
            reader: Reader::new(),
            housekeeping_due: clock::now() + HOUSEKEEPING,
            count_due: clock::now(),
        })
    }

    /// The node's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The machine that it runs, and the way of its outputs.
    pub fn shell(&self) -> &Shell<M> {
        &self.shell
    }

    /// Says once a second how the machine is.
    #[must_use]
    pub fn status(mut self, status: impl FnMut(&M) -> Status + Send + 'static) -> Self {
        self.status = Box::new(status);
        self
    }

    /// Logs the status when its level changes: for a node that has no other way to say on the console that it stops the vehicle.
    #[must_use]
    pub fn log_levels(mut self) -> Self {
        self.logged = Some(Level::Ok);
        self
    }

    /// Does something after each wake-up and before anything that it brought is delivered: for what the machine has to know
    /// first, such as that its motors were stopped meanwhile.
    #[must_use]
    pub fn watch(mut self, watch: impl FnMut(&mut r2r::Node) + Send + 'static) -> Self {
        self.watches.push(Box::new(watch));
        self
    }

    /// Does something with the node after each wake-up, such as opening a topic.
    #[must_use]
    pub fn chore(mut self, chore: impl FnMut(&mut r2r::Node) + Send + 'static) -> Self {
        self.chores.push(Box::new(chore));
        self
    }

    /// Answers the service `name`. With `None` the request is asked again after the next wake-up, and those behind it
    /// wait: for what takes time elsewhere, since nothing may wait here.
    /// # Errors
    /// The middleware refuses the service.
    pub fn service<S: WrappedServiceTypeSupport + 'static>(
        mut self,
        name: &str,
        answer: impl FnMut(&S::Request, &mut Desk<'_, M>) -> Option<S::Response> + Send + 'static,
    ) -> Result<Self, Error> {
        self.services.push(Box::new(Service::<S, _>::new(&mut self.node, name, answer)?));
        Ok(self)
    }

    /// Lets a parameter follow what the machine does of itself.
    #[must_use]
    pub fn follow(
        mut self,
        follow: impl FnMut(&M, &Set) -> Option<((String, Value), M::Input)> + Send + 'static,
    ) -> Self {
        self.follow = Some(Box::new(follow));
        self
    }

    /// Asks `guard` in the moment in which parameters are changed: whether the machine, as it is, may have the second set in place of
    /// the first. Not for a node that listens to what its parameters name.
    #[must_use]
    pub fn guard(
        mut self,
        guard: impl FnMut(&M, &Set, &Set) -> Result<(), Refusal> + Send + 'static,
    ) -> Self {
        debug_assert!(self.gate.topics().is_none(), "{} listens to what its parameters name", self.name);
        self.gate.beside = Beside::Guard(Box::new(guard));
        self
    }

    /// Subscribes to what `plan` makes of the parameters, in that order, now and whenever they are changed.
    /// # Errors
    /// Why the parameters in force cannot be followed.
    pub fn subscribe(
        mut self,
        plan: impl FnMut(&Set) -> Result<Vec<SubscriptionSpec<M>>, Refusal> + Send + 'static,
    ) -> Result<Self, Error> {
        let mut topics = DynamicSubscriptions::new(&self.name, self.inputs.names(), &self.shell, plan);
        topics
            .change(&mut self.node, self.parameters.set(), || {})
            .map_err(|refusal| Error::Parameters { node: self.name.clone(), refusals: vec![refusal] })?;
        debug_assert!(matches!(self.gate.beside, Beside::Nothing), "{} is guarded", self.name);
        self.gate.beside = Beside::Topics(topics);
        Ok(self)
    }

    /// Shows each changed set of parameters to `note`, after the last output that was made with the ones before and ahead of the
    /// first with the new ones. The machine's lock is held.
    #[must_use]
    pub fn note(mut self, note: impl FnMut(&Set) + Send + 'static) -> Self {
        self.gate.note = Some(Box::new(note));
        self
    }

    /// Runs until somebody wishes to end. The node and its topics stay until the runner is dropped, for last words.
    pub fn run(&mut self, stop: &Stop) {
        self.reader = Reader::new();
        while !stop.is_set() {
            self.turn();
        }
    }

    /// Goes on after [`Runner::run`] until the machine is `finished`, for last words that need an answer; whether that was
    /// within `limit`.
    pub fn run_on(&mut self, limit: Duration, finished: impl Fn(&M) -> bool) -> bool {
        let end = clock::now() + limit;
        while !self.shell.inspect(&finished) {
            if clock::now() >= end {
                return false;
            }
            self.turn();
        }
        true
    }

    /// Lets messages leave and answers come until `done`, at most for `limit`, without asking the machine: for what is left
    /// to do after a panic. Whether it was done.
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

    fn turn(&mut self) {
        let is_asked = self.parameters.are_asked();
        let idle =
            if is_asked { Duration::ZERO } else { LONGEST_SLEEP.min(self.count_due.since(clock::now())) };
        let Self { inputs, parameters, services, gate, .. } = self;
        self.reader.wait_and_take(&mut self.node, &self.shell, idle, || {
            let requests: usize = services.iter_mut().map(|service| service.take()).sum();
            let messages = inputs.take() + gate.topics().map_or(0, DynamicSubscriptions::take);
            messages + parameters.take() + requests
        });
        for watch in &mut self.watches {
            watch(&mut self.node);
        }
        self.inputs.deliver(&self.shell);
        if let Some(topics) = self.gate.topics() {
            topics.deliver();
        }
        for chore in &mut self.chores {
            chore(&mut self.node);
        }
        if clock::now() >= self.count_due {
            self.count_due = clock::now() + COUNT_PERIOD;
            self.inputs.look_for_strangers(&self.node, &self.name, &self.shell, true);
            if let Some(topics) = self.gate.topics() {
                topics.look_for_strangers(&self.node);
            }
        }
        if clock::now() >= self.housekeeping_due {
            self.keep_house();
        }
        self.answer(); // last: nothing that stops waits for it
    }

    fn answer(&mut self) {
        let (shell, gate, node): (_, _, &mut r2r::Node) = (&self.shell, &mut self.gate, &mut self.node);
        if let Some(follow) = &mut self.follow
            && let Some((change, noted)) = shell.inspect(|machine| follow(machine, self.parameters.set()))
        {
            let told = self.parameters.change_from_inside(vec![change], |_, _| {
                shell.deliver(noted);
                Ok(())
            });
            if let Err(reason) = told {
                log::warn!(target: &self.name, "{reason}");
            }
        }
        self.parameters.answer(|before, after| gate.pass(shell, node, before, after));
        let mut desk = Desk { shell, parameters: &mut self.parameters, gate, node };
        for service in &mut self.services {
            service.serve(&mut desk);
        }
    }

    fn keep_house(&mut self) {
        self.housekeeping_due = clock::now() + HOUSEKEEPING;
        self.inputs.look_for_strangers(&self.node, &self.name, &self.shell, false);
        let mut status = self.shell.inspect(|machine| (self.status)(machine));
        self.inputs.report(&mut status);
        if let Some(topics) = self.gate.topics() {
            topics.report(&mut status);
        }
        if self.logged.is_some_and(|logged| logged != status.level) {
            self.logged = Some(status.level);
            let level = match status.level {
                Level::Ok => log::Level::Info,
                Level::Warn | Level::Stale => log::Level::Warn,
                Level::Error => log::Level::Error,
            };
            log::log!(target: &self.name, level, "{}", status.message);
        }
        if let Err(error) = self.diagnostics.publish(status) {
            log::warn!(target: &self.name, "could not publish /diagnostics: {error}");
        }
    }
}
