//! The control loop of `mechanism`: how late it wakes up at rest and under calls, its steps, how long calls take, and the cost of the
//! node. Two controllers run.

mod calls;
mod cost;

use fastrand::Rng;
use processes::Process;

use self::calls::{Call, Caller};
use crate::stage::{Result, Stage};
use crate::{lateness, steps};

/// The example of two joints and five controllers.
const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml");
const URDF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf");
/// Controllers that the clients load, switch and unload, beside those that run.
const OTHERS: [&str; 3] = ["pan_effort", "pan_velocity", "arm_trajectory"];
/// The clients that call at once, and how often each does in one window.
const CLIENTS: usize = 4;
const CALLS: usize = 1250;

/// Measures one after the other, each beside its floor; returns tables.
/// # Errors
/// A process does not start, ends, or does not answer.
pub fn measure(stage: &Stage) -> Result<String> {
    let steps = steps::measure(&steps::LOOP, stage.arguments.seconds)?;
    let lateness = with_node(stage, 1000, Some(lateness::core()), &[], |_| lateness_under_calls(stage))?;
    let (calls, cost) = (calls::measure(stage)?, cost::measure(stage)?);
    Ok(format!("{lateness}\n{steps}\n{calls}\n{cost}"))
}

/// Measures while the node and further processes run; its loop has this `rate` \[Hz\], and one processor if it is given.
fn with_node<T>(
    stage: &Stage,
    rate: u32,
    core: Option<usize>,
    beside: &[&[&str]],
    measure: impl FnOnce(&[Process]) -> Result<T>,
) -> Result<T> {
    let (description, rate) = (format!("robot_description:={URDF}"), format!("rate:={rate}"));
    let cores = core.map(|core| format!("cores:=[{core}]"));
    let mut node = vec!["mechanism", "--ros-args", "--params-file", CONFIG, "-p", &description, "-p", &rate];
    node.extend(cores.iter().flat_map(|cores| ["-p", cores]));
    stage.with("the control loop", &[&[&node[..]], beside].concat(), measure)
}

/// The clients list, load, start, stop and unload controllers at random.
fn lateness_under_calls(stage: &Stage) -> Result<String> {
    let caller = |number| Caller::new(stage, &format!("bench_caller_{number}"));
    let mut callers = (0..CLIENTS).map(caller).collect::<Result<Vec<_>>>()?;
    callers[0].run_two()?;
    lateness::measure(stage, "calls", |round| {
        std::thread::scope(|scope| {
            let call = |(number, caller)| {
                let random = Rng::with_seed(u64::from(round) * 100 + number as u64);
                scope.spawn(move || call(caller, random))
            };
            let threads: Vec<_> = callers.iter_mut().enumerate().map(call).collect();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a client panicked")?)
        })?;
        Ok(CLIENTS * CALLS)
    })
}

/// Some are refused, for the clients do not know of each other.
fn call(caller: &mut Caller, mut random: Rng) -> Result<()> {
    for _ in 0..CALLS {
        let name = OTHERS[random.usize(..OTHERS.len())];
        let calls = [Call::List, Call::Load(name), Call::Start(name), Call::Stop(name), Call::Unload(name)];
        caller.call(calls[random.usize(..calls.len())])?;
    }
    Ok(())
}
