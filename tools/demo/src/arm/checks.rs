use core::time::Duration;

use safety::Instant;

use crate::arm::act::Act;
use crate::arm::calls::{Answer, Call};
use crate::arm::motion::Motion;
use crate::arm::record::Record;
use crate::arm::robot::{Controller, Joint, JointState, run, running};
use crate::verdict::Verdict::{self, Bad, Good, Pending};
use crate::widgets::number;
use crate::words::words;

/// How near to a commanded position a joint comes \[rad\]: `goal_tolerance` of `config/arm.yaml`.
const GOAL: f64 = 0.02;
/// How far from a trajectory a joint may be on the way \[rad\]: `path_tolerance` there.
const PATH: f64 = 0.3;
/// After this time without a command an effort is 0, and a velocity is controlled to 0: `timeout`, the same in the node's defaults.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How much later that may be seen.
const SLACK: Duration = Duration::from_millis(300);
/// How long pan may then take to slow down, and to which velocity \[rad/s\].
const BRAKING: Duration = Duration::from_millis(700);
const STANDS: f64 = 0.1;
/// How far a joint that holds its position may be from it \[rad\].
const HELD: f64 = 0.05;
/// How long a hold is watched.
const WATCHED: Duration = Duration::from_millis(300);

/// Expected outcome of an act.
pub fn expected(act: &Act) -> String {
    match act {
        Act::Load(_) => "each is accepted, and none of them runs yet".into(),
        Act::Switch { start, stop } if start.is_empty() => format!("stopped: {}", words(stop)),
        Act::Switch { start, stop } if stop.is_empty() => run(start),
        Act::Switch { start, .. } => format!("between two steps of the loop; {}", run(start)),
        Act::WrongSwitch { .. } => "it is refused, and the same controllers run as before".into(),
        Act::Move(_) => format!("within {GOAL} rad of it"),
        Act::Follow(_) => format!("no more than {PATH} rad off on the way, within {GOAL} rad of its end"),
        Act::Repeat(controller, _) => format!("pan has that {}", controller.quantity().words().0),
        Act::Pull(Some(Controller::PanEffort)) => "after 0.5 s of silence pan's effort is 0".into(),
        Act::Pull(Some(Controller::PanVelocity)) => "after 0.5 s of silence pan slows down and stands".into(),
        Act::Pull(_) => "the last position is held: silence stops a motion, not a hold".into(),
        Act::Plug => "commands go on".into(),
        Act::Halt => "no effort at once; the controllers go on running".into(),
        Act::Reset(true) => "the controllers restart once: pan stays, the old command is forgotten".into(),
        Act::Reset(false) => "the motors are on again, and the controllers restart once".into(),
        Act::Unload => "none is left".into(),
    }
}

/// Judges an act that began at `from` by what was recorded until `now`.
pub fn judge(act: &Act, record: &Record, from: Instant, now: Instant) -> Verdict {
    match act {
        Act::Load(controllers) => loaded(record, from, controllers),
        Act::Switch { start, stop } => switched(record, from, start, stop),
        Act::WrongSwitch { .. } => refused(record, from),
        Act::Move(targets) => reached(record, from, targets),
        Act::Follow(motion) => followed(record, from, now, motion),
        Act::Repeat(controller, value) => repeated(record, from, *controller, *value),
        Act::Pull(controller) => silent(record, from, now, *controller),
        Act::Plug => Good("the cable is plugged in".into()),
        Act::Halt => halted(record, from),
        Act::Reset(holds) => reset(record, from, now, *holds),
        Act::Unload => unloaded(record, from),
    }
}

/// The first call that was not accepted.
fn not_accepted(record: &Record, from: Instant) -> Option<Verdict> {
    record.answers(from).find_map(|(call, answer)| match answer {
        Answer::Refused => Some(Bad(format!("refused: {}", name(call)))),
        Answer::Silent => Some(Bad(format!("no answer: {}", name(call)))),
        Answer::Accepted | Answer::Listed(_) => None,
    })
}

fn name(call: &Call) -> String {
    match call {
        Call::Load(name) => format!("load {name}"),
        Call::Unload(name) => format!("unload {name}"),
        Call::Switch { start, stop } => format!("start {}, stop {}", words(start), words(stop)),
        Call::List => "list".into(),
        Call::Halt => "halt_motors".into(),
        Call::Reset => "reset_motors".into(),
    }
}

fn waits() -> Verdict {
    Pending("no answer yet".into())
}

fn loaded(record: &Record, from: Instant, controllers: &[Controller]) -> Verdict {
    if let Some(bad) = not_accepted(record, from) {
        return bad;
    }
    let Some(list) = record.list_since(from) else { return waits() };
    let is_stopped =
        |one: &&Controller| list.iter().any(|listed| listed.name == one.name() && !listed.is_running);
    let stopped = controllers.iter().filter(is_stopped).count();
    let seen = format!("{stopped} of {} are loaded and stopped", controllers.len());
    if stopped == controllers.len() { Good(seen) } else { Bad(seen) }
}

fn switched(record: &Record, from: Instant, start: &[Controller], stop: &[Controller]) -> Verdict {
    if let Some(bad) = not_accepted(record, from) {
        return bad;
    }
    let Some(list) = record.list_since(from) else { return waits() };
    let mut wanted = running(record.list_before(from));
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

fn refused(record: &Record, from: Instant) -> Verdict {
    let Some(list) = record.list_since(from) else { return waits() };
    let (before, after) = (running(record.list_before(from)), running(list));
    match record.answers(from).next() {
        Some((_, Answer::Refused)) if before == after => Good(format!("refused; {} as before", run(&after))),
        Some((_, Answer::Refused)) => {
            Bad(format!("refused, but {}, before it were {}", run(&after), words(&before)))
        }
        Some((_, Answer::Accepted)) => Bad("it was accepted".into()),
        _ => Bad("it was not answered".into()),
    }
}

/// Since when the joints are as `is_so` says, if they are so to the end of the record.
fn since(record: &Record, from: Instant, is_so: impl Fn(&[JointState; 2]) -> bool) -> Option<Duration> {
    let mut lasting = None;
    for (at, joints) in record.joints(from) {
        lasting = is_so(joints).then(|| lasting.unwrap_or(at));
    }
    lasting.map(|at: Instant| at.since(from))
}

fn present(record: &Record, now: Instant) -> [JointState; 2] {
    record.joints_at(now).copied().unwrap_or_default()
}

fn positions(joints: &[JointState; 2]) -> String {
    let [pan, tilt] = joints;
    format!("pan {}, tilt {}", number(pan.position, 2), number(tilt.position, 2))
}

fn reached(record: &Record, from: Instant, targets: &[Option<f64>; 2]) -> Verdict {
    let is_near = |joints: &[JointState; 2]| {
        let mut each = joints.iter().zip(targets);
        each.all(|(joint, target)| target.is_none_or(|target| (joint.position - target).abs() <= GOAL))
    };
    let last = record.joints(from).next_back().map(|(_, joints)| *joints).unwrap_or_default();
    match since(record, from, is_near) {
        Some(time) => Good(format!("{} after {:.2} s", positions(&last), time.as_secs_f64())),
        None => Pending(positions(&last)),
    }
}

fn followed(record: &Record, from: Instant, now: Instant, motion: &Motion) -> Verdict {
    let Some(sent) = record.followed_since(from) else { return Pending("not sent yet".into()) };
    let start = record.joints_at(sent).copied().unwrap_or_default().map(|joint| joint.position);
    let mut off = 0.0_f64;
    for (at, joints) in record.joints(sent).take_while(|(at, _)| at.since(sent) <= motion.duration()) {
        let desired = motion.at(at.since(sent), start);
        off = joints
            .iter()
            .zip(desired)
            .fold(off, |off, (joint, desired)| off.max((joint.position - desired).abs()));
    }
    if off > PATH {
        return Bad(format!("{off:.2} rad off on the way"));
    }
    let (last, Some(end)) = (present(record, now), motion.end()) else {
        return Bad("it has no points".into());
    };
    let left =
        last.iter().zip(end).fold(0.0_f64, |left, (joint, end)| left.max((joint.position - end).abs()));
    let is_over = now.since(sent) >= motion.duration();
    let seen = format!("{left:.3} rad from its end, up to {off:.2} rad off on the way");
    if is_over && left <= GOAL { Good(seen) } else { Pending(seen) }
}

fn repeated(record: &Record, from: Instant, controller: Controller, value: f64) -> Verdict {
    let quantity = controller.quantity();
    let (_, unit) = quantity.words();
    // The script turns round at the ends of the way, so the sign does not count.
    let near = (0.15 * value.abs()).max(0.05);
    let pan = |joints: &[JointState; 2]| joints[Joint::Pan as usize].of(quantity);
    let found = record.joints(from).find(|(_, joints)| (pan(joints).abs() - value.abs()).abs() <= near);
    match found {
        Some((at, joints)) => {
            Good(format!("{} {unit} after {:.2} s", number(pan(joints), 2), at.since(from).as_secs_f64()))
        }
        None => {
            let last = record.joints(from).next_back().map_or(0.0, |(_, joints)| pan(joints));
            Pending(format!("{} {unit}", number(last, 2)))
        }
    }
}

fn silent(record: &Record, from: Instant, now: Instant, controller: Option<Controller>) -> Verdict {
    let pan = Joint::Pan as usize;
    let passed = now.since(from);
    let last = present(record, now)[pan];
    let (bound, ended, seen) = match controller {
        Some(Controller::PanEffort) => {
            let ended = since(record, from, |joints| joints[pan].effort.abs() < 1e-6);
            (TIMEOUT + SLACK, ended, format!("effort {} Nm", number(last.effort, 2)))
        }
        Some(Controller::PanVelocity) => {
            let ended = since(record, from, |joints| joints[pan].velocity.abs() <= STANDS);
            (TIMEOUT + BRAKING + SLACK, ended, format!("velocity {} rad/s", number(last.velocity, 2)))
        }
        _ => {
            let held = record.joints_at(from).copied().unwrap_or_default();
            let moved = (held[pan].position - last.position).abs();
            let seen = format!("pan moved {moved:.3} rad since");
            return match passed >= TIMEOUT + WATCHED {
                true if moved <= HELD => Good(seen),
                true => Bad(seen),
                false => Pending(seen),
            };
        }
    };
    match ended {
        Some(time) if time <= bound => {
            Good(format!("{seen}, from {:.2} s after the pull on", time.as_secs_f64()))
        }
        None if passed <= bound => Pending(seen),
        _ => Bad(format!("{seen} after {:.2} s", passed.as_secs_f64())),
    }
}

fn halted(record: &Record, from: Instant) -> Verdict {
    if let Some(bad) = not_accepted(record, from) {
        return bad;
    }
    let Some(list) = record.list_since(from) else { return waits() };
    let (before, after) = (running(record.list_before(from)), running(list));
    if before != after {
        return Bad(format!("{}, before it were {}", run(&after), words(&before)));
    }
    let Some(at) = record.halted_since(from, true) else { return Pending("no motor is halted".into()) };
    match since(record, from, |joints| joints.iter().all(|joint| joint.effort.abs() < 1e-6)) {
        Some(time) => {
            let later = at.since(from).max(time).as_secs_f64();
            Good(format!("halted, no effort after {later:.2} s; {}", run(&after)))
        }
        None => Pending("halted, but a joint has an effort".into()),
    }
}

fn reset(record: &Record, from: Instant, now: Instant, holds: bool) -> Verdict {
    if let Some(bad) = not_accepted(record, from) {
        return bad;
    }
    let Some(list) = record.list_since(from) else { return waits() };
    let Some(at) = record.halted_since(from, false) else { return Pending("the motors are halted".into()) };
    if record.halted_since(at, true).is_some() {
        return Bad("the motors were halted again".into());
    }
    let (before, after) = (running(record.list_before(from)), running(list));
    if before != after {
        return Bad(format!("{}, before it were {}", run(&after), words(&before)));
    }
    if !holds {
        return Good(format!("the motors are on; {}", run(&after)));
    }
    let pan = Joint::Pan as usize;
    let (then, last) = (record.joints_at(at).copied().unwrap_or_default(), present(record, now));
    let moved = (last[pan].position - then[pan].position).abs();
    let forgotten = record.command_at(Controller::PanPosition, at).map_or(String::new(), |command| {
        format!(", {:.2} rad from the old command", (command - last[pan].position).abs())
    });
    let seen = format!("pan moved {moved:.3} rad{forgotten}");
    match now.since(at) >= WATCHED {
        true if moved <= HELD => Good(seen),
        true => Bad(seen),
        false => Pending(seen),
    }
}

fn unloaded(record: &Record, from: Instant) -> Verdict {
    if let Some(bad) = not_accepted(record, from) {
        return bad;
    }
    match record.list_since(from) {
        None => waits(),
        Some([]) => Good("no controller is loaded".into()),
        Some(left) => {
            Bad(format!("still loaded: {}", words(&left.iter().map(|one| &one.name).collect::<Vec<_>>())))
        }
    }
}

#[cfg(test)]
mod tests;
