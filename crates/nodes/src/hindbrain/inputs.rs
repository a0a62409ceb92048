use hindbrain::{CommandType, Input, IrSource, Params, Scan, Sectors, Sensor, distances, measured};
use r2r::geometry_msgs::msg as geometry;
use r2r::sensor_msgs::msg::{LaserScan, Range};
use r2r::std_msgs::msg::Bool;
use ros::{Candidate, Error, Inputs, clock, qos};
use units::{Command, Machine};

use super::NAME;
use super::graph::{Heard, Publishers};
use crate::{messages, zone_scaler};

/// Listens to what stops first, then, unless the composed process feeds the commands itself, to `cmd_vel`.
/// # Errors
/// The middleware refuses a topic.
pub fn listen<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    composed: bool,
    publishers: &Publishers,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    let edge = qos::edge();
    let flag = |make: fn(bool) -> Input| move |message: Bool| Some(wrap(make(message.data)));
    // Twice: a press must not be lost on the way, and must be heard from whomever it comes. Hearing it twice does no harm.
    inputs.subscribe::<Bool>(node, "hind/estop", edge.clone(), flag(Input::EstopReceived))?;
    inputs.subscribe::<Bool>(node, "hind/estop", qos::sensor(), flag(Input::EstopReceived))?;
    inputs.subscribe::<Bool>(node, "hind/enable", edge.clone(), flag(Input::EnableReceived))?;
    inputs.subscribe::<Bool>(node, "hind/reset", edge, flag(Input::ResetReceived))?;
    match params.ir_source {
        IrSource::Range => inputs.subscribe::<Range>(node, "hind/ir", qos::sensor(), move |message| {
            Some(wrap(range(&message)?))
        })?,
        IrSource::Scan(sectors) => {
            inputs.subscribe::<LaserScan>(node, "hind/scan", qos::sensor(), move |message| {
                Some(wrap(Input::ScanReceived(scan(&message, &sectors))))
            })?;
        }
    }
    if !composed {
        commands(inputs, node, params.command_type, publishers, wrap)?;
    }
    Ok(())
}

fn commands<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    command_type: CommandType,
    publishers: &Publishers,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    let topic = zone_scaler::COMMAND;
    let command = move |velocity: Result<units::Velocity, units::NotFinite>, stamp| {
        Some(wrap(Input::CommandReceived(velocity.map(|velocity| Command { velocity, stamp }))))
    };
    let heard = publishers.clone();
    let stamped = move |message: geometry::TwistStamped| {
        heard.hear(Heard::TwistStamped);
        command(messages::velocity(&message.twist), messages::stamp(&message))
    };
    let heard = publishers.clone();
    let plain = move |message: geometry::Twist| {
        heard.hear(Heard::Twist);
        command(messages::velocity(&message), clock::stamp())
    };
    match command_type {
        CommandType::TwistStamped => inputs.subscribe(node, topic, qos::commands(), stamped),
        CommandType::Twist => inputs.subscribe(node, topic, qos::commands(), plain),
        CommandType::Auto => {
            let candidates =
                vec![Candidate::new(qos::commands(), stamped), Candidate::new(qos::commands(), plain)];
            inputs.subscribe_to_first(topic, candidates);
            Ok(())
        }
    }
}

fn range(message: &Range) -> Option<Input> {
    let Some(sensor) = Sensor::from_frame_id(&message.header.frame_id) else {
        log::debug!(target: NAME, "'hind/ir' of unknown sensor '{}' is ignored", message.header.frame_id);
        return None;
    };
    let limits = [f64::from(message.min_range), f64::from(message.max_range)];
    Some(Input::IrReceived { sensor, distance: measured(f64::from(message.range), limits) })
}

fn scan(message: &LaserScan, sectors: &Sectors) -> [Option<f64>; 4] {
    let scan = Scan {
        angle_min: f64::from(message.angle_min),
        angle_increment: f64::from(message.angle_increment),
        range: [f64::from(message.range_min), f64::from(message.range_max)],
        ranges: &message.ranges,
    };
    distances(&scan, sectors)
}
