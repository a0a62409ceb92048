use std::collections::VecDeque;

use arbiter::Arbiter;
use hindbrain::Hindbrain;
use joystick::Joystick;
use units::{Contains, Instant, Machine, Stamp, earliest};
use zones::ZoneScaler;

/// An event for one of the stages.
#[allow(clippy::large_enum_variant)] // on the way of a command nothing is boxed
#[derive(Clone, Debug)]
pub enum Input {
    /// The wall clock at this `now`, for every stage: there is one clock. Expected before the events that happen at it.
    ClockRead(Stamp),
    /// For the joystick.
    Joystick(joystick::Input),
    /// For the arbiter: commands of the other sources, locks.
    Arbiter(arbiter::Input),
    /// The arbiter's parameters are these from now on.
    SourcesChanged {
        /// For the arbiter.
        params: arbiter::Params,
        /// Index of the source among them that the joystick is.
        stick: Option<usize>,
    },
    /// For the zones: the scaling.
    Zones(zones::Input),
    /// For hindbrain: enable, e-stop, reset, infra-red.
    Hindbrain(hindbrain::Input),
}

/// What a stage asks for. A motor value comes before everything that its event also brought.
#[allow(clippy::large_enum_variant)] // as for `Input`
#[derive(Clone, Debug)]
pub enum Output {
    /// Of the joystick.
    Joystick(joystick::Output),
    /// Of the arbiter.
    Arbiter(arbiter::Output),
    /// Of the zones.
    Zones(zones::Output),
    /// Of hindbrain.
    Hindbrain(hindbrain::Output),
}

/// The four stages, as they are built from their parameters.
#[derive(Debug)]
pub struct Stages {
    /// First: what the user wants.
    pub joystick: Joystick,
    /// Second: who drives.
    pub arbiter: Arbiter,
    /// Third: what the surroundings allow.
    pub zones: ZoneScaler,
    /// Last: whether and how fast the motors follow.
    pub hindbrain: Hindbrain,
}

/// The four stages as one [`Machine`].
///
/// Each stage has the clock, and all are asked in each drain: each notices a hold of the process and judges what it
/// receives as it does in a process of its own. Nothing is judged in here.
/// # Real-time
/// From an event to the motor value that comes of it nothing is allocated. Each output moves once through a queue that
/// keeps its capacity.
/// # Source
/// own; the topics between the stages are those of the separate nodes.
#[derive(Debug)]
pub struct Drive {
    stages: Stages,
    /// Index of the arbiter's source that the joystick is; without one the stick drives nothing.
    stick: Option<usize>,
    motors: VecDeque<Output>,
    rest: VecDeque<Output>,
    /// When no stage had any output left, if nothing has happened since.
    dry: Option<Instant>,
}

impl Drive {
    /// Composes `stages`; `stick` is the index of the arbiter's source that takes the joystick's reference.
    pub fn new(stages: Stages, stick: Option<usize>) -> Self {
        let (motors, rest) = (VecDeque::with_capacity(16), VecDeque::with_capacity(64));
        Self { stages, stick, motors, rest, dry: None }
    }

    /// The stages, to look at.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// Takes from each stage, first to last, what it has to say up to its next command, so that one pass carries a
    /// command through before anybody tells what else there is. Whether any stage had something to say.
    fn pass_on(&mut self, now: Instant) -> bool {
        let mut said = false;
        while let Some(output) = self.stages.joystick.poll(now) {
            said = true;
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
            said = true;
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
            said = true;
            self.rest.push_back(Output::Zones(output));
            if let zones::Output::Drive(command) = output {
                self.stages.hindbrain.handle(now, hindbrain::Input::CommandReceived(Ok(command)));
                break;
            }
        }
        while let Some(output) = self.stages.hindbrain.poll(now) {
            said = true;
            if matches!(output, hindbrain::Output::Drive(_)) {
                self.motors.push_back(Output::Hindbrain(output));
                break;
            }
            self.rest.push_back(Output::Hindbrain(output));
        }
        said
    }
}

/// `stage` is a field of [`Stages`], `Input::$variant` brings it an input.
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
            Input::ClockRead(stamp) => {
                self.stages.joystick.handle(now, joystick::Input::ClockRead(stamp));
                self.stages.arbiter.handle(now, arbiter::Input::ClockRead(stamp));
                self.stages.zones.handle(now, zones::Input::ClockRead(stamp));
                self.stages.hindbrain.handle(now, hindbrain::Input::ClockRead(stamp));
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

    fn deadline(&self) -> Option<Instant> {
        let first = earliest(self.stages.joystick.deadline(), self.stages.arbiter.deadline());
        let last = earliest(self.stages.zones.deadline(), self.stages.hindbrain.deadline());
        earliest(first, last)
    }
}
