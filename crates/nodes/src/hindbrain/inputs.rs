use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hindbrain::{CommandType, Input, IrSource, Params, Scan, Sectors, Sensor, distances, measured};
use r2r::geometry_msgs::msg as geometry;
use r2r::sensor_msgs::msg::{LaserScan, Range};
use r2r::std_msgs::msg::Bool;
use ros::{Candidate, Error, Inputs, clock, qos};
use units::{Command, Instant, Machine, Stamp};

use super::NAME;
use super::graph::{Heard, Publishers};
use crate::stamps::{Age, age};
use crate::{messages, zone_scaler};

/// For so long after a reliable message a best-effort one of the same switch is taken for its copy.
const COPY: Duration = Duration::from_millis(200);

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
    // Before the e-stop: of what came in one go nobody knows the order, and a click before the press must not undo it.
    inputs.subscribe::<Bool>(node, "hind/reset", edge.clone(), flag(Input::ResetReceived))?;
    // Twice: a press must not be lost on the way, and must be heard from whomever it comes. Hearing it twice does no harm.
    inputs.subscribe::<Bool>(node, "hind/estop", edge.clone(), flag(Input::EstopReceived))?;
    inputs.subscribe::<Bool>(node, "hind/estop", qos::sensor(), flag(Input::EstopReceived))?;
    // A switch-off is heard from whomever it comes; a switch-on that comes again after it would be an edge. What a reliable
    // publisher says comes here both ways, and a copy that is late must not switch off again what it switched on.
    let reliable = Arc::new(AtomicU64::new(0));
    let best_effort = Arc::clone(&reliable);
    inputs.subscribe::<Bool>(node, "hind/enable", edge, move |message| {
        reliable.store(clock::now().as_nanos(), Ordering::Relaxed);
        Some(wrap(Input::EnableReceived(message.data)))
    })?;
    inputs.subscribe_in_part::<Bool>(node, "hind/enable", qos::sensor(), move |message| {
        let heard = Instant::from_nanos(best_effort.load(Ordering::Relaxed));
        let is_copy = heard > Instant::ZERO && clock::now().since(heard) < COPY;
        (!message.data && !is_copy).then(|| wrap(Input::EnableReceived(false)))
    })?;
    let mut strangers = BTreeSet::new();
    let fresh = Freshness {
        judge: params.judge_stamps.then_some(params.stamp_tolerance),
        most: Duration::from_nanos(params.core.infrared.sight.timeout),
    };
    match params.ir_source {
        IrSource::Range => inputs.subscribe::<Range>(node, "hind/ir", qos::sensor(), move |message| {
            Some(wrap(range(&message, fresh, &mut strangers)?))
        })?,
        IrSource::Scan(sectors) => {
            inputs.subscribe::<LaserScan>(node, "hind/scan", qos::sensor(), move |message| {
                let stamp = clock::from_wire(&message.header.stamp);
                let distances = if fresh.allows(stamp) { scan(&message, &sectors) } else { [None; 4] };
                Some(wrap(Input::ScanReceived { distances, stamp }))
            })?;
        }
    }
    if !composed {
        commands(inputs, node, params, publishers, wrap)?;
    }
    Ok(())
}

fn commands<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    publishers: &Publishers,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    let topic = zone_scaler::COMMAND;
    let judge = params.judge_stamps.then_some(params.stamp_tolerance);
    let heard = publishers.clone();
    let stamped = move |message: geometry::TwistStamped| {
        heard.hear(Heard::TwistStamped);
        let stamp = messages::stamp(&message);
        Some(wrap(match messages::velocity(&message.twist) {
            Ok(velocity) => judged(Command { velocity, stamp }, clock::stamp(), judge),
            Err(not_finite) => Input::CommandReceived(Err(not_finite)),
        }))
    };
    let heard = publishers.clone();
    let mut latest = Stamp::ZERO;
    let plain = move |message: geometry::Twist| {
        heard.hear(Heard::Twist);
        // Stamped on receipt; a clock that is set back makes none late.
        latest = latest.max(clock::stamp());
        let stamp = latest;
        let command = |velocity| Command { velocity, stamp };
        Some(wrap(Input::CommandReceived(messages::velocity(&message).map(command))))
    };
    match params.command_type {
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

/// A command with what its stamp says of its age at `now`, see [`age`].
fn judged(command: Command, now: Stamp, judge: Option<Duration>) -> Input {
    match age(command.stamp, now, judge) {
        Age::Unsaid => Input::CommandReceived(Ok(command)),
        Age::Old(age) => Input::LateCommandReceived { command, age },
        Age::Ahead(ahead) => Input::FutureCommandReceived { command, ahead },
    }
}

/// Which measurements are of now, by their stamps.
#[derive(Clone, Copy)]
struct Freshness {
    /// How far a stamp may lie in the future; `None` leaves stamps alone.
    judge: Option<Duration>,
    /// How old it may be.
    most: Duration,
}

impl Freshness {
    fn allows(self, stamp: Stamp) -> bool {
        match age(stamp, clock::stamp(), self.judge) {
            Age::Unsaid => true,
            Age::Old(age) => age < self.most,
            Age::Ahead(_) => false,
        }
    }
}

/// A measurement that is not of now is none. `strangers` are the frames that were told of already.
fn range(message: &Range, fresh: Freshness, strangers: &mut BTreeSet<String>) -> Option<Input> {
    /// More are not remembered, so that they cannot fill the memory.
    const MOST: usize = 16;
    let frame = &message.header.frame_id;
    let Some(sensor) = Sensor::from_frame_id(frame) else {
        if strangers.len() < MOST && strangers.insert(frame.clone()) {
            let known = Sensor::FRAMES.join(", ");
            log::warn!(target: NAME, "'hind/ir' of sensor '{frame}' is ignored, frame_id must be one of: {known}");
        }
        return None;
    };
    let stamp = clock::from_wire(&message.header.stamp);
    let distance =
        measured(f64::from(message.range), f64::from(message.min_range)).filter(|_| fresh.allows(stamp));
    Some(Input::IrReceived { sensor, distance, stamp })
}

fn scan(message: &LaserScan, sectors: &Sectors) -> [Option<f64>; 4] {
    let scan = Scan {
        angle_min: f64::from(message.angle_min),
        angle_increment: f64::from(message.angle_increment),
        least: f64::from(message.range_min),
        ranges: &message.ranges,
    };
    distances(&scan, sectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_makes_a_command_older_and_never_fresher() {
        let tolerance = Some(Duration::from_millis(100));
        let now = Stamp { sec: 100, nanosec: 0 };
        let judge = |sec, nanosec, judge| {
            judged(Command { stamp: Stamp { sec, nanosec }, ..Command::default() }, now, judge)
        };
        let age = |input| match input {
            Input::LateCommandReceived { age, .. } => Some(age.as_millis()),
            _ => None,
        };
        assert_eq!(age(judge(99, 700_000_000, tolerance)), Some(300));
        assert_eq!(age(judge(96, 0, tolerance)), Some(4000));
        assert_eq!(age(judge(100, 0, tolerance)), Some(0));
        assert_eq!(age(judge(100, 100_000_000, tolerance)), Some(0), "within the tolerance it is of now");
        let ahead = judge(100, 100_000_001, tolerance);
        assert!(matches!(ahead, Input::FutureCommandReceived { ahead, .. } if ahead > 0.1), "{ahead:?}");
        for input in [judge(0, 0, tolerance), judge(3700, 0, None)] {
            assert!(matches!(input, Input::CommandReceived(Ok(_))), "{input:?}");
        }
    }
}
