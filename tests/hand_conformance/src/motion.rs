//! Motors, joints, limits, gears, the hold.

use core::time::Duration;

use haptix::parts::Plant;
use haptix::{Command, MAX, Setpoints};

use crate::rig::assert_near;
use crate::{Make, Rig};

/// Nothing moves without a command, and nothing pulls.
pub fn a_hand_without_a_command_stays_at_rest(make: &Make) {
    for name in ["mpl", "two_finger"] {
        let mut rig = Rig::new(make, name);
        let before = rig.read();
        rig.run(0.5);
        let after = rig.read();
        for index in 0..MAX {
            assert_near(after.joint_pos[index], before.joint_pos[index].into(), 1e-4, "joint");
            assert_near(after.motor_pos[index], before.motor_pos[index].into(), 1e-4, "motor");
            assert_near(after.motor_torque[index], 0.0, 1e-3, "torque");
            assert_near(after.joint_vel[index], 0.0, 1e-3, "velocity");
        }
    }
}

/// The positions of J·q'' = τ - b·q', τ = kp·(r - q) - kd·q' within ±τₘ, each ms for 1 s, by steps so short that the method does
/// not matter.
fn positions(plant: &Plant, setpoints: &Setpoints, motor: usize, start: f64) -> Vec<f64> {
    const SHORT: usize = 200;
    let dt = 1e-3 / SHORT as f64;
    let (mut position, mut velocity) = (start, 0.0);
    (0..1000)
        .map(|_| {
            for _ in 0..SHORT {
                let wanted = setpoints.gain_pos[motor] * (setpoints.ref_pos[motor] - position)
                    - setpoints.gain_vel[motor] * velocity;
                let torque = wanted.clamp(-plant.torque, plant.torque);
                velocity += dt * (torque - plant.damping * velocity) / plant.inertia;
                position += dt * velocity;
            }
            position
        })
        .collect()
}

/// Step responses equal those of the equation of each motor alone, within a part of the step, and have no overshoot beyond it.
pub fn each_motor_moves_as_its_equation_says(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    for motor in 0..rig.limits().len() {
        rig.device.reset(true).unwrap();
        rig.setpoints = rig.model.constants.start;
        let limit = rig.limits()[motor];
        let start = f64::from(rig.read().motor_pos[motor]);
        let target = f64::from(limit.minimum + 0.8 * (limit.maximum - limit.minimum));
        rig.turn(motor, target);
        let expected = positions(&rig.model.motors[motor].plant, &rig.setpoints, motor, start);
        let mut worst = 0.0_f64;
        for expected in expected {
            rig.run(0.001);
            let sensor = rig.read();
            worst = worst.max((f64::from(sensor.motor_pos[motor]) - expected).abs());
        }
        let name = rig.model.constants.description.motor_names[motor].clone();
        println!("{name}: {:.2} % of the step", 100.0 * worst / (target - start).abs());
        assert!(worst < 0.03 * (target - start).abs(), "{name} is {worst} rad away from its equation");
        let sensor = rig.read();
        assert_near(sensor.motor_pos[motor], target, 2e-3, format_args!("{name} at the end"));
        assert_near(sensor.motor_vel[motor], 0.0, 5e-3, format_args!("{name} at the end"));
    }
}

/// MCP, PIP and DIP of the fingers by the slopes and knees of HAPTIX; the little fingers spread together; also while they move.
pub fn joints_follow_their_motors(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    let fingers = [("index1", 8), ("middle1", 11), ("ring1", 15), ("pinky1", 19)];
    for (name, _) in fingers {
        let motor = rig.motor(name);
        rig.turn(motor, 1.4);
    }
    let spread = rig.motor("pinky0");
    rig.turn(spread, 0.3);
    for _ in 0..100 {
        rig.run(0.01);
        let sensor = rig.read();
        for (name, joint) in fingers {
            let drive = f64::from(sensor.motor_pos[rig.motor(name)]);
            let above = |knee: f64| (drive - knee).max(0.0);
            let expected =
                [drive - above(0.1745) * (1.0 - 0.8333), above(0.384) * 0.71875, above(0.384) * 0.69792];
            for (part, expected) in expected.into_iter().enumerate() {
                let what = format_args!("{name}, joint {part} at {drive} rad");
                assert_near(sensor.joint_pos[joint + part], expected, 5e-3, what);
            }
        }
        for joint in [14, 18] {
            assert_near(sensor.joint_pos[joint], sensor.motor_pos[spread].into(), 5e-3, "spread");
        }
    }
    assert_near(rig.read().motor_pos[rig.motor("index1")], 1.4, 2e-3, "the fingers passed all knees");
}

/// A position is clamped, and no reading is ever outside the limits.
pub fn commands_far_away_end_at_the_limits(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    for far in [1e30_f32, -1e30] {
        rig.command(&Command { ref_pos: Some([far; MAX]), ..Command::default() });
        for _ in 0..150 {
            rig.run(0.01);
            let sensor = rig.read();
            rig.assert_within_limits(&sensor);
        }
        let sensor = rig.read();
        for (motor, limit) in rig.limits().into_iter().enumerate() {
            let end = if far > 0.0 { limit.maximum } else { limit.minimum };
            assert_near(sensor.motor_pos[motor], end.into(), 5e-3, format_args!("motor {motor}"));
        }
    }
}

/// Values that no servo can follow, as a client may send them. The slowest motor crosses its range within 0.6 s.
pub fn extreme_gains_leave_everything_finite_and_within_limits(make: &Make) {
    let mut rig = Rig::new(make, "mpl_gazebo");
    for extreme in [f32::MAX, -f32::MAX] {
        rig.command(&Command {
            ref_pos: Some([extreme; MAX]),
            ref_vel: Some([extreme; MAX]),
            gain_pos: Some([f32::MAX; MAX]),
            gain_vel: Some([f32::MAX; MAX]),
            ref_vel_max: None,
        });
        for _ in 0..300 {
            rig.run(0.003);
            let sensor = rig.read();
            rig.assert_within_limits(&sensor);
            for (index, motor) in rig.model.motors.iter().enumerate() {
                let (torque, most) = (sensor.motor_torque[index], motor.plant.torque / motor.gear);
                assert!(sensor.motor_vel[index].is_finite(), "motor {index}");
                assert!(f64::from(torque.abs()) < 1.001 * most, "motor {index}: {torque} N·m");
            }
            let all = sensor.imu_linear_acc.as_flattened().iter().chain(&sensor.joint_vel);
            assert!(all.chain(&sensor.contact).all(|value| value.is_finite()));
        }
        let sensor = rig.read();
        for (motor, limit) in rig.limits().into_iter().enumerate() {
            let end = f64::from(if extreme > 0.0 { limit.maximum } else { limit.minimum });
            let tolerance = 0.02 * rig.model.motors[motor].gear;
            assert_near(sensor.motor_pos[motor], end, tolerance, format_args!("motor {motor} at the end"));
        }
    }
}

/// The speed of the motion is the cap, behind by what the servo lags.
pub fn the_cap_on_the_speed_of_the_reference_holds(make: &Make) {
    let mut rig = Rig::new(make, "mpl");
    let mut target = [0.0; MAX];
    target[0] = 1.0;
    let command = Command { ref_vel_max: Some([0.5; MAX]), ref_pos: Some(target), ..Command::default() };
    rig.command(&command);
    rig.run(1.0);
    let sensor = rig.read();
    // 0.5 rad/s for 1 s, less the lag of the servo: v (gain_vel + damping) / gain_pos = 0.5 · 1.4 / 30.
    assert_near(sensor.motor_pos[0], 0.5 - 0.5 * 1.4 / 30.0, 2e-3, "the lag");
    assert_near(sensor.motor_vel[0], 0.5, 2e-3, "the cap");
    rig.run(2.0);
    assert_near(rig.read().motor_pos[0], 1.0, 2e-3, "the target");
}

/// A hold keeps the place where it was called, whatever the gains were; a command ends it.
pub fn a_hold_stays_where_the_motors_are(make: &Make) {
    for (name, gear) in [("mpl", 1.0), ("mpl_gazebo", 180.0)] {
        let mut rig = Rig::new(make, name);
        rig.turn(0, gear);
        rig.run(0.1);
        let setpoints = rig.setpoints;
        let mut limp = setpoints;
        (limp.gain_pos, limp.gain_vel) = ([0.0; MAX], [0.0; MAX]);
        rig.device.command(&limp).unwrap();
        rig.device.hold(0.25).unwrap();
        let there = f64::from(rig.read().motor_pos[0]);
        assert!(there > 0.3 * gear && there < 0.95 * gear);
        rig.run(2.0);
        // Its velocity carries it on, then it comes back.
        assert_near(rig.read().motor_pos[0], there, 2e-3 * gear, "the hold");
        rig.device.command(&setpoints).unwrap();
        rig.run(2.0);
        assert_near(rig.read().motor_pos[0], gear, 2e-3 * gear, "the command after it");
    }
}

/// Positions and velocities times the gear, torques by it.
pub fn motors_behind_gears_are_the_joints_times_their_gears(make: &Make) {
    let (mut joints, mut shafts) = (Rig::new(make, "mpl"), Rig::new(make, "mpl_gazebo"));
    let gears: Vec<f64> = shafts.model.motors.iter().map(|motor| motor.gear).collect();
    for (motor, gear) in gears.iter().enumerate() {
        let target = if motor == 7 { -0.2 } else { 0.3 };
        (joints.setpoints.ref_vel[motor], shafts.setpoints.ref_vel[motor]) = (0.2, 0.2 * gear);
        joints.turn(motor, target);
        shafts.turn(motor, target * gear);
    }
    for _ in 0..3 {
        joints.run(0.05);
        shafts.run(0.05);
        let (joint, shaft) = (joints.read(), shafts.read());
        for (motor, gear) in gears.iter().enumerate() {
            for (found, expected) in [
                (shaft.motor_pos[motor], f64::from(joint.motor_pos[motor]) * gear),
                (shaft.motor_vel[motor], f64::from(joint.motor_vel[motor]) * gear),
                (shaft.motor_torque[motor], f64::from(joint.motor_torque[motor]) / gear),
            ] {
                let tolerance = 1e-4 * (1e-2 + expected.abs());
                assert_near(found, expected, tolerance, format_args!("motor {motor}"));
            }
        }
        for index in 0..22 {
            assert_near(shaft.joint_pos[index], joint.joint_pos[index].into(), 1e-5, "joint");
            assert_near(shaft.joint_vel[index], joint.joint_vel[index].into(), 1e-4, "joint");
        }
    }
}

/// A slow loop moves the hand as a fast one.
pub fn long_steps_are_as_good_as_short_ones(make: &Make) {
    let (mut short, mut long) = (Rig::new(make, "mpl"), Rig::new(make, "mpl"));
    for rig in [&mut short, &mut long] {
        for motor in [0, 3, 8] {
            rig.turn(motor, 0.8);
        }
    }
    short.run(0.6);
    for _ in 0..30 {
        long.step(Duration::from_millis(20));
    }
    let (short, long) = (short.read(), long.read());
    assert_eq!(short.time_stamp, long.time_stamp);
    for motor in 0..13 {
        let expected = short.motor_pos[motor].into();
        assert_near(long.motor_pos[motor], expected, 0.02, format_args!("motor {motor}"));
    }
}
