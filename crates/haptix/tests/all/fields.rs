//! Every field of a reading of the analytic hand: its unit, its order, and zeros beyond the counts. The frames of the inertial units
//! are in `imus.rs`.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Rig, STEP, close, rig};
use haptix::{Object, Sensor, Shape};

/// The joints, the inertial units and the greatest torque \[N·m\] of each motor of `mpl`.
const MOTORS: [(&[usize], &[usize], f64); 13] = [
    (&[0], &[0, 1, 2, 3, 4], 6.876),
    (&[1], &[0, 1, 2, 3, 4], 0.54),
    (&[2], &[0, 1, 2, 3, 4], 3.438),
    (&[3], &[0], 1.34464),
    (&[4], &[0], 0.704),
    (&[5], &[0], 0.704),
    (&[6], &[0], 0.352),
    (&[7], &[1], 0.528),
    (&[8, 9, 10], &[1], 0.786),
    (&[11, 12, 13], &[2], 0.393),
    (&[15, 16, 17], &[3], 0.1965),
    (&[14, 18], &[3, 4], 0.89408),
    (&[19, 20, 21], &[4], 0.1965),
];
/// The motor that bends each contact sensor of `mpl`: four on the palm, three on each finger.
const BENDS: [usize; 19] = [2, 2, 2, 2, 4, 5, 6, 8, 8, 8, 9, 9, 9, 10, 10, 10, 12, 12, 12];

/// The readings of each step while one motor goes where it is farther from its start.
fn on_the_way(motor: usize) -> (Rig, f64, Vec<Sensor>) {
    let mut rig = rig("mpl");
    let limit = rig.limits()[motor];
    let target = if limit.maximum > 0.0 { limit.maximum } else { limit.minimum };
    let target = 0.8 * f64::from(target);
    rig.turn(motor, target);
    let mut readings = vec![rig.read()];
    for _ in 0..300 {
        rig.run(STEP.as_secs_f64());
        readings.push(rig.read());
    }
    (rig, target, readings)
}

/// The entries that are not 0 in any of the readings.
fn moved(readings: &[Sensor], field: impl Fn(&Sensor, usize) -> bool) -> Vec<usize> {
    (0..haptix::MAX).filter(|&index| readings.iter().any(|sensor| field(sensor, index))).collect()
}

#[test]
fn each_motor_moves_its_own_entries_and_no_others() {
    for (motor, (joints, units, _)) in MOTORS.into_iter().enumerate() {
        let (_, target, readings) = on_the_way(motor);
        let last = readings.last().unwrap();
        assert!(
            close(last.motor_pos[motor], target, 0.2 * target.abs()),
            "{motor}: {}",
            last.motor_pos[motor]
        );
        assert_eq!(moved(&readings, |sensor, i| sensor.motor_pos[i] != readings[0].motor_pos[i]), [motor]);
        assert_eq!(moved(&readings, |sensor, i| sensor.motor_vel[i] != 0.0), [motor]);
        assert_eq!(moved(&readings, |sensor, i| sensor.motor_torque[i] != 0.0), [motor]);
        assert_eq!(moved(&readings, |sensor, i| sensor.joint_pos[i] != readings[0].joint_pos[i]), joints);
        assert_eq!(moved(&readings, |sensor, i| sensor.joint_vel[i] != 0.0), joints);
        assert_eq!(moved(&readings, |sensor, i| sensor.imu_angular_vel[i] != [0.0; 3]), units, "{motor}");
        let before = readings[0].imu_linear_acc;
        assert_eq!(moved(&readings, |sensor, i| sensor.imu_linear_acc[i] != before[i]), units, "{motor}");
    }
}

#[test]
fn velocities_are_the_change_of_positions_in_a_second() {
    let seconds = STEP.as_secs_f64();
    for (motor, (joints, ..)) in MOTORS.into_iter().enumerate() {
        let (_, _, readings) = on_the_way(motor);
        for pair in readings.windows(2) {
            let rate = |now: f32, before: f32| (f64::from(now) - f64::from(before)) / seconds;
            let expected = rate(pair[1].motor_pos[motor], pair[0].motor_pos[motor]);
            assert!(close(pair[1].motor_vel[motor], expected, 1e-3), "motor {motor}: {expected}");
            for &joint in joints {
                // At a knee of a coupling the slope changes within the step.
                let expected = rate(pair[1].joint_pos[joint], pair[0].joint_pos[joint]);
                let slope = (expected - f64::from(pair[1].joint_vel[joint])).abs();
                let is_knee = (pair[1].joint_vel[joint] - pair[0].joint_vel[joint]).abs() > 0.2;
                assert!(slope < 2e-3 || is_knee, "joint {joint}: {expected} {}", pair[1].joint_vel[joint]);
            }
        }
    }
}

#[test]
fn the_torque_is_that_of_the_gains_within_the_motor_s_own() {
    for (motor, (.., most)) in MOTORS.into_iter().enumerate() {
        let (rig, target, readings) = on_the_way(motor);
        let (gain_pos, gain_vel) = (rig.setpoints.gain_pos[motor], rig.setpoints.gain_vel[motor]);
        for sensor in &readings[1..] {
            let (position, velocity) =
                (f64::from(sensor.motor_pos[motor]), f64::from(sensor.motor_vel[motor]));
            let expected = (gain_pos * (target - position) - gain_vel * velocity).clamp(-most, most);
            assert!(close(sensor.motor_torque[motor], expected, 1e-4), "{motor}: {expected}");
        }
    }
}

#[test]
fn each_contact_sensor_feels_what_it_touches_and_no_other_does() {
    for (contact, motor) in BENDS.into_iter().enumerate() {
        let mut rig = rig("mpl");
        let shape = Shape::Stop { contact, angle: 0.05 };
        rig.place(&[Object { shape, stiffness: 500.0, damping: 0.5 }]);
        rig.turn(motor, 1.0_f64.min(rig.limits()[motor].maximum.into()));
        rig.run(2.0);
        let sensor = rig.read();
        assert_eq!(moved(&[sensor], |sensor, index| sensor.contact[index] != 0.0), [contact]);
        assert!(sensor.contact[contact] > 0.0);
    }
}
