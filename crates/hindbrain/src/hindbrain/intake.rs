use core::time::Duration;

use safety::{Command, Freshness, NEUTRAL_ANGULAR, NEUTRAL_LINEAR, Stale, Stamp, Velocity};

use super::{Hindbrain, nanos};
use crate::core::{
    CommandInput, Conflicts, CoreParams, Inputs, InvalidCommand, Reading, Setpoint, SoleTopic, SwitchInput,
};
use crate::{CommandType, Input, Profile, Refused, Sensor, Source, reading_of, setpoint_of};

impl Hindbrain {
    /// Converts an event to the core's inputs and counts it. Returns whether motor values must be sent even if they do not change.
    pub(super) fn translate(&mut self, input: Input, inputs: &mut Inputs) -> bool {
        match input {
            Input::CommandReceived(Ok(command)) => self.command(command, inputs),
            Input::CommandReceived(Err(not_finite)) => self.refuse(not_finite.into(), inputs),
            Input::EnableReceived(on) => {
                self.record_receipt(Source::Enable);
                inputs.enable = Some(self.switch(on));
                !on
            }
            Input::EstopReceived(pressed) => {
                self.record_receipt(Source::Estop);
                inputs.estop = Some((pressed, nanos(self.clock.waited())));
                pressed
            }
            Input::ResetReceived(down) => {
                self.record_receipt(Source::Reset);
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
                self.record_receipt(Source::Device);
                inputs.device = Some(matches!(input, Input::DeviceOpened));
                true
            }
            Input::ActivityChanged(active) => {
                inputs.active = Some(active);
                true
            }
            Input::Unwatched => {
                self.counters.unwatched += 1;
                inputs.unwatched = true;
                true
            }
            Input::Interrupted => {
                inputs.interrupted = true;
                true
            }
            Input::ParametersChanged(params) => {
                if self.accepts_parameters() {
                    self.params = params;
                }
                false
            }
            Input::ClockRead(_) | Input::Stopping => false, // handled by the caller
        }
    }

    fn switch(&self, on: bool) -> SwitchInput {
        SwitchInput { on, age: nanos(self.clock.waited()) }
    }

    /// A reading that is not clear always counts, even a stale one. A clear one counts from the time of its measurement.
    fn measure(&mut self, sensor: Sensor, distance: Option<f64>, stamp: Stamp, inputs: &mut Inputs) {
        let index = sensor.index();
        let timeout = Duration::from_nanos(self.params.core.infrared.timeout);
        let judged = self.measurements[index].judge(&self.clock, stamp, timeout);
        let reading = reading_of(distance, &self.params.infrared);
        let now = self.clock.now();
        let reading = match (reading, judged) {
            (Reading::Clear, Ok(time)) => (Reading::Clear, nanos(time.age(now))),
            (Reading::Clear, Err(Stale::Late | Stale::Repeated { .. })) => {
                self.counters.repeated += 1;
                return;
            }
            (Reading::Clear, Err(Stale::Old { .. } | Stale::Ahead { .. } | Stale::NoTime)) => {
                (Reading::Invalid, 0)
            }
            (reading, _) => (reading, 0),
        };
        self.record_receipt(Source::Ir(sensor));
        inputs.infrared[index] = Some(reading);
        self.counters.unfitted += u64::from(!self.params.core.infrared.fitted[index]);
    }

    fn command(&mut self, command: Command, inputs: &mut Inputs) -> bool {
        // Checked first: the stamp of a refused command must not affect other commands.
        if let Err(refused) = Refused::check(&command.velocity, self.params.full_speed) {
            return self.refuse(refused, inputs);
        }
        let timeout = Duration::from_nanos(self.params.core.command_timeout);
        let time = match self.commands.judge(&self.clock, command.stamp, timeout) {
            Ok(time) => time,
            // The core receives no command, but it ends the one in force.
            Err(_) if command.velocity.is_neutral() => {
                self.counters.late += 1;
                inputs.command =
                    Some(Ok(CommandInput { setpoint: Setpoint::ZERO, is_zero: true, age: u64::MAX }));
                return true;
            }
            Err(Stale::Late | Stale::Repeated { .. }) => {
                self.counters.late += 1;
                return false;
            }
            Err(Stale::Old { age }) => return self.refuse(Refused::old(age, timeout), inputs),
            Err(Stale::Ahead { by }) => return self.refuse(Refused::ahead(by), inputs),
            Err(Stale::NoTime) => return self.refuse(Refused::NO_TIME, inputs),
        };
        self.counters.commands += 1;
        self.record_receipt(Source::Command);
        // A plain Twist has no stamp: the motor values carry the time of its receipt.
        let is_plain = self.params.command_type == CommandType::Twist && command.stamp.is_zero();
        let stamp = if is_plain { self.clock.wall() } else { command.stamp };
        self.accepted = Command { stamp, ..command };
        if let Err(dropped) = command.velocity.check_other_parts(NEUTRAL_LINEAR, NEUTRAL_ANGULAR) {
            self.dropped.report(self.clock.now(), dropped);
        }
        let setpoint = self.setpoint(&command.velocity);
        let is_zero = !command.asks_for_motion();
        inputs.command = Some(Ok(CommandInput { setpoint, is_zero, age: nanos(time.age(self.clock.now())) }));
        true
    }

    fn setpoint(&self, velocity: &Velocity) -> Setpoint {
        if velocity.is_neutral() {
            return Setpoint::ZERO; // a neutral velocity moves nothing, even on a slow vehicle
        }
        setpoint_of(velocity, self.params.full_speed, self.params.profile == Profile::Strict)
    }

    /// Counts an invalid command, and reports it.
    fn refuse(&mut self, refused: Refused, inputs: &mut Inputs) -> bool {
        self.counters.invalid += 1;
        inputs.command = Some(Err(InvalidCommand));
        self.refused.report(self.clock.now(), refused);
        false
    }
}

impl Hindbrain {
    /// Everything that affects later outputs, with every time relative to now: two machines with the same key will send the
    /// same motor values for the same events, but for the count more of a fraction. For exhaustive searches.
    pub fn key(&self) -> Key {
        let core = &self.params.core;
        let now = self.clock.now();
        let wall = self.clock.measured(now);
        let relative =
            |freshness: Freshness, timeout| freshness.relative(now, wall, Duration::from_nanos(timeout));
        let CoreParams { command_timeout, estop_timeout, lease, .. } = *core;
        let times =
            [command_timeout, estop_timeout, core.infrared.timeout, lease, SwitchInput::LONGEST_QUEUED];
        let longest = times.into_iter().fold(0, u64::max);
        Key {
            state: self.state,
            params: *core,
            stopping: self.stopping,
            unstepped: self.stepped.map_or(u64::MAX, |at| nanos(now.since(at))),
            unsent: self.driven.map_or(0, |at| nanos(now.since(at))),
            tick: nanos(self.timers.tick.since(now)),
            is_clock_reliable: self.clock.is_reliable(),
            // Ages beyond every time-out are equivalent.
            waited: (self.clock.waited().min(Duration::from_nanos(longest)), self.clock.waiting_left()),
            commands: relative(self.commands, core.command_timeout),
            measurements: self.measurements.map(|freshness| relative(freshness, core.infrared.timeout)),
        }
    }
}

/// The stamps of one publisher, relative to now: the newest and its age, and the last one from the future.
type Relative = (Option<(i64, Duration)>, Option<i64>);

/// The part of a [`Hindbrain`] that affects later outputs, see [`Hindbrain::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The core's state.
    pub state: crate::core::State,
    params: crate::core::CoreParams,
    stopping: bool,
    unstepped: u64,
    unsent: u64,
    tick: u64,
    is_clock_reliable: bool,
    waited: (Duration, (Duration, Duration)),
    commands: Relative,
    measurements: [Relative; 4],
}
