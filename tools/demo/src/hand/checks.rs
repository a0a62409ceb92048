use core::time::Duration;

use haptix::MAX;
use safety::Instant;

use crate::hand::act::{Act, Feels};
use crate::hand::calls::{Answer, Call};
use crate::hand::observed::{Names, Reading};
use crate::hand::record::Record;
use crate::verdict::Verdict::{self, Bad, Good, Pending};
use crate::widgets::number;
use crate::words::words;

/// Facts that a check needs besides the record.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The names of the hand's parts.
    pub names: Names,
    /// Where the motors were when the hand was first seen \[rad\].
    pub start: [f32; MAX],
    /// After so long without a command the hand holds.
    pub timeout: Duration,
}

/// Upward reading of an accelerometer at rest \[m/s²\], and how far off a reading may be.
const GRAVITY: f32 = 9.81;
const GRAVITY_SLACK: f32 = 0.05;
/// The half of a right angle: the thumb's unit is tilted by it, all others stand upright in the pose of the start.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
/// A contact sensor is touched from this force on \[N\].
pub const TOUCH: f32 = 0.3;
/// How near a motor comes to where it shall be, and how far one that is held may be moved \[rad\].
const NEAR: f32 = 0.02;
/// Fingers below this speed are at rest \[rad/s\].
const RESTS: f32 = 0.05;
/// How long something that stays so is watched.
const WATCHED: Duration = Duration::from_millis(300);
/// How much sooner or later than its time-out a hold may be seen: the commander repeats every 50 ms, on a busy machine later.
const SOONER: Duration = Duration::from_millis(200);
const LATER: Duration = Duration::from_millis(300);

/// Expected outcome of an act.
pub fn expected(act: &Act, facts: &Facts) -> String {
    match act {
        Act::Rest => {
            format!("it is HOLDING, feels nothing, and its inertial units read {GRAVITY} m/s² upward")
        }
        Act::Grasp { feels, .. } => feels.text(),
        Act::Hold(_) => "the ball is held: no finger moves, and no force goes away".into(),
        Act::WrongCommand => "it is refused as a whole, with the NaN as the reason: no motor moves".into(),
        Act::Pull => format!("after {:.1} s of silence the hand is HOLDING", facts.timeout.as_secs_f64()),
        Act::Plug(true) => "the hand takes commands again, and the grasp does not go on by itself".into(),
        Act::Plug(false) => "commands may come again".into(),
        Act::Ball(true) => "the node puts it there".into(),
        Act::Ball(false) => "all contact forces are 0".into(),
        Act::Reset => "all motors are where they were at the start, and the hand is HOLDING".into(),
    }
}

/// Judges an act that began at `from` by what was recorded until `now`.
pub fn judge(act: &Act, record: &Record, facts: &Facts, from: Instant, now: Instant) -> Verdict {
    if !matches!(act, Act::WrongCommand)
        && let Some(bad) = not_accepted(record, from)
    {
        return bad;
    }
    match act {
        Act::Rest => rests(record, facts, from, now),
        Act::Grasp { feels: Feels::Contact(wanted), .. } => touched(record, facts, from, wanted),
        Act::Grasp { feels: Feels::Nothing, .. } => arrived(record, from, now),
        Act::Grasp { feels: Feels::Anything, .. } => settled(record, facts, from, now),
        Act::Hold(wanted) => held(record, facts, from, now, wanted),
        Act::WrongCommand => refused(record, from, now),
        Act::Pull => silent(record, facts, from, now),
        Act::Plug(true) => takes_commands(record, from, now),
        Act::Plug(false) => Good("the cable is plugged in".into()),
        Act::Ball(is_there) => placed(record, from, now, *is_there),
        Act::Reset => reset(record, facts, from, now),
    }
}

/// The first call that was not accepted.
fn not_accepted(record: &Record, from: Instant) -> Option<Verdict> {
    record.answers(from).find_map(|(call, answer)| match answer {
        Answer::Refused(why) => Some(Bad(format!("{} was refused: {why}", call.name()))),
        Answer::Silent => Some(Bad(format!("{} was not answered", call.name()))),
        Answer::Accepted | Answer::Grasps(_) => None,
    })
}

/// Whether a call was answered; which it was, is checked before.
fn is_answered(record: &Record, from: Instant, is_it: impl Fn(&Call) -> bool) -> bool {
    record.answers(from).any(|(call, _)| is_it(call))
}

fn waits() -> Verdict {
    Pending("no answer yet".into())
}

fn present(record: &Record, now: Instant) -> Reading {
    record.reading_at(now).copied().unwrap_or_default()
}

/// Since when the readings are as `is_so` says, if they are so to the end of the record.
fn since(record: &Record, from: Instant, is_so: impl Fn(&Reading) -> bool) -> Option<Duration> {
    let mut lasting = None;
    for (at, reading) in record.readings(from) {
        lasting = is_so(reading).then(|| lasting.unwrap_or(at));
    }
    lasting.map(|at: Instant| at.since(from))
}

fn newtons(forces: &[(&str, f32)]) -> String {
    let each: Vec<String> =
        forces.iter().map(|(name, force)| format!("{name} {}", number(f64::from(*force), 1))).collect();
    format!("{} N", words(&each))
}

fn after(time: Duration) -> String {
    format!("after {:.2} s", time.as_secs_f64())
}

/// Good or bad once it was watched for long enough, pending before.
fn watched(from: Instant, now: Instant, is_good: bool, seen: String) -> Verdict {
    match (now.since(from) >= WATCHED, is_good) {
        (true, true) => Good(seen),
        (true, false) => Bad(seen),
        (false, _) => Pending(seen),
    }
}

/// Upward direction in the frame of a unit, in the pose of the start.
fn up(imu: &str) -> [f32; 3] {
    if imu == "thumb" { [-HALF, 0.0, HALF] } else { [0.0, 0.0, 1.0] }
}

fn rests(record: &Record, facts: &Facts, from: Instant, now: Instant) -> Verdict {
    let mut worst = 0.0_f32;
    let mut force = 0.0_f32;
    for (_, reading) in record.readings(from) {
        force = force.max(reading.greatest_force());
        for (imu, acceleration) in facts.names.imus.iter().zip(reading.acceleration) {
            let parts = acceleration.iter().zip(up(imu));
            let off = parts.map(|(part, up)| (part - up * GRAVITY).powi(2)).sum::<f32>().sqrt();
            worst = worst.max(off);
        }
    }
    let has_readings = record.readings(from).next().is_some();
    let state = record.state_at(now);
    let units = facts.names.imus.len();
    let seen = format!("{state}; {units} units within {worst:.3} m/s² of it, forces up to {force:.1} N");
    let is_upright = has_readings && units > 0 && worst <= GRAVITY_SLACK;
    watched(from, now, is_upright && force == 0.0 && state == "HOLDING", seen)
}

fn touched(record: &Record, facts: &Facts, from: Instant, wanted: &[&str]) -> Verdict {
    if record.goal(from).is_none() {
        return waits();
    }
    let names = &facts.names;
    let before = record.reading_at(from).copied().unwrap_or_default();
    let already = names.forces(wanted, &before).into_iter().filter(|(_, force)| *force > 0.0);
    let already: Vec<(&str, f32)> = already.collect();
    if !already.is_empty() {
        return Bad(format!("it was touched before: {}", newtons(&already)));
    }
    let touches = |reading: &Reading| names.forces(wanted, reading).iter().all(|(_, force)| *force >= TOUCH);
    let last = record.readings(from).next_back().map(|(_, reading)| *reading).unwrap_or_default();
    let seen = newtons(&names.forces(wanted, &last));
    match since(record, from, touches) {
        Some(time) => Good(format!("{seen} {}", after(time))),
        None => Pending(seen),
    }
}

fn arrived(record: &Record, from: Instant, now: Instant) -> Verdict {
    let Some(goal) = record.goal(from) else { return waits() };
    let is_there = |reading: &Reading| reading.distance(goal) <= NEAR && reading.greatest_force() == 0.0;
    let last = present(record, now);
    let seen = format!("{:.2} rad from it, forces up to {:.1} N", last.distance(goal), last.greatest_force());
    match since(record, from, is_there) {
        Some(time) => Good(format!("{seen}, {}", after(time))),
        None => Pending(seen),
    }
}

fn settled(record: &Record, facts: &Facts, from: Instant, now: Instant) -> Verdict {
    if record.goal(from).is_none() {
        return waits();
    }
    let last = present(record, now);
    let all: Vec<&str> = facts.names.contacts.iter().map(String::as_str).collect();
    let mut forces = facts.names.forces(&all, &last);
    forces.retain(|(_, force)| *force > 0.0);
    let seen = if forces.is_empty() { "nothing is touched".into() } else { newtons(&forces) };
    let is_long = |time: &Duration| now.since(from) >= *time + WATCHED;
    match since(record, from, |reading| reading.speed() <= RESTS).filter(is_long) {
        Some(_) => Good(seen),
        None => Pending(seen),
    }
}

fn held(record: &Record, facts: &Facts, from: Instant, now: Instant, wanted: &[&str]) -> Verdict {
    let names = &facts.names;
    let least = record.readings(from).flat_map(|(_, reading)| names.forces(wanted, reading));
    let least = least.map(|(_, force)| force).fold(f32::INFINITY, f32::min);
    if least == f32::INFINITY {
        return Pending("no reading yet".into());
    }
    let begin = record.reading_at(from).copied().unwrap_or_default();
    let moved =
        record.readings(from).fold(0.0_f32, |far, (_, reading)| far.max(reading.distance(&begin.motor_pos)));
    let seen = format!("fingers moved {moved:.3} rad, no force below {least:.1} N");
    watched(from, now, least >= TOUCH && moved <= NEAR, seen)
}

fn refused(record: &Record, from: Instant, now: Instant) -> Verdict {
    let answer =
        record.answers(from).find(|(call, _)| **call == Call::WrongCommand).map(|(_, answer)| answer);
    let why = match answer {
        None => return waits(),
        Some(Answer::Refused(why)) => why,
        Some(Answer::Silent) => return Bad("it was not answered".into()),
        Some(Answer::Accepted | Answer::Grasps(_)) => return Bad("it was accepted".into()),
    };
    let begin = record.reading_at(from).copied().unwrap_or_default();
    let moved =
        record.readings(from).fold(0.0_f32, |far, (_, reading)| far.max(reading.distance(&begin.motor_pos)));
    let seen = format!("'{why}'; motors moved {moved:.3} rad");
    watched(from, now, why.contains("NaN") && moved <= NEAR, seen)
}

fn silent(record: &Record, facts: &Facts, from: Instant, now: Instant) -> Verdict {
    if record.state_at(from) == "HOLDING" {
        return Good("it was HOLDING already".into());
    }
    let (passed, bound) = (now.since(from), facts.timeout.saturating_add(LATER));
    match record.state_since(from, "HOLDING").map(|at| at.since(from)) {
        Some(time) if time.saturating_add(SOONER) < facts.timeout => {
            Bad(format!("HOLDING already {}", after(time)))
        }
        Some(time) if time <= bound && record.state_at(now) == "HOLDING" => {
            Good(format!("HOLDING {}", after(time)))
        }
        None if passed <= bound => Pending(format!("{} {}", record.state_at(now), after(passed))),
        _ => Bad(format!("{} {}", record.state_at(now), after(passed))),
    }
}

fn takes_commands(record: &Record, from: Instant, now: Instant) -> Verdict {
    let state = record.state_at(now);
    match record.state_since(from, "FOLLOWING") {
        Some(at) if state == "FOLLOWING" => Good(format!("{state} {}", after(at.since(from)))),
        _ if record.state_at(from) == "FOLLOWING" && state == "FOLLOWING" => Good(state.into()),
        _ => Pending(state.into()),
    }
}

fn placed(record: &Record, from: Instant, now: Instant, is_there: bool) -> Verdict {
    if !is_answered(record, from, |call| *call == Call::Ball(is_there)) {
        return waits();
    }
    let force = present(record, now).greatest_force();
    let seen = format!("forces up to {force:.1} N");
    match since(record, from, |reading| reading.greatest_force() == 0.0) {
        _ if is_there => Good(format!("the ball is there, {seen}")),
        Some(_) => Good(format!("the ball is away, {seen}")),
        None => Pending(seen),
    }
}

fn reset(record: &Record, facts: &Facts, from: Instant, now: Instant) -> Verdict {
    if !is_answered(record, from, |call| *call == Call::Reset) {
        return waits();
    }
    let (far, state) = (present(record, now).distance(&facts.start), record.state_at(now));
    let seen = format!("{state}, {far:.3} rad from the start");
    match since(record, from, |reading| reading.distance(&facts.start) <= NEAR) {
        Some(time) if state == "HOLDING" => Good(format!("{seen}, {}", after(time))),
        _ => Pending(seen),
    }
}

#[cfg(test)]
mod tests;
