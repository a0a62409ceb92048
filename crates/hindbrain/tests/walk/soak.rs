//! Random faults at a high rate, random times and random parameters, through the same invariants.

use std::time::Duration;

use hindbrain::core::{
    CoreParams, Infrared, Inputs, InvalidCommand, Reading, Sight, Slopes, SoftStop, State, Wish, step,
};

use crate::alphabet::T;
use crate::figures::{memory, now};
use crate::invariants::{COUNT, Edge, broken};
use crate::parts::excess;
use crate::witness::Witness;

/// What a soak went through.
pub struct Soaked {
    pub seconds: f64,
    pub traces: u64,
    pub steps: u64,
    /// Steps after which a wheel turned.
    pub moving: u64,
    /// At start and at the end \[MiB\].
    pub memory: [f64; 2],
}

/// Steps of one trace, which has one set of parameters.
const STEPS: u64 = 5_000;

/// Random traces for at least so long, the first from `seed`, the next from the number after it, and so on.
pub fn soak(seed: u64, time: Duration) -> Soaked {
    let start = now();
    trace(seed); // so that what is allocated once is there
    let mut soaked = Soaked { seconds: 0.0, traces: 0, steps: 0, moving: 0, memory: [memory("VmRSS"); 2] };
    while soaked.traces == 0 || start.elapsed() < time {
        soaked.moving += trace(seed.wrapping_add(soaked.traces));
        soaked.traces += 1;
        soaked.steps += STEPS;
    }
    soaked.seconds = start.elapsed().as_secs_f64();
    soaked.memory[1] = memory("VmRSS");
    soaked
}

/// One trace; how many of its steps moved. What breaks an invariant panics with the seed.
fn trace(seed: u64) -> u64 {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let params = params(&mut dice);
    let habits = Habits::new(&mut dice);
    let mut state = State::boot(&params);
    let mut witness = Witness::at_start(&params);
    let mut excesses = [[0; 2]; 2];
    let mut moving = 0;
    for number in 0..STEPS {
        let inputs = habits.inputs(&mut dice, &state, &params);
        let (after, outputs) = step(&state, &inputs, &params);
        let edge = Edge::new(&params, witness, [&state, &after], &inputs, &outputs);
        let wrong = broken(&edge).map(|broken| format!("{} {}", broken.name, broken.text));
        let steep = excesses.iter_mut().zip(edge.wheels()).any(|([up, down], (before, after))| {
            let counts = i64::from(after.abs()) - i64::from(before.abs());
            let braking =
                if edge.is_cut() && outputs.state != hindbrain::StopState::Ok { 0 } else { -counts };
            let dt = inputs.dt.min(params.slopes.tick); // a late step makes up for one tick only
            *up = excess(*up, counts, params.slopes.accel, dt);
            *down = excess(*down, braking, params.slopes.decel, dt);
            *up >= COUNT || *down >= COUNT
        });
        if let Some(wrong) = wrong.or(steep.then(|| "I3 over a longer time".into())) {
            panic!(
                "{wrong}\nby SOAK_SEED={seed} in step {number}\nparameters {params:?}\nfrom {state:?}\nby {inputs:?}\n\
                 to {after:?}\n{outputs:?}"
            );
        }
        moving += u64::from(outputs.levels != [0, 0]);
        (state, witness) = (after, edge.after);
    }
    moving
}

/// Any parameters that the node takes.
fn params(dice: &mut Dice) -> CoreParams {
    const MS: u64 = 1_000_000;
    let accel = dice.within(1_000, 6_600_000);
    let slopes = Slopes { accel, decel: dice.within(accel, 6_600_000), tick: T, rest: T };
    let full = CoreParams {
        slopes,
        overrun_limit: dice.within(100 * MS, 5_000 * MS),
        command_timeout: dice.within(50 * MS, 5_000 * MS),
        estop_required: dice.chance(500),
        device_required: dice.chance(500),
        single_publisher: dice.chance(500),
        estop_timeout: dice.within(50 * MS, 2_000 * MS),
        lease: if dice.chance(500) { dice.within(1, 60_000 * MS) } else { 0 },
        zero_first: dice.chance(700),
        deadband: dice.within(0, 200) as i16,
        soft_stop: if dice.chance(500) { SoftStop::Ramp } else { SoftStop::Cut },
        infrared: Infrared {
            fitted: [0; 4].map(|_| dice.chance(300)),
            sight: Sight {
                timeout: dice.within(50 * MS, 5_000 * MS),
                debounce: dice.within(0, 1_000 * MS),
                clear_hold: dice.within(0, 2_000 * MS),
            },
            direction_policy: dice.chance(700),
            rearm: dice.chance(300),
        },
        ..CoreParams::default()
    };
    if dice.chance(500) { full.seed() } else { full }
}

/// How often what goes wrong in a trace, in thousandths per step.
struct Habits {
    faults: u64,
    /// Whether there is an emergency stop, which is then heard often.
    estop: bool,
}

impl Habits {
    fn new(dice: &mut Dice) -> Self {
        Self { faults: [0, 2, 10, 50, 300][dice.below(5) as usize], estop: dice.chance(700) }
    }

    /// Mostly what lets it move, so that there is something to stop.
    fn inputs(&self, dice: &mut Dice, state: &State, params: &CoreParams) -> Inputs {
        let dt = match dice.below(100) {
            0..25 => 0,
            25..60 => T,
            60..80 => dice.within(T - T / 4, T + T / 4),
            80..99 => dice.below(3 * T),
            _ if !dice.chance(self.faults) => T,
            _ => [params.overrun_limit + 1, dice.below(params.overrun_limit * 2), u64::MAX]
                [dice.below(3) as usize],
        };
        let mut bad = |often: u64| dice.chance(self.faults * often / 1_000);
        let [pressed, off, rival, lost, unwatched] = [bad(300), bad(500), bad(300), bad(100), bad(30)];
        // What went wrong is said at once, what is well now and then.
        let mut says = |wrong: bool, level: bool, often: u64| match wrong {
            true => Some(level),
            false => dice.chance(often).then_some(!level),
        };
        let (estop, enable) = (says(pressed, true, 300), says(off, false, 200));
        let (rivals, device) = (says(rival, true, 100), says(lost, false, 100));
        let reset = if state.mode.is_latched() { dice.chance(200).then(|| dice.chance(500)) } else { None };
        let anew = state.is_enabled() && !state.armed && dice.chance(100);
        Inputs {
            command_age: if dice.chance(20) { dice.below(600) * 1_000_000 } else { 0 },
            dt,
            estop: estop.filter(|_| self.estop || pressed),
            reset,
            enable: if anew { Some(false) } else { enable },
            infrared: [(); 4].map(|()| dice.chance(500).then(|| self.reading(dice))),
            command: dice.chance(600).then(|| self.command(dice)),
            rivals,
            device,
            unwatched,
        }
    }

    fn reading(&self, dice: &mut Dice) -> Reading {
        match dice.chance(self.faults) {
            false => Reading::Clear,
            true if dice.chance(300) => Reading::Invalid,
            true => Reading::Blocked,
        }
    }

    fn command(&self, dice: &mut Dice) -> Result<Wish, InvalidCommand> {
        if dice.chance(self.faults) {
            return Err(InvalidCommand);
        }
        let part = |dice: &mut Dice| dice.below(2_400) as i16 - 1_200;
        Ok(match dice.below(10) {
            0..2 => Wish::ZERO,
            2..6 => Wish::new(1000, 0),
            6 => Wish::new(-1000, 0),
            7 => Wish::new(part(dice), 0),
            _ => Wish::new(part(dice), part(dice)),
        })
    }
}

/// Numbers that look random and are the same from the same seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Less than `end`, which is not zero.
    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }

    fn within(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// True in so many of a thousand times.
    fn chance(&mut self, thousandths: u64) -> bool {
        self.below(1_000) < thousandths
    }
}
