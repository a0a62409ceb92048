//! A HAPTIX hand: steps of the analytic hand, updates and commands over DDS, how late the device's loop wakes up, and a hand in
//! MuJoCo.

mod bare;
mod jitter;
mod mujoco;
mod node;
mod trips;

use core::fmt;

use processes::Folder;
use ros::{Error, Stop};

use crate::arguments::Arguments;
use crate::steps;
use crate::table::machine;

pub use bare::serve_bare;

/// The figures; shown as tables in Markdown.
pub struct Report {
    steps: steps::Report,
    trips: trips::Report,
    jitter: jitter::Report,
    mujoco: mujoco::Report,
    machine: String,
}

/// Measures one after the other, each beside its floor.
/// # Errors
/// A process does not start, ends, or does not answer; its output is shown.
pub fn measure(
    context: &r2r::Context,
    asked: &Arguments,
    folder: &Folder,
    stop: &Stop,
) -> Result<Report, Error> {
    let machine = machine(); // the load before
    let steps = steps::measure(&steps::HAND, asked.seconds)?;
    let trips = trips::measure(context, folder, stop)?;
    let jitter = jitter::measure(context, folder, stop)?;
    let mujoco = mujoco::measure()?;
    Ok(Report { steps, trips, jitter, mujoco, machine })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, trips, jitter, mujoco, machine } = self;
        write!(f, "{steps}\n{trips}\n{jitter}\n\n{mujoco}\n{machine}")
    }
}
