//! How long a call of the controller manager takes, beside one of a bare service.
//!
//! One call follows the other at random times, over DDS, in turns with a bare r2r service that answers the same list. A load, a switch
//! and an unload take effect in a step of the loop, which is half a millisecond away in the mean.

use std::time::Duration;

use fastrand::Rng;
use r2r::Client;
use r2r::pr2_mechanism_msgs::srv::{ListControllers, LoadController, SwitchController, UnloadController};

use super::with_node;
use crate::bare;
use crate::peer::Peer;
use crate::stage::{Result, Stage};
use crate::table::{Distribution, in_turns, table, times};

/// The namespace of the manager's services.
const MANAGER: &str = "/pr2_controller_manager";
const RUNNING: [&str; 2] = ["pan_position", "tilt_position"];
/// How often each is called.
const ROUNDS: usize = 400;
const NAME: &str = "pan_velocity";

/// A call of the controller manager, with the name of a controller.
#[derive(Clone, Copy, Debug)]
pub enum Call<'a> {
    List,
    Load(&'a str),
    Start(&'a str),
    Stop(&'a str),
    Unload(&'a str),
}

/// The calls in the order of the table, after that of the bare service.
const CALLS: [(&str, Call<'_>); 5] = [
    ("`list_controllers`", Call::List),
    ("`load_controller`", Call::Load(NAME)),
    ("`switch_controller`, which starts it", Call::Start(NAME)),
    ("`switch_controller`, which stops it", Call::Stop(NAME)),
    ("`unload_controller`", Call::Unload(NAME)),
];

/// A client of the controller manager.
pub struct Caller {
    peer: Peer,
    list: Client<ListControllers::Service>,
    load: Client<LoadController::Service>,
    switch: Client<SwitchController::Service>,
    unload: Client<UnloadController::Service>,
}

impl Caller {
    /// A client called `name`, which the manager knows.
    /// # Errors
    /// There is no manager.
    pub fn new(stage: &Stage, name: &str) -> Result<Self> {
        let mut peer = Peer::new(stage, name)?;
        let mut caller = Self {
            list: peer.client(&format!("{MANAGER}/list_controllers"))?,
            load: peer.client(&format!("{MANAGER}/load_controller"))?,
            switch: peer.client(&format!("{MANAGER}/switch_controller"))?,
            unload: peer.client(&format!("{MANAGER}/unload_controller"))?,
            peer,
        };
        caller.call(Call::List)?; // the client may be known later than the service
        Ok(caller)
    }

    /// Calls the manager: whether the answer was good, and how long it took.
    /// # Errors
    /// There is no answer.
    pub fn call(&mut self, call: Call<'_>) -> Result<(bool, Duration)> {
        match call {
            Call::List => {
                let (_, took) = self.peer.call(&self.list, &ListControllers::Request {})?;
                Ok((true, took))
            }
            Call::Load(name) => {
                let (answer, took) =
                    self.peer.call(&self.load, &LoadController::Request { name: name.into() })?;
                Ok((answer.ok, took))
            }
            Call::Start(name) => self.switch(&[name], &[]),
            Call::Stop(name) => self.switch(&[], &[name]),
            Call::Unload(name) => {
                let (answer, took) =
                    self.peer.call(&self.unload, &UnloadController::Request { name: name.into() })?;
                Ok((answer.ok, took))
            }
        }
    }

    fn switch(&mut self, start: &[&str], stop: &[&str]) -> Result<(bool, Duration)> {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let request = SwitchController::Request {
            start_controllers: owned(start),
            stop_controllers: owned(stop),
            strictness: SwitchController::Request::STRICT as i32,
        };
        let (answer, took) = self.peer.call(&self.switch, &request)?;
        Ok((answer.ok, took))
    }

    /// Loads and starts two controllers.
    /// # Errors
    /// The manager gives no answer, or a refusal.
    pub fn run_two(&mut self) -> Result<()> {
        for name in RUNNING {
            let is_running = self.call(Call::Load(name))?.0 && self.call(Call::Start(name))?.0;
            if !is_running {
                return Err(format!("the controller '{name}' does not start").into());
            }
        }
        Ok(())
    }
}

/// Calls the services in turns; returns a table.
/// # Errors
/// A process does not start, or a call has no answer or is refused.
pub fn measure(stage: &Stage) -> Result<String> {
    eprintln!("bench: loop: service calls");
    let all: [Distribution; 1 + CALLS.len()] =
        with_node(stage, 1000, None, &[&["bench", "service"]], |_| {
            let mut caller = Caller::new(stage, "bench_caller")?;
            caller.run_two()?;
            let mut bare: Peer = Peer::new(stage, "bench_bare_caller")?;
            let list: Client<ListControllers::Service> =
                bare.client(&format!("{}/list_controllers", bare::MANAGER))?;
            let mut random = Rng::with_seed(1);
            in_turns(ROUNDS, |number| {
                // Each call at a time of its own within the period of the loop, whose steps would set the pace of the calls.
                caller.peer.pause(Duration::from_micros(random.u64(..2000)))?;
                let Some((name, call)) = number.checked_sub(1).map(|number| CALLS[number]) else {
                    return Ok(Some(bare.call(&list, &ListControllers::Request {})?.1));
                };
                match caller.call(call)? {
                    (true, took) => Ok(Some(took)),
                    (false, _) => Err(format!("{name} is refused").into()),
                }
            })
        })?;
    let names = ["bare service"].into_iter().chain(CALLS.map(|(name, _)| name));
    let rows = names.zip(&all).map(|(name, times)| self::times(name, times, &all[0]));
    Ok(table("| call | calls | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |", rows))
}
