//! The node's machine: what calls, commands and readings lead to.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use common::node::{Node, at, positions, settings, update};
use common::{close, values};
use haptix::{
    AnalyticHand, Answer, Command, DummyDevice, GraspValue, Group, Input, MAX, MAX_WAITING, Mode, Model,
    Order, Output, Reading, Settings, State,
};
use safety::Stamp;

#[test]
fn an_update_is_answered_at_once_with_the_latest_reading_and_moves_the_hand() {
    let mut node = Node::new("two_finger");
    node.run(25);
    node.update(7, positions(&[0.5, 0.25]), false);
    let (result, sensor) = update(node.answer(7));
    assert_eq!((result, sensor), (Ok(()), node.readings.last().unwrap().0.sensor));
    node.update(8, positions(&[0.5, 0.25]), false);
    assert_eq!(update(node.answer(8)).1, sensor, "the same within a tick, with its time");
    node.run(900);
    assert!(close(node.last_position(), 0.5, 1e-3));
}

#[test]
fn an_update_that_waits_is_answered_by_the_next_tick() {
    let mut node = Node::new("two_finger");
    node.run(25);
    node.update(1, positions(&[0.5]), true);
    node.update(2, Command::default(), true);
    node.run(5);
    assert_eq!(node.taken(), [Output::PublishState(State::Starting), Output::PublishState(State::Holding)]);
    node.run(1);
    let outputs = node.taken();
    let sensor = node.readings.last().unwrap().0.sensor;
    let expected = [1, 2].map(|id| Output::Answer(id, Answer::Update(Ok(()), Box::new(sensor))));
    assert_eq!(outputs[..2], expected);
    assert_eq!(sensor.time_stamp, Stamp { sec: 0, nanosec: 30_000_000 });
    assert_eq!(outputs[2..], [Output::PublishState(State::Following)]);
}

#[test]
fn a_reading_from_before_the_request_does_not_end_the_wait() {
    let mut node = Node::new("two_finger");
    node.run(25);
    let old = node.readings.last().unwrap().0;
    node.update(1, Command::default(), true);
    node.input(Input::DeviceStepped(Box::new(old)));
    assert_eq!(node.answer(1), None);
    node.input(Input::DeviceStepped(Box::new(Reading { at: at(25), ..old })));
    assert!(node.answer(1).is_some());
}

#[test]
fn a_wrong_command_is_refused_with_the_reading_and_changes_nothing() {
    let mut node = Node::new("two_finger");
    node.run(25);
    let before = *node.machine.setpoints();
    node.update(3, positions(&[0.5, f32::NAN]), true);
    let (result, sensor) = update(node.answer(3));
    assert_eq!(result, Err("ref_pos[1] is NaN, must be a finite number [rad]".into()));
    assert_eq!(sensor, node.readings.last().unwrap().0.sensor);
    assert!(*node.machine.setpoints() == before && node.orders.is_empty());
}

#[test]
fn the_last_of_two_clients_wins() {
    let mut node = Node::new("two_finger");
    node.run(25);
    node.input(Input::CommandReceived { command: Box::new(positions(&[1.0, 1.0])), at: at(25) });
    let gains = Command { gain_pos: Some([8.0; MAX]), ..Command::default() };
    node.update(1, gains, false);
    node.update(2, positions(&[0.25, 1.0]), false);
    node.run(900);
    assert!(close(node.last_position(), 0.25, 1e-3));
    assert_eq!(node.machine.setpoints().group(Group::GainPos), [8.0, 8.0], "each group keeps its last value");
}

#[test]
fn a_wrong_message_is_reported_once_a_second_and_a_stale_one_ignored() {
    let mut node = Node::new("two_finger");
    node.run(2000);
    node.taken();
    for _ in 0..1500 {
        let command = Box::new(Command { gain_vel: values(&[-1.0]), ..Command::default() });
        node.input(Input::CommandReceived { command, at: at(node.millis) });
        node.run(1);
    }
    let warning = "a command was refused: gain_vel[0] is -1, must be 0 or more N·m·s/rad";
    assert_eq!(node.taken(), vec![Output::Warn(warning.into()); 2]);
    let old = Box::new(positions(&[1.0]));
    node.run(1000);
    node.input(Input::CommandReceived { command: old.clone(), at: at(node.millis - 1000) });
    let warning = "a command was refused: the command waited 1.000 s to be read, must be less than 1 s";
    assert_eq!(node.taken(), [Output::Warn(warning.into())]);
    // One that waited less counts from its receipt.
    node.input(Input::CommandReceived { command: old, at: at(node.millis - 900) });
    node.run(1);
    node.run(50);
    assert_eq!(node.readings.last().unwrap().0.mode, Mode::Following);
    node.run(60);
    assert_eq!(node.readings.last().unwrap().0.mode, Mode::Holding);
}

#[test]
fn commands_that_a_held_node_reads_are_assumed_as_old_as_its_hold() {
    let mut node = Node::new("two_finger");
    node.run(100);
    node.orders.clear();
    // Nothing is read for 3 s although the device's silence was due to be noticed after one.
    node.millis += 3000;
    let mut reading = node.readings.last().unwrap().0;
    reading.at = at(node.millis);
    node.input(Input::DeviceStepped(Box::new(reading)));
    node.update(1, positions(&[1.0]), false);
    let (result, _) = update(node.answer(1));
    assert!(result.unwrap_err().contains("waited"), "it may have waited since before the hold");
    assert_eq!(node.orders, []);
}

/// The time counts from the start of the computer.
#[test]
fn the_first_command_of_a_node_did_not_wait() {
    let hand = AnalyticHand::new(Model::builtin("two_finger").unwrap(), 1);
    let mut node = Node::started_at(18_840_000, hand);
    node.run(25);
    node.update(1, positions(&[0.5]), false);
    assert_eq!(update(node.answer(1)).0, Ok(()));
}

#[test]
fn silence_leads_to_a_hold_and_the_next_command_ends_it() {
    let mut node = Node::new("two_finger");
    node.run(30);
    node.update(1, positions(&[0.5]), false);
    node.run(2000);
    let states: Vec<Output> =
        node.taken().into_iter().filter(|output| matches!(output, Output::PublishState(_))).collect();
    let expected =
        [State::Starting, State::Holding, State::Following, State::Holding].map(Output::PublishState);
    assert_eq!(states, expected);
    assert!(node.machine.state().to_string().starts_with("HOLDING"));
    // A command without groups is a reading: it neither ends the hold nor prolongs a command.
    node.update(2, Command::default(), false);
    node.run(100);
    assert_eq!(node.machine.state(), State::Holding);
    node.update(3, positions(&[0.4]), false);
    node.run(20);
    assert_eq!(node.machine.state(), State::Following);
}

#[test]
fn grasps_move_the_fingers_until_the_mode_is_left() {
    let mut node = Node::new("mpl");
    node.run(20);
    let hook = |value| vec![GraspValue { name: "Hook".into(), value }];
    let wrist = Command { ref_pos: Some([0.3; MAX]), ..Command::default() };
    node.update(0, wrist, false);
    node.input(Input::GraspRequested { id: 1, grasps: hook(0.5) });
    let Some(Answer::Grasp(Ok(command))) = node.answer(1) else { panic!() };
    let mut expected = [0.0; MAX];
    // The wrist keeps 0.3 (its deviation, too); Hook at a half: thumb1 to thumb3 0.15, fingers 0.7.
    expected[..13].copy_from_slice(&[0.3, 0.3, 0.3, 0.0, 0.15, 0.15, 0.15, 0.0, 0.7, 0.7, 0.7, 0.0, 0.7]);
    let given = command.ref_pos.unwrap();
    assert!(given.iter().zip(expected).all(|(given, expected)| close(*given, expected, 1e-6)), "{given:?}");
    assert_eq!(*command, Command { ref_pos: command.ref_pos, ..Command::default() });
    // In the mode a command moves the wrist and not the fingers.
    node.update(2, Command { ref_pos: Some([0.1; MAX]), ..Command::default() }, false);
    node.run(900);
    assert_eq!(node.machine.state(), State::Grasping);
    let sensor = node.readings.last().unwrap().0.sensor;
    assert!(close(sensor.motor_pos[2], 0.1, 1e-3) && close(sensor.motor_pos[8], 0.7, 1e-3));
    // Leaving it moves nothing; then commands move the fingers again.
    node.input(Input::GraspRequested { id: 3, grasps: vec![] });
    let Some(Answer::Grasp(Ok(command))) = node.answer(3) else { panic!() };
    assert!(close(command.ref_pos.unwrap()[8], 0.7, 1e-6) && close(command.ref_pos.unwrap()[2], 0.1, 1e-6));
    node.update(4, Command { ref_pos: Some([0.2; MAX]), ..Command::default() }, false);
    node.run(900);
    assert_eq!(node.machine.state(), State::Following);
    assert!(close(node.readings.last().unwrap().0.sensor.motor_pos[8], 0.2, 1e-3));
}

#[test]
fn a_hold_ends_the_grasp_mode_so_the_next_command_moves_the_fingers() {
    let mut node = Node::new("two_finger");
    node.run(20);
    let grasps = vec![GraspValue { name: "Pinch".into(), value: 1.0 }];
    node.input(Input::GraspRequested { id: 1, grasps });
    node.run(900);
    let closed = node.last_position();
    assert_eq!(node.machine.state(), State::Grasping);
    node.run(200);
    assert_eq!(node.machine.state(), State::Holding);
    node.update(2, positions(&[0.1, 0.1]), false);
    node.run(900);
    assert_eq!(node.machine.state(), State::Following);
    assert!(closed > 0.3 && close(node.last_position(), 0.1, 1e-3), "{closed}");
}

#[test]
fn a_hold_that_was_read_before_a_command_does_not_forget_the_command() {
    let mut node = Node::new("two_finger");
    node.run(25);
    let held = node.readings.last().unwrap().0;
    node.input(Input::GraspRequested {
        id: 1,
        grasps: vec![GraspValue { name: "Pinch".into(), value: 1.0 }],
    });
    node.input(Input::DeviceStepped(Box::new(Reading { at: at(26), ..held })));
    node.run(20);
    assert_eq!(node.machine.state(), State::Grasping);
}

#[test]
fn a_wrong_grasp_changes_nothing() {
    let mut node = Node::new("mpl");
    node.run(20);
    let grasps = vec![GraspValue { name: "Hok".into(), value: 1.0 }];
    node.input(Input::GraspRequested { id: 1, grasps });
    let expected = "grasp 'Hok' does not exist; did you mean 'Hook'?";
    assert_eq!(node.answer(1), Some(Answer::Grasp(Err(expected.into()))));
    assert_eq!(node.orders, []);
    node.run(20);
    assert_eq!(node.machine.state(), State::Holding);
}

#[test]
fn a_grasp_of_the_gazebo_hand_is_in_radians_of_the_shaft_and_within_its_limits() {
    let mut node = Node::new("mpl_gazebo");
    node.run(20);
    let grasps = vec![GraspValue { name: "Cylindrical".into(), value: 1.0 }];
    node.input(Input::GraspRequested { id: 1, grasps });
    let Some(Answer::Grasp(Ok(command))) = node.answer(1) else { panic!() };
    let given = command.ref_pos.unwrap();
    assert!(close(given[3], 1.8 * 352.0, 1e-3) && close(given[8], 1.57 * 393.0, 1e-2), "{given:?}");
}

#[test]
fn a_reset_of_the_pose_leaves_the_grasp_mode_and_one_without_it_does_not() {
    let mut node = Node::new("two_finger");
    node.run(20);
    node.input(Input::GraspRequested {
        id: 1,
        grasps: vec![GraspValue { name: "Pinch".into(), value: 1.0 }],
    });
    node.run(500);
    node.input(Input::ResetRequested { id: 2, reset_limb_pose: false });
    assert_eq!(node.answer(2), Some(Answer::Reset(Ok(()))));
    node.run(20);
    assert_eq!(node.machine.state(), State::Grasping);
    node.input(Input::ResetRequested { id: 3, reset_limb_pose: true });
    assert_eq!(node.answer(3), Some(Answer::Reset(Ok(()))));
    node.run(30);
    assert_eq!((node.machine.state(), node.last_position()), (State::Holding, 0.0));
    assert_eq!(node.machine.setpoints().ref_pos[0], 0.0);
    node.update(4, positions(&[0.5]), false);
    node.run(900);
    assert_eq!(node.machine.state(), State::Following);
    assert!(close(node.last_position(), 0.5, 1e-3), "commands move the fingers again");
}

#[test]
fn a_changed_time_out_decides_how_long_a_command_may_wait() {
    let mut node = Node::new("two_finger");
    node.run(5000);
    for (timeout, age, is_taken) in [(Some(200), 250, false), (Some(300), 250, true), (None, 4000, true)] {
        let command_timeout = timeout.map(Duration::from_millis);
        node.input(Input::ParametersChanged(Box::new(Settings { command_timeout, ..settings() })));
        node.orders.clear();
        let at = at(node.millis - age);
        node.input(Input::CommandReceived { command: Box::new(positions(&[0.5])), at });
        assert_eq!(node.orders.len(), usize::from(is_taken), "{timeout:?}");
        assert!(
            node.orders
                .iter()
                .all(|order| matches!(order, Order::Command { at: received, .. } if *received == at))
        );
    }
}

#[test]
fn waiting_calls_are_limited() {
    let mut node = Node::new("two_finger");
    node.run(31);
    for id in 0..=MAX_WAITING as u64 {
        node.update(id, positions(&[0.5]), true);
    }
    let (result, _) = update(node.answer(MAX_WAITING as u64));
    assert_eq!(result, Err("64 calls wait for a tick already; no more may wait".into()));
    node.update(100, positions(&[0.5]), false);
    assert_eq!(update(node.answer(100)).0, Ok(()), "one that does not wait is answered");
    node.run(10);
    assert_eq!(
        node.taken().iter().filter(|output| matches!(output, Output::Answer(..))).count(),
        MAX_WAITING
    );
}

#[test]
fn a_reading_is_published_with_the_wall_clock_of_when_it_was_taken() {
    let mut node = Node::new("two_finger");
    node.run(5);
    node.input(Input::ClockRead(Stamp { sec: 100, nanosec: 0 }.into()));
    node.millis += 10;
    let reading = Reading { at: at(12), ..node.readings[0].0 };
    node.input(Input::DeviceStepped(Box::new(reading)));
    // Read 5 ms after the start; taken at 12 ms.
    assert_eq!(node.readings[1], (reading, Stamp { sec: 100, nanosec: 7_000_000 }));
}

#[test]
fn the_end_of_the_node_orders_a_hold() {
    let mut node = Node::new("two_finger");
    node.run(20);
    node.input(Input::Stopping);
    assert_eq!(node.orders, [Order::Hold]);
}

#[test]
fn a_client_sees_the_values_of_the_dummy_device_and_zeros_beyond_its_counts() {
    let mut node = Node::of(DummyDevice::default());
    node.run(1);
    node.input(Input::InfoRequested { id: 1 });
    let Some(Answer::Info(Ok(answer))) = node.answer(1) else { panic!() };
    let (info, description) = *answer;
    let counts = (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count);
    assert_eq!((counts, info.update_rate), ((4, 5, 6, 7), 8.0));
    for index in 0..MAX {
        let limit = |count| if index < count { (-(index as f32), index as f32) } else { (0.0, 0.0) };
        let (motor, joint) = (info.motor_limit[index], info.joint_limit[index]);
        assert_eq!((motor.minimum, motor.maximum), limit(4));
        assert_eq!((joint.minimum, joint.maximum), limit(5));
    }
    assert_eq!((description.motor_names.len(), description.imu_frames.len()), (4, 7));
    node.update(2, positions(&[9.0, 9.0, -9.0, 1.0, f32::NAN]), false);
    let (result, sensor) = update(node.answer(2));
    assert_eq!(result, Ok(()), "the fifth motor does not exist");
    assert_eq!(node.machine.setpoints().group(Group::RefPos), [0.0, 1.0, -2.0, 1.0]);
    assert_eq!(sensor.time_stamp, Stamp { sec: 9, nanosec: 10 });
    for index in 0..MAX {
        let value = |count, offset: usize| if index < count { (index + offset) as f32 } else { 0.0 };
        assert_eq!(sensor.motor_pos[index], value(4, 0));
        assert_eq!(sensor.motor_vel[index], value(4, 1));
        assert_eq!(sensor.motor_torque[index], value(4, 2));
        assert_eq!(sensor.joint_pos[index], value(5, 0));
        assert_eq!(sensor.joint_vel[index], value(5, 1));
        assert_eq!(sensor.contact[index], value(6, 0));
        assert_eq!(sensor.imu_linear_acc[index], [0, 1, 2].map(|offset| value(7, offset)));
        assert_eq!(sensor.imu_angular_vel[index], [3, 4, 5].map(|offset| value(7, offset)));
        assert_eq!(sensor.imu_orientation[index], [9, 6, 7, 8].map(|offset| value(7, offset)), "w, x, y, z");
    }
}
