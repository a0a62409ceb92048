use std::time::Duration;

use hindbrain::Sensor;
use r2r::Publisher;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::sensor_msgs::msg::Range;
use r2r::std_msgs::msg::{Bool, Header, Int16, String as Text};
use ros::{clock, qos};

use super::reaction::Message;
use super::trials::Input;
use crate::peer::Peer;
use crate::stage::{Result, Stage};

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
    peer: Peer<Input>,
    command: Publisher<TwistStamped>,
    estop: Publisher<Bool>,
    enable: Publisher<Bool>,
    reset: Publisher<Bool>,
    infrared: Publisher<Range>,
    to_relay: Publisher<TwistStamped>,
}

impl Wires {
    /// Opens the topics with a node of their own.
    /// # Errors
    /// The middleware refuses something.
    pub fn new(stage: &Stage) -> Result<Self> {
        let mut peer = Peer::new(stage, "bench_reactions")?;
        // All of them, not only the newest: the first value of rest is the one that counts.
        let all = qos::commands;
        peer.subscribe("/motor/port", all(), |message: Int16| Input::PortSet(message.data))?;
        peer.subscribe("/motor/starboard", all(), |message: Int16| Input::StarboardSet(message.data))?;
        peer.subscribe("/hind/state", qos::state(), |message: Text| Input::StateReceived(message.data))?;
        peer.subscribe(FROM_RELAY, all(), |message: TwistStamped| {
            Input::RelayAnswered(message.twist.linear.x as u64)
        })?;
        Ok(Self {
            command: peer.publisher("/cmd_vel", qos::command())?,
            estop: peer.publisher("/hind/estop", qos::edge())?,
            enable: peer.publisher("/hind/enable", qos::edge())?,
            reset: peer.publisher("/hind/reset", qos::edge())?,
            infrared: peer.publisher("/hind/ir", qos::sensor())?,
            to_relay: peer.publisher(TO_RELAY, qos::command())?,
            peer,
        })
    }

    /// Publishes `message` now.
    /// # Errors
    /// The middleware refuses it.
    pub fn publish(&self, message: Message) -> Result<()> {
        match message {
            Message::Command(speed) => self.command.publish(&command(speed))?,
            Message::Estop(data) => self.estop.publish(&Bool { data })?,
            Message::Enable(data) => self.enable.publish(&Bool { data })?,
            Message::Reset(data) => self.reset.publish(&Bool { data })?,
            Message::Infrared { blocked } => self.infrared.publish(&reading(blocked))?,
            // A number counts far less than 2^53: it is itself on the way back.
            Message::Relay(number) => self.to_relay.publish(&command(number as f64))?,
        }
        Ok(())
    }

    /// Waits for a message for `time` at most, and passes on what is there.
    pub fn receive(&mut self, time: Duration, mut handle: impl FnMut(Input)) {
        self.peer.receive(time, |input, _| handle(input));
    }
}

fn header(frame_id: &str) -> Header {
    Header { frame_id: frame_id.into(), stamp: clock::to_wire(clock::stamp()) }
}

fn command(forward: f64) -> TwistStamped {
    let mut message = TwistStamped { header: header("base_link"), ..Default::default() };
    message.twist.linear.x = forward;
    message
}

fn reading(blocked: bool) -> Range {
    let range = if blocked { NEAR } else { FAR };
    Range { header: header(SENSOR.frame_id()), min_range: 0.04, max_range: 1.5, range, ..Default::default() }
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
