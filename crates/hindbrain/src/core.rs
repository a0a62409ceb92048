//! The stop state machine: integers only, no clock, no allocation, a finite set of states.
//!
//! [`step`] is a total function from a state, one snapshot of inputs and the parameters to the next state and the outputs.
//! [`Cause::row`] is the table that it follows. Time is the input `dt` \[ns\]: ticks and events use the same code.
//! Every age stops growing at its limit, so the reachable states are finite and can be searched exhaustively.
//!
//! A level is the command of a wheel, from `-full` to `full`, **forward positive**. The servo's mirrored numbers exist only
//! at the edge ([`Motors`](crate::Motors)).

mod cause;
mod gate;
mod inputs;
mod mapping;
mod sensor;
mod source;
mod state;
mod step;
mod switch;
mod wheel;

pub use cause::{Cause, Causes, Effect, Recovery, Row};
pub use gate::Gate;
pub use inputs::{CommandInput, CoreParams, Infrared, Inputs, InvalidCommand, Outputs, SwitchInput};
pub use mapping::{COUNT, FULL, Mapping, Setpoint, mix, mix_as_the_seed};
pub use sensor::{IrSensor, Reading};
pub use source::{Conflicts, SoleTopic, Source};
pub use state::{Device, EstopLine, HeldCommand, Latch, ResetButton, State, StopState};
pub use step::step;
pub use switch::EnableSwitch;
pub use wheel::{Slopes, Wheels};
