//! The floor: what r2r and the middleware cost with nothing of Steersman in it but its quality of service.
//!
//! A bare node has what every node of ROS 2 has: a topic or two, and the services of its parameters, which are r2r's own here.

use std::pin::Pin;
use std::time::Duration;

use futures::Future;

use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::or_joystick::msg::State;
use r2r::std_msgs::msg::Int16;
use ros::{Error, REST_SLEEP, Stop, clock, qos};

use crate::incoming::Incoming;

/// How long a process of the bench may take to end after a signal.
const LONGEST_END: Duration = Duration::from_secs(10);

/// The request to end, set by signals.
/// # Errors
/// The operating system refused the handlers.
pub fn on_signals() -> Result<Stop, Error> {
    Stop::on_signals(LONGEST_END).map_err(|error| Error::Start(format!("signals cannot be caught: {error}")))
}

/// Publishes on `to`, for each stick state on `from`, a twist with the time of its receipt.
/// # Errors
/// The middleware refuses something.
pub fn stamp(from: &str, to: &str) -> Result<(), Error> {
    let mut twist = TwistStamped::default();
    twist.header.frame_id = "base_link".into();
    pass_on(from, to, move |_: State| {
        twist.header.stamp = clock::to_wire(clock::stamp());
        twist.clone()
    })
}

/// Wakes up `rate` times a second and publishes a zero on each of `topics`. Without topics it makes no node.
/// # Errors
/// The operating system or the middleware refuses something.
#[allow(clippy::disallowed_methods)] // sleeping is all it does
pub fn sleeper(rate: u32, topics: &[String]) -> Result<(), Error> {
    let stop = on_signals()?;
    let mut bare = topics.first().map(|topic| Bare::new(topic)).transpose()?;
    let mut publishers = Vec::new();
    if let Some(Bare { node, .. }) = &mut bare {
        for topic in topics {
            let publisher = node.create_publisher::<Int16>(topic, qos::command());
            publishers.push(publisher.map_err(Error::ros(format!("publish '{topic}'")))?);
        }
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

/// Publishes each message of `from` on `to`, unchanged and at once.
/// # Errors
/// The middleware refuses something.
pub fn relay(from: &str, to: &str) -> Result<(), Error> {
    pass_on(from, to, |twist: TwistStamped| twist)
}

fn pass_on<T: WrappedTypesupport + Send + 'static>(
    from: &str,
    to: &str,
    mut made_of: impl FnMut(T) -> TwistStamped,
) -> Result<(), Error> {
    let stop = on_signals()?;
    let Bare { mut node, _parameters } = Bare::new(to)?;
    let publisher = publisher(&mut node, to)?;
    let mut messages = Incoming::<T>::new(&mut node, from, qos::commands())?;
    while !stop.is_set() {
        node.spin_once(REST_SLEEP);
        while let Some(message) = messages.take() {
            publisher.publish(&made_of(message)).map_err(Error::ros(format!("publish '{to}'")))?;
        }
    }
    Ok(())
}

/// A node with the services of its parameters, which nobody calls.
struct Bare {
    node: r2r::Node,
    _parameters: Pin<Box<dyn Future<Output = ()>>>,
}

impl Bare {
    /// The node that publishes `to`.
    fn new(to: &str) -> Result<Self, Error> {
        let name = to.trim_start_matches('/').replace('/', "_");
        let failed = || Error::ros(format!("make the node '{name}'"));
        let mut node = r2r::Node::create(ros::context()?, &name, "").map_err(failed())?;
        let (parameters, _) = node.make_parameter_handler().map_err(failed())?;
        Ok(Self { node, _parameters: Box::pin(parameters) })
    }
}

fn publisher(node: &mut r2r::Node, to: &str) -> Result<r2r::Publisher<TwistStamped>, Error> {
    node.create_publisher(to, qos::command()).map_err(Error::ros(format!("publish '{to}'")))
}
