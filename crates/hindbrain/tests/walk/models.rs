//! The models: which parts meet, with which times. Every two parts have one of their own, and there is one with all.

use hindbrain::core::{CoreParams, Infrared, Slopes};
use hindbrain::{IrLimits, Params, Sensor, SoleTopic};

use crate::act::{Act, Edge, ONE, TWO, UNFIT, Wait, When};
use crate::books::{MS, Ns};

/// What a machine consists of, as far as it can be told apart from outside. Zero, ahead, enable and reset are in every model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Velocities,
    Stamps,
    Lease,
    Switches,
    Estop,
    FrontPort,
    IrStamps,
    FrontStarboard,
    BackPort,
    Device,
    Conflicts,
    Holds,
    Overrun,
    Parameters,
    Wheels,
    Stopping,
}

impl Part {
    pub const ALL: [Self; 16] = [
        Self::Velocities,
        Self::Stamps,
        Self::Lease,
        Self::Switches,
        Self::Estop,
        Self::FrontPort,
        Self::IrStamps,
        Self::FrontStarboard,
        Self::BackPort,
        Self::Device,
        Self::Conflicts,
        Self::Holds,
        Self::Overrun,
        Self::Parameters,
        Self::Wheels,
        Self::Stopping,
    ];
}

/// How long the times are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Everything that has a time has a tick or two.
    Tiny,
    /// Three or four ticks, and three counts.
    Small,
    /// As in the declaration of the parameters.
    Real,
}

/// Some parts at a scale.
#[derive(Clone, Debug)]
pub struct Model {
    pub name: String,
    pub parts: Vec<Part>,
    pub scale: Scale,
    pub params: Params,
    /// What parameters may become; the first are those at the start.
    pub alternatives: Vec<Params>,
    pub edges: Vec<Edge>,
    /// No age above it says more than it.
    pub cap: Ns,
}

pub const TICK: Ns = 20 * MS;
const NEAR: f64 = 0.1;
const CLEAR: f64 = 1.0;

/// A model of every two parts, each with its real times (in the scale).
pub fn pairs(strict: bool, scale: Scale) -> Vec<Model> {
    let mut models = Vec::new();
    for (index, &one) in Part::ALL.iter().enumerate() {
        for &other in &Part::ALL[index + 1..] {
            models.push(Model::new(&[one, other], strict, scale));
        }
    }
    models
}

impl Model {
    pub fn new(parts: &[Part], strict: bool, scale: Scale) -> Self {
        let has = |part| parts.contains(&part);
        let params = params(parts, strict, scale);
        let other = changed(params);
        let limit = params.core.overrun_limit as Ns;
        let mut waits = vec![Wait::Alone(0), Wait::Alone(TICK)];
        if has(Part::Holds) {
            waits.extend([Wait::Alone(3 * TICK), Wait::Alone(10 * TICK)]);
        }
        if has(Part::Overrun) {
            waits.push(Wait::Alone(limit + TICK));
        }
        let acts = acts(parts, &params, scale);
        let mut edges = vec![Edge(Wait::Served(TICK), Act::Nothing)];
        for wait in waits {
            edges.extend(acts.iter().map(|&act| Edge(wait, act)));
        }
        let name = format!("{} {:?}", if strict { "strict" } else { "seed" }, parts);
        let longest = |p: &Params| {
            let core = &p.core;
            core.command_timeout.max(core.estop_timeout).max(core.lease).max(core.infrared.timeout) as Ns
        };
        Self {
            name,
            parts: parts.to_vec(),
            scale,
            params,
            alternatives: vec![params, other],
            edges,
            cap: longest(&params).max(longest(&other)),
        }
    }
}

fn params(parts: &[Part], strict: bool, scale: Scale) -> Params {
    let has = |part| parts.contains(&part);
    let [command, estop, infrared, lease, overrun] = match scale {
        Scale::Tiny => [40, 40, 40, 40, 60],
        Scale::Small => [60, 60, 60, 80, 240],
        Scale::Real => [500, 250, 500, 300, 500],
    }
    .map(|ms| ms * MS as u64);
    let (full, accel, decel) = match scale {
        Scale::Tiny => (1, 50_000, 50_000),
        Scale::Small => (3, 50_000, 100_000),
        Scale::Real => (66, 20_000, 200_000),
    };
    // Where wheels are not looked at, they are quick.
    let quick = Slopes { accel: 6_600_000, decel: 6_600_000, tick: TICK as u64, rest: TICK as u64 };
    let slopes = if has(Part::Wheels) { Slopes { accel, decel, ..quick } } else { quick };
    let core = CoreParams {
        strict,
        full,
        slopes,
        overrun_limit: overrun,
        command_timeout: command,
        estop_required: false,
        estop_timeout: estop,
        device_required: has(Part::Device),
        lease: if has(Part::Lease) { lease } else { 0 },
        infrared: Infrared {
            fitted: [
                has(Part::FrontPort) || has(Part::IrStamps),
                has(Part::FrontStarboard),
                has(Part::BackPort),
                false,
            ],
            timeout: infrared,
        },
    };
    let profile = if strict { hindbrain::Profile::Strict } else { hindbrain::Profile::Seed };
    let core = if strict { core } else { core.seed() };
    let core = if !strict && scale != Scale::Real && !has(Part::Wheels) {
        CoreParams { slopes: Slopes { rest: 0, ..quick }, ..core }
    } else {
        core
    };
    Params { core, profile, infrared: IrLimits { near: 0.2, far: None }, ..Params::default() }
}

/// Other parameters that may be set at run time: each time another one.
fn changed(mut params: Params) -> Params {
    let core = &mut params.core;
    let longer = |time: &mut u64| *time += if *time > 0 { TICK as u64 } else { 0 };
    longer(&mut core.command_timeout);
    longer(&mut core.estop_timeout);
    longer(&mut core.infrared.timeout);
    longer(&mut core.lease);
    core.slopes.decel *= 2;
    params
}

fn acts(parts: &[Part], params: &Params, scale: Scale) -> Vec<Act> {
    let has = |part| parts.contains(&part);
    let unstamped = |linear, angular| Act::Command(linear, angular, When::Unstamped);
    let mut acts = vec![
        Act::Nothing,
        unstamped(0, 0),
        unstamped(1000, 0),
        Act::Enable(false),
        Act::Enable(true),
        Act::Reset(false),
        Act::Reset(true),
    ];
    if has(Part::Velocities) {
        acts.extend([unstamped(-1000, 0), unstamped(0, 1000), unstamped(-1000, 400), unstamped(500, 500)]);
        acts.extend([Act::NotFinite, unstamped(200_000, 0), unstamped(2000, 0)]);
    }
    if has(Part::Stamps) {
        let old = params.core.command_timeout as Ns;
        let late = if scale == Scale::Real { 10 * TICK } else { TICK };
        let (ahead, fresh) = (When::Ago(-6 * TICK), When::Ago(0));
        acts.extend(
            [fresh, When::Ago(old), When::Same, When::Before(late)].map(|when| Act::Command(0, 0, when)),
        );
        acts.extend([fresh, When::Ago(old), When::Same, ahead].map(|when| Act::Command(1000, 0, when)));
        if scale != Scale::Tiny {
            // Ahead, but not too far, and the same stamp as one that was refused a tick before.
            acts.push(Act::Command(1000, 0, When::Ago(-5 * TICK)));
            acts.extend([Act::Command(1000, 0, When::Before(late)), Act::Command(0, 0, ahead)]);
        }
    }
    if has(Part::Estop) {
        acts.extend([Act::Estop(false), Act::Estop(true)]);
    }
    for (part, sensor) in [
        (Part::FrontPort, Sensor::FrontPort),
        (Part::FrontStarboard, Sensor::FrontStarboard),
        (Part::BackPort, Sensor::BackPort),
    ] {
        if has(part) {
            acts.extend([Some(CLEAR), Some(NEAR), None].map(|d| Act::Ir(sensor, d, When::Unstamped)));
        }
    }
    if has(Part::IrStamps) {
        let clear = |when| Act::Ir(Sensor::FrontPort, Some(CLEAR), when);
        acts.extend([When::Ago(0), When::Ago(params.core.infrared.timeout as Ns), When::Same].map(clear));
        acts.extend([clear(When::Before(TICK)), clear(When::Ago(-6 * TICK))]);
        if scale != Scale::Tiny {
            acts.push(Act::Ir(Sensor::FrontPort, Some(NEAR), When::Ago(-6 * TICK)));
        }
    }
    let count =
        |topic, all: &[_]| all.iter().map(move |&census| Act::Count(topic, census)).collect::<Vec<_>>();
    if has(Part::Switches) {
        let none = hindbrain::Census::default();
        acts.extend(count(SoleTopic::Enable, &[none, ONE, TWO, UNFIT, hindbrain::Census::Unknown]));
    }
    if has(Part::Conflicts) {
        for topic in [SoleTopic::Command, SoleTopic::Estop, SoleTopic::Motors] {
            acts.extend(count(topic, &[ONE, TWO]));
        }
        acts.push(Act::CountAll(hindbrain::Census::Unknown));
    }
    if has(Part::Device) {
        acts.extend([Act::DeviceOpened, Act::DeviceLost]);
    }
    if has(Part::Overrun) {
        acts.push(Act::Unwatched);
    }
    if has(Part::Parameters) {
        acts.extend([Act::Change(0), Act::Change(1)]);
    }
    if has(Part::Stopping) {
        acts.push(Act::Stopping);
    }
    acts
}
