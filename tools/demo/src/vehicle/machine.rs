use core::time::Duration;
use std::collections::VecDeque;

use ratatui::crossterm::event::KeyCode;
use safety::{ClockReading, Command, Instant, Stamp, Velocity, earliest};

use crate::operator::Role;
use crate::pilot::{Place, Turn};
use crate::vehicle::course::{Course, Step};
use crate::vehicle::keyboard::Keyboard;
use crate::vehicle::observed::{Applied, Observed, Pose};
use crate::vehicle::operator_input::{OperatorInput, Stick};
use crate::vehicle::record::{Change, Record};
use crate::vehicle::stages::{JOYSTICK, Stage, Traffic};

/// The inputs of the operator.
#[derive(Clone, Debug)]
pub enum Input {
    /// The clock of stamps was read.
    ClockRead(ClockReading),
    /// The robot's pose was received.
    RobotMoved(Pose),
    /// The zone factors were received.
    ScalingReceived([f32; 16]),
    /// The zone scaler's result was received.
    ScalingApplied(Applied),
    /// The stick's position was received.
    StickMoved(Stick),
    /// The arbiter's active source was received.
    SourceChanged(String),
    /// A stage sent a command with the stamp of its stick event.
    CommandSent(Stage, Stamp),
    /// A value for the port motor.
    PortSent(i16),
    /// A value for the starboard motor.
    StarboardSent(i16),
    /// hindbrain's state was received.
    StateReceived(String),
    /// The user pressed a key, or it repeats.
    KeyPressed(KeyCode),
    /// Parameters were set; the operator has none.
    ParametersChanged,
    /// The demo ends.
    Stopping,
}

/// The outputs of the operator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Publishes whether motion is enabled.
    Enable(bool),
    /// Publishes whether the reset button is down.
    Reset(bool),
    /// Publishes whether the e-stop button is down.
    Estop(bool),
    /// Sets the virtual stick's position, or unplugs it.
    Stick(Option<Stick>),
    /// Publishes a navigation command.
    Navigate(Command),
}

/// The source of the operator's input.
pub type Pilot = crate::pilot::Pilot<Keyboard>;

/// The mode of the demo.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The course.
    pub course: Course,
    /// Runs the course at once and only once; otherwise it begins when no key is pressed, and repeats.
    pub headless: bool,
    /// Whether there is a virtual stick; otherwise a real one drives, and the course does not.
    pub virtual_stick: bool,
}

/// The period at which all levels are repeated.
const REPEAT: Duration = Duration::from_millis(100);
/// The period of navigation commands.
const NAVIGATION: Duration = Duration::from_millis(50);
/// The navigation command: a circle of 0.8 m radius, forward \[m/s\] and turn \[rad/s\].
const CIRCLE: (f64, f64) = (0.4, 0.5);
/// The distance after which a change is recorded \[m\].
const MIN_TRAVEL: f64 = 0.01;

/// The operator of the robot.
pub type Operator = crate::operator::Operator<User>;

/// The user of the robot, who observes all topics.
#[derive(Debug)]
pub struct User {
    plan: Plan,
    /// The source of the operator's input.
    pub pilot: Pilot,
    /// The received state.
    pub observed: Observed,
    /// In the order of [`Stage::ALL`].
    traffic: [Traffic; 4],
    /// The changes during the last course.
    pub record: Record,
    /// The operator input that was published last.
    published: Option<OperatorInput>,
    repeat_due: Instant,
    navigation_due: Instant,
    clock: Stamp,
    queue: VecDeque<Output>,
}

impl Operator {
    /// An operator without observations.
    pub fn new(plan: Plan) -> Self {
        Self::of(User {
            plan,
            pilot: Pilot::Starting,
            observed: Observed::default(),
            traffic: Default::default(),
            record: Record::default(),
            published: None,
            repeat_due: Instant::ZERO,
            navigation_due: Instant::ZERO,
            clock: Stamp::ZERO,
            queue: VecDeque::new(),
        })
    }
}

impl User {
    /// The statistics of one stage's commands.
    pub fn traffic(&self, stage: Stage) -> &Traffic {
        &self.traffic[stage as usize]
    }

    /// The present operator input.
    pub fn operator_input(&self) -> OperatorInput {
        self.published.unwrap_or(OperatorInput::REST)
    }

    /// The topics without a message yet.
    pub fn missing(&self) -> Vec<&'static str> {
        self.observed.missing(self.plan.virtual_stick)
    }

    fn record_change(&mut self, now: Instant, change: Change) {
        if let Pilot::Script(..) = self.pilot {
            self.record.push(now, change);
        }
    }

    fn traffic_of(&mut self, stage: Stage) -> &mut Traffic {
        &mut self.traffic[stage as usize]
    }

    fn motors(&mut self, now: Instant, set: impl FnOnce(&mut Observed)) {
        let before = self.observed.motors();
        set(&mut self.observed);
        let after = self.observed.motors();
        if after != before {
            self.record_change(now, Change::Motors(after));
        }
    }

    fn press(&mut self, now: Instant, key: KeyCode) {
        if self.plan.headless {
            return;
        }
        let mut keyboard = match self.pilot {
            Pilot::Keyboard(keyboard) => keyboard,
            _ => Keyboard::take_over(self.operator_input()),
        };
        if keyboard.press(now, key) {
            self.pilot = Pilot::Keyboard(keyboard);
        }
    }

    /// Releases everything and disables motion.
    fn stop(&mut self) {
        let stick = self.operator_input().stick.map(|_| Stick::REST);
        let rest = OperatorInput { stick, estop: self.operator_input().estop, ..OperatorInput::REST };
        self.publish(rest, true);
    }

    /// Begins the course, and records the present state.
    fn begin(&mut self, now: Instant) {
        self.record = Record::default();
        self.enter_step(now, now, 0);
        self.record_change(now, Change::Motors(self.observed.motors()));
        self.record_change(now, Change::Travelled(self.observed.travelled));
        for change in
            [self.observed.state.clone().map(Change::State), self.observed.source.clone().map(Change::Source)]
        {
            change.into_iter().for_each(|change| self.record_change(now, change));
        }
    }

    /// Enters a step of the course, or ends the course.
    fn enter_step(&mut self, now: Instant, began: Instant, index: usize) {
        match self.plan.course.part(index) {
            Some((step, time)) => {
                self.pilot = Pilot::Script(Place { began, index, ends: now + time });
                self.record_change(now, Change::Step(step));
            }
            None if self.plan.headless => self.pilot = Pilot::Finished(now),
            None => self.begin(now),
        }
    }

    /// The present step of the course.
    pub fn step(&self) -> Option<Step> {
        match self.pilot {
            Pilot::Script(place) => self.plan.course.part(place.index).map(|(step, _)| step),
            _ => None,
        }
    }

    /// Publishes the changed levels, or all of them.
    fn publish(&mut self, operator_input: OperatorInput, all: bool) {
        let published = self.published.replace(operator_input);
        let new = |same: fn(&OperatorInput, &OperatorInput) -> bool| {
            all || !published.is_some_and(|published| same(&published, &operator_input))
        };
        // The levels that stop are published before those that move.
        if new(|a, b| a.estop == b.estop) {
            self.queue.push_back(Output::Estop(operator_input.estop));
        }
        if operator_input.enable && !published.is_some_and(|published| published.enable) {
            // A rise needs a false before it.
            self.queue.push_back(Output::Enable(false));
        }
        if new(|a, b| a.enable == b.enable) {
            self.queue.push_back(Output::Enable(operator_input.enable));
        }
        if new(|a, b| a.reset == b.reset) {
            self.queue.push_back(Output::Reset(operator_input.reset));
        }
        if self.plan.virtual_stick && new(|a, b| a.stick == b.stick) {
            self.queue.push_back(Output::Stick(operator_input.stick));
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
            Input::ClockRead(reading) => self.clock = reading.stamp,
            Input::RobotMoved(pose) => {
                let steps = |observed: &Observed| (observed.travelled / MIN_TRAVEL).floor();
                let before = steps(&self.observed);
                self.observed.moved(pose);
                if steps(&self.observed) > before {
                    self.record_change(now, Change::Travelled(self.observed.travelled));
                }
            }
            Input::ScalingReceived(fields) => self.observed.scaling = Some(fields),
            Input::ScalingApplied(applied) => {
                self.traffic_of(Stage::ZoneScaler).add_state(&applied.zone_name());
                self.observed.applied = Some(applied);
            }
            Input::StickMoved(stick) => {
                self.traffic_of(Stage::Joystick).add_state(if stick.held { "held" } else { "released" });
                self.observed.stick = Some(stick);
            }
            Input::SourceChanged(source) => {
                self.record_change(now, Change::Source(source.clone()));
                self.traffic_of(Stage::VelocityArbiter).add_state(&source);
                self.observed.source = Some(source);
            }
            Input::CommandSent(stage, stamp) => {
                let by_stick = self.observed.source.as_deref() == Some(JOYSTICK);
                let clock = self.clock;
                self.traffic_of(stage).receive(now, clock, stamp, by_stick);
            }
            Input::PortSent(value) => self.motors(now, |observed| observed.port = Some(value)),
            Input::StarboardSent(value) => self.motors(now, |observed| observed.starboard = Some(value)),
            Input::StateReceived(state) => {
                if self.observed.state.as_ref() != Some(&state) {
                    self.record_change(now, Change::State(state.clone()));
                }
                self.traffic_of(Stage::Hindbrain).add_state(&state);
                self.observed.state = Some(state);
            }
            Input::KeyPressed(key) => self.press(now, key),
            Input::ParametersChanged => {}
            Input::Stopping => self.stop(),
        }
    }

    fn update(&mut self, now: Instant) {
        // A real stick drives without a course.
        let is_waiting = matches!(self.pilot, Pilot::Waiting(_)) && !self.plan.virtual_stick;
        let is_ready = self.missing().is_empty();
        match self.pilot.turn(now, is_ready, self.plan.headless, true) {
            Turn::Begin if !is_waiting => self.begin(now),
            Turn::Next(place) => self.enter_step(now, place.began, place.index + 1),
            _ => {}
        }
        let operator_input = match self.pilot {
            Pilot::Keyboard(keyboard) => keyboard.operator_input(now),
            _ => self.step().map_or(OperatorInput::REST, Step::operator_input),
        };
        let repeat = now >= self.repeat_due;
        if repeat {
            self.repeat_due = now + REPEAT;
        }
        let navigated = self.published.as_ref().is_some_and(|published| published.navigation);
        self.publish(operator_input, repeat);
        if operator_input.navigation != navigated {
            // Navigation begins and ends with a zero: falling silent in motion would be a loss, and nothing would drive after
            // it.
            self.navigation_due = now + NAVIGATION;
            self.queue.push_back(Output::Navigate(Command::new(Velocity::ZERO, self.clock)));
        } else if operator_input.navigation && now >= self.navigation_due {
            self.navigation_due = now + NAVIGATION;
            let velocity = Velocity::planar(CIRCLE.0, CIRCLE.1).unwrap_or_default();
            self.queue.push_back(Output::Navigate(Command::new(velocity, self.clock)));
        }
    }

    fn outputs(&mut self) -> &mut VecDeque<Output> {
        &mut self.queue
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        let by_itself = match self.pilot {
            Pilot::Script(place) => Some(place.ends),
            Pilot::Keyboard(keyboard) => keyboard.deadline(now),
            _ => None,
        };
        let navigation = self.operator_input().navigation.then_some(self.navigation_due);
        earliest(by_itself, earliest(Some(self.repeat_due), navigation))
    }
}

#[cfg(test)]
mod tests;
