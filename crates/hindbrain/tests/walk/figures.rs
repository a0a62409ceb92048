//! What a proof took: rows for the terminal and for the README, the clock, the memory.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::models::{Scale, all};
use crate::parts;
use crate::walker::{Found, Model};

/// One line of the table.
pub struct Row {
    pub name: &'static str,
    pub text: &'static str,
    pub states: usize,
    pub edges: usize,
    /// I14 in ticks.
    pub rest: Option<usize>,
}

/// All walks of a scale on two threads, in the order of the models; each is handed on with its seconds as it ends.
pub fn walk_all(scale: &Scale, done: impl Fn(&Row, usize, f64) + Sync) -> Vec<(Model, Found)> {
    let models = all(scale);
    let next = AtomicUsize::new(0);
    let found: Vec<Mutex<Option<Found>>> = models.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((model, place)) = {
            let index = next.fetch_add(1, Ordering::Relaxed);
            models.get(index).zip(found.get(index))
        } {
            let start = now();
            let walked = model.walk(scale.most);
            done(&row(model, &walked), model.inputs.len(), start.elapsed().as_secs_f64());
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(walked);
        }
    };
    thread::scope(|scope| {
        let other = scope.spawn(work);
        work();
        other.join().expect("the other thread has proved its part");
    });
    let found =
        found.into_iter().map(|place| place.into_inner().ok().flatten().expect("every model was walked"));
    models.into_iter().zip(found).collect()
}

pub fn row(model: &Model, found: &Found) -> Row {
    let &Found { states, edges, rest, .. } = found;
    Row { name: model.name, text: model.text, states, edges, rest }
}

/// The parts as rows.
pub fn parts(full: i16) -> impl Iterator<Item = Row> {
    let row = |(name, text, (states, edges))| Row { name, text, states, edges, rest: None };
    parts::all(full).into_iter().map(row)
}

#[allow(clippy::disallowed_methods)] // how long a proof takes is for its reader, no part of it
pub fn now() -> Instant {
    Instant::now()
}

/// A line of `/proc/self/status` \[MiB\], `VmRSS` now or `VmHWM` at most; 0 where there is none.
pub fn memory(line: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|found| found.strip_prefix(line)?.strip_prefix(':'));
    let kibibytes = line.and_then(|value| value.trim().strip_suffix("kB")?.trim().parse().ok());
    kibibytes.unwrap_or(0.0) / 1024.0
}
