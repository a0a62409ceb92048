use futures::FutureExt;
use r2r::pr2_mechanism_msgs::srv::{ListControllers, LoadController, SwitchController, UnloadController};
use r2r::std_srvs::srv::Empty;
use r2r::{Client, Node};
use ros::Error;

use crate::arm::robot::Listed;
use crate::calls::{Caller, Pending, Services, client, found};

/// A call of one of the node's services.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// Load a controller.
    Load(String),
    /// Unload a controller.
    Unload(String),
    /// Switch controllers, all or nothing.
    Switch {
        /// Controllers to start.
        start: Vec<String>,
        /// Controllers to stop.
        stop: Vec<String>,
    },
    /// List all controllers.
    List,
    /// Halt all motors.
    Halt,
    /// Reset the motors.
    Reset,
}

/// Answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was accepted.
    Accepted,
    /// It was refused.
    Refused,
    /// It cannot be answered.
    Silent,
    /// The controllers in the order in which they run.
    Listed(Vec<Listed>),
}

/// `SwitchController.srv`: all or nothing.
const STRICT: i32 = 2;

/// The clients of the node's services.
pub struct Clients {
    load: Client<LoadController::Service>,
    unload: Client<UnloadController::Service>,
    switch: Client<SwitchController::Service>,
    list: Client<ListControllers::Service>,
    halt: Client<Empty::Service>,
    reset: Client<Empty::Service>,
}

impl Clients {
    /// A caller of the services of the node in the same namespace.
    /// # Errors
    /// The middleware refuses a client.
    pub fn caller(node: &mut Node) -> Result<Caller<Self>, Error> {
        let manager = |service: &str| format!("pr2_controller_manager/{service}");
        let (load, unload) =
            (client(node, &manager("load_controller"))?, client(node, &manager("unload_controller"))?);
        let (switch, list) =
            (client(node, &manager("switch_controller"))?, client(node, &manager("list_controllers"))?);
        let (halt, reset) = (client(node, "halt_motors")?, client(node, "reset_motors")?);
        let all =
            [found(&load)?, found(&unload)?, found(&switch)?, found(&list)?, found(&halt)?, found(&reset)?];
        Ok(Caller::new(Self { load, unload, switch, list, halt, reset }, all))
    }
}

impl Services for Clients {
    type Call = Call;
    type Answer = Answer;
    const SILENT: Answer = Answer::Silent;

    fn request(&self, call: Call) -> r2r::Result<Pending<Answer>> {
        Ok(match call {
            Call::Load(name) => {
                let answer = self.load.request(&LoadController::Request { name })?;
                Box::pin(answer.map(|answer| verdict(answer.map(|answer| answer.ok))))
            }
            Call::Unload(name) => {
                let answer = self.unload.request(&UnloadController::Request { name })?;
                Box::pin(answer.map(|answer| verdict(answer.map(|answer| answer.ok))))
            }
            Call::Switch { start, stop } => {
                let request = SwitchController::Request {
                    start_controllers: start,
                    stop_controllers: stop,
                    strictness: STRICT,
                };
                let answer = self.switch.request(&request)?;
                Box::pin(answer.map(|answer| verdict(answer.map(|answer| answer.ok))))
            }
            Call::List => Box::pin(self.list.request(&ListControllers::Request {})?.map(|answer| {
                answer.map_or(Answer::Silent, |answer| {
                    let each = answer.controllers.into_iter().zip(answer.state);
                    let listed = each.map(|(name, state)| Listed { name, is_running: state == "running" });
                    Answer::Listed(listed.collect())
                })
            })),
            Call::Halt => empty(&self.halt)?,
            Call::Reset => empty(&self.reset)?,
        })
    }
}

fn empty(client: &Client<Empty::Service>) -> r2r::Result<Pending<Answer>> {
    let answer = client.request(&Empty::Request {})?;
    Ok(Box::pin(answer.map(|answer| verdict(answer.map(|_| true)))))
}

fn verdict(ok: r2r::Result<bool>) -> Answer {
    match ok {
        Ok(true) => Answer::Accepted,
        Ok(false) => Answer::Refused,
        Err(_) => Answer::Silent,
    }
}
