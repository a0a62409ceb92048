use core::time::Duration;

use haptix::MAX;

use crate::calls::Failure;
use crate::client::episode::{lasting, unanswered};
use crate::hand::act::{Act, Feels};
use crate::hand::calls::Call;
use crate::hand::client::{Hand, Message};
use crate::hand::reading::Reading;
use crate::verdict::Verdict::{self, Bad, Good, Pending};
use crate::words::{after, number, words};

type Episode = crate::client::episode::Episode<Hand>;

/// Upward reading of an accelerometer at rest \[m/s²\], and how far off a reading may be.
const GRAVITY: f32 = 9.81;
const GRAVITY_SLACK: f32 = 0.05;
/// The half of a right angle: the thumb's unit is tilted by it, all others stand upright in the pose of the start.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
/// A contact sensor is touched from this force on \[N\].
const TOUCH: f32 = 0.3;
/// How near a motor comes to where it shall be, and how far one that is held may be moved \[rad\].
const NEAR: f32 = 0.02;
/// Fingers below this speed are at rest \[rad/s\].
const RESTS: f32 = 0.05;
/// How long something that stays so is watched.
const WATCHED: Duration = Duration::from_millis(300);
/// How much sooner or later than its time-out a hold may be seen: the commander repeats every 50 ms, on a busy machine later.
const SOONER: Duration = Duration::from_millis(200);
const LATER: Duration = Duration::from_millis(300);

/// Expected outcome of an act of `hand`.
pub fn expected(hand: &Hand, act: &Act) -> String {
    match act {
        Act::Rest => {
            format!("it is HOLDING, feels nothing, and its inertial units read {GRAVITY} m/s² upward")
        }
        Act::Grasp { feels, .. } => feels.to_string(),
        Act::Hold(_) => "the ball is held: no finger moves, and no force goes away".into(),
        Act::WrongCommand => "it is refused as a whole, with the NaN as the reason: no motor moves".into(),
        Act::Pull => {
            format!("after {:.1} s of silence the hand is HOLDING", hand.device.command_timeout.as_secs_f64())
        }
        Act::Plug if hand.is_active => {
            "the hand takes commands again, and the grasp does not go on by itself".into()
        }
        Act::Plug => "commands may come again".into(),
        Act::Ball(true) => "the node puts it there".into(),
        Act::Ball(false) => "all contact forces are 0".into(),
        Act::Reset => "all motors are where they were at the start, and the hand is HOLDING".into(),
    }
}

/// Judges an act `passed` after its begin, while `hand` is as it is.
pub fn judge(hand: &Hand, episode: &Episode, passed: Duration) -> Verdict {
    if episode.act != Act::WrongCommand
        && let Some(bad) = episode.not_accepted()
    {
        return bad;
    }
    let is_answered = |wanted: &Call| episode.answers().any(|(call, _)| call == wanted);
    match &episode.act {
        Act::Rest => rests(hand, episode, passed),
        Act::Grasp { feels, .. } => match (goal(episode), feels) {
            (None, _) => unanswered(),
            (Some(_), Feels::Contact(wanted)) => touched(hand, episode, wanted),
            (Some(goal), Feels::Nothing) => arrived(hand, episode, goal),
            (Some(_), Feels::Anything) => settled(hand, episode, passed),
        },
        Act::Hold(wanted) => held(hand, episode, passed, wanted),
        Act::WrongCommand => refused(episode, passed),
        Act::Pull => silent(hand, episode, passed),
        Act::Plug if episode.before.is_active => takes_commands(hand, episode),
        Act::Plug => Good("the cable is plugged in".into()),
        Act::Ball(is_there) if !is_answered(&Call::Ball(*is_there)) => unanswered(),
        Act::Ball(is_there) => placed(hand, episode, *is_there),
        Act::Reset if !is_answered(&Call::Reset) => unanswered(),
        Act::Reset => reset(hand, episode),
    }
}

/// The readings since the begin.
fn readings(episode: &Episode) -> impl Iterator<Item = (Duration, &Reading)> {
    episode.received(|message| if let Message::Reading(reading) = message { Some(&**reading) } else { None })
}

/// Where the grasp moves the motors \[rad\], once the node has answered.
fn goal(episode: &Episode) -> Option<&[f32; MAX]> {
    episode.answers().rev().find_map(|(_, answer)| answer.as_ref().ok()?.as_deref())
}

/// When the hand was first seen in this state.
fn state_since(episode: &Episode, wanted: &str) -> Option<Duration> {
    let is_it = |message: &Message| matches!(message, Message::State(state) if state == wanted).then_some(());
    episode.received(is_it).next().map(|(at, ())| at)
}

/// How far the motors have been from where they were at the begin \[rad\].
fn moved(episode: &Episode) -> f32 {
    let begin = episode.before.present().motor_pos;
    readings(episode).fold(0.0, |far, (_, reading)| far.max(reading.distance(&begin)))
}

fn newtons(forces: &[(&str, f32)]) -> String {
    let each: Vec<String> =
        forces.iter().map(|(name, force)| format!("{name} {}", number(f64::from(*force), 1))).collect();
    format!("{} N", words(&each))
}

/// Upward direction in the frame of a unit, in the pose of the start.
fn up(imu: &str) -> [f32; 3] {
    if imu == "thumb" { [-HALF, 0.0, HALF] } else { [0.0, 0.0, 1.0] }
}

fn rests(hand: &Hand, episode: &Episode, passed: Duration) -> Verdict {
    let imus = &hand.names.imus;
    let (mut worst, mut force) = (0.0_f32, 0.0_f32);
    for (_, reading) in readings(episode) {
        force = force.max(reading.greatest_force());
        for (imu, acceleration) in imus.iter().zip(reading.acceleration) {
            let parts = acceleration.iter().zip(up(imu));
            let off = parts.map(|(part, up)| (part - up * GRAVITY).powi(2)).sum::<f32>().sqrt();
            worst = worst.max(off);
        }
    }
    let has_readings = readings(episode).next().is_some();
    let (state, units) = (hand.state(), imus.len());
    let seen = format!("{state}; {units} units within {worst:.3} m/s² of it, forces up to {force:.1} N");
    let is_upright = has_readings && units > 0 && worst <= GRAVITY_SLACK;
    Verdict::watched(passed, WATCHED, is_upright && force == 0.0 && state == "HOLDING", seen)
}

fn touched(hand: &Hand, episode: &Episode, wanted: &[&str]) -> Verdict {
    let mut already = hand.names.forces(wanted, &episode.before.present());
    already.retain(|(_, force)| *force > 0.0);
    if !already.is_empty() {
        return Bad(format!("it was touched before: {}", newtons(&already)));
    }
    let touches =
        |reading: &Reading| hand.names.forces(wanted, reading).iter().all(|(_, force)| *force >= TOUCH);
    let seen = newtons(&hand.names.forces(wanted, &hand.present()));
    match lasting(readings(episode), touches) {
        Some(time) => Good(format!("{seen} {}", after(time))),
        None => Pending(seen),
    }
}

fn arrived(hand: &Hand, episode: &Episode, goal: &[f32; MAX]) -> Verdict {
    let is_there = |reading: &Reading| reading.distance(goal) <= NEAR && reading.greatest_force() == 0.0;
    let last = hand.present();
    let seen = format!("{:.2} rad from it, forces up to {:.1} N", last.distance(goal), last.greatest_force());
    match lasting(readings(episode), is_there) {
        Some(time) => Good(format!("{seen}, {}", after(time))),
        None => Pending(seen),
    }
}

fn settled(hand: &Hand, episode: &Episode, passed: Duration) -> Verdict {
    let all: Vec<&str> = hand.names.contacts.iter().map(String::as_str).collect();
    let mut forces = hand.names.forces(&all, &hand.present());
    forces.retain(|(_, force)| *force > 0.0);
    let seen = if forces.is_empty() { "nothing is touched".into() } else { newtons(&forces) };
    match lasting(readings(episode), |reading| reading.speed() <= RESTS) {
        Some(time) if passed >= time + WATCHED => Good(seen),
        _ => Pending(seen),
    }
}

fn held(hand: &Hand, episode: &Episode, passed: Duration, wanted: &[&str]) -> Verdict {
    let forces = readings(episode).flat_map(|(_, reading)| hand.names.forces(wanted, reading));
    let least = forces.map(|(_, force)| force).fold(f32::INFINITY, f32::min);
    if least == f32::INFINITY {
        return Pending("no reading yet".into());
    }
    let moved = moved(episode);
    let seen = format!("fingers moved {moved:.3} rad, no force below {least:.1} N");
    Verdict::watched(passed, WATCHED, least >= TOUCH && moved <= NEAR, seen)
}

fn refused(episode: &Episode, passed: Duration) -> Verdict {
    let why = match episode.answers().next().map(|(_, answer)| answer) {
        None => return unanswered(),
        Some(Err(Failure::Refused(why))) => why,
        Some(Err(Failure::Silent)) => return Bad("it was not answered".into()),
        Some(Ok(_)) => return Bad("it was accepted".into()),
    };
    let moved = moved(episode);
    let seen = format!("'{why}'; motors moved {moved:.3} rad");
    Verdict::watched(passed, WATCHED, why.contains("NaN") && moved <= NEAR, seen)
}

fn silent(hand: &Hand, episode: &Episode, passed: Duration) -> Verdict {
    if episode.before.state() == "HOLDING" {
        return Good("it was HOLDING already".into());
    }
    let (state, timeout) = (hand.state(), hand.device.command_timeout);
    let bound = timeout.saturating_add(LATER);
    match state_since(episode, "HOLDING") {
        Some(time) if time.saturating_add(SOONER) < timeout => {
            Bad(format!("HOLDING already {}", after(time)))
        }
        Some(time) if time <= bound && state == "HOLDING" => Good(format!("HOLDING {}", after(time))),
        None if passed <= bound => Pending(format!("{state} {}", after(passed))),
        _ => Bad(format!("{state} {}", after(passed))),
    }
}

fn takes_commands(hand: &Hand, episode: &Episode) -> Verdict {
    let state = hand.state();
    match state_since(episode, "FOLLOWING") {
        Some(at) if state == "FOLLOWING" => Good(format!("{state} {}", after(at))),
        _ if state == "FOLLOWING" => Good(state.into()),
        _ => Pending(state.into()),
    }
}

fn placed(hand: &Hand, episode: &Episode, is_there: bool) -> Verdict {
    let seen = format!("forces up to {:.1} N", hand.present().greatest_force());
    match lasting(readings(episode), |reading| reading.greatest_force() == 0.0) {
        _ if is_there => Good(format!("the ball is there, {seen}")),
        Some(_) => Good(format!("the ball is away, {seen}")),
        None => Pending(seen),
    }
}

fn reset(hand: &Hand, episode: &Episode) -> Verdict {
    let state = hand.state();
    let seen = format!("{state}, {:.3} rad from the start", hand.present().distance(&hand.start));
    match lasting(readings(episode), |reading| reading.distance(&hand.start) <= NEAR) {
        Some(time) if state == "HOLDING" => Good(format!("{seen}, {}", after(time))),
        _ => Pending(seen),
    }
}

#[cfg(test)]
mod tests;
