//! A client of the controller manager, and the bare service beside it.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use r2r::pr2_mechanism_msgs::srv::{ListControllers, LoadController, SwitchController, UnloadController};
use r2r::{Client, QosProfile};
use ros::{Error, Node, clock};

use crate::baseline;
use crate::service::{call, client, wait_for};

/// How long the client waits for messages at once.
const SLICE: Duration = Duration::from_millis(20);
/// The namespace of the manager's services, and of the bare one.
pub const MANAGER: &str = "/pr2_controller_manager";
/// See [`MANAGER`].
pub const BARE: &str = "/bench/bare_manager";

/// Calls services one after the other.
pub struct Caller {
    node: Node,
    list: Client<ListControllers::Service>,
    load: Client<LoadController::Service>,
    switch: Client<SwitchController::Service>,
    unload: Client<UnloadController::Service>,
}

/// Whether the answer was good, and how long it took.
pub type Answer = (bool, Duration);

impl Caller {
    /// A client called `name` of the manager in `namespace`.
    /// # Errors
    /// The middleware refuses something.
    pub fn new(context: &r2r::Context, name: &str, namespace: &str) -> Result<Self, Error> {
        let mut node = Node::new(context, name)?;
        let list = client(&mut node, &format!("{namespace}/list_controllers"))?;
        let load = client(&mut node, &format!("{namespace}/load_controller"))?;
        let switch = client(&mut node, &format!("{namespace}/switch_controller"))?;
        let unload = client(&mut node, &format!("{namespace}/unload_controller"))?;
        Ok(Self { node, list, load, switch, unload })
    }

    /// Waits until the service that lists is there.
    /// # Errors
    /// It does not appear.
    pub fn wait(&mut self) -> Result<(), Error> {
        wait_for(&mut self.node, &self.list, "controller manager")?;
        self.list().map(drop) // the client may be known later than the service
    }

    /// Waits for some time, and reads what comes.
    pub fn pause(&mut self, time: Duration) {
        let end = clock::now() + time;
        while clock::now() < end {
            self.node.spin_once(end.since(clock::now()));
        }
    }

    /// Lists the controllers.
    /// # Errors
    /// No answer.
    pub fn list(&mut self) -> Result<Answer, Error> {
        let (_, took) = call(&mut self.node, &self.list, &ListControllers::Request {})?;
        Ok((true, took))
    }

    /// Loads a controller.
    /// # Errors
    /// No answer.
    pub fn load(&mut self, name: &str) -> Result<Answer, Error> {
        let request = LoadController::Request { name: name.into() };
        let (answer, took) = call(&mut self.node, &self.load, &request)?;
        Ok((answer.ok, took))
    }

    /// Unloads a controller.
    /// # Errors
    /// No answer.
    pub fn unload(&mut self, name: &str) -> Result<Answer, Error> {
        let request = UnloadController::Request { name: name.into() };
        let (answer, took) = call(&mut self.node, &self.unload, &request)?;
        Ok((answer.ok, took))
    }

    /// Starts and stops controllers, all or none.
    /// # Errors
    /// No answer.
    pub fn switch(&mut self, start: &[&str], stop: &[&str]) -> Result<Answer, Error> {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let request = SwitchController::Request {
            start_controllers: owned(start),
            stop_controllers: owned(stop),
            strictness: SwitchController::Request::STRICT as i32,
        };
        let (answer, took) = call(&mut self.node, &self.switch, &request)?;
        Ok((answer.ok, took))
    }

    /// Loads and starts controllers.
    /// # Errors
    /// No answer, or a refusal.
    pub fn start(&mut self, names: &[&str]) -> Result<(), Error> {
        let mut ok = true;
        for name in names {
            ok &= self.load(name)?.0;
        }
        ok &= self.switch(names, &[])?.0;
        if ok { Ok(()) } else { Err(Error::Start(format!("the controllers {names:?} do not start"))) }
    }
}

/// Answers [`ListControllers`] in the namespace [`BARE`] at once with two controllers, until it is stopped.
/// # Errors
/// The middleware refuses something.
pub fn serve_bare() -> Result<(), Error> {
    let stop = baseline::on_signals()?;
    let mut node = Node::new(&ros::context()?, "bench_bare_service")?;
    let name = format!("{BARE}/list_controllers");
    let requests = node.create_service::<ListControllers::Service>(&name, QosProfile::services_default());
    let mut requests = Box::pin(requests.map_err(Error::ros(format!("serve '{name}'")))?);
    let answer = ListControllers::Response {
        controllers: vec!["pan_position".into(), "tilt_position".into()],
        state: vec!["running".into(), "running".into()],
    };
    while !stop.is_set() {
        node.spin_once(SLICE);
        while let Some(Some(request)) = requests.next().now_or_never() {
            request.respond(answer.clone()).map_err(Error::ros("answer"))?;
        }
    }
    Ok(())
}
