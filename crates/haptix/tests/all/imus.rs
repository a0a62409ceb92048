//! Readings of the inertial units in known poses and motions.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Rig, close, rig};

const G: f64 = 9.81;

fn assert_reads(rig: &mut Rig, unit: usize, expected: [f64; 3], what: &str) {
    let found = rig.read().imu_linear_acc[unit];
    for (found, expected) in found.into_iter().zip(expected) {
        assert!(close(found, expected, 2e-3), "{what}: {found} instead of {expected}");
    }
}

/// A hand at rest in the pose that these motors have.
fn at_rest(pose: &[(usize, f64)]) -> Rig {
    let mut rig = rig("mpl");
    for &(motor, position) in pose {
        rig.turn(motor, position);
    }
    rig.run(3.0);
    rig
}

#[test]
fn with_all_fingers_up_each_tip_points_up() {
    let mut rig = at_rest(&[]);
    for unit in 1..5 {
        assert_reads(&mut rig, unit, [0.0, 0.0, G], "finger");
    }
    // The thumb lies at 45° to the fingers; its nail looks down and outward, x = (0, -1, -1)/√2 and z = (0, -1, 1)/√2.
    let part = G * 0.5_f64.sqrt();
    assert_reads(&mut rig, 0, [-part, 0.0, part], "thumb");
    let sensor = rig.read();
    for unit in 0..5 {
        assert_eq!(
            (sensor.imu_orientation[unit], sensor.imu_angular_vel[unit]),
            ([1.0, 0.0, 0.0, 0.0], [0.0; 3])
        );
    }
}

#[test]
fn a_bent_finger_reads_gravity_by_the_sum_of_its_three_angles() {
    for (motor, unit) in [(8, 1), (9, 2), (10, 3), (12, 4)] {
        for drive in [-0.4, 0.1, 0.3, 0.9, 1.5] {
            // MCP, PIP and DIP after the knees of 0.1745 and 0.384.
            let above = |knee: f64| f64::max(drive - knee, 0.0);
            let sum = drive - above(0.1745) * (1.0 - 0.8333) + above(0.384) * (0.71875 + 0.69792);
            // The nail, forward when the finger is up, turns up as the tip turns to the palm.
            let mut rig = at_rest(&[(motor, drive)]);
            assert_reads(&mut rig, unit, [G * sum.sin(), 0.0, G * sum.cos()], "bent");
        }
    }
}

#[test]
fn a_spread_finger_leans_to_its_side() {
    // y of a unit is z × x, to the little finger; a finger that leans there by a has y lower by sin a.
    for (motor, unit, lean) in [(7, 1, -0.3), (11, 3, 0.3), (11, 4, 0.3)] {
        let mut rig = at_rest(&[(motor, lean)]);
        assert_reads(&mut rig, unit, [0.0, -G * f64::sin(lean), G * f64::cos(lean)], "spread");
    }
}

#[test]
fn the_wrist_carries_all_units() {
    // Flexion by a turns the nails up as a bent finger's; pronation about the vertical changes nothing.
    for flexion in [-0.9, 0.5] {
        let mut rig = at_rest(&[(0, 1.1), (2, flexion)]);
        for unit in 1..5 {
            assert_reads(&mut rig, unit, [G * f64::sin(flexion), 0.0, G * f64::cos(flexion)], "wrist");
        }
    }
    for deviation in [-0.2, 0.7] {
        let mut rig = at_rest(&[(1, deviation)]);
        for unit in 1..5 {
            let expected = [0.0, -G * f64::sin(deviation), G * f64::cos(deviation)];
            assert_reads(&mut rig, unit, expected, "wrist");
        }
    }
}

#[test]
fn the_thumb_turns_about_its_own_axes() {
    // thumb0 turns about the vertical. thumb1 to thumb3 turn by a about -x, in whose plane the unit's axes lie: x at 225° and z at
    // 135° from y toward z become 225° - a and 135° - a; the vertical part of a direction is the sine.
    for (opposition, flexion) in [(0.0, 0.4), (2.0, 0.8), (1.0, 0.0)] {
        let mut rig = at_rest(&[(3, opposition), (4, flexion), (5, flexion), (6, -flexion)]);
        let vertical = |degrees: f64| G * (degrees.to_radians() - flexion).sin();
        assert_reads(&mut rig, 0, [vertical(225.0), 0.0, vertical(135.0)], "thumb");
    }
}

#[test]
fn a_starting_hand_reads_the_tangential_acceleration() {
    let mut rig = rig("mpl");
    rig.turn(0, 1.5);
    rig.device.step(common::STEP).unwrap();
    let sensor = rig.read();
    // From rest: q'' = q' / dt; the unit of the little finger moves across its radius at y = 0.034 m, toward the back of the hand, +x.
    let turning = f64::from(sensor.joint_vel[0]) / 1e-3;
    assert!(turning > 100.0);
    assert!(close(sensor.imu_linear_acc[4][0], 0.034 * turning, 0.1), "{:?}", sensor.imu_linear_acc[4]);
}
