//! Properties of the analytic hand beyond the tests that every hand must pass: no overshoot, exact joints, and the noise's deviation.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{close, rig};
use haptix::{Noise, Sensor};

#[test]
fn every_motor_of_the_mpl_reaches_its_target_without_overshoot() {
    for motor in 0..13 {
        let mut rig = rig("mpl");
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

/// Joints follow their motors exactly here; a simulator of bodies only does so within a tolerance.
#[test]
fn joints_are_exactly_where_their_motor_has_them() {
    let mut rig = rig("mpl");
    for (motor, position) in [(8, 1.4), (9, 1.4), (10, 1.4), (12, 1.4), (11, 0.3)] {
        rig.turn(motor, position);
    }
    for _ in 0..400 {
        rig.run(0.001);
        let sensor = rig.read();
        for (motor, joint) in [(8, 8), (9, 11), (10, 15), (12, 19)] {
            let drive = f64::from(sensor.motor_pos[motor]);
            let above = |knee: f64| (drive - knee).max(0.0);
            let expected =
                [drive - above(0.1745) * (1.0 - 0.8333), above(0.384) * 0.71875, above(0.384) * 0.69792];
            for (part, expected) in expected.into_iter().enumerate() {
                assert!(close(sensor.joint_pos[joint + part], expected, 1e-6), "{joint} {part} at {drive}");
            }
        }
        assert_eq!([sensor.joint_pos[14], sensor.joint_pos[18]], [sensor.motor_pos[11]; 2]);
    }
    assert!(rig.read().motor_pos[8] > 1.39, "the fingers passed both knees");
}

#[test]
fn noise_has_the_given_deviation() {
    let noise = Noise {
        position: 0.01,
        velocity: 0.02,
        torque: 0.03,
        contact: 0.04,
        acceleration: 0.05,
        angular_velocity: 0.06,
    };
    let mut rig = rig("mpl");
    rig.simulate(|simulation| simulation.noise = noise);
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
}
