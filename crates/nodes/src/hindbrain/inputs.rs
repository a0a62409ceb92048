use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hindbrain::{CommandType, Hindbrain, Input, Params, Sensor, measured};
use r2r::geometry_msgs::msg as geometry;
use r2r::sensor_msgs::msg::Range;
use r2r::std_msgs::msg::Bool;
use ros::panics::lock;
use ros::{Error, Inputs, clock, qos};
use units::Contains;

use super::NAME;
use crate::{messages, zone_scaler};

/// Messages of `hind/enable`, in order, that wait until the publishers are counted: whether a true is a rise depends on the
/// count.
#[derive(Clone, Default)]
pub struct EnableQueue(Arc<Mutex<Vec<bool>>>);

impl EnableQueue {
    fn push(&self, on: bool) {
        lock(&self.0).push(on);
    }

    /// Removes and returns the waiting messages.
    pub fn take(&self) -> Vec<bool> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// Subscribes to the topics that stop first, then, unless the composed process feeds the commands itself, to `cmd_vel`.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe<M: Contains<Hindbrain> + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    composed: bool,
    enables: &EnableQueue,
) -> Result<(), Error> {
    let flag = |make: fn(bool) -> Input| move |message: Bool| Some(M::wrap(make(message.data)));
    // Before the e-stop: messages of one read have no known order between topics, and a reset click before the press must not
    // undo the press.
    inputs.subscribe::<Bool>(node, "hind/reset", qos::edge(), flag(Input::ResetReceived))?;
    inputs.subscribe::<Bool>(node, "hind/estop", qos::edge(), flag(Input::EstopReceived))?;
    let enables = enables.clone();
    inputs.subscribe::<Bool>(node, "hind/enable", qos::edge(), move |message| {
        // A false stops at once. It is delivered once more after the count, which decides whether the next true can be a rise.
        enables.push(message.data);
        (!message.data).then(|| M::wrap(Input::EnableReceived(false)))
    })?;
    let mut unknown = BTreeSet::new();
    inputs.subscribe::<Range>(node, "hind/ir", qos::heartbeat(), move |message| {
        Some(M::wrap(range(&message, &mut unknown)?))
    })?;
    if !composed {
        commands(inputs, node, params.command_type)?;
    }
    Ok(())
}

fn commands<M: Contains<Hindbrain> + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    command_type: CommandType,
) -> Result<(), Error> {
    let topic = zone_scaler::COMMAND;
    match command_type {
        CommandType::TwistStamped => {
            inputs.subscribe(node, topic, qos::commands(), move |message: geometry::TwistStamped| {
                Some(M::wrap(Input::CommandReceived(messages::command(&message))))
            })
        }
        CommandType::Twist => {
            inputs.subscribe(node, topic, qos::commands(), move |message: geometry::Twist| {
                Some(M::wrap(Input::CommandReceived(messages::unstamped(&message))))
            })
        }
    }
}

/// A measurement of a known sensor. `unknown` are the frames that were already reported.
fn range(message: &Range, unknown: &mut BTreeSet<String>) -> Option<Input> {
    /// Further frames are not remembered, so they cannot fill the memory.
    const MAX_UNKNOWN: usize = 16;
    let frame = &message.header.frame_id;
    let Some(sensor) = Sensor::from_frame_id(frame) else {
        if unknown.len() < MAX_UNKNOWN && unknown.insert(frame.clone()) {
            let known = Sensor::FRAMES.join(", ");
            log::warn!(target: NAME, "'hind/ir' of sensor '{frame}' is ignored, frame_id must be one of: {known}");
        }
        return None;
    };
    let stamp = clock::from_wire(&message.header.stamp);
    let distance = measured(f64::from(message.range), f64::from(message.min_range));
    Some(Input::IrReceived { sensor, distance, stamp })
}
