//! The operator of a demo that is a client of one node, such as the arm's or the hand's: it plays a script or follows the user's keys,
//! one act after the other, and keeps what the node answers.
//!
//! * [`Client`] is what differs between them: the acts, the calls, the messages.
//! * [`step`]: an act, and the answers to its calls.
//! * [`page`]: the output for the user, on a screen and without one.
//! * [`run`]: the client in the graph.

pub mod page;
pub mod run;
pub mod step;

use core::fmt::Display;
use core::time::Duration;
use std::collections::VecDeque;

use ratatui::crossterm::event::KeyCode;
use safety::{Instant, earliest};

use crate::calls::{Answer, CallQueue, Failure};
use crate::operator::Role;
use crate::pilot::{Place, Turn};
use step::{Done, Step};

/// A client of a node, with everything that it knows of it.
pub trait Client: Send + 'static {
    /// Something that the operator does.
    type Act: Clone + Display + Send;
    /// A call of one of the node's services.
    type Call: Clone + Display + Send;
    /// Value of an accepted call.
    type Value: Send;
    /// A message of the node.
    type Message: Send;
    /// A message to the node.
    type Command: Send;

    /// The services of the node, for the user.
    const SERVICES: &'static str;
    /// The user's keys, and what they do.
    const KEYS: &'static [(&'static str, &'static str)];

    /// The topics that nothing was received from yet.
    fn missing(&self) -> Vec<&'static str>;
    /// Takes a message.
    fn receive(&mut self, message: &Self::Message);
    /// Takes the answer to a call.
    fn answered(&mut self, now: Instant, call: &Self::Call, answer: &Answer<Self::Value>);

    /// Act of a key; `Some(None)` if there is nothing that it could act on now, `None` if it has no meaning.
    fn press(&self, key: KeyCode) -> Option<Option<Self::Act>>;
    /// Act of the script in the present state.
    fn prepare(&mut self, act: &Self::Act) -> Self::Act;
    /// Begins an act, and returns the calls that it needs.
    fn begin(&mut self, now: Instant, act: &Self::Act) -> Vec<Self::Call>;
    /// Whether there is something to command.
    fn is_commanding(&self, now: Instant) -> bool;
    /// Commands of this period; `is_script`: the script plays.
    fn commands(&mut self, now: Instant, is_script: bool) -> Vec<Self::Command>;

    /// Expected outcome of an act, with which the user compares the values.
    fn expected(act: &Self::Act) -> &'static str;
    /// Whether the node must refuse a call.
    fn is_wrong(call: &Self::Call) -> bool;

    /// Advice to a user whose key had nothing to act on.
    fn advice(&self) -> &'static str;
    /// The state in a few words, for a line of progress.
    fn summary(&self) -> String;
    /// All values, line by line.
    fn listing(&self) -> Vec<String>;
}

/// The acts of a script, each with its time.
pub type Script<A> = Vec<(A, Duration)>;

/// A script of acts, each with its share of the length in percent; calls that take long lengthen it.
pub fn script<A>(length: Duration, acts: impl IntoIterator<Item = (A, u32)>) -> Script<A> {
    acts.into_iter().map(|(act, share)| (act, length * share / 100)).collect()
}

/// The inputs of the operator.
pub enum Input<C: Client> {
    /// All services of the node were found.
    ServicesFound,
    /// A message of the node was received.
    Received(C::Message),
    /// The last call was answered.
    Answered(Answer<C::Value>),
    /// The user pressed a key, or it repeats.
    KeyPressed(KeyCode),
    /// Parameters were set; the operator has none.
    ParametersChanged,
    /// The demo ends.
    Stopping,
}

/// The outputs of the operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<L, D> {
    /// Calls a service of the node.
    Call(L),
    /// Publishes a command.
    Publish(D),
}

/// The source of the operator's input.
pub type Pilot = crate::pilot::Pilot<()>;
/// The operator of a client.
pub type Operator<C> = crate::operator::Operator<User<C>>;

/// The user of a client.
pub struct User<C: Client> {
    /// The client.
    pub client: C,
    /// The acts of the script.
    pub script: Script<C::Act>,
    is_headless: bool,
    has_services: bool,
    /// The source of the operator's input.
    pub pilot: Pilot,
    /// The present act.
    pub step: Option<Step<C::Act>>,
    /// The script's steps that are over.
    pub done: Vec<Done>,
    /// The first answer that is not the right one, or the silence of the node.
    pub failure: Option<String>,
    /// When the node was last received.
    received: Instant,
    calls: CallQueue<C::Call>,
    command_due: Instant,
    queue: VecDeque<Output<C::Call, C::Command>>,
}

/// Time from one command to its repetition.
const PERIOD: Duration = Duration::from_millis(50);
/// A node that publishes nothing for longer at the end of a step is silent.
const SILENCE: Duration = Duration::from_secs(1);

impl<C: Client> Operator<C> {
    /// An operator without observations. Headless, the script begins at once and is played once; otherwise it begins when no key
    /// is pressed, and repeats.
    pub fn new(client: C, script: Script<C::Act>, is_headless: bool) -> Self {
        Self::of(User {
            client,
            script,
            is_headless,
            has_services: false,
            pilot: Pilot::Starting,
            step: None,
            done: Vec::new(),
            failure: None,
            received: Instant::ZERO,
            calls: CallQueue::default(),
            command_due: Instant::ZERO,
            queue: VecDeque::new(),
        })
    }
}

impl<C: Client> User<C> {
    /// The topics and services that nothing was received from yet.
    pub fn missing(&self) -> Vec<&'static str> {
        let services = (!self.has_services).then_some(C::SERVICES);
        services.into_iter().chain(self.client.missing()).collect()
    }

    fn answered(&mut self, now: Instant, answer: Answer<C::Value>) {
        let Some(call) = self.calls.answered() else { return };
        self.client.answered(now, &call, &answer);
        if let Some(step) = &mut self.step {
            let wrong = step.answered(&call, answer, C::is_wrong(&call));
            self.failure = self.failure.take().or(wrong);
        }
    }

    fn press(&mut self, now: Instant, key: KeyCode) {
        let Some(act) = self.client.press(key).filter(|_| !self.is_headless) else { return };
        if !matches!(self.pilot, Pilot::Keyboard(())) {
            (self.pilot, self.step) = (Pilot::Keyboard(()), None);
        }
        // One act after the other: a call that is not answered is waited for.
        if self.calls.is_idle() {
            self.step = None; // without an act the screen gives advice
            if let Some(act) = act {
                self.begin(now, act);
            }
        }
    }

    fn begin(&mut self, now: Instant, act: C::Act) {
        self.calls.extend(self.client.begin(now, &act));
        self.command_due = now;
        self.step = Some(Step::new(act));
    }

    fn begin_script(&mut self, now: Instant) {
        (self.done, self.failure) = (Vec::new(), None);
        self.enter_step(now, now, 0);
    }

    /// Enters a step of the script, or ends the script.
    fn enter_step(&mut self, now: Instant, began: Instant, index: usize) {
        let has_failed = self.is_headless && self.failure.is_some();
        match self.script.get(index).filter(|_| !has_failed) {
            Some((act, time)) => {
                self.pilot = Pilot::Script(Place { began, index, ends: now + *time });
                let act = self.client.prepare(act);
                self.begin(now, act);
            }
            None if self.is_headless => self.pilot = Pilot::Finished(now),
            None => self.begin_script(now),
        }
    }

    fn end_step(&mut self, now: Instant) {
        let Some(step) = self.step.take() else { return };
        let silence = now.since(self.received);
        if silence > SILENCE && self.failure.is_none() {
            let seconds = silence.as_secs_f64();
            self.failure = Some(format!("{}: nothing was received for {seconds:.1} s", step.act));
        }
        self.done.push(step.done(&self.client.summary()));
    }
}

impl<C: Client> Role for User<C> {
    type Input = Input<C>;
    type Output = Output<C::Call, C::Command>;

    fn is_end(input: &Input<C>) -> bool {
        matches!(input, Input::Stopping)
    }

    fn apply(&mut self, now: Instant, input: Input<C>) {
        match input {
            Input::ServicesFound => self.has_services = true,
            Input::Received(message) => {
                self.received = now;
                self.client.receive(&message);
            }
            Input::Answered(answer) => self.answered(now, answer),
            Input::KeyPressed(key) => self.press(now, key),
            Input::ParametersChanged | Input::Stopping => {}
        }
    }

    fn update(&mut self, now: Instant) {
        let (is_ready, is_idle) = (self.missing().is_empty(), self.calls.is_idle());
        match self.pilot.turn(now, is_ready, self.is_headless, is_idle) {
            Turn::Begin => self.begin_script(now),
            Turn::Next(place) => {
                self.end_step(now);
                self.enter_step(now, place.began, place.index + 1);
            }
            Turn::Stay => {}
        }
        if self.calls.is_late(now) {
            self.answered(now, Err(Failure::Silent));
        }
        self.queue.extend(self.calls.next(now).map(Output::Call));
        if self.client.is_commanding(now) && now >= self.command_due {
            self.command_due = now + PERIOD;
            let is_script = matches!(self.pilot, Pilot::Script(_));
            self.queue.extend(self.client.commands(now, is_script).into_iter().map(Output::Publish));
        }
    }

    fn outputs(&mut self) -> &mut VecDeque<Self::Output> {
        &mut self.queue
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let by_itself = self.pilot.deadline(self.calls.is_idle());
        let command = self.client.is_commanding(now).then_some(self.command_due);
        earliest(by_itself, earliest(self.calls.deadline(), command))
    }
}
