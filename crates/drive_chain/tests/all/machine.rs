//! The four stages together: which stick events reach the motors.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use arbiter::Invalid;
use common::{Bench, STOP, drive_with, stands};
use drive_chain::{Input, Output};
use params::Value;
use proptest::prelude::*;
use safety::{Machine, NotFinite, Stamp, Velocity};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn a_stick_event_is_a_motor_value_within_one_call() {
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.motors.clear();
    let stamp = bench.stamp();
    bench.stick(0.5, 0.0, true);
    let (at, motors) = bench.motors[0];
    assert_eq!(
        (at, motors.stamp),
        (bench.now, stamp),
        "the motors follow at once and carry the event's stamp"
    );
}

#[test]
fn the_motor_value_comes_first() {
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.outputs.clear();
    bench.stick(0.5, 0.0, true);
    assert!(
        matches!(bench.outputs[0], Output::Hindbrain(hindbrain::Output::Drive(_))),
        "first came {:?}",
        bench.outputs[0]
    );
}

#[test]
fn nothing_moves_without_enable() {
    let mut bench = Bench::new();
    bench.plug();
    bench.stick(0.0, 0.0, true);
    bench.pass(ms(300));
    bench.stick(1.0, 0.0, true);
    bench.pass(ms(2000));
    assert!(bench.motors.len() > 100);
    assert!(bench.motors.iter().all(|(_, m)| (m.port, m.starboard) == (STOP, STOP)));
}

#[test]
fn after_a_lost_stick_the_motors_brake() {
    let mut bench = Bench::new();
    bench.full_ahead();
    let lost = bench.now;
    bench.unplug();
    bench.pass(ms(2000));
    let stopped = bench.stopped_since().unwrap();
    // 66 counts at 200 counts/s: 0.33 s, and up to two ticks.
    assert!(stopped.since(lost) <= ms(370), "stopped after {:?}", stopped.since(lost));
}

#[test]
fn navigation_drives_after_the_user_releases_the_stick() {
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.stick(1.0, 0.0, false);
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for step in 0..60 {
        let velocity = Ok(Velocity::planar(if step < 10 { 0.0 } else { -0.5 }, 0.0).unwrap());
        let stamp = bench.stamp();
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
        bench.pass(ms(50));
    }
    // Half of 66, backward.
    assert_eq!(bench.last(), (STOP + 33, STOP + 33));
}

#[test]
fn a_source_of_nan_causes_a_stop() {
    let mut bench = Bench::new();
    bench.full_ahead();
    let lost = bench.now;
    let velocity = Err(Invalid::NotFinite(NotFinite { part: "linear.x", value: f64::NAN }));
    let source = bench.drive.stages().arbiter.source_index("joystick").unwrap();
    bench.send([
        Input::Joystick(joystick::Input::Stopping), // no valid command follows
        Input::Arbiter(arbiter::Input::command(source, velocity, bench.stamp())),
    ]);
    bench.pass(ms(1000));
    assert!(bench.stopped_since().unwrap().since(lost) <= ms(370));
}

#[test]
fn a_stop_of_a_source_whose_clock_is_behind_is_obeyed() {
    let mut bench = Bench::new();
    bench.enable(true);
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for step in 0..100 {
        let velocity = Ok(Velocity::planar(if step < 10 { 0.0 } else { 1.0 }, 0.0).unwrap());
        let stamp = bench.stamp();
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
        bench.pass(ms(20));
    }
    assert!(bench.last().0 < 40, "motors are {:?}", bench.last());
    // The higher source's clock is 0.3 s behind: its command is older than the driving one, but it takes over.
    bench.wall = -300;
    let stamp = bench.stamp();
    bench.wall = 0;
    let source = bench.drive.stages().arbiter.source_index("joystick").unwrap();
    let velocity = Ok(Velocity::ZERO);
    let stopped = bench.now;
    bench.send([Input::Arbiter(arbiter::Input::command(source, velocity, stamp))]);
    bench.pass(ms(1000));
    assert!(bench.stopped_since().unwrap().since(stopped) <= ms(370));
}

#[test]
fn a_command_that_is_too_old_moves_nothing() {
    let mut bench = Bench::new();
    bench.enable(true);
    let source = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for forward in [0.0; 20].into_iter().chain([1.0; 50]) {
        bench.wall = -500;
        let stamp = bench.stamp();
        bench.wall = 0;
        let velocity = Ok(Velocity::planar(forward, 0.0).unwrap());
        bench.send([Input::Arbiter(arbiter::Input::command(source, velocity, stamp))]);
        bench.pass(ms(20));
    }
    assert!(bench.motors.iter().all(|(_, m)| (m.port, m.starboard) == (STOP, STOP)));
}

#[test]
fn without_a_stick_among_the_sources_the_navigation_drives() {
    let nav = [
        ("sources.nav.topic", Value::Text("/nav".into())),
        ("sources.nav.type", Value::Text("twist".into())),
    ];
    let mut bench = Bench::with(drive_with(&nav));
    assert_eq!(bench.drive.stages().arbiter.params().sources.len(), 1);
    bench.enable(true);
    for step in 0..100 {
        let velocity = Ok(Velocity::planar(if step < 10 { 0.0 } else { 1.0 }, 0.0).unwrap());
        let command = arbiter::Input::command(0, velocity, Stamp::ZERO);
        bench.send([Input::Arbiter(command)]);
        bench.pass(ms(20));
    }
    assert!(bench.last().0 < 40, "motors are {:?}", bench.last());
}

#[test]
fn after_a_hold_of_the_process_the_held_stick_drives_only_after_a_zero() {
    let driven = |bench: &Bench| {
        let forward = |output: &Output| match output {
            Output::Arbiter(arbiter::Output::Drive(command)) => Some(command.velocity.forward()),
            _ => None,
        };
        bench.outputs.iter().filter_map(forward).collect::<Vec<f64>>()
    };
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.now = bench.now + ms(3000); // it was not called
    bench.outputs.clear();
    bench.stick(1.0, 0.0, true);
    bench.pass(ms(2000));
    let forward = driven(&bench);
    assert!(!forward.is_empty() && forward.iter().all(|&forward| forward == 0.0), "{forward:?}");
    bench.stick(0.0, 0.0, true);
    bench.pass(ms(1500));
    bench.stick(1.0, 0.0, true);
    bench.pass(ms(1000));
    assert!(driven(&bench).last().is_some_and(|&forward| forward > 0.5));
}

/// An event, with the time that passes before it.
#[derive(Clone, Debug)]
enum Event {
    Stick(f64, f64, bool),
    Plug,
    Unplug,
    Enable(bool),
    Estop(bool),
    Reset(bool),
    Scaling(bool, f32),
    Navigation(f64, f64),
    Nothing,
}

fn event() -> impl Strategy<Value = (u64, Event)> {
    let value = prop_oneof![Just(0.0), Just(1.0), -1.0..=1.0f64, Just(f64::NAN), Just(1e308)];
    let event = prop_oneof![
        4 => (-1.0..=1.0f64, -1.0..=1.0f64, any::<bool>()).prop_map(|(f, l, d)| Event::Stick(f, l, d)),
        2 => Just(Event::Stick(0.0, 0.0, true)),
        1 => Just(Event::Plug),
        1 => Just(Event::Unplug),
        3 => prop::bool::weighted(0.8).prop_map(Event::Enable),
        1 => prop::bool::weighted(0.3).prop_map(Event::Estop),
        1 => any::<bool>().prop_map(Event::Reset),
        2 => (any::<bool>(), prop_oneof![Just(f32::NAN), -1.0f32..2.0]).prop_map(|(on, s)| Event::Scaling(on, s)),
        3 => (value.clone(), value).prop_map(|(v, w)| Event::Navigation(v, w)),
        1 => Just(Event::Nothing),
    ];
    (prop_oneof![0..30u64, 0..400u64, 500..1500u64], event)
}

fn play(events: &[(u64, Event)]) -> Bench {
    let mut bench = Bench::new();
    bench.plug();
    bench.enable(true);
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for (pause, event) in events {
        bench.pass(ms(*pause));
        match *event {
            Event::Stick(forward, left, dead_man) => bench.stick(forward, left, dead_man),
            Event::Plug => bench.plug(),
            Event::Unplug => bench.unplug(),
            Event::Enable(on) => bench.enable(on),
            Event::Estop(pressed) => bench.send([Input::Hindbrain(hindbrain::Input::EstopReceived(pressed))]),
            Event::Reset(down) => bench.send([Input::Hindbrain(hindbrain::Input::ResetReceived(down))]),
            Event::Scaling(on, factor) => bench.scaling = on.then_some([factor; 16]),
            Event::Navigation(forward, turn) => {
                let velocity = Velocity::planar(forward, turn).map_err(Invalid::NotFinite);
                let stamp = bench.stamp();
                bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
            }
            Event::Nothing => {}
        }
    }
    bench
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// After any events: without further commands the motors are at stop 0.5 s (arbiter) + 0.5 s (hindbrain) + 0.33 s
    /// (slope) later, and all values were in range.
    #[test]
    fn silence_stops_after_any_events(events in prop::collection::vec(event(), 1..60)) {
        let mut bench = play(&events);
        bench.unplug();
        let silent = bench.now;
        bench.scaling = Some([1.0; 16]);
        bench.pass(ms(3000));
        prop_assert!(bench.motors.iter().all(|(_, m)| (24..=156).contains(&m.port) && (24..=156).contains(&m.starboard)));
        prop_assert_eq!(bench.last(), (STOP, STOP));
        prop_assert!(bench.stopped_since().unwrap().since(silent) <= ms(1400));
    }

    /// Enable false stops within its own call, after any events.
    #[test]
    fn disable_stops_at_once(events in prop::collection::vec(event(), 1..60)) {
        let mut bench = play(&events);
        bench.enable(false);
        prop_assert_eq!(bench.last(), (STOP, STOP));
        let from = bench.motors.len();
        bench.pass(ms(1000));
        prop_assert!(bench.motors[from..].iter().all(|(_, m)| (m.port, m.starboard) == (STOP, STOP)));
    }

    /// Two runs with the same events give the same outputs, byte for byte.
    #[test]
    fn the_same_trace_gives_the_same_outputs(events in prop::collection::vec(event(), 1..40)) {
        let (first, second) = (play(&events), play(&events));
        prop_assert_eq!(format!("{:?}", first.outputs), format!("{:?}", second.outputs));
    }

    /// After a drain nothing is overdue, so a shell sleeps.
    #[test]
    fn after_a_drain_the_deadline_lies_ahead(events in prop::collection::vec(event(), 1..40)) {
        let bench = play(&events);
        prop_assert!(bench.drive.deadline().is_some_and(|deadline| deadline > bench.now));
    }
}

#[test]
fn a_stick_held_through_an_estop_moves_nothing_when_the_zone_opens() {
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.scaling = Some([0.0; 16]);
    bench.pass(ms(500));
    bench.estop_and_back();
    assert!(stands(&mut bench, |_| {}));
    bench.scaling = Some([1.0; 16]);
    assert!(stands(&mut bench, |_| {}), "the obstacle is gone, but the stick was not released");
    assert_eq!(bench.drive.stages().hindbrain.state(), hindbrain::StopState::Ok);
    bench.stick(0.0, 0.0, true);
    stands(&mut bench, |_| {}); // the joystick's velocity decays
    bench.stick(1.0, 0.0, true);
    assert!(!stands(&mut bench, |_| {}));
}

/// Navigation's command behind a lock is withheld; after a zero it drives again.
#[test]
fn a_source_locked_during_an_estop_moves_nothing_when_the_lock_opens() {
    let text = |text: &str| Value::Text(text.into());
    let lock = [
        ("sources.nav.topic", text("/nav")),
        ("sources.nav.type", text("twist")),
        ("sources.nav.priority", Value::Integer(10)),
        ("locks.door.topic", text("/door")),
        ("locks.door.priority", Value::Integer(50)),
    ];
    let commands = |forward: f64, closed: bool| {
        move |bench: &mut Bench| {
            let velocity = Ok(Velocity::planar(forward, 0.0).unwrap());
            bench.send([
                Input::Arbiter(arbiter::Input::LockReceived { lock: 0, closed }),
                Input::Arbiter(arbiter::Input::command(0, velocity, Stamp::ZERO)),
            ]);
        }
    };
    let mut bench = Bench::with(drive_with(&lock));
    bench.estop_and_back();
    stands(&mut bench, commands(0.0, false));
    assert!(!stands(&mut bench, commands(0.5, false)), "it drives");
    stands(&mut bench, commands(0.5, true));
    bench.estop_and_back();
    assert!(stands(&mut bench, commands(0.5, true)));
    assert!(stands(&mut bench, commands(0.5, false)));
    assert_eq!(bench.drive.stages().hindbrain.state(), hindbrain::StopState::Ok);
    assert!(stands(&mut bench, commands(0.0, false)));
    assert!(!stands(&mut bench, commands(0.5, false)));
}

/// Navigation asks for `forward` [m/s] throughout.
fn navigates(forward: f64) -> impl FnMut(&mut Bench) {
    move |bench| {
        let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        let (velocity, stamp) = (Ok(Velocity::planar(forward, 0.0).unwrap()), bench.stamp());
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
    }
}

#[test]
fn a_stick_unplugged_in_motion_hands_nothing_over_before_a_zero() {
    let mut bench = Bench::new();
    bench.full_ahead();
    stands(&mut bench, navigates(-0.5));
    assert!(bench.last().0 < 40, "the stick outranks it");
    bench.unplug();
    bench.pass(ms(500));
    assert!(stands(&mut bench, navigates(-0.5)) && stands(&mut bench, navigates(-0.5)));
    stands(&mut bench, navigates(0.0));
    assert!(!stands(&mut bench, navigates(-0.5)));
}

#[test]
fn a_reference_that_dies_in_motion_hands_nothing_over_before_a_zero() {
    let mut bench = Bench::new();
    bench.plug();
    bench.enable(true);
    let refers = |forward: f64| {
        move |bench: &mut Bench| {
            navigates(-0.5)(bench);
            let vel = Some([forward, 0.0, 0.0]);
            let reference = joystick::PoseState { vel, ..joystick::PoseState::standing(bench.stamp(), true) };
            bench.send([Input::Joystick(joystick::Input::ReferenceReceived(reference))]);
        }
    };
    stands(&mut bench, refers(0.0));
    assert!(!stands(&mut bench, refers(0.5)) && bench.last().0 < STOP);
    bench.pass(ms(450));
    for _ in 0..20 {
        navigates(-0.5)(&mut bench);
        bench.pass(ms(50));
    }
    assert!(stands(&mut bench, navigates(-0.5)));
    stands(&mut bench, navigates(0.0));
    assert!(!stands(&mut bench, navigates(-0.5)));
}
