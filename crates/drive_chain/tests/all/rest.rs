//! A stick that is lost at rest was not released: no other source starts to drive by itself.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use common::{Bench, STOP, stands};
use drive_chain::Input;
use joystick::PoseState;
use safety::{Stamp, Velocity};

fn source(bench: &Bench, name: &str) -> usize {
    bench.drive.stages().arbiter.source_index(name).unwrap()
}

/// Navigation asks for `forward` [m/s] throughout.
fn navigates(forward: f64) -> impl FnMut(&mut Bench) {
    move |bench| {
        let (velocity, stamp) = (Ok(Velocity::planar(forward, 0.0).unwrap()), bench.stamp());
        bench.send([Input::Arbiter(arbiter::Input::command(source(bench, "navigation"), velocity, stamp))]);
    }
}

/// The reference asks for `forward` [m/s] throughout.
fn refers(forward: f64) -> impl FnMut(&mut Bench) {
    move |bench| {
        let (stamp, vel) = (bench.stamp(), Some([forward, 0.0, 0.0]));
        let state = PoseState { stamp, intrinsic: true, vel, ..PoseState::default() };
        bench.send([Input::Joystick(joystick::Input::ReferenceReceived(state))]);
    }
}

fn scans(bench: &mut Bench) {
    bench.send([Input::Joystick(joystick::Input::DevicesPolled)]);
}

/// A person holds the vehicle still with the dead-man button and the stick at rest, while navigation asks for motion.
fn held_still() -> Bench {
    let mut bench = Bench::new();
    bench.plug();
    bench.enable(true);
    stands(&mut bench, |bench| {
        scans(bench);
        navigates(0.0)(bench);
    });
    bench.stick(0.0, 0.0, true);
    let held = stands(&mut bench, |bench| {
        scans(bench);
        navigates(0.5)(bench);
    });
    assert!(held, "the stick outranks it");
    bench
}

/// Nothing moves, and after navigation's zero it drives.
fn hands_nothing_over_before_a_zero(bench: &mut Bench) {
    assert!(stands(bench, navigates(0.5)), "the stick was not released");
    assert!(stands(bench, navigates(0.0)));
    assert!(!stands(bench, navigates(0.5)), "it sent a zero since");
}

#[test]
fn a_stick_unplugged_at_rest_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    bench.unplug();
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_stick_whose_buttons_the_kernel_releases_before_it_is_gone_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    bench.stick(0.0, 0.0, false);
    bench.unplug();
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_stick_no_longer_read_at_rest_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_stick_unmapped_at_rest_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    let (looked, params) = (joystick::Input::DevicesPolled, joystick::Params::default());
    bench.send([Input::Joystick(looked), Input::Joystick(joystick::Input::ParametersChanged(params))]);
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_joystick_that_ends_at_rest_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    bench.send([Input::Joystick(joystick::Input::Stopping)]);
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_joystick_that_dies_at_rest_hands_nothing_over_before_a_zero() {
    let mut bench = held_still();
    let params = arbiter::Params::default();
    // The joystick is another process here, whose messages end.
    bench.send([Input::SourcesChanged { params, stick: None }]);
    hands_nothing_over_before_a_zero(&mut bench);
}

#[test]
fn a_stick_unplugged_at_rest_passes_no_reference_on_before_a_zero() {
    let mut bench = Bench::new();
    bench.plug();
    bench.enable(true);
    stands(&mut bench, refers(0.0));
    bench.stick(0.0, 0.0, true);
    assert!(stands(&mut bench, refers(0.5)), "the stick outranks it");
    bench.unplug();
    assert!(stands(&mut bench, refers(0.5)), "the stick was not released");
    assert!(stands(&mut bench, refers(0.0)));
    assert!(!stands(&mut bench, refers(0.5)), "it sent a zero since");
}

#[test]
fn a_stick_released_at_rest_hands_over() {
    let mut bench = held_still();
    bench.stick(0.0, 0.0, false);
    let mut each = |bench: &mut Bench| {
        scans(bench);
        navigates(0.5)(bench);
    };
    assert!(!stands(&mut bench, &mut each), "a release hands over");
    // And again after a released pad is unplugged.
    bench.unplug();
    assert!(!stands(&mut bench, &mut each));
    assert!(bench.motors.iter().all(|(_, m)| m.port < STOP), "nothing was lost");
}

#[test]
fn a_source_of_twists_that_sends_zero_and_falls_silent_hands_over() {
    let text = |text: &str| params::Value::Text(text.into());
    let mut bench = Bench::with(common::drive_with(&[
        ("sources.hold.topic", text("/hold")),
        ("sources.hold.type", text("twist")),
        ("sources.hold.priority", params::Value::Integer(90)),
        ("sources.nav.topic", text("/nav")),
        ("sources.nav.type", text("twist")),
        ("sources.nav.priority", params::Value::Integer(10)),
    ]));
    bench.enable(true);
    let publishes = |bench: &mut Bench, name: &str, forward: f64| {
        let velocity = Ok(Velocity::planar(forward, 0.0).unwrap());
        bench.send([Input::Arbiter(arbiter::Input::command(source(bench, name), velocity, Stamp::ZERO))]);
    };
    stands(&mut bench, |bench| publishes(bench, "nav", 0.0));
    let held = stands(&mut bench, |bench| {
        publishes(bench, "hold", 0.0);
        publishes(bench, "nav", 0.5);
    });
    assert!(held);
    assert!(!stands(&mut bench, |bench| publishes(bench, "nav", 0.5)));
}
