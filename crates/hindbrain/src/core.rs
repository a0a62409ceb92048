//! The stop state machine itself: integers only, no clock, no allocation, a finite set of states.
//!
//! [`step`] is a total function from a state, one snapshot of inputs and the parameters to the next state and what goes
//! out. Time comes in as `dt` \[ns\], so that ticks and events run through the same code, and every age stops growing at
//! its limit, so that the reachable states can be counted and walked through one by one.
//!
//! A level is what a wheel is told, from `-full` to `full`, **forward positive**; the servo's mirrored numbers exist only
//! at the edge ([`Motors`](crate::Motors)).

mod cause;
mod eye;
mod gate;
mod inputs;
mod mapping;
mod rule;
mod state;
mod step;
mod wheel;

pub use cause::{Cause, Causes};
pub use eye::{Eye, Reading, Sight};
pub use gate::Gate;
pub use inputs::{CoreParams, Infrared, Inputs, InvalidCommand, Outputs, SoftStop};
pub use mapping::{FULL, Mapping, Wish, mix, mix_as_the_seed};
pub use rule::Rule;
pub use state::{Blame, Device, EstopLine, HeldCommand, Mode, ResetButton, State, StopState};
pub use step::step;
pub use wheel::{Slopes, Wheel};
