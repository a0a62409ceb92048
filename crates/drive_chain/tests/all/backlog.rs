//! Of the commands for motion that waited in a topic only the newest counts; every stop and every other message counts.
#![allow(clippy::unwrap_used)] // helpers of tests

use arbiter::{Invalid, State};
use drive_chain::{Drive, Input};
use joystick::PoseState;
use safety::{Command, Machine, Stamp, Velocity};

fn command(forward: f64) -> Command {
    Command::new(Velocity::planar(forward, 0.0).unwrap(), Stamp::ZERO)
}

/// The inputs that carry this command, or the reason why there is none, to each stage.
fn commands(command: Command) -> Vec<Input> {
    let (linear, angular) = (Some(command.velocity.linear()), Some(command.velocity.angular()));
    let state = State { intrinsic: true, vel: linear, avel: angular, ..State::default() };
    let reference = PoseState { intrinsic: true, vel: linear, avel: angular, ..PoseState::default() };
    vec![
        Input::Arbiter(arbiter::Input::CommandReceived { source: 0, command: Ok(command) }),
        Input::Arbiter(arbiter::Input::StateReceived { source: 0, state }),
        Input::Joystick(joystick::Input::ReferenceReceived(reference)),
        Input::Zones(zones::Input::CommandReceived(command)),
        Input::Hindbrain(hindbrain::Input::CommandReceived(Ok(command))),
    ]
}

#[test]
fn a_command_for_motion_is_replaced_by_a_newer_one_on_every_hop() {
    for input in commands(command(0.5)) {
        assert!(Drive::asks_for_motion(&input), "{input:?}");
    }
}

#[test]
fn every_stop_and_every_other_message_counts() {
    let not_finite = Velocity::planar(f64::NAN, 0.0).unwrap_err();
    let lost = State { intrinsic: true, ..State::default() };
    let odd = PoseState { vel: Some([f64::NAN; 3]), avel: Some([0.0; 3]), ..PoseState::default() };
    let others = [
        Input::ClockRead(Stamp::ZERO.into()),
        Input::Arbiter(arbiter::Input::CommandReceived {
            source: 0,
            command: Err(Invalid::NotFinite(not_finite)),
        }),
        Input::Arbiter(arbiter::Input::StateReceived { source: 0, state: lost }),
        Input::Arbiter(arbiter::Input::LockReceived { lock: 0, closed: true }),
        Input::Joystick(joystick::Input::ReferenceReceived(PoseState::default())),
        Input::Joystick(joystick::Input::ReferenceReceived(odd)),
        Input::Zones(zones::Input::CommandRefused(not_finite)),
        Input::Hindbrain(hindbrain::Input::CommandReceived(Err(not_finite))),
        Input::Hindbrain(hindbrain::Input::EstopReceived(true)),
    ];
    for input in commands(Command::STOP).into_iter().chain(commands(command(0.01))).chain(others) {
        assert!(!Drive::asks_for_motion(&input), "{input:?}");
    }
}
