//! The operator of a demo that is a client of one node, such as the arm's or the hand's: it plays a script or follows the user's keys,
//! one act after the other, and judges each act by what the node does.
//!
//! * [`Client`] is what differs between them: the acts, the calls, the messages.
//! * [`episode`]: an act, and what happened since it began.
//! * [`page`]: the output for the user, on a screen and without one.
//! * [`run`]: the client in the graph.

pub mod episode;
pub mod page;
pub mod run;

use core::fmt::Display;
use core::time::Duration;
use std::collections::VecDeque;

use ratatui::crossterm::event::KeyCode;
use safety::{Instant, earliest};

use crate::calls::{Answer, CallQueue, Failure};
use crate::operator::Role;
use crate::pilot::{Place, Turn};
use crate::verdict::{Outcome, Verdict};
use episode::{Change, Episode};

/// A client of a node, with everything that it knows of it. A clone is this at a time, with which a later one is compared.
pub trait Client: Clone + Send + 'static {
    /// Something that the operator does.
    type Act: Clone + Display + Send;
    /// A call of one of the node's services.
    type Call: Clone + Display + Send;
    /// Value of an accepted call.
    type Value: Send;
    /// A message of the node.
    type Message: Send;
    /// A message to the node.
    type Command: Clone + Send;

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

    /// Expected outcome of an act that begins now; `None` if it is not judged.
    fn expected(&self, act: &Self::Act) -> Option<String>;
    /// Judges an act `passed` after its begin.
    fn judge(&self, episode: &Episode<Self>, passed: Duration) -> Verdict;

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
    pub episode: Option<Episode<C>>,
    /// Outcomes of the script's steps that are over.
    pub outcomes: Vec<Outcome>,
    calls: CallQueue<C::Call>,
    command_due: Instant,
    queue: VecDeque<Output<C::Call, C::Command>>,
}

/// Time from one command to its repetition.
const PERIOD: Duration = Duration::from_millis(50);

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
            episode: None,
            outcomes: Vec::new(),
            calls: CallQueue::default(),
            command_due: Instant::ZERO,
            queue: VecDeque::new(),
        })
    }

    /// Verdict on the present act until now.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(self.judge(self.episode.as_ref()?, self.now()))
    }
}

impl<C: Client> User<C> {
    /// The topics and services that nothing was received from yet.
    pub fn missing(&self) -> Vec<&'static str> {
        let services = (!self.has_services).then_some(C::SERVICES);
        services.into_iter().chain(self.client.missing()).collect()
    }

    fn judge(&self, episode: &Episode<C>, now: Instant) -> Verdict {
        self.client.judge(episode, now.since(episode.began))
    }

    fn record(&mut self, now: Instant, change: Change<C>) {
        if let Some(episode) = &mut self.episode {
            episode.push(now, change);
        }
    }

    fn answered(&mut self, now: Instant, answer: Answer<C::Value>) {
        let Some(call) = self.calls.answered() else { return };
        self.client.answered(now, &call, &answer);
        self.record(now, Change::Answered(call, answer));
    }

    fn press(&mut self, now: Instant, key: KeyCode) {
        let Some(act) = self.client.press(key).filter(|_| !self.is_headless) else { return };
        if !matches!(self.pilot, Pilot::Keyboard(())) {
            (self.pilot, self.episode) = (Pilot::Keyboard(()), None);
        }
        // One act after the other: a call that is not answered is waited for.
        if self.calls.is_idle() {
            self.episode = None; // without an act the screen gives advice
            if let Some(act) = act {
                self.begin(now, act);
            }
        }
    }

    fn begin(&mut self, now: Instant, act: C::Act) {
        let before = self.client.clone();
        self.calls.extend(self.client.begin(now, &act));
        self.command_due = now;
        self.episode = Some(Episode::new(act, now, before));
    }

    fn begin_script(&mut self, now: Instant) {
        self.outcomes.clear();
        self.enter_step(now, now, 0);
    }

    /// Enters a step of the script, or ends the script.
    fn enter_step(&mut self, now: Instant, began: Instant, index: usize) {
        match self.script.get(index) {
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
        if let Some(episode) = self.episode.take() {
            self.outcomes.push(Outcome {
                done: episode.act.to_string(),
                expected: episode.before.expected(&episode.act),
                verdict: self.judge(&episode, now),
            });
        }
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
                self.client.receive(&message);
                self.record(now, Change::Received(message));
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
            for command in self.client.commands(now, is_script) {
                self.record(now, Change::Sent(command.clone()));
                self.queue.push_back(Output::Publish(command));
            }
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
