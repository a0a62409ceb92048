use core::fmt;

use crate::Level;

/// Why a vehicle's state forbids its neighbours to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VehicleHalt {
    /// The vehicle was never clear.
    Awaited,
    /// The state was silent, or its publisher is gone or was replaced by another one.
    Lost {
        /// Whether the vehicle is not clear again.
        is_on: bool,
    },
    /// The vehicle is in its emergency stop, or in a state that is not one of hindbrain's.
    Estop,
    /// The vehicle has left its emergency stop, and is not clear yet.
    EstopLeft,
    /// The state was lost during an emergency stop.
    LostInEstop {
        /// Whether the vehicle is not clear again.
        is_on: bool,
    },
    /// The state had more than one publisher.
    Contested {
        /// Whether it still has.
        is_on: bool,
    },
}

/// How a [`VehicleHalt`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltEnds {
    /// The halt ends by itself.
    Alone,
    /// A [reset](crate::VehicleMonitor::reset) ends it.
    ByReset,
    /// A [reset](crate::VehicleMonitor::reset) ends it, once the vehicle is clear.
    ByResetLater,
}

impl VehicleHalt {
    /// How it ends.
    pub const fn ends(self) -> HaltEnds {
        match self {
            Self::Awaited | Self::Estop | Self::EstopLeft => HaltEnds::Alone,
            Self::Lost { is_on } | Self::LostInEstop { is_on } | Self::Contested { is_on } => {
                if is_on {
                    HaltEnds::ByResetLater
                } else {
                    HaltEnds::ByReset
                }
            }
        }
    }

    /// Its level of `/diagnostics`: an emergency stop, which a person pressed, is not an error.
    pub const fn level(self) -> Level {
        match self {
            Self::Estop | Self::EstopLeft => Level::Warn,
            Self::Awaited | Self::Lost { .. } | Self::LostInEstop { .. } | Self::Contested { .. } => {
                Level::Error
            }
        }
    }

    /// How it ends, as a clause to append to the reason, for a neighbour whose reset is the service `reset_motors`.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Awaited => "; it ends when the state is received and repeated without an emergency stop",
            Self::Estop => "; the vehicle's reset ends it",
            Self::EstopLeft => "; it ends when the vehicle repeats its state",
            Self::Lost { .. } | Self::LostInEstop { .. } | Self::Contested { .. } => self.ends().clause(),
        }
    }
}

impl HaltEnds {
    /// How it ends, as a clause to append to the reason; empty if it ends by itself.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Alone => "",
            Self::ByReset => "; reset_motors ends it",
            Self::ByResetLater => "; reset_motors ends it once that is over",
        }
    }
}

impl fmt::Display for VehicleHalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Awaited => "the vehicle's state is awaited",
            Self::Lost { is_on: true } => "the vehicle's state is lost",
            Self::Lost { is_on: false } => "the vehicle's state was lost",
            Self::Estop => "the vehicle is in its emergency stop",
            Self::EstopLeft => "the vehicle leaves its emergency stop",
            Self::LostInEstop { is_on: true } => "the vehicle's state is lost in its emergency stop",
            Self::LostInEstop { is_on: false } => "the vehicle's state was lost in its emergency stop",
            Self::Contested { is_on: true } => "the vehicle's state has more than one publisher",
            Self::Contested { is_on: false } => "the vehicle's state had more than one publisher",
        })
    }
}
