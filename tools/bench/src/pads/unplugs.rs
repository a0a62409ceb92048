use std::time::Duration;

use r2r::or_joystick::msg::State;
use ros::clock;

use super::{JOYSTICK, Message, Times, Topic};
use crate::chain::between;
use crate::hand::{Hand, pad};
use crate::peer::Peer;
use crate::stage::{Result, START, Stage};
use crate::table::{Distribution, table};

/// Within which a pad that goes has to be let go everywhere.
const BOUND: Duration = Duration::from_millis(50);
/// The pad is moved so often while it drives; after half a second without it is unplugged by itself.
const REPEAT: Duration = Duration::from_millis(20);
/// It drives for so long, and a bit more each time, so that the node is met in every phase of its cycle.
const DRIVES: Duration = Duration::from_millis(100);
const FULL: i16 = -32_767;

/// Unplugs a pad that drives at full speed, and measures until each topic and all of them show it; returns a table.
/// # Errors
/// The node does not start, or one of the three never comes.
pub fn measure(stage: &Stage, wires: &mut Peer<Message>, hand: &Hand) -> Result<String> {
    let count = stage.arguments.unplugs;
    let mut times = Times::default();
    stage.with("the unplugging", &[JOYSTICK], |_| {
        for trial in 1..=count {
            let took = unplug(wires, hand, trial).map_err(|why| format!("in trial {trial}: {why}"))?;
            let all = took.into_iter().max().unwrap_or_default();
            times.iter_mut().zip(took.into_iter().chain([all])).for_each(|(times, took)| times.push(took));
            if trial.is_multiple_of(50) {
                eprintln!("bench: pads: {trial} of {count} unplugged");
            }
        }
        Ok(())
    })?;
    let names = ["released `~/device/<name>`", "neutral `joy`", "zero `~/desired`", "all three"];
    let rows = names.into_iter().zip(Distribution::all(times)?).map(|(name, times)| {
        format!("| {name} | {} | {} | {} |", times.count(), times.millis(), times.within(BOUND))
    });
    Ok(table(
        "| unplugged to | trials | min [ms] | p50 [ms] | p90 [ms] | p99 [ms] | max [ms] | within 50 ms |",
        rows,
    ))
}

/// How long each of the three topics takes.
fn unplug(wires: &mut Peer<Message>, hand: &Hand, trial: u32) -> Result<[Duration; 3]> {
    // The dead-man button goes down after the pad is there: what is held at the plug does not drive.
    let is_there = |message: Message| message.topic == Topic::Device && message.rests;
    if !hold(wires, hand, &pad(0, false), START, is_there)? {
        return Err("the pad does not come".into());
    }
    // Both topics must have reported full speed before anything is measured.
    let (mut drives, mut is_reported) = (false, false);
    let is_driven = |message: Message| {
        drives |= message.topic == Topic::Desired && !message.rests;
        is_reported |= message.topic == Topic::Joy && !message.rests;
        drives && is_reported
    };
    let full = pad(FULL, true);
    if !hold(wires, hand, &full, START, is_driven)? {
        return Err("the pad does not drive".into());
    }
    hold(wires, hand, &full, DRIVES + Duration::from_micros(337) * (trial % 60), |_| false)?;
    let gone = clock::stamp();
    hand.set_pad(&State::default())?;
    let mut came = [None; 3];
    wires.listen(START, |message, now| {
        if message.rests {
            came[message.topic as usize].get_or_insert(between(gone, now));
        }
        came.iter().all(Option::is_some)
    })?;
    let [Some(device), Some(joy), Some(desired)] = came else {
        return Err(format!("of device, joy and desired came {came:?}").into());
    };
    Ok([device, joy, desired])
}

/// Holds the pad in a state for `time`, or until a message shows what `is_shown`; returns whether one did.
fn hold(
    wires: &mut Peer<Message>,
    hand: &Hand,
    state: &State,
    time: Duration,
    mut is_shown: impl FnMut(Message) -> bool,
) -> Result<bool> {
    let end = clock::now() + time;
    while clock::now() < end {
        hand.set_pad(state)?;
        let pause = end.since(clock::now()).min(REPEAT);
        if wires.listen(pause, |message, _| is_shown(message))? {
            return Ok(true);
        }
    }
    Ok(false)
}
