use super::*;
use crate::arm::act::UNKNOWN;
use crate::arm::record::Change;
use crate::arm::robot::Listed;
use Controller::{ArmTrajectory, PanEffort, PanPosition, PanVelocity, TiltPosition};

/// When the act begins.
const FROM: u64 = 1000;

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn list(names: &[(&str, bool)]) -> Change {
    let listed =
        names.iter().map(|(name, is_running)| Listed { name: (*name).into(), is_running: *is_running });
    Change::Answered(Call::List, Answer::Listed(listed.collect()))
}

fn switch(answer: Answer) -> Change {
    Change::Answered(Call::Switch { start: vec![UNKNOWN.into()], stop: vec![] }, answer)
}

fn joints(position: f64, velocity: f64, effort: f64) -> Change {
    Change::Joints([JointState { position, velocity, effort }, JointState::default()])
}

fn record(changes: impl IntoIterator<Item = (u64, Change)>) -> Record {
    let mut record = Record::default();
    changes.into_iter().for_each(|(millis, change)| record.push(at(millis), change));
    record
}

/// The verdict at `now` on an act that began at [`FROM`].
fn verdict(act: &Act, now: u64, changes: impl IntoIterator<Item = (u64, Change)>) -> Verdict {
    judge(act, &record(changes), at(FROM), at(now))
}

fn is_good(verdict: &Verdict) -> bool {
    matches!(verdict, Good(_))
}

#[test]
fn a_load_is_good_if_all_are_loaded_and_none_runs() {
    let act = Act::Load(vec![PanEffort, PanVelocity]);
    let accepted = |name: &str| Change::Answered(Call::Load(name.into()), Answer::Accepted);
    let seen = |second: &str, runs: bool| {
        let listed = list(&[("pan_effort", false), (second, runs)]);
        verdict(
            &act,
            1100,
            [(1010, accepted("pan_effort")), (1020, accepted("pan_velocity")), (1030, listed)],
        )
    };
    assert_eq!(seen("pan_velocity", false), Good("2 of 2 are loaded and stopped".into()));
    assert_eq!(seen("pan_velocity", true), Bad("1 of 2 are loaded and stopped".into()));
    assert_eq!(seen("tilt_position", false), Bad("1 of 2 are loaded and stopped".into()));
    let refused = Change::Answered(Call::Load("pan_effort".into()), Answer::Refused);
    assert_eq!(verdict(&act, 1100, [(1010, refused)]), Bad("refused: load pan_effort".into()));
    let silent = Change::Answered(Call::Load("pan_effort".into()), Answer::Silent);
    assert_eq!(verdict(&act, 6100, [(6010, silent)]), Bad("no answer: load pan_effort".into()));
    assert_eq!(verdict(&act, 1100, []), Pending("no answer yet".into()));
}

#[test]
fn a_switch_is_good_if_exactly_the_others_run_afterwards() {
    let act = Act::Switch { start: vec![ArmTrajectory], stop: vec![PanPosition] };
    let seen = |after: &[(&str, bool)]| {
        let before = list(&[("pan_position", true), ("pan_effort", true), ("arm_trajectory", false)]);
        verdict(&act, 1100, [(900, before), (1010, switch(Answer::Accepted)), (1020, list(after))])
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
    let act = Act::WrongSwitch { stop: vec![PanPosition] };
    let seen = |answer: Answer, runs: bool| {
        let before = list(&[("pan_position", true)]);
        verdict(&act, 1100, [(900, before), (1010, switch(answer)), (1020, list(&[("pan_position", runs)]))])
    };
    assert_eq!(seen(Answer::Refused, true), Good("refused; pan_position runs as before".into()));
    let changed = "refused, but none runs, before it were pan_position";
    assert_eq!(seen(Answer::Refused, false), Bad(changed.into()));
    assert_eq!(seen(Answer::Accepted, true), Bad("it was accepted".into()));
    assert_eq!(seen(Answer::Silent, true), Bad("it was not answered".into()));
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
fn a_trajectory_is_followed_on_its_way_and_to_its_end() {
    let act = Act::Follow(Motion::to([1.0, 0.0], Duration::from_secs(1)));
    // The middle of the way is passed at 0.5, a straight way.
    let seen = |middle: f64, end: f64, now: u64| {
        let changes = [
            (900, joints(0.0, 0.0, 0.0)),
            (1000, Change::Followed),
            (1500, joints(middle, 0.0, 0.0)),
            (now, joints(end, 0.0, 0.0)),
        ];
        verdict(&act, now, changes)
    };
    assert!(is_good(&seen(0.45, 0.985, 2100)));
    assert_eq!(seen(0.1, 1.0, 2100), Bad("0.40 rad off on the way".into()));
    assert!(matches!(seen(0.45, 0.97, 2100), Pending(_)), "0.03 rad from its end");
    assert!(matches!(seen(0.45, 0.99, 1990), Pending(_)), "it is not over");
    assert_eq!(verdict(&act, 2100, []), Pending("not sent yet".into()));
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
            (1010, Change::Answered(Call::Halt, Answer::Accepted)),
            (1020, list(&[("pan_position", runs)])),
        ];
        changes.extend(halts.then_some((1030, Change::Halted(true))));
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
    let seen = |position: f64, again: bool, runs: bool| {
        let mut changes = vec![
            (800, Change::Commanded(PanPosition, -1.4)),
            (900, list(&[("pan_position", true), ("tilt_position", true)])),
            (1010, Change::Answered(Call::Reset, Answer::Accepted)),
            (1020, list(&[("pan_position", true), ("tilt_position", runs)])),
            (1025, joints(0.5, 0.0, 0.0)),
            (1030, Change::Halted(false)),
        ];
        changes.extend(again.then_some((1100, Change::Halted(true))));
        changes.push((1500, joints(position, 0.0, 0.0)));
        verdict(&Act::Reset(true), 1500, changes)
    };
    // 0.48 - -1.4
    assert_eq!(seen(0.48, false, true), Good("pan moved 0.020 rad, 1.88 rad from the old command".into()));
    assert!(matches!(seen(-1.38, false, true), Bad(_)), "it went back to the old command");
    assert_eq!(seen(0.5, true, true), Bad("the motors were halted again".into()));
    assert!(matches!(seen(0.5, false, false), Bad(_)), "a controller does not run any more");
    let halted = [(1010, Change::Answered(Call::Reset, Answer::Accepted)), (1020, list(&[]))];
    assert_eq!(verdict(&Act::Reset(true), 1500, halted), Pending("the motors are halted".into()));
}

#[test]
fn after_the_unload_nothing_is_left() {
    let accepted = Change::Answered(Call::Unload("pan_effort".into()), Answer::Accepted);
    let seen =
        |left: &[(&str, bool)]| verdict(&Act::Unload, 1100, [(1010, accepted.clone()), (1020, list(left))]);
    assert_eq!(seen(&[]), Good("no controller is loaded".into()));
    assert_eq!(seen(&[("pan_velocity", false)]), Bad("still loaded: pan_velocity".into()));
}

#[test]
fn each_act_has_an_expectation_that_fits_a_line() {
    let switch =
        |start: &[Controller], stop: &[Controller]| Act::Switch { start: start.into(), stop: stop.into() };
    for act in [
        Act::Load(Controller::ALL.into()),
        switch(&[PanVelocity, TiltPosition], &[ArmTrajectory]),
        switch(&[ArmTrajectory], &[PanPosition, TiltPosition]),
        Act::WrongSwitch { stop: Controller::ALL.into() },
        Act::Move([Some(-1.4), Some(-0.5)]),
        Act::Follow(Motion::example(Duration::from_secs(1))),
        Act::Repeat(PanVelocity, -0.6),
        Act::Pull(Some(PanVelocity)),
        Act::Pull(None),
        Act::Halt,
        Act::Reset(true),
        Act::Unload,
    ] {
        // 80 columns, less the label, or "script 10/18: "
        assert!(expected(&act).len() <= 70, "{}", expected(&act));
        assert!(act.text().len() <= 66, "{}", act.text());
    }
}
