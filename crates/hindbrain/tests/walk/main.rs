//! An exhaustive proof at a reduced scale: six counts of speed and time-outs of a few ticks instead of 66 and 25.
//!
//! The core compares ages and levels with its parameters and does nothing else with them, so what holds at this scale
//! for every reachable state and every input holds for the same reasons at full scale.

mod invariants;
mod walker;

use hindbrain::core::{
    CoreParams, Infrared, Inputs, InvalidCommand, Reading, Sight, Slopes, SoftStop, State,
};
use walker::{Alphabet, LEVELS, T, ticks_to_rest, walk};

/// Half a count per tick faster, two counts slower, commands for three ticks, an e-stop for two.
fn params() -> CoreParams {
    CoreParams {
        full: 6,
        slopes: Slopes { accel: 25_000, decel: 100_000, tick: T, rest: T },
        overrun_limit: 2 * T,
        command_timeout: 3 * T,
        estop_timeout: 2 * T,
        ..CoreParams::default()
    }
}

/// One sensor in front and one at the back.
fn infrared() -> Infrared {
    Infrared {
        fitted: [true, false, false, true],
        sight: Sight { timeout: 2 * T, debounce: T, clear_hold: T },
        direction_policy: true,
        rearm: false,
    }
}

/// Every state that can be reached keeps the invariants, and silence ends motion from each of them.
fn prove(params: &CoreParams, inputs: &[Inputs]) -> Vec<State> {
    let states = walk(params, inputs, invariants::check);
    // I14: the command lapses after its time-out, then the wheels brake: ceil(full / decel) ticks, one for the fraction
    // and one for the change of sign that may be under way.
    let decel = params.slopes.decel as usize * 20 / 1_000_000;
    let bound = (params.command_timeout / T) as usize + (params.full as usize).div_ceil(decel) + 2;
    for state in &states {
        let ticks = ticks_to_rest(*state, params, 2 * bound);
        assert!(ticks <= bound, "I14: {ticks} ticks of silence, at most {bound}, from {state:?}");
    }
    states
}

/// I13: the machine is not safe by never moving.
fn reaches(states: &[State], levels: [i16; 2]) {
    assert!(states.iter().any(|state| state.levels() == levels), "I13: {levels:?} is never reached");
}

#[test]
fn the_estop_reset_and_enable_keep_every_invariant() {
    let mut alphabet = Alphabet::new().commands(&[(0, 0), (1000, 0), (-1000, 0)]);
    alphabet.command.push(Some(Err(InvalidCommand)));
    alphabet.dt = vec![0, T, 3 * T];
    (alphabet.estop, alphabet.reset, alphabet.enable) = (LEVELS.into(), LEVELS.into(), LEVELS.into());
    for estop_required in [false, true] {
        let states = prove(&CoreParams { estop_required, ..params() }, &alphabet.inputs());
        reaches(&states, [6, 6]);
        reaches(&states, [-6, -6]);
    }
}

#[test]
fn two_wheels_keep_every_invariant() {
    let mut alphabet = Alphabet::new().commands(&[(0, 0), (1000, 0), (0, 1000), (0, -1000), (-1000, 500)]);
    alphabet.enable = LEVELS.into();
    alphabet.dt = vec![T / 2, T];
    for (zero_first, soft_stop) in [(true, SoftStop::Cut), (false, SoftStop::Cut), (true, SoftStop::Ramp)] {
        let slopes = Slopes { accel: 50_000, ..params().slopes };
        let params =
            CoreParams { full: 3, slopes, zero_first, soft_stop, command_timeout: 2 * T, ..params() };
        let states = prove(&params, &alphabet.inputs());
        reaches(&states, [3, 3]);
        reaches(&states, [-3, 3]);
        // -1500 and -500 over 1500: -3 and -1.
        reaches(&states, [-3, -1]);
    }
}

#[test]
fn infrared_keeps_every_invariant() {
    let mut alphabet = Alphabet::new().commands(&[(0, 0), (1000, 0), (-1000, 0), (0, 1000)]);
    alphabet.enable = LEVELS.into();
    alphabet.front = vec![None, Some(Reading::Clear), Some(Reading::Blocked)];
    alphabet.back = alphabet.front.clone();
    let slopes = Slopes { accel: 50_000, ..params().slopes };
    for (direction_policy, rearm, soft_stop) in [
        (true, false, SoftStop::Cut),
        (false, false, SoftStop::Cut),
        (true, true, SoftStop::Cut),
        (true, false, SoftStop::Ramp),
    ] {
        let infrared = Infrared { direction_policy, rearm, ..infrared() };
        let params = CoreParams { full: 2, slopes, soft_stop, infrared, command_timeout: 2 * T, ..params() };
        let states = prove(&params, &alphabet.inputs());
        reaches(&states, [2, 2]);
        reaches(&states, [-2, -2]);
        reaches(&states, [-2, 2]);
        let out = |front: bool, level: i16| {
            let way_out =
                |state: &&State| state.bad_pairs(&params) == [front, !front] && state.levels() == [level; 2];
            states.iter().find(way_out).is_some()
        };
        if soft_stop == SoftStop::Cut {
            assert_eq!(out(true, -2), direction_policy, "the way out of an obstacle in front");
            assert_eq!(out(false, 2), direction_policy, "the way out of an obstacle at the back");
            assert!(!out(true, 2) && !out(false, -2));
        }
    }
}

#[test]
fn a_lease_keeps_every_invariant() {
    let mut alphabet = Alphabet::new().commands(&[(0, 0), (1000, 0)]);
    alphabet.enable = LEVELS.into();
    alphabet.dt = vec![0, T];
    let params = CoreParams { lease: 3 * T, ..params() };
    let states = prove(&params, &alphabet.inputs());
    reaches(&states, [6, 6]);
    for state in states.iter().filter(|state| state.is_rolling()) {
        assert!(state.lease_age < params.lease, "rolls without a lease: {state:?}");
    }
}

/// The real constants, both wheels alike and a whole count per tick: 40 million steps, half a minute.
#[test]
fn full_scale_keeps_every_invariant() {
    let mut alphabet = Alphabet::new().commands(&[(0, 0), (1000, 0), (-1000, 0)]);
    alphabet.command.push(Some(Err(InvalidCommand)));
    (alphabet.estop, alphabet.reset, alphabet.enable) = (LEVELS.into(), LEVELS.into(), LEVELS.into());
    let slopes = Slopes { accel: 50_000, ..CoreParams::default().slopes };
    let states =
        prove(&CoreParams { estop_required: true, slopes, ..CoreParams::default() }, &alphabet.inputs());
    reaches(&states, [66, 66]);
    reaches(&states, [-66, -66]);
}
