use core::time::Duration;
use std::collections::VecDeque;

use safety::freshness::is_stale;
use safety::{
    Backlog, Clock, ClockReading, Instant, Level, Machine, MessageTime, PublisherCount, PublisherId, Stamp,
    StateMonitor, StateSample, StatesMessage, earliest,
};

use crate::Snapshot;
use crate::controllers::{self, Beyond, ControllerId, ControllerInput, Manager, Refusal, RequestId};
use crate::diagnostics::{Diagnostics, Status};
use crate::halt_cause::{HaltCause, HaltCauses};
use crate::laws::FollowedJoint;
use crate::waiting::{Wait, Waiting};

mod concerns;
mod halts;

/// Everything that can happen to the node.
#[derive(Debug)]
pub enum Input {
    /// An input of the [`Manager`].
    Manager(controllers::Input),
    /// Commands of motion on an input of a controller wait for a zero, or not any more.
    WaitsForZero {
        /// The controller.
        controller: ControllerId,
        /// The input's name.
        input: &'static str,
        /// Whether they do.
        waits: bool,
    },
    /// Commands on an input of a controller are a stream since before a halt of the motors and do not count, or count again.
    StreamWaits {
        /// The controller.
        controller: ControllerId,
        /// The input's name.
        input: &'static str,
        /// Whether they do not count.
        waits: bool,
    },
    /// A controller reports [`Report::CommandBeyond`](controllers::Report::CommandBeyond), on its input `command`.
    CommandBeyond(ControllerId, Beyond),
    /// A controller reports [`Report::ApproachLost`](controllers::Report::ApproachLost), on its input `command`.
    ApproachLost(ControllerId),
    /// These nodes publish the input of a controller, where more than one does or did.
    CommandersCounted {
        /// The controller.
        controller: ControllerId,
        /// The input.
        input: ControllerInput,
        /// The nodes' names.
        nodes: Vec<String>,
    },
    /// The control loop reported its state.
    Reported(Box<Snapshot>),
    /// A halt of the motors was requested.
    HaltRequested,
    /// A reset of the motors was requested.
    ResetRequested,
    /// The state of the vehicle was received, as hindbrain publishes it.
    StateReceived(String),
    /// The publishers of the state of the vehicle were read; `None` if they cannot be. Expected before each
    /// [`StateReceived`](Self::StateReceived), after the message was received.
    StatePublishersCounted(Option<Vec<PublisherId>>),
    /// States of the robot elsewhere were received.
    StatesReceived(StatesMessage),
    /// The publishers of a topic on which one is expected were counted.
    PublishersCounted {
        /// The topic.
        topic: String,
        /// How many there are.
        count: PublisherCount,
    },
    /// Parameters of these names were changed; those of a controller count when it is loaded.
    ParametersChanged(Vec<String>),
    /// The clock of stamps was read.
    ClockRead(ClockReading),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node ends.
    Stopping,
}

/// Everything that the node does.
#[derive(Debug)]
pub enum Output {
    /// Do as the [`Manager`] asks.
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
    /// Something good that users should know.
    Inform(String),
}

/// A call that comes this much later than it was asked for shows that the process was held.
const LATE: Duration = Duration::from_millis(50);
/// The period of the statuses, and of the repeated publishing of the halt.
const STATUS_PERIOD: Duration = Duration::from_secs(1);

/// The controller manager, with the halt of the motors, the reports of the loop and the diagnostics.
///
/// The motors are halted while one of these holds: a halt was requested and no reset since; the state of the vehicle forbids to
/// move ([`VehicleMonitor`](safety::VehicleMonitor)); the states of a robot elsewhere were lost, or one of its topics had a second
/// publisher, and no reset was requested since that ended; the control loop reports nothing. When the last one ends, the motors are
/// reset once.
#[derive(Debug)]
pub struct Mechanism {
    manager: Manager,
    diagnostics: Diagnostics,
    /// Where the joints were in the last report.
    positions: Vec<(String, f64)>,
    /// How many commanded efforts were not finite until the last report.
    invalid_commands: u64,
    causes: HaltCauses,
    /// The states of the robot, if it is elsewhere.
    states: Option<StateMonitor>,
    /// Whether the states of the robot elsewhere do not count, as of the last report.
    had_obstacle: bool,
    waiting: Waiting,
    /// The inputs of controllers that several nodes publish, with the nodes' names.
    commanders: Vec<(ControllerId, ControllerInput, Vec<String>)>,
    is_halted: bool,
    /// Whether the motors were reset and are not all back: they are halted meanwhile.
    is_resetting: bool,
    is_stopping: bool,
    statuses_due: Option<Instant>,
    /// When the loop reported last, and after how much time without a report it is silent.
    reported: Option<Instant>,
    silent_after: Option<Duration>,
    is_silent: bool,
    /// When the diagnostics last got a report.
    recorded: Option<Instant>,
    clock: Clock,
    outputs: VecDeque<Output>,
}

/// Outputs at the start: the motors stay halted until the vehicle's state is received for the first time.
fn halted_at_the_start() -> [Output; 2] {
    [Output::Halt, Output::Warn("the motors are halted: the vehicle's state is awaited".to_owned())]
}

impl Mechanism {
    /// The node without controllers. With `awaits_state` the motors are halted until the vehicle's state arrives.
    pub fn new(call_timeout: Duration, awaits_state: bool) -> Self {
        Self {
            manager: Manager::new(call_timeout),
            diagnostics: Diagnostics::default(),
            positions: Vec::new(),
            invalid_commands: 0,
            causes: HaltCauses::new(awaits_state),
            states: None,
            had_obstacle: false,
            waiting: Waiting::default(),
            commanders: Vec::new(),
            is_halted: true,
            is_resetting: false,
            is_stopping: false,
            statuses_due: None,
            reported: None,
            silent_after: None,
            is_silent: false,
            recorded: None,
            clock: Clock::default(),
            outputs: if awaits_state { halted_at_the_start().into() } else { VecDeque::new() },
        }
    }

    /// Sets whether the statuses leave out that a controller took too long, as for a simulation on a busy computer.
    #[must_use]
    pub fn ignoring_overruns(mut self, ignores_overruns: bool) -> Self {
        self.diagnostics.ignores_overruns = ignores_overruns;
        self
    }

    /// Expects a report of the loop within `time` after the previous one.
    #[must_use]
    pub fn expecting_reports_within(mut self, time: Duration) -> Self {
        self.silent_after = Some(time);
        self
    }

    /// Whether the loop reports nothing, since it hangs in a step: halts have no effect then.
    pub fn is_loop_silent(&self) -> bool {
        self.is_silent
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

    /// Why the motors are kept halted, if they are, and whether a reset has to end that.
    pub fn halt_cause(&self) -> Option<String> {
        self.causes.text(self.states.as_ref().and_then(StateMonitor::obstacle))
    }

    /// The level of `/diagnostics` with that cause.
    pub fn halt_level(&self) -> Level {
        self.causes.level()
    }

    /// Whether any motor was halted in the last report.
    pub fn is_halted(&self) -> bool {
        self.is_halted
    }

    fn states_received(&mut self, message: &StatesMessage) {
        let Some(states) = &mut self.states else { return };
        self.outputs.extend(match states.receive(&self.clock, message) {
            Ok(sample) => Some(Output::PassStates(sample)),
            Err((error, true)) => Some(Output::Warn(format!("the robot's states do not count: {error}"))),
            Err(_) => None,
        });
        if let Some(names) = states.newly_ignored() {
            self.outputs.push_back(Output::Inform(format!(
                "the robot's states have what this robot has not, which is ignored: {names}"
            )));
        }
    }

    fn reported(&mut self, now: Instant, snapshot: Box<Snapshot>) {
        self.reported = Some(now);
        if core::mem::take(&mut self.is_silent) {
            self.outputs.push_back(Output::Warn("the control loop steps again".to_owned()));
            self.change_causes(|causes| causes.set(HaltCause::LoopSilent, false));
        }
        let states = self.states.as_mut().zip(snapshot.link);
        if states.is_some_and(|(states, link)| states.report(link)) {
            self.lose_robot();
        }
        self.watch_states();
        if self.is_halted != snapshot.is_halted && !self.is_stopping {
            self.is_halted = snapshot.is_halted;
            self.outputs.push_back(Output::PublishHalted(self.is_halted));
            self.say_halt(snapshot.was_held);
        }
        self.count_invalid_commands(&snapshot);
        self.positions.resize(snapshot.joints.len(), Default::default());
        for ((name, position), joint) in self.positions.iter_mut().zip(&snapshot.joints) {
            name.clone_from(&joint.name);
            *position = joint.position;
        }
        let names: Vec<String> = self.manager.names().map(str::to_owned).collect();
        // The statuses need no topic: they are made also where the statistics are not published.
        if snapshot.has_statistics || self.recorded.is_none_or(|last| now.since(last) >= STATUS_PERIOD) {
            self.recorded = Some(now);
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

    /// Sets where these joints are, as of the last report of the loop.
    pub fn place(&self, joints: &mut [FollowedJoint]) {
        for joint in joints {
            let known = self.positions.iter().find(|(name, _)| *name == joint.name);
            joint.position = known.map(|(_, position)| *position);
        }
    }

    /// How many efforts that controllers commanded were not finite, and counted as 0.
    pub fn invalid_commands(&self) -> u64 {
        self.invalid_commands
    }

    fn count_invalid_commands(&mut self, snapshot: &Snapshot) {
        let count = snapshot.joints.iter().map(|joint| joint.statistics.invalid_commands).sum();
        if self.invalid_commands == 0 && count > 0 {
            let joint = snapshot.joints.iter().find(|joint| joint.statistics.invalid_commands > 0);
            let name = joint.map_or("", |joint| joint.name.as_str());
            let sentence = format!(
                "a controller commands joint '{name}' an effort that is not finite: it counts as 0; /diagnostics has the count"
            );
            self.outputs.push_back(Output::Warn(sentence));
        }
        self.invalid_commands = count;
    }

    fn parameters_changed(&mut self, names: &[String]) {
        let of = |name: &str| {
            let owners = self.manager.names();
            let mut owners =
                owners.filter(|owner| name.strip_prefix(owner).is_some_and(|rest| rest.starts_with('.')));
            owners
                .next()
                .map(|owner| format!("parameter '{name}' takes effect at the next load of '{owner}'"))
        };
        let sentences: Vec<_> = names.iter().filter_map(|name| of(name)).map(Output::Inform).collect();
        self.outputs.extend(sentences);
    }

    /// The stamp of what was measured at `at`.
    fn stamp(&self, at: Instant) -> Stamp {
        self.clock.measured(at)
    }

    /// The clock, which knows whether what is read now may have waited.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    fn pass_to(&mut self, now: Instant) {
        let due = self.deadline();
        self.clock.pass_to(now, due);
    }

    /// When the loop counts as silent.
    fn silent_at(&self) -> Option<Instant> {
        Some(self.reported? + self.silent_after?).filter(|_| !self.is_silent && !self.is_stopping)
    }

    /// Does what is due by `now`.
    fn expire(&mut self, now: Instant) {
        if self.silent_at().is_some_and(|at| now > at + LATE) {
            // This call is late as well: the process was held, and the loop gets its time once more.
            self.reported = Some(now);
        } else if self.silent_at().is_some_and(|at| now >= at) {
            self.is_silent = true;
            let time = self.silent_after.unwrap_or_default();
            let sentence = format!(
                "the control loop has reported nothing for {time:?}: it hangs in a step, and obeys no halt"
            );
            self.outputs.push_back(Output::Warn(sentence));
            self.change_causes(|causes| causes.set(HaltCause::LoopSilent, true));
        }
        self.change_causes(|causes| causes.expire(now));
        let due = *self.statuses_due.get_or_insert(now + STATUS_PERIOD);
        if now >= due {
            self.statuses_due = Some(now + STATUS_PERIOD);
            self.diagnostics.concerns = self.concerns();
            self.describe();
            let statuses = self.diagnostics.statuses(now, |at| self.clock.measured(at));
            self.outputs.push_back(Output::PublishStatuses(statuses));
            self.outputs.push_back(Output::PublishHalted(self.is_halted));
        }
    }
}

impl Machine for Mechanism {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.pass_to(now);
        match input {
            Input::Manager(controllers::Input::Requested(id, request))
                if is_stale(&self.clock) && !request.only_stops() =>
            {
                let refusal = Refusal::Stale(self.clock.waited());
                self.outputs.push_back(Output::Manager(controllers::Output::Answer(id, Err(refusal))));
                // No stop is too late.
                if let Some(stops) = request.stops() {
                    self.manager.handle(now, controllers::Input::Requested(RequestId::MAX, stops));
                }
            }
            Input::Manager(input) => self.manager.handle(now, input),
            Input::WaitsForZero { controller, input, waits } => {
                self.waits(now, Wait::Zero, controller, input, waits);
            }
            Input::StreamWaits { controller, input, waits } => {
                self.waits(now, Wait::Rest, controller, input, waits);
            }
            Input::CommandBeyond(controller, beyond) => self.commanded_beyond(controller, beyond),
            Input::ApproachLost(controller) => self.approach_lost(controller),
            Input::CommandersCounted { controller, input, nodes } => {
                self.commanders_counted(controller, input, nodes);
            }
            Input::Reported(snapshot) => self.reported(now, snapshot),
            Input::HaltRequested => {
                // Reported again, whatever halts the motors already: the first one may not have reached a robot elsewhere.
                if self.causes.worst().is_some() && !self.is_stopping {
                    self.outputs.push_back(Output::Halt);
                }
                self.change_causes(|causes| causes.set(HaltCause::Requested, true));
            }
            Input::ActivityChanged(is_active) => self.change_causes(|causes| {
                causes.set(HaltCause::Inactive, !is_active);
                causes.set(HaltCause::Requested, true); // an activation moves nothing: a reset does
            }),
            Input::ResetRequested if is_stale(&self.clock) => {
                let sentence =
                    format!("a reset of the motors is ignored: {}", Refusal::Stale(self.clock.waited()));
                self.outputs.push_back(Output::Warn(sentence));
            }
            Input::ResetRequested if self.is_stopping => {}
            Input::ResetRequested => self.reset_requested(),
            Input::StateReceived(state) => {
                let time = MessageTime::read_now(&self.clock);
                self.change_causes(|causes| causes.state_received(now, time, &state));
            }
            Input::StatePublishersCounted(publishers) => {
                self.change_causes(|causes| causes.publishers_counted(now, publishers.as_deref()));
            }
            Input::ParametersChanged(names) => self.parameters_changed(&names),
            Input::StatesReceived(message) => self.states_received(&message),
            Input::PublishersCounted { topic, count } => {
                if self.states.as_mut().is_some_and(|states| states.count(&topic, count)) {
                    self.lose_robot();
                }
                self.watch_states();
            }
            Input::ClockRead(reading) => self.clock.read(now, reading),
            Input::Stopping => {
                // No report of the loop follows that would say so.
                (self.is_stopping, self.is_halted) = (true, true);
                self.outputs.extend([Output::Halt, Output::PublishHalted(true), Output::SendZero]);
            }
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        self.pass_to(now);
        self.expire(now);
        self.outputs.pop_front().or_else(|| self.manager.poll(now).map(Output::Manager))
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        self.pass_to(now);
        self.clock.read_again(since, due);
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::Manager(output) => Manager::backlog(output),
            Output::Publish(..) | Output::Reset => Backlog::Each, // the loop has few snapshots
            Output::Halt => Backlog::Newest(0),
            Output::SendZero => Backlog::Newest(1),
            Output::PublishHalted(_) => Backlog::Newest(2),
            Output::PublishStatuses(_) => Backlog::Newest(3),
            Output::PassStates(_) => Backlog::Newest(4),
            Output::Warn(_) | Output::Inform(_) => Backlog::Recent,
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let own = earliest(self.causes.deadline(), earliest(self.statuses_due, self.silent_at()));
        earliest(self.manager.deadline(), own)
    }
}
