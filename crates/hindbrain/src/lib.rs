//! The stop state machine, and the mapping of a velocity to two motors: the last gate before they turn.
//!
//! * [`Hindbrain`] is the machine. Its inputs are commands, enable, e-stop, reset and infra-red readings. It sends motor
//!   values at once for each command and 50 times a second, and the state when it changes and twice a second.
//! * [`mod@core`] decides. It has integers only, a finite set of states, and one pure function [`step`](crate::core::step)
//!   that can be searched exhaustively.
//! * The edge converts between the units of the wire and of the core: a velocity to thousandths ([`setpoint_of`]), a distance
//!   to a [`Reading`](crate::core::Reading) ([`reading_of`]), levels to servo values ([`Motors`]).
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: a safety function. A stop of this machine is only a neutral value on a wire. An emergency stop must
//! cut the power in hardware, and the motor controller must stop when this node stops publishing.
#![forbid(unsafe_code)]

pub mod core;
mod detail;
mod edge;
mod event;
mod explain;
mod fraction;
mod hindbrain;
mod leds;
mod motors;
mod parameters;
mod refused;
mod status;

pub use self::core::{Cause, Causes, SoleTopic, Source, StopState};
pub use detail::{Detail, SourceDetail};
pub use edge::{Sensor, measured, reading_of, setpoint_of};
pub use event::{Input, Output, Publishers};
pub use hindbrain::{GAP_LIMIT, Hindbrain, Key, OVERRUN_LIMIT, Report, STATE_PERIOD, TICK};
pub use leds::{BLINK, Leds, Rgb};
pub use motors::Motors;
pub use parameters::{CommandType, Driver, DriverKind, IrLimits, OutputType, Params, Profile, specification};
pub use refused::Refused;
pub use safety::{FullSpeed, Level};
pub use status::Counters;
