//! Raw inputs, any time, any parameters: no machine panics, publishes without end, or is due for ever.
//!
//! A short run belongs to the tests; `cargo xtask soak` runs 10^8 steps. `FUZZ_STEPS` and `FUZZ_SEED` set the number and the
//! seed. A seed that once failed is in `SEEDS` and is played every time. Each life of a machine has a seed of its own, the next
//! number: a failure after hours is reported with the seed of its life, and fails again at once.
#![allow(clippy::expect_used, clippy::panic)] // a failure has to end the test with its seed

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use fastrand::Rng;
use params::{Refusal, Set, Specification, Value};
use safety::{ClockReading, Command, Instant, Machine, NotFinite, Stamp, Velocity};

/// Seeds that once failed.
const SEEDS: &[u64] = &[1];
/// A machine gets new parameters and restarts after this many steps.
const LIFE: u64 = 2_000;
/// More outputs than any machine has for one event.
const MOST_OUTPUTS: usize = 5_000;

fn awkward(rng: &mut Rng) -> f64 {
    const AWKWARD: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        5e-324,
        1e-40,
        3.5e38,
        1e308,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match rng.u8(0..4) {
        0 => AWKWARD[rng.usize(0..AWKWARD.len())],
        1 => f64::from_bits(rng.u64(..)),
        _ => rng.f64() * 4.0 - 2.0,
    }
}

fn stamp(rng: &mut Rng, now: Instant) -> Stamp {
    let wall = |nanos: i64| Stamp {
        sec: i32::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i32::MAX),
        nanosec: u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0),
    };
    let now =
        1_700_000_000_000_000_000_i64.saturating_add(i64::try_from(now.as_nanos()).unwrap_or(i64::MAX / 2));
    match rng.u8(0..8) {
        0 => Stamp::ZERO,
        1 => Stamp { sec: rng.i32(..), nanosec: rng.u32(..) },
        2 => wall(now.saturating_sub(rng.i64(0..2_000_000_000))),
        3 => wall(now.saturating_add(rng.i64(0..2_000_000_000))),
        _ => wall(now),
    }
}

fn velocity(rng: &mut Rng) -> Result<Velocity, NotFinite> {
    let mut three = || [awkward(rng), awkward(rng), awkward(rng)];
    let parts = (three(), three());
    match rng.u8(0..4) {
        0 => Ok(Velocity::ZERO),
        1 => Velocity::new(parts.0, parts.1),
        _ => Velocity::planar(rng.f64() * 2.0 - 1.0, rng.f64() * 2.0 - 1.0),
    }
}

fn command(rng: &mut Rng, now: Instant) -> Command {
    let withheld = rng.u8(..8) == 0;
    Command { withheld, ..Command::new(velocity(rng).unwrap_or_default(), stamp(rng, now)) }
}

/// Random parameters that `read` accepts: some of them changed within their ranges.
fn parameters<P>(rng: &mut Rng, specification: &Specification, read: fn(&Set) -> Result<P, Refusal>) -> P {
    use params::Kind;
    loop {
        let defaults = specification.defaults();
        let mut changes: Vec<(String, Value)> = Vec::new();
        for (name, declaration, _) in defaults.iter() {
            if rng.u8(0..4) > 0 {
                continue;
            }
            let value = match declaration.kind {
                Kind::Bool { .. } => Value::Bool(rng.bool()),
                Kind::Integer { min, max, .. } => Value::Integer(rng.i64(min..=max)),
                Kind::NumberOrName { names, .. } if rng.u8(0..4) == 0 => {
                    Value::Text(names[rng.usize(0..names.len())].into())
                }
                Kind::NumberOrName { min, max, .. } => Value::Integer(rng.i64(min..=max)),
                Kind::Float { min, max, .. } | Kind::OptionalFloat { min, max } => {
                    Value::Float(match rng.u8(0..3) {
                        0 => min,
                        1 => max,
                        _ => (min + rng.f64() * (max - min)).clamp(min, max),
                    })
                }
                Kind::Text { allowed, .. } if !allowed.is_empty() => {
                    Value::Text(allowed[rng.usize(0..allowed.len())].into())
                }
                _ => continue,
            };
            changes.push((name.to_owned(), value));
        }
        // A contradictory set is drawn again.
        if let Some(params) = specification.resolve(changes).ok().and_then(|set| read(&set).ok()) {
            return params;
        }
    }
}

/// How a machine is created, its possible inputs, and the invariants of its outputs.
struct Subject<M: Machine> {
    name: &'static str,
    begin: fn(&mut Rng) -> M,
    input: fn(&mut Rng, Instant) -> M::Input,
    clock_read: fn(ClockReading) -> Option<M::Input>,
    holds: fn(&M, &M::Output) -> bool,
}

impl<M: Machine> Subject<M> {
    fn run(&self, seed: u64, steps: u64) {
        for life in 0..steps.div_ceil(LIFE) {
            let (seed, mut step) = (seed.wrapping_add(life), 0);
            let steps = LIFE.min(steps - life * LIFE);
            let played = catch_unwind(AssertUnwindSafe(|| self.live(seed, steps, &mut step)));
            assert!(played.is_ok(), "{}: seed {seed}, step {step}", self.name);
        }
    }

    fn live(&self, seed: u64, steps: u64, step: &mut u64) {
        let mut rng = Rng::with_seed(seed);
        let (mut machine, mut now) =
            ((self.begin)(&mut rng), Instant::from_nanos(rng.u64(..) >> rng.u8(0..64)));
        // In a life of leaps alone nothing is enabled for long.
        let is_calm = rng.bool();
        while *step < steps {
            *step += 1;
            let leaps = !is_calm || rng.u8(0..64) == 0;
            now = match rng.u8(0..if leaps { 16 } else { 13 }) {
                0..=4 => now,
                5..=9 => now + Duration::from_micros(rng.u64(0..30_000)),
                10..=12 => machine.deadline().unwrap_or(now).max(now),
                13 => now + Duration::from_millis(rng.u64(0..2_000)),
                14 => Instant::from_nanos(now.as_nanos().saturating_sub(rng.u64(0..1_000_000_000))), // it never goes back
                _ => now + Duration::from_secs(rng.u64(0..100_000)),
            };
            if rng.u8(0..4) > 0 {
                let wall = 1_700_000_000 + i64::try_from(now.as_nanos() / 1_000_000_000).unwrap_or(0);
                let wall = Stamp { sec: i32::try_from(wall).unwrap_or(i32::MAX), nanosec: 0 };
                let is_reliable = !(*step / 64).is_multiple_of(8);
                if let Some(input) = (self.clock_read)(ClockReading { stamp: wall, is_reliable }) {
                    machine.handle(now, input);
                }
                if rng.u8(0..16) == 0 {
                    // Its thread was held: it had read everything at the first time, and was due to read again at the second.
                    let due = Instant::from_nanos(now.as_nanos().saturating_sub(rng.u64(0..1_000_000_000)));
                    machine.read_again(
                        now,
                        Instant::from_nanos(due.as_nanos().saturating_sub(rng.u64(0..50_000_000))),
                        due,
                    );
                }
                machine.handle(now, (self.input)(&mut rng, now));
            }
            let mut outputs = 0;
            while let Some(output) = machine.poll(now) {
                assert!((self.holds)(&machine, &output), "an output violates the invariants");
                outputs += 1;
                assert!(outputs < MOST_OUTPUTS, "it publishes without end");
            }
            // A machine that is due right after it was drained would keep its thread busy for ever.
            assert!(machine.deadline().is_none_or(|at| at > now), "it is due for ever");
        }
    }
}

/// A name, its share of the steps, and its run for a seed and a number of steps.
type Run = (&'static str, u64, fn(u64, u64));

mod chain;
mod subjects;

const RUNS: [Run; 9] = [
    ("joystick", 100, |seed, steps| subjects::joystick().run(seed, steps)),
    ("arbiter", 100, |seed, steps| subjects::arbiter().run(seed, steps)),
    ("zones", 100, |seed, steps| subjects::zones().run(seed, steps)),
    ("surround", 2, |seed, steps| subjects::surround().run(seed, steps)), // a step of it is a whole scan
    ("hindbrain", 100, |seed, steps| subjects::hindbrain().run(seed, steps)),
    ("chain", 100, |seed, steps| chain::chain().run(seed, steps)),
    ("chair", 100, |seed, steps| subjects::chair().run(seed, steps)),
    ("luci_chair", 100, |seed, steps| subjects::luci_chair().run(seed, steps)),
    ("simulator", 5, |seed, steps| subjects::simulator().run(seed, steps)), // a step of it is seconds of physics
];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn no_input_breaks_a_machine() {
    let only = std::env::var("FUZZ_ONLY").unwrap_or_default();
    for seed in SEEDS {
        for (name, share, run) in RUNS {
            if name.contains(&only) {
                run(*seed, (200 * share).max(LIFE));
            }
        }
    }
}

/// A test in which nothing ever moves proves nothing.
#[test]
fn the_motors_move_in_random_lives() {
    for run in [|steps| subjects::hindbrain().run(1, steps), |steps| chain::chain().run(1, steps)] {
        let before = subjects::MOVED.get();
        run(100 * LIFE);
        let moved = subjects::MOVED.get() - before;
        assert!(moved > 100, "{moved} motor values in 100 lives");
    }
}

#[test]
#[ignore = "minutes; run by `cargo xtask soak`"]
fn soak() {
    let all = number("FUZZ_STEPS").unwrap_or(100_000_000);
    let seed = number("FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("fuzz: seed {seed}, {all} steps in all");
    let shares: u64 = RUNS.iter().map(|(_, share, _)| share).sum();
    for (name, share, run) in RUNS {
        let steps = (all * share).div_ceil(shares);
        run(seed, steps);
        println!("fuzz: {name} ok, {steps} steps");
    }
}
