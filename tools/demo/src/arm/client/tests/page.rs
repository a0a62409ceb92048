//! The arm on the screen.

use r2r::builtin_interfaces::msg::Duration as WireDuration;

use super::*;
use crate::client::page::Page;
use crate::screen::drawn;

/// An operator whose arm has all values, after the key `key`.
fn shown(key: char) -> Operator<Arm> {
    let row = |name: &str, running| ControllerStatistics {
        name: name.into(),
        running,
        mean_time: WireDuration { sec: 0, nanosec: 1_234 },
        max_time: WireDuration { sec: 0, nanosec: 56_000 },
        num_control_loop_overruns: 7,
        ..Default::default()
    };
    let timing = LoopTiming {
        steps: 123_456,
        left_out: 2,
        greatest_lateness: 4567,
        longest_step: 89,
        lateness: [100, 50, 25, 25, 0, 0, 0, 0],
    };
    let pan = JointState { position: 1.0, velocity: 0.25, effort: -2.0 };
    let mut operator = operator(false);
    for message in [
        Message::Joints([pan, JointState { position: 0.5, ..JointState::default() }]),
        Message::Controllers(vec![row("pan_position", true), row("arm_trajectory", false)]),
        Message::Halted(false),
        Message::Timing(timing),
    ] {
        operator.handle(at(0), Input::Received(message));
    }
    operator.handle(at(0), Input::ServicesFound);
    operator.handle(at(0), Input::KeyPressed(if key == '<' { KeyCode::Left } else { KeyCode::Char(key) }));
    operator
}

fn screen(operator: &Operator<Arm>, width: u16, height: u16) -> String {
    drawn(width, height, |frame| Page::of(operator, at(0)).draw(frame, 42)).join("\n")
}

#[test]
fn everything_is_on_the_smallest_screen() {
    for (width, height) in [(80, 24), (100, 30), (200, 60)] {
        let screen = screen(&shown('<'), width, height);
        for text in [
            "Steersman, ROS domain 42",
            "pan position 1.00 rad, command 1.10",
            "tilt position 0.50 rad",
            "motors on, cable plugged in",
            "controller               mean [us]  max [us]  overruns",
            "1 pan_effort      -",
            "2 pan_position    running       1.23      56.0         7",
            "5 arm_trajectory  stopped       1.23      56.0         7",
            "123456 steps of the loop, 2 left out, at most 4567 us late",
            "no later than 10 us 50.0 %, 20 us 75.0 %",
            "command pan 1.10 rad",
            "expected  the joints come to the commanded positions",
            "1-5 start/stop",
            "wrong switch",
            "q quit",
        ] {
            assert!(screen.contains(text), "'{text}' is missing at {width} x {height}:\n{screen}");
        }
    }
    for (width, height) in [(1, 1), (10, 3), (38, 5), (40, 24)] {
        screen(&shown('<'), width, height);
    }
}

#[test]
fn a_fault_is_on_the_screen() {
    let mut operator = shown('c');
    operator.handle(at(0), Input::Received(Message::Halted(true)));
    let pulled = screen(&operator, 80, 24);
    assert!(pulled.contains("motors HALTED, cable PULLED"), "{pulled}");
    let mut operator = shown('w');
    assert!(matches!(operator.poll(at(0)), Some(Output::Call(Call::Switch { .. }))));
    operator.handle(at(0), Input::Answered(Ok(vec![])));
    assert!(matches!(operator.poll(at(0)), Some(Output::Call(Call::List))));
    operator.handle(at(0), Input::Answered(Ok(vec![])));
    let accepted = screen(&operator, 80, 24);
    assert!(accepted.contains("answer    NOT AS EXPECTED: accepted, must be refused"), "{accepted}");
}

#[test]
fn the_value_is_that_of_the_controlled_quantity() {
    for (name, text) in [("pan_velocity", "pan velocity 0.25 rad/s"), ("pan_effort", "pan effort -2.00 Nm")] {
        let mut arm = shown('<').client.clone();
        arm.list = running(name);
        assert!(arm.listing().iter().any(|line| line == text), "{:?}", arm.listing());
    }
}

#[test]
fn the_first_line_shows_what_goes_on() {
    let first =
        |operator: &Operator<Arm>| screen(operator, 80, 24).lines().nth(18).map(str::to_owned).unwrap();
    assert_eq!(first(&shown('<')), "command pan 1.10 rad");
    let mut operator = shown('<');
    operator.handle(at(0), Input::KeyPressed(KeyCode::Up));
    assert!(first(&operator).starts_with("no controller for that key"), "{}", first(&operator));
    let mut node = Node::new(false);
    assert!(first(&node.operator).ends_with("no message yet on: joint_states"));
    node.play(0, 20);
    assert!(first(&node.operator).contains("begins in 5 s"));
    node.operator.handle(at(20), Input::KeyPressed(KeyCode::Up));
    assert!(first(&node.operator).starts_with("no controller runs: 1 to 5 load"));
    let mut node = Node::new(false);
    node.play(0, 5_800);
    assert_eq!(first(&node.operator), "script 2/18: switch: start pan_position and tilt_position");
}
