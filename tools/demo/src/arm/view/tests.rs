use core::time::Duration;

use super::*;
use crate::arm::act::Act;
use crate::arm::machine::Place;
use crate::arm::observed::{ControllerRow, LoopTiming, Sample};
use crate::arm::robot::JointState;
use crate::arm::script::Step;
use crate::widgets::{dots, drawn};

const NOW: Instant = Instant::from_millis(20_000);

/// The contents of a screen of this size, line by line.
fn screen(width: u16, height: u16, change: impl FnOnce(&mut Picture)) -> Vec<String> {
    let row = |name: &str, is_running| ControllerRow {
        name: name.into(),
        is_running,
        mean: Duration::from_nanos(1234),
        max: Duration::from_micros(56),
        overruns: 7,
    };
    let pan = JointState { position: 1.0, velocity: 0.25, effort: -2.0 };
    let joints = [pan, JointState { position: 0.5, ..JointState::default() }];
    let mut observed = Observed {
        has_services: true,
        joints: Some(joints),
        controllers: Some(vec![row("pan_position", true), row("arm_trajectory", false)]),
        is_halted: Some(false),
        timing: Some(LoopTiming {
            steps: 123_456,
            left_out: 2,
            greatest_lateness: 4567,
            longest_step: 89,
            lateness: [100_000, 20_000, 3_000, 400, 50, 4, 1, 1],
        }),
        ..Observed::default()
    };
    for millis in (12_000..=20_000).step_by(20) {
        let commands = [Some((Quantity::Position, 1.2)), None];
        observed.add(Sample { at: Instant::from_millis(millis), joints, commands });
    }
    let listed = |name: &str, is_running| Listed { name: name.into(), is_running };
    let act = Act::Move([Some(1.2), None]);
    let mut picture = Picture {
        observed,
        pilot: Pilot::Keyboard(()),
        list: vec![listed("pan_position", true), listed("arm_trajectory", false)],
        quantities: [Quantity::Position; 2],
        is_pulled: false,
        act: Some((Episode { act, began: NOW }, Verdict::Pending("pan 1.00, tilt 0.50".into()))),
        before: Some(Verdict::Good("refused".into())),
        step_count: 18,
        domain: 42,
        now: NOW,
    };
    change(&mut picture);
    drawn(width, height, |frame| draw(frame, &picture))
}

#[test]
fn everything_is_on_the_smallest_screen() {
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let screen = screen(width, height, |_| {}).join("\n");
        for text in [
            "Steersman, ROS domain 42",
            "from above",
            "from the side",
            "pan position 1.00 rad, command 1.20",
            "tilt position 0.50 rad",
            "2 pan_position   running 1.2  56    7",
            "5 arm_trajectory stopped 1.2  56    7",
            "1 pan_effort     -",
            "controller, us        mean max over",
            "motors    on  cable plugged in",
            "loop      123456 steps, 2 left out",
            "steps by lateness, us; at most 4567",
            "<   10 ██████████████████     100000",
            "> 1000 █                           1",
            "command pan 1.20 rad",
            "expected  within 0.02 rad",
            "seen      pan 1.00, tilt 0.50",
            "1-5 start/stop",
            "wrong switch",
            "q quit",
        ] {
            assert!(screen.contains(text), "'{text}' is missing at {width} x {height}:\n{screen}");
        }
        assert_eq!(screen.contains("the longest took 89 us"), height >= HIGH, "{screen}");
        assert_eq!(screen.contains("before    refused"), height >= HIGH, "{screen}");
    }
}

#[test]
fn a_fault_is_seen() {
    let screen = screen(80, 24, |picture| {
        picture.observed.is_halted = Some(true);
        picture.is_pulled = true;
        if let Some((_, verdict)) = &mut picture.act {
            *verdict = Verdict::Bad("it was accepted".into());
        }
    });
    let screen = screen.join("\n");
    assert!(screen.contains("motors    HALTED  cable PULLED"), "{screen}");
    assert!(screen.contains("seen      NOT AS EXPECTED: it was accepted"), "{screen}");
}

#[test]
fn the_curve_is_that_of_the_controlled_quantity() {
    let titled = |quantity| screen(80, 24, |picture| picture.quantities[0] = quantity).join("\n");
    assert!(titled(Quantity::Velocity).contains("pan velocity 0.25 rad/s"), "{}", titled(Quantity::Velocity));
    assert!(titled(Quantity::Effort).contains("pan effort -2.00 Nm"));
}

#[test]
fn a_curve_is_as_high_as_its_value() {
    let curve = |position: f64| {
        screen(80, 24, |picture| {
            for (index, sample) in picture.observed.history.iter_mut().enumerate() {
                sample.commands = [None; 2];
                // The first one sets the scale.
                sample.joints[0].position = if index == 0 { -position } else { position };
            }
        })
    };
    // The chart of pan has the lines 8 to 11 within its frame, and its scale the columns 1 to 6.
    let (high, low) = (curve(1.0), curve(-1.0));
    assert!(dots(&high, 8..9, 9..41) > 25 && dots(&high, 11..12, 9..41) < 3, "{}", high.join("\n"));
    assert!(dots(&low, 11..12, 9..41) > 25 && dots(&low, 8..9, 9..41) < 3, "{}", low.join("\n"));
}

#[test]
fn the_arm_points_to_where_it_is() {
    let arm = |pan: f64| {
        screen(100, 40, |picture| {
            let joints = [JointState { position: pan, ..JointState::default() }, JointState::default()];
            picture.observed.joints = Some(joints);
            picture.observed.history.clear();
        })
    };
    // The view from above has the columns 1 to 29, its middle is column 15. 10 lines show 0.66 m, so the arm's 0.3 m are 9 columns.
    let (left, right) = (arm(1.57), arm(-1.57));
    let (far_left, far_right) = (5..12, 19..26);
    assert!(
        dots(&left, 1..12, far_left.clone()) > 4 && dots(&left, 1..12, far_right.clone()) == 0,
        "{}",
        left.join("\n")
    );
    assert!(dots(&right, 1..12, far_right) > 4 && dots(&right, 1..12, far_left) == 0, "{}", right.join("\n"));
}

#[test]
fn the_first_line_shows_what_goes_on() {
    let first = |change: fn(&mut Picture)| screen(80, 24, change)[19].clone();
    let began = Place { began: NOW, index: 3, step: Step::WrongSwitch, ends: NOW };
    assert_eq!(first(|_| {}), "command pan 1.20 rad");
    assert!(first(|picture| picture.act = None).starts_with("no controller for that key"));
    let empty = |picture: &mut Picture| (picture.act, picture.list) = (None, vec![]);
    assert!(first(empty).starts_with("no controller runs: 1 to 5 load"));
    let waiting = |picture: &mut Picture| (picture.act, picture.pilot) = (None, Pilot::Waiting(NOW));
    assert!(first(waiting).contains("begins in 5 s"));
    let starting = |picture: &mut Picture| {
        (picture.act, picture.pilot) = (None, Pilot::Starting);
        picture.observed.joints = None;
    };
    assert!(first(starting).ends_with("no message yet on: joint_states"));
    let script = screen(80, 24, |picture| picture.pilot = Pilot::Script(began));
    assert_eq!(script[19], "script 4/18: command pan 1.20 rad");
}

#[test]
fn a_screen_that_is_too_small_does_not_panic() {
    for (width, height) in [(1, 1), (10, 3), (38, 5), (40, 24)] {
        screen(width, height, |_| {});
    }
}
