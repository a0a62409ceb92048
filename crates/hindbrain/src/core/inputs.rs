use super::{Causes, Conflicts, FULL, Mapping, Reading, Setpoint, Slopes, StopState};

/// A message that is not a command: a part was NaN or infinite, or it was stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InvalidCommand;

/// A command as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommandInput {
    /// The setpoint.
    pub setpoint: Setpoint,
    /// Whether it is a zero: its sender asks for no motion.
    pub is_zero: bool,
    /// Its age \[ns\]. From the command time-out on it is stale: it is no longer a command, but a setpoint of zero still ends
    /// the one in force.
    pub age: u64,
}

/// A switch or a button as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchInput {
    /// Its level.
    pub on: bool,
    /// The longest time that the message can have been queued \[ns\].
    pub age: u64,
}

impl SwitchInput {
    /// A message that can have been queued for this time \[ns\] may be older than the event that it would undo.
    pub const LONGEST_QUEUED: u64 = 100_000_000;

    /// Whether it was queued for less than [`LONGEST_QUEUED`](Self::LONGEST_QUEUED).
    pub const fn is_recent(self) -> bool {
        self.age < Self::LONGEST_QUEUED
    }
}

/// One snapshot of everything that happened since the last step. `None` means that nothing was received.
///
/// Time passes first, and messages count from the end of `dt`: an input that timed out within it and was received again at
/// its end is fresh. A caller that steps at each of [`State::timers`](super::State::timers) misses no time-out; after a longer
/// pause the overrun limit decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Inputs {
    /// The time since the last step \[ns\].
    pub dt: u64,
    /// The emergency stop: true is pressed; the age of the message \[ns\].
    pub estop: Option<(bool, u64)>,
    /// The reset button.
    pub reset: Option<SwitchInput>,
    /// The software switch.
    pub enable: Option<SwitchInput>,
    /// The infra-red sensors, in the order of [`Sensor`](crate::Sensor): a reading and its age \[ns\], less than the timeout.
    pub infrared: [Option<(Reading, u64)>; 4],
    /// The command for the motors.
    pub command: Option<Result<CommandInput, InvalidCommand>>,
    /// The topics with more than one publisher, or an incompatible one.
    pub conflicts: Option<Conflicts>,
    /// Whether an emergency stop has a publisher, of any type and reliability. A best-effort one is a conflict: a press between two
    /// releases could be lost, and the next release would follow unseen.
    pub estop_published: Option<bool>,
    /// The motor controller: true is open and answering, false is lost.
    pub device: Option<bool>,
    /// Whether the node's life cycle became active, or left that state.
    pub active: Option<bool>,
    /// Whether the supervising thread had to stop the motors since the last step.
    pub unwatched: bool,
    /// The time since the last motor values were put out \[ns\].
    pub unsent: u64,
    /// Whether motor values did not reach the motors in time since the last step, so they stopped by themselves.
    pub interrupted: bool,
}

impl Inputs {
    /// The command, unless it was too old when it was received.
    pub(crate) fn fresh_command(&self, params: &CoreParams) -> Option<CommandInput> {
        self.command?.ok().filter(|command| command.age < params.command_timeout)
    }
}

/// The outputs of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outputs {
    /// The levels of port and starboard, forward positive.
    pub levels: [i16; 2],
    /// The levels that are put out, in 1/[`COUNT`](super::COUNT): those of `levels`, once they have arrived with the
    /// [rest](CoreParams::rest) of what is commanded; with [`CoreParams::is_exact`] the exact ones.
    pub exact: [i64; 2],
    /// The state, as published.
    pub state: StopState,
    /// The causes.
    pub causes: Causes,
}

/// The infra-red sensors' part of [`CoreParams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Infrared {
    /// Which sensors are fitted; the others are ignored.
    pub fitted: [bool; 4],
    /// The time-out \[ns\]: silence for this time blocks, and a reading that is not clear blocks for this time.
    pub timeout: u64,
}

/// The parameters of the core, in integers. Every value is safe: none makes a step panic or a level leave its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoreParams {
    /// The profile: `strict`, or the original's, in which every cause clears by itself, any sensor stops everything, and the
    /// mapping is the original's.
    pub strict: bool,
    /// The level at full speed; [`FULL`] except in proofs at a smaller scale.
    pub full: i16,
    /// Whether exact levels are put out, as a velocity, and not whole counts.
    pub is_exact: bool,
    /// How fast levels change, and the tick \[ns\].
    pub slopes: Slopes,
    /// A step later than this is a fault if anything could move \[ns\].
    pub overrun_limit: u64,
    /// Motor values that come later than this after the last ones are a stop if anything could move \[ns\]: the motor controllers
    /// may have stopped by themselves.
    pub gap_limit: u64,
    /// A command counts for less than this \[ns\].
    pub command_timeout: u64,
    /// Whether an emergency stop that was never received counts as pressed.
    pub estop_required: bool,
    /// Silence for this time of an emergency stop that was received, or has a publisher, counts as pressed \[ns\].
    pub estop_timeout: u64,
    /// Whether there is a motor controller without which nothing may move.
    pub device_required: bool,
    /// An enable that is not repeated for this time lapses \[ns\]; 0 for never.
    pub lease: u64,
    /// The infra-red sensors.
    pub infrared: Infrared,
}

impl CoreParams {
    /// The mapping from a setpoint to the levels of two wheels.
    pub const fn mapping(&self) -> Mapping {
        if self.strict { Mapping::Symmetric } else { Mapping::Seed }
    }

    /// The exact levels of two wheels for a setpoint, in 1/[`COUNT`](super::COUNT).
    pub fn targets(&self, setpoint: Setpoint) -> [i64; 2] {
        self.mapping().targets(setpoint, self.full, self.is_exact)
    }

    /// Whether `setpoint` asks for motion and is below one count for both wheels, so nothing moves; never in `seed`.
    pub fn is_below_count(&self, setpoint: Setpoint) -> bool {
        self.strict && setpoint != Setpoint::ZERO && self.targets(setpoint) == [0; 2]
    }

    /// By how much the levels for a setpoint are beyond its [`targets`](Self::targets), in 1/[`COUNT`](super::COUNT): less than a count, with
    /// the sign of the target, and zero for a target of zero. A wheel that is below one count stands: alternating with zero it would
    /// start again and again by itself, also after a stop.
    pub fn rest(&self, setpoint: Setpoint, targets: [i64; 2]) -> [i64; 2] {
        let exact = if self.strict { self.mapping().targets(setpoint, self.full, true) } else { targets };
        [0, 1].map(|i| if targets[i] == 0 { 0 } else { exact[i] - targets[i] })
    }

    /// These parameters with the values that the profile `seed` fixes: states follow their causes without a latch, an edge or
    /// a zero first, both slopes are one count in 50 ms, and the mapping is the original's.
    ///
    /// The time-outs of commands and of an emergency stop that was received stay, and so do the stops on conflicting
    /// publishers: no user needs the original without them.
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
            is_exact: false,
            slopes: Slopes { accel: 20_000, decel: 200_000, tick: 20 * MS, rest: 20 * MS },
            overrun_limit: 500 * MS,
            gap_limit: 200 * MS,
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
    fn a_command_as_old_as_the_time_out_is_not_fresh() {
        let params = CoreParams::default();
        let fresh = |age| {
            let command = Some(Ok(CommandInput { setpoint: Setpoint::ZERO, is_zero: true, age }));
            Inputs { command, ..Inputs::default() }.fresh_command(&params).is_some()
        };
        assert!(fresh(params.command_timeout - 1));
        assert!(!fresh(params.command_timeout), "the time-out itself is too late");
    }

    #[test]
    fn the_profile_seed_always_has_one_slope_and_neither_rest_nor_lease() {
        let strict = CoreParams {
            slopes: Slopes { accel: 1_000, decel: 400_000, tick: 20, rest: 20 },
            lease: 1_000,
            ..CoreParams::default()
        };
        // One count in 50 ms are 20 counts/s; the tick is the machine's, not the profile's.
        let seed = strict.seed();
        assert_eq!(seed.slopes, Slopes { accel: 20_000, decel: 20_000, tick: 20, rest: 0 });
        assert_eq!((seed.strict, seed.lease), (false, 0));
        assert_eq!(
            (seed.command_timeout, seed.estop_timeout),
            (strict.command_timeout, strict.estop_timeout)
        );
    }
}
