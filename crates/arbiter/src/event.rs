use safety::{ClockReading, Command, PublisherCount, Stamp, Velocity};

use crate::{Active, Invalid, Params, State};

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
    /// The publishers of the node's own command were counted, this node included.
    CommandPublishersCounted(PublisherCount),
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
