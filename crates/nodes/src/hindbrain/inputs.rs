use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hindbrain::{CommandType, Hindbrain, Input, Params, Sensor, Source, measured};
use r2r::sensor_msgs::msg::Range;
use r2r::std_msgs::msg::Bool;
use ros::panics::lock;
use ros::{Error, Inputs, clock, qos};
use safety::Contains;

use super::{INFRARED, NAME};
use crate::{command_topic, zone_scaler};

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
    inputs.subscribe::<Bool>(node, Source::Reset.name(), qos::edge(), flag(Input::ResetReceived))?;
    inputs.subscribe::<Bool>(node, Source::Estop.name(), qos::edge(), flag(Input::EstopReceived))?;
    let enables = enables.clone();
    inputs.subscribe::<Bool>(node, Source::Enable.name(), qos::edge(), move |message| {
        // A false stops at once. It is delivered once more after the count, which decides whether the next true can be a rise.
        enables.push(message.data);
        (!message.data).then(|| M::wrap(Input::EnableReceived(false)))
    })?;
    let fitted = params.core.infrared.fitted;
    let mut reported = BTreeSet::new();
    inputs.subscribe::<Range>(node, INFRARED, qos::heartbeat(), move |message| {
        Some(M::wrap(range(&message, fitted, &mut reported)?))
    })?;
    if !composed {
        let stamped = params.command_type == CommandType::TwistStamped;
        command_topic::subscribe(inputs, node, zone_scaler::COMMAND, stamped, |command| {
            M::wrap(Input::CommandReceived(command))
        })?;
    }
    Ok(())
}

/// A measurement of a known sensor. `reported` are the frames that nothing stops for, which were already logged.
fn range(message: &Range, fitted: [bool; 4], reported: &mut BTreeSet<String>) -> Option<Input> {
    /// Further frames are not remembered, so they cannot fill the memory.
    const MAX_REPORTED: usize = 16;
    let frame = &message.header.frame_id;
    let sensor = Sensor::from_frame_id(frame);
    let is_fitted = sensor.is_some_and(|sensor| fitted[sensor.index()]);
    if !is_fitted && reported.len() < MAX_REPORTED && reported.insert(frame.clone()) {
        let why = match sensor {
            Some(_) => "'ir.sensors' does not name it: an obstacle that it sees stops nothing".to_owned(),
            None => format!("frame_id must be one of: {}", Sensor::FRAMES.join(", ")),
        };
        log::warn!(target: NAME, "'hind/ir' of sensor '{frame}' is ignored, {why}");
    }
    let sensor = sensor?;
    let stamp = clock::from_wire(&message.header.stamp);
    let distance = measured(f64::from(message.range), f64::from(message.min_range));
    Some(Input::IrReceived { sensor, distance, stamp })
}
