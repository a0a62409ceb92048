//! The events of a model: the acts of each of its parts.

use hindbrain::{Params, Sensor, SoleTopic};
use safety::PublisherCount;

use crate::act::{Act, ONE, TWO, UNFIT, When};
use crate::books::Ns;
use crate::models::{Part, Scale, TICK};

const NEAR: f64 = 0.1;
const CLEAR: f64 = 1.0;
const FAR: f64 = 6.0;

/// The acts of `parts`. At the smallest scale a pair of parts has one act of each kind, and a single part has all.
pub fn acts(parts: &[Part], params: &Params, scale: Scale) -> Vec<Act> {
    let all = scale != Scale::Tiny || parts.len() == 1;
    let mut acts = vec![
        Act::Nothing,
        unstamped(0, 0),
        unstamped(1000, 0),
        Act::Withheld(When::Unstamped),
        Act::Enable(false),
        Act::Enable(true),
        Act::Reset(false),
        Act::Reset(true),
    ];
    for part in parts {
        acts.extend(acts_of(*part, params, scale, all));
    }
    acts
}

fn unstamped(linear: i32, angular: i32) -> Act {
    Act::Command(linear, angular, When::Unstamped)
}

fn acts_of(part: Part, params: &Params, scale: Scale, all: bool) -> Vec<Act> {
    match part {
        Part::Velocities => {
            let mut acts = vec![unstamped(-1000, 0), unstamped(0, 1000), unstamped(-1000, 400)];
            acts.extend([Act::NotFinite, unstamped(200_000, 0)]);
            if all {
                // The largest zero, and the smallest command that is not one.
                acts.extend([unstamped(20, -50), unstamped(21, 0), unstamped(0, 51)]);
                acts.extend([unstamped(500, 500), unstamped(2000, 0), Act::Sideways(When::Unstamped)]);
            }
            acts
        }
        Part::Stamps => command_stamps(params.core.command_timeout as Ns, scale, all),
        Part::Estop => {
            let count = |count| Act::Count(SoleTopic::Estop, count);
            let mut acts = vec![Act::Estop(false), Act::Estop(true), count(PublisherCount::NONE), count(ONE)];
            if all {
                acts.extend([UNFIT, PublisherCount::Unknown].map(count));
            }
            acts
        }
        // Without it nothing moves.
        Part::EstopRequired => vec![Act::Estop(false)],
        Part::FrontPort => readings(Sensor::FrontPort, all),
        Part::FrontStarboard => readings(Sensor::FrontStarboard, all),
        Part::BackPort => readings(Sensor::BackPort, all),
        Part::IrStamps => reading_stamps(params.core.infrared.timeout as Ns, all),
        Part::Switches => [PublisherCount::NONE, ONE, TWO, UNFIT, PublisherCount::Unknown]
            .map(|count| Act::Count(SoleTopic::Enable, count))
            .to_vec(),
        Part::Conflicts => conflicts(all),
        Part::Clock => unknown_times(all),
        Part::Device => vec![Act::DeviceOpened, Act::DeviceLost],
        Part::Overrun => vec![Act::Unwatched, Act::Interrupted],
        Part::Parameters => vec![Act::Change(0), Act::Change(1)],
        Part::Stopping => vec![Act::Stopping, Act::Active(false), Act::Active(true)],
        Part::Holds => vec![Act::Away(3 * TICK)],
        // These parts are a parameter or a slope, without acts.
        Part::Lease | Part::Wheels => Vec::new(),
    }
}

fn command_stamps(timeout: Ns, scale: Scale, all: bool) -> Vec<Act> {
    let late = if scale == Scale::Real { 10 * TICK } else { TICK };
    let (fresh, old, ahead) = (When::Ago(0), When::Ago(timeout), When::Ago(-6 * TICK));
    let command = |linear| move |when| Act::Command(linear, 0, when);
    let mut acts = [fresh, old, When::Same, When::Before(late)].map(command(0)).to_vec();
    acts.extend([fresh, old, When::Same].map(command(1000)));
    if all {
        // Ahead: too far, and just acceptable, which is the same stamp a tick later.
        acts.extend([ahead, When::Ago(-5 * TICK), When::Before(late)].map(command(1000)));
        acts.extend([fresh, old, ahead].map(command(200_000)));
        acts.push(command(0)(ahead));
        acts.extend([Act::Withheld(fresh), Act::Withheld(old)]);
    }
    acts
}

fn unknown_times(all: bool) -> Vec<Act> {
    let command = |linear| move |when| Act::Command(linear, 0, when);
    // Other stamps, which many states remember, are combined with it by their own parts.
    let mut acts = vec![Act::Clock(false), Act::Clock(true), command(1000)(When::Unknown)];
    if all {
        acts.extend([When::Ago(0), When::Unknown].map(command(0)));
        acts.extend([When::Ago(0), When::Same].map(command(1000)));
        acts.push(Act::Withheld(When::Ago(0)));
    }
    acts
}

fn readings(sensor: Sensor, all: bool) -> Vec<Act> {
    let mut distances = vec![Some(CLEAR), Some(NEAR), None];
    distances.extend(all.then_some(Some(FAR)));
    distances.into_iter().map(|distance| Act::Ir(sensor, distance, When::Unstamped)).collect()
}

fn reading_stamps(timeout: Ns, all: bool) -> Vec<Act> {
    let reading = |distance| move |when| Act::Ir(Sensor::FrontPort, Some(distance), when);
    let (fresh, old, ahead) = (When::Ago(0), When::Ago(timeout), When::Ago(-6 * TICK));
    let mut acts = [fresh, old, When::Same, When::Before(TICK)].map(reading(CLEAR)).to_vec();
    acts.push(reading(NEAR)(fresh));
    if all {
        acts.extend([reading(CLEAR)(ahead), reading(NEAR)(ahead)]);
    }
    acts
}

fn conflicts(all: bool) -> Vec<Act> {
    let mut acts = vec![Act::CountUsual, Act::CountAll(PublisherCount::Unknown)];
    for topic in [SoleTopic::Command, SoleTopic::Estop, SoleTopic::Reset, SoleTopic::Motors] {
        if all {
            acts.extend([ONE, TWO].map(|count| Act::Count(topic, count)));
        } else {
            acts.push(Act::CountAlone(topic, TWO));
        }
    }
    acts
}
