//! The types that all of Steersman's crates share: time, stamps, velocities, scales, couplings, the states of a robot, and the [`Machine`].
//!
//! Values are parsed once into types that cannot hold invalid ones: a [`Velocity`] is finite, a [`Scale`] lies in \[0, 1\].
//! Nothing here reads a clock or fails at run time, and nothing but the judgement of a robot's states allocates.
#![forbid(unsafe_code)]

mod clock;
mod clock_reading;
mod command_monitor;
mod coupling;
mod deflection;
mod diagnostics;
pub mod freshness;
pub mod identity;
mod machine;
mod outbox;
mod publishers;
mod robot_states;
mod scale;
mod simulated_time;
mod stream_gate;
#[cfg(test)]
mod test_clock;
mod time;
mod vehicle_halt;
mod vehicle_monitor;
mod velocity;

pub use clock::Clock;
pub use clock_reading::ClockReading;
pub use command_monitor::{CommandMonitor, Received};
pub use coupling::{Coupling, MAX_KNEES};
pub use deflection::Accelerations;
pub use diagnostics::{Level, first_bytes};
pub use freshness::{
    Freshness, HEARTBEAT, MessageTime, REMOVAL_TIME, SHORTEST_COMMAND_TIMEOUT, SHORTEST_STICK_TIMEOUT, Stale,
    WATCHDOG_INTERVAL,
};
pub use identity::{Identity, Likeness};
pub use machine::{Contains, Machine, earliest};
pub use outbox::{Backlog, Outbox};
pub use publishers::{PublisherCount, PublisherId, Succession};
pub use robot_states::{
    ActuatorSample, LinkState, Measures, Places, SpeedBound, StateMonitor, StateSample, StatesError,
    StatesMessage,
};
pub use scale::{OutOfUnitRange, Scale};
pub use simulated_time::{ClockAnomaly, SimulatedTime};
pub use stream_gate::{Begins, STREAM_PAUSE, StreamGate};
pub use time::{Instant, Stamp};
pub use vehicle_halt::{HaltEnds, VehicleHalt};
pub use vehicle_monitor::VehicleMonitor;
pub use velocity::{
    Command, FullSpeed, Implausible, MAX_PLAUSIBLE, NEUTRAL_ANGULAR, NEUTRAL_LINEAR, NotFinite,
    SLOWEST_FULL_SPEED, Velocity,
};
