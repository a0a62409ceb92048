//! The stop state machine and the way from velocity to two motors: the last gate before they turn.
//!
//! * [`Hindbrain`] is the machine: commands, enable, e-stop, reset and infra-red readings come in; motor values go out at
//!   once with each command and 50 times a second besides, and the state when it changes and twice a second.
//! * [`mod@core`] is what decides: integers only, a finite set of states, one pure function
//!   [`step`](crate::core::step) that can be walked through exhaustively.
//! * The edge turns what the wires carry into what the core takes: a velocity into thousandths ([`setpoint_of`]), a distance
//!   into a [`Reading`](crate::core::Reading) ([`reading_of`]), levels into servo values ([`Motors`]).
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a safety function. A stop of this machine is a neutral value on a wire, no more; an
//! emergency stop must cut the power in hardware, and the motor controller must stop when this node falls silent.
#![forbid(unsafe_code)]

pub mod core;
mod detail;
mod edge;
mod event;
mod hindbrain;
mod leds;
mod motors;
mod parameters;
mod publishers;
mod refused;
mod status;

pub use self::core::{Cause, Causes, SoleTopic, Source, StopState};
pub use detail::{Detail, SourceDetail};
pub use edge::{Sensor, measured, reading_of, setpoint_of};
pub use event::{Input, Output};
pub use hindbrain::{Hindbrain, Key, OVERRUN_LIMIT, Report, STATE_PERIOD, TICK};
pub use leds::{BLINK, Leds, Rgb};
pub use motors::Motors;
pub use parameters::{CommandType, Driver, DriverKind, FullSpeed, IrLimits, Params, Profile, specification};
pub use publishers::Publishers;
pub use refused::Refused;
pub use status::Counters;
pub use units::{Census, Level};
