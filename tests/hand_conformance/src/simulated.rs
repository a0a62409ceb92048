//! Faults, delay and noise on request.

use haptix::{DeviceError, Noise, Sensor};

use crate::rig::{STEP, assert_near};
use crate::{Make, Rig};

/// It keeps its position and shows its torque.
pub fn a_stuck_motor_stays_and_the_others_move(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    rig.simulate(|simulation| simulation.faults.stuck_motors[0] = true);
    rig.turn(0, 0.05);
    rig.turn(1, 0.05);
    rig.run(1.0);
    let sensor = rig.read();
    assert_near(sensor.motor_pos[0], 0.0, 1e-3, "the stuck motor");
    assert_near(sensor.motor_vel[0], 0.0, 1e-3, "the stuck motor");
    // 10 N·m/rad · 0.05 rad
    assert_near(sensor.motor_torque[0], 0.5, 1e-2, "its torque");
    assert_near(sensor.motor_pos[1], 0.05, 1e-3, "the other motor");
    // It sticks where it is, and moves again when it is repaired.
    rig.simulate(|simulation| simulation.faults.stuck_motors[1] = true);
    rig.turn(1, 0.9);
    rig.run(0.5);
    let sensor = rig.read();
    assert_near(sensor.motor_pos[0], 0.05, 1e-3, "the repaired motor");
    assert_near(sensor.motor_pos[1], 0.05, 2e-3, "the stuck motor");
}

/// And the others do not.
pub fn a_dead_sensor_reads_zero(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    rig.turn(0, 1.0);
    rig.turn(1, 1.0);
    rig.run(0.1);
    let whole = rig.read();
    rig.simulate(|simulation| {
        let faults = &mut simulation.faults;
        (faults.dead_motors[0], faults.dead_joints[1], faults.dead_imus[1]) = (true, true, true);
    });
    let mut expected = whole;
    (expected.motor_pos[0], expected.motor_vel[0], expected.motor_torque[0]) = (0.0, 0.0, 0.0);
    (expected.joint_pos[1], expected.joint_vel[1]) = (0.0, 0.0);
    (expected.imu_linear_acc[1], expected.imu_angular_vel[1]) = ([0.0; 3], [0.0; 3]);
    expected.imu_orientation[1] = [0.0; 4];
    assert_ne!(whole, expected);
    assert_eq!(rig.read(), expected);
}

/// It does not move meanwhile.
pub fn a_silent_device_answers_nothing_until_it_is_repaired(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    rig.turn(0, 1.0);
    rig.simulate(|simulation| simulation.faults.is_silent = true);
    let (setpoints, mut sensor) = (rig.setpoints, Sensor::default());
    let no = Err(DeviceError::NoAnswer);
    let _ = rig.try_step(STEP); // a device elsewhere says so with its next reading
    assert_eq!(rig.device.read(&mut sensor), no);
    assert_eq!(sensor, Sensor::default());
    assert_eq!(rig.device.command(&setpoints), no);
    assert_eq!(rig.device.hold(1.0), no);
    assert_eq!(rig.device.reset(true), no);
    let _ = rig.try_step(STEP);
    rig.simulate(|_| {});
    let sensor = rig.read();
    assert_eq!((sensor.time_stamp, sensor.motor_pos[0]), (safety::Stamp::ZERO, 0.0));
    rig.run(1.0);
    assert_near(rig.read().motor_pos[0], 1.0, 2e-3, "its setpoints are those of before");
}

/// With the time of that one.
pub fn a_delayed_reading_is_an_earlier_one(make: &Make) {
    let mut rig = Rig::new(make, "two_finger");
    rig.turn(0, 1.0);
    let mut direct = Vec::new();
    for _ in 0..20 {
        rig.run(0.01);
        direct.push(rig.read());
    }
    let mut rig = Rig::new(make, "two_finger");
    rig.turn(0, 1.0);
    rig.simulate(|simulation| simulation.delay = 3);
    for tick in 0..20 {
        rig.run(0.01);
        assert_eq!(rig.read(), direct[usize::max(tick, 3) - 3], "tick {tick}");
    }
    rig.device.reset(true).unwrap();
    assert_eq!(rig.read().motor_pos[0], 0.0, "nothing from before a reset is read after it");
}

/// Another seed gives another noise, a reset begins it anew, and forces stay at least 0.
pub fn noise_is_the_same_for_the_same_seed(make: &Make) {
    let noise = Noise {
        position: 0.01,
        velocity: 0.02,
        torque: 0.03,
        contact: 0.04,
        acceleration: 0.05,
        angular_velocity: 0.06,
    };
    let noisy = |rig: &mut Rig| -> Vec<Sensor> {
        rig.simulate(|simulation| simulation.noise = noise);
        (0..50).map(|_| rig.read()).collect()
    };
    let mut rig = Rig::new(make, "mpl");
    let readings = noisy(&mut rig);
    assert!(readings == noisy(&mut Rig::new(make, "mpl")), "two devices of one seed differ");
    let mut other = Rig { device: make(haptix::BUILTIN[0].1, 2), ..Rig::new(make, "mpl") };
    assert!(readings != noisy(&mut other), "another seed gives the same noise");
    let forces = || readings.iter().flat_map(|sensor| &sensor.contact[..19]);
    assert!(forces().all(|force| *force >= 0.0) && forces().any(|force| *force > 0.0));
    rig.device.reset(true).unwrap();
    assert_eq!(rig.read(), readings[0], "a reset begins the noise anew");
}
