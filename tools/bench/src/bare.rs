//! The floor: what r2r and the middleware cost with nothing of Steersman but its quality of service.
//!
//! A bare node has what every node of ROS 2 has: a topic or two, and the services of its parameters, which are r2r's own here.

use std::pin::Pin;
use std::time::Duration;

use futures::Future;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::haptix_msgs::msg::{Command, Sensor};
use r2r::haptix_msgs::srv::Update;
use r2r::or_joystick::msg::State;
use r2r::pr2_mechanism_msgs::srv::ListControllers;
use r2r::std_msgs::msg::Int16;
use r2r::{Publisher, QosProfile, ServiceRequest, WrappedServiceTypeSupport, WrappedTypesupport};
use ros::{Error, Node, REST_SLEEP, Received, clock, qos, ready};

use crate::stage::{Result, on_signals};

/// Namespace of the bare service that lists controllers.
pub const MANAGER: &str = "/bench/bare_manager";
/// Namespace of the bare hand.
pub const HAND: &str = "/bench/bare_hand";
/// The longest sleep of a bare service.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// A node with the services of its parameters, which nobody calls.
struct Bare {
    node: Node,
    _parameters: Pin<Box<dyn Future<Output = ()>>>,
}

impl Bare {
    /// The node that publishes `to`.
    fn new(to: &str) -> Result<Self> {
        let name = to.trim_start_matches('/').replace('/', "_");
        let mut node = Node::new(&ros::context()?, &name)?;
        let (parameters, _) = node.make_parameter_handler().map_err(Error::ros("serve parameters"))?;
        Ok(Self { node, _parameters: Box::pin(parameters) })
    }

    fn publisher<T: WrappedTypesupport>(&mut self, to: &str) -> Result<Publisher<T>> {
        Ok(self.node.create_publisher(to, qos::command()).map_err(Error::ros(format!("publish '{to}'")))?)
    }
}

/// Publishes on `to`, for each stick state on `from`, a twist with the time of its receipt.
/// # Errors
/// The middleware refuses something.
pub fn stamp(from: &str, to: &str) -> Result<()> {
    let mut twist = TwistStamped::default();
    twist.header.frame_id = "base_link".into();
    pass_on(from, to, move |_: State| {
        twist.header.stamp = clock::to_wire(clock::stamp());
        twist.clone()
    })
}

/// Publishes each message of `from` on `to`, unchanged and at once.
/// # Errors
/// The middleware refuses something.
pub fn relay(from: &str, to: &str) -> Result<()> {
    pass_on(from, to, |twist: TwistStamped| twist)
}

fn pass_on<T: WrappedTypesupport + Send + 'static>(
    from: &str,
    to: &str,
    mut made_of: impl FnMut(T) -> TwistStamped,
) -> Result<()> {
    let stop = on_signals()?;
    let mut bare = Bare::new(to)?;
    let publisher = bare.publisher(to)?;
    let mut messages = subscribe::<T>(&mut bare.node, from)?;
    while !stop.is_set() {
        bare.node.spin_once(REST_SLEEP);
        for message in ready(&mut messages) {
            publisher.publish(&made_of(message)).map_err(Error::ros(format!("publish '{to}'")))?;
        }
    }
    Ok(())
}

/// Wakes up `rate` times a second and publishes a zero on each of `topics`. Without topics it makes no node.
/// # Errors
/// The operating system or the middleware refuses something.
#[allow(clippy::disallowed_methods)] // sleeping is all it does
pub fn sleeper(rate: u32, topics: &[String]) -> Result<()> {
    let stop = on_signals()?;
    let mut bare = topics.first().map(|topic| Bare::new(topic)).transpose()?;
    let mut publishers: Vec<Publisher<Int16>> = Vec::new();
    for topic in topics {
        publishers.extend(bare.as_mut().map(|bare| bare.publisher(topic)).transpose()?);
    }
    let mut due = clock::now();
    while !stop.is_set() {
        due = due + Duration::from_secs(1) / rate;
        std::thread::sleep(due.since(clock::now()));
        for publisher in &publishers {
            publisher.publish(&Int16 { data: 0 }).map_err(Error::ros("publish a zero"))?;
        }
    }
    Ok(())
}

/// Answers calls that list controllers at once with two of them.
/// # Errors
/// The middleware refuses something.
pub fn manager() -> Result<()> {
    let stop = on_signals()?;
    let mut node = Node::new(&ros::context()?, "bench_bare_service")?;
    let mut requests = serve::<ListControllers::Service>(
        &mut node,
        &format!("{MANAGER}/list_controllers"),
        QosProfile::services_default(),
    )?;
    let answer = ListControllers::Response {
        controllers: vec!["pan_position".into(), "tilt_position".into()],
        state: vec!["running".into(), "running".into()],
    };
    while !stop.is_set() {
        node.spin_once(LONGEST_SLEEP);
        for request in ready(&mut requests) {
            request.respond(answer.clone()).map_err(Error::ros("answer"))?;
        }
    }
    Ok(())
}

/// Answers each update of a hand at once with a reading, and publishes one for each command; motor 0 is where the command wants it.
/// # Errors
/// The middleware refuses something.
pub fn hand() -> Result<()> {
    let stop = on_signals()?;
    let mut node = Node::new(&ros::context()?, "bench_bare_hand")?;
    let mut requests = serve::<Update::Service>(&mut node, &format!("{HAND}/update"), qos::requests())?;
    let mut commands = subscribe::<Command>(&mut node, &format!("{HAND}/command"))?;
    let readings = node
        .create_publisher(&format!("{HAND}/sensor"), QosProfile::sensor_data())
        .map_err(Error::ros("publish readings"))?;
    while !stop.is_set() {
        node.spin_once(LONGEST_SLEEP);
        for request in ready(&mut requests) {
            let sensor = reading(&request.message.command);
            let answer = Update::Response { sensor, ..Update::Response::default() };
            request.respond(answer).map_err(Error::ros("answer"))?;
        }
        for command in ready(&mut commands) {
            readings.publish(&reading(&command)).map_err(Error::ros("publish a reading"))?;
        }
    }
    Ok(())
}

fn reading(command: &Command) -> Sensor {
    let mut sensor = Sensor::default();
    sensor.motor_pos.clone_from(&command.ref_pos);
    sensor
}

fn subscribe<T: WrappedTypesupport + Send + 'static>(node: &mut Node, topic: &str) -> Result<Received<T>> {
    let stream =
        node.subscribe(topic, qos::commands()).map_err(Error::ros(format!("listen to '{topic}'")))?;
    Ok(Box::pin(stream))
}

fn serve<S: WrappedServiceTypeSupport + 'static>(
    node: &mut Node,
    name: &str,
    qos: QosProfile,
) -> Result<Received<ServiceRequest<S>>> {
    let requests = node.create_service::<S>(name, qos).map_err(Error::ros(format!("serve '{name}'")))?;
    Ok(Box::pin(requests))
}
