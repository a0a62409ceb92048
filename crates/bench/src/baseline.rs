//! The floor: what r2r and the middleware cost with nothing of Steersman in it but its quality of service.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use r2r::geometry_msgs::msg::TwistStamped;
use ros::{Error, Stop, clock, qos};

/// How long a relay may sleep: it must see the wish to end.
const LONGEST_SLEEP: Duration = Duration::from_millis(50);

/// SDL looks every millisecond for what the stick does. The source wakes up as often, since a processor that is woken
/// from a longer sleep is slower, and the floor must not be higher for that.
const LOOK: Duration = Duration::from_millis(1);

/// How long a process of the bench may take to end after a signal.
const LONGEST_END: Duration = Duration::from_secs(10);

/// The wish to end, set by signals.
/// # Errors
/// The operating system refused the handlers.
pub fn on_signals() -> Result<Stop, Error> {
    Stop::on_signals(LONGEST_END).map_err(|error| Error::Start(format!("signals cannot be caught: {error}")))
}

/// Publishes on `to`, `rate` times a second, stamped just before; `linear.x` counts the messages.
/// # Errors
/// The middleware refuses something.
#[allow(clippy::disallowed_methods)] // the pace is its own; nothing else waits for this thread
pub fn source(to: &str, rate: u32) -> Result<(), Error> {
    let stop = on_signals()?;
    let mut node = node(to)?;
    let publisher = publisher(&mut node, to)?;
    let period = Duration::from_secs(1) / rate;
    let mut due = clock::now();
    let mut message = TwistStamped::default();
    message.header.frame_id = "base_link".into();
    while !stop.is_set() {
        due = due + period;
        while clock::now() < due {
            std::thread::sleep(due.since(clock::now()).min(LOOK));
        }
        message.twist.linear.x += 1.0;
        message.header.stamp = clock::to_wire(clock::stamp());
        publisher.publish(&message).map_err(Error::ros(format!("publish '{to}'")))?;
    }
    Ok(())
}

/// Wakes up `rate` times a second and does nothing.
/// # Errors
/// The operating system refuses something.
#[allow(clippy::disallowed_methods)] // sleeping is all it does
pub fn sleeper(rate: u32) -> Result<(), Error> {
    let stop = on_signals()?;
    let mut due = clock::now();
    while !stop.is_set() {
        due = due + Duration::from_secs(1) / rate;
        std::thread::sleep(due.since(clock::now()));
    }
    Ok(())
}

/// Publishes on `to` what comes on `from`, unchanged and at once.
/// # Errors
/// The middleware refuses something.
pub fn relay(from: &str, to: &str) -> Result<(), Error> {
    let stop = on_signals()?;
    let mut node = node(to)?;
    let publisher = publisher(&mut node, to)?;
    let subscribed = node.subscribe::<TwistStamped>(from, qos::commands());
    let mut messages = subscribed.map_err(Error::ros(format!("listen to '{from}'")))?;
    while !stop.is_set() {
        node.spin_once(LONGEST_SLEEP);
        while let Some(Some(message)) = messages.next().now_or_never() {
            publisher.publish(&message).map_err(Error::ros(format!("publish '{to}'")))?;
        }
    }
    Ok(())
}

fn node(to: &str) -> Result<r2r::Node, Error> {
    let name = to.trim_start_matches('/').replace('/', "_");
    r2r::Node::create(ros::context()?, &name, "").map_err(Error::ros(format!("make the node '{name}'")))
}

fn publisher(node: &mut r2r::Node, to: &str) -> Result<r2r::Publisher<TwistStamped>, Error> {
    node.create_publisher(to, qos::command()).map_err(Error::ros(format!("publish '{to}'")))
}
