//! The motor controller, the supervising thread, conflicting publishers: the stops and their recovery.

use crate::common;

use common::{Rig, command, ir, publishers, rig, text, texts};
use hindbrain::{Cause, Input, Level, Publishers, Sensor, SoleTopic, StopState};
use params::Value;
use safety::PublisherCount;

const FULL_AHEAD: fn() -> Input = || command(1.0, 0.0);

/// With a motor controller that is not open yet.
fn with_device(changes: &[(&str, Value)]) -> Rig {
    let device = [("driver.kind", text("pololu")), ("driver.device", text("/dev/ttyACM0"))];
    rig(&[&device, changes].concat())
}

#[test]
fn a_motor_controller_that_is_not_open_is_a_soft_stop() {
    let mut rig = with_device(&[]);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&[command(0.0, 0.0)], 200);
    assert_eq!(rig.state(), StopState::SoftRos);
    assert!(rig.has(Cause::DeviceUnready));
    assert_eq!(rig.hindbrain.health().1, "SSTOP.ROS: the motor controller is not open yet");
    rig.send(Input::DeviceOpened);
    assert_eq!(rig.state(), StopState::Ok, "the earlier enable counts: the device stopped nothing");
    assert!(!rig.has(Cause::DeviceUnready));
    rig.repeat(&[FULL_AHEAD()], 500);
    assert_eq!(rig.levels(), [0, 0], "zero first");
    rig.send(command(0.0, 0.0));
    rig.repeat(&[FULL_AHEAD()], 500);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn without_a_driver_no_motor_controller_is_awaited() {
    let mut rig = rig(&[]);
    rig.ready();
    assert!(!rig.has(Cause::DeviceUnready));
}

#[test]
fn a_lost_motor_controller_is_a_fault_that_cannot_be_reset_while_it_is_lost() {
    let mut rig = with_device(&[]);
    rig.send(Input::DeviceOpened);
    rig.full_speed();
    let count = rig.drives.len();
    rig.send(Input::DeviceLost);
    assert_eq!((rig.state(), rig.last(), rig.drives.len()), (StopState::Fault, [0, 0], count + 1));
    assert!(rig.has(Cause::DeviceLost) && rig.has(Cause::FaultLatched) && !rig.has(Cause::Overrun));
    assert_eq!((rig.hindbrain.health().0, rig.hindbrain.counters().faults), (Level::Error, 1));
    rig.click_reset();
    assert_eq!(rig.state(), StopState::Fault, "it is still lost");
    rig.send(Input::ResetReceived(true));
    rig.send(Input::DeviceOpened);
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Fault, "the button went down while it was lost");
    assert!(
        !rig.has(Cause::DeviceLost) && !rig.has(Cause::Overrun),
        "no command was late: {}",
        rig.hindbrain.causes()
    );
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
    assert!(rig.has(Cause::NotArmed));
    assert_eq!(rig.hindbrain.counters().resets, 1);
}

#[test]
fn a_lost_motor_controller_is_a_fault_even_at_rest() {
    for required in [false, true] {
        let mut rig = if required { with_device(&[]) } else { rig(&[]) };
        rig.send(Input::DeviceLost);
        assert_eq!(rig.state(), StopState::Fault);
    }
}

#[test]
fn under_seed_a_lost_motor_controller_stops_while_it_is_lost() {
    let mut rig = with_device(&[("profile", text("seed"))]);
    rig.send(Input::EnableReceived(true));
    assert_eq!(rig.state(), StopState::SoftRos);
    rig.send(Input::DeviceOpened);
    rig.repeat(&[FULL_AHEAD()], 500);
    assert!(rig.levels()[0] > 0);
    rig.send(Input::DeviceLost);
    assert_eq!((rig.state(), rig.last()), (StopState::Fault, [0, 0]));
    rig.send(Input::DeviceOpened);
    assert_eq!((rig.state(), rig.levels()), (StopState::Ok, [0, 0]));
}

#[test]
fn unsupervised_motors_are_a_fault_only_if_they_could_move() {
    let mut rig = rig(&[]);
    rig.send(Input::Unwatched);
    assert_eq!((rig.state(), rig.hindbrain.counters().unwatched), (StopState::SoftRos, 1));
    rig.ready();
    let count = rig.drives.len();
    rig.send(Input::Unwatched);
    assert_eq!((rig.state(), rig.last(), rig.drives.len()), (StopState::Fault, [0, 0], count + 1));
    assert!(rig.has(Cause::Overrun));
    rig.send(Input::Unwatched);
    assert_eq!(rig.hindbrain.counters().faults, 1);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
    assert!(!rig.has(Cause::Overrun));
}

#[test]
fn a_step_exactly_at_the_overrun_limit_is_in_time() {
    for (late, state) in [(500, StopState::SoftRos), (501, StopState::Fault)] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.stall(late);
        rig.send(command(0.0, 0.0));
        assert_eq!((rig.state(), rig.hindbrain.counters().overruns), (state, u64::from(late > 500)));
    }
}

#[test]
fn after_a_conflict_on_the_commands_motion_requires_a_zero() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(publishers(SoleTopic::Command, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
    assert_eq!(
        rig.hindbrain.health(),
        (Level::Error, "SSTOP.ROS: cmd_vel has more than one publisher, or one that does not fit".into())
    );
    rig.repeat(&[command(0.0, 0.0)], 100);
    assert_eq!(rig.state(), StopState::SoftRos);
    rig.send(publishers(SoleTopic::Command, 1, 0));
    assert_eq!(rig.state(), StopState::Ok, "still armed");
    rig.repeat(&[FULL_AHEAD()], 500);
    assert_eq!(rig.levels(), [0, 0], "zero first");
    rig.send(command(0.0, 0.0));
    rig.repeat(&[FULL_AHEAD()], 500);
    assert!(rig.levels()[0] > 0);
    for count in [0, 1] {
        rig.send(publishers(SoleTopic::Command, count, 0));
        assert_eq!(rig.state(), StopState::Ok, "{count} is no conflict");
    }
    for (compatible, incompatible) in [(0, 1), (1, 1)] {
        rig.send(publishers(SoleTopic::Command, compatible, incompatible));
        assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]), "one of another type");
    }
}

#[test]
fn another_publisher_of_the_motors_is_a_stop_that_requires_enable() {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(publishers(SoleTopic::Motors, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
    assert!(rig.has(Cause::MotorConflict));
    rig.send(publishers(SoleTopic::Motors, 1, 0));
    rig.repeat(&[command(0.0, 0.0), FULL_AHEAD()], 200);
    assert_eq!(rig.levels(), [0, 0]);
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn a_graph_that_cannot_be_read_is_a_conflict_of_everything() {
    let mut rig = rig(&[]);
    rig.full_speed();
    let unknown = SoleTopic::ALL
        .into_iter()
        .fold(Publishers::default(), |all, topic| all.with(topic, PublisherCount::Unknown));
    rig.send(Input::PublishersCounted(unknown));
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
}

#[test]
fn a_device_a_fault_and_an_unsupervised_step_cause_an_output_at_once() {
    for input in [Input::DeviceOpened, Input::DeviceLost, Input::Unwatched, Input::ResetReceived(false)] {
        let mut rig = with_device(&[]);
        rig.wait(5);
        let count = rig.drives.len();
        rig.send(input);
        assert_eq!(rig.drives.len(), count + 1);
    }
    let two = publishers(SoleTopic::Command, 2, 0);
    for input in [two, Input::EnableReceived(true), Input::EstopReceived(false)] {
        let mut rig = with_device(&[]);
        rig.wait(5);
        let count = rig.drives.len();
        rig.send(input);
        assert_eq!(rig.drives.len(), count, "the motor values did not change");
    }
}

/// If a time-out waited for the next tick of 20 ms, its end would depend on the tick's phase.
#[test]
fn a_time_out_does_not_wait_for_the_next_tick() {
    for phase in [1, 7, 13, 19] {
        let mut rig = rig(&[("ir.sensors", texts(&["ir_front_port"])), ("accel", Value::Float(200.0))]);
        let clear = ir(Sensor::FrontPort, 1.0);
        rig.repeat(std::slice::from_ref(&clear), 510);
        rig.ready();
        rig.repeat(&[clear.clone(), command(1.0, 0.0)], 400);
        assert_eq!(rig.levels(), [66, 66]);

        // The sensor's 500 ms; 10 ms have passed.
        rig.wait(phase);
        rig.send(command(1.0, 0.0));
        rig.wait(489 - phase);
        assert_ne!(rig.last(), [0, 0], "phase {phase}");
        rig.wait(1);
        assert_eq!((rig.state(), rig.last()), (StopState::SoftIr, [0, 0]), "phase {phase}");

        // The e-stop's 250 ms.
        rig.first_estop();
        rig.wait(249);
        assert_ne!(rig.state(), StopState::Estop, "phase {phase}");
        rig.wait(1);
        assert_eq!(rig.state(), StopState::Estop, "phase {phase}");
    }
}

#[test]
fn a_node_that_is_not_active_stops_and_its_activation_starts_nothing() {
    let mut rig = rig(&[]);
    rig.full_speed();
    let count = rig.drives.len();
    rig.send(Input::ActivityChanged(false));
    assert_eq!((rig.state(), rig.last(), rig.drives.len()), (StopState::SoftRos, [0, 0], count + 1));
    assert!(rig.has(Cause::Inactive));
    rig.repeat(&[FULL_AHEAD(), Input::EnableReceived(false), Input::EnableReceived(true)], 500);
    assert_eq!(rig.levels(), [0, 0]);
    assert!(rig.drives.len() > count + 10, "stop is repeated, as in any other state");
    rig.send(Input::ActivityChanged(true));
    rig.repeat(&[FULL_AHEAD(), command(0.0, 0.0), Input::EnableReceived(true)], 500);
    assert!(rig.has(Cause::NotArmed), "the rise of enable was before");
    rig.send(Input::EnableReceived(false));
    rig.ready();
    rig.repeat(&[FULL_AHEAD()], 500);
    assert!(rig.levels()[0] > 0);
}
