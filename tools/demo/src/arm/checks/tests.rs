use safety::Instant;

use super::*;
use crate::arm::act::{UNKNOWN, example};
use crate::client::Client as _;
use crate::client::episode::Change;
use Controller::{ArmTrajectory, PanEffort, PanPosition, PanVelocity, TiltPosition};

/// When the act begins.
const FROM: u64 = 1000;

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn accepted() -> Answer<Vec<Listed>> {
    Ok(Vec::new())
}

fn refused() -> Answer<Vec<Listed>> {
    Err(Failure::Refused("no".into()))
}

fn list(names: &[(&str, bool)]) -> Change<Arm> {
    let listed =
        names.iter().map(|(name, is_running)| Listed { name: (*name).into(), is_running: *is_running });
    Change::Answered(Call::List, Ok(listed.collect()))
}

fn switch(answer: Answer<Vec<Listed>>) -> Change<Arm> {
    Change::Answered(Call::Switch { start: vec![UNKNOWN.into()], stop: vec![] }, answer)
}

fn joints(position: f64, velocity: f64, effort: f64) -> Change<Arm> {
    let pan = JointState { position, velocity, effort };
    Change::Received(Message::Joints([pan, JointState::default()]))
}

fn halted(is_halted: bool) -> Change<Arm> {
    Change::Received(Message::Halted(is_halted))
}

/// The verdict at `now` on an act that began at [`FROM`]; the changes before it are known then.
fn verdict(act: &Act, now: u64, changes: impl IntoIterator<Item = (u64, Change<Arm>)>) -> Verdict {
    let mut arm = Arm::default();
    let (before, since): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(millis, _)| *millis < FROM);
    let take = |arm: &mut Arm, millis: u64, change: &Change<Arm>| match change {
        Change::Received(message) => arm.receive(message),
        Change::Answered(call, answer) => arm.answered(at(millis), call, answer),
        Change::Sent(Command::Value(PanPosition, value)) => {
            arm.begin(at(millis), &Act::Move([Some(*value), None]));
        }
        Change::Sent(_) => {}
    };
    before.iter().for_each(|(millis, change)| take(&mut arm, *millis, change));
    let mut episode = Episode::new(act.clone(), at(FROM), arm.clone());
    for (millis, change) in since {
        take(&mut arm, millis, &change);
        episode.push(at(millis), change);
    }
    judge(&arm, &episode, at(now).since(at(FROM)))
}

fn is_good(verdict: &Verdict) -> bool {
    matches!(verdict, Good(_))
}

#[test]
fn a_load_is_good_if_all_are_loaded_and_none_runs() {
    let load = |name: &str, answer| Change::Answered(Call::Load(name.into()), answer);
    let seen = |last: &str, runs: bool| {
        let others =
            ["pan_effort", "pan_position", "tilt_position", "pan_velocity"].map(|name| (name, false));
        let listed = list(&[&others[..], &[(last, runs)]].concat());
        let changes =
            [(1010, load("pan_effort", accepted())), (1020, load(last, accepted())), (1030, listed)];
        verdict(&Act::Load, 1100, changes)
    };
    assert_eq!(seen("arm_trajectory", false), Good("5 of 5 are loaded and stopped".into()));
    assert_eq!(seen("arm_trajectory", true), Bad("4 of 5 are loaded and stopped".into()));
    assert_eq!(seen("other", false), Bad("4 of 5 are loaded and stopped".into()));
    let failed = |answer| verdict(&Act::Load, 1100, [(1010, load("pan_effort", answer))]);
    assert_eq!(failed(refused()), Bad("load pan_effort was refused: no".into()));
    assert_eq!(failed(Err(Failure::Silent)), Bad("load pan_effort was not answered".into()));
    assert_eq!(verdict(&Act::Load, 1100, []), Pending("no answer yet".into()));
}

#[test]
fn a_switch_is_good_if_exactly_the_others_run_afterwards() {
    let act = Act::Switch { start: vec![ArmTrajectory], stop: vec![PanPosition] };
    let seen = |after: &[(&str, bool)]| {
        let before = list(&[("pan_position", true), ("pan_effort", true), ("arm_trajectory", false)]);
        verdict(&act, 1100, [(900, before), (1010, switch(accepted())), (1020, list(after))])
    };
    let good = seen(&[("pan_position", false), ("pan_effort", true), ("arm_trajectory", true)]);
    assert_eq!(good, Good("accepted; arm_trajectory and pan_effort run".into()));
    for wrong in [
        [("pan_position", true), ("pan_effort", true), ("arm_trajectory", true)],
        [("pan_position", false), ("pan_effort", true), ("arm_trajectory", false)],
        [("pan_position", false), ("pan_effort", false), ("arm_trajectory", true)],
    ] {
        assert!(matches!(seen(&wrong), Bad(_)), "{wrong:?}");
    }
}

#[test]
fn a_wrong_switch_is_to_be_refused_and_to_change_nothing() {
    let seen = |answer: Answer<Vec<Listed>>, runs: bool| {
        let before = list(&[("pan_position", true)]);
        let after = list(&[("pan_position", runs)]);
        verdict(&Act::WrongSwitch, 1100, [(900, before), (1010, switch(answer)), (1020, after)])
    };
    assert_eq!(seen(refused(), true), Good("refused; pan_position runs as before".into()));
    let changed = "refused, but none runs, before it were pan_position";
    assert_eq!(seen(refused(), false), Bad(changed.into()));
    assert_eq!(seen(accepted(), true), Bad("it was accepted".into()));
    assert_eq!(seen(Err(Failure::Silent), true), Bad("it was not answered".into()));
}

#[test]
fn a_position_is_reached_when_it_is_kept() {
    let act = Act::Move([Some(1.0), None]);
    let way = |positions: &[(u64, f64)]| {
        let changes: Vec<_> =
            positions.iter().map(|(at, position)| (*at, joints(*position, 0.0, 0.0))).collect();
        verdict(&act, 2000, changes)
    };
    let reached = way(&[(1100, 0.5), (1200, 0.99), (1300, 1.05), (1400, 1.01), (1500, 1.0)]);
    assert_eq!(reached, Good("pan 1.00, tilt 0.00 after 0.40 s".into()));
    assert_eq!(way(&[(1100, 0.99), (1200, 0.97)]), Pending("pan 0.97, tilt 0.00".into()));
}

#[test]
fn a_trajectory_is_followed_to_its_end() {
    let motion = vec![(Duration::from_secs(1), [1.0, 0.0])];
    let act = Act::Follow(motion.clone());
    let seen = |end: f64, now: u64| {
        let sent = Change::Sent(Command::Follow(motion.clone()));
        verdict(&act, now, [(1050, sent), (1500, joints(0.45, 0.0, 0.0)), (now, joints(end, 0.0, 0.0))])
    };
    assert_eq!(seen(0.985, 2100), Good("0.015 rad from its end".into()));
    assert!(matches!(seen(0.97, 2100), Pending(_)), "0.03 rad from its end");
    assert!(matches!(seen(0.99, 2040), Pending(_)), "it is not over");
    assert_eq!(verdict(&act, 2100, []), Pending("not sent yet".into()));
    assert!(
        matches!(verdict(&act, 2100, [(1010, switch(refused()))]), Bad(_)),
        "its controller does not start"
    );
}

#[test]
fn a_repeated_command_is_seen_in_its_quantity() {
    let velocity = Act::Repeat(PanVelocity, 0.6);
    assert!(is_good(&verdict(&velocity, 1200, [(1100, joints(0.0, -0.55, 0.0))])));
    assert_eq!(
        verdict(&velocity, 1200, [(1100, joints(0.6, 0.3, 0.6))]),
        Pending("0.30 rad/s".into()),
        "neither position nor effort count"
    );
    let effort = Act::Repeat(PanEffort, 0.4);
    assert_eq!(verdict(&effort, 1200, [(1100, joints(0.0, 0.0, 0.4))]), Good("0.40 Nm after 0.10 s".into()));
}

#[test]
fn an_effort_ends_within_its_time_out_after_the_pull() {
    let act = Act::Pull(Some(PanEffort));
    let seen = |zero: u64, now: u64| {
        let changes =
            [(1100, joints(0.0, 0.0, 0.4)), (zero, joints(0.0, 0.0, 0.0)), (now, joints(0.0, 0.0, 0.0))];
        verdict(&act, now, changes)
    };
    assert_eq!(seen(1490, 1900), Good("effort 0.00 Nm, from 0.49 s after the pull on".into()));
    assert_eq!(seen(1801, 1900), Bad("effort 0.00 Nm after 0.90 s".into()), "0.5 s and 0.3 s are over");
    let stays = |now| verdict(&act, now, [(1100, joints(0.0, 0.0, 0.4))]);
    assert_eq!(stays(1500), Pending("effort 0.40 Nm".into()));
    assert_eq!(stays(1801), Bad("effort 0.40 Nm after 0.80 s".into()));
    let again = [(1490, joints(0.0, 0.0, 0.0)), (1700, joints(0.0, 0.0, 0.4))];
    assert!(matches!(verdict(&act, 1810, again), Bad(_)));
}

#[test]
fn a_velocity_slows_down_after_the_pull_and_a_position_is_held() {
    let velocity = Act::Pull(Some(PanVelocity));
    assert!(is_good(&verdict(
        &velocity,
        1900,
        [(1400, joints(0.0, 0.6, 0.0)), (1800, joints(0.2, 0.09, 0.0))]
    )));
    assert!(matches!(verdict(&velocity, 2501, [(1400, joints(0.0, 0.6, 0.0))]), Bad(_)));
    for held in [None, Some(PanPosition), Some(ArmTrajectory)] {
        let seen = |now: u64, position: f64| {
            verdict(&Act::Pull(held), now, [(999, joints(1.0, 0.0, 0.0)), (now, joints(position, 0.0, 0.0))])
        };
        assert!(matches!(seen(1700, 1.0), Pending(_)));
        assert!(is_good(&seen(1800, 1.04)));
        assert!(matches!(seen(1800, 1.06), Bad(_)));
    }
}

#[test]
fn a_halt_takes_the_effort_and_leaves_the_controllers() {
    let seen = |halts: bool, effort: f64, runs: bool| {
        let mut changes = vec![
            (900, list(&[("pan_position", true)])),
            (1010, Change::Answered(Call::Halt, accepted())),
            (1020, list(&[("pan_position", runs)])),
        ];
        changes.extend(halts.then(|| (1030, halted(true))));
        changes.push((1040, joints(0.0, 1.0, effort)));
        verdict(&Act::Halt, 1500, changes)
    };
    assert_eq!(seen(true, 0.0, true), Good("halted, no effort after 0.04 s; pan_position runs".into()));
    assert_eq!(seen(false, 0.0, true), Pending("no motor is halted".into()));
    assert_eq!(seen(true, 0.1, true), Pending("halted, but a joint has an effort".into()));
    assert_eq!(seen(true, 0.0, false), Bad("none runs, before it were pan_position".into()));
}

#[test]
fn after_a_reset_a_controller_has_forgotten_its_command() {
    let reset = || Change::Answered(Call::Reset, accepted());
    let seen = |position: f64, again: bool, runs: bool| {
        let mut changes = vec![
            (800, Change::Sent(Command::Value(PanPosition, -1.4))),
            (900, list(&[("pan_position", true), ("tilt_position", true)])),
            (1010, reset()),
            (1020, list(&[("pan_position", true), ("tilt_position", runs)])),
            (1025, joints(0.5, 0.0, 0.0)),
            (1030, halted(false)),
        ];
        changes.extend(again.then(|| (1100, halted(true))));
        changes.push((1500, joints(position, 0.0, 0.0)));
        verdict(&Act::Reset, 1500, changes)
    };
    assert_eq!(seen(0.48, false, true), Good("pan moved 0.020 rad".into()));
    assert!(matches!(seen(-1.38, false, true), Bad(_)), "it went back to the old command");
    assert_eq!(seen(0.5, true, true), Pending("the motors are halted".into()), "they were halted again");
    assert!(matches!(seen(0.5, false, false), Bad(_)), "a controller does not run any more");
    let still = [(1010, reset()), (1020, list(&[]))];
    assert_eq!(verdict(&Act::Reset, 1500, still), Pending("the motors are halted".into()));
}

#[test]
fn after_the_unload_nothing_is_left() {
    let seen = |left: &[(&str, bool)]| {
        let unloaded = Change::Answered(Call::Unload("pan_effort".into()), accepted());
        verdict(&Act::Unload, 1100, [(1010, unloaded), (1020, list(left))])
    };
    assert_eq!(seen(&[]), Good("no controller is loaded".into()));
    assert_eq!(seen(&[("pan_velocity", false)]), Bad("still loaded: pan_velocity".into()));
}

#[test]
fn each_act_has_an_expectation_that_fits_a_line() {
    let switch =
        |start: &[Controller], stop: &[Controller]| Act::Switch { start: start.into(), stop: stop.into() };
    for act in [
        Act::Load,
        switch(&[PanVelocity, TiltPosition], &[ArmTrajectory]),
        switch(&[ArmTrajectory], &[PanPosition, TiltPosition]),
        Act::WrongSwitch,
        Act::Move([Some(-1.4), Some(-0.5)]),
        Act::Follow(example(Duration::from_secs(1))),
        Act::Repeat(PanVelocity, -0.6),
        Act::Pull(Some(PanVelocity)),
        Act::Pull(None),
        Act::Halt,
        Act::Reset,
        Act::Unload,
    ] {
        let expected = expected(&Arm::default(), &act).unwrap();
        // 80 columns, less the label, or "script 10/18: "
        assert!(expected.len() <= 70, "{expected}");
        assert!(act.to_string().len() <= 66, "{act}");
    }
}
