use units::{Census, Command, Stamp, Velocity};

use crate::{Active, Invalid, Params, State};

/// All that can happen to the node.
#[allow(clippy::large_enum_variant)] // on the way of a command nothing is boxed
#[derive(Clone, Debug)]
pub enum Input {
    /// A message of a source came: a zero in it hands over once the source is silent, as navigation's does at a goal.
    CommandReceived {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// What it asks for, or why it asks for nothing.
        command: Result<Command, Invalid>,
    },
    /// A state of a source came, which says by itself whether the hand let go.
    StateReceived {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// What it holds.
        state: State,
    },
    /// A message of a lock came.
    LockReceived {
        /// Index of the lock in [`Params::locks`].
        lock: usize,
        /// Whether it is closed.
        closed: bool,
    },
    /// The publishers of a source's topic are these.
    SourcePublishersCounted {
        /// Index of the source in [`Params::sources`].
        source: usize,
        /// Who publishes it.
        publishers: Census,
    },
    /// The publishers of a lock's topic are these.
    LockPublishersCounted {
        /// Index of the lock in [`Params::locks`].
        lock: usize,
        /// Who publishes it.
        publishers: Census,
    },
    /// Of the topic that the node's own commands go to, this many publishers are not its own; `None` if the graph could not
    /// be read.
    ForeignPublishersCounted(Option<usize>),
    /// The wall clock at this `now`. Expected before the events that happen at it.
    ClockRead(Stamp),
    /// The parameters in force are these from now on, and indices are those of the new lists. What is known of a
    /// source or lock stays known while its name, topic and kind stay.
    ParametersChanged(Params),
    /// The node is about to end.
    Stopping,
}

impl Input {
    /// A message of `source` that came, behind which nothing is withheld; `stamp` is zero if it has none.
    pub fn command(source: usize, velocity: Result<Velocity, Invalid>, stamp: Stamp) -> Self {
        Self::CommandReceived { source, command: velocity.map(|velocity| Command::new(velocity, stamp)) }
    }
}

/// All that the node can ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Publish this command.
    Drive(Command),
    /// Publish who drives and why the others do not.
    PublishActive(Active),
}
