//! The models: combinations of parts and times. Every two parts have a model, and there is one with all.
//!
//! Outside of the models of two parts, and covered by random runs and `cargo xtask prove` alone: most acts of a part are combined with
//! other parts, but not stamps that lie ahead, incompatible e-stop publishers, and conflicts on some of the topics; interactions of three
//! parts; levels between two counts. Other times are only in the random runs. Of the back sensors one is walked. A deadline that is too late for a time-out is
//! detected by `tests/all/seed.rs` and over DDS, not here. Document and oracle leave open whether one more snapshot is taken at the time
//! at which a motor value is due.

use hindbrain::core::{CoreParams, Infrared, Slopes};
use hindbrain::{FullSpeed, IrLimits, Params};

use crate::act::{Act, Edge, Wait};
use crate::alphabet::acts;
use crate::books::{MS, Ns};

/// The parts of a machine that can be observed from outside. Zero, ahead, enable and reset are in every model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    Velocities,
    Stamps,
    Lease,
    Switches,
    Estop,
    /// It is required.
    EstopRequired,
    FrontPort,
    IrStamps,
    FrontStarboard,
    BackPort,
    Device,
    /// It may be unreliable.
    Clock,
    Conflicts,
    Holds,
    Overrun,
    Parameters,
    Wheels,
    Stopping,
}

impl Part {
    pub const ALL: [Self; 18] = [
        Self::Velocities,
        Self::Stamps,
        Self::Lease,
        Self::Switches,
        Self::Estop,
        Self::EstopRequired,
        Self::FrontPort,
        Self::IrStamps,
        Self::FrontStarboard,
        Self::BackPort,
        Self::Device,
        Self::Clock,
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
    /// Every time is a tick or two.
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
    /// The possible parameters; the first are those at the start.
    pub alternatives: Vec<Params>,
    pub edges: Vec<Edge>,
    /// Ages above it are equivalent.
    pub cap: Ns,
}

pub const TICK: Ns = 20 * MS;

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

/// A model of each part by itself, with all of its acts.
pub fn singles(strict: bool, scale: Scale) -> Vec<Model> {
    Part::ALL.iter().map(|&part| Model::new(&[part], strict, scale)).collect()
}

/// The model of everything at once.
pub fn everything(strict: bool) -> Model {
    Model { name: format!("{} everything", profile(strict)), ..Model::new(&Part::ALL, strict, Scale::Tiny) }
}

fn profile(strict: bool) -> &'static str {
    if strict { "strict" } else { "seed" }
}

impl Model {
    pub fn new(parts: &[Part], strict: bool, scale: Scale) -> Self {
        let has = |part| parts.contains(&part);
        let params = params(parts, strict, scale);
        let other = changed(params);
        let [gap, overrun] = [params.core.gap_limit, params.core.overrun_limit].map(|limit| limit as Ns);
        let mut waits = vec![Wait::Alone(0), Wait::Alone(TICK)];
        if has(Part::Holds) {
            waits.extend([Wait::Alone(3 * TICK), Wait::Alone(10 * TICK)]);
        }
        if has(Part::Overrun) {
            waits.extend([Wait::Alone(gap + TICK), Wait::Alone(overrun + TICK)]);
        }
        let acts = acts(parts, &params, scale);
        let mut edges = vec![Edge(Wait::Served(TICK), Act::Nothing)];
        for wait in waits {
            edges.extend(acts.iter().map(|&act| Edge(wait, act)));
        }
        let name = format!("{} {parts:?}", profile(strict));
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
    let [command, estop, infrared, lease, gap, overrun] = match scale {
        Scale::Tiny => [40, 40, 40, 40, 60, 80],
        Scale::Small => [60, 60, 60, 80, 100, 240],
        Scale::Real => [500, 250, 500, 300, 200, 500],
    }
    .map(|ms| ms * MS as u64);
    let (full, accel, decel) = match scale {
        Scale::Tiny => (1, 50_000, 50_000),
        Scale::Small => (3, 50_000, 100_000),
        Scale::Real => (66, 20_000, 200_000),
    };
    // In models without the wheels the slopes are steep.
    let quick = Slopes { accel: 6_600_000, decel: 6_600_000, tick: TICK as u64, rest: TICK as u64 };
    let slopes = if has(Part::Wheels) { Slopes { accel, decel, ..quick } } else { quick };
    let core = CoreParams {
        strict,
        full,
        is_exact: false,
        slopes,
        overrun_limit: overrun,
        gap_limit: gap,
        command_timeout: command,
        estop_required: has(Part::EstopRequired),
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
    let core = if !strict && !has(Part::Wheels) {
        CoreParams { slopes: Slopes { rest: 0, ..quick }, ..core }
    } else {
        core
    };
    Params {
        core,
        profile,
        full_speed: FullSpeed { linear: 1.0, angular: 1.0 },
        infrared: IrLimits { near: 0.2, far: Some(5.0) },
        ..Params::default()
    }
}

/// Parameters with one changed that may be set at run time.
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
