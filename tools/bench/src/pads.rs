//! Speed of the joystick node.
//!
//! Times are from the stick event as SDL reports it to the subscription; the bare chain is one message between two r2r processes. `joy`
//! waits for `coalesce_interval` for further moves. Those of an unplugged pad are from publishing what pulls it out, at full speed, and
//! include DDS both ways. All are virtual pads of SDL: the event of a real one first passes
//! the kernel and SDL, which a pad whose file opens wakes up, and which polls any other every millisecond.

mod unplugs;

use std::time::Duration;

use r2r::geometry_msgs::msg::TwistStamped;
use r2r::or_joystick::msg::State;
use r2r::or_pose_estimator::msg::State as PoseState;
use r2r::sensor_msgs::msg::Joy;
use ros::{clock, qos};
use safety::Stamp;

use crate::chain::between;
use crate::hand::{Hand, RATE, STICK, Task};
use crate::peer::Peer;
use crate::stage::{Result, Stage};
use crate::table::{Distribution, table, times};

/// The vehicle's parameters, of which the joystick takes its own: one virtual pad that is moved over its topic.
const STACK: &str = include_str!("stack.yaml");
/// The joystick node with them.
const JOYSTICK: &[&str] = &["joystick", "--ros-args", "--params-file", "pads.yaml"];
/// The end of the bare chain.
const BARE: &str = "/bench/pads/bare";
/// How long a subject runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// The topics that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    /// `~/device/<name>`.
    Device,
    /// `joy`.
    Joy,
    /// `~/desired`.
    Desired,
    /// The end of the bare chain.
    Bare,
}

/// A message that came.
#[derive(Clone, Copy, Debug)]
struct Message {
    topic: Topic,
    stamp: Stamp,
    /// Whether all of the pad is let go, or the velocity is zero.
    rests: bool,
}

/// Times for each topic.
type Times = [Vec<Duration>; 4];

/// Measures all of it, one after the other; returns tables.
/// # Errors
/// A process does not start, ends, or nothing arrives.
pub fn measure(stage: &Stage) -> Result<String> {
    stage.put("pads.yaml", STACK)?;
    let (mut wires, hand) = (subscribe(stage)?, Hand::new(stage)?);
    let paths = paths(stage, &mut wires, &hand)?;
    Ok(format!("{paths}\n{}\n", unplugs::measure(stage, &mut wires, &hand)?))
}

fn subscribe(stage: &Stage) -> Result<Peer<Message>> {
    let mut wires = Peer::new(stage, "bench_pads")?;
    wires.subscribe("/joystick/device/Bench_Pad", qos::commands(), |message: State| Message {
        topic: Topic::Device,
        stamp: clock::from_wire(&message.ts),
        rests: message.axes.iter().all(|&axis| axis == 0) && !message.buttons.contains(&true),
    })?;
    wires.subscribe("/joy", qos::commands(), |message: Joy| Message {
        topic: Topic::Joy,
        stamp: clock::from_wire(&message.header.stamp),
        rests: message.axes.iter().all(|&axis| axis == 0.0)
            && message.buttons.iter().all(|&button| button == 0),
    })?;
    wires.subscribe("/joystick/desired", qos::commands(), |message: PoseState| Message {
        topic: Topic::Desired,
        stamp: clock::from_wire(&message.ts),
        rests: message.vel.first().is_none_or(|velocity| velocity.vx == 0.0),
    })?;
    wires.subscribe(BARE, qos::commands(), |message: TwistStamped| Message {
        topic: Topic::Bare,
        stamp: clock::from_wire(&message.header.stamp),
        rests: false,
    })?;
    Ok(wires)
}

/// From the stick event to each topic, in rounds with a bare chain of as many messages.
fn paths(stage: &Stage, wires: &mut Peer<Message>, hand: &Hand) -> Result<String> {
    let (count, seconds) = (stage.arguments.rounds, stage.arguments.seconds);
    let mut all = Times::default();
    for round in 1..=count {
        eprintln!("bench: pads: round {round} of {count}");
        stage.with("the joystick", &[JOYSTICK], |_| {
            hand.set(Task::Enable);
            wires.expect("the pad does not come", |message| message.topic == Topic::Device)?;
            wires.pause(WARM_UP)?; // a whole press of the dead-man button is in this
            record(stage, wires, hand, Topic::Desired, &mut all)
        })?;
        stage.with("the bare chain", &[&["bench", "stamp", STICK, BARE]], |_| {
            record(stage, wires, hand, Topic::Bare, &mut all)
        })?;
    }
    let [device, joy, desired, bare] = Distribution::all(all)?;
    let rows = [
        times("`~/device/<name>`", &device, &bare),
        times("`joy`", &joy, &bare),
        times("`~/desired`", &desired, &bare),
        times("bare chain of 1", &bare, &bare),
    ];
    let table = table("| stick event to | events | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |", rows);
    Ok(format!("{table}\n{RATE} events a second, {count} rounds of {seconds} s.\n"))
}

/// Adds what arrives while the hand drives, once the `first` topic has shown it.
fn record(
    stage: &Stage,
    wires: &mut Peer<Message>,
    hand: &Hand,
    first: Topic,
    all: &mut Times,
) -> Result<()> {
    hand.set(Task::Drive);
    wires.expect("nothing came", |message| message.topic == first && !message.rests)?;
    wires.pause(WARM_UP)?;
    wires.listen(stage.arguments.window(), |message, now| {
        all[message.topic as usize].push(between(message.stamp, now));
        false
    })?;
    hand.set(Task::Rest);
    Ok(())
}
