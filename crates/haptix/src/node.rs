use core::time::Duration;
use std::collections::VecDeque;

use safety::{
    Backlog, Clock, Instant, Machine, MessageTime, PublisherCount, StateMonitor, StatesMessage, earliest,
};

use crate::device::{Constants, DeviceError};
use crate::device_loop::{DeviceLoop, Mode, Order, Reading, Settings};
use crate::grasps::GraspValue;
use crate::setpoints::Setpoints;
use crate::state::State;
use crate::wire::{Command, MAX, Sensor};

use self::halt::Halts;
pub use self::messages::{Answer, Input, Output};

mod halt;
mod messages;

/// A device that has given no reading for this long does not answer.
/// # Source
/// HAPTIX: the time-out of haptix-comm's calls.
pub(crate) const DEVICE_TIMEOUT: Duration = Duration::from_millis(1000);
/// The most calls that wait for a tick at once.
pub const MAX_WAITING: usize = 64;
/// A refused message of a topic is reported once in this time.
const WARNING_PERIOD: Duration = Duration::from_secs(1);

/// The node: what commands, calls and readings lead to. The device is stepped elsewhere, by a [`DeviceLoop`].
///
/// * Each accepted command becomes an [`Order`] with the setpoints that all commands so far leave; of several clients the last one wins.
/// * A command without any group reads and changes nothing: neither does it end a hold, nor is it a sign of life.
/// * Calls are answered at once from the latest reading, except updates that wait: by the first reading that was taken after them.
/// * While the hand holds, and until the next command with positions, `ref_pos` is where the hand is: other groups alone move nothing.
/// * A hold ends the grasp mode.
/// * A robot elsewhere is held at once when a topic on which one publisher is expected has several, and every call fails until then; so
///   is it at a reset, also without the pose, of which it has none.
/// * While the vehicle's state forbids to move ([`VehicleMonitor`](safety::VehicleMonitor)), whatever would move the hand is refused. The begin of such a halt
///   orders a hold at once; after its end only what is received later moves the hand.
/// * A device that did not answer in its last tick is given no command; the client gets an error.
/// * While the device fails or has not answered for 1000 ms, every call is answered with an error and changes nothing.
/// # Source
/// HAPTIX, haptix-comm 0.9 and its Gazebo server. Own: the error is known at once when the device is silent, and waiting is a choice.
#[derive(Clone, Debug)]
pub struct Haptix {
    constants: Constants,
    setpoints: Setpoints,
    is_grasping: bool,
    /// Whether positions were commanded since the hand held last.
    has_target: bool,
    /// When the latest command was received that was passed to the device's loop.
    last_ordered: Option<Instant>,
    /// Whether the device did not answer in its last tick.
    is_unanswered: bool,
    /// Whether nobody subscribes to the commands of a robot elsewhere.
    is_unsubscribed: bool,
    /// Judges the states of a robot elsewhere, if the device is one.
    states: Option<StateMonitor>,
    /// Reasons for which the hand may not move: the vehicle that carries it, if it obeys one, and the life cycle.
    halts: Halts,
    is_stopping: bool,
    command_timeout: Option<Duration>,
    clock: Clock,
    reading: Option<Box<Reading>>,
    /// When the device last gave a sign of life, or the node began; `None` before the first call.
    answered: Option<Instant>,
    failure: Option<String>,
    waiting: Vec<Waiting>,
    published: State,
    warned: Option<Instant>,
    outputs: VecDeque<Output>,
}

/// An update that waits for a reading.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    id: u64,
    /// Whether it gave a command.
    is_command: bool,
    since: Instant,
}

impl Haptix {
    /// The node for a device, before its loop moves to its thread.
    pub fn new(device: &DeviceLoop, settings: &Settings) -> Self {
        Self {
            constants: device.constants().clone(),
            setpoints: device.constants().start,
            is_grasping: false,
            has_target: false,
            last_ordered: None,
            is_unanswered: false,
            is_unsubscribed: false,
            states: None,
            halts: Halts::default(),
            is_stopping: false,
            command_timeout: settings.command_timeout,
            clock: Clock::default(),
            reading: None,
            answered: None,
            failure: None,
            waiting: Vec::with_capacity(MAX_WAITING),
            published: State::Starting,
            warned: None,
            outputs: VecDeque::from([Output::PublishState(State::Starting)]),
        }
    }

    /// The node of a device that is a robot elsewhere, whose states `monitor` judges.
    #[must_use]
    pub fn with_states(mut self, monitor: StateMonitor) -> Self {
        self.states = Some(monitor);
        self
    }

    /// Constant properties of the hand.
    pub fn constants(&self) -> &Constants {
        &self.constants
    }

    /// Setpoints of the motors.
    pub fn setpoints(&self) -> &Setpoints {
        &self.setpoints
    }

    /// State of the hand now.
    pub fn state(&self) -> State {
        match (&self.failure, &self.reading, self.halt()) {
            _ if self.has_timed_out() => State::NotAnswering(self.absence()),
            (Some(what), ..) => State::Failed(what.clone()),
            (None, None, _) => State::Starting,
            _ if self.is_unanswered => State::Waiting(self.absence()),
            _ if !self.is_active() => State::Inactive,
            (.., Some(halt)) => State::Halted(halt),
            (None, Some(reading), None) if reading.mode == Mode::Holding => State::Holding,
            _ if self.is_unsubscribed => State::NoSubscriber,
            _ if self.is_grasping => State::Grasping,
            _ => State::Following,
        }
    }

    /// Why the states of a robot do not count, if none do.
    fn absence(&self) -> Option<String> {
        self.states.as_ref().map(StateMonitor::absence)
    }

    /// `absence()` as a clause to append to a message: "; …".
    fn because(&self) -> String {
        self.absence().map_or(String::new(), |why| format!("; {why}"))
    }

    fn has_timed_out(&self) -> bool {
        self.answered.is_some_and(|answered| self.clock.now().since(answered) >= DEVICE_TIMEOUT)
    }

    /// An error while the device cannot be reached.
    fn check_device(&self) -> Result<(), String> {
        if let Some(conflict) = self.states.as_ref().and_then(StateMonitor::conflict) {
            return Err(conflict.to_string());
        }
        if self.has_timed_out() {
            let millis = DEVICE_TIMEOUT.as_millis();
            return Err(format!("the device has given no reading for {millis} ms{}", self.because()));
        }
        match (&self.failure, &self.reading) {
            (Some(what), _) => Err(what.clone()),
            (None, None) => Err(format!("the device has given no reading yet{}", self.because())),
            _ => Ok(()),
        }
    }

    fn sensor(&self) -> Box<Sensor> {
        Box::new(self.reading.as_ref().map(|reading| reading.sensor).unwrap_or_default())
    }

    /// Takes a command that was received at `at`, as far as known, if there is `room` for it; nothing is changed on an error.
    fn command(&mut self, command: &Command, at: Instant, room: Result<(), String>) -> Result<(), String> {
        let now = self.clock.now();
        let age = now.since(at).max(self.clock.waited());
        let received = MessageTime::new(now, age).begin();
        let enters = command.is_empty() || self.enters(received, self.asks_for_rest(command));
        room?;
        self.check_device()?;
        if !command.is_empty() {
            self.check_vehicle(received, enters)?;
            self.check_answer()?;
        }
        let is_too_old = |timeout: &Duration| !command.is_empty() && age >= *timeout;
        if let Some(timeout) = self.command_timeout.filter(is_too_old) {
            let (age, most) = (age.as_secs_f64(), timeout.as_secs_f64());
            return Err(format!("the command waited {age:.3} s to be read, must be less than {most} s"));
        }
        let mut is_grasping = [false; MAX];
        if self.is_grasping {
            is_grasping = self.constants.grasps.motors();
        }
        let limits = self.constants.info.motor_limits();
        self.setpoints.take(command, limits, &is_grasping).map_err(|error| error.to_string())?;
        self.has_target |= command.ref_pos.is_some();
        if !command.is_empty() {
            self.pass(received);
        }
        Ok(())
    }

    /// Passes the setpoints to the device, of a command that was received at `at`.
    fn pass(&mut self, at: Instant) {
        self.last_ordered = Some(at);
        self.order(Order::Command { setpoints: self.setpoints, at });
    }

    fn grasp(&mut self, values: &[GraspValue]) -> Result<Box<Command>, String> {
        let received = MessageTime::read_now(&self.clock).begin();
        let enters = values.is_empty() || self.enters(received, false);
        self.check_device()?;
        let positions = self.constants.grasps.positions(values)?;
        if !values.is_empty() {
            self.check_vehicle(received, enters)?;
            self.check_answer()?;
        }
        self.is_grasping = !values.is_empty();
        if self.is_grasping {
            self.has_target = true;
            for (motor, position) in positions {
                if let Some(limit) = self.constants.info.motor_limits().get(motor) {
                    self.setpoints.place(motor, position, limit);
                }
            }
            self.pass(self.clock.now());
        }
        Ok(Box::new(self.setpoints.ref_pos_command()))
    }

    /// Sets `ref_pos` to where the hand is.
    fn aim_at_measured(&mut self, sensor: &Sensor) {
        for (motor, limit) in self.constants.info.motor_limits().iter().enumerate() {
            self.setpoints.place(motor, f64::from(sensor.motor_pos[motor]), limit);
        }
    }

    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), String> {
        let received = MessageTime::read_now(&self.clock).begin();
        let enters = !reset_limb_pose || self.enters(received, false);
        self.check_device()?;
        if reset_limb_pose {
            self.check_vehicle(received, enters)?;
            (self.setpoints, self.is_grasping, self.has_target) = (self.constants.start, false, false);
        }
        self.order(Order::Reset { reset_limb_pose });
        if self.states.is_some() {
            self.hold(); // a robot has no pose of its start
        }
        Ok(())
    }

    /// An error if the device did not answer in its last tick: it would forget a command.
    fn check_answer(&self) -> Result<(), String> {
        if !self.is_unanswered {
            return Ok(());
        }
        let why = self.because();
        Err(format!("the device did not answer in its last tick, so it takes no command{why}"))
    }

    fn update(&mut self, id: u64, command: &Command, wait_for_tick: bool) {
        let is_full = wait_for_tick && self.waiting.len() >= MAX_WAITING;
        let full = || format!("{MAX_WAITING} calls wait for a tick already; no more may wait");
        let room = if is_full { Err(full()) } else { Ok(()) };
        let taken = self.command(command, self.clock.now(), room);
        if wait_for_tick && taken.is_ok() {
            self.waiting.push(Waiting { id, is_command: !command.is_empty(), since: self.clock.now() });
        } else {
            self.answer(id, Answer::Update(taken, self.sensor()));
        }
    }

    fn stepped(&mut self, reading: Box<Reading>) {
        let taken = reading.at;
        (self.failure, self.is_unanswered) = (None, false);
        let sensor = reading.sensor;
        // A command that the loop has not taken yet ends this hold.
        if reading.mode == Mode::Holding && reading.last_command == self.last_ordered {
            self.record_hold(&sensor);
        } else if !self.has_target {
            self.aim_at_measured(&sensor);
        }
        let outputs = &mut self.outputs;
        self.waiting.retain(|waiting| {
            let waits = taken < waiting.since;
            if !waits {
                outputs.push_back(Output::Answer(waiting.id, Answer::Update(Ok(()), Box::new(sensor))));
            }
            waits
        });
        let stamp = self.clock.measured(taken);
        self.outputs.push_back(Output::PublishReading(reading.clone(), stamp));
        self.reading = Some(reading);
    }

    fn states_received(&mut self, message: &StatesMessage) {
        let Some(states) = &mut self.states else { return };
        match states.receive(&self.clock, message) {
            Ok(sample) => self.outputs.push_back(Output::PassStates(sample)),
            Err((error, true)) => self.warn_of_states(&error.to_string()),
            Err((_, false)) => {}
        }
    }

    fn publishers_counted(&mut self, topic: &str, count: PublisherCount) {
        if self.states.as_mut().is_some_and(|states| states.count(topic, count)) {
            self.warn_of_states(&self.absence().unwrap_or_default());
            self.hold();
        }
    }

    fn warn_of_states(&mut self, error: &str) {
        self.outputs.push_back(Output::Warn(format!("the robot's states do not count: {error}")));
    }

    fn failed(&mut self, error: &DeviceError) {
        match error {
            DeviceError::Failed(what) => {
                self.answered = Some(self.clock.now());
                self.failure = Some(what.clone());
                self.is_unanswered = false;
                self.fail_waiting();
            }
            // It is no sign of life. The loop forgot the command.
            DeviceError::NoAnswer => {
                self.is_unanswered = true;
                self.record_hold(&self.sensor());
                if let Err(error) = self.check_answer() {
                    self.fail_commands(&error);
                }
            }
        }
    }

    /// Answers the calls that wait for a reading and gave a command, which does not count any more.
    fn fail_commands(&mut self, error: &str) {
        let sensor = self.sensor();
        for waiting in self.waiting.extract_if(.., |waiting| waiting.is_command) {
            let answer = Answer::Update(Err(error.to_owned()), sensor.clone());
            self.outputs.push_back(Output::Answer(waiting.id, answer));
        }
    }

    /// Answers the calls that wait for a reading which does not come.
    fn fail_waiting(&mut self) {
        let Err(error) = self.check_device() else { return };
        let sensor = self.sensor();
        for waiting in self.waiting.drain(..) {
            let answer = Answer::Update(Err(error.clone()), sensor.clone());
            self.outputs.push_back(Output::Answer(waiting.id, answer));
        }
    }

    fn order(&mut self, order: Order) {
        self.outputs.push_back(Output::Order(Box::new(order)));
    }

    fn answer(&mut self, id: u64, answer: Answer) {
        self.outputs.push_back(Output::Answer(id, answer));
    }

    /// Warns of a message that has nobody to answer to, unless it did so just before.
    fn warn(&mut self, error: &str) {
        let now = self.clock.now();
        if self.warned.is_none_or(|warned| now.since(warned) >= WARNING_PERIOD) {
            self.warned = Some(now);
            self.outputs.push_back(Output::Warn(format!("a command was refused: {error}")));
        }
    }

    /// Advances to `now`; with a reading the device has not been silent until then.
    fn pass_to(&mut self, now: Instant, has_reading: bool) {
        let due = self.deadline();
        self.clock.pass_to(now, due);
        let now = self.clock.now();
        let answered = self.answered.get_or_insert(now);
        if has_reading {
            *answered = now;
        }
        if self.has_timed_out() {
            self.fail_waiting();
        }
        self.change_vehicle(|now, vehicle| vehicle.expire(now));
    }
}

impl Machine for Haptix {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now, matches!(input, Input::DeviceStepped(_)));
        match input {
            Input::CommandReceived { command, at } => {
                if let Err(error) = self.command(&command, at, Ok(())) {
                    self.warn(&error);
                }
            }
            Input::UpdateRequested { id, command, wait_for_tick } => self.update(id, &command, wait_for_tick),
            Input::ReadRequested { id } => {
                let answer = self.check_device().map(|()| self.sensor());
                self.answer(id, Answer::Read(answer));
            }
            Input::InfoRequested { id } => {
                let info = || Box::new((self.constants.info, self.constants.description.clone()));
                let answer = self.check_device().map(|()| info());
                self.answer(id, Answer::Info(answer));
            }
            Input::GraspRequested { id, grasps } => {
                let answer = self.grasp(&grasps);
                self.answer(id, Answer::Grasp(answer));
            }
            Input::ResetRequested { id, reset_limb_pose } => {
                let answer = self.reset(reset_limb_pose);
                self.answer(id, Answer::Reset(answer));
            }
            Input::MotorsResetRequested { id } => {
                let answer = self.reset_motors();
                self.answer(id, Answer::MotorsReset(answer));
            }
            Input::VehicleStateReceived(state) => {
                let time = MessageTime::read_now(&self.clock);
                self.change_vehicle(|now, vehicle| vehicle.receive(now, time, &state));
            }
            Input::VehiclePublishersCounted(publishers) => {
                self.change_vehicle(|now, vehicle| vehicle.count(now, publishers.as_deref()));
            }
            Input::ActivityChanged(is_active) => self.set_active(is_active),
            Input::ParametersChanged(settings) => {
                self.command_timeout = settings.command_timeout;
                self.order(Order::Configure(*settings));
            }
            Input::DeviceStepped(reading) => self.stepped(reading),
            Input::DeviceFailed(error) => self.failed(&error),
            Input::StatesReceived(message) => self.states_received(&message),
            Input::PublishersCounted { topic, count } => self.publishers_counted(&topic, count),
            Input::CommandsSubscribed(has_subscriber) => {
                if !has_subscriber && !self.is_unsubscribed {
                    self.outputs.push_back(Output::Warn(State::NoSubscriber.to_string()));
                }
                self.is_unsubscribed = !has_subscriber;
            }
            Input::ClockRead(reading) => self.clock.read(now, reading),
            Input::Stopping => {
                self.is_stopping = true;
                self.outputs.extend(self.states.is_some().then_some(Output::Stay { is_last: true }));
                self.order(Order::Hold);
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now, false);
        if let Some(output) = self.outputs.pop_front() {
            return Some(output);
        }
        let state = self.state();
        if state == self.published {
            return None;
        }
        self.published = state.clone();
        Some(Output::PublishState(state))
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now, false);
        self.clock.read_again(since, due);
        self.vehicle_read_again();
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::Order(_) | Output::Answer(..) => Backlog::Each,
            Output::PassStates(_) => Backlog::Newest(0),
            Output::Stay { is_last } => Backlog::Newest(1 + u8::from(*is_last)),
            Output::PublishReading(..) | Output::PublishState(_) | Output::Warn(_) | Output::Inform(_) => {
                Backlog::Recent
            }
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let silence =
            self.answered.filter(|_| !self.has_timed_out()).map(|answered| answered + DEVICE_TIMEOUT);
        let is_new = self.state() != self.published || !self.outputs.is_empty();
        let own = earliest(silence, is_new.then(|| self.clock.now()));
        earliest(own, self.vehicle_deadline())
    }
}
