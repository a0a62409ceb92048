//! Controllers: what they are, in which order they run, the control step that runs them, and who may change them.

mod change;
mod control_loop;
mod controller;
mod event;
mod list;
mod manager;
mod message;
mod period;
mod preparation;
mod refusal;
mod report;
mod request;
mod schedule;
mod sharing;
mod timing;

pub use change::{Change, SwitchEntry};
pub use control_loop::ControlLoop;
pub use controller::{Controller, ControllerFailure, Step};
pub use event::{Input, NewController, Output};
pub use list::{ControllerId, ControllerList, ControllerSlot};
pub use manager::Manager;
pub use message::{ControllerInput, InputKind, Message};
pub use period::PublishPeriod;
pub use refusal::Refusal;
pub use report::{Beyond, ControllerOutput, Odometry, OutputKind, Report};
pub use request::{ControllerState, Request, RequestId, resolve_type};
pub use schedule::{Dependency, ScheduleError, schedule};
pub use timing::ControllerTiming;
