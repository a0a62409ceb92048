use core::time::Duration;

use units::{Command, Stamp, Velocity};

use super::{Hindbrain, LastCommand};
use crate::core::{Inputs, InvalidCommand, Wish};
use crate::{Input, IrSource, Profile, Refused, Sensor, Source, reading_of, wish_of};

/// How often a command that is refused is told, if they keep coming.
const TELL: Duration = Duration::from_secs(1);

impl Hindbrain {
    /// Puts an event into the core's terms and counts it; whether motor values must go out whatever comes of it.
    pub(super) fn translate(&mut self, input: Input, inputs: &mut Inputs) -> bool {
        match input {
            Input::CommandReceived(Ok(command)) => self.command(command, self.unread(), inputs),
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
                // Nobody can tell whose release this is.
                let pressed = pressed || self.has_rival_estops();
                inputs.estop = Some(pressed);
                pressed
            }
            Input::EstopsCounted(count) => {
                self.estops = count;
                inputs.estop = self.has_rival_estops().then_some(true);
                self.has_rival_estops()
            }
            Input::ResetReceived(down) => {
                self.hear(Source::Reset);
                // A press that waited for a held process may have been before what it would undo.
                inputs.reset = Some(down && self.unread().is_zero());
                true
            }
            Input::IrReceived { sensor, distance, stamp } => {
                self.measure(sensor, distance, stamp, inputs);
                false
            }
            Input::ScanReceived { distances, stamp } => {
                for (sensor, distance) in Sensor::ALL.into_iter().zip(distances) {
                    self.measure(sensor, distance, stamp, inputs);
                }
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

    fn has_rival_estops(&self) -> bool {
        self.estops > 1 && self.params.core.single_publisher
    }

    /// A measurement with the stamp of the sensor's last one is that one: it keeps nothing alive.
    fn measure(&mut self, sensor: Sensor, distance: Option<f64>, stamp: Stamp, inputs: &mut Inputs) {
        let index = sensor.index();
        let last = core::mem::replace(&mut self.measured[index], stamp);
        if !stamp.is_zero() && stamp == last {
            self.counters.repeated += 1;
            return;
        }
        self.hear(Source::Ir(sensor));
        inputs.infrared[index] = Some(reading_of(distance, &self.params.infrared));
        self.counters.unfitted +=
            u64::from(self.params.ir_source == IrSource::Range && !self.params.core.infrared.fitted[index]);
    }

    /// Whether a command with this stamp is older than the one in force. Once that one is stale any stamp is taken, so
    /// that a clock which was set back costs one time-out and not the source.
    fn is_late(&self, stamp: Stamp) -> bool {
        let LastCommand { stamp: last, at } = self.last_command;
        let fresh = self.now.since(at) < Duration::from_nanos(self.params.core.command_timeout);
        fresh && !stamp.is_zero() && !last.is_zero() && stamp < last
    }

    /// How long a message without an age of its own may have waited for this process, which was held.
    fn unread(&self) -> Duration {
        self.held.filter(|held| self.now < held.until).map_or(Duration::ZERO, |held| held.age)
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
