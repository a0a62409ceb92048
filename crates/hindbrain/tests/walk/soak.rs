//! Long random runs: any parameters within their ranges, any times, all events, each step against the oracle.

use hindbrain::core::{CoreParams, Infrared, Slopes};
use hindbrain::{FullSpeed, IrLimits, Params, Profile, Sensor, SoleTopic};
use safety::PublisherCount;

use crate::act::{Act, Edge, ONE, TWO, UNFIT, Wait, When};
use crate::books::{MS, Ns};
use crate::pair::Pair;
use crate::random::Random;

/// The number of steps that are printed before an error.
const PRINTED: usize = 6;

/// The steps of one seed.
pub const STEPS: usize = 2_000;

/// Runs `steps` random steps from a random start.
/// # Errors
/// The error, the seed and the last steps before it.
pub fn soak(seed: u64, steps: usize) -> Result<(), String> {
    let mut random = Random::new(seed);
    let params = random_params(&mut random);
    let mut others = [random_times(&mut random, params), random_times(&mut random, params)];
    for other in &mut others {
        // These do not change here, since the oracle would need the time of the last snapshot; the walk changes them.
        other.core.lease = params.core.lease;
        other.core.infrared.timeout = params.core.infrared.timeout;
    }
    let mut pair = Pair::new(params, 10_000 * MS).map_err(|what| format!("seed {seed}: {what}"))?;
    let mut way: Vec<String> = Vec::new();
    // A calm run drives, so it finds other errors.
    let calm = random.below(3);
    for step in 0..steps {
        let edge = if calm > 0 && !random.once_in(6) {
            calm_edge(&mut random, &params, step)
        } else {
            random_edge(&mut random, &params)
        };
        // Several events may happen at once: they are delivered one after the other, and then it is drained.
        let edge = if pair.drains { edge } else { Edge(Wait::Alone(0), edge.1) };
        pair.drains = !random.once_in(8);
        let went = pair.go(edge, &others);
        let causes: Vec<_> = pair.causes().iter().map(|cause| cause.code()).collect();
        way.push(format!("{edge:?} {:?} {:?} {}", pair.state(), pair.levels(), causes.join(" ")));
        if let Err(what) = went {
            let last = way[way.len().saturating_sub(PRINTED)..].join("\n  ");
            return Err(format!("seed {seed}, step {step}: {what}\n  {last}\n{params:?}"));
        }
        if pair.oracle.is_ending() {
            break;
        }
    }
    Ok(())
}

fn random_params(random: &mut Random) -> Params {
    let strict = !random.once_in(3);
    let fitted = [0; 4].map(|_| random.once_in(3));
    let near = random.within(0, 50) as f64 / 100.0;
    let core = CoreParams {
        strict,
        estop_required: random.once_in(3),
        device_required: random.once_in(3),
        infrared: Infrared { fitted, timeout: 0 },
        ..CoreParams::default()
    };
    let [linear, angular] = [(); 2].map(|()| random.within(1, 2000) as f64 / 100.0);
    random_times(
        random,
        Params {
            core,
            full_speed: FullSpeed { linear, angular },
            infrared: IrLimits { near, far: None },
            profile: if strict { Profile::Strict } else { Profile::Seed },
            ..Params::default()
        },
    )
}

/// The parameters that may change at run time.
fn random_times(random: &mut Random, mut params: Params) -> Params {
    let mut time = |least: Ns, most: Ns| {
        let most = if random.once_in(2) { most.min(600) } else { most };
        random.within(least * 1000, most * 1000) as u64 * 1000
    };
    let core = &mut params.core;
    core.command_timeout = time(50, 5000);
    core.estop_timeout = time(50, 2000);
    core.infrared.timeout = time(50, 5000);
    core.lease = time(50, 5000);
    if random.once_in(2) {
        core.lease = 0;
    }
    let accel = random.of(&[1_000, 20_000, 20_000, 66_000, 500_000, 6_600_000]);
    let decel = random.of(&[20_000, 66_000, 200_000, 200_000, 1_000_000, 6_600_000]).max(accel);
    core.slopes = Slopes { accel, decel, ..CoreParams::default().slopes };
    params.infrared.far = random.once_in(2).then_some(params.infrared.near + 1.0);
    if !core.strict {
        *core = core.seed();
    }
    params
}

fn wait(random: &mut Random) -> Wait {
    let us = 1000;
    match random.below(12) {
        0..3 => Wait::Alone(0),
        3..6 => Wait::Alone(random.within(0, 25_000) * us),
        6..9 => Wait::Served(random.within(0, 60_000) * us),
        9 => Wait::Served(random.within(0, 1_000_000) * us),
        10 => Wait::Alone(random.within(20_000, 130_000) * us),
        _ => Wait::Alone(random.within(100_000, 700_000) * us),
    }
}

fn when(random: &mut Random, timeout: Ns) -> When {
    match random.below(9) {
        0..4 => When::Unstamped,
        4 => When::Ago(random.within(0, 20) * MS),
        5 => When::Ago(random.within(0, 2 * timeout / 1000) * 1000),
        6 => When::Same,
        7 if random.once_in(8) => When::Unknown,
        7 => When::Before(random.within(0, 100) * MS + 1000),
        _ => When::Ago(-random.within(0, 200) * MS),
    }
}

/// An edge of normal driving without faults.
fn calm_edge(random: &mut Random, params: &Params, step: usize) -> Edge {
    let served = Wait::Served(random.within(0, 20_000) * 1000);
    let sensors: Vec<Sensor> =
        (0..4).filter(|&i| params.core.infrared.fitted[i]).map(|i| Sensor::ALL[i]).collect();
    let act = match step % 8 {
        0 => Act::Estop(false),
        1 => random.of(&[Act::Enable(false), Act::Enable(true), Act::Enable(true), Act::Enable(true)]),
        2 => random.of(&[Act::Reset(true), Act::Reset(false)]),
        3 => random.of(&[
            Act::Nothing,
            Act::CountAll(ONE),
            Act::CountUsual,
            Act::DeviceOpened,
            Act::Active(true),
            Act::Clock(true),
        ]),
        4 if !sensors.is_empty() => {
            Act::Ir(random.of(&sensors), Some(params.infrared.near + 0.5), When::Unstamped)
        }
        5 if !sensors.is_empty() => {
            Act::Ir(random.of(&sensors), Some(params.infrared.near + 0.5), When::Ago(0))
        }
        6 if random.once_in(4) => Act::Withheld(When::Ago(0)),
        6 => command(random, params, When::Ago(0), false),
        _ => command(random, params, When::Ago(0), true),
    };
    Edge(served, act)
}

fn command(random: &mut Random, params: &Params, when: When, slow: bool) -> Act {
    // In thousandths of full speed.
    let big = [0, 30, 100, 500, 1000, 2000, 50_000, -30, -100, -500, -1000, -2000];
    let turns = [0, 0, 40, 300, 600, 1100, 3000, -40, -300, -600, -1100];
    // Near the neutral threshold, and near the level at which a wheel begins to move.
    let small = [0, 1, 10, 15, 16, 20, 30, -1, -10, -15, -16, -20, -30];
    let is_small = random.once_in(4);
    let linear = if is_small { random.of(&small) } else { random.of(&big) };
    let angular = if is_small { random.of(&small) } else { random.of(&turns) };
    let [linear, angular] = if slow && random.once_in(2) { [0, 0] } else { [linear, angular] };
    let scaled = |part: i32, full: f64| (f64::from(part) * full).round() as i32;
    Act::Command(scaled(linear, params.full_speed.linear), scaled(angular, params.full_speed.angular), when)
}

fn random_edge(random: &mut Random, params: &Params) -> Edge {
    let wait = wait(random);
    let timeout = params.core.command_timeout as Ns;
    let count = |random: &mut Random| {
        random.of(&[ONE, ONE, ONE, TWO, UNFIT, PublisherCount::NONE, PublisherCount::Unknown])
    };
    let act = match random.below(34) {
        0..10 => {
            let when = when(random, timeout);
            command(random, params, when, true)
        }
        10 => {
            let when = when(random, timeout);
            let beyond = random.of(&[Act::Command(10_000_000, 0, when), Act::Command(0, -10_000_000, when)]);
            random.of(&[Act::NotFinite, Act::Withheld(when), Act::Sideways(when), beyond])
        }
        11..14 => Act::Enable(random.once_in(2)),
        14..16 => Act::Estop(random.once_in(3)),
        16..18 => Act::Reset(random.once_in(2)),
        18..22 => {
            let sensor = random.of(&Sensor::ALL);
            let (near, far) = (params.infrared.near, params.infrared.far.unwrap_or(1e6));
            let clear = near + 0.5;
            let distance = random.of(&[
                Some(clear),
                Some(clear),
                Some(clear),
                Some(near / 2.0 - 0.001),
                Some(far + 1.0),
                None,
                Some(f64::NAN),
                Some(f64::INFINITY),
                Some(f64::NEG_INFINITY),
            ]);
            Act::Ir(sensor, distance, when(random, params.core.infrared.timeout as Ns))
        }
        22 => Act::CountAll(count(random)),
        23 => {
            let topic = random.of(&SoleTopic::ALL);
            Act::Count(topic, count(random))
        }
        24 => {
            if params.core.device_required {
                Act::DeviceOpened
            } else {
                Act::Nothing
            }
        }
        25 => {
            if params.core.device_required {
                Act::DeviceLost
            } else {
                Act::Nothing
            }
        }
        _ if random.once_in(20) => Act::Away(random.within(0, 900) * MS),
        26 => {
            if random.once_in(8) {
                Act::Unwatched
            } else if random.once_in(8) {
                Act::Interrupted
            } else {
                Act::Nothing
            }
        }
        32 => Act::Clock(!random.once_in(4)),
        33 => Act::Active(!random.once_in(4)),
        27..29 => Act::Change(random.below(2)),
        29 => {
            if random.once_in(8) {
                Act::Jump(random.within(-3000, 3000) * MS)
            } else {
                Act::Nothing
            }
        }
        30 => {
            if random.once_in(200) {
                Act::Stopping
            } else {
                Act::Nothing
            }
        }
        _ => Act::Nothing,
    };
    Edge(wait, act)
}
