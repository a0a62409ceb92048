use core::time::Duration;

use units::{Command, Stamp, Velocity};

use super::{Hindbrain, LastCommand};
use crate::core::{Inputs, InvalidCommand, Wish};
use crate::{Input, Profile, Refused, Sensor, Source, reading_of, wish_of};

/// How often a command that is refused is told, if they keep coming.
const TELL: Duration = Duration::from_secs(1);

impl Hindbrain {
    /// Puts an event into the core's terms and counts it; whether motor values must go out whatever comes of it.
    pub(super) fn translate(&mut self, input: Input, inputs: &mut Inputs) -> bool {
        match input {
            Input::CommandReceived(Ok(command)) => self.command(command, Duration::ZERO, inputs),
            Input::LateCommandReceived { command, age } => self.command(command, age, inputs),
            Input::FutureCommandReceived { command, .. } if self.is_stop(&command.velocity) => {
                self.stop_late(inputs)
            }
            Input::FutureCommandReceived { ahead, .. } => {
                let most = Some(self.params.stamp_tolerance.as_secs_f64());
                self.refuse(Refused { part: "header.stamp", value: ahead, most }, inputs)
            }
            Input::CommandReceived(Err(not_finite)) => self.refuse(not_finite.into(), inputs),
            Input::EnableReceived(enabled) => {
                self.hear(Source::Enable);
                inputs.enable = Some(enabled);
                !enabled
            }
            Input::EstopReceived(pressed) => {
                self.hear(Source::Estop);
                inputs.estop = Some(pressed);
                pressed
            }
            Input::ResetReceived(down) => {
                self.hear(Source::Reset);
                inputs.reset = Some(down);
                true
            }
            Input::IrReceived { sensor, distance } => {
                let index = sensor.index();
                self.hear(Source::Ir(sensor));
                inputs.infrared[index] = Some(reading_of(distance, &self.params.infrared));
                self.counters.unfitted += u64::from(!self.params.core.infrared.fitted[index]);
                false
            }
            Input::ScanReceived(distances) => {
                Sensor::ALL.into_iter().for_each(|sensor| self.hear(Source::Ir(sensor)));
                inputs.infrared = distances.map(|distance| Some(reading_of(distance, &self.params.infrared)));
                false
            }
            Input::PublishersCounted(count) => {
                inputs.rivals = Some(count > 1);
                false
            }
            Input::DeviceOpened | Input::DeviceLost => {
                self.hear(Source::Device);
                inputs.device = Some(matches!(input, Input::DeviceOpened));
                true
            }
            Input::Unwatched => {
                self.counters.unwatched += 1;
                inputs.unwatched = true;
                true
            }
            Input::ParametersChanged(params) => {
                self.params = params;
                false
            }
            Input::Stopping => true,
        }
    }

    /// Whether a command with this stamp is older than the one in force. Once that one is stale any stamp is taken, so
    /// that a clock which was set back costs one time-out and not the source.
    fn is_late(&self, stamp: Stamp) -> bool {
        let LastCommand { stamp: last, at } = self.last_command;
        let fresh = self.now.since(at) < Duration::from_nanos(self.params.core.command_timeout);
        fresh && !stamp.is_zero() && !last.is_zero() && stamp < last
    }

    /// A command that was on its way for `age`: it counts for so much less long.
    fn command(&mut self, command: Command, age: Duration, inputs: &mut Inputs) -> bool {
        let is_late = self.is_late(command.stamp);
        let most = Duration::from_nanos(self.params.core.command_timeout);
        if (is_late || age >= most) && self.is_stop(&command.velocity) {
            return self.stop_late(inputs);
        }
        if is_late {
            self.counters.late += 1;
            return false;
        }
        if age >= most {
            let (value, most) = (-age.as_secs_f64(), Some(most.as_secs_f64()));
            return self.refuse(Refused { part: "header.stamp", value, most }, inputs);
        }
        inputs.command_age = u64::try_from(age.as_nanos()).unwrap_or(u64::MAX);
        if let Err(refused) = Refused::check(&command.velocity, &self.params.full_speed) {
            return self.refuse(refused, inputs);
        }
        self.counters.commands += 1;
        self.hear(Source::Command);
        self.last_command = LastCommand { stamp: command.stamp, at: self.now };
        let keep_curve = self.params.profile == Profile::Strict;
        inputs.command = Some(Ok(wish_of(&command.velocity, &self.params.full_speed, keep_curve)));
        true
    }

    /// Whether a velocity asks for nothing but rest.
    fn is_stop(&self, velocity: &Velocity) -> bool {
        let (full, keep_curve) = (&self.params.full_speed, self.params.profile == Profile::Strict);
        Refused::check(velocity, full).is_ok() && wish_of(velocity, full, keep_curve) == Wish::ZERO
    }

    /// A stop that is older than the command in force, or of no known age: that one ends, and nothing begins.
    fn stop_late(&mut self, inputs: &mut Inputs) -> bool {
        self.counters.late += 1;
        inputs.command = Some(Ok(Wish::ZERO));
        inputs.command_age = u64::MAX;
        true
    }

    /// Counts a command that is none, and tells of it if that was not done just now.
    fn refuse(&mut self, refused: Refused, inputs: &mut Inputs) -> bool {
        self.counters.invalid += 1;
        inputs.command = Some(Err(InvalidCommand));
        if self.told.is_none_or(|told| self.now.since(told) >= TELL) {
            self.told = Some(self.now);
            self.refused = Some(refused);
        }
        false
    }
}
