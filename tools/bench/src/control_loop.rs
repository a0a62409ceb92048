//! The control loop of `mechanism`: its steps, how late it wakes up at rest and under calls, how long calls take, and what
//! the node costs.

mod calls;
mod cost;
mod latency;
mod node;
mod windows;

use core::fmt;

use processes::Folder;
use ros::{Error, Stop};

use crate::arguments::Arguments;
use crate::steps;
use crate::table::machine;

pub use calls::serve_bare;

/// The figures; shown as tables in Markdown.
pub struct Report {
    windows: windows::Windows,
    steps: steps::Report,
    latency: latency::Latency,
    cost: cost::Report,
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
    let steps = steps::measure(&steps::LOOP, asked.seconds)?;
    let windows = windows::measure(context, folder, stop)?;
    let latency = latency::measure(context, folder, stop)?;
    let cost = cost::measure(context, folder, stop)?;
    Ok(Report { windows, steps, latency, cost, machine })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { windows, steps, latency, cost, machine } = self;
        write!(f, "{windows}\n\n{steps}\n{latency}\n{cost}\n\n{machine}")
    }
}
