//! The analytic hand: motion, gears, couplings, limits, faults, noise, delay.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use common::{Rig, close, values};
use haptix::{Command, Device, Faults, MAX, Noise, Sensor, Simulation};

#[test]
fn every_motor_of_the_mpl_reaches_its_target_without_overshoot() {
    for motor in 0..13 {
        let mut rig = Rig::new("mpl");
        let limit = rig.limits()[motor];
        let (start, target) =
            (rig.read().motor_pos[motor], limit.minimum + 0.8 * (limit.maximum - limit.minimum));
        rig.turn(motor, target.into());
        let mut farthest = start;
        let mut settled = 0.0;
        for millis in 0..1000 {
            rig.run(0.001);
            let position = rig.read().motor_pos[motor];
            let is_farther = (position - start).abs() > (farthest - start).abs();
            farthest = if is_farther { position } else { farthest };
            if (position - target).abs() > 0.02 * (target - start).abs() {
                settled = f64::from(millis) / 1000.0;
            }
        }
        let beyond = (farthest - target) * (target - start).signum();
        println!("motor {motor}: settles in {settled} s, overshoot {beyond}");
        assert!(beyond < 0.02 * (target - start).abs(), "motor {motor} overshoots by {beyond}");
        assert!(settled < 0.6, "motor {motor} settles in {settled} s");
    }
}

#[test]
fn a_joint_that_no_command_reaches_stays_at_rest() {
    let mut rig = Rig::new("mpl");
    let before = rig.read();
    rig.run(0.5);
    let after = rig.read();
    assert_eq!((before.joint_pos, before.motor_torque), (after.joint_pos, after.motor_torque));
}

#[test]
fn motors_of_the_gazebo_hand_turn_by_the_gear_and_pull_by_its_inverse() {
    let gears: [f64; 13] =
        [180.0, 180.0, 180.0, 352.0, 352.0, 352.0, 352.0, 352.0, 393.0, 393.0, 393.0, 352.0, 393.0];
    let (mut joints, mut shafts) = (Rig::new("mpl"), Rig::new("mpl_gazebo"));
    for (motor, gear) in gears.into_iter().enumerate() {
        let target = if motor == 7 { -0.2 } else { 0.3 };
        (joints.setpoints.ref_vel[motor], shafts.setpoints.ref_vel[motor]) = (0.2, 0.2 * gear);
        joints.turn(motor, target);
        shafts.turn(motor, target * gear);
    }
    for _ in 0..3 {
        joints.run(0.05);
        shafts.run(0.05);
        let (joint, shaft) = (joints.read(), shafts.read());
        for (motor, gear) in gears.into_iter().enumerate() {
            let scale = |value: f32, by: f64| f64::from(value) * by;
            let within = |value: f32, expected: f64| close(value, expected, 1e-5 * (1.0 + expected.abs()));
            assert!(within(shaft.motor_pos[motor], scale(joint.motor_pos[motor], gear)), "{motor}");
            assert!(within(shaft.motor_vel[motor], scale(joint.motor_vel[motor], gear)), "{motor}");
            assert!(
                within(shaft.motor_torque[motor], scale(joint.motor_torque[motor], 1.0 / gear)),
                "{motor}"
            );
        }
        for index in 0..22 {
            assert!(close(shaft.joint_pos[index], joint.joint_pos[index].into(), 1e-6), "joint {index}");
            assert!(close(shaft.joint_vel[index], joint.joint_vel[index].into(), 1e-4), "joint {index}");
        }
    }
}

#[test]
fn fingers_bend_by_the_coupling_and_the_velocity_is_its_derivative() {
    let mut rig = Rig::new("mpl");
    rig.turn(8, 1.4);
    let mut before = rig.read();
    for _ in 0..400 {
        rig.run(0.001);
        let now = rig.read();
        let drive = f64::from(now.motor_pos[8]);
        let above = |knee: f64| (drive - knee).max(0.0);
        let expected =
            [drive - above(0.1745) * (1.0 - 0.8333), above(0.384) * 0.71875, above(0.384) * 0.69792];
        for (part, expected) in expected.into_iter().enumerate() {
            assert!(close(now.joint_pos[8 + part], expected, 1e-6), "{part} at {drive}");
            // Implicit: the new position is the old one and the new velocity over the step, except where a knee lies between.
            let derivative = f64::from(now.joint_pos[8 + part] - before.joint_pos[8 + part]) / 1e-3;
            let knee =
                [0.1745, 0.384].iter().any(|knee| (f64::from(before.motor_pos[8])..=drive).contains(knee));
            assert!(knee || close(now.joint_vel[8 + part], derivative, 1e-3), "{part} at {drive}");
        }
        before = now;
    }
    assert!(before.motor_pos[8] > 1.39, "the finger passed both knees");
}

#[test]
fn the_little_fingers_spread_both() {
    let mut rig = Rig::new("mpl");
    rig.turn(11, 0.3);
    rig.run(1.0);
    let sensor = rig.read();
    assert!(close(sensor.joint_pos[14], 0.3, 1e-4) && close(sensor.joint_pos[18], 0.3, 1e-4));
}

#[test]
fn the_cap_on_the_speed_of_the_reference_holds_for_the_motion() {
    let mut rig = Rig::new("mpl");
    let command = Command { ref_vel_max: Some([0.5; MAX]), ref_pos: values(&[1.0]), ..Command::default() };
    rig.command(&command);
    rig.run(1.0);
    let sensor = rig.read();
    // 0.5 rad/s for 1 s, less the lag of the servo: v (gain_vel + damping) / gain_pos = 0.5 · 1.4 / 30.
    assert!(close(sensor.motor_pos[0], 0.5 - 0.5 * 1.4 / 30.0, 1e-3), "{}", sensor.motor_pos[0]);
    assert!(close(sensor.motor_vel[0], 0.5, 1e-3));
    rig.run(2.0);
    assert!(close(rig.read().motor_pos[0], 1.0, 1e-3));
}

#[test]
fn extreme_commands_leave_positions_within_limits_and_values_finite() {
    let mut rig = Rig::new("mpl_gazebo");
    for extreme in [f32::MAX, -f32::MAX] {
        let command = Command {
            ref_pos: Some([extreme; MAX]),
            ref_vel: Some([extreme; MAX]),
            gain_pos: Some([f32::MAX; MAX]),
            gain_vel: Some([f32::MAX; MAX]),
            ref_vel_max: None,
        };
        rig.command(&command);
        for _ in 0..300 {
            rig.run(0.001);
            let sensor = rig.read();
            for (motor, limit) in rig.limits().into_iter().enumerate() {
                let (position, torque) = (sensor.motor_pos[motor], sensor.motor_torque[motor]);
                assert!((limit.minimum..=limit.maximum).contains(&position), "motor {motor} at {position}");
                assert!(
                    sensor.motor_vel[motor].is_finite() && torque.abs() < 0.04,
                    "motor {motor}: {torque}"
                );
            }
        }
    }
}

#[test]
fn a_reset_returns_to_the_start_only_with_the_pose() {
    let mut rig = Rig::new("two_finger");
    let start = rig.read();
    rig.turn(0, 1.0);
    rig.run(1.0);
    let moved = rig.read();
    rig.hand.reset(false).unwrap();
    assert_eq!(rig.read().motor_pos, moved.motor_pos);
    rig.hand.reset(true).unwrap();
    let reset = rig.read();
    // The simulated time goes on.
    assert_eq!(reset, Sensor { time_stamp: moved.time_stamp, ..start });
    rig.run(1.0);
    assert_eq!(rig.read().motor_pos, start.motor_pos, "the old setpoint is gone");
}

fn with(rig: &mut Rig, change: impl Fn(&mut Simulation)) {
    let mut simulation = Simulation::default();
    change(&mut simulation);
    rig.hand.simulate(&simulation).unwrap();
}

#[test]
fn a_stuck_motor_stays_and_the_others_move() {
    let mut rig = Rig::new("two_finger");
    with(&mut rig, |simulation| simulation.faults.stuck_motors[0] = true);
    rig.turn(0, 0.05);
    rig.turn(1, 0.05);
    rig.run(1.0);
    let sensor = rig.read();
    assert_eq!((sensor.motor_pos[0], sensor.motor_vel[0]), (0.0, 0.0));
    // 10 N·m/rad · 0.05 rad
    assert!(close(sensor.motor_torque[0], 0.5, 1e-6) && close(sensor.motor_pos[1], 0.05, 1e-4));
}

#[test]
fn a_dead_sensor_reads_zero_and_the_others_do_not() {
    let mut rig = Rig::new("two_finger");
    rig.turn(0, 1.0);
    rig.turn(1, 1.0);
    rig.run(0.1);
    let whole = rig.read();
    let mut faults = Faults::default();
    (faults.dead_motors[0], faults.dead_joints[1], faults.dead_imus[1]) = (true, true, true);
    with(&mut rig, |simulation| simulation.faults = faults);
    let mut expected = whole;
    (expected.motor_pos[0], expected.motor_vel[0], expected.motor_torque[0]) = (0.0, 0.0, 0.0);
    (expected.joint_pos[1], expected.joint_vel[1]) = (0.0, 0.0);
    (expected.imu_linear_acc[1], expected.imu_angular_vel[1]) = ([0.0; 3], [0.0; 3]);
    expected.imu_orientation[1] = [0.0; 4];
    assert_ne!(whole, expected);
    assert_eq!(rig.read(), expected);
}

#[test]
fn a_delayed_reading_is_the_one_of_that_many_ticks_ago_with_its_time() {
    let mut rig = Rig::new("two_finger");
    rig.turn(0, 1.0);
    let mut direct = Vec::new();
    for _ in 0..20 {
        rig.run(0.01);
        direct.push(rig.read());
    }
    let mut rig = Rig::new("two_finger");
    rig.turn(0, 1.0);
    with(&mut rig, |simulation| simulation.delay = 3);
    for tick in 0..20 {
        rig.run(0.01);
        assert_eq!(rig.read(), direct[usize::max(tick, 3) - 3], "tick {tick}");
    }
    rig.hand.reset(true).unwrap();
    assert_eq!(rig.read().motor_pos[0], 0.0, "nothing from before a reset is read after it");
}

#[test]
fn noise_has_the_given_deviation_and_is_the_same_for_the_same_seed() {
    let noise = Noise {
        position: 0.01,
        velocity: 0.02,
        torque: 0.03,
        contact: 0.04,
        acceleration: 0.05,
        angular_velocity: 0.06,
    };
    let mut rig = Rig::new("mpl");
    with(&mut rig, |simulation| simulation.noise = noise);
    let readings: Vec<Sensor> = (0..4000).map(|_| rig.read()).collect();
    let deviation = |value: fn(&Sensor) -> f32| {
        let values: Vec<f64> = readings.iter().map(|sensor| value(sensor).into()).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
    };
    // The deviation of a deviation of 4000 values is 1/√8000, a hundredth.
    let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 0.05;
    assert!(near(deviation(|sensor| sensor.motor_pos[0]), 0.01));
    assert!(near(deviation(|sensor| sensor.motor_vel[1]), 0.02));
    assert!(near(deviation(|sensor| sensor.motor_torque[2]), 0.03));
    assert!(near(deviation(|sensor| sensor.joint_pos[0]), 0.01));
    assert!(near(deviation(|sensor| sensor.joint_vel[21]), 0.02));
    assert!(near(deviation(|sensor| sensor.imu_linear_acc[4][2]), 0.05));
    assert!(near(deviation(|sensor| sensor.imu_angular_vel[0][0]), 0.06));
    // Half of the contacts' noise is below 0 and cut off: √(1/2 - 1/(2π)) of it.
    assert!(near(deviation(|sensor| sensor.contact[3]), 0.04 * (0.5 - 0.5 / core::f64::consts::PI).sqrt()));
    assert!(readings.iter().all(|sensor| sensor.contact.iter().all(|force| *force >= 0.0)));
    let mut again = Rig::new("mpl");
    with(&mut again, |simulation| simulation.noise = noise);
    assert!(readings.iter().all(|sensor| *sensor == again.read()));
    again.hand.reset(true).unwrap();
    assert_eq!(again.read(), readings[0], "a reset begins the noise anew");
}

#[test]
fn a_step_without_time_changes_nothing() {
    let mut rig = Rig::new("two_finger");
    rig.turn(0, 1.0);
    rig.run(0.1);
    let before = rig.read();
    rig.hand.step(Duration::ZERO).unwrap();
    assert_eq!(rig.read(), before);
}
