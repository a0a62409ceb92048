use std::time::Duration;

use hindbrain::Sensor;
use r2r::Publisher;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::sensor_msgs::msg::Range;
use r2r::std_msgs::msg::{Bool, Int16, String as Text};
use ros::{Error, clock, qos};

use crate::incoming::Incoming;
use crate::reaction::Message;
use crate::trials::Input;

/// The topics that the bare relay subscribes to and publishes.
pub const TO_RELAY: &str = "/bench/relay/in";
pub const FROM_RELAY: &str = "/bench/relay/out";
/// The fitted sensor, see `reactions.yaml`.
const SENSOR: Sensor = Sensor::FrontPort;
/// Ranges that it measures with and without an obstacle \[m]; the limit is 0.2.
const NEAR: f32 = 0.1;
const FAR: f32 = 1.0;

/// The topics between the bench and the nodes whose reactions it measures.
pub struct Wires {
    node: r2r::Node,
    command: Publisher<TwistStamped>,
    estop: Publisher<Bool>,
    enable: Publisher<Bool>,
    reset: Publisher<Bool>,
    infrared: Publisher<Range>,
    to_relay: Publisher<TwistStamped>,
    port: Incoming<Int16>,
    starboard: Incoming<Int16>,
    state: Incoming<Text>,
    from_relay: Incoming<TwistStamped>,
}

impl Wires {
    /// Opens the topics with a node of their own.
    /// # Errors
    /// The middleware refuses something.
    pub fn new(context: &r2r::Context) -> Result<Self, Error> {
        let mut node = r2r::Node::create(context.clone(), "bench_reactions", "")
            .map_err(Error::ros("make the node 'bench_reactions'"))?;
        let what = || Error::ros("publish the inputs of hindbrain");
        Ok(Self {
            command: node.create_publisher("/cmd_vel", qos::command()).map_err(what())?,
            estop: node.create_publisher("/hind/estop", qos::edge()).map_err(what())?,
            enable: node.create_publisher("/hind/enable", qos::edge()).map_err(what())?,
            reset: node.create_publisher("/hind/reset", qos::edge()).map_err(what())?,
            infrared: node.create_publisher("/hind/ir", qos::sensor()).map_err(what())?,
            to_relay: node.create_publisher(TO_RELAY, qos::command()).map_err(what())?,
            // All of them, not only the newest: the first value of rest is the one that counts.
            port: Incoming::new(&mut node, "/motor/port", qos::commands())?,
            starboard: Incoming::new(&mut node, "/motor/starboard", qos::commands())?,
            state: Incoming::new(&mut node, "/hind/state", qos::state())?,
            from_relay: Incoming::new(&mut node, FROM_RELAY, qos::commands())?,
            node,
        })
    }

    /// Publishes `message` now.
    /// # Errors
    /// The middleware refuses it.
    pub fn publish(&self, message: Message) -> Result<(), Error> {
        let published = match message {
            Message::Command(speed) => self.command.publish(&command(speed)),
            Message::Estop(data) => self.estop.publish(&Bool { data }),
            Message::Enable(data) => self.enable.publish(&Bool { data }),
            Message::Reset(data) => self.reset.publish(&Bool { data }),
            Message::Infrared { blocked } => self.infrared.publish(&reading(blocked)),
            // A number counts far less than 2^53: it is itself on the way back.
            Message::Relay(number) => self.to_relay.publish(&command(number as f64)),
        };
        published.map_err(Error::ros(format!("publish {message:?}")))
    }

    /// Waits for a message, for `time` at most.
    pub fn wait(&mut self, time: Duration) {
        self.node.spin_once(time);
    }

    /// Passes on the received messages.
    pub fn read(&mut self, mut handle: impl FnMut(Input)) {
        while let Some(message) = self.port.take() {
            handle(Input::PortSet(message.data));
        }
        while let Some(message) = self.starboard.take() {
            handle(Input::StarboardSet(message.data));
        }
        while let Some(message) = self.state.take() {
            handle(Input::StateReceived(message.data));
        }
        while let Some(message) = self.from_relay.take() {
            handle(Input::RelayAnswered(message.twist.linear.x as u64));
        }
    }
}

fn command(forward: f64) -> TwistStamped {
    let mut message = TwistStamped::default();
    message.header.frame_id = "base_link".into();
    message.header.stamp = clock::to_wire(clock::stamp());
    message.twist.linear.x = forward;
    message
}

fn reading(blocked: bool) -> Range {
    let mut message = Range { min_range: 0.04, max_range: 1.5, ..Default::default() };
    message.header.frame_id = SENSOR.frame_id().into();
    message.header.stamp = clock::to_wire(clock::stamp());
    message.range = if blocked { NEAR } else { FAR };
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readings_lie_on_both_sides_of_the_limit() {
        let limit = hindbrain::Params::default().infrared.near;
        let distance = |blocked| f64::from(reading(blocked).range);
        assert!(distance(true) < limit && distance(false) > limit);
        assert_eq!(Sensor::from_frame_id(&reading(true).header.frame_id), Some(SENSOR));
    }
}
