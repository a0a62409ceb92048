use nodes::haptix::NAME;
use r2r::haptix_msgs::msg::{Command, RobotDescription, Sensor, Vector3f};
use r2r::std_msgs::msg::String as Text;
use ros::{Error, Inputs, Topic, qos};

use crate::client::{Input, Operator};
use crate::hand::calls::{cap, padded};
use crate::hand::client::{Hand, Message};
use crate::hand::device::Device;
use crate::hand::reading::{Names, Reading};

/// Topics that the operator publishes.
pub struct Topics {
    command: Topic<Command>,
    cap: Command,
}

impl Topics {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(node: &mut r2r::Node, device: &Device) -> Result<Self, Error> {
        let command = Topic::new(node, &format!("{NAME}/command"), qos::command())?;
        Ok(Self { command, cap: cap(device.motor_count) })
    }

    /// Publishes the cap on the speed of the motors.
    pub fn command(&mut self) {
        self.command.publish(&self.cap);
    }
}

/// Subscribes to all topics of the node that the demo shows.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe(inputs: &mut Inputs<Operator<Hand>>, node: &mut r2r::Node) -> Result<(), Error> {
    let name = |topic: &str| format!("{NAME}/{topic}");
    let received = |message| Some(Input::Received(message));
    inputs.subscribe::<RobotDescription>(node, &name("robot_description"), qos::state(), move |m| {
        received(Message::Described(Names { contacts: m.contact_names, imus: m.imu_names }))
    })?;
    inputs.subscribe::<Text>(node, &name("state"), qos::state(), move |m| {
        received(Message::State(m.data.split(':').next().unwrap_or_default().into()))
    })?;
    inputs.subscribe::<Sensor>(node, &name("sensor"), qos::sensor(), move |m| {
        received(Message::Reading(Box::new(reading(&m))))
    })
}

fn reading(message: &Sensor) -> Reading {
    let vector = |index: usize| {
        let Vector3f { x, y, z } = message.imu_linear_acc.get(index).cloned().unwrap_or_default();
        [x, y, z]
    };
    Reading { contact: padded(&message.contact), acceleration: core::array::from_fn(vector) }
}
