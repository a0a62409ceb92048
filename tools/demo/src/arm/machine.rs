use core::time::Duration;
use std::collections::VecDeque;

use safety::{Instant, earliest};

use crate::arm::act::Act;
use crate::arm::calls::{Answer, Call};
use crate::arm::checks;
use crate::arm::commander::Commander;
use crate::arm::keyboard::{Key, act};
use crate::arm::motion::Motion;
use crate::arm::observed::{ControllerRow, LoopTiming, Observed, Sample};
use crate::arm::record::{Change, Record};
use crate::arm::robot::{Controller, Joint, JointState, Listed};
use crate::arm::script::{Script, Step};
use crate::calls::CallQueue;
use crate::operator::Role;
use crate::pilot::Turn;
use crate::verdict::{Outcome, Verdict};

/// The inputs of the operator.
#[derive(Clone, Debug)]
pub enum Input {
    /// All services of the node were found.
    ServicesFound,
    /// The state of pan and tilt was received.
    JointsMoved([JointState; 2]),
    /// The loaded controllers were received.
    ControllersReported(Vec<ControllerRow>),
    /// Whether any motor is halted was received.
    HaltReported(bool),
    /// The timing of the loop was received.
    LoopReported(LoopTiming),
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
    /// Publishes a command for a controller of one joint.
    Command(Controller, f64),
    /// Publishes a trajectory.
    Follow(Motion),
}

/// The source of the operator's input.
pub type Pilot = crate::pilot::Pilot<Place, ()>;

/// The place in the script.
pub type Place = crate::script::Place<Step>;
/// An act with the time of its begin.
pub type Episode = crate::script::Episode<Act>;

/// The operator of the arm.
pub type Operator = crate::operator::Operator<User>;

/// The user of the arm, who observes all topics.
#[derive(Debug)]
pub struct User {
    script: Script,
    is_headless: bool,
    pilot: Pilot,
    observed: Observed,
    commander: Commander,
    /// The controllers as the node listed them last.
    list: Vec<Listed>,
    /// When a controller was loaded last.
    loaded: Instant,
    record: Record,
    episode: Option<Episode>,
    /// Outcomes of the script's steps that are over.
    outcomes: Vec<Outcome>,
    /// The last times of each controller that was loaded.
    times: Vec<ControllerRow>,
    calls: CallQueue<Call>,
    queue: VecDeque<Output>,
    /// The key that is to act again after the present act.
    then: Option<Key>,
}

impl Operator {
    /// An operator without observations. Headless, the script begins at once and is played once; otherwise it begins when no key
    /// is pressed, and repeats.
    pub fn new(script: Script, is_headless: bool) -> Self {
        Self::of(User {
            script,
            is_headless,
            pilot: Pilot::Starting,
            observed: Observed::default(),
            commander: Commander::default(),
            list: Vec::new(),
            loaded: Instant::ZERO,
            record: Record::default(),
            episode: None,
            outcomes: Vec::new(),
            times: Vec::new(),
            calls: CallQueue::default(),
            queue: VecDeque::new(),
            then: None,
        })
    }

    /// Verdict on the present act until now.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict_at(self.now())
    }
}

impl User {
    /// The script.
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The received state.
    pub fn observed(&self) -> &Observed {
        &self.observed
    }

    /// The source of the operator's input.
    pub fn pilot(&self) -> Pilot {
        self.pilot
    }

    /// Commander with the present commands.
    pub fn commander(&self) -> &Commander {
        &self.commander
    }

    /// The controllers as the node listed them last.
    pub fn list(&self) -> &[Listed] {
        &self.list
    }

    /// The present act.
    pub fn episode(&self) -> Option<&Episode> {
        self.episode.as_ref()
    }

    fn verdict_at(&self, now: Instant) -> Option<Verdict> {
        let Episode { act, began } = self.episode.as_ref()?;
        Some(checks::judge(act, &self.record, *began, now))
    }

    /// Outcome of each step of the script that is over.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The last times of all controllers that were loaded.
    pub fn times(&self) -> &[ControllerRow] {
        &self.times
    }

    /// The running controller that moves `joint`; the first of several.
    pub fn mover(&self, joint: Joint) -> Option<Controller> {
        let running = self.list.iter().filter(|listed| listed.is_running);
        running.filter_map(|listed| Controller::named(&listed.name)).find(|one| one.moves(joint))
    }

    fn add_change(&mut self, now: Instant, change: Change) {
        if let Some(episode) = &self.episode {
            self.record.push(now.max(episode.began), change);
        }
    }

    fn answered(&mut self, now: Instant, answer: Answer) {
        let Some(call) = self.calls.answered() else { return };
        match (&call, &answer) {
            (_, Answer::Listed(list)) => self.list.clone_from(list),
            (Call::Load(_), Answer::Accepted) => self.loaded = now,
            (Call::Switch { start, stop }, Answer::Accepted) => {
                let switched = start.iter().chain(stop).filter_map(|name| Controller::named(name));
                switched.for_each(|controller| self.commander.forget(controller));
            }
            (Call::Reset, Answer::Accepted) => {
                use Controller::{ArmTrajectory, PanPosition, TiltPosition};
                [ArmTrajectory, PanPosition, TiltPosition]
                    .into_iter()
                    .for_each(|one| self.commander.forget(one));
            }
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
        let Some(act) = act(key, self, now) else {
            self.episode = None; // the screen says that the key has no controller
            return;
        };
        self.then = (key == Key::Trajectory && !matches!(act, Act::Follow(_))).then_some(key);
        self.forget_record(now);
        self.begin(now, act);
    }

    /// Begins the record anew, with the state that is known.
    fn forget_record(&mut self, now: Instant) {
        let old = core::mem::take(&mut self.record);
        let command = old.command_at(Controller::PanPosition, now);
        self.record.push(now, Change::Answered(Call::List, Answer::Listed(self.list.clone())));
        self.record.extend(command.map(|command| (now, Change::Commanded(Controller::PanPosition, command))));
        self.record.extend(self.observed.joints.map(|joints| (now, Change::Joints(joints))));
    }

    fn begin(&mut self, now: Instant, act: Act) {
        // What is known before is not what the act did.
        let began = now + Duration::from_nanos(1);
        self.calls.extend(act.calls(&self.list));
        match &act {
            Act::Move(targets) => {
                for (joint, target) in Joint::ALL.into_iter().zip(targets) {
                    if let Some(target) = *target {
                        self.commander.move_to(joint, target, now);
                    }
                }
                if let Some(pan) = targets[Joint::Pan as usize] {
                    self.record.push(began, Change::Commanded(Controller::PanPosition, pan));
                }
            }
            Act::Follow(motion) => self.commander.follow(motion.clone(), self.loaded, now),
            Act::Repeat(controller, value) => self.commander.repeat(*controller, *value, now),
            Act::Pull(_) => self.commander.pull(true),
            Act::Plug => self.commander.pull(false),
            Act::Load(_)
            | Act::Switch { .. }
            | Act::WrongSwitch { .. }
            | Act::Halt
            | Act::Reset(_)
            | Act::Unload => {}
        }
        self.episode = Some(Episode { act, began });
    }

    /// Makes the next call, once the one before is answered or given up.
    fn call(&mut self, now: Instant) {
        if self.calls.is_late(now) {
            self.answered(now, Answer::Silent);
        }
        self.queue.extend(self.calls.next(now).map(Output::Call));
    }

    fn begin_script(&mut self, now: Instant) {
        self.forget_record(now);
        self.outcomes.clear();
        self.enter_step(now, now, 0);
    }

    /// Enters a step of the script, or ends the script.
    fn enter_step(&mut self, now: Instant, began: Instant, index: usize) {
        match self.script.step(index) {
            Some((step, time)) => {
                self.pilot = Pilot::Script(Place { began, index, step, ends: now + time });
                if self.commander.is_pulled() {
                    self.commander.pull(false);
                    [Controller::PanEffort, Controller::PanVelocity]
                        .into_iter()
                        .for_each(|one| self.commander.forget(one));
                }
                self.begin(now, step.act(time, self.observed.pan()));
            }
            None if self.is_headless => self.pilot = Pilot::Finished(now),
            None => self.begin_script(now),
        }
    }

    fn end_step(&mut self, now: Instant, step: Step) {
        if let Some(Episode { act, began }) = self.episode.take() {
            self.outcomes.push(Outcome {
                done: act.text(),
                expected: step.is_checked().then(|| checks::expected(&act)),
                verdict: checks::judge(&act, &self.record, began, now),
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
            Input::JointsMoved(joints) => {
                self.observed.joints = Some(joints);
                self.add_change(now, Change::Joints(joints));
                let commands = Joint::ALL.map(|joint| self.commander.command(joint, self.mover(joint), now));
                self.observed.add(Sample { at: now, joints, commands });
            }
            Input::ControllersReported(rows) => {
                for row in &rows {
                    match self.times.iter_mut().find(|known| known.name == row.name) {
                        Some(known) => known.clone_from(row),
                        None => self.times.push(row.clone()),
                    }
                }
                if self.calls.is_idle() {
                    // A controller may have stopped by itself.
                    let is_running = |row: &ControllerRow| row.is_running;
                    self.list = rows
                        .iter()
                        .map(|row| Listed { name: row.name.clone(), is_running: is_running(row) })
                        .collect();
                }
                self.observed.controllers = Some(rows);
            }
            Input::HaltReported(is_halted) => {
                if self.observed.is_halted.replace(is_halted) != Some(is_halted) {
                    self.add_change(now, Change::Halted(is_halted));
                }
            }
            Input::LoopReported(timing) => self.observed.timing = Some(timing),
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
                self.end_step(now, place.step);
                self.enter_step(now, place.began, place.index + 1);
            }
            Turn::Stay => {}
        }
        if matches!(self.pilot, Pilot::Keyboard(()))
            && self.calls.is_idle()
            && let Some(key) = self.then.take()
            && self.verdict_at(now).is_some_and(|verdict| verdict.is_good())
        {
            self.press(now, key);
        }
        if let Pilot::Script(_) = self.pilot {
            self.commander.turn_round(self.observed.pan());
        }
        self.call(now);
        let positions = self.observed.joints.unwrap_or_default().map(|joint| joint.position);
        let outputs = self.commander.poll(now, positions);
        if outputs.iter().any(|output| matches!(output, Output::Follow(_))) {
            self.add_change(now, Change::Followed);
        }
        self.queue.extend(outputs);
    }

    fn outputs(&mut self) -> &mut VecDeque<Output> {
        &mut self.queue
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let by_itself = self.pilot.deadline(self.calls.is_idle());
        earliest(by_itself, earliest(self.calls.deadline(), self.commander.deadline(now)))
    }
}

#[cfg(test)]
mod tests;
