//! The proof of the stop machine: every reachable state and every input in it, with the invariants asked on every edge.
//!
//! At a small scale it runs with all tests; with the real constants it is `cargo xtask prove`. What is walked through and
//! why that is all there is stands in the README and in [`models`].
#![allow(clippy::panic, clippy::expect_used)] // what breaks an invariant has to end the test with the way there

mod alphabet;
mod figures;
mod invariants;
mod models;
mod packed;
mod page;
mod parts;
mod soak;
mod table;
mod walker;
mod witness;

use std::collections::BTreeSet;
use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

use figures::{Row, memory, now, row, walk_all};
use hindbrain::core::Rule;
use page::grouped;
use walker::{Found, Model};

/// All walks at the small scale, walked once for all tests.
fn small() -> &'static [(Model, Found)] {
    static WALKS: OnceLock<Vec<(Model, Found)>> = OnceLock::new();
    WALKS.get_or_init(|| walk_all(&models::SMALL, |_, _, _| {}))
}

fn of_profile(profile: &str) -> impl Iterator<Item = &'static Found> {
    small().iter().filter(move |(model, _)| model.name.starts_with(profile)).map(|(_, found)| found)
}

fn small_rows() -> Vec<Row> {
    small().iter().map(|(model, found)| row(model, found)).chain(figures::parts(3)).collect()
}

#[test]
fn every_state_at_a_small_scale_keeps_every_invariant() {
    assert!(small().iter().all(|(_, found)| found.states > 100));
}

#[test]
fn every_sensor_and_every_wheel_is_what_its_past_makes_it() {
    assert!(figures::parts(3).all(|row| row.states > 50));
}

#[test]
fn every_state_is_published_and_every_rule_applied() {
    for profile in ["strict", "seed"] {
        let published: BTreeSet<&str> = of_profile(profile).flat_map(Found::published).collect();
        assert_eq!(published.len(), 6, "{profile} {published:?}");
        let rules: BTreeSet<Rule> = of_profile(profile).flat_map(Found::rules).collect();
        assert_eq!(rules, BTreeSet::from(Rule::ALL), "{profile}");
    }
}

#[test]
fn there_is_a_way_out_with_the_direction_policy_and_none_without() {
    let leads_out = |name: &str, front: bool, level: i16| {
        let (_, found) = small().iter().find(|(model, _)| model.name == name).unwrap();
        found.blocked.contains(&([front, !front], [level; 2]))
    };
    for (name, policy) in [("strict ways", true), ("strict ways, blind", false), ("seed sensors", false)] {
        assert_eq!(leads_out(name, true, -3), policy, "{name}: an obstacle in front");
        assert_eq!(leads_out(name, false, 3), policy, "{name}: an obstacle at the back");
        assert!(!leads_out(name, true, 3) && !leads_out(name, false, -3), "{name}");
    }
}

#[test]
fn the_readme_tells_what_the_walks_found() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let page = fs::read_to_string(path).unwrap();
    let places = page::places(small(), &small_rows());
    let new =
        places.iter().try_fold(page.clone(), |page, (name, text)| page::with(&page, name, text)).unwrap();
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, &new).unwrap();
        return;
    }
    assert!(page == new, "the README is not what the code gives: run `BLESS=1 cargo test -p hindbrain`");
}

#[test]
fn a_second_of_random_faults_breaks_no_invariant() {
    soak_for(1, Duration::from_secs(1));
}

/// The number in the environment variable.
fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
#[ignore = "minutes: run `cargo xtask prove --soak SECONDS`"]
fn soak() {
    let fresh = u64::from(std::process::id()) << 32;
    soak_for(
        number("SOAK_SEED").unwrap_or(fresh),
        Duration::from_secs(number("SOAK_SECONDS").unwrap_or(600)),
    );
}

fn soak_for(seed: u64, time: Duration) {
    println!("random faults for {} s, SOAK_SEED={seed}", time.as_secs());
    let soaked = soak::soak(seed, time);
    let [before, after] = soaked.memory;
    println!(
        "{} steps in {} traces, {:.0} % of them moving, {:.1} million steps/s, memory {before:.1} MiB to {after:.1} MiB",
        grouped(soaked.steps as usize),
        grouped(soaked.traces as usize),
        soaked.moving as f64 / soaked.steps as f64 * 100.0,
        soaked.steps as f64 / soaked.seconds / 1e6,
    );
    assert!(soaked.moving * 10 > soaked.steps, "too few of the steps moved for the invariants to mean much");
    assert!(after - before < 1.0 || time.as_secs() < 2, "the memory grew");
}

#[test]
#[ignore = "minutes: run `cargo xtask prove`"]
fn every_state_with_the_real_constants_keeps_every_invariant() {
    let start = now();
    println!(
        "{:20} {:>12} {:>7} {:>15} {:>8} {:>6}",
        "model", "states", "inputs", "edges", "seconds", "rest"
    );
    let say = |row: &Row, inputs: usize, seconds: f64| {
        let rest = row.rest.map(|ticks| format!("{:.2} s", ticks as f64 * 0.02)).unwrap_or_default();
        let [states, edges] = [row.states, row.edges].map(grouped);
        println!(
            "{:20} {states:>12} {inputs:>7} {edges:>15} {seconds:>8.1} {rest:>6}  {}",
            row.name, row.text
        );
    };
    let mut rows: Vec<Row> =
        walk_all(&models::FULL, say).iter().map(|(model, found)| row(model, found)).collect();
    for part in figures::parts(66) {
        say(&part, part.edges / part.states, 0.0);
        rows.push(part);
    }
    let (states, edges) = rows.iter().fold((0, 0), |sum, row| (sum.0 + row.states, sum.1 + row.edges));
    println!(
        "proved: I1 to I14 hold on {} edges from {} states; {:.0} s, at most {:.0} MiB of memory",
        grouped(edges),
        grouped(states),
        start.elapsed().as_secs_f64(),
        memory("VmHWM"),
    );
}
