//! How the remote enters and leaves a mode, one sentence at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::bench;

use bench::{Bench, go, params, position};
use chair::{Fault, Input, Joystick, Level, Mode, Output, RemoteParams, Service, Source, State};
use safety::{Instant, Machine};

#[test]
fn nothing_is_published_before_the_activation() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.command = Some(go(0.3, 0.0));
    bench.pass(2000);
    assert!(bench.sent.is_empty() && bench.called.is_empty());
    assert_eq!(bench.remote.health(), (Level::Ok, "not activated".into()));
}

#[test]
fn the_mode_is_entered_confirmed_and_then_driven_in() {
    for (mode, source, other) in [
        (Mode::Auto, Source::AutonomousRemote, Service::SetAuto),
        (Mode::Shared, Source::SharedRemote, Service::SetShared),
    ] {
        let mut bench = Bench::new(params(mode));
        bench.on(Input::ProfileReceived(1));
        bench.command = Some(go(0.27, 0.6106));
        bench.on(Input::Activated);
        assert_eq!((bench.remote.state(), &bench.called[..]), (State::Activating, &[(1000, other)][..]));
        assert_eq!(bench.sent, [(1000, Joystick::neutral(source))], "neutral comes first");
        bench.pass(500);
        assert_eq!(bench.remote.state(), State::Activating, "an answer alone confirms nothing");
        bench.feedback =
            Some(if mode == Mode::Auto { Input::ScalingReceived(source) } else { position(source) });
        bench.command = Some(go(0.0, 0.0));
        bench.pass(200);
        assert_eq!(bench.remote.state(), State::Activating, "four messages are too few");
        bench.pass(50);
        assert_eq!(bench.remote.state(), State::Active);
        bench.command = Some(go(0.27, 0.6106));
        bench.pass(60);
        // Half of 0.54 m/s and half of 1.2212 rad/s to the left; ahead to the left is zone 1.
        let fields = zones::Joystick {
            forward_back: 50,
            left_right: -50,
            joystick_zone: 1,
            input_source: source.number(),
        };
        assert_eq!(bench.sent.last().unwrap().1.fields(), fields);
    }
}

#[test]
fn feedback_without_an_answer_confirms_nothing() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.on(Input::ProfileReceived(1));
    (bench.answers, bench.feedback, bench.command) =
        (false, Some(position(Source::SharedRemote)), Some(go(0.0, 0.0)));
    bench.on(Input::Activated);
    bench.pass(900);
    assert!(!bench.moves());
    bench.on(Input::ServiceAnswered(Service::SetAuto));
    assert_eq!((bench.remote.state(), bench.remote.counters().unexpected_answers), (State::Activating, 1));
    bench.on(Input::ServiceAnswered(Service::SetShared));
    assert_eq!(bench.remote.state(), State::Active);
}

#[test]
fn in_auto_only_the_scaling_confirms_and_a_stick_contradicts() {
    let mut bench = Bench::new(params(Mode::Auto));
    bench.on(Input::ProfileReceived(1));
    bench.command = Some(go(0.0, 0.0));
    bench.on(Input::Activated);
    bench.feedback = Some(position(Source::AutonomousRemote));
    bench.pass(1000);
    assert_eq!(bench.remote.state(), State::Activating, "the stick should be silent");
    bench.feedback = Some(Input::ScalingReceived(Source::AutonomousRemote));
    bench.pass(500);
    assert_eq!(bench.remote.state(), State::Active);
    bench.on(position(Source::ChairPhysical));
    assert_eq!((bench.remote.state(), bench.last()), (State::Lost, (0, 0)), "the occupant drives again");
}

#[test]
fn in_shared_either_topic_confirms_and_the_sticks_own_source_is_ignored() {
    for confirms in [Input::ScalingReceived(Source::SharedRemote), position(Source::SharedRemote)] {
        let mut bench = Bench::new(params(Mode::Shared));
        bench.on(Input::ProfileReceived(1));
        bench.feedback = Some(confirms);
        bench.command = Some(go(0.0, 0.0));
        bench.on(Input::Activated);
        bench.pass(1000);
        assert_eq!(bench.remote.state(), State::Active);
    }
    // The stick always carries its own source; the mode is entered, left and given back by the source on the scaling.
    let mut bench = Bench::new(params(Mode::Shared));
    bench.on(Input::ProfileReceived(1));
    bench.feedback = Some(Input::ScalingReceived(Source::SharedRemote));
    bench.command = Some(go(0.0, 0.0));
    bench.on(Input::Activated);
    for _ in 0..20 {
        bench.on(position(Source::ChairPhysical));
        bench.pass(50);
    }
    assert_eq!(bench.remote.state(), State::Active);
    bench.on(Input::Deactivated);
    bench.on(position(Source::ChairPhysical));
    bench.pass(50);
    assert_eq!(bench.remote.state(), State::Deactivating, "the mode is still reported");
    bench.on(Input::ScalingReceived(Source::ChairPhysical));
    assert_eq!(bench.remote.state(), State::Inactive);
}

#[test]
fn a_position_that_showed_the_mode_and_shows_another_ends_it() {
    let mut bench = Bench::active();
    bench.on(Input::ScalingReceived(Source::SharedRemote));
    bench.on(position(Source::ChairPhysical));
    assert_eq!((bench.remote.state(), bench.last()), (State::Lost, (0, 0)));
}

#[test]
fn a_service_that_does_not_answer_is_asked_five_times() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.answers = false;
    bench.on(Input::Activated);
    bench.pass(20_000);
    // Every second; then the mode is removed in case it was entered without an answer, which is tried as often.
    let expected: Vec<(u64, Service)> = (1..=10)
        .map(|second| (second * 1000, if second <= 5 { Service::SetShared } else { Service::RemoveShared }))
        .collect();
    assert_eq!(bench.called, expected);
    assert_eq!((bench.remote.state(), bench.remote.fault()), (State::Inactive, Some(Fault::NotLeft)));
    assert_eq!(bench.remote.health().0, Level::Error);
    bench.answers = true;
    bench.feedback = Some(position(Source::SharedRemote));
    bench.on(Input::Activated);
    bench.pass(500);
    assert_eq!(
        (bench.remote.state(), bench.remote.fault()),
        (State::Confirmed, None),
        "it may be tried again"
    );
}

#[test]
fn an_answer_without_effect_is_asked_again_and_given_up() {
    let mut bench = Bench::new(RemoteParams { attempts: 2, ..params(Mode::Shared) });
    bench.feedback = Some(Input::ScalingReceived(Source::ChairPhysical));
    bench.on(Input::Activated);
    bench.pass(10_000);
    // A second for each; then the removal, which shows at once.
    let set = Service::SetShared;
    assert_eq!(bench.called, [(1000, set), (2000, set), (3000, Service::RemoveShared)]);
    assert_eq!((bench.remote.state(), bench.remote.fault()), (State::Inactive, Some(Fault::NotEntered)));
    assert_eq!(
        bench.remote.health(),
        (Level::Error, "the service answered, but the chair did not enter the mode".into())
    );
}

#[test]
fn a_mode_left_behind_can_be_left() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.pass(500);
    bench.on(Input::Deactivated);
    assert_eq!((bench.remote.state(), bench.called.len()), (State::Inactive, 0), "there is nothing to leave");
    bench.feedback = Some(position(Source::SharedRemote));
    bench.pass(500);
    assert_eq!(bench.remote.health().0, Level::Warn);
    bench.on(Input::Deactivated);
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.pass(500);
    let called: Vec<Service> = bench.called.iter().map(|&(_, service)| service).collect();
    assert_eq!((bench.remote.state(), called), (State::Inactive, vec![Service::RemoveShared]));
}

#[test]
fn neutral_goes_out_before_the_mode_is_left() {
    for stop in [Input::Deactivated, Input::Stopping] {
        let mut bench = Bench::active();
        bench.called.clear();
        bench.pass(25);
        bench.sent.clear();
        bench.answers = false;
        let is_stopping = matches!(stop, Input::Stopping);
        bench.remote.handle(Instant::from_millis(bench.ms), stop);
        let now = Instant::from_millis(bench.ms);
        assert_eq!(
            (bench.remote.poll(now), bench.remote.poll(now)),
            (
                Some(Output::PublishJoystick(Joystick::neutral(Source::SharedRemote))),
                Some(Output::Call(Service::RemoveShared))
            )
        );
        bench.pass(500);
        assert!(!bench.moves() && bench.sent.len() >= 9, "neutral until the mode is left");
        assert!(!bench.remote.is_finished());
        bench.on(Input::ServiceAnswered(Service::RemoveShared));
        assert_eq!(bench.remote.state(), State::Deactivating, "an answer alone proves nothing");
        bench.feedback = Some(position(Source::ChairPhysical));
        bench.pass(50);
        assert_eq!((bench.remote.state(), bench.remote.is_finished()), (State::Inactive, is_stopping));
        assert_eq!(bench.remote.counters().unconfirmed_removals, 0);
        bench.sent.clear();
        bench.on(Input::Activated);
        bench.pass(1000);
        assert_eq!(bench.sent.is_empty(), is_stopping, "a stopping node is not activated again");
    }
}

#[test]
fn a_mode_that_stays_is_removed_again_and_then_reported() {
    let mut bench = Bench::active();
    bench.called.clear();
    bench.on(Input::Deactivated);
    bench.pass(20_000);
    // The services answer, but the chair goes on to show the mode: again every second, five times.
    assert_eq!((bench.called.len(), bench.remote.fault()), (5, Some(Fault::NotLeft)));
    assert_eq!((bench.remote.state(), bench.remote.health().0), (State::Inactive, Level::Error));
    assert!(!bench.remote.health().1.is_empty() && !bench.moves());
}

#[test]
fn a_chair_that_shows_nothing_after_the_removal_is_left_unconfirmed() {
    let mut bench = Bench::active();
    (bench.feedback, bench.command) = (None, None);
    bench.on(Input::Stopping);
    bench.pass(999);
    assert!(!bench.remote.is_finished());
    bench.pass(1);
    assert!(bench.remote.is_finished() && bench.remote.fault().is_none());
    assert_eq!(bench.remote.counters().unconfirmed_removals, 1);
}

#[test]
fn activating_again_while_leaving_waits_for_that() {
    let mut bench = Bench::active();
    bench.called.clear();
    bench.answers = false;
    bench.on(Input::Deactivated);
    bench.on(Input::Activated);
    assert_eq!(bench.called, [(bench.ms, Service::RemoveShared)]);
    bench.on(Input::ServiceAnswered(Service::RemoveShared));
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.pass(50);
    assert_eq!(bench.called.last(), Some(&(bench.ms, Service::SetShared)));
}

#[test]
fn a_lost_chair_is_asked_for_again_only_by_hand() {
    let mut bench = Bench::active();
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.pass(5000);
    assert_eq!((bench.remote.state(), bench.called.len()), (State::Lost, 1));
    bench.on(Input::Activated);
    assert_eq!((bench.remote.state(), bench.called.len()), (State::Activating, 2));
}

#[test]
fn a_request_while_the_node_is_not_active_is_forgotten() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::SharedRemote));
    bench.on(Input::ActivityChanged(false));
    bench.on(Input::Activated);
    bench.on(Input::ActivityChanged(true));
    bench.pass(5000);
    assert_eq!((bench.remote.state(), bench.called.len()), (State::Inactive, 0));
    bench.on(Input::Activated);
    assert_eq!(bench.remote.state(), State::Activating);
}

#[test]
fn a_mode_left_behind_by_another_is_reported() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::SharedRemote));
    bench.pass(500);
    assert_eq!(
        bench.remote.health(),
        (Level::Warn, "the chair is in the mode 'shared' that this node is not driving in".into())
    );
}

#[test]
fn the_mode_does_not_change_at_run_time() {
    let mut bench = Bench::active();
    bench.on(Input::ParametersChanged(RemoteParams {
        period: std::time::Duration::from_millis(20),
        ..params(Mode::Auto)
    }));
    bench.pass(20);
    bench.sent.clear();
    bench.pass(1000);
    assert_eq!((bench.remote.params().mode, bench.sent.len()), (Mode::Shared, 50), "but the rate does");
}

#[test]
fn the_final_outputs_need_no_machine() {
    let words = Bench::active().remote.final_outputs();
    assert_eq!(words, (Joystick::neutral(Source::SharedRemote), Service::RemoveShared));
}

#[test]
fn a_mode_entered_after_it_was_left_is_left_again() {
    let mut bench = Bench::new(params(Mode::Shared));
    (bench.answers, bench.feedback) = (false, Some(Input::ScalingReceived(Source::ChairPhysical)));
    bench.on(Input::Activated);
    bench.on(Input::Stopping);
    bench.on(Input::ServiceAnswered(Service::RemoveShared));
    bench.pass(500);
    assert!(!bench.remote.is_finished(), "the first call may still be under way");
    let remove = Service::RemoveShared;
    assert_eq!(bench.called, [(1000, Service::SetShared), (1000, remove)]);
    bench.on(Input::ServiceAnswered(Service::SetShared));
    assert_eq!(bench.called.last(), Some(&(1500, remove)));
    bench.on(Input::ServiceAnswered(remove));
    bench.pass(50);
    assert!(bench.remote.is_finished());
}
