//! Recovery: from every state a person can make the vehicle move again, and from every state silence ends all motion.
//!
//! A person does the same in every case: ensure that the node is active, each topic has one publisher, the e-stop is released and repeated, the
//! sensors are clear and the motor controller is open, for `ir.timeout` and 0.1 s; press and release reset; enable false,
//! then true; a zero command; the command. In total it takes `ir.timeout`, 0.3 s and the time of one count.
//!
//! Ways from different states meet after some steps: what follows depends only on the step and on what makes two states of the
//! walk the same. So each way is walked until it meets another one, whose time is known.

use hindbrain::{Sensor, StopState};

use crate::act::{Act, Edge, ONE, Wait, When};
use crate::books::{MS, Ns};
use crate::models::{Model, TICK};
use crate::pair::Pair;
use crate::walker::{ByPrint, Print};

/// How long the recovery takes beyond `ir.timeout` and the first count.
const ACTS: Ns = 300 * MS;

/// The first part of the recovery, before the person acts: a hold has ended by then.
const CALM: Ns = 100 * MS;

/// The acts of the person after that, one in each tick; then the command.
const SCRIPT: [Act; 6] = [
    Act::Reset(false),
    Act::Reset(true),
    Act::Reset(false),
    Act::Enable(false),
    Act::Enable(true),
    Act::Command(0, 0, When::Unstamped),
];

/// The ways through the states of one model, as far as they are known.
#[derive(Default)]
pub struct Ways {
    /// For each tick of the recovery: the states in it, and the time that is left from there.
    recoveries: Vec<ByPrint<Ns>>,
    /// The time in silence from a state until the first tick from which on nothing moves.
    silences: ByPrint<Ns>,
}

impl Ways {
    /// Performs the recovery from `pair`.
    /// # Errors
    /// The recovery does not lead to motion, or not in time.
    pub fn recovers(&mut self, mut pair: Pair, model: &Model) -> Result<Ns, String> {
        if pair.oracle.is_ending() {
            return Ok(0);
        }
        let core = pair.oracle.params.core;
        // One count, or a thousandth of a second per count and second.
        let count = 1_000_000_000_000 / core.slopes.accel as Ns;
        let most = core.infrared.timeout as Ns + ACTS + count;
        let late =
            |time: Ns, pair: &Pair| Err(format!("no motion after {} ms: {}", time / MS, pair.causes()));
        prepare(&mut pair)?;
        let mut way = Vec::new();
        let whole = loop {
            let passed = way.len() as Ns * TICK;
            if self.recoveries.len() == way.len() {
                self.recoveries.push(ByPrint::default());
            }
            let print = Print::of(&pair, model);
            if let Some(left) = self.recoveries[way.len()].get(&print) {
                break passed + left;
            }
            if passed > most {
                return late(passed, &pair);
            }
            if !recovery_step(&mut pair, passed)? {
                break passed;
            }
            way.push(print);
        };
        // It moves within the tick that begins in time.
        if whole > most + TICK {
            return late(whole - TICK, &pair);
        }
        for (tick, print) in way.into_iter().enumerate() {
            self.recoveries[tick].insert(print, whole - tick as Ns * TICK);
        }
        Ok(whole)
    }

    /// No message is received any more: all motion ends within `cmd_timeout`, the time of braking, and two ticks.
    /// # Errors
    /// A description of what still moves.
    pub fn silence_ends_motion(&mut self, mut pair: Pair, model: &Model) -> Result<Ns, String> {
        let core = pair.oracle.params.core;
        let braking = i64::from(core.full) * 1_000_000_000_000 / core.slopes.decel as Ns;
        let bound = core.command_timeout as Ns + braking + 2 * TICK;
        // Under an unreliable clock what is stamped counts as little as silence.
        let command = Act::Command(1000, 0, When::Ago(0));
        let silence = if pair.world.is_clock_reliable { Act::Nothing } else { command };
        let mut way: Vec<(u128, bool)> = Vec::new();
        let mut left = loop {
            let print = Print::of(&pair, model);
            if let Some(&left) = self.silences.get(&print) {
                break left;
            }
            if let Some(first) = way.iter().position(|&(other, _)| other == print) {
                // From here on it repeats for ever.
                if way[first..].iter().any(|&(_, moves)| moves) {
                    return Err(format!("{:?} again and again in silence", pair.levels()));
                }
                break 0;
            }
            way.push((print, pair.levels() != [0, 0]));
            pair.go(Edge(Wait::Served(TICK), silence), &[])?;
        };
        while let Some((print, moves)) = way.pop() {
            left = if left > 0 || moves { left + TICK } else { 0 };
            self.silences.insert(print, left);
        }
        let last = (left - TICK).max(0);
        if last <= bound { Ok(last) } else { Err(format!("moves after {} ms of silence", last / MS)) }
    }
}

/// Sends the inputs that must be in force for the whole recovery.
fn prepare(pair: &mut Pair) -> Result<(), String> {
    let now = |act| Edge(Wait::Alone(0), act);
    pair.go(now(Act::CountAll(ONE)), &[])?;
    pair.go(now(Act::Estop(false)), &[])?;
    pair.go(now(Act::Active(true)), &[])?;
    if pair.oracle.params.core.device_required || !pair.causes().is_empty() {
        pair.go(now(Act::DeviceOpened), &[])?;
    }
    Ok(())
}

/// The tick of the recovery after the time `passed`. Returns false if the vehicle moves already.
fn recovery_step(pair: &mut Pair, passed: Ns) -> Result<bool, String> {
    let acts = passed - pair.oracle.params.core.infrared.timeout as Ns - CALM;
    if acts >= 0 {
        // The first of them is in the first tick that begins after the calm.
        let number = (acts / TICK) as usize;
        if number == SCRIPT.len() && pair.state() != StopState::Ok {
            return Err(format!("the recovery ends in {:?}: {}", pair.state(), pair.causes()));
        }
        if number >= SCRIPT.len() && pair.levels().iter().all(|&level| level > 0) {
            return Ok(false);
        }
        let act = *SCRIPT.get(number).unwrap_or(&Act::Command(1000, 0, When::Unstamped));
        pair.go(Edge(Wait::Alone(0), act), &[])?;
    }
    beat(pair)?;
    Ok(true)
}

/// A tick with a released e-stop, clear sensors, and an enable whose lease is renewed.
fn beat(pair: &mut Pair) -> Result<(), String> {
    let core = pair.oracle.params.core;
    pair.go(Edge(Wait::Served(TICK), Act::Estop(false)), &[])?;
    for (sensor, fitted) in Sensor::ALL.into_iter().zip(core.infrared.fitted) {
        if fitted {
            pair.go(Edge(Wait::Alone(0), Act::Ir(sensor, Some(1.0), When::Unstamped)), &[])?;
        }
    }
    if core.lease > 0 && pair.state() == StopState::Ok {
        pair.go(Edge(Wait::Alone(0), Act::Enable(true)), &[])?;
    }
    Ok(())
}
