use core::time::Duration;
use std::collections::VecDeque;

use safety::{Instant, earliest};

use crate::calls::CallQueue;
use crate::hand::act::Act;
use crate::hand::calls::{Answer, Call};
use crate::hand::checks::{self, Facts};
use crate::hand::commander::Commander;
use crate::hand::device::Device;
use crate::hand::keyboard::{Key, act};
use crate::hand::observed::{Names, Observed, Reading};
use crate::hand::record::{Change, Record};
use crate::hand::script::{Script, Step};
use crate::operator::Role;
use crate::pilot::Turn;
use crate::verdict::{Outcome, Verdict};

/// The inputs of the operator.
#[derive(Clone, Debug)]
pub enum Input {
    /// All services of the node were found.
    ServicesFound,
    /// The names of the hand's parts were received.
    Described(Names),
    /// The first word of the hand's state was received.
    StateReported(String),
    /// A reading was received.
    Read(Box<Reading>),
    /// The last call was answered.
    Answered(Answer),
    /// The user pressed a key, or it repeats.
    KeyPressed(Key),
    /// Parameters were set; the operator has none.
    ParametersChanged,
    /// The demo ends.
    Stopping,
}

/// The outputs of the operator.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Calls a service of the node.
    Call(Call),
    /// Publishes the cap on the speed of the motors.
    Command,
}

/// The source of the operator's input.
pub type Pilot = crate::pilot::Pilot<Place, ()>;
/// The place in the script.
pub type Place = crate::script::Place<Step>;
/// An act with the time of its begin.
pub type Episode = crate::script::Episode<Act>;
/// The operator of the hand.
pub type Operator = crate::operator::Operator<User>;

/// A grasp that is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The index of its name.
    pub grasp: usize,
    /// From 0, open, to 1, closed.
    pub level: f32,
}

/// The user of the hand, who observes all topics.
#[derive(Debug)]
pub struct User {
    device: Device,
    script: Script,
    is_headless: bool,
    pilot: Pilot,
    observed: Observed,
    facts: Facts,
    commander: Commander,
    /// The grasp that the node has accepted last.
    grip: Option<Grip>,
    has_ball: bool,
    record: Record,
    episode: Option<Episode>,
    /// Outcomes of the script's steps that are over.
    outcomes: Vec<Outcome>,
    calls: CallQueue<Call>,
    queue: VecDeque<Output>,
}

impl Operator {
    /// An operator without observations. Headless, the script begins at once and is played once; otherwise it begins when no key
    /// is pressed, and repeats.
    pub fn new(device: Device, script: Script, is_headless: bool) -> Self {
        Self::of(User {
            facts: Facts { timeout: device.command_timeout, ..Facts::default() },
            device,
            script,
            is_headless,
            pilot: Pilot::Starting,
            observed: Observed::default(),
            commander: Commander::default(),
            grip: None,
            has_ball: true,
            record: Record::default(),
            episode: None,
            outcomes: Vec::new(),
            calls: CallQueue::default(),
            queue: VecDeque::new(),
        })
    }

    /// Verdict on the present act until now.
    pub fn verdict(&self) -> Option<Verdict> {
        let Episode { act, began } = self.episode()?;
        Some(checks::judge(act, &self.record, &self.facts, *began, self.now()))
    }
}

impl User {
    /// The hand.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The script.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The received state.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// Facts that the checks need.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The source of the operator's input.
    pub fn pilot(&self) -> Pilot {
        self.pilot
    }

    /// Commander, which repeats a command.
    pub fn commander(&self) -> &Commander {
        &self.commander
    }

    /// The grasp that is set.
    pub fn grip(&self) -> Option<Grip> {
        self.grip
    }

    /// Whether the ball is there.
    pub fn has_ball(&self) -> bool {
        self.has_ball
    }

    /// The present act.
    pub fn episode(&self) -> Option<&Episode> {
        self.episode.as_ref()
    }

    /// Outcome of each step of the script that is over.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    fn add_change(&mut self, now: Instant, change: Change) {
        if let Some(episode) = &self.episode {
            self.record.push(now.max(episode.began), change);
        }
    }

    fn read(&mut self, now: Instant, reading: Reading) {
        if self.observed.reading.is_none() {
            self.facts.start = reading.motor_pos;
        }
        self.observed.read(reading);
        self.add_change(now, Change::Reading(Box::new(reading)));
    }

    fn answered(&mut self, now: Instant, answer: Answer) {
        let Some(call) = self.calls.answered() else { return };
        match (&call, &answer) {
            (Call::Grasp(name, level), Answer::Grasps(_)) => {
                let level = *level;
                self.grip = self.device.grasp(name).map(|grasp| Grip { grasp, level });
            }
            (Call::Ball(is_there), Answer::Accepted) => self.has_ball = *is_there,
            (Call::Reset, Answer::Accepted) => self.grip = None,
            _ => {}
        }
        self.add_change(now, Change::Answered(call, answer));
    }

    fn press(&mut self, now: Instant, key: Key) {
        if self.is_headless {
            return;
        }
        if !matches!(self.pilot, Pilot::Keyboard(())) {
            (self.pilot, self.episode) = (Pilot::Keyboard(()), None);
        }
        // One act after the other: a call that is not answered is waited for.
        if !self.calls.is_idle() {
            return;
        }
        match act(key, self) {
            Some(act) => self.begin(now, act),
            None => self.episode = None, // the screen says what keys there are
        }
    }

    fn begin(&mut self, now: Instant, act: Act) {
        self.record = Record::default();
        self.record.extend(self.observed.state.clone().map(|state| (now, Change::State(state))));
        self.record.extend(self.observed.reading.map(|reading| (now, Change::Reading(Box::new(reading)))));
        match &act {
            Act::Grasp { .. } => self.commander.begin(now),
            Act::Reset => self.commander.rest(),
            Act::Pull => self.commander.pull(true),
            Act::Plug(_) => self.commander.pull(false),
            Act::Rest | Act::Hold(_) | Act::WrongCommand | Act::Ball(_) => {}
        }
        self.calls.extend(act.calls());
        // What is known before is not what the act did.
        self.episode = Some(Episode { act, began: now + Duration::from_nanos(1) });
    }

    fn begin_script(&mut self, now: Instant) {
        self.outcomes.clear();
        self.enter_step(now, now, 0);
    }

    /// Enters a step of the script, or ends the script.
    fn enter_step(&mut self, now: Instant, began: Instant, index: usize) {
        match self.script.part(index) {
            Some((step, time)) => {
                self.pilot = Pilot::Script(Place { began, index, step, ends: now + time });
                self.begin(now, step.act());
            }
            None if self.is_headless => self.pilot = Pilot::Finished(now),
            None => self.begin_script(now),
        }
    }

    fn end_step(&mut self, now: Instant) {
        if let Some(Episode { act, began }) = self.episode.take() {
            self.outcomes.push(Outcome {
                done: act.text(),
                expected: Some(checks::expected(&act, &self.facts)),
                verdict: checks::judge(&act, &self.record, &self.facts, began, now),
            });
        }
    }
}

impl Role for User {
    type Input = Input;
    type Output = Output;

    fn is_end(input: &Input) -> bool {
        matches!(input, Input::Stopping)
    }

    fn apply(&mut self, now: Instant, input: Input) {
        match input {
            Input::ServicesFound => self.observed.has_services = true,
            Input::Described(names) => {
                self.facts.names = names.clone();
                self.observed.names = Some(names);
            }
            Input::StateReported(state) => {
                self.observed.state = Some(state.clone());
                self.add_change(now, Change::State(state));
            }
            Input::Read(reading) => self.read(now, *reading),
            Input::Answered(answer) => self.answered(now, answer),
            Input::KeyPressed(key) => self.press(now, key),
            Input::ParametersChanged | Input::Stopping => {}
        }
    }

    fn update(&mut self, now: Instant) {
        let (is_ready, is_idle) = (self.observed.missing().is_empty(), self.calls.is_idle());
        match self.pilot.turn(now, is_ready, self.is_headless, is_idle) {
            Turn::Begin => self.begin_script(now),
            Turn::Next(place) => {
                self.end_step(now);
                self.enter_step(now, place.began, place.index + 1);
            }
            Turn::Stay => {}
        }
        if self.calls.is_late(now) {
            self.answered(now, Answer::Silent);
        }
        self.queue.extend(self.calls.next(now).map(Output::Call));
        if self.commander.poll(now) {
            self.queue.push_back(Output::Command);
        }
    }

    fn outputs(&mut self) -> &mut VecDeque<Output> {
        &mut self.queue
    }

    fn deadline(&self, _: Instant) -> Option<Instant> {
        let by_itself = self.pilot.deadline(self.calls.is_idle());
        earliest(by_itself, earliest(self.calls.deadline(), self.commander.deadline()))
    }
}

#[cfg(test)]
mod tests;
