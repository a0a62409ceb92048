use core::time::Duration;

use crate::arm::act::{Act, Motion};
use crate::arm::calls::Call;
use crate::arm::client::{Arm, Command, Message};
use crate::arm::robot::{Controller, Joint, JointState, Listed, Quantity, run, running};
use crate::calls::{Answer, Failure};
use crate::client::episode::{lasting, unanswered};
use crate::verdict::Verdict::{self, Bad, Good, Pending};
use crate::words::{after, number, words};

type Episode = crate::client::episode::Episode<Arm>;

/// How near to a commanded position a joint comes \[rad\]: `goal_tolerance` of `config/arm.yaml`.
const GOAL: f64 = 0.02;
/// After this time without a command an effort is 0, and a velocity is controlled to 0: `timeout`, the same in the node's defaults.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How much later that may be seen.
const SLACK: Duration = Duration::from_millis(300);
/// How long pan may then take to slow down, and to which velocity \[rad/s\].
const BRAKING: Duration = Duration::from_millis(700);
const STANDS: f64 = 0.1;
/// Below this an effort is none \[Nm\].
const NONE: f64 = 1e-6;
/// How far a joint that holds its position may be from it \[rad\].
const HELD: f64 = 0.05;
/// How long a hold is watched.
const WATCHED: Duration = Duration::from_millis(300);

/// Expected outcome of an act of `arm`; `None` if it is not judged.
pub fn expected(arm: &Arm, act: &Act) -> Option<String> {
    Some(match act {
        Act::Load => "each is accepted, and none of them runs yet".into(),
        Act::Switch { start, stop } if start.is_empty() => format!("stopped: {}", words(stop)),
        Act::Switch { start, stop } if stop.is_empty() => run(start),
        Act::Switch { start, .. } => format!("between two steps of the loop; {}", run(start)),
        Act::WrongSwitch => "it is refused, and the same controllers run as before".into(),
        Act::Move(_) => format!("within {GOAL} rad of it"),
        Act::Swing(_) => return None,
        Act::Follow(_) => format!("within {GOAL} rad of its end"),
        Act::Repeat(controller, _) => format!("pan has that {}", controller.quantity().words().0),
        Act::Pull(Some(Controller::PanEffort)) => "after 0.5 s of silence pan's effort is 0".into(),
        Act::Pull(Some(Controller::PanVelocity)) => "after 0.5 s of silence pan slows down and stands".into(),
        Act::Pull(_) => "the last position is held: silence stops a motion, not a hold".into(),
        Act::Plug => "commands go on".into(),
        Act::Halt => "no effort at once; the controllers go on running".into(),
        Act::Reset if arm.holds_pan() => {
            "the controllers restart once: pan stays, the old command is forgotten".into()
        }
        Act::Reset => "the motors are on again, and the controllers restart once".into(),
        Act::Unload => "none is left".into(),
    })
}

/// Judges an act `passed` after its begin, while `arm` is as it is.
pub fn judge(arm: &Arm, episode: &Episode, passed: Duration) -> Verdict {
    if episode.act != Act::WrongSwitch
        && let Some(bad) = episode.not_accepted()
    {
        return bad;
    }
    let is_listed = episode.answers().any(|(call, _)| *call == Call::List);
    let (before, list) = (&episode.before.answered, &arm.answered);
    match &episode.act {
        Act::Move(_) | Act::Swing(_) => reached(arm, episode),
        Act::Follow(motion) => followed(arm, episode, motion, passed),
        Act::Repeat(controller, value) => repeated(arm, episode, *controller, *value),
        Act::Pull(controller) => silent(arm, episode, passed, *controller),
        Act::Plug => Good("the cable is plugged in".into()),
        _ if !is_listed => unanswered(),
        Act::Load => loaded(list),
        Act::Switch { start, stop } => switched(before, list, start, stop),
        Act::WrongSwitch => refused(before, list, episode.answers().next().map(|(_, answer)| answer)),
        Act::Halt | Act::Reset if running(before) != running(list) => {
            Bad(format!("{}, before it were {}", run(&running(list)), words(&running(before))))
        }
        Act::Halt => halted(arm, episode),
        Act::Reset => reset(arm, episode, passed),
        Act::Unload if list.is_empty() => Good("no controller is loaded".into()),
        Act::Unload => {
            let left: Vec<&String> = list.iter().map(|listed| &listed.name).collect();
            Bad(format!("still loaded: {}", words(&left)))
        }
    }
}

fn loaded(list: &[Listed]) -> Verdict {
    let is_stopped =
        |one: &Controller| list.iter().any(|listed| listed.name == one.name() && !listed.is_running);
    let (stopped, all) =
        (Controller::ALL.iter().filter(|one| is_stopped(one)).count(), Controller::ALL.len());
    let seen = format!("{stopped} of {all} are loaded and stopped");
    if stopped == all { Good(seen) } else { Bad(seen) }
}

fn switched(before: &[Listed], list: &[Listed], start: &[Controller], stop: &[Controller]) -> Verdict {
    let mut wanted = running(before);
    wanted.retain(|name| !stop.iter().any(|stopped| stopped.name() == *name));
    wanted.extend(start.iter().map(|started| started.name()));
    wanted.sort_unstable();
    wanted.dedup();
    let runs = running(list);
    if runs == wanted {
        Good(format!("accepted; {}", run(&runs)))
    } else {
        Bad(format!("{}, must be {}", run(&runs), words(&wanted)))
    }
}

fn refused(before: &[Listed], list: &[Listed], answer: Option<&Answer<Vec<Listed>>>) -> Verdict {
    let (before, after) = (running(before), running(list));
    match answer {
        Some(Err(Failure::Refused(_))) if before == after => {
            Good(format!("refused; {} as before", run(&after)))
        }
        Some(Err(Failure::Refused(_))) => {
            Bad(format!("refused, but {}, before it were {}", run(&after), words(&before)))
        }
        Some(Ok(_)) => Bad("it was accepted".into()),
        _ => Bad("it was not answered".into()),
    }
}

/// The states of both joints since the begin.
fn joints(episode: &Episode) -> impl Iterator<Item = (Duration, &[JointState; 2])> {
    episode.received(|message| if let Message::Joints(joints) = message { Some(joints) } else { None })
}

/// The states of pan since the begin.
fn pan(episode: &Episode) -> impl Iterator<Item = (Duration, JointState)> {
    joints(episode).map(|(at, joints)| (at, joints[Joint::Pan as usize]))
}

/// When the motors were first halted, or on.
fn halted_at(episode: &Episode, is_halted: bool) -> Option<Duration> {
    let is_it = |message: &Message| matches!(message, Message::Halted(is) if *is == is_halted).then_some(());
    episode.received(is_it).next().map(|(at, ())| at)
}

fn reached(arm: &Arm, episode: &Episode) -> Verdict {
    let is_near = |joints: &[JointState; 2]| {
        let mut each = joints.iter().zip(episode.act.targets());
        each.all(|(joint, target)| target.is_none_or(|target| (joint.position - target).abs() <= GOAL))
    };
    let each = Joint::ALL.map(|joint| format!("{} {}", joint.name(), number(arm.joint(joint).position, 2)));
    let seen = each.join(", ");
    match lasting(joints(episode), is_near) {
        Some(time) => Good(format!("{seen} {}", after(time))),
        None => Pending(seen),
    }
}

fn followed(arm: &Arm, episode: &Episode, motion: &Motion, passed: Duration) -> Verdict {
    let Some(sent) = episode.sent(|command| matches!(command, Command::Follow(_))) else {
        return Pending("not sent yet".into());
    };
    let Some((time, end)) = motion.last() else { return Bad("it has no points".into()) };
    let off = Joint::ALL.map(|joint| (arm.joint(joint).position - end[joint as usize]).abs());
    let left = off[0].max(off[1]);
    let seen = format!("{left:.3} rad from its end");
    if passed >= sent + *time && left <= GOAL { Good(seen) } else { Pending(seen) }
}

fn repeated(arm: &Arm, episode: &Episode, controller: Controller, value: f64) -> Verdict {
    let quantity = controller.quantity();
    let (_, unit) = quantity.words();
    // The script turns round at the ends of the way, so the sign does not count.
    let near = (0.15 * value.abs()).max(0.05);
    let values = pan(episode).map(|(at, pan)| (at, pan.of(quantity)));
    match values.into_iter().find(|(_, own)| (own.abs() - value.abs()).abs() <= near) {
        Some((at, own)) => Good(format!("{} {unit} {}", number(own, 2), after(at))),
        None => Pending(format!("{} {unit}", number(arm.joint(Joint::Pan).of(quantity), 2))),
    }
}

fn silent(arm: &Arm, episode: &Episode, passed: Duration, controller: Option<Controller>) -> Verdict {
    let last = arm.joint(Joint::Pan);
    let quantity = controller.map_or(Quantity::Position, Controller::quantity);
    let (bound, rest) = match quantity {
        Quantity::Effort => (TIMEOUT + SLACK, NONE),
        Quantity::Velocity => (TIMEOUT + BRAKING + SLACK, STANDS),
        Quantity::Position => {
            let moved = (episode.before.joint(Joint::Pan).position - last.position).abs();
            let seen = format!("pan moved {moved:.3} rad since");
            return Verdict::watched(passed, TIMEOUT + WATCHED, moved <= HELD, seen);
        }
    };
    let (name, unit) = quantity.words();
    let seen = format!("{name} {} {unit}", number(last.of(quantity), 2));
    match lasting(pan(episode), |pan| pan.of(quantity).abs() <= rest) {
        Some(time) if time <= bound => {
            Good(format!("{seen}, from {:.2} s after the pull on", time.as_secs_f64()))
        }
        None if passed <= bound => Pending(seen),
        _ => Bad(format!("{seen} {}", after(passed))),
    }
}

fn halted(arm: &Arm, episode: &Episode) -> Verdict {
    let Some(at) = halted_at(episode, true) else {
        return Pending("no motor is halted".into());
    };
    match lasting(joints(episode), |joints| joints.iter().all(|joint| joint.effort.abs() < NONE)) {
        Some(time) => {
            Good(format!("halted, no effort {}; {}", after(at.max(time)), run(&running(&arm.answered))))
        }
        None => Pending("halted, but a joint has an effort".into()),
    }
}

fn reset(arm: &Arm, episode: &Episode, passed: Duration) -> Verdict {
    let at = halted_at(episode, false).filter(|_| arm.is_halted == Some(false));
    let Some(at) = at else { return Pending("the motors are halted".into()) };
    if !episode.before.holds_pan() {
        return Good(format!("the motors are on; {}", run(&running(&arm.answered))));
    }
    let then = pan(episode).take_while(|(time, _)| *time <= at).last();
    let then = then.map_or(episode.before.joint(Joint::Pan), |(_, pan)| pan);
    let moved = (arm.joint(Joint::Pan).position - then.position).abs();
    Verdict::watched(passed.saturating_sub(at), WATCHED, moved <= HELD, format!("pan moved {moved:.3} rad"))
}

#[cfg(test)]
mod tests;
