//! The stop state machine itself: integers only, no clock, no allocation, a finite set of states.
//!
//! [`step`] is a total function from a state, one snapshot of inputs and the parameters to the next state and what goes
//! out. [`Cause::row`] is the table that it follows. Time comes in as `dt` \[ns\], so that ticks and events run through the
//! same code, and every age stops growing at its limit, so that the reachable states can be counted and walked one by one.
//!
//! A level is what a wheel is told, from `-full` to `full`, **forward positive**; the servo's mirrored numbers exist only
//! at the edge ([`Motors`](crate::Motors)).

mod cause;
mod conflict;
mod gate;
mod inputs;
mod mapping;
mod sensor;
mod source;
mod state;
mod step;
mod switch;
mod wheel;

pub use cause::{Cause, Causes, Clears, Effect, Row};
pub use conflict::{Conflicts, SoleTopic};
pub use gate::Gate;
pub use inputs::{CommandInput, CoreParams, Infrared, Inputs, InvalidCommand, Outputs, SwitchInput};
pub use mapping::{FULL, Mapping, Setpoint, mix, mix_as_the_seed};
pub use sensor::{IrSensor, Reading};
pub use source::Source;
pub use state::{Device, EstopLine, HeldCommand, Latch, ResetButton, State, StopState};
pub use step::step;
pub use switch::EnableSwitch;
pub use wheel::{Slopes, Wheels};
