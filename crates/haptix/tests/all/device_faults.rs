//! The node's machine in front of a device that fails or does not answer.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::node::{Node, at, positions, settings, update};
use haptix::{Answer, Command, DeviceError, Input, Output, Sensor, State};
use safety::Machine;

/// All calls at once, answered with errors that contain `text`; the update's reading is `sensor`.
fn assert_all_refused(node: &mut Node, text: &str, sensor: &Sensor) {
    let before = *node.machine.setpoints();
    node.orders.clear();
    node.taken();
    node.update(1, positions(&[0.7]), false);
    node.update(2, positions(&[0.7]), true);
    node.input(Input::ReadRequested { id: 3 });
    node.input(Input::InfoRequested { id: 4 });
    node.input(Input::GraspRequested { id: 5, grasps: vec![] });
    node.input(Input::ResetRequested { id: 6, reset_limb_pose: true });
    let mut ids = Vec::new();
    for output in node.taken() {
        let Output::Answer(id, answer) = output else { continue };
        let error = match answer {
            Answer::Update(result, latest) => {
                assert_eq!(*latest, *sensor);
                result.unwrap_err()
            }
            Answer::Read(result) => result.map(|_| ()).unwrap_err(),
            Answer::Info(result) => result.map(|_| ()).unwrap_err(),
            Answer::Grasp(result) => result.map(|_| ()).unwrap_err(),
            Answer::Reset(result) | Answer::MotorsReset(result) => result.unwrap_err(),
        };
        assert!(error.contains(text), "{error}");
        ids.push(id);
    }
    assert_eq!(ids, [1, 2, 3, 4, 5, 6]);
    assert!(node.orders.is_empty() && *node.machine.setpoints() == before);
}

#[test]
fn a_device_that_stops_answering_leads_to_errors_after_1000_ms() {
    let mut node = Node::new("two_finger");
    node.run(31);
    node.update(9, Command::default(), true);
    let last = node.readings.last().unwrap().0;
    assert_eq!(last.at, at(30));
    node.wait(998);
    assert_eq!((node.millis, node.answer(9)), (1029, None));
    node.input(Input::ReadRequested { id: 1 });
    assert_eq!(
        node.answer(1),
        Some(Answer::Read(Ok(Box::new(last.sensor)))),
        "until then the latest reading counts"
    );
    node.update(9, Command::default(), true);
    node.wait(1);
    let outputs = node.taken();
    let error = Err("the device has given no reading for 1000 ms".to_owned());
    let expected = Output::Answer(9, Answer::Update(error, Box::new(last.sensor)));
    assert_eq!(outputs, [expected.clone(), expected, Output::PublishState(State::NotAnswering(None))]);
    assert_all_refused(&mut node, "no reading for 1000 ms", &last.sensor);
    assert_eq!(node.machine.deadline(), None);
    // It answers again.
    node.run(20);
    assert_eq!(node.machine.state(), State::Holding);
    node.update(1, positions(&[0.7]), false);
    assert_eq!(update(node.answer(1)).0, Ok(()));
}

#[test]
fn after_a_pause_of_the_process_the_device_counts_as_silent_until_the_next_reading() {
    let mut node = Node::new("two_finger");
    node.run(31);
    node.taken();
    let last = node.readings.last().unwrap().0.sensor;
    // Neither the machine nor the device's thread ran, and the machine runs first.
    node.millis += 1500;
    node.update(1, positions(&[0.7]), false);
    let error = Err("the device has given no reading for 1000 ms".to_owned());
    assert_eq!(update(node.answer(1)), (error, last));
    assert_eq!(node.machine.state(), State::NotAnswering(None));
    node.run(11);
    assert_eq!(node.machine.state(), State::Holding, "one tick later");
    // What was refused moves nothing later.
    node.run(1000);
    assert_eq!(node.last_position(), 0.0);
}

#[test]
fn before_the_first_reading_calls_are_errors() {
    let mut node = Node::new("two_finger");
    assert_all_refused(&mut node, "no reading yet", &Sensor::default());
    node.wait(1001);
    assert_all_refused(&mut node, "no reading for 1000 ms", &Sensor::default());
}

#[test]
fn a_failure_of_the_device_is_the_error_of_all_calls_until_it_steps_again() {
    let mut node = Node::new("two_finger");
    node.run(31);
    let last = node.readings.last().unwrap().0;
    node.update(9, Command::default(), true);
    node.taken();
    node.input(Input::DeviceFailed(DeviceError::Failed("the cable is out".into())));
    let answer = Answer::Update(Err("the cable is out".into()), Box::new(last.sensor));
    let state = State::Failed("the cable is out".into());
    assert_eq!(node.taken(), [Output::Answer(9, answer), Output::PublishState(state)]);
    assert_all_refused(&mut node, "the cable is out", &last.sensor);
    node.run(20);
    assert_eq!(node.machine.state(), State::Holding);
}

#[test]
fn a_device_that_keeps_failing_answers_and_one_that_then_falls_silent_does_not() {
    let mut node = Node::new("two_finger");
    node.run(31);
    for _ in 0..20 {
        node.input(Input::DeviceFailed(DeviceError::Failed("the cable is out".into())));
        node.wait(100);
    }
    assert_eq!(node.machine.state(), State::Failed("the cable is out".into()));
    node.wait(899);
    assert_eq!(node.machine.state(), State::Failed("the cable is out".into()));
    node.wait(1);
    assert_eq!(node.machine.state(), State::NotAnswering(None));
    // This is no sign of life.
    node.input(Input::DeviceFailed(DeviceError::NoAnswer));
    assert_eq!(node.machine.state(), State::NotAnswering(None));
}

#[test]
fn a_silent_device_is_noticed_through_its_loop_and_can_be_repaired() {
    let mut node = Node::new("two_finger");
    node.run(31);
    let mut silent = settings();
    silent.simulation.faults.is_silent = true;
    node.input(Input::ParametersChanged(Box::new(silent)));
    node.run(1001);
    assert_eq!(node.machine.state(), State::NotAnswering(None));
    node.input(Input::ParametersChanged(Box::new(settings())));
    node.run(30);
    assert_eq!(node.machine.state(), State::Holding);
}
