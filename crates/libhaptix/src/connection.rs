use core::future::Future;
use core::pin::pin;
use core::time::Duration;

use futures::FutureExt;
use r2r::haptix_msgs::msg as wire;
use r2r::haptix_msgs::srv::{GetRobotInfo, ReadSensors, Update};
use r2r::{Client, QosProfile, WrappedServiceTypeSupport};
use ros::{Node, clock};

use crate::settings::Settings;

/// How long a call waits, as in haptix-comm.
pub const TIMEOUT: Duration = Duration::from_millis(1000);
/// How long a program waits at its start: on a busy machine Fast DDS takes up to 3 s to find a node.
pub const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long a refused call waits before the rate of the hand is known; a silent hand does not report it.
const PERIOD: Duration = Duration::from_millis(20);
/// How often the middleware is asked whether a service is there, until it is.
const LOOK: Duration = Duration::from_millis(10);

/// Why a call failed, in the words of haptix-comm, then what it did not say.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// ROS does not start, or refuses a call.
    #[error("{0}")]
    Ros(String),
    /// Nobody answered in time; what was waited for.
    #[error("Service call timed out. {0}")]
    TimedOut(String),
    /// The node refused the call, with its reason.
    #[error("Service call failed. {0}")]
    Refused(String),
}

impl From<r2r::Error> for Failure {
    fn from(error: r2r::Error) -> Self {
        Self::Ros(format!("ROS refuses the call: {error}"))
    }
}

/// A client for the node `haptix`, as a ROS node of its own.
pub struct Connection {
    info: Service<GetRobotInfo::Service>,
    update: Service<Update::Service>,
    read: Service<ReadSensors::Service>,
    node: Node,
    settings: Settings,
    /// Between two updates of the hand, once it has been asked for.
    period: Option<Duration>,
}

struct Service<S: WrappedServiceTypeSupport> {
    name: String,
    client: Client<S>,
    /// Whether it was found, and no call was without an answer since.
    is_found: bool,
}

impl<S: WrappedServiceTypeSupport + 'static> Service<S> {
    fn new(node: &mut r2r::Node, settings: &Settings, name: &str) -> Result<Self, Failure> {
        let name = format!("{}/{name}", settings.node);
        let client = node
            .create_client(&name, QosProfile::services_default())
            .map_err(|error| Failure::Ros(format!("service '{name}' cannot be called: {error}")))?;
        Ok(Self { name, client, is_found: false })
    }

    /// Waits until the service is there.
    fn find(&mut self, node: &mut r2r::Node, limit: Duration) -> Result<(), Failure> {
        if !self.is_found {
            let available = r2r::Node::is_available(&self.client)?;
            if wait(node, limit, LOOK, available).is_none() {
                let name = &self.name;
                return Err(Failure::TimedOut(format!(
                    "Service '{name}' is not there: is the node haptix running, in this ROS domain and namespace?"
                )));
            }
            self.is_found = true;
        }
        Ok(())
    }

    fn call(
        &mut self,
        node: &mut r2r::Node,
        request: &S::Request,
        limit: Duration,
    ) -> Result<S::Response, Failure> {
        let end = clock::now() + limit;
        self.find(node, limit)?;
        let answer = self.client.request(request)?;
        match wait(node, end.since(clock::now()).min(TIMEOUT), TIMEOUT, answer) {
            Some(answer) => Ok(answer?),
            None => {
                let (name, millis) = (&self.name, TIMEOUT.as_millis());
                Err(Failure::TimedOut(format!("Service '{name}' did not answer within {millis} ms.")))
            }
        }
    }
}

/// Lets messages pass until `future` is ready, for `limit` at most and sleeping for `slice` at most at once.
fn wait<T>(
    node: &mut r2r::Node,
    limit: Duration,
    slice: Duration,
    future: impl Future<Output = T>,
) -> Option<T> {
    let end = clock::now() + limit;
    let mut future = pin!(future);
    loop {
        if let Some(ready) = future.as_mut().now_or_never() {
            return Some(ready);
        }
        let left = end.since(clock::now());
        if left.is_zero() {
            return None;
        }
        node.spin_once(left.min(slice));
    }
}

/// An error if `code` is not that of success.
fn accepted(result: wire::Result) -> Result<(), Failure> {
    if result.code == wire::Result::OK as u8 {
        return Ok(());
    }
    Err(Failure::Refused(result.message))
}

impl Connection {
    /// Starts ROS, if this process has not, and makes the clients.
    /// # Errors
    /// The middleware refuses something, or the arguments of the process that are for ROS are wrong.
    pub fn new() -> Result<Self, Failure> {
        let ros = |error: ros::Error| Failure::Ros(error.to_string());
        let settings = Settings::read().map_err(Failure::Ros)?;
        let context = ros::context().map_err(ros)?;
        let mut node = Node::new(&context, &format!("hx_client_{}", std::process::id())).map_err(ros)?;
        Ok(Self {
            info: Service::new(&mut node, &settings, "get_robot_info")?,
            update: Service::new(&mut node, &settings, "update")?,
            read: Service::new(&mut node, &settings, "read_sensors")?,
            node,
            settings,
            period: None,
        })
    }

    /// Waits until the node is there, for `limit` at most.
    /// # Errors
    /// It is not.
    pub fn find(&mut self, limit: Duration) -> Result<(), Failure> {
        let Self { info, update, read, node, .. } = self;
        let end = clock::now() + limit;
        let left = || end.since(clock::now());
        info.find(node, left())?;
        update.find(node, left())?;
        read.find(node, left())
    }

    /// After a call that nobody answered all services are looked for again: the node may have ended.
    fn judged<T>(&mut self, outcome: Result<T, Failure>) -> Result<T, Failure> {
        if matches!(outcome, Err(Failure::TimedOut(_))) {
            (self.info.is_found, self.update.is_found, self.read.is_found) = (false, false, false);
        }
        outcome
    }

    /// How long a refused call waits before it returns: an update period, in which nothing would have changed.
    pub fn pause(&self) -> Duration {
        self.period.unwrap_or(PERIOD)
    }

    /// Requests the counts and ranges of the hand's parts, and its update rate.
    /// # Errors
    /// Nobody answered in time, or the device fails.
    pub fn robot_info(&mut self, limit: Duration) -> Result<wire::RobotInfo, Failure> {
        let answer = self.info.call(&mut self.node, &GetRobotInfo::Request {}, limit);
        let response = self.judged(answer)?;
        accepted(response.result)?;
        let seconds = f64::from(response.robot_info.update_rate).recip();
        self.period = Duration::try_from_secs_f64(seconds).ok().filter(|period| !period.is_zero());
        Ok(response.robot_info)
    }

    /// Gives a command and returns the reading.
    /// # Errors
    /// Nobody answered in time, the device fails, or the command is refused.
    pub fn update(&mut self, command: wire::Command, limit: Duration) -> Result<wire::Sensor, Failure> {
        let request = Update::Request { command, wait_for_tick: self.settings.wait_for_tick };
        let answer = self.update.call(&mut self.node, &request, limit);
        let response = self.judged(answer)?;
        accepted(response.result).map(|()| response.sensor)
    }

    /// The latest reading.
    /// # Errors
    /// Nobody answered in time, or the device fails.
    pub fn read(&mut self, limit: Duration) -> Result<wire::Sensor, Failure> {
        let answer = self.read.call(&mut self.node, &ReadSensors::Request {}, limit);
        let response = self.judged(answer)?;
        accepted(response.result).map(|()| response.sensor)
    }
}
