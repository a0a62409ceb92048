use core::time::Duration;
use std::collections::VecDeque;

use units::{Command, Instant, Machine, Stamp, Velocity, earliest};

use crate::course::{Course, Step};
use crate::hands::{Hands, Key};
use crate::record::{Change, Record};
use crate::seen::{Applied, Pose, Seen};
use crate::stages::{JOYSTICK, Stage, Traffic};
use crate::wish::{Stick, Wish};

/// All that can happen to the operator.
#[derive(Clone, Debug)]
pub enum Input {
    /// The wall clock shows this now.
    ClockRead(Stamp),
    /// The robot is there.
    RobotMoved(Pose),
    /// The factors of the surroundings came.
    ScalingReceived([f32; 16]),
    /// The zone scaler told what it applied.
    ScalingApplied(Applied),
    /// The stick told how it is held.
    StickMoved(Stick),
    /// The arbiter told who drives.
    SourceChanged(String),
    /// A stage sent a command that goes back to this stamp.
    CommandSent(Stage, Stamp),
    /// A value for the port motor.
    PortSent(i16),
    /// A value for the starboard motor.
    StarboardSent(i16),
    /// hindbrain told its state.
    StateTold(String),
    /// The user pressed a key, or it repeats.
    KeyPressed(Key),
    /// Somebody set parameters, of which the operator has none.
    ParametersChanged,
    /// The demo ends.
    Stopping,
}

/// What the operator does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output {
    /// Says whether motion is enabled.
    Enable(bool),
    /// Holds the reset button down or not.
    Reset(bool),
    /// Holds the e-stop button down or not.
    Estop(bool),
    /// Holds the virtual stick so, or pulls it out.
    Stick(Option<Stick>),
    /// Drives in place of a navigation.
    Navigate(Command),
}

/// Who moves the stick and presses the buttons.
#[derive(Clone, Copy, Debug)]
pub enum Pilot {
    /// Nobody yet: the nodes are starting.
    Starting,
    /// Nobody yet: the nodes run since then, and a key may come.
    Waiting(Instant),
    /// The course.
    Course(Leg),
    /// The user.
    Hands(Hands),
    /// Nobody any more: the course ended then.
    Finished(Instant),
}

/// Where the course is.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// When the course began.
    pub began: Instant,
    /// The step it is in.
    pub step: Step,
    /// When that ends.
    pub ends: Instant,
}

/// What shall be shown.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The course.
    pub course: Course,
    /// The course at once, and only once; otherwise it begins when no key comes, and begins again.
    pub headless: bool,
    /// There is a virtual stick; otherwise a real one drives, and the course does not.
    pub virtual_stick: bool,
}

/// How long the user has for a first key.
pub const PATIENCE: Duration = Duration::from_secs(5);
/// How often all that is held in hand is said again.
const REPEAT: Duration = Duration::from_millis(100);
/// How often navigation says where to go.
const NAVIGATION: Duration = Duration::from_millis(50);
/// What navigation asks for: a circle of 0.8 m radius, forward \[m/s\] and turn \[rad/s\].
const CIRCLE: (f64, f64) = (0.4, 0.5);
/// Smaller movements are not worth a line in the record \[m\].
const STRIDE: f64 = 0.01;

/// The user of the robot, with eyes on all topics.
#[derive(Debug)]
pub struct Operator {
    plan: Plan,
    pilot: Pilot,
    seen: Seen,
    /// In the order of [`Stage::ALL`].
    traffic: [Traffic; 4],
    record: Record,
    /// What is held in hand, as last said.
    said: Option<Wish>,
    repeat_due: Instant,
    navigation_due: Instant,
    now: Instant,
    clock: Stamp,
    stopped: bool,
    queue: VecDeque<Output>,
}

impl Operator {
    /// An operator who has seen nothing.
    pub fn new(plan: Plan) -> Self {
        Self {
            plan,
            pilot: Pilot::Starting,
            seen: Seen::default(),
            traffic: Default::default(),
            record: Record::default(),
            said: None,
            repeat_due: Instant::ZERO,
            navigation_due: Instant::ZERO,
            now: Instant::ZERO,
            clock: Stamp::ZERO,
            stopped: false,
            queue: VecDeque::new(),
        }
    }

    /// What was seen.
    pub fn seen(&self) -> &Seen {
        &self.seen
    }

    /// What was seen of one stage's commands.
    pub fn traffic(&self, stage: Stage) -> &Traffic {
        &self.traffic[stage as usize]
    }

    /// What changed while the course was driven last.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Who moves the stick.
    pub fn pilot(&self) -> Pilot {
        self.pilot
    }

    /// What is held in hand.
    pub fn wish(&self) -> Wish {
        self.said.unwrap_or(Wish::REST)
    }

    /// What the nodes have not said yet.
    pub fn missing(&self) -> Vec<&'static str> {
        self.seen.missing(self.plan.virtual_stick)
    }

    fn note(&mut self, now: Instant, change: Change) {
        if let Pilot::Course(..) = self.pilot {
            self.record.push(now, change);
        }
    }

    fn take(&mut self, now: Instant, input: Input) {
        match input {
            Input::ClockRead(stamp) => self.clock = stamp,
            Input::RobotMoved(pose) => {
                let strides = |seen: &Seen| (seen.travelled / STRIDE).floor();
                let before = strides(&self.seen);
                self.seen.moved(pose);
                if strides(&self.seen) > before {
                    self.note(now, Change::Travelled(self.seen.travelled));
                }
            }
            Input::ScalingReceived(fields) => self.seen.scaling = Some(fields),
            Input::ScalingApplied(applied) => {
                self.traffic_of(Stage::ZoneScaler).note(applied.zone_name());
                self.seen.applied = Some(applied);
            }
            Input::StickMoved(stick) => {
                self.traffic_of(Stage::Joystick).note(if stick.held { "held" } else { "let go" });
                self.seen.stick = Some(stick);
            }
            Input::SourceChanged(source) => {
                self.note(now, Change::Source(source.clone()));
                self.traffic_of(Stage::VelocityArbiter).note(&source);
                self.seen.source = Some(source);
            }
            Input::CommandSent(stage, stamp) => {
                let by_stick = self.seen.source.as_deref() == Some(JOYSTICK);
                let clock = self.clock;
                self.traffic_of(stage).receive(now, clock, stamp, by_stick);
            }
            Input::PortSent(value) => self.motors(now, |seen| seen.port = Some(value)),
            Input::StarboardSent(value) => self.motors(now, |seen| seen.starboard = Some(value)),
            Input::StateTold(state) => {
                if self.seen.state.as_ref() != Some(&state) {
                    self.note(now, Change::State(state.clone()));
                }
                self.traffic_of(Stage::Hindbrain).note(&state);
                self.seen.state = Some(state);
            }
            Input::KeyPressed(key) => self.press(now, key),
            Input::ParametersChanged => {}
            Input::Stopping => self.stop(),
        }
    }

    fn traffic_of(&mut self, stage: Stage) -> &mut Traffic {
        &mut self.traffic[stage as usize]
    }

    fn motors(&mut self, now: Instant, set: impl FnOnce(&mut Seen)) {
        let before = self.seen.motors();
        set(&mut self.seen);
        let after = self.seen.motors();
        if after != before {
            self.note(now, Change::Motors(after));
        }
    }

    fn press(&mut self, now: Instant, key: Key) {
        if self.plan.headless {
            return;
        }
        let mut hands = match self.pilot {
            Pilot::Hands(hands) => hands,
            _ => Hands::take_over(self.wish()),
        };
        hands.press(now, key);
        self.pilot = Pilot::Hands(hands);
    }

    /// Lets everything go and takes back the permission to move.
    fn stop(&mut self) {
        let stick = self.wish().stick.map(|_| Stick::REST);
        let rest = Wish { stick, estop: self.wish().estop, ..Wish::REST };
        self.say(rest, true);
        self.stopped = true;
    }

    /// Lets the time pass on, and says what there is to say.
    fn tend(&mut self, now: Instant) {
        if self.stopped {
            return;
        }
        match self.pilot {
            Pilot::Starting if self.missing().is_empty() && self.plan.headless => self.begin(now),
            Pilot::Starting if self.missing().is_empty() => self.pilot = Pilot::Waiting(now),
            Pilot::Waiting(since) if self.plan.virtual_stick && now >= since + PATIENCE => self.begin(now),
            Pilot::Course(leg) if now >= leg.ends => self.go_on(now, leg.began),
            _ => {}
        }
        let wish = match self.pilot {
            Pilot::Starting | Pilot::Waiting(_) | Pilot::Finished(_) => Wish::REST,
            Pilot::Course(leg) => leg.step.wish(),
            Pilot::Hands(hands) => hands.wish(now),
        };
        let repeat = now >= self.repeat_due;
        if repeat {
            self.repeat_due = now + REPEAT;
        }
        let navigated = self.said.as_ref().is_some_and(|said| said.navigation);
        self.say(wish, repeat);
        if wish.navigation != navigated {
            // It begins and ends with a zero: to fall silent in motion would be a loss, and nothing would drive after it.
            self.navigation_due = now + NAVIGATION;
            self.queue.push_back(Output::Navigate(Command::new(Velocity::ZERO, self.clock)));
        } else if wish.navigation && now >= self.navigation_due {
            self.navigation_due = now + NAVIGATION;
            let velocity = Velocity::planar(CIRCLE.0, CIRCLE.1).unwrap_or_default();
            self.queue.push_back(Output::Navigate(Command::new(velocity, self.clock)));
        }
    }

    /// Begins the course, with what is known at that time.
    fn begin(&mut self, now: Instant) {
        self.record = Record::default();
        self.go_on(now, now);
        self.note(now, Change::Motors(self.seen.motors()));
        self.note(now, Change::Travelled(self.seen.travelled));
        for change in
            [self.seen.state.clone().map(Change::State), self.seen.source.clone().map(Change::Source)]
        {
            change.into_iter().for_each(|change| self.note(now, change));
        }
    }

    /// Goes to the step that is on, or ends the course.
    fn go_on(&mut self, now: Instant, began: Instant) {
        match self.plan.course.at(now.since(began)) {
            Some((step, end)) => {
                self.pilot = Pilot::Course(Leg { began, step, ends: began + end });
                self.note(now, Change::Step(step));
            }
            None if self.plan.headless => self.pilot = Pilot::Finished(now),
            None => self.begin(now),
        }
    }

    /// Says what changed of the wish, or all of it.
    fn say(&mut self, wish: Wish, all: bool) {
        let said = self.said.replace(wish);
        let new = |same: fn(&Wish, &Wish) -> bool| all || !said.is_some_and(|said| same(&said, &wish));
        // What stops is said before what moves.
        if new(|a, b| a.estop == b.estop) {
            self.queue.push_back(Output::Estop(wish.estop));
        }
        if wish.enable && !said.is_some_and(|said| said.enable) {
            // Only a switch that was seen off can be switched on.
            self.queue.push_back(Output::Enable(false));
        }
        if new(|a, b| a.enable == b.enable) {
            self.queue.push_back(Output::Enable(wish.enable));
        }
        if new(|a, b| a.reset == b.reset) {
            self.queue.push_back(Output::Reset(wish.reset));
        }
        if self.plan.virtual_stick && new(|a, b| a.stick == b.stick) {
            self.queue.push_back(Output::Stick(wish.stick));
        }
    }
}

impl Machine for Operator {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.now = self.now.max(now);
        if !self.stopped {
            self.take(self.now, input);
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.now = self.now.max(now);
        if self.queue.is_empty() {
            self.tend(self.now);
        }
        self.queue.pop_front()
    }

    fn deadline(&self) -> Option<Instant> {
        if self.stopped {
            return None;
        }
        let by_itself = match self.pilot {
            Pilot::Course(leg) => Some(leg.ends),
            Pilot::Hands(hands) => hands.deadline(self.now),
            _ => None,
        };
        let navigation = self.wish().navigation.then_some(self.navigation_due);
        earliest(by_itself, earliest(Some(self.repeat_due), navigation))
    }
}

#[cfg(test)]
mod tests;
