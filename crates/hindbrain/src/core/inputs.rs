use super::{Causes, Conflicts, FULL, Mapping, Reading, Slopes, StopState, Setpoint};

/// A message that was no command: one of its parts was NaN or infinite, or it was stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidCommand;

/// A command as it is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommandInput {
    /// What is wanted.
    pub setpoint: Setpoint,
    /// Whether it is a zero: whoever gave it asks for no motion.
    pub is_zero: bool,
    /// How old it is \[ns\]; from the command time-out on it is stale: then it is no command, but a setpoint of zero still ends
    /// the one in force.
    pub age: u64,
}

/// A switch or a button as it is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchInput {
    /// Its level.
    pub on: bool,
    /// For how long the message can have waited unread \[ns\].
    pub age: u64,
}

impl SwitchInput {
    /// Whether it is an act of now: one that can have waited for 0.1 s may be from before what it would undo.
    pub const fn is_of_now(self) -> bool {
        self.age < 100_000_000
    }
}

/// One snapshot of all that happened since the last step. `None` means that nothing came.
///
/// Time passes first, and what came counts from the end of `dt`: what lapsed within it and was received anew at its end is
/// fresh. Who calls the step at each of [`State::timers`](super::State::timers) misses no lapse; after a longer pause the
/// overrun limit decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// How long the last step is ago \[ns\].
    pub dt: u64,
    /// The emergency stop: true is pressed; the age of the message \[ns\].
    pub estop: Option<(bool, u64)>,
    /// The reset button.
    pub reset: Option<SwitchInput>,
    /// The software switch.
    pub enable: Option<SwitchInput>,
    /// The infra-red sensors, in the order of [`Sensor`](crate::Sensor): a reading and its age \[ns\], less than the timeout.
    pub infrared: [Option<(Reading, u64)>; 4],
    /// What is wanted of the motors.
    pub command: Option<Result<CommandInput, InvalidCommand>>,
    /// Where there is more than one publisher, or one that does not fit.
    pub conflicts: Option<Conflicts>,
    /// Whether an emergency stop has a publisher, of any type and reliability.
    pub estop_published: Option<bool>,
    /// The motor controller: true is open and answering, false is lost.
    pub device: Option<bool>,
    /// Whether the supervising thread had to stop the motors since the last step.
    pub unwatched: bool,
}

impl Inputs {
    /// The command, unless it was too old when it came.
    pub(crate) fn fresh_command(&self, params: &CoreParams) -> Option<CommandInput> {
        self.command?.ok().filter(|command| command.age < params.command_timeout)
    }
}

/// What a step gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outputs {
    /// The levels of port and starboard, forward positive.
    pub levels: [i16; 2],
    /// The state, as it is published.
    pub state: StopState,
    /// Why.
    pub causes: Causes,
}

/// The infra-red sensors' part of [`CoreParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Infrared {
    /// Which sensors are there; the others are never asked.
    pub fitted: [bool; 4],
    /// Silence of so long blocks, and so does a reading that is not clear, for so long \[ns\].
    pub timeout: u64,
}

/// The parameters of the core, in integers. Any value is safe: none makes a step panic or a level leave its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreParams {
    /// The profile: `strict`, or the original's, in which every cause clears by itself, any sensor stops everything, and the
    /// mapping is the original's.
    pub strict: bool,
    /// The level at full speed; [`FULL`] but for proofs at a smaller scale.
    pub full: i16,
    /// How fast levels change, and the tick \[ns\].
    pub slopes: Slopes,
    /// A step later than this is a fault if anything could move \[ns\].
    pub overrun_limit: u64,
    /// A command counts for less than this \[ns\].
    pub command_timeout: u64,
    /// Whether an emergency stop that never came counts as pressed.
    pub estop_required: bool,
    /// Silence of so long of an emergency stop that was received, or has a publisher, counts as pressed \[ns\].
    pub estop_timeout: u64,
    /// Whether there is a motor controller without which nothing may be told to move.
    pub device_required: bool,
    /// An enable that is not repeated for so long lapses \[ns\]; 0 for never.
    pub lease: u64,
    /// The infra-red sensors.
    pub infrared: Infrared,
}

impl CoreParams {
    /// How a setpoint becomes the levels of two wheels.
    pub const fn mapping(&self) -> Mapping {
        if self.strict { Mapping::Symmetric } else { Mapping::Seed }
    }

    /// These parameters with all that the profile `seed` fixes: states follow the levels of their causes with neither
    /// latch nor edge nor zero first, one count in 50 ms both ways, the original's mapping.
    ///
    /// The time-outs stay, for commands and for an emergency stop that was received, and so do conflicting publishers: nobody
    /// needs the holes that they close.
    /// # Source
    /// hindbrain (Bravo, 2016).
    #[must_use]
    pub fn seed(self) -> Self {
        let slopes = Slopes { accel: 20_000, decel: 20_000, rest: 0, ..self.slopes };
        Self { strict: false, slopes, lease: 0, ..self }
    }
}

impl Default for CoreParams {
    /// The profile `strict` with no sensor and no emergency stop.
    fn default() -> Self {
        const MS: u64 = 1_000_000;
        Self {
            strict: true,
            full: FULL,
            slopes: Slopes { accel: 20_000, decel: 200_000, tick: 20 * MS, rest: 20 * MS },
            overrun_limit: 500 * MS,
            command_timeout: 500 * MS,
            estop_required: false,
            estop_timeout: 250 * MS,
            device_required: false,
            lease: 0,
            infrared: Infrared { fitted: [false; 4], timeout: 500 * MS },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_as_old_as_the_time_out_is_no_fresh_one() {
        let params = CoreParams::default();
        let fresh = |age| {
            let command = Some(Ok(CommandInput { setpoint: Setpoint::ZERO, is_zero: true, age }));
            Inputs { command, ..Inputs::default() }.fresh_command(&params).is_some()
        };
        assert!(fresh(params.command_timeout - 1));
        assert!(!fresh(params.command_timeout), "the time-out itself is too late");
    }

    #[test]
    fn the_profile_seed_has_one_slope_and_neither_rest_nor_lease_whatever_was_asked_for() {
        let asked = CoreParams {
            slopes: Slopes { accel: 1_000, decel: 400_000, tick: 20, rest: 20 },
            lease: 1_000,
            ..CoreParams::default()
        };
        // One count in 50 ms are 20 counts/s; the tick is the machine's, not the profile's.
        let seed = asked.seed();
        assert_eq!(seed.slopes, Slopes { accel: 20_000, decel: 20_000, tick: 20, rest: 0 });
        assert_eq!((seed.strict, seed.lease), (false, 0));
        assert_eq!((seed.command_timeout, seed.estop_timeout), (asked.command_timeout, asked.estop_timeout));
    }
}
