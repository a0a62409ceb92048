//! The proof of the stop machine: every state that events can reach, against an oracle written from the document alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod act;
mod books;
mod census;
mod liveness;
mod models;
mod oracle;
mod pair;
mod random;
mod soak;
mod walker;
mod wheel;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use census::{Census, Seen};
use models::{Model, Part, Scale};
use walker::{Walk, walk};

/// What came of one model.
struct Walked {
    model: Model,
    walk: Walk,
    seen: Seen,
    seconds: f64,
}

/// Walks through all `models` in two threads.
fn through(models: Vec<Model>, most: usize, every: u64) -> Vec<Walked> {
    let (next, results, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            #[allow(clippy::disallowed_methods)] // how long it took is told, and decides on nothing
            let start = std::time::Instant::now();
            let mut census = Census::new(model, every);
            match walk(model, most, &mut census) {
                Ok(walk) => {
                    let seconds = start.elapsed().as_secs_f64();
                    let result = Walked { model: model.clone(), walk, seen: census.seen, seconds };
                    println!("{} {:?} {seconds:.1} s", model.name, result.walk);
                    results.lock().unwrap().push(result);
                }
                Err(what) => wrong.lock().unwrap().push(what),
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let wrong = wrong.into_inner().unwrap();
    for what in wrong.iter().take(40) {
        println!("{what}\n");
    }
    assert!(wrong.is_empty(), "{} models: {}", wrong.len(), wrong[0]);
    results.into_inner().unwrap()
}

#[test]
fn every_two_parts() {
    let scale = match std::env::var("SCALE").as_deref() {
        Ok("small") => Scale::Small,
        Ok("real") => Scale::Real,
        _ => Scale::Tiny,
    };
    let most = std::env::var("MOST").map_or(20_000, |m| m.parse().unwrap());
    for strict in [true, false] {
        let results = through(
            models::pairs(strict, scale)
                .into_iter()
                .filter(|m| {
                    std::env::var("PARTS").map_or(true, |p| {
                        m.parts.iter().any(|x| p.split(' ').any(|p| format!("{x:?}") == p))
                            && !p
                                .split(' ')
                                .any(|p| p.starts_with('-') && m.parts.iter().any(|x| format!("-{x:?}") == p))
                    })
                })
                .collect(),
            most,
            4,
        );
        let mut all = Seen::default();
        for r in &results {
            all.add(&r.seen);
        }
        println!("{all:?}");
        println!(
            "states {} edges {} cut {} seconds {}",
            results.iter().map(|r| r.walk.states).sum::<usize>(),
            results.iter().map(|r| r.walk.edges).sum::<usize>(),
            results.iter().filter(|r| r.walk.cut).count(),
            results.iter().map(|r| r.seconds).sum::<f64>()
        );
    }
}

#[test]
fn random_runs_keep_to_the_document() {
    let known =
        include_str!("seeds.txt").lines().filter_map(|line| line.split_whitespace().next()?.parse().ok());
    let n: u64 = std::env::var("N").map_or(50, |n| n.parse().unwrap());
    let mut wrong = 0;
    for seed in known.chain(1..=n) {
        if let Err(what) = soak::soak(seed, soak::STEPS) {
            println!("{}\n", what.chars().take(1500).collect::<String>());
            wrong += 1;
        }
    }
    println!("wrong {wrong}");
}

#[test]
fn one_seed() {
    let seed: u64 = std::env::var("SEED").map_or(23, |n| n.parse().unwrap());
    println!("{:?}", soak::soak(seed, soak::STEPS));
}
