use core::fmt;

use r2r::pr2_mechanism_msgs::srv::{ListControllers, LoadController, SwitchController, UnloadController};
use r2r::std_srvs::srv::Empty;
use r2r::{Client, Node};
use ros::Error;

use crate::arm::robot::Listed;
use crate::calls::{self, Answer, Caller, Failure, Pending, ask};
use crate::words::words;

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
    /// List all controllers in the order in which they run; the value of its answer.
    List,
    /// Halt all motors.
    Halt,
    /// Reset the motors.
    Reset,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Load(name) => write!(f, "load {name}"),
            Self::Unload(name) => write!(f, "unload {name}"),
            Self::Switch { start, stop } => write!(f, "start {}, stop {}", words(start), words(stop)),
            Self::List => f.write_str("list"),
            Self::Halt => f.write_str("halt_motors"),
            Self::Reset => f.write_str("reset_motors"),
        }
    }
}

/// `SwitchController.srv`: all or nothing.
const STRICT: i32 = 2;

/// The clients of the node's services.
pub struct Services {
    load: Client<LoadController::Service>,
    unload: Client<UnloadController::Service>,
    switch: Client<SwitchController::Service>,
    list: Client<ListControllers::Service>,
    halt: Client<Empty::Service>,
    reset: Client<Empty::Service>,
}

impl Services {
    /// A caller of the services of the node in the same namespace.
    /// # Errors
    /// The middleware refuses a client.
    pub fn caller(node: &mut Node) -> Result<Caller<Self>, Error> {
        Caller::new(node, |clients| {
            Ok(Self {
                load: clients.of("pr2_controller_manager/load_controller")?,
                unload: clients.of("pr2_controller_manager/unload_controller")?,
                switch: clients.of("pr2_controller_manager/switch_controller")?,
                list: clients.of("pr2_controller_manager/list_controllers")?,
                halt: clients.of("halt_motors")?,
                reset: clients.of("reset_motors")?,
            })
        })
    }
}

impl calls::Services for Services {
    type Call = Call;
    type Value = Vec<Listed>;

    fn request(&self, call: Call) -> r2r::Result<Pending<Answer<Vec<Listed>>>> {
        match call {
            Call::Load(name) => ask(&self.load, &LoadController::Request { name }, |answer| done(answer.ok)),
            Call::Unload(name) => {
                ask(&self.unload, &UnloadController::Request { name }, |answer| done(answer.ok))
            }
            Call::Switch { start, stop } => {
                let request = SwitchController::Request {
                    start_controllers: start,
                    stop_controllers: stop,
                    strictness: STRICT,
                };
                ask(&self.switch, &request, |answer| done(answer.ok))
            }
            Call::List => ask(&self.list, &ListControllers::Request {}, |answer| {
                let each = answer.controllers.into_iter().zip(answer.state);
                Ok(each.map(|(name, state)| Listed { name, is_running: state == "running" }).collect())
            }),
            Call::Halt => ask(&self.halt, &Empty::Request {}, |_| done(true)),
            Call::Reset => ask(&self.reset, &Empty::Request {}, |_| done(true)),
        }
    }
}

fn done(ok: bool) -> Answer<Vec<Listed>> {
    if ok { Ok(Vec::new()) } else { Err(Failure::Refused("its log has the reason".into())) }
}
