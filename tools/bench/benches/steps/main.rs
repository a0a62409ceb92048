//! Steps of the pure crates, each in a group with its floor: the least that any program has to do for the same.
//!
//! A group is called after the part of the bench to which it belongs (`bench --only drive`), which prints the ratios
//! (`src/steps.rs`). Alone: `cargo bench -p bench -- --quick "^drive "`.
#![allow(missing_docs, clippy::panic, clippy::unwrap_used)] // an executable, whose panic ends the measurement

mod control_loop;
mod drive;
mod hand;
mod zones;

use std::time::Duration;

use criterion::Criterion;
use params::{Refusal, Set, Specification, Value};

fn main() {
    let mut criterion = Criterion::default().warm_up_time(Duration::from_secs(1)).configure_from_args();
    drive::measure(&mut criterion);
    zones::measure(&mut criterion);
    control_loop::measure(&mut criterion);
    hand::measure(&mut criterion);
    criterion.final_summary();
}

/// Measures a step and its floor.
fn pair(criterion: &mut Criterion, name: &str, mut step: impl FnMut(), mut floor: impl FnMut()) {
    let mut group = criterion.benchmark_group(name);
    group.bench_function("step", |bencher| bencher.iter(&mut step));
    group.bench_function("floor", |bencher| bencher.iter(&mut floor));
}

/// The parameters that `read` makes of the defaults and `overrides`.
fn parameters<P>(
    specification: Specification,
    read: fn(&Set) -> Result<P, Refusal>,
    overrides: &[(&str, Value)],
) -> P {
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    read(&specification.resolve(overrides).unwrap()).unwrap()
}
