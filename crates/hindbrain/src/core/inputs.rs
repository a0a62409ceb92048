use super::{Causes, FULL, Mapping, Reading, Rule, Sight, Slopes, StopState, Wish};

/// A message that was no command: one of its parts was NaN or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidCommand;

/// One snapshot of all that happened since the last step. `None` means that nothing came.
///
/// Time passes first, and what came counts from the end of `dt`: what lapsed within it and was heard anew at its end is
/// fresh. Who calls the step at [`State::expires_in`](super::State::expires_in) misses no lapse; after a longer pause the
/// overrun limit decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// How long the last step is ago \[ns\].
    pub dt: u64,
    /// The emergency stop: true is pressed.
    pub estop: Option<bool>,
    /// The reset button's level.
    pub reset: Option<bool>,
    /// The software switch's level.
    pub enable: Option<bool>,
    /// The infra-red sensors, in the order of [`Sensor`](crate::Sensor).
    pub infrared: [Option<Reading>; 4],
    /// What is wanted of the motors.
    pub command: Option<Result<Wish, InvalidCommand>>,
    /// How old the command was when it came \[ns\]. From the command time-out on it is none, but a wish of zero still ends
    /// the one in force.
    pub command_age: u64,
    /// Whether more than one node publishes commands.
    pub rivals: Option<bool>,
    /// The motor controller: true is open and answering, false is lost.
    pub device: Option<bool>,
    /// Whether the supervising thread had to stop the motors since the last step.
    pub unwatched: bool,
}

impl Inputs {
    /// Nothing but time passed, `dt` \[ns\].
    pub fn after(dt: u64) -> Self {
        Self { dt, ..Self::default() }
    }

    /// The command, unless it was too old when it came.
    pub(crate) fn fresh_command(&self, params: &CoreParams) -> Option<Wish> {
        self.command?.ok().filter(|_| self.command_age < params.command_timeout)
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
    /// The rule by which the state changed in this step; `None` if it stayed.
    pub rule: Option<Rule>,
}

/// How a soft stop ends motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SoftStop {
    /// To zero in the same step.
    Cut,
    /// Down the slope of braking.
    Ramp,
}

/// The infra-red sensors' part of [`CoreParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Infrared {
    /// Which sensors are there; the others are never asked.
    pub fitted: [bool; 4],
    /// How long a sensor must say something before it is believed.
    pub sight: Sight,
    /// Whether the front pair closes only forward and the back pair only reverse.
    pub direction_policy: bool,
    /// Whether a stop by a sensor asks for a new enable.
    pub rearm: bool,
}

/// The parameters of the core, in integers. Any value is safe: none makes a step panic or a level leave its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreParams {
    /// The level at full speed; [`FULL`] but for proofs at a smaller scale.
    pub full: i16,
    /// How fast levels change, and the tick \[ns\].
    pub slopes: Slopes,
    /// A step later than this is a fault if anything could move \[ns\].
    pub overrun_limit: u64,
    /// A command counts for less than this \[ns\].
    pub command_timeout: u64,
    /// Whether the emergency stop and a fault stay until they are reset; otherwise they end with their cause.
    pub latch: bool,
    /// Whether enable counts from its change to true on; otherwise its level counts.
    pub arming: bool,
    /// How a wish becomes the levels of two wheels.
    pub mapping: Mapping,
    /// Whether an emergency stop that was never heard counts as pressed.
    pub estop_required: bool,
    /// Whether there is a motor controller without which nothing may be told to move.
    pub device_required: bool,
    /// Whether a second publisher of commands is a soft stop.
    pub single_publisher: bool,
    /// Silence of so long of an emergency stop that was heard counts as pressed \[ns\].
    pub estop_timeout: u64,
    /// An enable that is not repeated for so long lapses \[ns\]; 0 for never.
    pub lease: u64,
    /// Whether a wish of zero must come before anything moves.
    pub zero_first: bool,
    /// What counts as a wish of zero, in thousandths of full deflection.
    pub deadband: i16,
    /// How a soft stop ends motion.
    pub soft_stop: SoftStop,
    /// The infra-red sensors.
    pub infrared: Infrared,
}

impl CoreParams {
    /// These parameters with all that the profile `seed` fixes: states follow the levels of their causes with neither
    /// latch nor edge nor zero-first, one count in 50 ms both ways, the original's mapping.
    ///
    /// The time-outs stay, for commands and for an emergency stop that was heard: nobody needs the holes they close.
    /// # Source
    /// hindbrain (Bravo, 2016).
    #[must_use]
    pub fn seed(self) -> Self {
        Self {
            slopes: Slopes { accel: 20_000, decel: 20_000, rest: 0, ..self.slopes },
            latch: false,
            arming: false,
            mapping: Mapping::Seed,
            single_publisher: false,
            lease: 0,
            zero_first: false,
            soft_stop: SoftStop::Cut,
            infrared: Infrared { direction_policy: false, rearm: false, ..self.infrared },
            ..self
        }
    }
}

impl Default for CoreParams {
    /// The profile `strict` with no sensor and no emergency stop.
    fn default() -> Self {
        const MS: u64 = 1_000_000;
        Self {
            full: FULL,
            slopes: Slopes { accel: 20_000, decel: 200_000, tick: 20 * MS, rest: 20 * MS },
            overrun_limit: 500 * MS,
            command_timeout: 500 * MS,
            latch: true,
            arming: true,
            mapping: Mapping::Symmetric,
            estop_required: false,
            device_required: false,
            single_publisher: true,
            estop_timeout: 250 * MS,
            lease: 0,
            zero_first: true,
            deadband: 20,
            soft_stop: SoftStop::Cut,
            infrared: Infrared {
                fitted: [false; 4],
                sight: Sight { timeout: 500 * MS, debounce: 40 * MS, clear_hold: 60 * MS },
                direction_policy: true,
                rearm: false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_fixes_what_it_fixes_whatever_was_there() {
        let usual = CoreParams::default();
        let odd = CoreParams {
            slopes: Slopes { accel: 1, decel: 2, rest: 3, ..usual.slopes },
            single_publisher: true,
            lease: 4,
            zero_first: true,
            soft_stop: SoftStop::Ramp,
            infrared: Infrared { direction_policy: true, rearm: true, ..usual.infrared },
            ..usual
        };
        assert_eq!(odd.seed(), usual.seed());
        assert_eq!((odd.seed().slopes.accel, odd.seed().slopes.decel), (20_000, 20_000));
        // What it leaves open stays.
        let open = CoreParams { command_timeout: 5, estop_timeout: 6, estop_required: true, ..usual };
        let seed = open.seed();
        assert_eq!((seed.command_timeout, seed.estop_timeout, seed.estop_required), (5, 6, true));
    }
}
