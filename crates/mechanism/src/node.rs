use core::time::Duration;
use std::collections::VecDeque;

use units::{Instant, Machine, Stamp, earliest};

use crate::controllers::{self, Manager};
use crate::diagnostics::{Diagnostics, Status};
use crate::robot::StateSample;
use crate::{Snapshot, StateMonitor, StatesMessage};

/// Everything that can happen to the node.
#[derive(Debug)]
pub enum Input {
    /// What the [`Manager`] is told.
    Manager(controllers::Input),
    /// The control loop reported its state.
    Reported(Box<Snapshot>),
    /// A halt of the motors was requested.
    HaltRequested,
    /// A reset of the motors was requested.
    ResetRequested,
    /// The state of the vehicle was received: whether it is an emergency stop.
    StateReceived {
        /// Whether it is `ESTOP`.
        is_estop: bool,
    },
    /// States of the robot elsewhere were received.
    StatesReceived(StatesMessage),
    /// The publishers of a topic on which one is expected were counted; `None` if they cannot be.
    PublishersCounted {
        /// The topic.
        topic: String,
        /// How many there are.
        count: Option<usize>,
    },
    /// Parameters of controllers were changed: they count when a controller is loaded.
    ParametersChanged,
    /// The wall clock was read.
    ClockRead(Stamp),
    /// The node ends.
    Stopping,
}

/// Everything that the node does.
#[derive(Debug)]
pub enum Output {
    /// What the [`Manager`] asks for.
    Manager(controllers::Output),
    /// Halt all motors.
    Halt,
    /// Reset the motors.
    Reset,
    /// Pass states of the robot elsewhere to the control loop.
    PassStates(Box<StateSample>),
    /// Send the robot elsewhere an effort of zero for each actuator: the last one.
    SendZero,
    /// Publish whether any motor is halted.
    PublishHalted(bool),
    /// Publish the topics that are due, with the names of its controllers and the time of its step; then its memory goes back to
    /// the loop.
    Publish(Box<Snapshot>, Vec<String>, Stamp),
    /// Publish the statuses of joints and controllers.
    PublishStatuses(Vec<Status>),
    /// Something that users should know.
    Warn(String),
}

/// The state of the vehicle is lost when it is older; hindbrain publishes it twice a second.
const STATE_TIMEOUT: Duration = Duration::from_millis(1500);
/// The period of the statuses, and of the repeated publishing of the halt.
const STATUS_PERIOD: Duration = Duration::from_secs(1);

/// The controller manager, with the halt of the motors, the reports of the loop and the diagnostics.
///
/// The motors are halted while one of these holds: a halt was requested and no reset since; the vehicle is in its emergency
/// stop; its state is awaited and lost; the states of a robot elsewhere were lost, or a topic had a second publisher, and no reset
/// was requested since that ended. When the last one ends, the motors are reset once.
#[derive(Debug)]
pub struct Mechanism {
    manager: Manager,
    diagnostics: Diagnostics,
    causes: Causes,
    /// When the vehicle's state counts as lost, if it is awaited.
    state_until: Option<Instant>,
    /// The states of the robot, if it is elsewhere.
    states: Option<StateMonitor>,
    is_halted: bool,
    statuses_due: Option<Instant>,
    clock: (Instant, Stamp),
    outputs: VecDeque<Output>,
}

/// Why the motors are halted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Causes {
    is_requested: bool,
    is_estop: bool,
    is_lost: bool,
    /// The robot elsewhere was lost.
    is_robot_lost: bool,
}

impl Causes {
    fn any(self) -> bool {
        self.is_requested || self.is_estop || self.is_lost || self.is_robot_lost
    }

    fn is_only_robot(self) -> bool {
        self == Self { is_robot_lost: true, ..Self::default() }
    }

    fn text(self) -> &'static str {
        match self {
            Self { is_estop: true, .. } => "the vehicle is in its emergency stop",
            Self { is_lost: true, .. } => "the vehicle's state is lost",
            Self { is_robot_lost: true, .. } => "the robot was lost; reset_motors ends the halt",
            Self { is_requested: true, .. } => "a halt was requested",
            _ => "no cause",
        }
    }
}

impl Mechanism {
    /// The node without controllers. With `awaits_state` the motors are halted until the vehicle's state arrives.
    pub fn new(call_timeout: Duration, awaits_state: bool) -> Self {
        let causes = Causes { is_lost: awaits_state, ..Causes::default() };
        let mut outputs = VecDeque::new();
        if causes.any() {
            outputs.push_back(Output::Halt);
        }
        Self {
            manager: Manager::new(call_timeout),
            diagnostics: Diagnostics::default(),
            causes,
            state_until: awaits_state.then_some(Instant::ZERO),
            states: None,
            is_halted: true,
            statuses_due: None,
            clock: (Instant::ZERO, Stamp::ZERO),
            outputs,
        }
    }

    /// The node of a robot that is elsewhere, whose states `monitor` judges.
    #[must_use]
    pub fn with_states(mut self, monitor: StateMonitor) -> Self {
        self.states = Some(monitor);
        self
    }

    /// Which controllers are loaded and run.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// Why the motors are kept halted, if they are.
    pub fn halt_cause(&self) -> Option<String> {
        let obstacle = self.states.as_ref().and_then(StateMonitor::obstacle);
        let is_obstacle = !self.causes.any() || self.causes.is_only_robot();
        obstacle.filter(|_| is_obstacle).or_else(|| self.causes.any().then(|| self.causes.text().to_owned()))
    }

    /// Whether any motor was halted in the last report.
    pub fn is_halted(&self) -> bool {
        self.is_halted
    }

    fn set_causes(&mut self, causes: Causes) {
        let before = core::mem::replace(&mut self.causes, causes);
        if causes.any() && !before.any() {
            self.outputs.push_back(Output::Halt);
            self.warn_of_halt("the motors are halted");
        } else if before.any() && !causes.any() {
            self.outputs.push_back(Output::Reset);
        }
    }

    fn warn_of_halt(&mut self, what: &str) {
        let cause = self.halt_cause().unwrap_or_default();
        self.outputs.push_back(Output::Warn(format!("{what}: {cause}")));
    }

    fn reset_requested(&mut self) {
        // A robot that is still lost stays lost.
        let is_robot_lost = self.causes.is_robot_lost
            && self.states.as_ref().is_some_and(|states| states.obstacle().is_some());
        let causes = Causes { is_requested: false, is_robot_lost, ..self.causes };
        let had_cause = self.causes.any();
        self.set_causes(causes);
        if causes.any() {
            self.warn_of_halt("the motors stay halted");
        } else if !had_cause {
            self.outputs.push_back(Output::Reset); // an error of a motor, which has no cause here
        }
    }

    fn states_received(&mut self, message: &StatesMessage) {
        let Some(states) = &mut self.states else { return };
        self.outputs.extend(match states.receive(message) {
            Ok(sample) => Some(Output::PassStates(sample)),
            Err((error, true)) => Some(Output::Warn(format!("the robot's states do not count: {error}"))),
            Err(_) => None,
        });
    }

    fn lose_robot(&mut self) {
        self.set_causes(Causes { is_robot_lost: true, ..self.causes });
    }

    fn reported(&mut self, now: Instant, snapshot: Box<Snapshot>) {
        let states = self.states.as_mut().zip(snapshot.link);
        if states.is_some_and(|(states, link)| states.report(link)) {
            self.lose_robot();
        }
        if self.is_halted != snapshot.is_halted {
            self.is_halted = snapshot.is_halted;
            self.outputs.push_back(Output::PublishHalted(self.is_halted));
        }
        let names: Vec<String> = self.manager.names().map(str::to_owned).collect();
        if snapshot.has_statistics {
            for joint in &snapshot.joints {
                self.diagnostics.add_joint(now, joint);
            }
            for (name, report) in names.iter().zip(&snapshot.controllers) {
                self.diagnostics.add_controller(now, name, *report);
            }
        }
        let stamp = self.stamp(snapshot.now);
        self.outputs.push_back(Output::Publish(snapshot, names, stamp));
    }

    /// The wall clock at `at`, as of its last reading.
    fn stamp(&self, at: Instant) -> Stamp {
        let (read, stamp) = self.clock;
        stamp.before(read.since(at))
    }

    /// Does what is due by `now`.
    fn expire(&mut self, now: Instant) {
        if self.state_until.is_some_and(|until| now >= until) && !self.causes.is_lost {
            self.set_causes(Causes { is_lost: true, ..self.causes });
        }
        let due = *self.statuses_due.get_or_insert(now + STATUS_PERIOD);
        if now >= due {
            self.statuses_due = Some(now + STATUS_PERIOD);
            let (read, stamp) = self.clock;
            let statuses = self.diagnostics.statuses(now, |at| stamp.before(read.since(at)));
            self.outputs.push_back(Output::PublishStatuses(statuses));
            self.outputs.push_back(Output::PublishHalted(self.is_halted));
        }
    }
}

impl Machine for Mechanism {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        let due = self.deadline();
        if let Some(states) = &mut self.states {
            states.clock_mut().pass_to(now, due);
        }
        match input {
            Input::Manager(input) => self.manager.handle(now, input),
            Input::Reported(snapshot) => self.reported(now, snapshot),
            Input::HaltRequested => self.set_causes(Causes { is_requested: true, ..self.causes }),
            Input::ResetRequested => self.reset_requested(),
            Input::StateReceived { is_estop } => {
                if let Some(until) = &mut self.state_until {
                    *until = now + STATE_TIMEOUT;
                    self.set_causes(Causes { is_estop, is_lost: false, ..self.causes });
                }
            }
            Input::ParametersChanged => {}
            Input::StatesReceived(message) => self.states_received(&message),
            Input::PublishersCounted { topic, count } => {
                if self.states.as_mut().is_some_and(|states| states.count(&topic, count)) {
                    self.lose_robot();
                }
            }
            Input::ClockRead(stamp) => {
                self.clock = (now, stamp);
                if let Some(states) = &mut self.states {
                    states.read_clock(now, stamp);
                }
            }
            Input::Stopping => self.outputs.extend([Output::Halt, Output::SendZero]),
        }
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        if let Some(states) = &mut self.states {
            states.clock_mut().pass_to(now, None);
            states.clock_mut().read_again(since, due);
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        let due = self.deadline();
        if let Some(states) = &mut self.states {
            states.clock_mut().pass_to(now, due);
        }
        self.expire(now);
        self.outputs.pop_front().or_else(|| self.manager.poll(now).map(Output::Manager))
    }

    fn deadline(&self) -> Option<Instant> {
        let state = self.state_until.filter(|_| !self.causes.is_lost);
        earliest(self.manager.deadline(), earliest(state, self.statuses_due))
    }
}
