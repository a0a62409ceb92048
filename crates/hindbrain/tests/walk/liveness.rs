//! Recovery: from every state a person can make the vehicle move again, and from every state silence ends all motion.
//!
//! A person does the same in every case: ensure that each topic has one publisher, the e-stop is released and repeated, the
//! sensors are clear and the motor controller is open, for `ir.timeout` and 0.1 s; press and release reset; enable false,
//! then true; a zero command; the command. In total it takes `ir.timeout`, 0.3 s and the time of one count.

use hindbrain::{Sensor, StopState};

use crate::act::{Act, Edge, ONE, Wait, When};
use crate::books::{MS, Ns};
use crate::models::TICK;
use crate::pair::Pair;

/// How long the recovery takes beyond `ir.timeout` and the first count.
const ACTS: Ns = 300 * MS;

/// The first part of the recovery, before the person acts: a hold has ended by then.
const CALM: Ns = 100 * MS;

/// Performs the recovery from `pair`.
/// # Errors
/// The recovery does not lead to motion, or not in time.
pub fn recovers(mut pair: Pair) -> Result<Ns, String> {
    if pair.oracle.is_ending() {
        return Ok(0);
    }
    let params = pair.oracle.params;
    let start = pair.world.now;
    let calm = start + params.core.infrared.timeout as Ns + CALM;
    let now = |act| Edge(Wait::Alone(0), act);
    pair.go(now(Act::CountAll(ONE)), &[])?;
    pair.go(now(Act::Estop(false)), &[])?;
    if params.core.device_required || !pair.causes().is_empty() {
        pair.go(now(Act::DeviceOpened), &[])?;
    }
    while pair.world.now < calm {
        beat(&mut pair)?;
    }
    let acts = [
        Act::Reset(false),
        Act::Reset(true),
        Act::Reset(false),
        Act::Enable(false),
        Act::Enable(true),
        Act::Command(0, 0, When::Unstamped),
    ];
    for act in acts {
        pair.go(now(act), &[])?;
        beat(&mut pair)?;
    }
    if pair.state() != StopState::Ok {
        return Err(format!("the recovery ends in {:?}: {}", pair.state(), pair.causes()));
    }
    // One count, or a thousandth of a second per count and second.
    let count = 1_000_000_000_000 / params.core.slopes.accel as Ns;
    let end = start + params.core.infrared.timeout as Ns + ACTS + count;
    while pair.levels().iter().any(|&level| level <= 0) {
        if pair.world.now > end {
            return Err(format!("no motion after {} ms: {}", (pair.world.now - start) / MS, pair.causes()));
        }
        pair.go(now(Act::Command(1000, 0, When::Unstamped)), &[])?;
        beat(&mut pair)?;
    }
    Ok(pair.world.now - start)
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

/// No message is received any more: all motion ends within `cmd_timeout`, the time of braking, and two ticks.
/// # Errors
/// A description of what still moves.
pub fn silence_ends_motion(mut pair: Pair) -> Result<Ns, String> {
    let core = pair.oracle.params.core;
    let braking = i64::from(core.full) * 1_000_000_000_000 / core.slopes.decel as Ns;
    let (start, bound) = (pair.world.now, core.command_timeout as Ns + braking + 2 * TICK);
    let mut last = 0;
    while pair.world.now - start <= bound {
        pair.go(Edge(Wait::Served(TICK), Act::Nothing), &[])?;
        if pair.levels() != [0, 0] {
            last = pair.world.now - start;
        }
    }
    if pair.levels() == [0, 0] {
        Ok(last)
    } else {
        Err(format!("{:?} after {} ms of silence", pair.levels(), bound / MS))
    }
}
