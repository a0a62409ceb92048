//! Names, counts, time, repetition, reset.

use core::time::Duration;

use haptix::{MAX, Model, Sensor};
use safety::Stamp;

use crate::rig::{assert_near, sphere};
use crate::{Make, Rig};

/// Counts, ranges, gears and names are those of the description, in its order.
pub fn names_have_the_order_of_the_description(make: &Make) {
    for name in ["mpl", "mpl_gazebo", "two_finger"] {
        let (rig, model) = (Rig::new(make, name), Model::builtin(name).unwrap());
        let (own, expected) = (rig.device.constants(), model.constants);
        assert_eq!((&own.info, &own.description), (&expected.info, &expected.description));
        assert_eq!((&own.start, &own.grasps), (&expected.start, &expected.grasps));
        let (info, names) = (&own.info, &own.description);
        for (count, names) in [
            (info.motor_count, &names.motor_names),
            (info.joint_count, &names.joint_names),
            (info.contact_sensor_count, &names.contact_names),
            (info.imu_count, &names.imu_names),
        ] {
            assert_eq!(count, names.len());
        }
    }
    // Each motor moves its own joints, so the order of both is that of their names.
    let mut rig = Rig::new(make, "mpl");
    let names = rig.model.constants.description.clone();
    for (motor, name) in names.motor_names.iter().enumerate() {
        rig.device.reset(true).unwrap();
        rig.setpoints = rig.model.constants.start;
        let before = rig.read();
        let limit = rig.limits()[motor];
        let far = if limit.maximum > 0.0 { limit.maximum } else { limit.minimum };
        rig.turn(motor, f64::from(0.7 * far));
        rig.run(0.5);
        let after = rig.read();
        for joint in 0..names.joint_names.len() {
            let is_moved = (after.joint_pos[joint] - before.joint_pos[joint]).abs() > 0.05;
            let is_driven = rig.model.joints[joint].motor == motor;
            assert_eq!(is_moved, is_driven, "joint {} by motor {name}", names.joint_names[joint]);
        }
        for other in 0..names.motor_names.len() {
            let is_moved = (after.motor_pos[other] - before.motor_pos[other]).abs() > 0.05;
            assert_eq!(is_moved, other == motor, "motor {} by motor {name}", names.motor_names[other]);
        }
    }
}

/// Every entry from a count on is 0, also while the hand moves and touches; a unit without an estimate has the identity.
pub fn entries_beyond_the_counts_are_zero(make: &Make) {
    for (name, [motors, joints, contacts, imus]) in
        [("mpl", [13, 22, 19, 5]), ("mpl_gazebo", [13, 22, 19, 5]), ("two_finger", [2, 4, 5, 3])]
    {
        let mut rig = Rig::new(make, name);
        rig.place(&[sphere([0.0, 0.0, 0.105], 0.012)]);
        rig.setpoints.ref_pos = [0.8; MAX]; // those beyond the count, too
        rig.turn(0, 0.8);
        for _ in 0..30 {
            rig.run(0.01);
            let sensor = rig.read();
            for (count, values) in [
                (motors, sensor.motor_pos),
                (motors, sensor.motor_vel),
                (motors, sensor.motor_torque),
                (joints, sensor.joint_pos),
                (joints, sensor.joint_vel),
                (contacts, sensor.contact),
            ] {
                assert_eq!(values[count..], [0.0; MAX][count..], "{name}");
            }
            assert_eq!(sensor.imu_linear_acc[imus..], [[0.0; 3]; MAX][imus..]);
            assert_eq!(sensor.imu_angular_vel[imus..], [[0.0; 3]; MAX][imus..]);
            for (index, orientation) in sensor.imu_orientation.into_iter().enumerate() {
                assert_eq!(orientation, if index < imus { [1.0, 0.0, 0.0, 0.0] } else { [0.0; 4] }, "{name}");
            }
        }
    }
}

/// The stamp is the sum of the steps, to the nanosecond; a step without time changes nothing.
pub fn the_time_of_a_reading_is_the_time_that_passed(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    assert_eq!(rig.read().time_stamp, Stamp::ZERO);
    rig.turn(0, 1.0);
    let mut passed = Duration::ZERO;
    for nanos in [1_000_000, 1, 333_333, 20_000_000, 999_999_999] {
        passed += Duration::from_nanos(nanos);
        rig.step(Duration::from_nanos(nanos));
        let stamp = rig.read().time_stamp;
        assert_eq!((u64::try_from(stamp.sec), stamp.nanosec), (Ok(passed.as_secs()), passed.subsec_nanos()));
        let before = rig.read();
        rig.step(Duration::ZERO);
        assert_eq!(rig.read(), before);
    }
}

/// Bit for bit: in two devices, and in one after a reset.
pub fn the_same_calls_give_the_same_readings(make: &Make) {
    let readings = |rig: &mut Rig| -> Vec<Sensor> {
        rig.place(&[sphere([-0.05, 0.0, 0.1], 0.04)]);
        rig.setpoints = rig.model.constants.start;
        (0..60)
            .map(|tick| {
                rig.turn(tick % 13, 0.4);
                rig.run(0.01);
                rig.read()
            })
            .collect()
    };
    let (mut one, mut other) = (Rig::new(make, "mpl"), Rig::new(make, "mpl"));
    let first = readings(&mut one);
    assert!(first == readings(&mut other), "two devices differ");
    assert!(first.iter().any(|sensor| sensor.contact[..19].iter().any(|force| *force > 0.0)));
    one.device.reset(true).unwrap();
    for (first, mut again) in first.into_iter().zip(readings(&mut one)) {
        again.time_stamp = first.time_stamp; // time goes on
        assert!(first == again, "after a reset it differs at {:?}", first.time_stamp);
    }
}

/// With the pose also the setpoints are those of the start; the time goes on.
pub fn a_reset_returns_to_the_start_only_with_the_pose(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    let start = rig.read();
    rig.turn(0, 1.0);
    rig.run(1.0);
    let moved = rig.read();
    rig.device.reset(false).unwrap();
    assert_eq!(rig.read().motor_pos, moved.motor_pos);
    rig.run(0.1);
    assert_near(rig.read().motor_pos[0], 1.0, 5e-3, "it goes on to follow");
    rig.device.reset(true).unwrap();
    let reset = rig.read();
    assert_eq!(reset.time_stamp, Stamp { sec: 1, nanosec: 100_000_000 });
    assert_eq!(Sensor { time_stamp: start.time_stamp, ..reset }, start);
    rig.run(1.0);
    assert_near(rig.read().motor_pos[0], 0.0, 1e-3, "the old setpoint is gone");
}
