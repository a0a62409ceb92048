use safety::{Accelerations, ClockReading, Command, PublisherCount, Stamp, Velocity};

use crate::{Active, Invalid, Params};

/// Everything that can happen to the node.
#[allow(clippy::large_enum_variant)] // a box would allocate for each command
#[derive(Clone, Debug)]
pub enum Input {
    /// A message of a source was received. If its last command was a zero, its silence lets the next source drive, as that of
    /// navigation at a goal.
    CommandReceived {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// The command, or why there is none.
        command: Result<Command, Invalid>,
    },
    /// A state of a source was received, which contains whether the stick was released.
    StateReceived {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// The state.
        state: State,
    },
    /// A message of a lock was received.
    LockReceived {
        /// Index of the lock in [`Params::locks`].
        lock: usize,
        /// Whether it is closed.
        closed: bool,
    },
    /// The publishers of a source's topic were counted.
    SourcePublishersCounted {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// The publishers.
        publishers: PublisherCount,
    },
    /// The publishers of a lock's topic were counted.
    LockPublishersCounted {
        /// Index of the lock in [`Params::locks`].
        lock: usize,
        /// The publishers.
        publishers: PublisherCount,
    },
    /// The clock of stamps at this `now`. Expected before the events that happen at it.
    ClockRead(ClockReading),
    /// Parameters to use from now on; indices are those of the new lists. A source or lock keeps its state if its name, topic and
    /// kind stay.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node is about to end.
    Stopping,
}

impl Input {
    /// A message of `source` with nothing withheld; `stamp` is zero if it has none.
    pub fn command(source: usize, velocity: Result<Velocity, Invalid>, stamp: Stamp) -> Self {
        Self::CommandReceived { source, command: velocity.map(|velocity| Command::new(velocity, stamp)) }
    }
}

/// Everything that the node can request.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Publish this command.
    Drive(Command),
    /// Publish the source that drives and why the others do not.
    PublishActive(Active),
}

/// A state as published by the joystick, as far as it is a command.
///
/// While a stick commands, its states hold accelerations, at rest too. **The last state of a released stick holds a velocity of
/// zero and no acceleration**: after that its silence hands over to the next source, and without it silence is a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The time of the state; zero if it has none.
    pub stamp: Stamp,
    /// Whether the velocities are in the vehicle's axes.
    pub intrinsic: bool,
    /// Linear velocity \[m/s], if the state holds one; one of the two alone asks for no motion of the other kind.
    pub vel: Option<[f64; 3]>,
    /// Angular velocity \[rad/s].
    pub avel: Option<[f64; 3]>,
    /// Linear acceleration \[m/s²]: its presence says that the stick commands. Beyond ±0.1 it is deflected, and a neutral velocity is
    /// no zero.
    pub acc: Option<[f64; 3]>,
    /// Angular acceleration \[rad/s²], likewise beyond ±0.25.
    pub aacc: Option<[f64; 3]>,
}

impl State {
    /// Its command; see [`Accelerations::command`].
    /// # Errors
    /// [`Invalid::NoVelocity`] if both velocities are absent, [`Invalid::WorldFrame`] if they are in the world's axes,
    /// [`Invalid::NotFinite`] for NaN and the infinities.
    /// # Source
    /// openrobots `joystick` component: readers must honour the flag. Refusing the world's axes is own.
    pub(crate) fn command(&self) -> Result<Command, Invalid> {
        if self.vel.is_none() && self.avel.is_none() {
            return Err(Invalid::NoVelocity);
        }
        if !self.intrinsic {
            return Err(Invalid::WorldFrame);
        }
        let velocity = Velocity::new(self.vel.unwrap_or_default(), self.avel.unwrap_or_default());
        let velocity = velocity.map_err(Invalid::NotFinite)?;
        Ok(self.accelerations().command(velocity, self.stamp))
    }

    /// Whether the stick commands: a zero then holds the vehicle still.
    pub(crate) fn is_held(&self) -> bool {
        self.accelerations().are_held()
    }

    fn accelerations(&self) -> Accelerations {
        Accelerations { linear: self.acc, angular: self.aacc }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_a_command_only_in_the_axes_of_the_vehicle() {
        let (v, w) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let stamp = Stamp { sec: 7, nanosec: 8 };
        let command =
            |intrinsic, vel, avel| State { stamp, intrinsic, vel, avel, ..State::default() }.command();
        let of = |v, w| Ok(Command::new(Velocity::new(v, w).unwrap(), stamp));
        assert_eq!(command(true, Some(v), Some(w)), of(v, w));
        assert_eq!(command(true, Some(v), None), of(v, [0.0; 3]));
        assert_eq!(command(true, None, Some(w)), of([0.0; 3], w));
        assert_eq!(command(false, Some(v), Some(w)), Err(Invalid::WorldFrame));
        assert_eq!(command(false, None, None), Err(Invalid::NoVelocity));
        let error = command(true, Some([0.0, f64::NAN, 0.0]), None).unwrap_err();
        assert_eq!(error.to_string(), "linear.y is NaN, must be finite");
    }

    #[test]
    fn either_acceleration_holds_a_stick_and_beyond_its_limit_withholds_motion() {
        let zero = Some([0.0; 3]);
        let of = |acc, aacc| State { intrinsic: true, vel: zero, avel: zero, acc, aacc, ..State::default() };
        let of = |acc, aacc| (of(acc, aacc).is_held(), of(acc, aacc).command().unwrap().withheld);
        assert_eq!(
            [of(None, None), of(zero, None), of(None, zero)],
            [(false, false), (true, false), (true, false)]
        );
        let pushed = Some([0.0, 0.0, -1.0]);
        assert_eq!([of(pushed, None), of(None, pushed)], [(true, true); 2]);
    }
}
