use std::collections::VecDeque;

use arbiter::Arbiter;
use hindbrain::Hindbrain;
use joystick::Joystick;
use safety::{Backlog, ClockReading, Contains, Instant, Machine, earliest};
use why::{Explain, Stage};
use zones::ZoneScaler;

/// An event for one of the stages.
#[allow(clippy::large_enum_variant)] // a box would allocate for each command
#[derive(Clone, Debug)]
pub enum Input {
    /// The clock of stamps at this `now`, for every stage: there is one clock. Expected before the events that happen at it.
    ClockRead(ClockReading),
    /// For the joystick.
    Joystick(joystick::Input),
    /// For the arbiter: commands of the other sources, locks.
    Arbiter(arbiter::Input),
    /// Other parameters of the arbiter.
    SourcesChanged {
        /// The parameters.
        params: arbiter::Params,
        /// Index of the source that is the joystick.
        stick: Option<usize>,
    },
    /// For the zones: the scaling.
    Zones(zones::Input),
    /// For hindbrain: enable, e-stop, reset, infra-red.
    Hindbrain(hindbrain::Input),
}

/// An output of a stage. A motor value comes before all other outputs of its event.
#[allow(clippy::large_enum_variant)] // as for `Input`
#[derive(Clone, Debug)]
pub enum Output {
    /// An output of the joystick.
    Joystick(joystick::Output),
    /// An output of the arbiter.
    Arbiter(arbiter::Output),
    /// An output of the zone scaler.
    Zones(zones::Output),
    /// An output of hindbrain.
    Hindbrain(hindbrain::Output),
}

/// The four stages, built from their parameters.
#[derive(Debug)]
pub struct Stages {
    /// First: the user's command.
    pub joystick: Joystick,
    /// Second: which source drives.
    pub arbiter: Arbiter,
    /// Third: the limits by the surroundings.
    pub zones: ZoneScaler,
    /// Last: whether and how fast the motors follow.
    pub hindbrain: Hindbrain,
}

/// The four stages as one [`Machine`].
///
/// Each stage has the clock, and all are polled in each drain: each detects a hold of the process and judges its inputs as
/// it does in a process of its own. This type decides nothing.
/// # Real-time
/// Nothing is allocated between an event and its motor value. Each output moves once through a queue that keeps its
/// capacity.
/// # Source
/// own; the topics between the stages are those of the separate nodes.
#[derive(Debug)]
pub struct Drive {
    stages: Stages,
    /// Index of the arbiter's source that is the joystick; without one the stick drives nothing.
    stick: Option<usize>,
    motors: VecDeque<Output>,
    rest: VecDeque<Output>,
    /// When no stage had any output left, if nothing has happened since.
    dry: Option<Instant>,
}

impl Drive {
    /// Composes `stages`; `stick` is the index of the arbiter's source that receives the joystick's reference.
    pub fn new(stages: Stages, stick: Option<usize>) -> Self {
        let (motors, rest) = (VecDeque::with_capacity(16), VecDeque::with_capacity(64));
        Self { stages, stick, motors, rest, dry: None }
    }

    /// The stages, for inspection.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// The stages with what each holds back, from the hand to the motors: for [`why::choose`].
    /// # Real-time
    /// Nothing is allocated.
    pub fn explain(&self) -> [Stage; 4] {
        let Stages { joystick, arbiter, zones, hindbrain } = &self.stages;
        [joystick.explain(), arbiter.explain(), zones.explain(), hindbrain.explain()]
    }

    /// Polls each stage, first to last, up to its next command: one pass carries a command through all stages before their other
    /// outputs. Returns whether any stage had an output.
    fn pass_on(&mut self, now: Instant) -> bool {
        let mut has_output = false;
        while let Some(output) = self.stages.joystick.poll(now) {
            has_output = true;
            let desired = match &output {
                joystick::Output::PublishDesired(state) => Some(*state),
                _ => None,
            };
            self.rest.push_back(Output::Joystick(output));
            if let (Some(state), Some(source)) = (desired, self.stick) {
                let joystick::PoseState { stamp, intrinsic, vel, avel, acc, aacc, .. } = state;
                let state = arbiter::State { stamp, intrinsic, vel, avel, acc, aacc };
                self.stages.arbiter.handle(now, arbiter::Input::StateReceived { source, state });
                break;
            }
        }
        while let Some(output) = self.stages.arbiter.poll(now) {
            has_output = true;
            let command = match &output {
                arbiter::Output::Drive(command) => Some(*command),
                arbiter::Output::PublishActive(_) => None,
            };
            self.rest.push_back(Output::Arbiter(output));
            if let Some(command) = command {
                self.stages.zones.handle(now, zones::Input::CommandReceived(command));
                break;
            }
        }
        while let Some(output) = self.stages.zones.poll(now) {
            has_output = true;
            self.rest.push_back(Output::Zones(output));
            if let zones::Output::Drive(command) = output {
                self.stages.hindbrain.handle(now, hindbrain::Input::CommandReceived(Ok(command)));
                break;
            }
        }
        while let Some(output) = self.stages.hindbrain.poll(now) {
            has_output = true;
            if matches!(output, hindbrain::Output::Drive(_)) {
                self.motors.push_back(Output::Hindbrain(output));
                break;
            }
            self.rest.push_back(Output::Hindbrain(output));
        }
        has_output
    }
}

/// `stage` is a field of [`Stages`], `Input::$variant` passes it an input.
macro_rules! contains {
    ($($stage:ty: $field:ident, $variant:ident;)*) => {$(
        impl Contains<$stage> for Drive {
            fn stage(&self) -> &$stage {
                &self.stages.$field
            }

            fn wrap(input: <$stage as Machine>::Input) -> Input {
                Input::$variant(input)
            }
        }
    )*};
}

contains! {
    Joystick: joystick, Joystick;
    Arbiter: arbiter, Arbiter;
    ZoneScaler: zones, Zones;
    Hindbrain: hindbrain, Hindbrain;
}

impl Machine for Drive {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Instant, input: Input) {
        self.dry = None;
        match input {
            Input::ClockRead(reading) => {
                self.stages.joystick.handle(now, joystick::Input::ClockRead(reading));
                self.stages.arbiter.handle(now, arbiter::Input::ClockRead(reading));
                self.stages.zones.handle(now, zones::Input::ClockRead(reading));
                self.stages.hindbrain.handle(now, hindbrain::Input::ClockRead(reading));
            }
            Input::Joystick(input) => self.stages.joystick.handle(now, input),
            Input::Arbiter(input) => self.stages.arbiter.handle(now, input),
            Input::SourcesChanged { params, stick } => {
                self.stick = stick;
                self.stages.arbiter.handle(now, arbiter::Input::ParametersChanged(params));
            }
            Input::Zones(input) => self.stages.zones.handle(now, input),
            Input::Hindbrain(input) => self.stages.hindbrain.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant) -> Option<Output> {
        while self.motors.is_empty() && self.dry != Some(now) {
            if !self.pass_on(now) {
                self.dry = Some(now);
            }
        }
        self.motors.pop_front().or_else(|| self.rest.pop_front())
    }

    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        let Stages { joystick, arbiter, zones, hindbrain } = &mut self.stages;
        joystick.read_again(now, since, due);
        arbiter.read_again(now, since, due);
        zones.read_again(now, since, due);
        hindbrain.read_again(now, since, due);
    }

    fn may_move(&self) -> bool {
        self.stages.hindbrain.may_move()
    }

    fn asks_for_motion(input: &Input) -> bool {
        match input {
            Input::Joystick(input) => Joystick::asks_for_motion(input),
            Input::Arbiter(input) => Arbiter::asks_for_motion(input),
            Input::Zones(input) => ZoneScaler::asks_for_motion(input),
            Input::Hindbrain(input) => Hindbrain::asks_for_motion(input),
            Input::ClockRead(_) | Input::SourcesChanged { .. } => false,
        }
    }

    fn backlog(output: &Output) -> Backlog {
        match output {
            Output::Joystick(output) => Joystick::backlog(output).of_stage(0),
            Output::Arbiter(output) => Arbiter::backlog(output).of_stage(1),
            Output::Zones(output) => ZoneScaler::backlog(output).of_stage(2),
            Output::Hindbrain(output) => Hindbrain::backlog(output).of_stage(3),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        let first = earliest(self.stages.joystick.deadline(), self.stages.arbiter.deadline());
        let last = earliest(self.stages.zones.deadline(), self.stages.hindbrain.deadline());
        earliest(first, last)
    }
}
