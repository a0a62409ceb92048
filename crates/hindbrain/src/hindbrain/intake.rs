use core::time::Duration;

use units::{Command, Freshness, Stale, Stamp, Velocity};

use super::{Hindbrain, nanos};
use crate::core::{
    CommandInput, Conflicts, CoreParams, Inputs, InvalidCommand, Reading, SoleTopic, SwitchInput, Setpoint,
};
use crate::{CommandType, Input, Profile, Refused, Sensor, Source, reading_of, setpoint_of};

/// How often a command that is refused is reported, if they keep coming.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

impl Hindbrain {
    /// Puts an event into the core's terms and counts it; whether motor values must go out whatever comes of it.
    pub(super) fn translate(&mut self, input: Input, inputs: &mut Inputs) -> bool {
        match input {
            Input::CommandReceived(Ok(command)) => self.command(command, inputs),
            Input::CommandReceived(Err(not_finite)) => self.refuse(not_finite.into(), inputs),
            Input::EnableReceived(on) => {
                self.note(Source::Enable);
                inputs.enable = Some(self.switch(on));
                !on
            }
            Input::EstopReceived(pressed) => {
                self.note(Source::Estop);
                inputs.estop = Some((pressed, nanos(self.clock.waited())));
                pressed
            }
            Input::ResetReceived(down) => {
                self.note(Source::Reset);
                inputs.reset = Some(self.switch(down));
                true
            }
            Input::IrReceived { sensor, distance, stamp } => {
                self.measure(sensor, distance, stamp, inputs);
                false
            }
            Input::PublishersCounted(publishers) => {
                inputs.conflicts =
                    Some(SoleTopic::ALL.into_iter().fold(Conflicts::NONE, |conflicts, topic| {
                        conflicts.with(topic, publishers.of(topic).is_conflict())
                    }));
                inputs.estop_published = Some(publishers.of(SoleTopic::Estop).is_any());
                false
            }
            Input::DeviceOpened | Input::DeviceLost => {
                self.note(Source::Device);
                inputs.device = Some(matches!(input, Input::DeviceOpened));
                true
            }
            Input::Unwatched => {
                self.counters.unwatched += 1;
                inputs.unwatched = true;
                true
            }
            Input::ParametersChanged(params) => {
                if self.accepts_parameters() {
                    self.params = params;
                }
                false
            }
            Input::ClockRead(_) | Input::Stopping => false, // the caller's
        }
    }

    fn switch(&self, on: bool) -> SwitchInput {
        SwitchInput { on, age: nanos(self.clock.waited()) }
    }

    /// A reading that is not clear counts, however stale it is. A clear one counts from when it was measured.
    fn measure(&mut self, sensor: Sensor, distance: Option<f64>, stamp: Stamp, inputs: &mut Inputs) {
        let index = sensor.index();
        let timeout = Duration::from_nanos(self.params.core.infrared.timeout);
        let judged = self.measurements[index].judge(&self.clock, stamp, timeout);
        let reading = reading_of(distance, &self.params.infrared);
        let now = self.clock.now();
        let reading = match (reading, judged) {
            (Reading::Clear, Ok(said)) => (Reading::Clear, nanos(said.age(now))),
            (Reading::Clear, Err(Stale::Late | Stale::Repeated { .. })) => {
                self.counters.repeated += 1;
                return;
            }
            (Reading::Clear, Err(Stale::Old { .. } | Stale::Ahead { .. })) => (Reading::Invalid, 0),
            (reading, _) => (reading, 0),
        };
        self.note(Source::Ir(sensor));
        inputs.infrared[index] = Some(reading);
        self.counters.unfitted += u64::from(!self.params.core.infrared.fitted[index]);
    }

    fn command(&mut self, command: Command, inputs: &mut Inputs) -> bool {
        // First of all: of what is refused the stamp says nothing about others.
        if let Err(refused) = Refused::check(&command.velocity, &self.params.full_speed) {
            return self.refuse(refused, inputs);
        }
        let timeout = Duration::from_nanos(self.params.core.command_timeout);
        let said = match self.commands.judge(&self.clock, command.stamp, timeout) {
            Ok(said) => said,
            // The core ends what is in force by it, and takes it for no command.
            Err(_) if command.velocity.is_neutral() => {
                self.counters.late += 1;
                inputs.command = Some(Ok(CommandInput { setpoint: Setpoint::ZERO, is_zero: true, age: u64::MAX }));
                return true;
            }
            Err(Stale::Late | Stale::Repeated { .. }) => {
                self.counters.late += 1;
                return false;
            }
            Err(Stale::Old { age }) => return self.refuse(Refused::old(age, timeout), inputs),
            Err(Stale::Ahead { by }) => return self.refuse(Refused::ahead(by), inputs),
        };
        self.counters.commands += 1;
        self.note(Source::Command);
        // A plain Twist has no stamp: what the motors do goes back to its receipt.
        let is_plain = self.params.command_type == CommandType::Twist && command.stamp.is_zero();
        let stamp = if is_plain { self.clock.wall() } else { command.stamp };
        self.accepted = Command { stamp, ..command };
        let setpoint = self.setpoint(&command.velocity);
        let is_zero = !command.asks_for_motion();
        inputs.command = Some(Ok(CommandInput { setpoint, is_zero, age: nanos(said.age(self.clock.now())) }));
        true
    }

    fn setpoint(&self, velocity: &Velocity) -> Setpoint {
        if velocity.is_neutral() {
            return Setpoint::ZERO; // what counts as a zero moves nothing, however slow the vehicle is
        }
        setpoint_of(velocity, &self.params.full_speed, self.params.profile == Profile::Strict)
    }

    /// Counts a command that is none, and reports it if that was not done just now.
    fn refuse(&mut self, refused: Refused, inputs: &mut Inputs) -> bool {
        self.counters.invalid += 1;
        inputs.command = Some(Err(InvalidCommand));
        let now = self.clock.now();
        if self.refused_at.is_none_or(|at| now.since(at) >= REPORT_PERIOD) {
            self.refused_at = Some(now);
            self.refused = Some(refused);
        }
        false
    }
}

impl Hindbrain {
    /// What decides on all that follows, with every time measured from now: two machines with the same key will send the same
    /// motor values for the same events. For exhaustive searches.
    pub fn key(&self) -> Key {
        let core = &self.params.core;
        let (now, wall) = (self.clock.now(), self.clock.wall());
        let relative =
            |freshness: Freshness, timeout| freshness.relative(now, wall, Duration::from_nanos(timeout));
        let CoreParams { command_timeout, estop_timeout, lease, .. } = *core;
        let acts = nanos(Duration::from_millis(100));
        let longest = command_timeout.max(estop_timeout).max(core.infrared.timeout).max(lease).max(acts);
        Key {
            state: self.state,
            params: *core,
            stopping: self.stopping,
            unstepped: self.stepped.map_or(u64::MAX, |at| nanos(now.since(at))),
            tick: nanos(self.timers.tick.since(now)),
            // Older than every time-out is old.
            waited: (self.clock.waited().min(Duration::from_nanos(longest)), self.clock.waiting_left()),
            commands: relative(self.commands, core.command_timeout),
            measurements: self.measurements.map(|freshness| relative(freshness, core.infrared.timeout)),
        }
    }
}

/// The stamps of one publisher, relative to now: the newest and its age, and the last one from the future.
type Relative = (Option<(i64, Duration)>, Option<i64>);

/// All of a [`Hindbrain`] that decides on what follows, see [`Hindbrain::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The core's state.
    pub state: crate::core::State,
    params: crate::core::CoreParams,
    stopping: bool,
    unstepped: u64,
    tick: u64,
    waited: (Duration, (Duration, Duration)),
    commands: Relative,
    measurements: [Relative; 4],
}
