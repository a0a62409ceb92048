//! How late the device's loop wakes up at rest and under updates, beside the bare loop in the same time.
//!
//! The windows alternate. The updates come from one client.

use core::fmt;
use std::time::Duration;

use processes::Folder;
use ros::{Error, Stop, clock};

use super::node::{self, HAND, Updater};
use crate::bare_loop::Bare;
use crate::lateness::{Mark, Pair, Table};
use crate::reports::Reports;

const ROUNDS: usize = 5;
/// The length of a window.
const WINDOW: Duration = Duration::from_secs(6);
/// From one update to the next.
const PAUSE: Duration = Duration::from_millis(1);

/// The figures; shown as a table in Markdown.
#[derive(Default)]
pub struct Report {
    /// At rest, and under updates.
    pairs: [Pair; 2],
    updates: u64,
    /// How long the updates took together.
    updating: Duration,
}

/// Measures windows without and with updates in turns.
/// # Errors
/// The node does not start, or does not answer; its output is shown.
pub fn measure(context: &r2r::Context, folder: &Folder, stop: &Stop) -> Result<Report, Error> {
    // The last one, which has fewer interrupts of devices as a rule.
    let core = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    let child = node::start(Some(core), folder)?;
    let measured = observe(context, core, stop);
    measured.map_err(|error| Error::Start(format!("{error}\n{}", child.output())))
}

fn observe(context: &r2r::Context, core: usize, stop: &Stop) -> Result<Report, Error> {
    let mut updater = Updater::new(context, "bench_updater", HAND)?;
    updater.wait()?;
    let (bare, mut reports) = (Bare::start(core)?, Reports::new(context)?);
    reports.next()?; // the middleware has found all of them
    let mut report = Report::default();
    for round in 1..=ROUNDS {
        for is_busy in [false, true] {
            let what = if is_busy { "updates" } else { "at rest" };
            eprintln!("bench: hand: round {round} of {ROUNDS}, {what}");
            let before = Mark::take(&mut reports, &bare)?;
            let began = clock::now();
            while clock::now().since(began) < WINDOW && !stop.is_set() {
                if is_busy {
                    updater.update(0.0)?;
                    report.updates += 1;
                    updater.node.spin_once(PAUSE);
                } else {
                    reports.next()?;
                }
            }
            if is_busy {
                report.updating += clock::now().since(began);
            }
            if stop.is_set() {
                return Err(Error::Start("interrupted".into()));
            }
            let after = Mark::take(&mut reports, &bare)?;
            report.pairs[usize::from(is_busy)].add(before, after, &bare);
        }
    }
    Ok(report)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Table(&[("at rest", self.pairs[0]), ("under updates", self.pairs[1])]))?;
        let rate = self.updates as f64 / self.updating.as_secs_f64();
        write!(f, "\n{ROUNDS} windows at rest and {ROUNDS} under updates, {rate:.0} a second.")
    }
}
