//! The proof of the stop machine: every state that events can reach, against an oracle written from the document alone: `docs/safety.md`,
//! and the exact rules here, at the head of [`books`] and of [`motion`], which are part of it.
//!
//! * [`act`], [`alphabet`], [`models`]: the events, and the combinations of parts and times
//! * [`table`], [`books`], [`wheel`], [`motion`], [`oracle`]: the behaviour that the document defines
//! * [`pair`]: machine and oracle side by side; [`walker`]: breadth first through all their states; [`soak`]: at random
//! * [`coverage`], [`liveness`], [`figures`]: the checks of the visited states, and the figures in the README
//!
//! **Hold.** After more than 40 ms since the last motor values (a call is due after 20) all messages of the next 50 ms count as sent no later than the
//! last call before. Further late calls within these 50 ms do not prolong them; if a hold of more than 70 ms begins within them, messages count
//! as sent no later than the last call before the first hold. A thread that reads more than 20 ms later than it was due was held, too:
//! its messages of the next 50 ms count as sent no later than when it last emptied its queue. The longer of two holds counts.
//!
//! **Zero command.** It counts if no cause that requires a zero, an enable or a reset is present in the snapshot of its receipt, until one is.
//! When the state becomes OK without a fresh command in that same snapshot, the setpoint becomes zero.
//!
//! **Arming.** A rise of enable arms. Each snapshot with a cause that requires an enable or a reset disarms, and so does that of a reset.
//!
//! **Way.** With front and back blocked every direction is blocked, also at rest. With one of them, the way is blocked if a wheel turns toward
//! it, or if the setpoint moves a wheel by a count or more and either is a turn (its angular part is larger than its linear part) or
//! does not lead away. A setpoint that leads away loses its turn. In `seed` one blocked sensor blocks every way.
//!
//! **Latch.** An emergency stop or a fault stays until the reset; an emergency stop outlasts a fault, and `OVERRUN` stays as long as
//! anything is latched.
//!
//! **Gap and overrun**, while a motor value is not stop or the state is OK. Gap: a snapshot comes more than 0.2 s after the last motor
//! values, or these did not reach the motors in time; it lasts for its snapshot. Overrun: a snapshot comes more than 0.5 s after the one
//! before, or the supervising thread had to act.
//!
//! **Seed.** Nothing is latched, armed or waited for: `ESTOP_LATCHED`, `FAULT_LATCHED`, `NOT_ARMED` and `NEUTRAL_WAIT` do not exist, and `OVERRUN`
//! lasts for its snapshot.
//!
//! **Parameters** change only while nothing moves and the state is not OK. At its end the node publishes stop and the state with
//! `STOPPING`, and accepts no further input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod act;
mod alphabet;
mod books;
mod coverage;
mod figures;
mod liveness;
mod models;
mod motion;
mod oracle;
mod pair;
mod random;
mod soak;
mod table;
mod walker;
mod wheel;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hindbrain::{Cause, StopState};

use coverage::{Coverage, Seen};
use models::{Model, Part, Scale};
use walker::{Walk, walk};

/// The result of one model.
struct Walked {
    model: Model,
    walk: Walk,
    seen: Seen,
    seconds: f64,
}

#[allow(clippy::disallowed_methods)] // the duration is only printed
fn now() -> Instant {
    Instant::now()
}

/// Walks through all `models` in two threads; recoveries are tested from one in `every` states.
fn through(models: &[Model], most: usize, every: u64) -> Vec<Walked> {
    let (next, walked, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let work = || {
        while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            let start = now();
            let mut coverage = Coverage::new(model, every);
            match walk(model, most, &mut coverage) {
                Ok(walk) => {
                    let seconds = start.elapsed().as_secs_f64();
                    println!("{:?} {}: {walk:?}, {seconds:.1} s", model.scale, model.name);
                    walked.lock().unwrap().push(Walked {
                        model: model.clone(),
                        walk,
                        seen: coverage.seen,
                        seconds,
                    });
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
    assert!(wrong.is_empty(), "{} models:\n{}", wrong.len(), wrong.join("\n\n"));
    walked.into_inner().unwrap()
}

/// The union of all walks.
fn together(walked: &[Walked]) -> Seen {
    let mut all = Seen::default();
    walked.iter().for_each(|walked| all.add(&walked.seen));
    all
}

/// The models of every test run: each part, every two parts.
fn small(strict: bool) -> Vec<Model> {
    let mut models = models::singles(strict, Scale::Tiny);
    models.extend(models::pairs(strict, Scale::Tiny));
    // The longest first: both threads are busy to the end.
    models.sort_by_key(|model| std::cmp::Reverse(model.edges.len()));
    models
}

#[test]
fn every_two_parts_meet_in_a_model() {
    for scale in [Scale::Tiny, Scale::Small, Scale::Real] {
        let models = models::pairs(true, scale);
        for one in Part::ALL {
            for other in Part::ALL {
                let meet = |model: &Model| model.parts.contains(&one) && model.parts.contains(&other);
                assert!(one == other || models.iter().any(meet), "{one:?} and {other:?}");
            }
        }
        for model in &models {
            let plain = Model::new(&[], true, scale);
            for &part in &model.parts {
                let with = Model::new(&[part], true, scale);
                let matters = with.edges.len() > plain.edges.len() || with.params != plain.params;
                assert!(matters, "{part:?} is in no act, time or parameter");
            }
        }
    }
}

#[test]
fn every_state_follows_the_document_and_recovers() {
    let most = figures::SMALL;
    let [strict, seed] = [true, false].map(|strict| through(&small(strict), most, 1));
    let all = [together(&strict), together(&seed)];
    for (seen, strict) in all.iter().zip([true, false]) {
        for &cause in Cause::ALL {
            let in_seed = !matches!(
                cause,
                Cause::CommandBelowCount
                    | Cause::EstopLatched
                    | Cause::FaultLatched
                    | Cause::NotArmed
                    | Cause::NeutralWait
                    | Cause::LeaseLapsed
            );
            assert_eq!(seen.causes.contains_key(&cause), strict || in_seed, "{cause:?} strict: {strict}");
        }
        assert_eq!(seen.full_speed, [true; 2], "the machine moves at all");
        assert!(seen.continued > 10_000, "{} pairs of equal keys", seen.continued);
    }
    for state in
        [StopState::SoftRos, StopState::SoftIr, StopState::SoftBoth, StopState::Estop, StopState::Fault]
    {
        for seen in &all {
            let name = coverage::name(state);
            assert!(seen.transitions.keys().any(|&(from, to)| from == "OK" && to == name), "OK to {name}");
            assert!(seen.transitions.keys().any(|&(from, to)| from == name && to != name), "out of {name}");
        }
    }
    figures::check(&all, &[strict, seed]);
}

#[test]
fn random_runs_follow_the_document() {
    let known =
        include_str!("seeds.txt").lines().filter_map(|line| line.split_whitespace().next()?.parse().ok());
    let wrong: Vec<_> =
        known.chain(1..=1000).filter_map(|seed| soak::soak(seed, soak::STEPS).err()).collect();
    assert!(wrong.is_empty(), "{} seeds:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// `SOAK_SECONDS` of random runs, each of `SOAK_STEPS` steps, from new seeds.
#[test]
#[ignore = "runs as long as set; cargo xtask prove --soak"]
fn soak() {
    let number = |name, default| std::env::var(name).map_or(default, |text| text.parse().expect("a number"));
    let (seconds, steps) = (number("SOAK_SECONDS", 60), number("SOAK_STEPS", soak::STEPS as u64) as usize);
    #[allow(clippy::disallowed_methods)] // each run needs new seeds
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let first = number("SOAK_SEED", time.as_micros() as u64);
    let (start, runs) = (now(), AtomicUsize::new(0));
    let work = || {
        while start.elapsed() < Duration::from_secs(seconds) {
            let seed = first + runs.fetch_add(1, Ordering::Relaxed) as u64;
            if let Err(what) = self::soak::soak(seed, steps) {
                panic!("add the seed to tests/walk/seeds.txt once it is fixed\n{what}");
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    println!("{} runs of {steps} steps from seed {first}", runs.into_inner());
}

/// Each part with times of three and four ticks and with the real times, to its end unless it is listed; then every two parts and
/// everything at once, up to a number of states.
#[test]
#[ignore = "half an hour; cargo xtask prove"]
fn every_state_with_the_real_constants_keeps_every_invariant() {
    let mut cut = Vec::new();
    for strict in [true, false] {
        let scales = [Scale::Small, Scale::Real];
        let singles: Vec<_> = scales.into_iter().flat_map(|scale| models::singles(strict, scale)).collect();
        let whole = through(&singles, figures::MOST, figures::EVERY);
        for name in figures::cut(&whole) {
            let is_listed =
                figures::LARGER.iter().any(|part| name.starts_with("Real") && name.ends_with(part));
            assert!(is_listed, "{name} was not walked to its end, and is not listed in figures.rs");
            cut.push(name);
        }
        let mut pairs: Vec<_> = scales.into_iter().flat_map(|scale| models::pairs(strict, scale)).collect();
        pairs.push(models::everything(strict));
        let partly = through(&pairs, figures::PART, figures::EVERY);
        println!("{}\n{}", figures::size_table(&whole), figures::size_table(&partly));
        cut.extend(figures::cut(&partly));
    }
    println!("{} models were walked in part:", cut.len());
    println!("{}", cut.join("\n"));
}
